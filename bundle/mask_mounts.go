package bundle

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// lineWords splits a line of mountinfo or mountstats. The kernel escapes blanks in names, and only blanks separate:
// other white space may be part of a name.
func lineWords(line string) []string {
	return slices.DeleteFunc(strings.Split(line, " "), func(word string) bool { return word == "" })
}

var (
	mountNumbers  = regexp.MustCompile(`^\d+ \d+ \d+:\d+$`)
	mountOptional = regexp.MustCompile(`^(shared|master|propagate_from):\d+$`)
)

// diskFileSystem are the types that a name of a site is not.
var diskFileSystem = regexp.MustCompile(`^(ext[234]|xfs|btrfs|vfat|ntfs3?|f2fs|gfs2|ocfs2)$`)

func isNetwork(fstype string) bool {
	return slices.Contains([]string{"nfs", "nfs4", "cifs", "smb3"}, fstype)
}

// mountinfo masks one line, and drops it if it belongs to another file system: neither of a network nor on an iSCSI disk.
func (m *mask) mountinfo(line string) string {
	head, tail, _ := strings.Cut(line, " - ")
	before, behind := lineWords(head), lineWords(tail)
	if len(before) < 6 || len(behind) < 3 || !mountNumbers.MatchString(strings.Join(before[:3], " ")) {
		return ""
	}
	source := m.source
	switch {
	case isNetwork(behind[0]):
	case m.disks[before[2]] && diskFileSystem.MatchString(behind[0]):
		source = m.diskSource
	default:
		return ""
	}
	optional := slices.DeleteFunc(before[6:], func(word string) bool { return !mountOptional.MatchString(word) })
	words := slices.Concat(before[:3],
		[]string{m.path("export", before[3]), m.path("mnt", before[4]), m.options(before[5])}, optional,
		[]string{"-", behind[0], source(behind[1]), m.options(strings.Join(behind[2:], ""))})
	return strings.Join(words, " ")
}

// localStanza stands for the local file systems that are dropped: without any device a file is not what the kernel wrote.
const localStanza = "device rootfs mounted on / with fstype rootfs\n"

// mountstats masks the stanzas of NFS mounts and drops the others.
func (m *mask) mountstats(data []byte) []byte {
	inside := false
	kept := lines(data, func(line string) string {
		if strings.HasPrefix(line, "device ") || strings.HasPrefix(line, "no device ") {
			head := m.stanzaHead(lineWords(line))
			inside = head != ""
			return head
		}
		if !inside {
			return ""
		}
		return m.stanzaLine(line)
	})
	if !bytes.Contains(data, []byte("device ")) {
		return kept
	}
	return append([]byte(localStanza), kept...)
}

var statVersion = regexp.MustCompile(`^statvers=[0-9.]+$`)

// stanzaHead masks "device SOURCE mounted on DIRECTORY with fstype TYPE statvers=1.1".
func (m *mask) stanzaHead(words []string) string {
	if len(words) < 8 || words[0] != "device" || !isNetwork(words[7]) ||
		!slices.Equal(slices.Concat(words[2:4], words[5:7]), []string{"mounted", "on", "with", "fstype"}) {
		return ""
	}
	head := []string{"device", m.source(words[1]), "mounted on", m.path("mnt", words[4]), "with fstype", words[7]}
	for _, word := range words[8:] {
		if statVersion.MatchString(word) {
			head = append(head, word)
		}
	}
	return strings.Join(head, " ")
}

// numberLine are the lines of a stanza that hold numbers: counters, transports and operations.
var numberLine = regexp.MustCompile(`^\s*(RPC iostats version: [0-9.]+  p/v: [0-9/]+ \(nfs\)|per-op statistics|` +
	`xprt:\s+(tcp|udp|rdma|local)6?[ 0-9-]*|(age|bytes|events|fsc|[A-Z_0-9]+):[\t 0-9-]*)[\t ]*$`)

func (m *mask) stanzaLine(line string) string {
	line = strings.TrimRight(line, "\r\v\f") // a text that went through another system may end its lines with CR LF
	if numberLine.MatchString(line) {
		return line
	}
	key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
	if !slices.Contains([]string{"opts", "caps", "nfsv4", "sec"}, key) {
		return ""
	}
	return "\t" + key + ":\t" + m.options(strings.TrimSpace(value))
}
