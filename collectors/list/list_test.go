package list

import (
	"regexp"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

func TestEntriesAreComplete(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	seen := make(map[string]bool)
	for _, entry := range Entries() {
		if !name.MatchString(entry.Name) || seen[entry.Name] || entry.Help == "" || entry.Interval < schema.HostGrain {
			t.Errorf("odd entry: %+v", entry)
		}
		seen[entry.Name] = true
	}
	for _, want := range []string{"nfs", "smb", "iscsi", "tcp", "nic", "cpu", "gce"} {
		if !seen[want] {
			t.Errorf("%s is missing", want)
		}
	}
}

// An empty host has nothing to collect: every collector says so or fails with a reason, and none panics.
func TestEntriesCopeWithAnEmptyHost(t *testing.T) {
	root, closeRoot, err := collectors.OpenRoot("client1", collectors.Paths{Procfs: t.TempDir(), Sysfs: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeRoot(); err != nil {
			t.Error(err)
		}
	})
	for _, entry := range Entries() {
		collector, err := entry.New(root, collectors.Settings{})
		if err != nil {
			t.Errorf("%s: %v", entry.Name, err)
			continue
		}
		result := collectors.Once(t.Context(), collector, time.Now())
		if collectors.ReasonOf(result.Err) == collectors.ReasonPanic || len(result.Samples) > 0 {
			t.Errorf("%s: %d samples, error %v", entry.Name, len(result.Samples), result.Err)
		}
	}
}
