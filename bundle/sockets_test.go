package bundle

import (
	"archive/tar"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/tcp"
	"github.com/nasight/nasight/schema"
)

// openBoth opens a bundle as an archive and unpacked, and hands each to a check.
func openBoth(t *testing.T, headers []tar.Header, check func(t *testing.T, b *Bundle)) {
	t.Helper()
	archive := save(t, pack(t, headers...))
	for kind, name := range map[string]string{"archive": archive, "directory": unpack(t, archive)} {
		t.Run(kind, func(t *testing.T) {
			b, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			check(t, b)
		})
	}
}

func TestOpenSocketTexts(t *testing.T) {
	const noted = `TCP sessions of ["t0"] come from the text of ss`
	for name, test := range map[string]struct {
		files   []tar.Header
		netlink map[string]string // "" for no directory
		note    bool
	}{
		"none":             {[]tar.Header{file("t0/cmd/ss.txt", "x"), file("t0/cmd/old/ss_tin.txt", "x")}, nil, false},
		"two-line form":    {[]tar.Header{file("t0/cmd/ss_tin.txt", "two")}, map[string]string{"ss.txt": "= two"}, true},
		"one-line form":    {[]tar.Header{file("t0/cmd/ss_tinmO.txt", "one")}, map[string]string{"ss.txt": "= one"}, true},
		"both":             {[]tar.Header{file("t0/cmd/ss_tin.txt", "two"), file("t0/cmd/ss_tinmO.txt", "one")}, map[string]string{"ss.txt": "= one"}, true},
		"beside the reply": {[]tar.Header{file("t0/cmd/ss_tin.txt", "two"), file("t0/netlink/sock_diag_tcp4.bin", "reply")}, map[string]string{"sock_diag_tcp4.bin": "= reply"}, false},
		"in its place":     {[]tar.Header{file("t0/netlink/ss.txt", "given")}, map[string]string{"ss.txt": "= given"}, true},
		"both in place":    {[]tar.Header{file("t0/netlink/ss.txt", "given"), file("t0/netlink/sock_diag_tcp4.bin", "reply")}, map[string]string{"sock_diag_tcp4.bin": "= reply", "ss.txt": "= given"}, false},
		"a directory":      {[]tar.Header{file("t0/cmd/ss_tin.txt/x", "x")}, nil, false},
		"links":            {[]tar.Header{link("t0/cmd/ss_tin.txt", "../proc/stat"), link("t0/cmd/ss_tinmO.txt", "../../../../etc/passwd")}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			openBoth(t, append(small("t0", 1000, 1), test.files...), func(t *testing.T, b *Bundle) {
				tree := describe(t, trees(b)["t0"])
				got := map[string]string{}
				for name, text := range tree {
					if file, ok := strings.CutPrefix(name, "netlink/"); ok {
						got[file] = text
					}
					if strings.HasPrefix(name, "cmd") {
						t.Errorf("%s is left", name)
					}
				}
				if diff := cmp.Diff(test.netlink, got); diff != "" && len(test.netlink)+len(got) > 0 {
					t.Errorf("netlink (-want +got):\n%s", diff)
				}
				if hasNote := strings.Contains(strings.Join(b.Notes, "\n"), noted); hasNote != test.note {
					t.Errorf("notes %q", b.Notes)
				}
			})
		})
	}
}

// The directory of what commands printed may be unreadable, or be something else, as nothing in it is needed.
func TestOpenOddDirectoryOfTexts(t *testing.T) {
	dir := unpack(t, save(t, pack(t, small("t0", 1000, 1)...)))
	if err := os.Symlink("/", filepath.Join(dir, "t0", printed)); err != nil {
		t.Fatal(err)
	}
	b, err := Open(dir)
	if err != nil || len(b.Notes) > 0 {
		t.Fatalf("notes %v, error %v", b, err)
	}
	if _, err := fs.Stat(trees(b)["t0"], printed); err == nil {
		t.Errorf("the link %s was taken in", printed)
	}
}

// A reply that could not be read when the bundle was made is an error, not a reason to believe the text.
func TestOpenTextBesideUnreadableReply(t *testing.T) {
	headers := append(small("t0", 1000, 1), file("t0/cmd/ss_tin.txt", "text"),
		file("t0/errors.json", `{"/netlink/sock_diag_tcp4.bin":"permission: refused"}`))
	openBoth(t, headers, func(t *testing.T, b *Bundle) {
		_, err := fs.ReadFile(b.Moments[0].Root.Netlink, tcp.IPv4.File())
		if collectors.ReasonOf(err) != collectors.ReasonPermission || len(b.Notes) > 0 {
			t.Errorf("error %v, notes %q", err, b.Notes)
		}
	})
}

// A capture without its replies tells of the same endpoints, with the same number of sessions.
func TestOpenCaptureWithoutReplies(t *testing.T) {
	source := capturePath("6.1/nfs-v3-seqread16-nconnect4")
	whole, err := Open(source)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	var kept []tar.Header
	for header, content := range members(t, archive) {
		if header.Typeflag == tar.TypeReg && path.Base(path.Dir(header.Name)) != replies {
			kept = append(kept, file(header.Name, string(content)))
		}
	}
	openBoth(t, kept, func(t *testing.T, b *Bundle) {
		if len(b.Notes) != 1 || !strings.Contains(b.Notes[0], `["t0" "t1" "t2"]`) {
			t.Errorf("notes %q", b.Notes)
		}
		for i, moment := range b.Moments {
			want := sessionCounts(t, whole.Moments[i].Root)
			if diff := cmp.Diff(want, sessionCounts(t, moment.Root)); diff != "" || len(want) == 0 {
				t.Errorf("%s: endpoints (-replies +text):\n%s", moment.Name, diff)
			}
		}
	})
}

// sessionCounts are the sessions by endpoint.
func sessionCounts(t *testing.T, root collectors.Root) map[string]float64 {
	t.Helper()
	c, err := tcp.New(root, collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	result := collectors.Once(t.Context(), c, time.Unix(1000, 0))
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	counts := map[string]float64{}
	for _, sample := range result.Samples {
		if sample.Family == schema.EndpointSessions {
			counts[strings.Join(sample.Labels, " ")] = sample.Value
		}
	}
	return counts
}
