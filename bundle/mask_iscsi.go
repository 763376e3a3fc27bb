package bundle

import (
	"regexp"
	"strings"
)

// diskNumber is the device number of an iSCSI disk or its partition, or of a map above disks.
var diskNumber = regexp.MustCompile(`^sys/devices/(.*/session\d+/target.*|virtual)/block/.*/dev$`)

// learnDisks finds the disks whose mounts are kept.
func (m *mask) learnDisks(members []member) {
	m.disks = map[string]bool{}
	for _, one := range members {
		if one.isFile() && diskNumber.MatchString(one.name) {
			m.disks[strings.TrimSpace(string(one.data))] = true
		}
	}
}

// iscsiName masks the name of a target or an initiator. That its form is kept (iqn, eui, naa) tells nothing of the site.
func (m *mask) iscsiName(line string) string {
	switch name := strings.TrimSpace(line); name {
	case "", "(null)":
		return name
	default:
		return "iqn.2001-04.com.example:" + m.name("target", name)
	}
}

var mapKind = regexp.MustCompile(`^((part\d+-)?(mpath|LVM|CRYPT-[A-Z0-9]+)-).`)

// mapName masks the name of a device-mapper map, or its identifier, whose beginning says what kind of map it is.
func (m *mask) mapName(line string) string {
	name := strings.TrimSpace(line)
	if kind := mapKind.FindStringSubmatch(name); kind != nil {
		return kind[1] + m.name("map", name)
	}
	return m.name("map", name)
}

var kernelDevice = regexp.MustCompile(`^/dev/(sd[a-z]+\d*|dm-\d+|md\d+)$`)

// diskSource masks the device that a file system is on. The names that the kernel gives are nobody's.
func (m *mask) diskSource(source string) string {
	if kernelDevice.MatchString(source) {
		return source
	}
	if name, ok := strings.CutPrefix(unescape(source), "/dev/mapper/"); ok {
		return "/dev/mapper/" + m.mapName(name)
	}
	return "/dev/" + m.name("source", source)
}
