package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nasight/nasight/internal/memfs"
)

// capturePath is the bundle of a recorded scenario, such as 6.1/nfs-v3-idle.
func capturePath(scenario string) string {
	return filepath.Join("..", "testdata", "captures", filepath.FromSlash(scenario), "moments.tar.gz")
}

// pack writes tar headers with their content as a tar.gz.
func pack(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for _, header := range headers {
		content := header.PAXRecords["content"]
		header.PAXRecords = nil
		if header.Typeflag == tar.TypeReg || header.Typeflag == 0 {
			header.Typeflag, header.Size = tar.TypeReg, int64(len(content))
		}
		if err := archive.WriteHeader(&header); err != nil {
			t.Fatalf("header %q: %v", header.Name, err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			t.Fatalf("content of %q: %v", header.Name, err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// file is the header of a file; pack takes the content from it.
func file(name, content string) tar.Header {
	return tar.Header{Name: name, Mode: 0o444, PAXRecords: map[string]string{"content": content}}
}

func link(name, target string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target, Mode: 0o777}
}

// clock is a moment's clock.json.
func clock(moment string, wall, monotonic float64) tar.Header {
	return file(moment+"/clock.json", fmt.Sprintf(`{"clock":{"start":{"realtime":%g,"monotonic":%g}}}`, wall, monotonic))
}

// small is a whole moment.
func small(moment string, wall, monotonic float64) []tar.Header {
	return []tar.Header{clock(moment, wall, monotonic), file(moment+"/proc/stat", "cpu 1 2 3\n"), file(moment+"/proc/version", "Linux version 6.12.1 (a@b)\n")}
}

// save writes a bundle into a file of its own.
func save(t testing.TB, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bundle.tar.gz")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// describe renders a tree: every name with its kind and content or target.
func describe(t testing.TB, tree fs.FS) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := fs.ReadLink(tree, name)
			found[path.Clean(name)] = "-> " + target
			return err
		case entry.IsDir():
			found[name] = "/"
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		found[name] = "= " + string(data)
		return err
	})
	if err != nil {
		t.Fatalf("walk: %v", err)
	}
	return found
}

// trees are a bundle's moments by name, whole.
func trees(b *Bundle) map[string]fs.FS {
	all := map[string]fs.FS{}
	for _, moment := range b.Moments {
		if proc, ok := moment.Root.Procfs.(memfs.FS); ok {
			all[moment.Name] = memfs.FS{Root: proc.Root}
		}
	}
	return all
}

// members reads an archive, dumb and without limits.
func members(t testing.TB, source io.Reader) iter.Seq2[*tar.Header, []byte] {
	t.Helper()
	unzipped, err := gzip.NewReader(source)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(unzipped)
	return func(yield func(*tar.Header, []byte) bool) {
		for {
			header, err := archive.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(header, content) {
				return
			}
		}
	}
}

// kinds lists what a directory holds, with the types.
func kinds(list []fs.DirEntry) string {
	var out strings.Builder
	for _, entry := range list {
		fmt.Fprintf(&out, "%s %s\n", entry.Name(), entry.Type())
	}
	return out.String()
}
