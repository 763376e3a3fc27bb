package nfs

import (
	"bytes"
	"strings"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// Mount is one line of mountinfo: an NFS mount point.
type Mount struct {
	Device     string // major:minor of the superblock
	Root       string // directory of the file system that the mount shows
	MountPoint string // escapes undone
	Source     string // server:/export, escapes undone
	Type       string // nfs or nfs4
	Options    Options
}

// The fields of a mountinfo line before the separator, which stands after any number of optional fields, and behind it.
const (
	infoDevice, infoRoot, infoMountPoint, infoHead  = 2, 3, 4, 6
	infoType, infoSource, infoSuperOptions, infoEnd = 0, 1, 2, 3
)

// ParseMountinfo reads the NFS lines of a mountinfo file, in the file's order. A line that does not have its form costs
// itself and is counted by skip; the line that a file without a final newline ends in is taken for cut.
func ParseMountinfo(data []byte, skip Skip) []Mount {
	var mounts []Mount
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if line = trimBlanks(line); len(line) == 0 {
			continue
		}
		if !whole {
			skip(skipMountinfoCut, 1)
			break
		}
		head, tail, ok := bytes.Cut(line, []byte(" - "))
		if !ok {
			skip(skipMountinfoLine, 1)
			continue
		}
		if kind, _ := cutWord(tail); isNFS(kind) {
			mount, ok := newMount(string(head), string(tail))
			if !ok {
				skip(skipMountinfoLine, 1)
				continue
			}
			mounts = append(mounts, mount)
		}
	}
	return mounts
}

func newMount(head, tail string) (mount Mount, ok bool) {
	before, behind := strings.Fields(head), strings.Fields(tail)
	if len(before) < infoHead || len(behind) < infoEnd || !isDeviceNumber(before[infoDevice]) {
		return Mount{}, false
	}
	return Mount{
		Device:     before[infoDevice],
		Root:       kernel.Unescape(before[infoRoot]),
		MountPoint: kernel.Unescape(before[infoMountPoint]),
		Source:     kernel.Unescape(behind[infoSource]),
		Type:       behind[infoType],
		Options:    Options(strings.Join(behind[infoSuperOptions:], "")),
	}, true
}

// isDeviceNumber checks what becomes part of a file name below.
func isDeviceNumber(s string) bool {
	major, minor, ok := strings.Cut(s, ":")
	return ok && kernel.ParseNumber(major).Known() && kernel.ParseNumber(minor).Known()
}
