package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// PathTimes are an operation's times in seconds, seen from both ends.
type PathTimes struct {
	Operation fleet.Value // at the client: from sending to reply
	Service   fleet.Value // inside the service
	Lowest    fleet.Value // lowest round trip of this client
	Best      fleet.Value // lowest round trip of any client of the same server; missing: there is no other client
}

// The causes of a PathVerdict.
const (
	PathZone    = "cross_zone"        // a nearer client exists, by the round trip alone
	PathUnclear = "client_or_network" // the time is spent outside the service
)

// PathVerdict is the judgement of PathTimes.
type PathVerdict struct {
	Cause   string      // empty: the service, or little time
	Outside fleet.Value // seconds
	Share   fleet.Value // of the operation's time
	Factor  fleet.Value // what one thread would gain beside the nearest client; missing where that is not the cause
}

// JudgePath tells whether an operation's time is spent outside the service (7c).
func JudgePath(t PathTimes, limits PlacementSettings) PathVerdict {
	v := PathVerdict{Outside: t.Operation - t.Service, Factor: fleet.Unknown}
	v.Share = v.Outside.Over(t.Operation)
	if !v.Share.AtLeast(limits.Share) || !v.Outside.AtLeast(limits.Outside) {
		return v
	}
	v.Cause = PathUnclear
	further := t.Lowest - t.Best
	if t.Lowest.Over(t.Best).AtLeast(limits.ZoneRTT) && further.AtLeast(limits.ZoneGap) {
		v.Cause, v.Factor = PathZone, t.Operation.Over(t.Operation-further)
	}
	return v
}

// placement asks of every mount whose volume is known whether its operations spend their time between client and service.
func placement(p *pass) []draft {
	best := p.nearest()
	var drafts []draft
	for client, endpoint := range p.endpoints() {
		for _, mount := range endpoint.Mounts {
			if mount.Volume == nil || MountIdle(mount, p.settings) {
				continue
			}
			times := PathTimes{
				Operation: mount.OnWire().Over(mount.Operations()), Service: slowest(mount.Volume),
				Lowest: endpoint.LowestRTT, Best: best.of(endpoint),
			}
			if verdict := JudgePath(times, p.settings.Placement); verdict.Cause != "" {
				drafts = append(drafts, p.placementDraft(client, endpoint, mount, times, verdict))
			}
		}
	}
	return drafts
}

// slowest is the highest of the service's newest samples: they are older than what the client measures, and each is a mean
// over five minutes, so the service gets the benefit of the doubt.
func slowest(volume *fleet.Volume) fleet.Value {
	highest := fleet.Unknown
	for _, moment := range volume.Recent[max(0, len(volume.Recent)-judged):] {
		if moment.Latency.Known() && !highest.Above(float64(moment.Latency)) {
			highest = moment.Latency
		}
	}
	return highest
}

// nearby are the lowest round trips to each server, and how many clients have told one.
type nearby map[[2]string]struct {
	lowest  fleet.Value
	clients int
}

func (p *pass) nearest() nearby {
	found := nearby{}
	for _, endpoint := range p.endpoints() {
		if !endpoint.LowestRTT.Above(0) {
			continue
		}
		server := [2]string{endpoint.Server, endpoint.Protocol}
		seen := found[server]
		if seen.clients++; seen.clients == 1 || endpoint.LowestRTT < seen.lowest {
			seen.lowest = endpoint.LowestRTT
		}
		found[server] = seen
	}
	return found
}

// of is the lowest round trip to the endpoint's server, missing if no other client has told one.
func (n nearby) of(endpoint *fleet.Endpoint) fleet.Value {
	if seen := n[[2]string{endpoint.Server, endpoint.Protocol}]; seen.clients > 1 {
		return seen.lowest
	}
	return fleet.Unknown
}

func (p *pass) placementDraft(client *fleet.Client, endpoint *fleet.Endpoint, mount *fleet.Mount, t PathTimes, v PathVerdict) draft {
	limits, resource := p.settings.Placement, mount.Resource()
	severity := Info
	if t.Operation.Over(endpoint.Baseline).AtLeast(limits.Slowdown) {
		severity = Warning
	}
	doubts := 0
	summary := fmt.Sprintf("Operations of %s on %s take %s, of which %s inside the service: %s are spent in the client or on the way.",
		mountedAt(mount), client.Host, milliseconds(t.Operation), milliseconds(t.Service), percent(v.Share))
	if endpoint.Retransmits.AtLeast(p.settings.Session.Retransmits) || client.CPU.Busy.AtLeast(p.settings.Client.Busy) {
		doubts, summary = 1, summary+" Packet loss or a busy client may be the cause."
	}
	if v.Cause == PathZone {
		summary += fmt.Sprintf(" A round trip takes %s at least, from the nearest client %s: this host is probably in another zone than the volume.", milliseconds(t.Lowest), milliseconds(t.Best))
	}
	d := draft{
		name: Name{ClientBound, VariantPlacement}, severity: severity, resource: resource, coverage: float64(p.settings.coverage(client)),
		signals: []signal{seen(weightBothTimes), {weightOtherClient, t.Best.Known(), true}, unseen(weightZone)},
		doubts:  doubts, summary: summary, remedy: placementRemedy(v),
		evidence: p.evidence(resource,
			fact{"part of the operation's time outside the service", v.Share, "ratio", atLeast(limits.Share), ""},
			fact{"time outside the service", v.Outside, "seconds", atLeast(limits.Outside), ""},
			fact{"operation RTT", t.Operation, "seconds", "", fleet.FeatureRTT},
			fact{"highest of the service's last four latencies", t.Service, "seconds", "", ""},
			fact{"lowest round trip of this host", t.Lowest, "seconds", "", fleet.FeatureLowestRTT},
			fact{"lowest round trip of the nearest client", t.Best, "seconds", "", ""},
		),
	}
	if v.Factor.AtLeast(1) {
		d.gain = &Gain{Low: 1, High: float64(v.Factor), Unit: "factor", Model: "one thread: throughput goes with 1 over the operation's time"}
	}
	return d
}

func placementRemedy(v PathVerdict) []Remedy {
	if v.Cause == PathZone {
		return []Remedy{{
			What:   "Run the work on a VM in the zone nearest to the volume.",
			Caveat: "Measure every zone of the region and take the lowest latency. A client outside of the cloud cannot move: this does not hold for it.",
		}}
	}
	return []Remedy{{
		What:    "Look at the client first: its processors, its run queue, its sessions; then at the path.",
		Command: "nasight check", Caveat: "Without a second client of the same server nearer and farther cannot be told apart.",
	}}
}
