package world

import (
	"math"
	"net/netip"
	"strings"
	"time"

	"github.com/nasight/nasight/simulator/host"
	"github.com/nasight/nasight/simulator/model"
)

// nfsCounter counts for one NFS client: a server address with its mounts.
type nfsCounter struct{ to *host.NFSServer }

func (c *nfsCounter) sessions() int { return len(c.to.Transports) }

func (c *nfsCounter) reconnect(g *group, sockets []host.TCP) {
	n := g.first().Sessions
	c.to.NConnect = n
	c.to.Transports = c.to.Transports[:min(n, len(c.to.Transports))]
	for _, socket := range sockets {
		c.to.Transports = append(c.to.Transports, host.NFSTransport{TCP: socket, Connects: 1})
	}
}

func newNFS(g *group, sockets []host.TCP) host.NFSServer {
	m := g.first()
	server := host.NFSServer{Address: sockets[0].Remote.Addr(), Version: strings.TrimPrefix(m.Protocol, "nfs")}
	if _, err := netip.ParseAddr(m.Server); err != nil {
		server.Name = m.Server
	}
	if m.Protocol == model.NFS41 {
		server.Slots = g.slots
	}
	(&nfsCounter{&server}).reconnect(g, sockets)
	if m.Sessions == 1 {
		server.NConnect = 0
	}
	for _, mount := range g.mounts {
		server.Mounts = append(server.Mounts, host.NFSMount{
			Export: mount.Export, MountPoint: mount.Path, ReadSize: transfer, WriteSize: transfer, ReadAheadKiB: readAhead,
			AttributeCache: true, Operations: map[string]host.NFSOperation{},
		})
	}
	return server
}

const (
	transfer  = 1 << 20 // rsize and wsize of a stock mount
	readAhead = 15_360  // KiB, as the providers advise
)

// metadata is what an application's operations on names are for the kernel.
func nfsMetadata() map[string]float64 {
	return map[string]float64{"GETATTR": 0.5, "LOOKUP": 0.25, "ACCESS": 0.25}
}

func (c *nfsCounter) count(g *group, s step) {
	g.sockets(s, func(i int) *host.TCP { return &c.to.Transports[i].TCP })
	if g.first().Protocol == model.NFS41 {
		c.to.Slots = g.slots
	}
	for i := range c.to.Mounts {
		mount := &c.to.Mounts[i]
		mount.Age += time.Duration(s.seconds * float64(time.Second))
		c.operation(g, s, i, "READ", model.Read, 1)
		c.operation(g, s, i, "WRITE", model.Write, 1)
		for name, share := range nfsMetadata() {
			c.operation(g, s, i, name, model.Metadata, share)
		}
	}
	c.transports(g, s)
}

// operation adds one type of operations of one mount.
func (c *nfsCounter) operation(g *group, s step, mount int, name string, op model.Op, share float64) {
	count := share * s.operations(g, mount, op)
	load := &g.mounts[mount].Load
	sum := c.to.Mounts[mount].Operations[name]
	if count == 0 && sum.Count == 0 {
		return
	}
	sum.Count += count
	sum.Transmissions += count
	sum.SentBytes += count * header
	sum.ReceivedBytes += count * header
	switch op {
	case model.Read:
		sum.ReceivedBytes += count * size(load, op)
	case model.Write:
		sum.SentBytes += count * size(load, op)
	}
	sum.Queue += count * (s.served.execute - s.served.rtt) * s.noise("queue", mount)
	rtt := count * s.served.rtt * s.noise("rtt of "+name, mount)
	sum.RTT += rtt
	sum.Execute += rtt + count*(s.served.execute-s.served.rtt)
	c.to.Mounts[mount].Operations[name] = sum
}

// transports adds the queues of the sessions. On version 3 what waits for a slot waits at a transport; later versions hold
// it back before, where only the time shows.
func (c *nfsCounter) transports(g *group, s step) {
	backlog := s.served.backlog
	if g.first().Protocol == model.NFS41 {
		backlog = 0
	}
	for i := range c.to.Transports {
		t := &c.to.Transports[i]
		share := s.share(i)
		sends := share * s.served.rate * s.seconds * s.noise("sends", i)
		inFlight := 0.0
		if i < len(s.served.sessions) {
			inFlight = s.served.sessions[i].InFlight
		}
		if s.served.stalled {
			share = 1 / float64(len(c.to.Transports))
			inFlight = share * s.served.inFlight
		}
		t.Sends += sends
		t.Receives += sends
		t.InFlightSum += sends * inFlight
		t.BacklogSum += sends * backlog * share
		t.Pending, t.Backlog = int(math.Round(inFlight)), int(math.Round(backlog*share))
		t.MaxSlots = max(t.MaxSlots, t.Pending)
		if sends > 0 || t.Pending > 0 {
			t.Idle = 0
		} else {
			t.Idle += s.seconds
		}
	}
}
