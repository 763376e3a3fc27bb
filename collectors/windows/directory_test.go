package windows

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func write(t *testing.T, name, text string, at time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// TestDirectoryOfHosts has a bundle of two moments, loose files, a file alone, and a host that stopped recording.
func TestDirectoryOfHosts(t *testing.T) {
	dir := t.TempDir()
	channels := func(count string) string { return `{"ServerName":"fs1","CurrentChannels":` + count + `}` }
	write(t, filepath.Join(dir, "a", "bundle.json"), "\uFEFF{\"host\":\"HOST-A\"}", noon)
	write(t, filepath.Join(dir, "a", "t0", "windows", "x.json"), channels("1"), noon.Add(-time.Minute))
	write(t, filepath.Join(dir, "a", "t1", "windows", "x.json"), channels("2"), noon.Add(-time.Second))
	write(t, filepath.Join(dir, "b", "x.json"), channels("3"), noon)
	write(t, filepath.Join(dir, "c.json"), `{"ServerName":"fs1","CurrentChannels":4,"PSComputerName":"HOST-C"}`, noon)
	write(t, filepath.Join(dir, "d.json"), channels("5"), noon)
	write(t, filepath.Join(dir, "old", "x.json"), channels("6"), noon.Add(-time.Hour))
	write(t, filepath.Join(dir, "empty", "notes.md"), "", noon)
	write(t, filepath.Join(dir, ".hidden", "x.json"), channels("7"), noon)
	write(t, filepath.Join(dir, "z", "bundle.json"), `{"host":"host-a"}`, noon)
	write(t, filepath.Join(dir, "z", "x.json"), channels("8"), noon)

	reader := &directory{cfg: DirectoryConfig{Path: dir, Interval: time.Minute}, now: func() time.Time { return noon }}
	result := collectors.Once(t.Context(), reader, noon)
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	channelsOf, ages := map[string]float64{}, map[string]float64{}
	for _, sample := range result.Samples {
		switch sample.Family {
		case schema.SMBChannels:
			channelsOf[sample.Labels[0]] = sample.Value
			if sample.Labels[0] == "HOST-A" && !sample.Time.Equal(noon.Add(-time.Second)) {
				t.Errorf("sample of HOST-A at %s", sample.Time)
			}
		case schema.WindowsRecordingAge:
			ages[sample.Labels[0]] = sample.Value
		}
	}
	for host, want := range map[string]float64{"HOST-A": 2, "b": 3, "HOST-C": 4, "d": 5} {
		if channelsOf[host] != want {
			t.Errorf("%s has %v channels, want %v", host, channelsOf[host], want)
		}
	}
	if len(channelsOf) != 4 || len(ages) != 5 || ages["old"] != 3600 || ages["HOST-A"] != 1 || result.Skipped["host_twice"] != 1 {
		t.Errorf("channels %v, ages %v, skipped %v", channelsOf, ages, result.Skipped)
	}
}

func TestDirectoryThatIsNotThere(t *testing.T) {
	entry := Directory(DirectoryConfig{Path: filepath.Join(t.TempDir(), "none"), Interval: time.Minute})
	collector, err := entry.New(collectors.Root{}, collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := collectors.Once(t.Context(), collector, noon).Err; !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	empty := &directory{cfg: DirectoryConfig{Path: t.TempDir(), Interval: time.Minute}, now: time.Now}
	if err := collectors.Once(t.Context(), empty, noon).Err; !errors.Is(err, collectors.ErrNoData) {
		t.Errorf("empty directory: error %v", err)
	}
}
