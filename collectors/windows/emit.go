package windows

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

const (
	protocol = "smb" // of the identity labels
	unknown  = "unknown"
	maxNames = 10_000 // shares, and servers, of one host
)

// emitter puts answers into the sink as samples.
//
// Sessions of Windows belong to the name that a server was called by: two names of one address have connections of
// their own, and one name may have several addresses. So the name is the server label, and channels are summed by it.
type emitter struct {
	sink collectors.Sink
	host string
}

func (e emitter) all(found *answers) {
	servers := found.servers()
	for _, key := range slices.Sorted(maps.Keys(servers)) {
		e.server(servers[key], found)
	}
	mounts := found.mounts(servers)
	for i, one := range mounts {
		if i == maxNames {
			e.sink.Skip("too_many_shares", len(mounts)-i)
			break
		}
		e.mount(one, servers[one.key.server], found)
	}
	e.settings(found)
	e.networks(found)
	e.processors(found)
}

// mount is a share in use.
type mount struct {
	key           share
	server, share string
	dialect       string
	opens         value
}

// mounts are the shares that connections or counters tell of, by name. The share of pipes stores nothing.
func (a *answers) mounts(servers map[string]*server) []*mount {
	byKey := map[share]*mount{}
	at := func(server, name string) *mount {
		key := shareOf(server, name)
		if byKey[key] == nil {
			byKey[key] = &mount{key: key, server: servers[key.server].name, share: name}
		}
		return byKey[key]
	}
	for _, row := range a.connections {
		one := at(row.server, row.share)
		one.share = min(one.share, row.share)
		one.dialect = cmp.Or(one.dialect, row.dialect)
		if row.isCounted {
			one.opens = value{one.opens.sum + row.opens, true}
		}
	}
	for _, counted := range a.counters {
		at(counted.server, counted.share)
	}
	sorted := slices.SortedFunc(maps.Values(byKey), func(x, y *mount) int {
		return cmp.Or(strings.Compare(x.key.server, y.key.server), strings.Compare(x.key.name, y.key.name))
	})
	return slices.DeleteFunc(sorted, func(one *mount) bool { return one.key.name == "ipc$" })
}

func (e emitter) mount(one *mount, at *server, found *answers) {
	labels := []string{e.host, one.server, one.share, protocol, ""}
	e.sink.Add(schema.SMBMountInfo, 1, append(labels[:5:5],
		at.name, one.dialect, at.transport(), mountPoints(one, found.drives[one.key]), "", "", "")...)
	e.value(schema.SMBOpenFiles, one.opens, labels)
	counted := found.counters[one.key]
	if counted == nil {
		return
	}
	for i, row := range counterRows {
		own := labels
		if row.class != "" {
			own = append(labels[:5:5], row.class)
		}
		e.value(row.family, value{counted.values[i].sum / row.unit, counted.values[i].known}, own)
	}
}

func (e emitter) value(family *schema.Family, v value, labels []string) {
	if v.known {
		e.sink.Add(family, v.sum, labels...)
	}
}

var escapes = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)

// mountPoints are the drives of a share and the path that programs reach it by without one, escaped as Linux does.
func mountPoints(one *mount, drives []string) string {
	points := append(slices.Sorted(slices.Values(drives)), `\\`+one.server+`\`+one.share)
	for i, point := range points {
		points[i] = escapes.Replace(point)
	}
	return strings.Join(slices.Compact(points), " ")
}

// settings are those of the client. Every Windows host has them: they tell that it is one, even where it was not asked.
func (e emitter) settings(found *answers) {
	set := found.settings
	number := func(property string) string {
		if _, ok := set.Integer(property); !ok {
			return ""
		}
		return set.Text(property)
	}
	e.sink.Add(schema.SMBClientInfo, 1, e.host, set.Truth("EnableMultiChannel"),
		number("ConnectionCountPerRssNetworkInterface"), number("MaximumConnectionCountPerServer"),
		set.Truth("EnableBandwidthThrottling"), set.Truth("EnableLargeMtu"))
}
