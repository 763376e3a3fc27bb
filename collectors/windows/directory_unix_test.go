//go:build unix

package windows

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// What is no regular file, or too large to be an answer, or under a name that is none, costs itself.
func TestDirectoryOfOddThings(t *testing.T) {
	dir := t.TempDir()
	const channels = `{"ServerName":"fs1","CurrentChannels":2}`
	write(t, filepath.Join(dir, "good", "x.json"), channels, noon)
	if err := syscall.Mkfifo(filepath.Join(dir, "good", "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "good", "large.json"), "", noon)
	if err := os.Truncate(filepath.Join(dir, "good", "large.json"), 400<<20); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "manifest", "bundle.json"), `{"host":"a\nb"}`, noon)
	write(t, filepath.Join(dir, "manifest", "x.json"), channels, noon)
	write(t, filepath.Join(dir, "long.json"), `{"ServerName":"fs1","CurrentChannels":2,"PSComputerName":"`+strings.Repeat("x", 300)+`"}`, noon)
	write(t, filepath.Join(dir, "control.json"), `{"ServerName":"fs1","CurrentChannels":2,"PSComputerName":"a\u0007b"}`, noon)
	write(t, filepath.Join(dir, "li\nne.json"), channels, noon)

	reader := &directory{cfg: DirectoryConfig{Path: dir, Interval: time.Minute}, now: func() time.Time { return noon }}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result := collectors.Once(t.Context(), reader, noon)
	runtime.ReadMemStats(&after)
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	hosts := map[string]bool{}
	for _, sample := range result.Samples {
		if sample.Family == schema.SMBChannels {
			hosts[sample.Labels[0]] = true
		}
	}
	for _, want := range []string{"good", "manifest", "long", "control"} {
		if !hosts[want] {
			t.Errorf("%s is missing", want)
		}
	}
	if len(hosts) != 4 || result.Skipped["odd_host"] != 1 || result.Skipped["large_file"] != 1 {
		t.Errorf("hosts %v, skipped %v", hosts, result.Skipped)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 100<<20 {
		t.Errorf("%d MiB were allocated", allocated>>20)
	}
}
