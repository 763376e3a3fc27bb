package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/internal/memfs"
)

// refused opens a bundle that must fail, with one line that names the bundle and everything in want.
func refused(t *testing.T, name string, want ...string) {
	t.Helper()
	b, err := Open(name)
	if err == nil {
		t.Fatalf("opened, with %d moments and notes %q", len(b.Moments), b.Notes)
	}
	for _, part := range append(want, name) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\r\x00\x1b") {
		t.Errorf("error is more than one line of text: %q", err)
	}
}

func TestOpenRefusesArchives(t *testing.T) {
	whole := small("t0", 1000, 1)
	with := func(headers ...tar.Header) []byte { return pack(t, append(headers, whole...)...) }
	huge := strings.Repeat("n", 5000)
	cases := map[string]struct {
		data []byte
		want []string
	}{
		"empty file":              {nil, []string{"not a tar.gz", "empty", "give a bundle"}},
		"no gzip":                 {[]byte("nasight"), []string{"not a tar.gz", "give a bundle made by nasight capture"}},
		"no tar":                  {zipped(t, []byte(strings.Repeat("text ", 300))), []string{"not a complete tar.gz"}},
		"empty archive":           {pack(t), []string{"holds no moment"}},
		"no moment":               {pack(t, file("proc/stat", "cpu")), []string{"holds no moment"}},
		"path out":                {with(file("../t0/proc/stat", "x")), []string{"../t0/proc/stat", "leaves"}},
		"path out and back":       {with(file("t0/../t1/x", "x")), []string{"t0/../t1/x", "leaves"}},
		"absolute path":           {with(file("/etc/passwd", "x")), []string{"/etc/passwd", "leaves"}},
		"absolute link":           {with(link("t0/proc/self", "/etc")), []string{"t0/proc/self", "/etc", "outside"}},
		"link out":                {with(link("t0/proc/self", "../../../etc")), []string{"t0/proc/self", "outside"}},
		"link to another moment":  {with(link("t0/proc/self", "../../t1/proc")), []string{"t0/proc/self", "outside"}},
		"link to nothing":         {with(tar.Header{Name: "t0/proc/self", Typeflag: tar.TypeSymlink}), []string{"t0/proc/self", "refused"}},
		"moment is a link":        {with(link("t1", "t0")), []string{"t1", "refused"}},
		"moment is a file":        {with(file("t1", "x")), []string{"t1", "no directory"}},
		"hard link":               {with(tar.Header{Name: "t0/proc/x", Typeflag: tar.TypeLink, Linkname: "t0/proc/stat"}), []string{"t0/proc/x", "neither"}},
		"device":                  {with(tar.Header{Name: "t0/proc/x", Typeflag: tar.TypeBlock}), []string{"t0/proc/x", "neither"}},
		"terminal":                {with(tar.Header{Name: "t0/proc/x", Typeflag: tar.TypeChar}), []string{"t0/proc/x", "neither"}},
		"pipe":                    {with(tar.Header{Name: "t0/proc/x", Typeflag: tar.TypeFifo}), []string{"t0/proc/x", "neither"}},
		"long name":               {with(file("t0/proc/"+huge, "x")), []string{"5008 bytes"}},
		"long target":             {with(link("t0/proc/x", huge)), []string{"t0/proc/x", "refused"}},
		"name with a newline":     {with(file("t0/proc/a\nb", "x")), []string{`t0/proc/a\nb`, "no text"}},
		"name with an escape":     {with(file("t0/proc/a\x1b[2J", "x")), []string{`\x1b[2J`, "no text"}},
		"name in another charset": {with(tar.Header{Name: "t0/proc/\xff", Format: tar.FormatGNU, Typeflag: tar.TypeReg}), []string{`\xff`, "no text"}},
		"through a link":          {with(link("t0/sys/a", "b"), file("t0/sys/a/c", "x")), []string{"t0/sys/a/c", "leads through"}},
		"through a file":          {with(file("t0/sys/a", "x"), file("t0/sys/a/c", "x")), []string{"t0/sys/a/c", "leads through"}},
		"directory into file":     {with(file("t0/sys/a/c", "x"), file("t0/sys/a", "x")), []string{"t0/sys/a", "replaces"}},
		"manifest is a link":      {with(link("bundle.json", "t0/clock.json")), []string{"bundle.json", "no file"}},
		"manifest is broken":      {with(file("bundle.json", "{")), []string{"bundle.json"}},
		"manifest is a list":      {with(file("bundle.json", "[]")), []string{"bundle.json"}},
		"manifest is large":       {with(file("bundle.json", strings.Repeat(" ", maxJSON+1))), []string{"bundle.json", "bytes"}},
		"manifest repeats":        {with(file("bundle.json", `{"moments":[{"name":"t0"},{"name":"t0"}]}`)), []string{"bundle.json", "t0", "twice"}},
		"manifest of many":        {with(file("bundle.json", `{"moments":[`+strings.Repeat(`{"name":"t0"},`, 100)+`{}]}`)), []string{"bundle.json", "101"}},
		"no time":                 {pack(t, file("t0/proc/stat", "x")), []string{"t0", "no time", "clock.json"}},
		"broken time":             {pack(t, file("t0/proc/stat", "x"), file("t0/clock.json", "{")), []string{"t0/clock.json"}},
		"only an empty moment":    {pack(t, tar.Header{Name: "t0/", Typeflag: tar.TypeDir}), []string{"no moment holds files of /proc"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { refused(t, save(t, c.data), c.want...) })
	}
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func unzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// A name with a NUL reaches the reader by an extended header only.
func TestOpenRefusesNUL(t *testing.T) {
	plain := unzipped(t, pack(t, append(small("t0", 1000, 1), file("t0/proc/ä", "x"))...))
	if !bytes.Contains(plain, []byte("path=t0/proc/ä\n")) {
		t.Fatal("the archive has no extended header")
	}
	plain = bytes.Replace(plain, []byte("path=t0/proc/ä\n"), []byte("path=t0/proc\x00xx\n"), 1)
	refused(t, save(t, zipped(t, plain)), "tar")
}

// A bundle that breaks off is refused wherever it does, packed or not, and so is one with a wrong bit.
func TestOpenRefusesCutArchives(t *testing.T) {
	data, err := os.ReadFile(capturePath("6.1/nfs-v3-idle"))
	if err != nil {
		t.Fatal(err)
	}
	for size := 512; size < len(data); size += 512 {
		if _, err := readArchive(bytes.NewReader(data[:size])); err == nil || !strings.Contains(err.Error(), "not a complete tar.gz") {
			t.Errorf("cut at %d of %d: error %v", size, len(data), err)
		}
	}
	packed := pack(t, append(small("t0", 1000, 1), small("t1", 1010, 11)...)...)
	plain := unzipped(t, packed)
	for size := 0; size < len(plain)-1024; size += 512 {
		if _, err := readArchive(bytes.NewReader(zipped(t, plain[:size]))); err == nil || !strings.Contains(err.Error(), "not a complete tar.gz") {
			t.Errorf("unpacked archive cut at %d of %d: error %v", size, len(plain), err)
		}
	}
	packed[len(packed)-6] ^= 1
	refused(t, save(t, packed), "checksum", "t1/proc/version")
}

// endless writes a header that promises more than there is.
func endless(t *testing.T, name string, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if err := tar.NewWriter(zip).WriteHeader(&tar.Header{Name: name, Size: size, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestOpenRefusesLargeMember(t *testing.T) {
	refused(t, save(t, endless(t, "t0/proc/stat", 10<<30)), "t0/proc/stat", "10737418240 bytes", "refused")
	refused(t, save(t, endless(t, "other", 10<<30)), "other", "10737418240 bytes", "refused")
}

// unending is an unpacked archive of count members of a size, all of one name, that takes no memory.
func unending(t *testing.T, count int, size int64, name string) *stream {
	t.Helper()
	var header bytes.Buffer
	if err := tar.NewWriter(&header).WriteHeader(&tar.Header{Name: name, Size: size, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	parts := make([]io.Reader, 0, 2*count)
	for range count {
		parts = append(parts, bytes.NewReader(header.Bytes()), io.LimitReader(zeros{}, size))
	}
	return &stream{source: io.MultiReader(parts...)}
}

// allocated runs f and tells how many bytes it allocated.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestReadRefusesBomb(t *testing.T) {
	for name, limit := range map[string]uint64{"t0/proc/stat": maxTotal + maxMember, "t0/server/a": 1 << 20} {
		var err error
		archive := unending(t, 9, 32<<20, name)
		if bytes := allocated(func() { _, err = readMembers(archive) }); bytes > limit {
			t.Errorf("%s: %d bytes allocated", name, bytes)
		}
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "unpacks to more than 268435456 bytes: refused") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

const manyMembers = "the bundle has more than 200000 members: refused"

func TestReadRefusesManyMembers(t *testing.T) {
	if _, err := readMembers(unending(t, 300_000, 0, "t0/cmd/ss")); err == nil || !strings.Contains(err.Error(), manyMembers) {
		t.Errorf("error %v", err)
	}
}

// Directories count that only the names of other members tell of.
func TestContentsRefuseManyMembers(t *testing.T) {
	for kind, deep := range map[string]int{"flat": 1, "deep": 100} {
		c := newContents()
		var err error
		added := 0
		for ; added < 300_000/deep && err == nil; added++ {
			err = c.add(member{name: fmt.Sprintf("t0/proc/%d%s", added, strings.Repeat("/d", deep-1))})
		}
		if err == nil || !strings.Contains(err.Error(), manyMembers) || added < maxMembers/deep {
			t.Errorf("%s: error %v after %d members", kind, err, added)
		}
	}
}

// The stream's own limit stops what the tar format hides from the members' limits.
func TestOpenRefusesEndlessStream(t *testing.T) {
	source := &stream{source: zeros{}, count: maxStream}
	buffer := make([]byte, 4096)
	if _, err := source.Read(buffer); err != nil {
		t.Fatalf("at the limit: %v", err)
	}
	if _, err := source.Read(buffer); err == nil {
		t.Error("no error beyond the limit")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A loop of links is read like any other link; only following it fails.
func TestOpenLinkLoop(t *testing.T) {
	headers := append(small("t0", 1000, 1), link("t0/sys/a", "b"), link("t0/sys/b", "a"), link("t0/sys/self", "self/self"), link("t0/sys/dangling", "../nowhere/driver"))
	b, err := Open(save(t, pack(t, headers...)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "a/x", "self", "self/self"} {
		if _, err := fs.ReadFile(b.Moments[0].Root.Sysfs, name); !errors.Is(err, memfs.ErrLoop) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if target, err := fs.ReadLink(b.Moments[0].Root.Sysfs, "dangling"); target != "../nowhere/driver" || err != nil {
		t.Errorf("target %q, error %v", target, err)
	}
	if _, err := fs.Stat(b.Moments[0].Root.Sysfs, "dangling"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dangling link: error %v", err)
	}
}

// An unpacked bundle is held to the same rules as an archive.
func TestOpenRefusesDirectories(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		change func(dir string) error
		want   string
	}{
		"empty":         {func(dir string) error { return os.RemoveAll(filepath.Join(dir, "t0")) }, "holds no moment"},
		"absolute link": {func(dir string) error { return os.Symlink(outside, filepath.Join(dir, "t0/proc/x")) }, "outside its moment"},
		"link out":      {func(dir string) error { return os.Symlink("../../..", filepath.Join(dir, "t0/proc/x")) }, "outside its moment"},
		"moment link":   {func(dir string) error { return os.Symlink("t0", filepath.Join(dir, "t1")) }, "refused"},
		"large file":    {func(dir string) error { return os.Truncate(filepath.Join(dir, "t0/proc/stat"), 10<<30) }, "10737418240 bytes"},
		"odd name":      {func(dir string) error { return os.WriteFile(filepath.Join(dir, "t0/proc/a\nb"), nil, 0o600) }, "no text"},
		"manifest link": {func(dir string) error { return os.Symlink(outside, filepath.Join(dir, "bundle.json")) }, "no file"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := unpackFrom(t, bytes.NewReader(pack(t, small("t0", 1000, 1)...)))
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			refused(t, dir, c.want)
		})
	}
}

func TestOpenAbsent(t *testing.T) {
	refused(t, filepath.Join(t.TempDir(), "absent.tar.gz"), "no such file")
}

// What could not be read when the bundle was made cannot be read from it either, and for the same reason.
func TestOpenRestoresErrors(t *testing.T) {
	failed := `{"/proc/1/mountstats":"permission: open","/sys/class/net/eth0/speed":"other: invalid argument","collector nfs":"permission",
		"/proc/stat":"permission","/../../etc/passwd":"permission","/proc/stat/x":"other"}`
	b, err := Open(save(t, pack(t, append(small("t0", 1000, 1), file("t0/errors.json", failed))...)))
	if err != nil {
		t.Fatal(err)
	}
	root := b.Moments[0].Root
	if _, err := fs.ReadFile(root.Procfs, "1/mountstats"); collectors.ReasonOf(err) != collectors.ReasonPermission {
		t.Errorf("mountstats: error %v", err)
	}
	if _, err := root.Procfs.Open("1/mountstats"); collectors.ReasonOf(err) != collectors.ReasonPermission {
		t.Errorf("open mountstats: error %v", err)
	}
	if _, err := fs.ReadFile(root.Sysfs, "class/net/eth0/speed"); collectors.ReasonOf(err) != collectors.ReasonOther {
		t.Errorf("speed: error %v", err)
	}
	if data, err := fs.ReadFile(root.Procfs, "stat"); err != nil || len(data) == 0 {
		t.Errorf("a file that is there after all: %q, error %v", data, err)
	}
	if len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "t0/proc/stat/x") {
		t.Errorf("notes %q", b.Notes)
	}
	b, err = Open(save(t, pack(t, append(small("t0", 1000, 1), file("t0/errors.json", "["))...)))
	if err != nil || len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "t0/errors.json") {
		t.Errorf("broken errors.json: error %v, bundle %v", err, b)
	}
}
