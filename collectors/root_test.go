package collectors

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func openRoot(t *testing.T, paths Paths) Root {
	t.Helper()
	root, closeRoot, err := OpenRoot(host, paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeRoot(); err != nil {
			t.Error(err)
		}
	})
	return root
}

func expect(t *testing.T, fsys fs.FS, name, want string) {
	t.Helper()
	if got, err := Read(fsys, name); err != nil || string(got) != want {
		t.Errorf("%s: got %q, error %v; want %q", name, got, err, want)
	}
}

func TestOpenRootOfThisMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("/proc and /sys are Linux's")
	}
	root := openRoot(t, Paths{Procfs: "/proc", Sysfs: "/sys/", Modprobe: filepath.Join(t.TempDir(), "none")})
	if root.Netlink != nil || root.Modules != nil || root.Host != host {
		t.Errorf("got root %+v; want this machine's kernel asked and no module settings", root)
	}
	for _, name := range []string{"self/mountinfo", "net/dev", "stat"} {
		if data, err := Read(root.Procfs, name); err != nil || len(data) == 0 {
			t.Errorf("%s: %d bytes, error %v", name, len(data), err)
		}
	}
	// The interfaces are symbolic links out of class/net.
	if _, err := Read(root.Sysfs, "class/net/lo/mtu"); err != nil {
		t.Error(err)
	}
	if _, err := fs.ReadLink(root.Sysfs, "class/net/lo"); err != nil {
		t.Error(err)
	}
}

func TestOpenRootOfARecording(t *testing.T) {
	procfs := tree(t, map[string]string{"self/mountstats": "recorded", "net/dev": "eth0"})
	sysfs := tree(t, map[string]string{"devices/eth0/mtu": "1500"})
	secret := filepath.Join(tree(t, map[string]string{"secret": "secret"}), "secret")
	for name, target := range map[string]string{"inside": "devices/eth0", "outside": secret} {
		if err := os.Symlink(target, filepath.Join(sysfs, name)); err != nil {
			t.Skipf("cannot make symbolic links here: %v", err)
		}
	}
	root := openRoot(t, Paths{Procfs: procfs, Sysfs: sysfs, Modprobe: tree(t, map[string]string{"nfs.conf": "options"})})
	expect(t, root.Procfs, "self/mountstats", "recorded")
	expect(t, root.Procfs, "net/dev", "eth0")
	expect(t, root.Sysfs, "inside/mtu", "1500")
	expect(t, root.Modules, "nfs.conf", "options")
	if data, err := Read(root.Sysfs, "outside"); err == nil {
		t.Errorf("a link out of the directory was followed to %q", data)
	}
	if _, err := Read(root.Netlink, "sock_diag_tcp4.bin"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v; without recorded replies there must be none, and not this machine's", err)
	}
}

func TestOpenRootWithRecordedReplies(t *testing.T) {
	root := openRoot(t, Paths{
		Procfs: t.TempDir(), Sysfs: t.TempDir(), Netlink: tree(t, map[string]string{"sock_diag_tcp4.bin": "reply"}),
	})
	expect(t, root.Netlink, "sock_diag_tcp4.bin", "reply")
}

func TestOpenRootOfTheHostFromAContainer(t *testing.T) {
	procfs := tree(t, map[string]string{
		"1/mountinfo": "host's", "1/mountstats": "host's", "1/mounts": "host's", "1/net/dev": "host's",
		"self/mountinfo": "container's", "self/mountstats": "container's", "mounts": "container's", "net/dev": "container's",
		"stat": "everyone's", "sys/sunrpc/x": "everyone's",
	})
	root := openRoot(t, Paths{Procfs: procfs, Sysfs: t.TempDir()})
	for _, name := range []string{"self/mountinfo", "self/mountstats", "mounts", "net/dev"} {
		expect(t, root.Procfs, name, "host's")
	}
	for _, name := range []string{"stat", "sys/sunrpc/x"} {
		expect(t, root.Procfs, name, "everyone's")
	}
	if entries, err := fs.ReadDir(root.Procfs, "self"); err != nil || len(entries) != 4 {
		t.Errorf("self has %d entries, error %v", len(entries), err)
	}
	if info, err := fs.Stat(root.Procfs, "net"); err != nil || !info.IsDir() {
		t.Errorf("net: %v, %v", info, err)
	}
	file, err := root.Procfs.Open("self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if root.Netlink != nil {
		t.Error("the kernel is the host's and should be asked")
	}
}

func TestOpenRootSaysWhatIsMissing(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for name, paths := range map[string]Paths{
		"procfs":  {Procfs: none, Sysfs: t.TempDir()},
		"sysfs":   {Procfs: t.TempDir(), Sysfs: none},
		"netlink": {Procfs: t.TempDir(), Sysfs: t.TempDir(), Netlink: none},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := OpenRoot(host, paths); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got error %v", err)
			}
		})
	}
}
