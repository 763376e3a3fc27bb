package collectors

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

// fileReader collects the length of one file.
type fileReader struct{ root Root }

func (f fileReader) Collect(_ context.Context, sink Sink) error {
	data, err := Read(f.root.Procfs, "stat")
	if err != nil {
		return err
	}
	sink.Add(schema.CPUCores, float64(len(data)), f.root.Host)
	return nil
}

func TestFollowingFollowsItsDirectories(t *testing.T) {
	top := t.TempDir()
	for name, content := range map[string]string{"a": "1", "b": "22", "c": "333"} {
		for _, directory := range []string{"proc", "sys"} {
			if err := os.MkdirAll(filepath.Join(top, name, directory), 0o750); err != nil {
				t.Fatal(err)
			}
		}
		writeFile(t, filepath.Join(top, name, "proc", "stat"), content)
	}
	made := 0
	s := &Following{
		host: "app1", paths: Paths{Procfs: filepath.Join(top, "now", "proc"), Sysfs: filepath.Join(top, "now", "sys")},
		entry: Entry{New: func(root Root, _ Settings) (Collector, error) {
			made++
			return fileReader{root}, nil
		}},
	}
	now := filepath.Join(top, "now")
	length := func() (float64, error) {
		result := Once(t.Context(), s, time.Now())
		if len(result.Samples) != 1 {
			return 0, result.Err
		}
		return result.Samples[0].Value, result.Err
	}
	check := func(what string, want float64, times int) {
		t.Helper()
		got, err := length()
		if err != nil || got != want || made != times {
			t.Errorf("%s: %g (error %v, opened %d times), want %g (%d times)", what, got, err, made, want, times)
		}
	}
	if _, err := length(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the directory is there: error %v", err)
	}
	steps := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	steps(os.Rename(filepath.Join(top, "a"), now))
	check("first", 1, 1)
	check("the same directory", 1, 1)
	writeFile(t, filepath.Join(now, "proc", "stat"), "55555")
	check("a file replaced inside", 5, 1)
	steps(os.Rename(now, filepath.Join(top, "a")))
	if _, err := length(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("while the directory is away: error %v", err)
	}
	steps(os.Rename(filepath.Join(top, "b"), now))
	check("another directory under the name", 2, 2)
	steps(os.Rename(now, filepath.Join(top, "b")))
	steps(os.Symlink("c", now))
	check("a symbolic link", 3, 3)
	steps(errors.Join(os.Remove(now), os.Symlink("a", now)))
	check("the link leads elsewhere", 5, 4)
	steps(s.Close())
}

func TestFollowingThatCannotBeMade(t *testing.T) {
	refused := errors.New("refused")
	s := &Following{
		host: "app1", paths: Paths{Procfs: t.TempDir(), Sysfs: t.TempDir()},
		entry: Entry{New: func(Root, Settings) (Collector, error) { return nil, refused }},
	}
	for range 2 {
		if err := s.Collect(t.Context(), nil); !errors.Is(err, refused) {
			t.Errorf("error %v, want %v", err, refused)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFollowingEndsWhileARunHangs: a run that missed its deadline must neither race with the end nor open anything after.
func TestFollowingEndsWhileARunHangs(t *testing.T) {
	top := t.TempDir()
	for _, directory := range []string{"proc", "sys"} {
		if err := os.MkdirAll(filepath.Join(top, directory), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	var following *Following
	entry := Follow(Entry{New: func(root Root, _ Settings) (Collector, error) { return fileReader{root}, nil }},
		Paths{Procfs: filepath.Join(top, "proc"), Sysfs: filepath.Join(top, "sys")}, func(f *Following) { following = f })
	collector, err := entry.New(Root{Host: "app1"}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var runs sync.WaitGroup
	for range 4 {
		runs.Go(func() { Once(t.Context(), collector, time.Now()) })
	}
	if err := following.Close(); err != nil {
		t.Error(err)
	}
	runs.Wait()
	if result := Once(t.Context(), collector, time.Now()); !errors.Is(result.Err, fs.ErrClosed) {
		t.Errorf("a run after the end: %v", result.Err)
	}
}
