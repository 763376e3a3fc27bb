package bundle

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"time"
)

// entry is a name with what it stands for. Recorded files have no times of their own.
type entry struct {
	name string
	*node
}

func (e entry) Name() string               { return e.name }
func (e entry) Size() int64                { return int64(len(e.data) + len(e.target)) }
func (e entry) Mode() fs.FileMode          { return e.mode }
func (e entry) Type() fs.FileMode          { return e.mode.Type() }
func (e entry) ModTime() time.Time         { return time.Time{} }
func (e entry) IsDir() bool                { return e.mode.IsDir() }
func (e entry) Sys() any                   { return nil }
func (e entry) Info() (fs.FileInfo, error) { return e, nil }
func (e entry) String() string             { return fs.FormatDirEntry(e) }

// openFile is an open file.
type openFile struct {
	entry
	*bytes.Reader
}

func newOpenFile(name string, file *node) *openFile {
	return &openFile{entry{path.Base(name), file}, bytes.NewReader(file.data)}
}

func (f *openFile) Size() int64                { return f.entry.Size() }
func (f *openFile) Stat() (fs.FileInfo, error) { return f.entry, nil }
func (f *openFile) Close() error               { return nil }

// openDirectory is an open directory; left is what was not listed yet.
type openDirectory struct {
	entry
	path string
	left []fs.DirEntry
}

func (d *openDirectory) Stat() (fs.FileInfo, error) { return d.entry, nil }
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
