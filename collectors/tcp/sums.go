package tcp

import (
	"net/netip"

	"github.com/nasight/nasight/schema"
)

// sumRow is a family that sums a counter over all sessions of an endpoint.
type sumRow struct {
	family  *schema.Family
	field   field
	divisor float64 // to the family's unit
}

var sumRows = [...]sumRow{
	{schema.EndpointBusy, fieldBusyTime, perSecond},
	{schema.EndpointReceiverLimited, fieldRwndLimited, perSecond},
	{schema.EndpointSenderLimited, fieldSndbufLimited, perSecond},
	{schema.EndpointSegmentsSent, fieldSegsOut, 1},
}

// maxEndpoints bounds what is remembered of endpoints without sessions.
const maxEndpoints = 4096

// sums keeps counters that go on rising while sessions come and go: a plain sum over the sessions of the moment falls
// when one ends, which a rate takes for a reset. The first run starts at the plain sum, so that separate moments of
// one host can be compared as well. The zero value is ready for use.
type sums struct {
	last   map[sessionKey]counters
	totals map[endpointKey]*[len(sumRows)]total
}

type sessionKey struct {
	remote, local netip.AddrPort
	cookie        uint64
}

// counters are a session's values of the rows when they were last seen.
type counters [len(sumRows)]uint64

// total is the sum of one row.
type total struct {
	value float64
	known bool // some session had the field
}

// of returns the sums of an endpoint that has been part of an update.
func (s *sums) of(key endpointKey) [len(sumRows)]total { return *s.totals[key] }

// update adds what every session has gained since the last update; a session not seen before has gained all it has.
func (s *sums) update(endpoints []endpoint) {
	now := make(map[sessionKey]counters, len(s.last))
	for i := range endpoints {
		totals := s.open(endpoints[i].key())
		for j := range endpoints[i].sessions {
			current := &endpoints[i].sessions[j]
			key := sessionKey{current.remote, current.local, current.cookie}
			now[key] = advance(totals, s.last[key], current)
		}
	}
	s.last = now
	if len(s.totals) > maxEndpoints {
		s.forget(endpoints)
	}
}

// advance adds one session's gains and returns its counters.
func advance(totals *[len(sumRows)]total, last counters, current *session) counters {
	for row := range sumRows {
		value, ok := current.info.value(sumRows[row].field)
		if !ok || !plausible(value) {
			continue
		}
		totals[row].known = true
		totals[row].value += float64(gain(last[row], value, sumRows[row].field.size == 4 && current.cookie != 0))
		last[row] = value
	}
	return last
}

// gain is the increase of a counter of one socket. A counter of four bytes wraps, if it is surely the same socket's: most
// texts of ss do not tell. Any other one that falls gains nothing.
func gain(last, value uint64, wraps bool) uint64 {
	if wraps {
		return uint64(uint32(value) - uint32(last))
	}
	return value - min(last, value)
}

func (s *sums) open(key endpointKey) *[len(sumRows)]total {
	if s.totals == nil {
		s.totals = map[endpointKey]*[len(sumRows)]total{}
	}
	if s.totals[key] == nil {
		s.totals[key] = new([len(sumRows)]total)
	}
	return s.totals[key]
}

// forget drops the endpoints that have no session now.
func (s *sums) forget(endpoints []endpoint) {
	kept := make(map[endpointKey]*[len(sumRows)]total, len(endpoints))
	for i := range endpoints {
		key := endpoints[i].key()
		kept[key] = s.totals[key]
	}
	s.totals = kept
}
