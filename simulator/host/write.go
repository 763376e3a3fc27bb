package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/nasight/nasight/internal/memfs"
)

// stage is where a file is written before it takes its place. A directory that has one is a host's.
const (
	stage  = ".stage"
	staged = stage + "/next"
)

// Write writes the machine's files below a directory, which is made if it does not exist: proc, sys, netlink and
// etc/modprobe.d, or windows, as in one moment of a recording. Each file is replaced as a whole, so that a program may
// read while the machine is written again, and files that the machine no longer has are removed. A directory that holds
// anything else is refused. Only one Write at a time may be on its way into a directory.
func (m *Machine) Write(dir string) (err error) {
	fail := func(err error) error { return fmt.Errorf("write host %s to %s: %w", m.Name, dir, err) }
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fail(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fail(err)
	}
	defer func() {
		if closeErr := root.Close(); err == nil && closeErr != nil {
			err = fail(closeErr)
		}
	}()
	w := writer{root}
	if err := w.claim(); err != nil {
		return fail(err)
	}
	if err := w.directory(".", m.files()); err != nil {
		return fail(err)
	}
	return nil
}

// writer makes a directory equal to a tree.
type writer struct{ root *os.Root }

// claim marks an empty directory as a host's. One that is not empty has to have the mark: what a host does not have is
// removed later.
func (w writer) claim() error {
	if _, err := w.root.Stat(stage); err == nil {
		// What a Write that was interrupted left must not be written through.
		if err := w.root.Remove(staged); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	entries, err := fs.ReadDir(w.root.FS(), ".")
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("holds %q and no host's files: give an empty directory", entries[0].Name())
	}
	return w.root.Mkdir(stage, 0o755)
}

// directory writes what a directory has and removes what it does not have.
func (w writer) directory(name string, node *memfs.Node) error {
	old, err := w.list(name)
	if err != nil {
		return err
	}
	for _, child := range slices.Sorted(maps.Keys(node.Children)) {
		if err := w.entry(path.Join(name, child), node.Children[child], old[child]); err != nil {
			return err
		}
		delete(old, child)
	}
	for gone := range old {
		if err := w.root.RemoveAll(path.Join(name, gone)); err != nil {
			return err
		}
	}
	return nil
}

// list tells what a directory holds, by name.
func (w writer) list(name string) (map[string]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.root.FS(), name)
	if err != nil {
		return nil, err
	}
	found := make(map[string]fs.DirEntry, len(entries))
	for _, entry := range entries {
		if entry.Name() != stage {
			found[entry.Name()] = entry
		}
	}
	return found, nil
}

// entry writes one name. What has the name and is of another kind goes first; nil is nothing.
func (w writer) entry(name string, node *memfs.Node, old fs.DirEntry) error {
	if old != nil && old.Type() != node.Mode.Type() {
		if err := w.root.RemoveAll(name); err != nil {
			return err
		}
		old = nil
	}
	switch {
	case node.Mode.IsDir():
		if old == nil {
			if err := w.root.Mkdir(name, 0o755); err != nil {
				return err
			}
		}
		return w.directory(name, node)
	case old != nil && w.same(name, node):
		return nil
	}
	return w.replace(name, node)
}

// same spares the writing of a file or link that is as it should be: most of a host's files never change.
func (w writer) same(name string, node *memfs.Node) bool {
	if node.Target != "" {
		target, err := w.root.Readlink(name)
		return err == nil && target == node.Target
	}
	data, err := w.root.ReadFile(name)
	return err == nil && bytes.Equal(data, node.Data)
}

// replace writes a file or link beside the others, where no one lists it, and moves it to its name. It need not survive
// a crash of the machine, so it is not synced.
func (w writer) replace(name string, node *memfs.Node) error {
	var err error
	if node.Target != "" {
		err = w.root.Symlink(node.Target, staged)
	} else {
		err = w.root.WriteFile(staged, node.Data, 0o644)
	}
	if err != nil {
		return err
	}
	return w.root.Rename(staged, name)
}
