package host

import (
	"cmp"
	"hash/fnv"
	"strconv"
	"strings"
)

// mount is one mount of the host, in plain text: what the kernel escapes is escaped when it is written.
type mount struct {
	device  string // major:minor; see tree.device for file systems without a disk
	root    string // directory of the file system that is mounted; empty for its root
	point   string
	kind    string // such as nfs4
	source  string // such as 192.0.2.1:/export
	flags   string // of the mount point; empty for rw,relatime
	options string // of the file system
	stats   []byte // lines of mountstats behind the device's, or nil for a file system without any
}

// The kernel escapes more in mountinfo than these four, which alone also mean something to readers of the file.
var escapes = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)

// mount adds a mount to all lists of mounts.
func (t *tree) mount(m mount) { t.mounts = append(t.mounts, m) }

// minors are given from the first to less than the last.
const firstMinor, lastMinor = 40, 4096

// device makes up the device number of a file system without a disk. It depends on the mount point, so that it stays
// when other mounts come and go.
func (t *tree) device(point string) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(point)) // never fails
	minor := firstMinor + int(hash.Sum32()%(lastMinor-firstMinor))
	for t.minors[minor] {
		minor++
	}
	t.minors[minor] = true
	return "0:" + strconv.Itoa(minor)
}

// firstMountID is the number of the root's mount. The kernel gives the lowest numbers to mounts that no one sees.
const firstMountID = 26

// writeMounts writes the lists of mounts. The first mount is the root of the tree and the parent of the others.
func (t *tree) writeMounts() {
	var info, mounts, stats []byte
	for i, m := range t.mounts {
		info = m.appendInfo(info, i)
		mounts = m.appendMounts(mounts)
		stats = m.appendStats(stats)
	}
	t.file("proc/self/mountinfo", info)
	t.file("proc/self/mounts", mounts)
	t.file("proc/mounts", mounts)
	t.file("proc/self/mountstats", stats)
}

func (m *mount) appendInfo(out []byte, place int) []byte {
	parent := firstMountID
	if place == 0 {
		parent = 1
	}
	out = strconv.AppendInt(out, int64(firstMountID+place), 10)
	out = append(out, ' ')
	out = strconv.AppendInt(out, int64(parent), 10)
	return appendWords(out, m.device, cmp.Or(escapes.Replace(m.root), "/"), escapes.Replace(m.point),
		m.mountFlags(), "-", m.kind, escapes.Replace(m.source), m.options)
}

func (m *mount) appendMounts(out []byte) []byte {
	out = append(out, escapes.Replace(m.source)...)
	return appendWords(out, escapes.Replace(m.point), m.kind, m.allOptions(), "0 0")
}

func (m *mount) appendStats(out []byte) []byte {
	out = append(out, "device "...)
	out = append(out, escapes.Replace(m.source)...)
	out = append(out, " mounted on "...)
	out = append(out, escapes.Replace(m.point)...)
	out = append(out, " with fstype "...)
	out = append(out, m.kind...)
	if m.stats == nil {
		return append(out, '\n')
	}
	out = append(out, " statvers=1.1\n"...)
	return append(out, m.stats...)
}

// appendWords ends a line with words, each behind a blank.
func appendWords(out []byte, words ...string) []byte {
	for _, word := range words {
		out = append(append(out, ' '), word...)
	}
	return append(out, '\n')
}

func (m *mount) mountFlags() string { return cmp.Or(m.flags, "rw,relatime") }

// allOptions joins the options of the mount point and of the file system, whose first one both have: rw or ro.
func (m *mount) allOptions() string {
	_, rest, more := strings.Cut(m.options, ",")
	if !more {
		return m.mountFlags()
	}
	return m.mountFlags() + "," + rest
}
