package memfs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"
)

// member is one file, link or directory of a tree.
type member struct {
	name   string
	data   []byte
	target string // of a link
	dir    bool
}

func (m member) node() *Node {
	switch {
	case m.dir:
		return NewDirectory()
	case m.target != "":
		return NewLink(m.target)
	}
	return NewFile(m.data)
}

// grown builds a tree.
func grown(members ...member) FS {
	root := NewDirectory()
	for _, m := range members {
		root.Put(m.name, m.node())
	}
	return FS{Root: root}
}

func TestFileSystem(t *testing.T) {
	tree := grown(
		member{name: "proc/stat", data: []byte("cpu 1 2 3\n")}, member{name: "sys/class/net/eth0", target: "../../devices/eth0"},
		member{name: "sys/devices/eth0/speed", data: []byte("10000\n")}, member{name: "sys/empty", dir: true},
	)
	if err := fstest.TestFS(tree, "proc/stat", "sys/class/net/eth0", "sys/devices/eth0/speed", "sys/empty"); err != nil {
		t.Error(err)
	}
	sub, err := fs.Sub(tree, "sys")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(sub, "class/net/eth0", "devices/eth0/speed"); err != nil {
		t.Error(err)
	}
}

// Links lead from one directory of a moment to another, as from /proc to /sys, and never out of it.
func TestLinks(t *testing.T) {
	tree := grown(
		member{name: "proc/to-sys", target: "../sys/value"}, member{name: "sys/value", data: []byte("1")},
		member{name: "sys/dir", target: "real/"}, member{name: "sys/real/up", target: ".././value"},
		member{name: "sys/file-as-dir", target: "value/x"},
	)
	proc := FS{Root: tree.Root, Base: "proc"}
	sys := FS{Root: tree.Root, Base: "sys"}
	if data, err := proc.ReadFile("to-sys"); string(data) != "1" || err != nil {
		t.Errorf("to-sys: %q, %v", data, err)
	}
	if data, err := sys.ReadFile("dir/up"); string(data) != "1" || err != nil {
		t.Errorf("dir/up: %q, %v", data, err)
	}
	if _, err := sys.ReadFile("file-as-dir"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("file-as-dir: error %v", err)
	}
	outside := FS{Root: &Node{Children: map[string]*Node{"a": NewLink("../../etc/passwd"), "etc": NewDirectory()}, Mode: fs.ModeDir}}
	if _, err := outside.ReadFile("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("link out: error %v", err)
	}
}

func TestErrors(t *testing.T) {
	tree := grown(member{name: "proc/stat", data: []byte("x")})
	calls := map[string]func(name string) error{
		"open":     func(name string) error { _, err := tree.Open(name); return err },
		"read":     func(name string) error { _, err := tree.ReadFile(name); return err },
		"readdir":  func(name string) error { _, err := tree.ReadDir(name); return err },
		"readlink": func(name string) error { _, err := tree.ReadLink(name); return err },
		"stat":     func(name string) error { _, err := tree.Stat(name); return err },
		"lstat":    func(name string) error { _, err := tree.Lstat(name); return err },
	}
	for op, call := range calls {
		for name, want := range map[string]error{"proc/absent": fs.ErrNotExist, "proc/stat/x": fs.ErrNotExist, "../x": fs.ErrInvalid, "/proc": fs.ErrInvalid} {
			var failed *fs.PathError
			if err := call(name); !errors.Is(err, want) || !errors.As(err, &failed) || failed.Op != op || failed.Path != name {
				t.Errorf("%s %s: error %v", op, name, err)
			}
		}
	}
	if _, err := tree.ReadFile("proc"); err == nil {
		t.Error("a directory was read")
	}
	if _, err := tree.ReadDir("proc/stat"); err == nil {
		t.Error("a file was listed")
	}
	if _, err := tree.ReadLink("proc/stat"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("readlink of a file: error %v", err)
	}
	if _, err := tree.Sub("../x"); err == nil {
		t.Error("sub outside")
	}
}

// What a caller does with what it was given changes nothing.
func TestIsReadOnly(t *testing.T) {
	tree := grown(member{name: "proc/stat", data: []byte("x")})
	data, err := tree.ReadFile("proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	data[0] = 'y'
	if again, err := tree.ReadFile("proc/stat"); string(again) != "x" || err != nil {
		t.Errorf("%q, %v", again, err)
	}
}

// The tree agrees with the one of the standard library, links included, wherever that one ends at all: links lead to
// names that sort before their own.
func TestAgreesWithMapFS(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, want := NewDirectory(), fstest.MapFS{}
		var names []string
		for i := range rapid.IntRange(1, 20).Draw(t, "members") {
			name := fmt.Sprintf("%c%02d", 'a'+rune(i), i)
			if dirs := rapid.IntRange(0, 3).Draw(t, "depth"); dirs > 0 {
				name = strings.Repeat("d/", dirs) + name
			}
			m := member{name: name}
			switch kind := rapid.IntRange(0, 2).Draw(t, "kind"); {
			case kind == 0 && len(names) > 0:
				to := rapid.SampledFrom(names).Draw(t, "to")
				m.target = path.Join(strings.Repeat("../", strings.Count(name, "/")), to)
				want[name] = &fstest.MapFile{Data: []byte(m.target), Mode: fs.ModeSymlink | 0o777}
			case kind == 1:
				m.dir = true
				want[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o555}
			default:
				m.data = []byte(name)
				want[name] = &fstest.MapFile{Data: m.data, Mode: 0o444}
			}
			root.Put(name, m.node())
			names = append(names, name)
		}
		got := FS{Root: root}
		for _, name := range append(names, ".", "d", "d/d", "absent", names[0]+"/x") {
			wantData, wantErr := fs.ReadFile(want, name)
			data, err := fs.ReadFile(got, name)
			if string(data) != string(wantData) || (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: %q, %v; want %q, %v", name, data, err, wantData, wantErr)
			}
			wantList, wantErr := fs.ReadDir(want, name)
			list, err := fs.ReadDir(got, name)
			if kinds(list) != kinds(wantList) || (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: %v, %v; want %v, %v", name, list, err, wantList, wantErr)
			}
		}
	})
}

func kinds(list []fs.DirEntry) string {
	var out strings.Builder
	for _, entry := range list {
		fmt.Fprintf(&out, "%s %s\n", entry.Name(), entry.Type())
	}
	return out.String()
}

// manyTransports is the sunrpc directory of a host with 100 mounts of 16 sessions.
func manyTransports() []member {
	var members []member
	for i := range 1600 {
		dir := fmt.Sprintf("sys/kernel/sunrpc/xprt-switches/switch-%d/xprt-%d-tcp", i/16, i)
		for _, name := range []string{"dstaddr", "srcaddr", "xprt_info", "xprt_state"} {
			members = append(members, member{name: path.Join(dir, name), data: []byte("x")})
		}
	}
	return members
}

func readTransports(b *testing.B, tree fs.FS) {
	switches, err := fs.ReadDir(tree, "sys/kernel/sunrpc/xprt-switches")
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range switches {
		dir := path.Join("sys/kernel/sunrpc/xprt-switches", one.Name())
		transports, err := fs.ReadDir(tree, dir)
		if err != nil {
			b.Fatal(err)
		}
		for _, transport := range transports {
			if _, err := fs.ReadFile(tree, path.Join(dir, transport.Name(), "xprt_info")); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkTransports(b *testing.B) {
	tree := grown(manyTransports()...)
	for b.Loop() {
		readTransports(b, tree)
	}
}

// The standard library's tree, for comparison: it goes through all files for each of the 101 directories.
func BenchmarkMapFSTransports(b *testing.B) {
	tree := fstest.MapFS{}
	for _, m := range manyTransports() {
		tree[m.name] = &fstest.MapFile{Data: m.data}
	}
	for b.Loop() {
		readTransports(b, tree)
	}
}
