package windows

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

var (
	errLarge   = fmt.Errorf("larger than %d bytes", maxFile)
	errNotFile = errors.New("no regular file")
)

// disk is a directory that anybody may have written into: what is no regular file is not waited for, and what is large is
// not read.
type disk struct{ root *os.Root }

var _ fs.ReadFileFS = disk{}

// Open does not wait for the other end of a pipe.
func (d disk) Open(name string) (fs.File, error) {
	return d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// ReadFile looks at what was opened before it reads, and reads no more than a file may have, should it grow meanwhile.
func (d disk) ReadFile(name string) ([]byte, error) {
	file, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: name, Err: errNotFile}
	case info.Size() > maxFile:
		return nil, &fs.PathError{Op: "read", Path: name, Err: errLarge}
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errLarge}
	}
	return data, err
}
