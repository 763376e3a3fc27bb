package windows

import (
	"strings"

	"github.com/nasight/nasight/schema"
)

// server is what is known of one server, by the name that it is called by.
type server struct {
	name        string
	dialect     string
	isEncrypted string
	pairs       []channel // of interfaces, those that are selected
}

// servers are all that connections, channels or counters tell of, by their name in lower case. Of several spellings
// the first in order counts, as rows have no order.
func (a *answers) servers() map[string]*server {
	byName := map[string]*server{}
	at := func(name string) *server {
		key := strings.ToLower(name)
		if byName[key] == nil {
			byName[key] = &server{name: name, isEncrypted: unknown}
		}
		byName[key].name = min(byName[key].name, name)
		return byName[key]
	}
	for _, row := range a.connections {
		one := at(row.server)
		if one.dialect == "" {
			one.dialect = row.dialect
		}
		one.isEncrypted = either(one.isEncrypted, row.encrypted)
	}
	for _, pair := range a.channels {
		one := at(pair.server)
		if pair.isSelected {
			one.pairs = append(one.pairs, pair)
		}
	}
	for key, counted := range a.counters {
		if byName[key.server] == nil {
			at(counted.server)
		}
	}
	return byName
}

// either is true if one of two is, and false if one is and the other is not known.
func either(x, y string) string {
	switch {
	case x == "true" || y == "true":
		return "true"
	case x == "false" || y == "false":
		return "false"
	}
	return unknown
}

// isRDMA tells whether a pair carries SMB Direct. A table shows the client's end alone.
func (c channel) isRDMA() bool { return c.clientRDMA == "true" && c.serverRDM != "false" }

// transport is rdma or tcp if all channels are of one kind, else empty.
func (s *server) transport() string {
	direct := 0
	for _, pair := range s.pairs {
		if pair.isRDMA() {
			direct++
		}
	}
	switch {
	case len(s.pairs) == 0:
		return ""
	case direct == len(s.pairs):
		return "rdma"
	case direct == 0:
		return "tcp"
	}
	return ""
}

// canSpread tells whether an interface spreads channels over queues. Those of RDMA do without receive-side scaling, so
// that its absence says nothing there.
func (s *server) canSpread(rss func(channel) string) string {
	found := unknown
	for _, pair := range s.pairs {
		if !pair.isRDMA() {
			found = either(found, rss(pair))
		}
	}
	return found
}

// connected is the number of channels to the server: the sum over the pairs of interfaces in use, unknown if one of
// them does not tell. A server without a pair has the one connection that every session has, if it is known that there
// are no pairs and that a session exists. Rows that someone printed by hand may be those of one server.
func (s *server) connected(a *answers) value {
	if len(s.pairs) == 0 {
		hasSession := s.dialect != ""
		isSingle := a.allPairs || a.settings.Truth("EnableMultiChannel") == "false" || strings.HasPrefix(s.dialect, "2.")
		return value{1, hasSession && isSingle}
	}
	sum := value{known: true}
	for _, pair := range s.pairs {
		sum = value{sum.sum + pair.current, sum.known && pair.isCounted}
	}
	return sum
}

func (e emitter) server(s *server, found *answers) {
	clientRSS := s.canSpread(func(pair channel) string { return pair.clientRSS })
	if len(s.pairs) == 0 {
		clientRSS = found.anyRSS()
	}
	multichannel := unknown
	if len(s.pairs) > 0 {
		multichannel = "true"
	}
	labels := []string{e.host, s.name, protocol}
	e.sink.Add(schema.SMBEndpointInfo, 1, append(labels[:3:3], s.name, s.dialect, multichannel, clientRSS,
		s.canSpread(func(pair channel) string { return pair.serverRSS }), s.isEncrypted)...)
	channels := s.connected(found)
	e.value(schema.SMBChannels, channels, labels)
	e.value(schema.SMBChannelsUp, channels, labels)
}

// anyRSS tells whether an interface of the client that has a link has receive-side scaling, by the client itself or
// else by the adapters' settings.
func (a *answers) anyRSS() string {
	found := unknown
	for _, one := range a.interfaces {
		if one.speed > 0 {
			found = either(found, one.rss)
		}
	}
	if found != unknown {
		return found
	}
	for _, adapter := range a.adapters {
		found = either(found, adapter.Truth("Enabled"))
	}
	return found
}
