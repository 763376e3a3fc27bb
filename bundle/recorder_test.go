package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// replay writes what was recorded into a bundle, with other files that make it one, and opens that.
func replay(t testing.TB, r *recorder) fs.FS {
	t.Helper()
	var packed bytes.Buffer
	out := newWriter(&packed)
	members := append(r.members("sys"), member{name: "proc/stat"})
	for _, m := range append(members, errorsFile(r.failures("sys"), false)...) {
		m.name = path.Join("t0", m.name)
		if err := out.add(m, time.Unix(1000, 0)); err != nil {
			t.Fatal(err)
		}
	}
	manifest := Manifest{Moments: []ManifestMoment{{Name: "t0", Time: time.Unix(1000, 0), Monotonic: 1}}}
	if err := out.finish(manifest, time.Unix(1000, 0)); err != nil {
		t.Fatal(err)
	}
	found, err := readArchive(&packed)
	if err != nil {
		t.Fatal(err)
	}
	b, err := assemble(found)
	if err != nil || len(b.Notes) > 0 {
		t.Fatalf("notes %q, error %v", b.Notes, err)
	}
	return b.Moments[0].Root.Sysfs
}

// sysfs is a small /sys as the kernel has it.
func sysfs() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), Mode: 0o444} }
	link := func(target string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
	}
	return fstest.MapFS{
		"class/net/eth0":                          link("../../devices/pci/virtio0/net/eth0"),
		"class/net/lo":                            link("../../devices/virtual/net/lo"),
		"class/bdi/0:52":                          link("../../devices/virtual/bdi/0:52"),
		"devices/pci/virtio0/net/eth0/speed":      file("10000\n"),
		"devices/pci/virtio0/net/eth0/address":    file("52:54:00:12:34:56\n"),
		"devices/pci/virtio0/net/eth0/device":     link("../../../virtio0"),
		"devices/pci/virtio0/driver":              link("../../../bus/virtio/drivers/virtio_net"),
		"devices/pci/virtio0/net/eth0/queues":     {Mode: fs.ModeDir | 0o555},
		"devices/pci/virtio0/net/eth0/queues/r-0": {Mode: fs.ModeDir | 0o555},
		"devices/pci/virtio0/net/eth0/queues/r-1": {Mode: fs.ModeDir | 0o555},
		"devices/virtual/net/lo/mtu":              file("65536\n"),
		"devices/virtual/bdi/0:52/read_ahead_kb":  file("128\n"),
		"outside":                                 link("../../etc"),
	}
}

// A collector's ways of looking at an interface give the same from the recording, through links that lead through
// links and for directories that were only counted.
func TestRecorderReplays(t *testing.T) {
	r := newRecorder(sysfs())
	look := func(tree fs.FS) map[string]string {
		found := map[string]string{}
		note := func(name, text string, err error) { found[name] = fmt.Sprintf("%s %v", text, err != nil) }
		speed, err := fs.ReadFile(tree, "class/net/eth0/speed")
		note("speed", string(speed), err)
		driver, err := fs.ReadLink(tree, "class/net/eth0/device/driver")
		note("driver", path.Base(driver), err)
		device, err := fs.ReadLink(tree, "class/net/eth0")
		note("device", device, err)
		queues, err := fs.ReadDir(tree, "class/net/eth0/queues")
		note("queues", fmt.Sprint(len(queues)), err)
		interfaces, err := fs.ReadDir(tree, "class/net")
		note("interfaces", kinds(interfaces), err)
		_, err = fs.ReadFile(tree, "class/net/eth0/absent")
		note("absent", "", err)
		mtu, err := tree.Open("class/net/lo/mtu")
		if err == nil {
			text, err := io.ReadAll(mtu)
			note("mtu", string(text), err)
		}
		info, err := fs.Stat(tree, "devices/virtual/bdi/0:52")
		note("bdi", fmt.Sprint(info != nil && info.IsDir()), err)
		opened, err := tree.Open("class/net/eth0/queues")
		if dir, ok := opened.(fs.ReadDirFile); err == nil && ok {
			list, err := dir.ReadDir(-1)
			note("opened queues", kinds(list), err)
		}
		return found
	}
	want := look(sysfs())
	if diff := cmp.Diff(want, look(r)); diff != "" {
		t.Errorf("through the recorder (-original +recorder):\n%s", diff)
	}
	if diff := cmp.Diff(want, look(replay(t, r))); diff != "" {
		t.Errorf("from the recording (-original +recording):\n%s", diff)
	}
}

// Only what was asked for is kept: nothing that a listing happened to show gets content.
func TestRecorderKeepsWhatWasRead(t *testing.T) {
	r := newRecorder(sysfs())
	if _, err := fs.ReadDir(r, "devices/pci/virtio0/net/eth0"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadLink("outside"); err != nil {
		t.Fatal(err)
	}
	want := []member{
		{name: "sys/devices/pci/virtio0/net/eth0/device", target: "../../../virtio0"},
		{name: "sys/devices/pci/virtio0/net/eth0/queues", dir: true},
		{name: "sys/outside", target: "etc"},
	}
	if diff := cmp.Diff(want, r.members("sys"), cmp.AllowUnexported(member{})); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

// A flat recorder keeps files where they were asked for: /proc/self is a link to the process that reads.
func TestRecorderFlat(t *testing.T) {
	r := newFlatRecorder(fstest.MapFS{
		"self":          {Data: []byte("1234"), Mode: fs.ModeSymlink | 0o777},
		"1234/mounts":   {Data: []byte("m")},
		"1234/net/dev":  {Data: []byte("d")},
		"net":           {Data: []byte("self/net"), Mode: fs.ModeSymlink | 0o777},
		"1234/fd/alone": {Mode: fs.ModeDir},
	})
	for _, name := range []string{"self/mounts", "net/dev"} {
		if _, err := r.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := fs.ReadDir(r, "."); err != nil {
		t.Fatal(err)
	}
	want := []member{
		{name: "proc/1234", dir: true}, {name: "proc/net/dev", data: []byte("d")}, {name: "proc/self/mounts", data: []byte("m")},
	}
	if diff := cmp.Diff(want, r.members("proc"), cmp.AllowUnexported(member{})); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

// denied refuses to read some files.
type denied struct{ fstest.MapFS }

func (d denied) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, "denied") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.MapFS.Open(name)
}

func (d denied) ReadFile(name string) ([]byte, error) { return fs.ReadFile(struct{ fs.FS }{d}, name) }

// A file that cannot be read is no empty file: its error comes back, and a file that is not there stays so.
func TestRecorderErrors(t *testing.T) {
	r := newRecorder(denied{fstest.MapFS{"a/denied": {Data: []byte("x")}, "a/denied-too/denied": {}}})
	if _, err := r.ReadFile("a/denied"); !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("error %v", err)
	}
	if _, err := r.ReadFile("a/absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("error %v", err)
	}
	if _, err := r.Open("a/denied-too/denied"); !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("error %v", err)
	}
	recorded := replay(t, r)
	for name, want := range map[string]error{"a/denied": fs.ErrPermission, "a/absent": fs.ErrNotExist, "a/denied-too/denied": fs.ErrPermission} {
		if _, err := fs.ReadFile(recorded, name); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", name, err, want)
		}
	}
}

// counting gives another content at each reading.
type counting struct {
	fstest.MapFS
	mu   sync.Mutex
	read int
}

func (c *counting) ReadFile(string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read++
	return fmt.Append(nil, c.read), nil
}

func TestRecorderKeepsTheLast(t *testing.T) {
	r := newRecorder(&counting{MapFS: fstest.MapFS{"a": {}}})
	var last []byte
	for range 3 {
		var err error
		if last, err = r.ReadFile("a"); err != nil {
			t.Fatal(err)
		}
	}
	last[0] = 'x' // the caller's copy
	if data, err := fs.ReadFile(replay(t, r), "a"); string(data) != "3" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

// Collectors may read at the same time, and one that is late while the members are taken.
func TestRecorderConcurrently(t *testing.T) {
	r := newRecorder(sysfs())
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range 50 {
				_, _ = r.ReadFile("class/net/eth0/speed")
				_, _ = fs.ReadDir(r, "class/net")
				_, _ = r.ReadLink("class/net/eth0/device/driver")
				_, _ = r.ReadFile("absent")
				_ = r.members("sys")
				_ = r.failures("sys")
			}
		})
	}
	readers.Wait()
	if data, err := fs.ReadFile(replay(t, r), "class/net/eth0/speed"); string(data) != "10000\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

// A name that no bundle may hold costs itself, not the bundle.
func TestRecorderLeavesOddNamesOut(t *testing.T) {
	r := newRecorder(&counting{MapFS: fstest.MapFS{}})
	for _, name := range []string{"a\nb", "\xff", strings.Repeat("n", maxName), "good"} {
		if _, err := r.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if members := r.members("sys"); len(members) != 1 || members[0].name != "sys/good" {
		t.Errorf("members %v", members)
	}
}

// Whatever a tree looks like and whatever is looked at in it, links through links included, the recording answers as
// the original did.
func TestRecorderReplaysAnyTree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tree, names := randomTree(rt)
		r := newRecorder(tree)
		type question struct{ kind, name string }
		var asked []question
		ask := func(tree fs.FS, q question) string {
			switch q.kind {
			case "read":
				data, err := fs.ReadFile(tree, q.name)
				return fmt.Sprintf("%q %v", data, err != nil)
			case "link":
				target, err := fs.ReadLink(tree, q.name)
				return fmt.Sprintf("%q %v", target, err != nil)
			case "stat":
				info, err := fs.Stat(tree, q.name)
				return fmt.Sprintf("%v %v", err == nil && info.IsDir(), err != nil)
			}
			list, err := fs.ReadDir(tree, q.name)
			dirs := 0
			for _, entry := range list {
				if !entry.Type().IsRegular() {
					dirs++
				}
			}
			return fmt.Sprintf("%d %v", dirs, err != nil)
		}
		var want []string
		for range rapid.IntRange(1, 12).Draw(rt, "questions") {
			q := question{rapid.SampledFrom([]string{"read", "link", "stat", "list"}).Draw(rt, "kind"), rapid.SampledFrom(names).Draw(rt, "name")}
			if through := rapid.SampledFrom(names).Draw(rt, "through"); rapid.Bool().Draw(rt, "deep") {
				q.name = path.Join(through, path.Base(q.name))
			}
			asked = append(asked, q)
			want = append(want, ask(tree, q))
			if got := ask(r, q); got != want[len(want)-1] {
				rt.Fatalf("%v through the recorder: %s, want %s", q, got, want[len(want)-1])
			}
		}
		recorded := replay(t, r)
		for i, q := range asked {
			if got := ask(recorded, q); got != want[i] {
				rt.Fatalf("%v from the recording: %s, want %s", q, got, want[i])
			}
		}
	})
}

// randomTree draws files, directories and links to earlier names, and gives the names in it.
func randomTree(t *rapid.T) (fstest.MapFS, []string) {
	tree := fstest.MapFS{"d/e/f": {Data: []byte("f")}}
	names := []string{"d", "d/e", "d/e/f"}
	dirs := []string{".", "d", "d/e"}
	for i := range rapid.IntRange(1, 12).Draw(t, "members") {
		name := path.Join(rapid.SampledFrom(dirs).Draw(t, "dir"), fmt.Sprintf("n%02d", i))
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			to := rapid.SampledFrom(names).Draw(t, "to")
			target := path.Join(strings.Repeat("../", strings.Count(name, "/")), to)
			tree[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
		case 1:
			tree[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o555}
			dirs = append(dirs, name)
		default:
			tree[name] = &fstest.MapFile{Data: []byte(name), Mode: 0o444}
		}
		names = append(names, name)
	}
	return tree, names
}
