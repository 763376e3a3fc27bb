package world

import (
	"math"
	"net/netip"

	"github.com/nasight/nasight/simulator/host"
	"github.com/nasight/nasight/simulator/model"
)

// iscsiCounter counts for one target.
type iscsiCounter struct {
	to    *host.ISCSITarget
	index int // of the target on its host
}

func (c *iscsiCounter) sessions() int { return len(c.to.Sessions) }

func (c *iscsiCounter) reconnect(g *group, sockets []host.TCP) {
	m := g.first()
	c.to.Sessions = c.to.Sessions[:min(m.Sessions, len(c.to.Sessions))]
	for _, socket := range sockets {
		path := len(c.to.Sessions)
		disk := "sd" + letter(1+c.index) // one letter for the target, one for the session
		if m.Sessions > 1 {
			disk += letter(path)
		}
		c.to.Sessions = append(c.to.Sessions, host.ISCSISession{TCP: socket, Disk: disk, QueueDepth: m.Slots})
	}
}

func letter(i int) string { return string(rune('a' + i%26)) }

func newISCSI(g *group, sockets []host.TCP, index int) host.ISCSITarget {
	m := g.first()
	target := host.ISCSITarget{Name: m.Export, Portal: netip.AddrPortFrom(sockets[0].Remote.Addr(), sockets[0].Remote.Port()), MountPoint: m.Path}
	(&iscsiCounter{&target, index}).reconnect(g, sockets)
	return target
}

func (c *iscsiCounter) count(g *group, s step) {
	g.sockets(s, func(i int) *host.TCP { return &c.to.Sessions[i].TCP })
	load := &g.first().Load
	for i := range c.to.Sessions {
		session := &c.to.Sessions[i]
		share := s.share(i)
		reads := share * s.operations(g, 0, model.Read)
		writes := share * s.operations(g, 0, model.Write)
		session.Reads += reads
		session.Writes += writes
		session.ReadBytes += reads * size(load, model.Read)
		session.WriteBytes += writes * size(load, model.Write)
		wait := s.served.rtt * s.noise("seconds", i)
		session.ReadSeconds += reads * wait
		session.WriteSecs += writes * wait
		inFlight := share * s.served.inFlight
		if s.served.stalled {
			inFlight = s.served.inFlight / float64(len(c.to.Sessions))
		}
		session.InFlight = int(math.Round(inFlight))
		session.BusySeconds += min(1, inFlight) * s.seconds
		session.WeightedSeconds += inFlight * s.seconds
	}
}
