package world

import (
	"net/netip"
	"time"

	"github.com/nasight/nasight/simulator/model"
)

// Endpoint is what a host does at one server in a window, as nasight would see it.
type Endpoint struct {
	Host, Server, Protocol string    // as findings name them: the server by its address, on Windows as mounted; nfs, smb or iscsi
	Operations             float64   // per second
	RTT                    float64   // of an operation, in seconds, without the time before a slot was free
	Execute                float64   // with it
	Sessions               []float64 // bytes per second of each, both ways
}

// Endpoints is what every host does in the window of a time, without noise: it may be asked of any time, by several at once.
func (w *World) Endpoints(at time.Time) []Endpoint {
	scene := w.traffic.at(at)
	out := make([]Endpoint, 0, len(scene.groups))
	for _, g := range scene.groups {
		if !g.host.Unread {
			out = append(out, scene.endpoint(g, at))
		}
	}
	return out
}

func (t *scene) endpoint(g *group, at time.Time) Endpoint {
	s := step{served: t.served(g, at)}
	in, out := g.bytes(s.served)
	e := Endpoint{
		Host: g.host.Name, Server: g.address().String(), Protocol: protocols()[g.first().Protocol],
		Operations: s.served.rate, RTT: s.served.rtt, Execute: s.served.execute,
	}
	if g.host.OS == model.Windows { // which shows names alone
		e.Server = g.first().Server
	}
	for i := range s.served.sessions {
		e.Sessions = append(e.Sessions, s.share(i)*(in+out))
	}
	return e
}

// address is that of the server.
func (g *group) address() netip.Addr {
	server := g.first().Server
	if !isAddress(server) {
		server = g.first().Address
	}
	return netip.MustParseAddr(server) // checked with the description
}

// protocols are what findings call the protocols of mounts.
func protocols() map[string]string {
	return map[string]string{model.NFS3: "nfs", model.NFS41: "nfs", model.OverSMB: "smb", model.ISCSI: "iscsi"}
}
