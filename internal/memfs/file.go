package memfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"time"
)

// dirEntry is a name with what it stands for. Recorded files have no times of their own.
type dirEntry struct {
	name string
	node *Node
}

func (e dirEntry) Name() string               { return e.name }
func (e dirEntry) Size() int64                { return int64(len(e.node.Data) + len(e.node.Target)) }
func (e dirEntry) Mode() fs.FileMode          { return e.node.Mode }
func (e dirEntry) Type() fs.FileMode          { return e.node.Mode.Type() }
func (e dirEntry) ModTime() time.Time         { return time.Time{} }
func (e dirEntry) IsDir() bool                { return e.node.Mode.IsDir() }
func (e dirEntry) Sys() any                   { return nil }
func (e dirEntry) Info() (fs.FileInfo, error) { return e, nil }
func (e dirEntry) String() string             { return fs.FormatDirEntry(e) }

// openFile is an open file.
type openFile struct {
	dirEntry
	*bytes.Reader
}

// OpenFile gives a file of a name and content, opened for reading.
func OpenFile(name string, data []byte) fs.File {
	return &openFile{dirEntry{path.Base(name), NewFile(data)}, bytes.NewReader(data)}
}

func (f *openFile) Size() int64                { return f.dirEntry.Size() }
func (f *openFile) Stat() (fs.FileInfo, error) { return f.dirEntry, nil }
func (f *openFile) Close() error               { return nil }

// openDirectory is an open directory; left is what was not listed yet.
type openDirectory struct {
	dirEntry
	path string
	left []fs.DirEntry
}

// OpenDirectory gives a directory of a name and entries, opened for reading.
func OpenDirectory(name string, entries []fs.DirEntry) fs.ReadDirFile {
	return &openDirectory{dirEntry: dirEntry{path.Base(name), NewDirectory()}, path: name, left: entries}
}

func (d *openDirectory) Stat() (fs.FileInfo, error) { return d.dirEntry, nil }
func (d *openDirectory) Close() error               { return nil }

func (d *openDirectory) Read([]byte) (int, error) {
	return 0, failure("read", d.path, errors.New("is a directory"))
}

// ReadDir lists the next count entries, or all that are left if count is not positive.
func (d *openDirectory) ReadDir(count int) ([]fs.DirEntry, error) {
	if count <= 0 {
		count = len(d.left)
	} else if len(d.left) == 0 {
		return nil, io.EOF
	}
	next := d.left[:min(count, len(d.left))]
	d.left = d.left[len(next):]
	return next, nil
}
