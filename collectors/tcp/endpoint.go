package tcp

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// endpoint is a server address with the sessions to it.
type endpoint struct {
	address  netip.Addr
	protocol string
	sessions []session // in the order of their local address and port
}

// key identifies an endpoint.
func (e *endpoint) key() endpointKey { return endpointKey{e.address, e.protocol} }

type endpointKey struct {
	address  netip.Addr
	protocol string
}

// group sorts sessions and gathers those of each endpoint. Sessions that would share a series are counted and only
// one of them is kept: a dump may show a session twice while others come and go.
func group(sessions []session) (endpoints []endpoint, doubles int) {
	slices.SortFunc(sessions, compare)
	unique := slices.CompactFunc(sessions, func(a, b session) bool { return compare(a, b) == 0 })
	doubles = len(sessions) - len(unique)
	for start, end := 0, 0; start < len(unique); start = end {
		for end < len(unique) && compareEndpoint(unique[start], unique[end]) == 0 {
			end++
		}
		endpoints = append(endpoints, endpoint{
			address:  unique[start].remote.Addr(),
			protocol: unique[start].protocol,
			sessions: unique[start:end],
		})
	}
	return endpoints, doubles
}

// compare orders sessions as their labels identify them.
func compare(a, b session) int {
	if order := compareEndpoint(a, b); order != 0 {
		return order
	}
	return a.local.Compare(b.local)
}

func compareEndpoint(a, b session) int {
	if order := a.remote.Addr().Compare(b.remote.Addr()); order != 0 {
		return order
	}
	return strings.Compare(a.protocol, b.protocol)
}

// gaugeRow is a family that shows one session's value for all sessions of an endpoint.
type gaugeRow struct {
	family *schema.Family
	field  field
	pick   func(a, b uint64) uint64
}

var gaugeRows = [...]gaugeRow{
	{schema.EndpointCongestionWindow, fieldCwnd, smaller},
	{schema.EndpointDeliveryRate, fieldDeliveryRate, larger},
}

func smaller(a, b uint64) uint64 { return min(a, b) }
func larger(a, b uint64) uint64  { return max(a, b) }

// addEndpoints says what the sessions of each endpoint add up to.
func (c *Collector) addEndpoints(sink collectors.Sink, endpoints []endpoint) {
	c.sums.update(endpoints)
	for i := range endpoints {
		e := &endpoints[i]
		server := e.address.String()
		sink.Add(schema.EndpointSessions, float64(len(e.sessions)), c.host, server, e.protocol)
		for row, sum := range c.sums.of(e.key()) {
			if sum.known {
				sink.Add(sumRows[row].family, sum.value/sumRows[row].divisor, c.host, server, e.protocol)
			}
		}
		for _, row := range gaugeRows {
			if value, ok := e.pick(row); ok {
				sink.Add(row.family, float64(value), c.host, server, e.protocol)
			}
		}
		if rtt, ok := c.lowest.update(server, e); ok {
			sink.Add(schema.EndpointLowestRTT, rtt, c.host, server, e.protocol)
		}
	}
}

// pick chooses one session's value among those that have one.
func (e *endpoint) pick(row gaugeRow) (chosen uint64, ok bool) {
	for i := range e.sessions {
		value, measured := e.sessions[i].info.measured(row.field)
		switch {
		case measured && ok:
			chosen = row.pick(chosen, value)
		case measured:
			chosen, ok = value, true
		}
	}
	return chosen, ok
}
