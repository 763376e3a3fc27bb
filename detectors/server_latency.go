package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// serverLatency asks of every endpoint whether its requests spend their time in the server.
func serverLatency(p *pass) []draft {
	var drafts []draft
	for client, endpoint := range p.endpoints() {
		c := p.sessionCase(client, endpoint)
		if c.waitsInServer() && !c.pathFull() {
			drafts = append(drafts, c.latencyDraft())
		}
	}
	return drafts
}

// waitsInServer: an operation takes three times a round trip on the same session, several are under way on each, and
// they neither queue in the client nor meet a path that drops.
func (c sessionCase) waitsInServer() bool {
	limits := c.settings.Latency
	return c.overRoundTrip().AtLeast(limits.RTTRatio) &&
		c.endpoint.OnWire().Over(c.sessions()).AtLeast(limits.Outstanding) &&
		c.outOfOrder().Below(limits.OutOfOrder) &&
		noQueue(c.endpoint.Protocol, c.endpoint.QueueShare(), limits.QueueShare)
}

// overRoundTrip is the operations' time on the wire and in the server over the sessions' smoothed round-trip time. Of several
// sessions the slowest counts: where the server is slow the round trips of all are short.
func (c sessionCase) overRoundTrip() fleet.Value { return c.endpoint.RTT().Over(c.slowestRTT()) }

func (c sessionCase) slowestRTT() fleet.Value {
	slowest := fleet.Unknown
	for _, session := range c.endpoint.Sessions {
		if session.RTT.Known() && session.Rate.Known() && !slowest.Above(float64(session.RTT)) {
			slowest = session.RTT
		}
	}
	return slowest
}

func (c sessionCase) latencyDraft() draft {
	e, limits := c.endpoint, c.settings.Latency
	severity := Info
	if e.RTT().Over(e.Baseline).AtLeast(limits.WarningSlowdown) {
		severity = Warning
	}
	facts := []fact{
		{"operation RTT over the slowest session's round trip", c.overRoundTrip(), unitFactor, atLeast(limits.RTTRatio), ""},
		{"operation RTT", e.RTT(), "seconds", "", fleet.FeatureRTT},
		{"smoothed round-trip time of the slowest session", c.slowestRTT(), "seconds", "", fleet.FeatureSessionRTT},
		{"requests on each session", e.OnWire().Over(c.sessions()), "requests", atLeast(limits.Outstanding), ""},
		{"out-of-order arrivals", c.outOfOrder(), "ratio", below(limits.OutOfOrder), fleet.FeatureSessionOutOfOrder},
		queueFact(e.Protocol, e.QueueShare(), limits.QueueShare),
		{"usual operation RTT", e.Baseline, "seconds", "", fleet.FeatureBaseline},
	}
	return draft{
		name: Name{ServerLatency, VariantServer}, severity: severity, resource: e.Resource(),
		coverage: float64(c.settings.coverage(c.client)),
		signals:  []signal{seen(weightServerTime), {weightVolume, e.VolumeUtilisation.Known(), true}},
		summary: fmt.Sprintf("Requests to %s wait in the server: an operation takes %s while a round trip takes %s, with %s under way.",
			e.Server, milliseconds(e.RTT()), milliseconds(c.slowestRTT()), plural(e.OnWire(), "request")),
		evidence: c.evidence(e.Resource(), facts...),
		remedy: []Remedy{{
			ByHand: handLook,
			What:   "Look at the server's side: the volume's throughput and latency, its limit, its neighbours.",
			Caveat: "More sessions or slots at this host would not help: they would wait in the server as well.",
		}},
	}
}
