package tcp

import (
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// perSecond is the number of microseconds in a second: the kernel counts the former, the families the latter.
const perSecond = 1e6

// sessionRow is a family with one value per session.
type sessionRow struct {
	family *schema.Family
	field  field
}

var sessionRows = [...]sessionRow{
	{schema.SessionReceived, fieldBytesReceived},
	{schema.SessionAcked, fieldBytesAcked},
	{schema.SessionRetransmits, fieldTotalRetrans},
	{schema.SessionOutOfOrder, fieldOutOfOrder},
	{schema.SessionSegments, fieldSegsIn},
	{schema.SessionNotSent, fieldNotSent},
}

// addSessions gives as many sessions as the cap allows series of their own and returns the number left out.
func (c *Collector) addSessions(sink collectors.Sink, endpoints []endpoint) (left int) {
	implausible := 0
	for i, share := range shares(endpoints, c.limit) {
		e := &endpoints[i]
		server := e.address.String()
		for _, s := range e.sessions[:share] {
			implausible += c.addSession(sink, s.info, server, e.protocol, s.local.String())
		}
		left += len(e.sessions) - share
	}
	if implausible > 0 {
		sink.Skip("implausible_value", implausible)
	}
	return left
}

// addSession adds the series of one session and returns the number of values that cannot be right.
func (c *Collector) addSession(sink collectors.Sink, found info, server, protocol, label string) (implausible int) {
	for _, row := range sessionRows {
		value, ok := found.value(row.field)
		if !ok {
			continue
		}
		if !plausible(value) {
			implausible++
			continue
		}
		sink.Add(row.family, float64(value), c.host, server, protocol, label)
	}
	if rtt, ok := found.measured(fieldRTT); ok {
		sink.Add(schema.SessionRTT, float64(rtt)/perSecond, c.host, server, protocol, label)
	}
	if rtt, ok := found.minRTT(); ok {
		sink.Add(schema.SessionMinRTT, float64(rtt)/perSecond, c.host, server, protocol, label)
	}
	return implausible
}

// shares divides the cap among endpoints: each gets one session after the other in turn, so that a server with
// thousands of sessions hides no other one. The same sessions always give the same shares.
func shares(endpoints []endpoint, limit int) []int {
	given := make([]int, len(endpoints))
	for more := true; more; {
		more = false
		for i := range endpoints {
			if limit > 0 && given[i] < len(endpoints[i].sessions) {
				given[i]++
				limit--
				more = true
			}
		}
	}
	return given
}
