package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nasight/nasight/internal/memfs"
)

// recorder is a file system that keeps a copy of whatever is read through it. What the collectors read is then exactly
// what the bundle holds, and a new collector needs no list of files here. It is safe for concurrent use.
//
// Files are kept where they really are, with the links that led there, so that the recording has the shape of the
// original. Links of a flat recorder, and those that lead out of the source, count as what they lead to.
type recorder struct {
	source fs.FS
	flat   bool

	mu     sync.Mutex
	files  map[string][]byte
	dirs   map[string]bool   // seen in listings, whether or not they were entered
	links  map[string]string // seen in listings or on the way to something
	plain  map[string]bool   // known to be no link
	failed map[string]error  // could not be read although they are there
}

func newRecorder(source fs.FS) *recorder {
	return &recorder{
		source: source,
		files:  map[string][]byte{}, dirs: map[string]bool{}, links: map[string]string{},
		plain: map[string]bool{}, failed: map[string]error{},
	}
}

// newFlatRecorder is for /proc, where links such as self and net lead to the reading process, whose number means
// nothing in a recording.
func newFlatRecorder(source fs.FS) *recorder {
	r := newRecorder(source)
	r.flat = true
	return r
}

var (
	_ fs.ReadFileFS = (*recorder)(nil)
	_ fs.ReadDirFS  = (*recorder)(nil)
	_ fs.ReadLinkFS = (*recorder)(nil)
	_ fs.StatFS     = (*recorder)(nil)
)

// ReadFile reads a file and keeps it; of several readings the last counts.
func (r *recorder) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(r.source, name)
	if err == nil && len(data) > maxMember {
		err = fmt.Errorf("%s: %d bytes, at most %d are recorded", name, len(data), maxMember)
	}
	if err != nil {
		r.fail(name, err, false)
		return nil, err
	}
	r.keep(name, data)
	return data, nil
}

func (r *recorder) keep(name string, data []byte) {
	at := r.real(name, true)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[at] = slices.Clone(data)
}

// fail keeps why something that is there could not be read or listed. That a directory is no file, and the other way
// round, is no failure.
func (r *recorder) fail(name string, err error, listing bool) {
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	at := r.real(name, true)
	info, statErr := fs.Stat(r.source, name)
	if statErr == nil && info.IsDir() != listing {
		if info.IsDir() {
			r.keepDir(at)
		}
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed[at] = err
}

// Open opens a file as the copy that is kept, and a directory as its listing.
func (r *recorder) Open(name string) (fs.File, error) {
	file, err := r.source.Open(name)
	if err != nil {
		r.fail(name, err, false)
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		entries, err := r.ReadDir(name)
		if err != nil {
			return nil, err
		}
		return memfs.OpenDirectory(name, entries), nil
	}
	data, err := io.ReadAll(io.LimitReader(file, maxMember+1))
	if err == nil && len(data) > maxMember {
		err = fmt.Errorf("%s: more than %d bytes, which is the most that is recorded", name, maxMember)
	}
	if err != nil {
		r.fail(name, err, false)
		return nil, err
	}
	r.keep(name, data)
	return memfs.OpenFile(name, data), nil
}

// ReadDir lists a directory and keeps the names of its sub-directories and its links: some are counted and never
// entered. Files that are listed and not read are not kept.
func (r *recorder) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(r.source, name)
	if err != nil {
		r.fail(name, err, true)
		return entries, err
	}
	at := r.real(name, true)
	for _, entry := range entries {
		inside := path.Join(at, entry.Name())
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			r.link(inside)
		case entry.IsDir():
			r.keepDir(inside)
		}
	}
	r.keepDir(at)
	return entries, nil
}

func (r *recorder) keepDir(at string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dirs[at] = true
}

// ReadLink reads a symbolic link and keeps it.
func (r *recorder) ReadLink(name string) (string, error) {
	target, err := fs.ReadLink(r.source, name)
	if err != nil {
		return "", err
	}
	at := r.real(name, false)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.links[at] = target
	return target, nil
}

// Stat tells what a name leads to, which is kept.
func (r *recorder) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(r.source, name)
	if err != nil {
		return nil, err
	}
	r.keepKind(name, info)
	return info, nil
}

// Lstat tells what a name is, which is kept.
func (r *recorder) Lstat(name string) (fs.FileInfo, error) {
	info, err := fs.Lstat(r.source, name)
	if err != nil {
		return nil, err
	}
	r.keepKind(name, info)
	return info, nil
}

// keepKind makes a replay say the same of a name. A file has to be kept with what is in it, or the recording would
// hold an empty one.
func (r *recorder) keepKind(name string, info fs.FileInfo) {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		_, _ = r.ReadLink(name)
	case info.IsDir():
		r.keepDir(r.real(name, true))
	default:
		_, _ = r.ReadFile(name)
	}
}

// real is the place that a name leads to. Links on the way are kept; the one at the end counts if follow is set.
func (r *recorder) real(name string, follow bool) string {
	if r.flat {
		return name
	}
	done, links := ".", 0
	for rest := name; rest != ""; {
		var first string
		first, rest, _ = strings.Cut(rest, "/")
		if first == "" {
			continue
		}
		at := path.Join(done, first)
		if first == ".." || rest == "" && !follow {
			done = at
			continue
		}
		target, ok := r.link(at)
		if !ok || links >= memfs.MaxLinks || leaves(done, target) {
			done = at
			continue
		}
		links++
		rest = strings.TrimSuffix(target+"/"+rest, "/")
	}
	return done
}

// link is the target of a link of the source, which is kept.
func (r *recorder) link(at string) (target string, ok bool) {
	r.mu.Lock()
	target, ok = r.links[at]
	known := ok || r.plain[at]
	r.mu.Unlock()
	if known {
		return target, ok
	}
	target, err := fs.ReadLink(r.source, at)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.plain[at] = true
		return "", false
	}
	r.links[at] = target
	return target, true
}
