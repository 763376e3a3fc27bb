package iscsi

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors"
)

const mountinfo = "self/mountinfo"

// mount is one mount of a block device.
type mount struct {
	number string // major:minor of the file system
	point  string // with the kernel's escapes
	source string // as /dev/mapper/NAME
}

// readMounts lists the mounts of block devices. A mirror of a host may lack the file: then none is known.
func readMounts(procfs fs.FS, skip skipFunc) ([]mount, error) {
	data, err := collectors.Read(procfs, mountinfo)
	switch {
	case isGone(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return parseMounts(data, skip), nil
}

// The fields of a line before the separator, which stands after any number of optional fields, and behind it.
const (
	fieldNumber, fieldPoint, fieldsBefore = 2, 4, 6
	fieldSource, fieldsBehind             = 1, 2
)

// parseMounts reads the lines of mountinfo whose source is a device. A line that does not have the form is counted and
// costs itself; the line that a file without a final newline ends in is taken for cut.
func parseMounts(data []byte, skip skipFunc) []mount {
	var mounts []mount
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		head, tail, separated := strings.Cut(string(line), " - ")
		before, behind := strings.Fields(head), strings.Fields(tail)
		switch {
		case !whole:
			skip("mountinfo_cut", 1)
		case !separated || len(before) < fieldsBefore || len(behind) < fieldsBehind:
			skip("odd_mountinfo_line", 1)
		case strings.HasPrefix(behind[fieldSource], "/dev/"):
			mounts = append(mounts, mount{
				number: before[fieldNumber], point: labelText(before[fieldPoint]), source: behind[fieldSource],
			})
		}
	}
	return mounts
}

// on lists the mount points of what lies on a target's disks. A file system over several devices, such as btrfs, has a
// number of its own, with 0 before the colon, and is known by its source.
func (s *stack) on(mounts []mount) []string {
	var points []string
	for _, m := range mounts {
		anonymous := strings.HasPrefix(m.number, "0:")
		if !anonymous && s.numbers[m.number] || anonymous && s.names[m.source] {
			points = append(points, m.point)
		}
	}
	slices.Sort(points)
	return slices.Compact(points)
}
