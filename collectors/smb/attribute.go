package smb

import (
	"cmp"
	"slices"
)

// attribute gives the connections of Stats to the servers. Both files list connections newest first; DebugData groups
// further channels under their sessions, but their numbers tell the order. Old kernels give no numbers: there the
// shares of a server follow its primary channel, which is the last of its connections.
func (i *inventory) attribute(skip Skip) {
	if i.stats == nil || len(i.stats.Connections) == 0 {
		return
	}
	if i.debug == nil || !i.debug.numbered() {
		i.byShares()
		return
	}
	owners := i.owners()
	if i.debug.Cut || !i.fits(owners) {
		skip(skipStatsChanged, 1)
		return
	}
	for at := range i.stats.Connections {
		if owners[at].label != "" {
			e := i.endpoint(owners[at].label)
			e.tables = append(e.tables, connection{&i.stats.Connections[at], owners[at].id})
		}
	}
}

// numbered tells whether every connection has a number.
func (d *Debug) numbered() bool {
	for at := range d.Servers {
		if !d.Servers[at].Primary.ID.Known() {
			return false
		}
	}
	return len(d.Servers) > 0
}

type owner struct {
	id    Number
	label string // of the server; empty if it has no session
}

func (i *inventory) owners() []owner {
	var owners []owner
	for at := range i.debug.Servers {
		server := &i.debug.Servers[at]
		label := ""
		if len(server.Sessions) > 0 {
			label = i.server(server)
		}
		owners = append(owners, owner{server.Primary.ID, label})
		for s := range server.Sessions {
			for _, channel := range server.Sessions[s].Extra {
				owners = append(owners, owner{channel.ID, label})
			}
		}
	}
	slices.SortFunc(owners, func(a, b owner) int { return cmp.Compare(b.id, a.id) })
	return owners
}

// fits tells whether Stats has these connections: as many, all with a number, and with the shares of the same servers.
func (i *inventory) fits(owners []owner) bool {
	if len(owners) != len(i.stats.Connections) {
		return false
	}
	for at := range i.stats.Connections {
		if !owners[at].id.Known() {
			return false
		}
		c := &i.stats.Connections[at]
		for _, counts := range i.stats.Shares[c.FirstShare:c.EndShare] {
			if counts.server != "" && counts.server != owners[at].label {
				return false
			}
		}
	}
	return true
}

func (i *inventory) byShares() {
	for at := range i.stats.Connections {
		c := &i.stats.Connections[at]
		if c.FirstShare < len(i.stats.Shares) {
			if label := i.stats.Shares[c.FirstShare].server; label != "" {
				e := i.endpoint(label)
				e.tables = append(e.tables, connection{c, Absent})
			}
		}
	}
}
