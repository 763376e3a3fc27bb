package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// openUnpacked reads an unpacked bundle into memory, by the same rules as an archive: what is examined then does not
// change under the examination, and a link or pipe in it has no effect.
func openUnpacked(dir string) (*contents, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	found := newContents()
	for _, entry := range entries {
		if !wanted(entry.Name()) {
			continue
		}
		visit := found.visit(root)
		if entry.IsDir() {
			err = fs.WalkDir(root.FS(), entry.Name(), visit)
		} else {
			err = visit(entry.Name(), entry, nil) // WalkDir would follow a link here
		}
		if err != nil {
			return nil, err
		}
	}
	if len(found.moments) > 0 {
		return found, nil
	}
	if err := found.addAnswers(root); err != nil {
		return nil, err
	}
	if len(found.moments) == 0 {
		return nil, noMoment(entries)
	}
	return found, nil
}

// noMoment says what a directory without moments holds instead, where that is a bundle.
func noMoment(entries []fs.DirEntry) error {
	for _, entry := range entries {
		if name := entry.Name(); entry.Type().IsRegular() && (strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")) {
			return fmt.Errorf("holds no moment (t0, t1, …) itself: the bundle is %.200q in it, give the path of that file", name)
		}
	}
	return errors.New("holds no moment (t0, t1, …) and no record of a Windows host: " + giveBundle)
}

func (c *contents) visit(root *os.Root) fs.WalkDirFunc {
	return func(name string, entry fs.DirEntry, err error) error {
		if !wanted(name) {
			if entry.IsDir() && (err != nil || path.Base(name) != printed) {
				return fs.SkipDir
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("member %.200q: %w", name, err)
		}
		if _, inner, _ := strings.Cut(name, "/"); isSocketText(inner) && !entry.Type().IsRegular() {
			return nil
		}
		m := member{name: name, dir: entry.IsDir()}
		switch {
		case m.dir:
		case entry.Type() == fs.ModeSymlink:
			m.target, err = root.Readlink(name)
		case entry.Type().IsRegular():
			m.data, err = c.read(root, name)
		default:
			err = fmt.Errorf("member %.200q is neither file, directory nor symbolic link (%s): refused", name, entry.Type())
		}
		if err != nil {
			return err
		}
		return c.add(m)
	}
}

// read reads one file. It does not wait for the other end of a pipe, should one have taken the file's place.
func (c *contents) read(root *os.Root, name string) ([]byte, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("member %.200q: %w", name, err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("member %.200q: %w", name, err)
	}
	if err := c.reserve(name, info.Size()); err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(file, data)
	if err != nil {
		return nil, fmt.Errorf("member %.200q: only %d of %d bytes: %w", name, n, len(data), err)
	}
	return data, nil
}
