package windows

import (
	"strings"
	"unicode"

	"github.com/nasight/nasight/collectors/windows/psout"
)

// resolve makes names whole and drops what cannot be told apart: rows whose name was cut by a table, unless just one
// whole name begins that way, and rows whose name cannot be one. Then the counters are summed by share.
func (a *answers) resolve() {
	instances := a.uniqueInstances()
	var servers, shares []string
	for _, row := range a.channels {
		servers = append(servers, row.server)
	}
	for _, row := range a.connections {
		servers, shares = append(servers, row.server), append(shares, row.share)
	}
	for _, one := range instances {
		servers, shares = append(servers, one.server), append(shares, one.share)
	}
	channels, connections := a.channels, a.connections
	a.channels, a.connections = nil, nil
	for _, row := range channels {
		if a.usable(complete(&row.server, servers) && isServer(row.server)) {
			a.channels = append(a.channels, row)
			continue
		}
		a.allPairs = false
	}
	for _, row := range connections {
		if a.usable(complete(&row.server, servers) && isServer(row.server) && complete(&row.share, shares)) {
			a.connections = append(a.connections, row)
		}
	}
	a.sum(instances)
}

func (a *answers) usable(ok bool) bool {
	if !ok {
		a.skip("odd_name", 1)
	}
	return ok
}

// complete puts the whole name in the place of one that was cut, and refuses what is no name of a server or share.
func complete(name *string, among []string) bool {
	if !psout.Truncated(*name) {
		return isName(*name)
	}
	beginning := strings.ToLower(strings.TrimRight(*name, ".…"))
	found := ""
	for _, other := range among {
		if psout.Truncated(other) || !strings.HasPrefix(strings.ToLower(other), beginning) {
			continue
		}
		if found != "" && !strings.EqualFold(found, other) {
			return false
		}
		found = other
	}
	*name = found
	return isName(found) && beginning != ""
}

func isName(name string) bool {
	return name != "" && len(name) <= maxName && !psout.Truncated(name) &&
		!strings.ContainsAny(name, `\/"`) && !strings.ContainsFunc(name, unicode.IsControl)
}

const maxName = 255 // bytes

// cutInstance splits \server\share.
func cutInstance(name string) (server, share string, ok bool) {
	rest, ok := strings.CutPrefix(name, `\`)
	if !ok {
		return "", "", false
	}
	server, share, ok = strings.Cut(rest, `\`)
	if !ok {
		return "", "", false
	}
	return server, share, isServer(server) && isName(share)
}

// isServer refuses blanks, too: they show a row whose columns are not where they seem to be.
func isServer(name string) bool { return isName(name) && !strings.ContainsFunc(name, unicode.IsSpace) }
