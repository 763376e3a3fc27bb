// Package winfs shows what Windows answers as a directory of JSON files, one question each: reading a file asks. The
// files are those that a recording of a Windows host has, with the properties that the cmdlets of PowerShell print, so
// that whoever reads them need not know which of the two it reads.
package winfs

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// Files are the files of a directory by name, each with the function that makes its content.
type Files map[string]func() ([]byte, error)

var (
	_ fs.ReadFileFS = Files(nil)
	_ fs.ReadDirFS  = Files(nil)
)

// ReadFile asks the question of a file.
func (f Files) ReadFile(name string) ([]byte, error) {
	ask, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	data, err := ask()
	if err != nil {
		return nil, fmt.Errorf("ask Windows for %s: %w", name, err)
	}
	return data, nil
}

// ReadDir lists the files without asking anything.
func (f Files) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	entries := make([]fs.DirEntry, 0, len(f))
	for _, file := range slices.Sorted(maps.Keys(f)) {
		entries = append(entries, fs.FileInfoToDirEntry(info{name: file}))
	}
	return entries, nil
}

// Open opens a file as its answer. The directory itself can only be listed.
func (f Files) Open(name string) (fs.File, error) {
	if name == "." {
		return &file{info: info{name: name, dir: true}, Reader: bytes.NewReader(nil)}, nil
	}
	data, err := f.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &file{info: info{name: name, size: int64(len(data))}, Reader: bytes.NewReader(data)}, nil
}

type file struct {
	io.Reader
	info info
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

type info struct {
	name string
	size int64
	dir  bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
