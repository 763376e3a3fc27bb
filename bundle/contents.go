package bundle

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nasight/nasight/internal/memfs"
)

// The limits of a bundle: a recording of a thousand mounts stays far below them, a hostile one stops at them.
const (
	maxMoments = 100
	maxMember  = 64 << 20  // bytes of one file
	maxTotal   = 256 << 20 // bytes of all files
	maxMembers = 200_000   // files, links and directories
	maxName    = 1024      // bytes of a name or of a link's target
)

const (
	manifestName = "bundle.json"
	clockName    = "clock.json"
	errorsName   = "errors.json"
)

// member is one file, link or directory of a bundle.
type member struct {
	name   string
	data   []byte
	target string // of a link
	dir    bool
}

func (m member) isFile() bool { return !m.dir && m.target == "" }

// contents is a bundle in memory: what an archive and a directory are read into, within the limits.
type contents struct {
	manifest []byte // nil for none
	moments  map[string]*memfs.Node
	count    int // members, and directories that only the names of others tell of
	total    int64
}

func newContents() *contents { return &contents{moments: map[string]*memfs.Node{}} }

// reserve makes sure that a file of a size can be taken in, before it is read.
func (c *contents) reserve(name string, size int64) error {
	if size > maxMember || size < 0 {
		return fmt.Errorf("member %.200q has %d bytes, at most %d are read: refused", name, size, maxMember)
	}
	if c.total += size; c.total > maxTotal {
		return fmt.Errorf("member %.200q: the bundle unpacks to more than %d bytes: refused", name, maxTotal)
	}
	return nil
}

// grow counts one member more.
func (c *contents) grow(name string) error {
	if c.count++; c.count > maxMembers {
		return fmt.Errorf("member %.200q: the bundle has more than %d members: refused", name, maxMembers)
	}
	return nil
}

// wanted tells whether a member with a clean name is read: the manifest and what a moment holds, except what a server
// or a command printed, which is kept for people. What ss printed is read, as it may have to stand for a reply.
func wanted(name string) bool {
	moment, inner, _ := strings.Cut(name, "/")
	top, _, _ := strings.Cut(inner, "/")
	return name == manifestName || isMoment(moment) && (top != "server" && top != printed || isSocketText(inner))
}

// isMoment accepts t0, t1, … t99.
func isMoment(name string) bool {
	digits, ok := strings.CutPrefix(name, "t")
	return ok && (len(digits) == 1 || len(digits) == 2) && strings.Trim(digits, "0123456789") == ""
}

// add takes a member in. Of two with one name the later counts, as when an archive is unpacked.
func (c *contents) add(m member) error {
	name, err := memberName(m.name)
	if err != nil {
		return err
	}
	if _, inner, _ := strings.Cut(name, "/"); !wanted(name) || isSocketText(inner) && !m.isFile() {
		return nil
	}
	if name == manifestName {
		if !m.isFile() {
			return fmt.Errorf("member %q is no file: refused", manifestName)
		}
		c.manifest = m.data
		return nil
	}
	leaf := memfs.NewFile(m.data)
	moment, inner, _ := strings.Cut(name, "/")
	switch {
	case m.dir:
		leaf = memfs.NewDirectory()
	case m.target != "":
		if leaves(path.Dir(inner), m.target) || !sound(m.target) {
			return fmt.Errorf("member %.200q links to %.200q outside its moment: refused", name, m.target)
		}
		leaf = memfs.NewLink(m.target)
	}
	return c.put(moment, inner, leaf)
}

// put adds a node to a moment, and the directories on the way to it. A name never leads through a link, so that what
// is read under a name is the member of that name.
func (c *contents) put(moment, inner string, leaf *memfs.Node) error {
	name := path.Join(moment, inner)
	at := c.moments[moment]
	if at == nil {
		at = memfs.NewDirectory()
		c.moments[moment] = at
	}
	if inner == "" {
		if !leaf.Mode.IsDir() {
			return fmt.Errorf("member %q is no directory: refused", name)
		}
		return nil
	}
	for {
		first, rest, deeper := strings.Cut(inner, "/")
		old := at.Children[first]
		if old == nil {
			if err := c.grow(name); err != nil {
				return err
			}
		}
		switch {
		case old != nil && old.Mode.IsDir() != (deeper || leaf.Mode.IsDir()):
			return fmt.Errorf("member %.200q leads through or replaces a member of another kind: refused", name)
		case !deeper && old != nil && old.Mode.IsDir():
			return nil
		case !deeper:
			at.Children[first] = leaf
			return nil
		case old == nil:
			old = memfs.NewDirectory()
			at.Children[first] = old
		}
		at, inner = old, rest
	}
}

// memberName cleans a name: "./t0//proc/" is t0/proc.
func memberName(name string) (string, error) {
	clean := path.Clean(name)
	switch {
	case len(name) > maxName:
		return "", fmt.Errorf("member %.50q… has a name of %d bytes, at most %d are read: refused", name, len(name), maxName)
	case !sound(name):
		return "", fmt.Errorf("member %.200q has a name that is no text: refused", name)
	case name == "" || path.IsAbs(name) || strings.Contains("/"+name+"/", "/../"):
		return "", fmt.Errorf("member %.200q leaves the bundle: refused", name)
	}
	return clean, nil
}

func sound(name string) bool {
	return len(name) <= maxName && utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

// leaves tells whether a link in dir points out of the tree that dir is in.
func leaves(dir, target string) bool {
	joined := path.Join(dir, target)
	return path.IsAbs(target) || joined == ".." || strings.HasPrefix(joined, "../")
}
