// Package memfs holds a tree of files in memory, with the symbolic links of a /sys: the moment of a recording, or what a
// simulated host says of itself.
package memfs

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Node is a directory, a file or a symbolic link. A tree of them may be changed until an FS of it is in use.
type Node struct {
	Mode     fs.FileMode
	Children map[string]*Node // of a directory, never nil there
	Data     []byte           // of a file
	Err      error            // why a file or directory cannot be read; nil for none
	Target   string           // of a link
}

// NewDirectory makes an empty directory.
func NewDirectory() *Node {
	return &Node{Mode: fs.ModeDir | 0o555, Children: map[string]*Node{}}
}

// NewFile makes a file. It keeps data without a copy.
func NewFile(data []byte) *Node { return &Node{Mode: 0o444, Data: data} }

// NewLink makes a symbolic link, whether or not there is anything at its target.
func NewLink(target string) *Node { return &Node{Mode: fs.ModeSymlink | 0o777, Target: target} }

// Put adds a node below a directory under a slash-separated name, and the directories on the way to it. It replaces what
// has the name, and a file or link that stands in the place of a directory on the way.
func (n *Node) Put(name string, leaf *Node) {
	for first, rest, deeper := strings.Cut(name, "/"); ; first, rest, deeper = strings.Cut(rest, "/") {
		if !deeper {
			n.Children[first] = leaf
			return
		}
		next := n.Children[first]
		if next == nil || !next.Mode.IsDir() {
			next = NewDirectory()
			n.Children[first] = next
		}
		n = next
	}
}

func (n *Node) isLink() bool { return n.Mode&fs.ModeSymlink != 0 }

// FS is a tree in memory, seen from one of its directories. Symbolic links lead anywhere inside the tree, as they do
// between the directories of a recorded /sys, and nowhere outside it. It is read-only and safe for concurrent use.
//
// fstest.MapFS will not do: it goes through all of its files for every directory that is opened, and does not end on a
// link to itself.
type FS struct {
	Root *Node  // where every link starts from and stays in
	Base string // the directory that is seen; empty for the root
}

var (
	_ fs.ReadFileFS = FS{}
	_ fs.ReadDirFS  = FS{}
	_ fs.ReadLinkFS = FS{}
	_ fs.StatFS     = FS{}
	_ fs.SubFS      = FS{}
)

// MaxLinks is how many links are followed for one name, as in Linux.
const MaxLinks = 40

// ErrLoop says that a name leads through too many links, as one to itself does.
var ErrLoop = errors.New("too many levels of symbolic links")

// Open opens a file or a directory.
func (m FS) Open(name string) (fs.File, error) {
	found, err := m.find(name, true)
	if err == nil {
		err = found.Err
	}
	switch {
	case err != nil:
		return nil, failure("open", name, err)
	case found.Mode.IsDir():
		return OpenDirectory(name, found.entries()), nil
	}
	return OpenFile(name, found.Data), nil
}

// ReadFile returns a copy of a file.
func (m FS) ReadFile(name string) ([]byte, error) {
	found, err := m.find(name, true)
	switch {
	case err != nil:
	case found.Err != nil:
		err = found.Err
	case found.Mode.IsDir():
		err = errors.New("is a directory")
	default:
		return append([]byte{}, found.Data...), nil
	}
	return nil, failure("read", name, err)
}

// ReadDir lists a directory, sorted by name.
func (m FS) ReadDir(name string) ([]fs.DirEntry, error) {
	found, err := m.find(name, true)
	switch {
	case err != nil:
	case found.Err != nil:
		err = found.Err
	case !found.Mode.IsDir():
		err = errors.New("not a directory")
	default:
		return found.entries(), nil
	}
	return nil, failure("readdir", name, err)
}

// ReadLink returns the target of a link, whether or not there is anything.
func (m FS) ReadLink(name string) (string, error) {
	found, err := m.find(name, false)
	if err == nil && !found.isLink() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return "", failure("readlink", name, err)
	}
	return found.Target, nil
}

// Stat tells what a name leads to.
func (m FS) Stat(name string) (fs.FileInfo, error) { return m.stat("stat", name, true) }

// Lstat tells what a name is: a link is not followed.
func (m FS) Lstat(name string) (fs.FileInfo, error) { return m.stat("lstat", name, false) }

func (m FS) stat(op, name string, follow bool) (fs.FileInfo, error) {
	found, err := m.find(name, follow)
	if err != nil {
		return nil, failure(op, name, err)
	}
	return dirEntry{path.Base(name), found}, nil
}

// Sub gives the same tree as seen from a directory. The directory does not have to be there.
func (m FS) Sub(dir string) (fs.FS, error) {
	if !fs.ValidPath(dir) {
		return nil, failure("sub", dir, fs.ErrInvalid)
	}
	return FS{Root: m.Root, Base: path.Join(m.Base, dir)}, nil
}

// find walks from the root to a name; follow says whether a link at its end is followed as those on the way are.
func (m FS) find(name string, follow bool) (*Node, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	trail := []*Node{m.Root}
	links := 0
	for rest := path.Join(m.Base, name); rest != ""; {
		var first string
		first, rest, _ = strings.Cut(rest, "/")
		at := trail[len(trail)-1]
		switch {
		case at.Children == nil:
			return nil, fs.ErrNotExist
		case first == "" || first == ".":
			continue
		case first == ".." && len(trail) == 1:
			return nil, fs.ErrNotExist
		case first == "..":
			trail = trail[:len(trail)-1]
			continue
		}
		next := at.Children[first]
		if next == nil {
			return nil, fs.ErrNotExist
		}
		if !next.isLink() || rest == "" && !follow {
			trail = append(trail, next)
			continue
		}
		if links++; links > MaxLinks {
			return nil, ErrLoop
		}
		rest = strings.TrimSuffix(next.Target+"/"+rest, "/")
	}
	return trail[len(trail)-1], nil
}

func (n *Node) entries() []fs.DirEntry {
	list := make([]fs.DirEntry, 0, len(n.Children))
	for _, name := range slices.Sorted(maps.Keys(n.Children)) {
		list = append(list, dirEntry{name, n.Children[name]})
	}
	return list
}

func failure(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}
