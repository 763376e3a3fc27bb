package nfs

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/internal/kernel"
)

// superblock is one NFS file system as the client knows it. All of its mount points share its counters.
type superblock struct {
	device      string // major:minor, or source@mountpoint where mountinfo is missing
	isNumbered  bool   // device is major:minor
	mountPoints []string
	source      string
	options     Options
	statistics
}

// statistics are a superblock's numbers of mountstats.
type statistics struct {
	seen      bool // a stanza was found
	age       Number
	readBytes Number
	written   Number
	load      load
	protocol  string // of the first transport
}

// server is the address in use, or what is known of it, fit for a label value.
func (s *superblock) server() string {
	for _, option := range [...]string{"addr", "mountaddr"} {
		if address, ok := s.options.Get(option); ok {
			return kernel.LabelText(address)
		}
	}
	host, _ := splitSource(s.source)
	return kernel.LabelText(host)
}

// take keeps a stanza's numbers. The first stanza of a superblock gives them all, so that they belong to one moment.
func (s *superblock) take(stanza *Stanza) {
	if s.seen {
		return
	}
	s.statistics = statistics{
		seen: true, age: stanza.Age, load: newLoad(stanza.Operations),
		readBytes: stanza.Bytes[ServerReadBytes], written: stanza.Bytes[ServerWriteBytes],
	}
	if len(stanza.Transports) > 0 {
		s.protocol = protocolName(stanza.Transports[0].Protocol)
	}
}

// inventory is what one read of the two files says of the host's mounts.
type inventory struct {
	superblocks []*superblock
	groups      *groups
}

// newInventory joins the stanzas of mountstats with the lines of mountinfo. Without any such line (an old recording)
// every stanza is a superblock of its own.
func newInventory(stanzas iter.Seq[*Stanza], mounts []Mount, skip Skip) *inventory {
	i := &inventory{groups: newGroups()}
	if len(mounts) == 0 {
		i.fromStanzas(stanzas)
	} else {
		i.join(stanzas, mounts, skip)
	}
	return i
}

// mountKey is what the two files name a mount point by. Mounts over each other share it; the files list them in the
// same order.
type mountKey struct{ source, mountPoint string }

func (i *inventory) join(stanzas iter.Seq[*Stanza], mounts []Mount, skip Skip) {
	waiting := i.fromMounts(mounts)
	for stanza := range stanzas {
		key := mountKey{kernel.Unescape(string(stanza.Source)), kernel.Unescape(string(stanza.MountPoint))}
		queue := waiting[key]
		if len(queue) == 0 {
			skip(skipMountChanged, 1)
			continue
		}
		waiting[key] = queue[1:]
		queue[0].take(stanza)
		i.groups.add(queue[0], stanza.Transports)
	}
	all := len(i.superblocks)
	i.superblocks = slices.DeleteFunc(i.superblocks, func(s *superblock) bool { return !s.seen })
	if lost := all - len(i.superblocks); lost > 0 {
		skip(skipMountChanged, lost)
	}
}

// fromMounts lists the superblocks in the order of their first mount, and those that wait for each key's stanzas. The
// source with the shortest path names the superblock: a mount of a directory below the export, or a bind mount, shares
// the superblock under a longer path, whichever was made first.
func (i *inventory) fromMounts(mounts []Mount) map[mountKey][]*superblock {
	waiting := make(map[mountKey][]*superblock, len(mounts))
	byDevice := make(map[string]*superblock, len(mounts))
	for _, mount := range mounts {
		block := byDevice[mount.Device]
		if block == nil {
			block = &superblock{device: mount.Device, isNumbered: true}
			byDevice[mount.Device] = block
			i.superblocks = append(i.superblocks, block)
		}
		if len(block.mountPoints) == 0 || compareSources(mount.Source, block.source) < 0 {
			block.source, block.options = mount.Source, mount.Options
		}
		block.mountPoints = append(block.mountPoints, mount.MountPoint)
		key := mountKey{mount.Source, mount.MountPoint}
		waiting[key] = append(waiting[key], block)
	}
	return waiting
}

func compareSources(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func (i *inventory) fromStanzas(stanzas iter.Seq[*Stanza]) {
	used := make(map[string]int)
	for stanza := range stanzas {
		source, mountPoint := kernel.Unescape(string(stanza.Source)), kernel.Unescape(string(stanza.MountPoint))
		device := unused(kernel.LabelText(source+"@"+mountPoint), used)
		block := &superblock{
			device: device, source: source, mountPoints: []string{mountPoint},
			options: Options(strings.ReplaceAll(string(stanza.Options), " ", "")),
		}
		block.take(stanza)
		i.groups.add(block, stanza.Transports)
		i.superblocks = append(i.superblocks, block)
	}
}

// unused makes a name that is not among the used ones by a number behind it, and adds it to them.
func unused(name string, used map[string]int) string {
	free := name
	for used[free] > 0 {
		used[name]++
		free = fmt.Sprintf("%s#%d", name, used[name])
	}
	used[free]++
	return free
}
