package world

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/simulator/host"
	"github.com/nasight/nasight/simulator/model"
)

// smbCounter counts for one SMB session with its shares.
type smbCounter struct{ to *host.SMBServer }

func (c *smbCounter) sessions() int { return len(c.to.Channels) }

func (c *smbCounter) reconnect(g *group, sockets []host.TCP) {
	m := g.first()
	rss := m.ServerRSS == nil || *m.ServerRSS
	c.to.Multichannel, c.to.MaxChannels = m.Multichannel || m.Sessions > 1, max(m.Sessions, mostChannels)
	if !c.to.Multichannel {
		c.to.MaxChannels = 1
	}
	c.to.Channels = c.to.Channels[:min(m.Sessions, len(c.to.Channels))]
	for _, socket := range sockets {
		channel := host.SMBChannel{TCP: socket, Selected: true, RSS: rss, SpeedMbit: g.host.NetworkMbps, Credits: m.Slots}
		c.to.Channels = append(c.to.Channels, channel)
	}
}

const mostChannels = 4 // that Windows and Azure agree on

func newSMB(g *group, sockets []host.TCP) host.SMBServer {
	m := g.first()
	rss := m.ServerRSS == nil || *m.ServerRSS
	server := host.SMBServer{Name: m.Server, Address: sockets[0].Remote.Addr(), Dialect: "3.1.1"}
	server.ServerInterfaces = []host.SMBInterface{{Address: server.Address, SpeedMbit: g.host.NetworkMbps, RSS: rss}}
	(&smbCounter{&server}).reconnect(g, sockets)
	for _, mount := range g.mounts {
		share := host.SMBShare{Name: mount.Export, MountPoint: mount.Path, Operations: map[string]host.SMBOperation{}}
		for i := range min(mount.Load.Files, mostFiles) {
			share.OpenFiles = append(share.OpenFiles, host.OpenFile{Path: fmt.Sprintf("data/%d.bin", i), Handles: 1})
		}
		server.Shares = append(server.Shares, share)
	}
	return server
}

// mostFiles are listed; more change nothing for any rule.
const mostFiles = 64

// smbMetadata is what an application's operations on names are for the protocol.
func smbMetadata() map[string]float64 {
	return map[string]float64{"Creates": 0.4, "Closes": 0.4, "QueryInfos": 0.2}
}

func (c *smbCounter) count(g *group, s step) {
	g.sockets(s, func(i int) *host.TCP { return &c.to.Channels[i].TCP })
	for i := range c.to.Channels {
		channel := &c.to.Channels[i]
		inFlight := s.served.inFlight / float64(len(c.to.Channels))
		if i < len(s.served.sessions) && !s.served.stalled {
			inFlight = s.served.sessions[i].InFlight
		}
		channel.InFlight = int(math.Round(inFlight))
		channel.Credits = max(1, g.first().Slots-channel.InFlight)
	}
	for i := range c.to.Shares {
		c.share(g, s, i)
	}
}

func (c *smbCounter) share(g *group, s step, mount int) {
	share, load := &c.to.Shares[mount], &g.mounts[mount].Load
	reads, writes := s.operations(g, mount, model.Read), s.operations(g, mount, model.Write)
	each := s.served.rtt * s.noise("seconds", mount)
	c.add(share, "Reads", reads, each)
	c.add(share, "Writes", writes, each)
	for name, part := range smbMetadata() {
		c.add(share, name, part*s.operations(g, mount, model.Metadata), each)
	}
	share.Read += reads * size(load, model.Read)
	share.Written += writes * size(load, model.Write)
	share.ReadSeconds += reads * each
	share.WriteSeconds += writes * each
	all := s.served.of(mount)
	share.InFlight = all * s.served.rtt
	if s.served.backlog > 0 {
		share.CreditStalls += all * s.seconds // every request waits for a credit
	}
	if s.served.stalled {
		share.InFlight = s.served.inFlight
	}
}

func (c *smbCounter) add(share *host.SMBShare, name string, count, seconds float64) {
	sum := share.Operations[name]
	sum.Count += count
	sum.Seconds += count * seconds
	share.Operations[name] = sum
}
