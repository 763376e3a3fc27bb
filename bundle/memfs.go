package bundle

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// node is a directory, a file or a symbolic link.
type node struct {
	mode     fs.FileMode
	children map[string]*node // of a directory, never nil there
	data     []byte           // of a file
	err      error            // why a file or directory could not be read when it was recorded
	target   string           // of a link
}

func newDirectory() *node {
	return &node{mode: fs.ModeDir | 0o555, children: map[string]*node{}}
}

func newFile(data []byte) *node { return &node{mode: 0o444, data: data} }

func newLink(target string) *node { return &node{mode: fs.ModeSymlink | 0o777, target: target} }

func (n *node) isLink() bool { return n.mode&fs.ModeSymlink != 0 }

// memFS is a tree in memory, seen from one of its directories. Symbolic links lead anywhere inside the tree, as they do
// between the directories of a recorded /sys, and nowhere outside it. It is read-only and safe for concurrent use.
//
// fstest.MapFS will not do: it goes through all of its files for every directory that is opened, and does not end on a
// link to itself.
type memFS struct {
	root *node
	base string
}

var (
	_ fs.ReadFileFS = memFS{}
	_ fs.ReadDirFS  = memFS{}
	_ fs.ReadLinkFS = memFS{}
	_ fs.StatFS     = memFS{}
	_ fs.SubFS      = memFS{}
)

const maxLinks = 40 // followed for one name, as in Linux

var errLoop = errors.New("too many levels of symbolic links")

// Open opens a file or a directory.
func (m memFS) Open(name string) (fs.File, error) {
	found, err := m.find(name, true)
	if err == nil {
		err = found.err
	}
	switch {
	case err != nil:
		return nil, failure("open", name, err)
	case found.mode.IsDir():
		return &openDirectory{dirEntry: dirEntry{path.Base(name), found}, path: name, left: found.entries()}, nil
	}
	return newOpenFile(name, found), nil
}

// ReadFile returns a copy of a file.
func (m memFS) ReadFile(name string) ([]byte, error) {
	found, err := m.find(name, true)
	switch {
	case err != nil:
	case found.err != nil:
		err = found.err
	case found.mode.IsDir():
		err = errors.New("is a directory")
	default:
		return append([]byte{}, found.data...), nil
	}
	return nil, failure("read", name, err)
}

// ReadDir lists a directory, sorted by name.
func (m memFS) ReadDir(name string) ([]fs.DirEntry, error) {
	found, err := m.find(name, true)
	switch {
	case err != nil:
	case found.err != nil:
		err = found.err
	case !found.mode.IsDir():
		err = errors.New("not a directory")
	default:
		return found.entries(), nil
	}
	return nil, failure("readdir", name, err)
}

// ReadLink returns the target of a link, whether or not there is anything.
func (m memFS) ReadLink(name string) (string, error) {
	found, err := m.find(name, false)
	if err == nil && !found.isLink() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return "", failure("readlink", name, err)
	}
	return found.target, nil
}

// Stat tells what a name leads to.
func (m memFS) Stat(name string) (fs.FileInfo, error) { return m.stat("stat", name, true) }

// Lstat tells what a name is: a link is not followed.
func (m memFS) Lstat(name string) (fs.FileInfo, error) { return m.stat("lstat", name, false) }

func (m memFS) stat(op, name string, follow bool) (fs.FileInfo, error) {
	found, err := m.find(name, follow)
	if err != nil {
		return nil, failure(op, name, err)
	}
	return dirEntry{path.Base(name), found}, nil
}

// Sub gives the same tree as seen from a directory. The directory does not have to be there.
func (m memFS) Sub(dir string) (fs.FS, error) {
	if !fs.ValidPath(dir) {
		return nil, failure("sub", dir, fs.ErrInvalid)
	}
	return memFS{root: m.root, base: path.Join(m.base, dir)}, nil
}

// find walks from the root to a name; follow says whether a link at its end is followed as those on the way are.
func (m memFS) find(name string, follow bool) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	trail := []*node{m.root}
	links := 0
	for rest := path.Join(m.base, name); rest != ""; {
		var first string
		first, rest, _ = strings.Cut(rest, "/")
		at := trail[len(trail)-1]
		switch {
		case at.children == nil:
			return nil, fs.ErrNotExist
		case first == "" || first == ".":
			continue
		case first == ".." && len(trail) == 1:
			return nil, fs.ErrNotExist
		case first == "..":
			trail = trail[:len(trail)-1]
			continue
		}
		next := at.children[first]
		if next == nil {
			return nil, fs.ErrNotExist
		}
		if !next.isLink() || rest == "" && !follow {
			trail = append(trail, next)
			continue
		}
		if links++; links > maxLinks {
			return nil, errLoop
		}
		rest = strings.TrimSuffix(next.target+"/"+rest, "/")
	}
	return trail[len(trail)-1], nil
}

func (n *node) entries() []fs.DirEntry {
	list := make([]fs.DirEntry, 0, len(n.children))
	for _, name := range slices.Sorted(maps.Keys(n.children)) {
		list = append(list, dirEntry{name, n.children[name]})
	}
	return list
}

func failure(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}
