package host

import (
	"fmt"
	"strconv"
)

const (
	mapperMajor = 253
	sectorBytes = 512
)

// work is what a block device has done, as diskstats counts it.
type work struct {
	reads, readSectors, readMillis    uint64
	writes, writeSectors, writeMillis uint64
	inFlight, busy, weighted          uint64
}

func (s *ISCSISession) work() work {
	return work{
		reads: whole(s.Reads), readSectors: whole(s.ReadBytes / sectorBytes), readMillis: millis(s.ReadSeconds),
		writes: whole(s.Writes), writeSectors: whole(s.WriteBytes / sectorBytes), writeMillis: millis(s.WriteSecs),
		inFlight: natural(s.InFlight), busy: millis(s.BusySeconds), weighted: millis(s.WeightedSeconds),
	}
}

// add counts what a path has done as done by the map above it. Its paths may be busy at the same time, and it is busy
// at least as long as the one that is busy longest.
func (w *work) add(path work) {
	w.reads, w.readSectors, w.readMillis = w.reads+path.reads, w.readSectors+path.readSectors, w.readMillis+path.readMillis
	w.writes, w.writeSectors, w.writeMillis = w.writes+path.writes, w.writeSectors+path.writeSectors, w.writeMillis+path.writeMillis
	w.inFlight, w.weighted, w.busy = w.inFlight+path.inFlight, w.weighted+path.weighted, max(w.busy, path.busy)
}

// append writes a line of diskstats, which ends in discards and flushes: a disk of this kind has had none.
func (w *work) append(out []byte, major, minor int, name string) []byte {
	out = fmt.Appendf(out, "%4d %7d %s", major, minor, name)
	for _, value := range [...]uint64{
		w.reads, 0, w.readSectors, w.readMillis, w.writes, 0, w.writeSectors, w.writeMillis, w.inFlight, w.busy, w.weighted,
		0, 0, 0, 0, 0, 0,
	} {
		out = appendCount(out, " ", value)
	}
	return append(out, '\n')
}

func (s *iscsiSession) appendStatistics(out []byte) []byte {
	if s.Disk == "" {
		return out
	}
	w := s.work()
	major, minor := diskNumber(s.Disk)
	return w.append(out, major, minor, s.Disk)
}

// disks are the names of the disks that lead to the target's one.
func (t *ISCSITarget) disks() []string {
	var names []string
	for i := range t.Sessions {
		if name := t.Sessions[i].Disk; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// deviceName is the device-mapper device that joins the paths, empty where there is one path alone.
func (t *ISCSITarget) deviceName(target int) string {
	if len(t.disks()) < 2 {
		return ""
	}
	return "dm-" + strconv.Itoa(target)
}

// mapName is the name that multipath gives the n-th map, from 0: mpatha to mpathz, then mpathaa.
func mapName(n int) string {
	letters := ""
	for n++; n > 0; n = (n - 1) / 26 {
		letters = string(rune('a'+(n-1)%26)) + letters
	}
	return "mpath" + letters
}

// device adds the device that the file system is on: a map above the paths, or the only disk, and its mount.
func (t *ISCSITarget) device(files *tree, target int, statistics []byte) []byte {
	disks := t.disks()
	if len(disks) == 0 {
		return statistics
	}
	major, minor := diskNumber(disks[0])
	source := "/dev/" + disks[0]
	if name := t.deviceName(target); name != "" {
		major, minor, source = mapperMajor, target, "/dev/mapper/"+mapName(target)
		t.mapFiles(files, name, target)
		var sum work
		for i := range t.Sessions {
			if t.Sessions[i].Disk != "" {
				sum.add(t.Sessions[i].work())
			}
		}
		statistics = sum.append(statistics, major, minor, name)
	}
	if t.MountPoint != "" {
		files.mount(mount{device: fmt.Sprintf("%d:%d", major, minor), point: t.MountPoint, kind: "ext4", source: source, options: "rw"})
	}
	return statistics
}

func (t *ISCSITarget) mapFiles(files *tree, name string, target int) {
	directory := "sys/devices/virtual/block/" + name
	files.line(directory+"/dev", fmt.Sprintf("%d:%d", mapperMajor, target))
	files.line(directory+"/size", "4194304")
	files.line(directory+"/dm/name", mapName(target))
	files.line(directory+"/dm/uuid", fmt.Sprintf("mpath-360000000%024x", handle("disk", t.Name)))
	files.line(directory+"/dm/suspended", "0")
	for i := range t.Sessions {
		if session := t.session(target, i); session.Disk != "" {
			files.link(directory+"/slaves/"+session.Disk,
				fmt.Sprintf("../../../../%s/target%d:0:0/%d:0:0:1/block/%s", session.device()[len("devices/"):], session.number, session.number, session.Disk))
		}
	}
	files.link("sys/block/"+name, "../devices/virtual/block/"+name)
}
