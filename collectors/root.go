package collectors

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nasight/nasight/collectors/internal/winfs"
)

// Paths say where the sources of one host are.
type Paths struct {
	Procfs   string // required
	Sysfs    string // required
	Modprobe string // "" for none; one that does not exist is none
	Netlink  string // directory of recorded socket-diagnosis replies, or "" to ask this machine's kernel
}

// OpenRoot opens the sources of a host. The returned function closes them; call it once nothing reads any more.
//
// Symbolic links stay inside each directory, as it may come from elsewhere. A file system that the kernel itself makes
// is read without that check, which would double the cost of every file.
//
// A procfs that is mounted elsewhere, as in a container, is told by its process 1. There "self" is the container's
// own view of mounts and network, so self/ and net/ are read from 1/.
//
// A recorded procfs has no process 1. Without a directory of recorded replies the sessions of such a host are unknown;
// this machine's kernel is not asked for them.
func OpenRoot(name string, paths Paths) (Root, func() error, error) {
	if live := winfs.Live(); live != nil && paths.Procfs == liveProcfs {
		return Root{Host: name, Procfs: noFiles{}, Sysfs: noFiles{}, Netlink: noFiles{}, Windows: live}, func() error { return nil }, nil
	}
	o := opener{}
	root := Root{
		Host:    name,
		Procfs:  o.open("procfs", paths.Procfs),
		Sysfs:   o.open("sysfs", paths.Sysfs),
		Modules: o.optional("modprobe", paths.Modprobe),
	}
	if paths.Netlink != "" {
		root.Netlink = o.open("netlink", paths.Netlink)
	}
	if o.err != nil {
		return Root{}, nil, fmt.Errorf("host %s: %w", name, errors.Join(o.err, o.close()))
	}
	if filepath.Clean(paths.Procfs) == liveProcfs {
		return root, o.close, nil
	}
	if _, err := fs.Stat(root.Procfs, "1/mountinfo"); err == nil {
		root.Procfs = hostView{root.Procfs}
	} else if root.Netlink == nil {
		root.Netlink = noFiles{}
	}
	return root, o.close, nil
}

const liveProcfs = "/proc"

// opener opens directories until one fails.
type opener struct {
	roots []*os.Root
	err   error
}

func (o *opener) open(what, path string) fs.FS {
	if o.err != nil {
		return nil
	}
	if madeByKernel(path) {
		return os.DirFS(path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		o.err = fmt.Errorf("open %s directory: %w", what, err)
		return nil
	}
	o.roots = append(o.roots, root)
	return root.FS()
}

func (o *opener) optional(what, path string) fs.FS {
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return o.open(what, path)
}

func (o *opener) close() error {
	errs := make([]error, 0, len(o.roots))
	for _, root := range o.roots {
		errs = append(errs, root.Close())
	}
	return errors.Join(errs...)
}

// hostView reads the files of the process and of the network from process 1.
type hostView struct{ fs.FS }

func (h hostView) Open(name string) (fs.File, error) { return h.FS.Open(asInit(name)) }

func (h hostView) ReadFile(name string) ([]byte, error) { return fs.ReadFile(h.FS, asInit(name)) }

func (h hostView) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(h.FS, asInit(name)) }

func (h hostView) Stat(name string) (fs.FileInfo, error) { return fs.Stat(h.FS, asInit(name)) }

func asInit(name string) string {
	first, rest, nested := strings.Cut(name, "/")
	switch {
	case first == "self" && nested:
		return "1/" + rest
	case first == "self", first == "mounts" && !nested:
		return "1" + strings.TrimPrefix("/"+name, "/self")
	case first == "net":
		return "1/" + name
	}
	return name
}

// noFiles is an empty directory.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
