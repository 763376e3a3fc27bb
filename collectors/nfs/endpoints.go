package nfs

import (
	"slices"
	"strings"
)

// endpoint is what the sunrpc directory says of the transports to one server address.
type endpoint struct {
	server                  string
	ports                   []Number // of the server, that its mounts use
	sourcePorts             []Number // of the host, as far as mountstats shows them
	transports              int      // in mountstats
	connected, disconnected int
	pending, backlog        sum // over the transports that say; one that is down mostly does not
	slotLimit               Number
}

// endpoints lists the servers of the mounts, in the order of the mounts.
func (i *inventory) endpoints() []*endpoint {
	byServer := make(map[string]*endpoint)
	var list []*endpoint
	for _, block := range i.superblocks {
		server := block.server()
		e := byServer[server]
		if e == nil {
			e = &endpoint{server: server, ports: []Number{2049}, slotLimit: Absent}
			byServer[server] = e
			list = append(list, e)
		}
		e.usePorts(block)
	}
	for key, group := range i.groups.byKey {
		if e := byServer[key.server]; e != nil {
			e.useTransports(group)
		}
	}
	return list
}

func (e *endpoint) usePorts(block *superblock) {
	port := block.options.Number("port")
	if proto, _ := block.options.Get("proto"); strings.HasPrefix(proto, "rdma") && !port.Known() {
		port = 20049
	}
	if port.Known() && port != 0 && !slices.Contains(e.ports, port) {
		e.ports = append(e.ports, port)
	}
}

func (e *endpoint) useTransports(g *group) {
	e.transports += len(g.transports)
	for _, values := range g.transports {
		if port := values[SourcePort]; port.Known() && port != 0 {
			e.sourcePorts = append(e.sourcePorts, port)
		}
	}
}

// count takes in one transport to the server's address. Only NFS itself counts: not the mount protocol, the lock
// manager or what is left of a transport that was removed. A transport that is down does not name its port; of those
// only as many can be NFS as mountstats has, which settle sees to.
func (e *endpoint) count(state transportState, info transportInfo, hasInfo bool) {
	if state.closed || hasInfo && !e.uses(info) || !hasInfo && !state.bound {
		return
	}
	if state.connected {
		e.connected++
	} else {
		e.disconnected++
	}
	e.pending.Add(info.pending)
	e.backlog.Add(info.backlog)
	if info.maxSlots.Known() && (!e.slotLimit.Known() || info.maxSlots < e.slotLimit) {
		e.slotLimit = info.maxSlots
	}
}

func (e *endpoint) uses(info transportInfo) bool {
	return slices.Contains(e.ports, info.port) || slices.Contains(e.sourcePorts, info.sourcePort)
}

// seen tells whether the kernel's list had a transport to the server.
func (e *endpoint) seen() bool { return e.connected+e.disconnected > 0 }

// settle ends the counting. Where not all transports were read, an endpoint that lacks some is left without numbers:
// part of a sum would pass for the whole.
func (e *endpoint) settle(partial bool) {
	if partial && e.connected+e.disconnected < e.transports {
		*e = endpoint{server: e.server, slotLimit: Absent}
	}
	if e.transports > 0 {
		e.disconnected = min(e.disconnected, max(e.transports-e.connected, 0))
	}
}
