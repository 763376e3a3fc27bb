package bundle

import (
	"archive/tar"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/internal/memfs"
)

func captures(t testing.TB) []string {
	t.Helper()
	found, err := filepath.Glob(capturePath("*/*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	return found
}

// Every recorded capture is a bundle as it stands: three moments, some ten seconds apart (busy machines recorded them),
// nothing odd.
func TestOpenCaptures(t *testing.T) {
	kernels, gaps, usual := map[string]int{}, 0, 0
	for _, name := range captures(t) {
		b, err := Open(name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		var names []string
		for i, moment := range b.Moments {
			names = append(names, moment.Name)
			if i == 0 {
				continue
			}
			gaps++
			gap := moment.Time.Sub(b.Moments[i-1].Time)
			if gap > 9*time.Second && gap < 15*time.Second {
				usual++
			}
			if gap < 2*time.Second || gap > 30*time.Second {
				t.Errorf("%s: %s is %s after the moment before it", name, moment.Name, gap)
			}
		}
		if !slices.Equal(names, []string{"t0", "t1", "t2"}) || len(b.Notes) > 0 {
			t.Errorf("%s: moments %q, notes %q", name, names, b.Notes)
		}
		kernel := filepath.Base(filepath.Dir(filepath.Dir(name)))
		if !strings.HasPrefix(b.Kernel, kernel+".") || b.Host != "recorded" || b.Moments[2].Root.Host != b.Host {
			t.Errorf("%s: host %q, kernel %q", name, b.Host, b.Kernel)
		}
		kernels[kernel]++
	}
	if len(kernels) != 3 || usual < gaps*9/10 {
		t.Errorf("kernels %v, want three; %d of %d gaps are about ten seconds", kernels, usual, gaps)
	}
}

// The times are those of the monotonic clock, from the wall clock of the first moment on.
func TestOpenTimes(t *testing.T) {
	b, err := Open(capturePath("6.1/nfs-odd-paths-ipv6-v42-autofs-bind"))
	if err != nil {
		t.Fatal(err)
	}
	start := time.UnixMicro(1796030549762236).UTC()
	if !b.Moments[0].Time.Equal(start) {
		t.Errorf("first moment at %s, want %s", b.Moments[0].Time, start)
	}
	data, err := fs.ReadFile(trees(b)["t2"], clockName)
	if err != nil || !strings.Contains(string(data), `"monotonic"`) {
		t.Fatalf("clock of t2: %q, %v", data, err)
	}
	var found stamp
	if found, err = (Manifest{}).stamp("t2", mustNode(t, b, "t2")); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Moments[2].Time.Sub(start), found.monotonic-434433343*time.Microsecond; (got - want).Abs() > time.Microsecond {
		t.Errorf("t2 is %s after t0, want %s", got, want)
	}
}

func mustNode(t *testing.T, b *Bundle, moment string) *memfs.Node {
	t.Helper()
	tree, ok := trees(b)[moment].(memfs.FS)
	if !ok {
		t.Fatalf("no tree of %s", moment)
	}
	return tree.Root
}

// unpack writes an archive into a directory as tar would.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	source, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = source.Close() }()
	return unpackFrom(t, source)
}

func unpackFrom(t *testing.T, source io.Reader) string {
	t.Helper()
	dir := t.TempDir()
	for header, content := range members(t, source) {
		name := filepath.Join(dir, filepath.FromSlash(header.Name))
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		switch {
		case err != nil:
		case header.Typeflag == tar.TypeDir:
			err = os.MkdirAll(name, 0o755)
		case header.Typeflag == tar.TypeSymlink:
			err = os.Symlink(header.Linkname, name)
		default:
			err = os.WriteFile(name, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// An unpacked bundle gives the same trees as its archive.
func TestOpenDirectory(t *testing.T) {
	for _, scenario := range []string{"6.1/nfs-odd-paths-ipv6-v42-autofs-bind", "6.12/smb-two-shares-two-servers", "7.3/nfs-v41-seqread16-nconnect4"} {
		packed, err := Open(capturePath(scenario))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := Open(unpack(t, capturePath(scenario)))
		if err != nil {
			t.Fatal(err)
		}
		for name, tree := range trees(packed) {
			want := describe(t, tree)
			if diff := cmp.Diff(want, describe(t, trees(unpacked)[name])); diff != "" || len(want) < 100 {
				t.Errorf("%s %s: %d names (-archive +directory):\n%s", scenario, name, len(want), diff)
			}
		}
		if diff := cmp.Diff(packed.Moments, unpacked.Moments, cmp.Comparer(func(a, b fs.FS) bool { return true })); diff != "" {
			t.Errorf("%s (-archive +directory):\n%s", scenario, diff)
		}
	}
}

// What is kept for people is not read, however odd it is.
func TestOpenLeavesOtherFilesAlone(t *testing.T) {
	headers := append(small("t0", 1000, 1), file("t0/server/a/proc/stat", "x"), file("t0/cmd/ss.txt", "x"), file("README", "x"), file("t100/proc/stat", "x"))
	b, err := Open(save(t, pack(t, headers...)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{".": "/", "clock.json": `= {"clock":{"start":{"realtime":1000,"monotonic":1}}}`, "proc": "/", "proc/stat": "= cpu 1 2 3\n", "proc/version": "= Linux version 6.12.1 (a@b)\n"}
	if diff := cmp.Diff(want, describe(t, trees(b)["t0"])); diff != "" || len(b.Moments) != 1 {
		t.Errorf("%d moments (-want +got):\n%s", len(b.Moments), diff)
	}
}

func TestOpenManifest(t *testing.T) {
	manifest := `{"tool":"x","host":" na\u001b[31mme\n","kernel":"7.3.4","moments":[
		{"name":"t0","time":"2026-11-30T10:00:00Z","monotonic":1},{"name":"t1","time":"2026-11-30T10:00:10Z","monotonic":11.5}]}`
	headers := []tar.Header{file("bundle.json", manifest), file("t0/proc/stat", ""), file("./t1//proc/stat", "1"), file("t1/proc/stat", "2")}
	b, err := Open(save(t, pack(t, headers...)))
	if err != nil {
		t.Fatal(err)
	}
	if b.Host != "na[31mme" || b.Kernel != "7.3.4" || len(b.Notes) > 0 {
		t.Errorf("host %q, kernel %q, notes %q", b.Host, b.Kernel, b.Notes)
	}
	if gap := b.Moments[1].Time.Sub(b.Moments[0].Time); gap != 10500*time.Millisecond {
		t.Errorf("gap %s", gap)
	}
	if data, err := fs.ReadFile(b.Moments[1].Root.Procfs, "stat"); string(data) != "2" || err != nil {
		t.Errorf("the second of two members of one name is %q, error %v", data, err)
	}
}

func TestOpenHostOfTheRecording(t *testing.T) {
	headers := append(small("t0", 1000, 1), file("t0/proc/sys/kernel/hostname", "client-a\n"))
	b, err := Open(save(t, pack(t, headers...)))
	if err != nil || b.Host != "client-a" || b.Kernel != "6.12.1" {
		t.Errorf("host %q, kernel %q, error %v", b.Host, b.Kernel, err)
	}
}

func BenchmarkOpen(b *testing.B) {
	name := capturePath("6.1/nfs-120-mounts")
	for b.Loop() {
		if _, err := Open(name); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenAndReadAll(b *testing.B) {
	name := capturePath("6.1/nfs-120-mounts")
	files := 0
	for b.Loop() {
		recording, err := Open(name)
		if err != nil {
			b.Fatal(err)
		}
		files = 0
		for _, tree := range trees(recording) {
			files += len(describe(b, tree))
		}
	}
	b.ReportMetric(float64(files), "names")
}
