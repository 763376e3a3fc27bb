package nic

import (
	"errors"
	"io/fs"
	"net/netip"
	"path"

	"github.com/nasight/nasight/collectors"
)

// leads says which interfaces lead to storage servers.
type leads struct {
	names   map[string]bool
	unknown bool // for some server it could not be found out
}

// table reads a routing table of the kernel once.
type table struct {
	file  string
	parse func([]byte) ([]route, int)

	read   bool
	routes []route
	err    error
}

// find looks the way to every server up in the main routing table, as the kernel shows it. Rules that choose another
// table by source, mark or VRF are not seen. A table that does not exist is no error, only no answer.
func find(root collectors.Root, sink collectors.Sink, addresses []netip.Addr) (leads, error) {
	found := leads{names: map[string]bool{}}
	table4 := table{file: "net/route", parse: parseRoutes4}
	table6 := table{file: "net/ipv6_route", parse: parseRoutes6}
	for _, address := range addresses {
		if name := zoneInterface(root.Sysfs, address.Zone()); name != "" {
			found.names[name] = true
			continue
		}
		chosen := &table6
		if address.Is4() {
			chosen = &table4
		}
		best, ok := lookup(chosen.load(root.Procfs, sink), address)
		switch {
		case !ok:
			found.unknown = true
		case !best.local && !best.rejected:
			found.names[best.name] = true
		}
	}
	return found, errors.Join(table4.err, table6.err)
}

func (t *table) load(procfs fs.FS, sink collectors.Sink) []route {
	if t.read {
		return t.routes
	}
	t.read = true
	data, err := collectors.Read(procfs, t.file)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.err = err
		}
		return nil
	}
	var odd int
	if t.routes, odd = t.parse(data); odd > 0 {
		sink.Skip("odd_route", odd)
	}
	return t.routes
}

// zoneInterface finds the interface of a link-local address by its zone: a number, or the name itself.
func zoneInterface(sysfs fs.FS, zone string) string {
	if zone == "" {
		return ""
	}
	entries, _ := fs.ReadDir(sysfs, netClass)
	for _, entry := range entries {
		name := entry.Name()
		if name == zone || readText(sysfs, path.Join(netClass, name, "ifindex")) == zone {
			return name
		}
	}
	return ""
}
