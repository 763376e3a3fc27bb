package world

import (
	"net/netip"
	"strings"
	"time"

	"github.com/nasight/nasight/envelope"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/queue"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// group is the mounts of a host that share their sessions: one protocol and one server. It is one class of the network:
// its jobs are those of all its mounts, and its operation is their mean one. The first mount describes sessions and way.
type group struct {
	host   *model.Host
	mounts []*model.Mount
	paths  []string // of each mount's volume or share; empty for a server that no cloud describes
	grain  time.Duration
	volume string // station of the network
	opTime func(block, readShare float64) float64
	slots  int
}

func (g *group) first() *model.Mount { return g.mounts[0] }

func (g *group) key() string {
	return g.host.Name + " " + g.first().Protocol + " " + g.first().Server
}

// groups finds what shares sessions, host by host in the description's order.
func groups(fleet *model.Fleet, places places) []*group {
	var out []*group
	for _, host := range fleet.Hosts {
		known := map[[2]string]*group{}
		for _, mount := range host.Mounts {
			key := [2]string{mount.Protocol, mount.Server}
			g := known[key]
			if g == nil {
				g = &group{host: host, grain: model.ShareGrain}
				known[key] = g
				out = append(out, g)
			}
			g.mounts = append(g.mounts, mount)
			g.paths = append(g.paths, places.path(mount))
		}
	}
	for _, g := range out {
		g.settle(places)
	}
	return out
}

// settle derives what follows from the mounts. Several mounts of one server queue at the volume of the one that works most.
func (g *group) settle(places places) {
	most := 0
	for i, mount := range g.mounts {
		if mount.Load.Threads > g.mounts[most].Load.Threads {
			most = i
		}
		if places.google[g.paths[i]] != nil {
			g.grain = model.Grain
		}
	}
	g.volume = g.paths[most]
	if g.volume == "" {
		g.volume = "server " + g.first().Server
	}
	g.opTime = places.opTime(g.paths[most], g.mounts[most].Protocol)
	g.slots = slots(g.host, g.first())
}

// The slots that the kernel, the protocol and the service leave.
const (
	serviceSlots    = 128 // of one connection: Google's servers take no more
	defaultSession4 = 64  // of a session of NFSv4.1
	defaultTable    = 65_536
)

// slots is how many requests of a group may be without a reply.
func slots(host *model.Host, m *model.Mount) int {
	connection := host.SlotTable
	if connection == 0 {
		connection = defaultTable
	}
	connection = min(connection, serviceSlots)
	switch m.Protocol {
	case model.NFS3:
		return connection * m.Sessions
	case model.NFS41:
		return min(session4(host, m), connection*m.Sessions)
	}
	return m.Slots * m.Sessions
}

// session4 is what client and server agree on for a session of NFSv4.1.
func session4(host *model.Host, m *model.Mount) int {
	asked := host.SessionSlots
	if asked == 0 {
		asked = defaultSession4
	}
	if m.Slots > 0 {
		asked = min(asked, m.Slots)
	}
	return asked
}

// class is the group with so many threads on each of its mounts.
func (g *group) class(threads []float64) queue.Class {
	m := g.first()
	jobs, block, think, reads, data := 0.0, 0.0, 0.0, 0.0, 0.0
	for i, mount := range g.mounts {
		load := &mount.Load
		jobs += threads[i]
		block += threads[i] * load.BlockKiB * kib * (1 - load.MetadataShare)
		think += threads[i] * load.ThinkMS / 1e3
		data += threads[i] * (1 - load.MetadataShare)
		reads += threads[i] * (1 - load.MetadataShare) * (1 - load.WriteShare)
	}
	c := queue.Class{
		Client: g.host.Name, Volume: g.volume, Jobs: jobs, Slots: g.slots, Sessions: m.Sessions, Skew: m.Way.Skew, Knee: m.Way.Growth,
		Multichannel: m.Protocol == model.OverSMB && m.Sessions > 1, HotFile: g.hotFile(),
		SessionTime: m.Way.SessionUS / 1e6, ClientTime: m.Way.ClientUS / 1e6, RTT: (m.Way.RTTMS + m.Way.ServiceMS) / 1e3,
	}
	if jobs > 0 {
		c.Block, c.Think, c.Write = block/jobs, think/jobs, reads < data/2
	}
	if m.Way.FlowMiBps > 0 {
		c.SessionTime = max(c.SessionTime, c.Block/(m.Way.FlowMiBps*mib))
	}
	if window := m.Way.WindowKiB * kib; window > 0 {
		c.SessionTime = max(c.SessionTime, g.writes()*c.Block*m.Way.RTTMS/1e3/window) // a window of data goes in each round trip
	}
	c.ClientTime = max(c.ClientTime, c.Block/g.nic())
	return c
}

// smallKiB is the size up to which requests of one file gain nothing from channels, as the vendor publishes it.
const smallKiB = 16

// hotFile tells whether all that the group does is small requests of one file.
func (g *group) hotFile() bool {
	files := 0
	for _, mount := range g.mounts {
		if load := &mount.Load; load.Threads > 0 {
			files += load.Files
			if load.BlockKiB > smallKiB {
				return false
			}
		}
	}
	return files == 1
}

// nic is what the host's interface has for storage, in bytes per second.
func (g *group) nic() float64 {
	const least = 0.01 // of it, whatever else the host does
	all := float64(g.host.NetworkMbps) * 1e6 / 8
	return max(least*all, all-g.host.OtherMiBps*mib)
}

// places find the volume or share behind a mount.
type places struct {
	google map[string]*model.Placement
	azure  map[string]*model.SharePlacement
	mounts map[[2]string]string // path by server and export
	table  *envelope.Table
}

func placesOf(m *model.Model) (places, error) {
	p := places{google: map[string]*model.Placement{}, azure: map[string]*model.SharePlacement{}, mounts: map[[2]string]string{}}
	for _, volume := range m.Volumes() {
		p.google[volume.Path] = volume
		for _, option := range volume.Volume.Mount {
			p.mounts[[2]string{option.IPAddress, option.Export}] = volume.Path
		}
	}
	for _, share := range m.Shares() {
		p.azure[share.Path] = share
		server := share.Account.Name + ".file.core.windows.net"
		p.mounts[[2]string{server, share.Share.Name}] = share.Path
		p.mounts[[2]string{server, "/" + share.Account.Name + "/" + share.Share.Name}] = share.Path
	}
	var err error
	p.table, err = table()
	return p, err
}

// path is of what a mount is mounted from; empty where no cloud describes it.
func (p places) path(m *model.Mount) string {
	if path, ok := p.mounts[[2]string{m.Server, m.Export}]; ok {
		return path
	}
	return p.mounts[[2]string{m.Address, m.Export}]
}

// opTime is a volume's time for an operation by the published measurements; nil where there are none.
func (p places) opTime(path, protocol string) func(block, readShare float64) float64 {
	volume := p.google[path]
	if volume == nil {
		return nil
	}
	names := map[string]string{model.NFS3: envelope.NFSv3, model.NFS41: envelope.NFSv41, model.OverSMB: envelope.SMB, model.ISCSI: envelope.ISCSI}
	curve, err := queue.Curve(p.table, names[protocol], level(volume.Pool))
	if err != nil {
		return nil // a protocol that the level does not have: nothing is published of it
	}
	return curve
}

// level is the envelope's name of a pool's service level.
func level(p *model.Pool) string {
	switch {
	case p.ServiceLevel != model.Flex:
		return strings.ToLower(p.ServiceLevel)
	case p.Type == model.Unified:
		return envelope.FlexUnifiedCustom
	case p.CustomPerformance:
		return envelope.FlexFileCustom
	}
	return envelope.FlexFile
}

// isAddress tells whether a server is written as an address.
func isAddress(server string) bool {
	_, err := netip.ParseAddr(server)
	return err == nil
}
