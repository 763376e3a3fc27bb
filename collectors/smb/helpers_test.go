package smb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// files are those of a host below /proc, by their short names.
type files map[string]string

const (
	debugFile = "fs/cifs/DebugData"
	statsFile = "fs/cifs/Stats"
	openFiles = "fs/cifs/open_files"
	mountFile = "self/mountinfo"
)

func hostWith(f files) collectors.Root {
	procfs := fstest.MapFS{}
	for name, text := range f {
		procfs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return collectors.Root{Host: "client", Procfs: procfs}
}

// collect runs the collector once over a root and checks what holds for every run.
func collect(t testing.TB, root collectors.Root) *capturetest.Sink {
	t.Helper()
	return again(t, New(root), root)
}

// again runs a collector once more, over another state of the host.
func again(t testing.TB, c *Collector, root collectors.Root) *capturetest.Sink {
	t.Helper()
	c.root = root
	sink := &capturetest.Sink{}
	if err := c.Collect(t.Context(), sink); err != nil {
		t.Fatalf("collect: %v", err)
	}
	sink.Check(t)
	return sink
}

// of lists a family's values by the values of some labels, joined by a blank.
func of(sink *capturetest.Sink, family *schema.Family, by ...string) map[string]float64 {
	out := map[string]float64{}
	for series, value := range sink.All() {
		name, rest, _ := strings.Cut(strings.TrimSuffix(series, "}"), "{")
		if name != family.Name {
			continue
		}
		key := make([]string, len(by))
		for i, label := range by {
			key[i] = labelOf(rest, label)
		}
		out[strings.Join(key, " ")] += value
	}
	return out
}

func labelOf(labels, name string) string {
	_, rest, ok := strings.Cut(","+labels, ","+name+`="`)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// own reads an input of this package, from testdata.
func own(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// mountLine is a line of mountinfo.
func mountLine(id, device, mountPoint, source, options string) string {
	return id + " 1 " + device + " / " + mountPoint + " rw,relatime - cifs " + source + " " + options + "\n"
}

// counts is a Skip that keeps what it is told.
func counts() (map[string]int, Skip) {
	skipped := map[string]int{}
	return skipped, func(reason string, count int) { skipped[reason] += count }
}

func noSkip(string, int) {}

// smbCaptures lists the recorded scenarios with SMB mounts.
func smbCaptures(t testing.TB) []string {
	t.Helper()
	var names []string
	for _, name := range capturetest.Scenarios(t) {
		if strings.Contains(name, "/smb") {
			names = append(names, name)
		}
	}
	return names
}
