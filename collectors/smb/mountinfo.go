package smb

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// Skip counts odd input under a reason.
type Skip func(reason string, count int)

// The reasons under which odd input is counted.
const (
	skipMountinfoLine = "mountinfo_line"
	skipMountinfoCut  = "mountinfo_cut"
	skipDebugValue    = "debugdata_value" // no number, or one that cannot be right
	skipDebugShare    = "debugdata_share" // a share without a name
	skipDebugCut      = "debugdata_cut"   // the file ends within a word
	skipStatsValue    = "stats_value"
	skipStatsLine     = "stats_line" // a share without a name, a command that does not exist
	skipStatsCut      = "stats_cut"
	skipStatsChanged  = "stats_changed" // connections of Stats that are not those of DebugData
	skipOpenFileLine  = "open_files_line"
	skipOpenFilesCut  = "open_files_cut"
)

// Mount is one line of mountinfo: a mount point of a cifs share.
type Mount struct {
	ID         Number // grows with every mount made, until it is used again
	Device     string // major:minor of the superblock
	MountPoint string // escapes undone
	Source     string // //server/share/directory, escapes undone
	Options    Options
}

// The fields of a mountinfo line before the separator, which stands after any number of optional fields, and behind it.
const (
	infoID, infoDevice, infoMountPoint, infoHead    = 0, 2, 4, 6
	infoType, infoSource, infoSuperOptions, infoEnd = 0, 1, 2, 3
)

// ParseMountinfo reads the cifs lines of a mountinfo file, oldest mount first. A line that does not have its form costs
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
		if ok && !isCIFS(tail) {
			continue
		}
		mount, isMount := newMount(string(head), string(tail))
		if !ok || !isMount {
			skip(skipMountinfoLine, 1)
			continue
		}
		mounts = append(mounts, mount)
	}
	slices.SortStableFunc(mounts, func(a, b Mount) int { return cmp.Compare(a.ID, b.ID) })
	return mounts
}

func isCIFS(tail []byte) bool {
	kind, _, _ := bytes.Cut(tail, []byte(" "))
	return string(kind) == "cifs" || string(kind) == "smb3"
}

func newMount(head, tail string) (mount Mount, ok bool) {
	before, behind := fields(head), fields(tail)
	if len(before) < infoHead || len(behind) < infoEnd || !isDeviceNumber(before[infoDevice]) {
		return Mount{}, false
	}
	return Mount{
		ID:         kernel.ParseNumber(before[infoID]),
		Device:     before[infoDevice],
		MountPoint: kernel.Unescape(before[infoMountPoint]),
		Source:     kernel.Unescape(behind[infoSource]),
		Options:    Options(strings.Join(behind[infoSuperOptions:], "")),
	}, true
}

// fields splits at blanks alone: the kernel escapes those in names, and other white space may be part of one.
func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' })
}

func isDeviceNumber(s string) bool {
	major, minor, ok := strings.Cut(s, ":")
	return ok && kernel.ParseNumber(major).Known() && kernel.ParseNumber(minor).Known()
}
