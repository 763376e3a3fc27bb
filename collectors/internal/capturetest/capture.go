// Package capturetest serves the recorded captures below testdata/captures to tests: one moment as a collectors.Root,
// and a Sink that remembers what a collector put into it.
package capturetest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nasight/nasight/collectors"
)

// Host is the value of the host label of every captured moment.
const Host = "client"

// Moment opens one moment (t0, t1, t2) of a scenario, such as 6.1/nfs-v3-idle, as a collector sees it.
func Moment(t testing.TB, scenario, moment string) collectors.Root {
	t.Helper()
	files := Files(t, scenario, moment)
	return collectors.Root{
		Host:    Host,
		Procfs:  Subtree(files, "proc"),
		Sysfs:   Subtree(files, "sys"),
		Netlink: Subtree(files, "netlink"),
	}
}

// Files reads every file and symbolic link of one moment of a scenario: proc/, sys/, netlink/, cmd/ and clock.json.
func Files(t testing.TB, scenario, moment string) fstest.MapFS {
	t.Helper()
	name := filepath.Join(moduleRoot(t), "testdata", "captures", filepath.FromSlash(scenario), "moments.tar.gz")
	file, err := os.Open(name)
	if err != nil {
		t.Fatalf("open capture: %v", err)
	}
	defer func() { _ = file.Close() }()
	files, err := unpack(file, moment+"/")
	if err != nil {
		t.Fatalf("unpack %s of capture %s: %v", moment, scenario, err)
	}
	if len(files) == 0 {
		t.Fatalf("capture %s has no moment %s", scenario, moment)
	}
	return files
}

// Scenarios lists the recorded scenarios as KERNEL/NAME, sorted.
func Scenarios(t testing.TB) []string {
	t.Helper()
	root := filepath.Join(moduleRoot(t), "testdata", "captures")
	found, err := filepath.Glob(filepath.Join(root, "*", "*", "moments.tar.gz"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no captures below %s (error %v)", root, err)
	}
	scenarios := make([]string, 0, len(found))
	for _, name := range found {
		directory, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			t.Fatalf("path of capture: %v", err)
		}
		scenarios = append(scenarios, filepath.ToSlash(directory))
	}
	return scenarios
}

// Subtree cuts the files below a directory out of a tree. Symbolic links keep their relative targets, so links that
// lead out of the subtree dangle.
func Subtree(files fstest.MapFS, directory string) fstest.MapFS {
	subtree := fstest.MapFS{}
	for name, file := range files {
		if rest, ok := strings.CutPrefix(name, directory+"/"); ok {
			subtree[rest] = file
		}
	}
	return subtree
}

func unpack(archive io.Reader, prefix string) (fstest.MapFS, error) {
	plain, err := gzip.NewReader(archive)
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	files := fstest.MapFS{}
	for reader := tar.NewReader(plain); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("tar: %w", err)
		}
		name, ok := strings.CutPrefix(path.Clean(header.Name), prefix)
		if !ok {
			continue
		}
		if err := add(files, name, header, reader); err != nil {
			return nil, err
		}
	}
}

func add(files fstest.MapFS, name string, header *tar.Header, content io.Reader) error {
	switch header.Typeflag {
	case tar.TypeReg:
		data, err := io.ReadAll(content)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		files[name] = &fstest.MapFile{Data: data, Mode: 0o444}
	case tar.TypeSymlink:
		files[name] = &fstest.MapFile{Data: []byte(header.Linkname), Mode: fs.ModeSymlink | 0o777}
	case tar.TypeDir:
		files[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o555}
	}
	return nil
}

// moduleRoot finds the directory of go.mod above the package under test, which is a test's working directory.
func moduleRoot(t testing.TB) string {
	t.Helper()
	directory, err := os.Getwd()
	if err != nil {
		t.Fatalf("working directory: %v", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return directory
		}
		parent := filepath.Dir(directory)
		if parent == directory {
			t.Fatal("no go.mod above the working directory")
		}
		directory = parent
	}
}
