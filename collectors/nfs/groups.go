package nfs

import "github.com/nasight/nasight/collectors/internal/kernel"

// groupKey names the transports that the mounts of one server and one NFS version share, by label values.
type groupKey struct{ server, version string }

// groups are the transports of the host, each counted once although mountstats repeats it under every mount.
type groups struct {
	byKey map[groupKey]*group
	order []groupKey
}

type group struct {
	index      map[transportKey]int
	transports []transportValues
}

type transportValues [transportFields]Number

// transportKey tells one transport from another within a group: by the source port where mountstats has it, else by the
// place in the mount's list, which is the same under every mount.
type transportKey struct {
	protocol string
	port     Number
	place    int
	security string // xprtsec=tls and plain mounts have connections of their own
	owner    string // superblock whose mount asked not to share
}

func newGroups() *groups { return &groups{byKey: make(map[groupKey]*group)} }

func (g *groups) add(block *superblock, transports []Transport) {
	key := groupKey{block.server(), kernel.LabelText(block.options.Version())}
	target := g.byKey[key]
	if target == nil {
		target = &group{index: make(map[transportKey]int)}
		g.byKey[key] = target
		g.order = append(g.order, key)
	}
	common := transportKey{}
	common.security, _ = block.options.Get("xprtsec")
	if _, ok := block.options.Get("nosharetransport"); ok {
		common.owner = block.device
	}
	for place := range transports {
		target.add(common, place, &transports[place])
	}
}

// add counts a transport, or keeps the larger values of one that is already counted: the later ones.
func (g *group) add(key transportKey, place int, transport *Transport) {
	key.protocol = protocolName(transport.Protocol)
	key.port = transport.Values[SourcePort]
	if !key.port.Known() || key.port == 0 {
		key.port, key.place = 0, place
	}
	at, ok := g.index[key]
	if !ok {
		g.index[key] = len(g.transports)
		g.transports = append(g.transports, transport.Values)
		return
	}
	for field, value := range transport.Values {
		if old := g.transports[at][field]; value.Known() && (!old.Known() || value > old) {
			g.transports[at][field] = value
		}
	}
}

// protocolName avoids a new string for the protocols that there are.
func protocolName(protocol []byte) string {
	switch string(protocol) {
	case "tcp":
		return "tcp"
	case "rdma":
		return "rdma"
	case "udp":
		return "udp"
	}
	return string(protocol)
}

// total adds a field over the transports that have it.
func (g *group) total(field int) sum {
	var total sum
	for i := range g.transports {
		total.Add(g.transports[i][field])
	}
	return total
}

// largest is a field's largest value over the transports that have it.
func (g *group) largest(field int) sum {
	var largest sum
	for i := range g.transports {
		if n := g.transports[i][field]; n.Known() {
			largest = sum{Value: max(largest.Value, float64(n)), Known: true}
		}
	}
	return largest
}
