package host

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/internal/memfs"
)

// needLinks skips where the names of /sys cannot be files.
func needLinks(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("names of /sys have colons")
	}
}

// open opens a written machine as the program does a host that it is told of.
func open(t fataler, dir string) (collectors.Root, func() error) {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	root, closeRoot, err := collectors.OpenRoot("client-1", collectors.Paths{
		Procfs: at(procDir), Sysfs: at(sysDir), Netlink: at(netlinkDir), Modprobe: at(moduleDir),
	})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return root, closeRoot
}

func write(t fataler, m *Machine, dir string) {
	t.Helper()
	if err := m.Write(dir); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// holds fails unless a directory has exactly the files, links and directories of a machine.
func holds(t fataler, dir string, m *Machine) {
	t.Helper()
	got, want := listing(t, os.DirFS(dir)), listing(t, memfs.FS{Root: m.files()})
	delete(got, stage)
	for name, text := range want {
		if found, ok := got[name]; !ok || found != text {
			t.Fatalf("%s holds %q (there: %v), want %q", name, found, ok, text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Fatalf("%s is left", name)
		}
	}
}

// listing has what every name stands for.
func listing(t fataler, files fs.FS) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			found[name] = "directory"
		case entry.Type() == fs.ModeSymlink:
			target, err := fs.ReadLink(files, name)
			found[name] = "link to " + target
			return err
		default:
			data, err := fs.ReadFile(files, name)
			found[name] = "file " + string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walk: %v", err)
	}
	return found
}

// A directory that machine after machine is written to holds the last one, and tells what the memory does.
func TestWriteIsRoot(t *testing.T) {
	needLinks(t)
	dir := t.TempDir()
	machines := rapid.Custom(drawMachine)
	for seed := range 8 {
		m := machines.Example(seed)
		write(t, m, dir)
		holds(t, dir, m)
		root, closeRoot := open(t, dir)
		same(t, "directory", newReader(t, root).read(t), newReader(t, m.Root()).read(t))
		if err := closeRoot(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
}

// A file may take the place of a directory or a link, and the other way round.
func TestWriteReplacesKinds(t *testing.T) {
	needLinks(t)
	dir := t.TempDir()
	m := plain()
	write(t, m, dir)
	for _, name := range []string{"proc/stat", "sys/class/net", "sys/class/net/eth0", "netlink"} {
		for kind, replace := range map[string]func(string) error{
			"directory": func(path string) error { return os.MkdirAll(filepath.Join(path, "x", "y"), 0o755) },
			"file":      func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
			"link":      func(path string) error { return os.Symlink("stat", path) },
		} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if err := replace(path); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			write(t, m, dir)
			holds(t, dir, m)
		}
	}
	// What an earlier Write left half done.
	if err := os.Symlink("../proc/stat", filepath.Join(dir, filepath.FromSlash(staged))); err != nil {
		t.Fatal(err)
	}
	m.run(1)
	write(t, m, dir)
	holds(t, dir, m)
}

// Moments of a machine that are kept side by side are a recording.
func TestMomentsAreARecording(t *testing.T) {
	needLinks(t)
	dir := t.TempDir()
	m := plain()
	var want []series
	for _, moment := range []string{"t0", "t1"} {
		write(t, m, filepath.Join(dir, moment))
		want = append(want, newReader(t, m.Root()).read(t))
		m.run(15)
	}
	found, err := bundle.Open(dir)
	if err != nil || len(found.Moments) != 2 || found.Host != m.Name || found.Kernel != defaultKernel || len(found.Notes) > 0 {
		t.Fatalf("recording %+v, error %v", found, err)
	}
	if apart := found.Moments[1].Time.Sub(found.Moments[0].Time); apart != 15*time.Second {
		t.Errorf("the moments are %s apart", apart)
	}
	for i, moment := range found.Moments {
		same(t, moment.Name, newReader(t, moment.Root).read(t), want[i])
	}
}

func TestWriteRefusesOtherDirectories(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "letters")
	if err := os.WriteFile(kept, []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: `"letters"`, kept: "letters"} {
		err := plain().Write(path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "client-1") {
			t.Errorf("error %v, want one with %s", err, want)
		}
	}
	if data, err := os.ReadFile(kept); string(data) != "dear" || err != nil {
		t.Errorf("the file is %q, error %v", data, err)
	}
}

// Whoever reads while the machine is written finds whole files: the old ones or the new ones.
func TestReadWhileWritten(t *testing.T) {
	needLinks(t)
	dir := t.TempDir()
	m := plain()
	write(t, m, dir)
	root, closeRoot := open(t, dir)
	all := newReader(t, root)
	before := all.read(t)
	var writing sync.WaitGroup
	writing.Go(func() {
		for range 20 {
			m.run(1)
			if err := m.Write(dir); err != nil {
				t.Error(err)
			}
		}
	})
	for range 20 {
		for name, value := range all.read(t) {
			if last, ok := before[name]; !ok || strings.Contains(name, "_total{") && value < last {
				t.Errorf("%s is %v after %v (there: %v)", name, value, last, ok)
			}
			before[name] = value
		}
	}
	writing.Wait()
	same(t, "at last", all.read(t), newReader(t, m.Root()).read(t))
	if err := closeRoot(); err != nil {
		t.Error(err)
	}
}
