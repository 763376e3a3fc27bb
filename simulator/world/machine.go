package world

import (
	"fmt"
	"math"
	"net/netip"
	"time"

	"github.com/nasight/nasight/simulator/host"
	"github.com/nasight/nasight/simulator/model"
)

// machine is a host while it counts.
type machine struct {
	counters map[string]counter // by the group's key
	local    netip.Addr
	port     uint16             // the next one of this host
	moved    map[string]float64 // bytes of data, by mount
	boots    int
	unread   bool
	state    host.Machine
}

// counter adds what a group did in a step to its part of the machine.
type counter interface {
	// sessions is how many TCP sessions there are.
	sessions() int
	// reconnect takes up other sessions, as a mount with other options does: those there are count on.
	reconnect(g *group, sockets []host.TCP)
	count(g *group, s step)
}

// step is what a group does from one moment to the next.
type step struct {
	served  served
	seconds float64
	noise   func(what string, index int) float64 // factor on what is counted
}

// noise makes counts differ from the model's, each by a draw of its own.
type noise struct {
	model *model.Model
	size  float64
}

func (n noise) factor(what string, index int, at time.Time) float64 {
	if n.size == 0 {
		return 1
	}
	draw := n.model.Draw(fmt.Sprintf("%s %d", what, index), at.Unix())
	return max(0, 1+n.size*math.Sqrt(3)*(2*draw-1)) // an even draw of this width has the standard deviation of the size
}

const interfaceName = "eth0"

func newMachine(described *model.Host, scene *scene, options Options) *machine {
	m := &machine{counters: map[string]counter{}, moved: map[string]float64{}, local: netip.MustParseAddr(described.Address), port: firstPort} // checked with the description
	m.state = host.Machine{
		Name: described.Name, Kernel: described.Kernel, Windows: described.OS == model.Windows, Boot: options.Boot, Now: options.Boot,
		Cores: make([]host.Core, described.Cores),
	}
	m.state.NICs = []host.NIC{{
		Name: interfaceName, Address: netip.PrefixFrom(m.local, prefixBits(m.local)), SpeedMbit: described.NetworkMbps, RSS: true, Queues: described.Cores,
	}}
	for _, mount := range described.Mounts {
		m.moved[mount.Path] = 0
	}
	m.boots = described.Boots
	m.configure(described)
	m.attach(scene.ofHost[described.Name])
	return m
}

// boot begins every counter of the kernel anew. What its mounts have moved in truth goes on.
func (m *machine) boot(described *model.Host, scene *scene, at time.Time) {
	moved := m.moved
	*m = *newMachine(described, scene, Options{Boot: at})
	m.moved = moved
}

// configure takes over what a description may change.
func (m *machine) configure(described *model.Host) {
	m.unread = described.Unread
	m.state.SlotTable, m.state.SessionSlots = described.SlotTable, described.SessionSlots
	m.state.NICs[0].SpeedMbit = described.NetworkMbps
}

// attach gives every group its part of the machine. The lists have their places before anything points into them.
func (m *machine) attach(groups []*group) {
	for _, g := range groups {
		switch g.first().Protocol {
		case model.OverSMB:
			m.state.SMB = append(m.state.SMB, newSMB(g, m.sockets(g, g.first().Sessions)))
		case model.ISCSI:
			m.state.ISCSI = append(m.state.ISCSI, newISCSI(g, m.sockets(g, g.first().Sessions), len(m.state.ISCSI)))
		default:
			m.state.NFS = append(m.state.NFS, newNFS(g, m.sockets(g, g.first().Sessions)))
		}
	}
	var nfs, smb, iscsi int
	for _, g := range groups {
		switch g.first().Protocol {
		case model.OverSMB:
			m.counters[g.key()] = &smbCounter{&m.state.SMB[smb]}
			smb++
		case model.ISCSI:
			m.counters[g.key()] = &iscsiCounter{&m.state.ISCSI[iscsi], iscsi}
			iscsi++
		default:
			m.counters[g.key()] = &nfsCounter{&m.state.NFS[nfs]}
			nfs++
		}
	}
}

// The networks of hosts are as wide as those of documentation addresses.
func prefixBits(a netip.Addr) int {
	if a.Is4() {
		return 24
	}
	return 64
}

// firstPort is where the client's own ports begin: privileged ones, as the kernel takes for NFS.
const firstPort = 700

// sockets are new TCP sessions of a group.
func (m *machine) sockets(g *group, n int) []host.TCP {
	mount := g.first()
	remote := netip.AddrPortFrom(g.address(), port(mount.Protocol))
	out := make([]host.TCP, n)
	rtt := time.Duration(mount.Way.RTTMS * float64(time.Millisecond))
	for i := range out {
		out[i] = host.TCP{Local: netip.AddrPortFrom(m.local, m.port), Remote: remote, RTT: rtt, MinRTT: rtt}
		m.port++
	}
	return out
}

func port(protocol string) uint16 {
	switch protocol {
	case model.OverSMB:
		return 445
	case model.ISCSI:
		return 3260
	}
	return 2049
}

// step lets the machine count from one moment to the next, both in one window.
func (m *machine) step(scene *scene, options Options, from, to time.Time) {
	seconds := to.Sub(from).Seconds()
	busy := make([]float64, len(m.state.Cores))
	var received, sent float64
	groups := scene.ofHost[m.state.Name]
	described := groups[0].host // a host has at least one mount
	if described.Boots != m.boots {
		m.boot(described, scene, from)
	}
	for _, g := range groups {
		c := m.counters[g.key()]
		if c == nil {
			continue // a change of the description names another server: nothing counts for it
		}
		if more := g.first().Sessions - c.sessions(); more != 0 {
			c.reconnect(g, m.sockets(g, max(0, more)))
		}
		s := step{served: scene.served(g, from), seconds: seconds}
		n := noise{scene.base, options.Noise}
		s.noise = func(what string, index int) float64 { return n.factor(g.key()+" "+what, index, from) }
		c.count(g, s)
		for i, mount := range g.mounts {
			m.moved[mount.Path] += s.served.of(i) * seconds * data(&mount.Load)
		}
		g.cores(s.served, busy)
		in, out := g.bytes(s.served)
		received += in * seconds * s.noise("received", 0)
		sent += out * seconds * s.noise("sent", 0)
	}
	m.configure(described)
	other := described.OtherMiBps * mib * seconds
	m.network(received+other, sent+other)
	m.processors(described, busy, seconds)
	m.state.Now = to
}

// network adds to the interface. Received segments are merged before they are counted; those sent are split after it.
func (m *machine) network(in, out float64) {
	nic := &m.state.NICs[0]
	nic.Received.Bytes += in
	nic.Received.Packets += in / segment
	nic.Sent.Bytes += out
	nic.Sent.Packets += out / segment
}

// processors adds to the cores: soft interrupts of sessions, and what else the host does.
func (m *machine) processors(described *model.Host, busy []float64, seconds float64) {
	for i := range m.state.Cores {
		core := &m.state.Cores[i]
		left := seconds
		take := func(to *float64, share float64) {
			part := min(left, share*seconds)
			*to += part
			left -= part
		}
		take(&core.Steal, described.Steal)
		take(&core.SoftIRQ, busy[i])
		take(&core.User, described.OtherCPU)
		take(&core.System, busy[i]/10)
		core.Idle += left
	}
}

// cores spreads the time of sessions that one core serves. Others cost little: their time is that of the way.
func (g *group) cores(s served, busy []float64) {
	const little = 0.02
	for i, session := range s.sessions {
		share := little * session.Busy
		if g.first().Way.OnCore {
			share = session.Busy
		}
		core := i % len(busy)
		busy[core] = min(1, busy[core]+share)
	}
}

// bytes is what the group receives and sends per second.
func (g *group) bytes(s served) (received, sent float64) {
	for i, mount := range g.mounts {
		rate := s.of(i)
		load := &mount.Load
		received += rate * (mix(load, model.Read)*size(load, model.Read) + header)
		sent += rate * (mix(load, model.Write)*size(load, model.Write) + header)
	}
	return received, sent
}

// of is the operations per second of one mount.
func (s served) of(mount int) float64 {
	all := 0.0
	for _, n := range s.threads {
		all += n
	}
	if all == 0 {
		return 0
	}
	return s.rate * s.threads[mount] / all
}

// data is the bytes that an operation of a load reads or writes, in the mean.
func data(load *model.Jobs) float64 { return (1 - load.MetadataShare) * load.BlockKiB * kib }

const (
	header  = 136  // bytes of a request or a reply beside its data
	segment = 1448 // bytes of data
)
