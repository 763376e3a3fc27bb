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
	PathZone    = "cross_zone"        // a nearer client exists by the round trips, or the zones differ by name
	PathUnclear = "client_or_network" // the time is spent outside the service
)

// PathVerdict is the judgement of PathTimes.
type PathVerdict struct {
	Cause   string      // empty: the service, or little time
	Outside fleet.Value // seconds
	Share   fleet.Value // of the operation's time
	Factor  fleet.Value // what one thread would gain beside the nearest client; missing where none is nearer
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

// route is a mount's way to its volume.
type route struct {
	client   *fleet.Client
	endpoint *fleet.Endpoint
	mount    *fleet.Mount
	times    PathTimes
	zones    PathZones
}

// placement asks of every mount whose volume is known whether its operations spend their time between client and service.
func placement(p *pass) []draft {
	best := p.nearest()
	var drafts []draft
	for client, endpoint := range p.endpoints() {
		for _, mount := range endpoint.Mounts {
			if mount.Cloud() == (fleet.Resource{}) || MountIdle(mount, p.settings) {
				continue
			}
			way := route{client: client, endpoint: endpoint, mount: mount, zones: best.zonesOf(client, endpoint, mount.Volume), times: PathTimes{
				Operation: mount.OnWire().Over(mount.Operations()), Service: p.serviceTime(mount),
				Lowest: endpoint.LowestRTT, Best: best.of(endpoint),
			}}
			verdict := JudgePath(way.times, p.settings.Placement)
			verdict = verdict.Located(way.times, way.zones, p.settings.Placement)
			if verdict.Cause == PathZone || verdict.Cause == PathUnclear && !p.volumeFull(endpoint) {
				drafts = append(drafts, p.placementDraft(way, verdict))
			}
		}
	}
	return append(drafts, p.sharePlacement(drafts)...)
}

// volumeFull: what waits at a volume's limit is in the service's latency only minutes after the client has measured it, and looks
// like time of the path until then. A nearer zone is told by round trips, which do not wait there.
func (p *pass) volumeFull(endpoint *fleet.Endpoint) bool {
	return endpoint.VolumeUtilisation.AtLeast(p.settings.Session.VolumeFree)
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

// nearby are the lowest round trips to each server, and how many clients have told one, in which zones.
type nearby map[[2]string]*nearest

type nearest struct {
	lowest  fleet.Value
	clients int
	zones   map[string]bool
}

func (p *pass) nearest() nearby {
	found := nearby{}
	for client, endpoint := range p.endpoints() {
		if !endpoint.LowestRTT.Above(0) {
			continue
		}
		server := [2]string{endpoint.Server, endpoint.Protocol}
		seen, ok := found[server]
		if !ok {
			seen = &nearest{lowest: endpoint.LowestRTT, zones: map[string]bool{}}
			found[server] = seen
		}
		seen.clients++
		seen.lowest = min(seen.lowest, endpoint.LowestRTT)
		seen.zones[client.Place().Zone] = true
	}
	return found
}

// of is the lowest round trip to the endpoint's server, missing if no other client has told one.
func (n nearby) of(endpoint *fleet.Endpoint) fleet.Value {
	if seen := n[[2]string{endpoint.Server, endpoint.Protocol}]; seen != nil && seen.clients > 1 {
		return seen.lowest
	}
	return fleet.Unknown
}

func (p *pass) placementDraft(way route, v PathVerdict) draft {
	limits, resource, t := p.settings.Placement, way.mount.Resource(), way.times
	severity := Info
	if t.Operation.Over(way.endpoint.Baseline).AtLeast(limits.Slowdown) {
		severity = Warning
	}
	doubts := 0
	summary := fmt.Sprintf("Operations of %s on %s take %s, of which %s inside the service: %s are spent in the client or on the way.",
		mountedAt(way.mount), way.client.Host, milliseconds(t.Operation), milliseconds(t.Service), percent(v.Share))
	if way.endpoint.Retransmits.AtLeast(p.settings.Session.Retransmits) || way.client.CPU.Busy.AtLeast(p.settings.Client.Busy) {
		doubts, summary = 1, summary+" Packet loss or a busy client may be the cause."
	}
	d := draft{
		name: Name{ClientBound, VariantPlacement}, severity: severity, resource: resource, coverage: float64(p.settings.coverage(way.client)),
		signals: placementSignals(way, v),
		doubts:  doubts, summary: summary + way.words(v) + way.zones.words(v), remedy: placementRemedy(way, v),
		evidence: p.evidence(resource,
			fact{"part of the operation's time outside the service", v.Share, "ratio", atLeast(limits.Share), ""},
			fact{"time outside the service", v.Outside, "seconds", atLeast(limits.Outside), ""},
			fact{"operation RTT", t.Operation, "seconds", "", fleet.FeatureRTT},
			fact{"highest of the service's last four latencies", t.Service, "seconds", "", ""},
			fact{"lowest round trip of this host", t.Lowest, "seconds", "", fleet.FeatureLowestRTT},
			fact{"lowest round trip of the nearest client", t.Best, "seconds", "", ""},
			way.zones.fact(),
		),
	}
	if v.Factor.AtLeast(1) {
		d.gain = &Gain{Low: 1, High: float64(v.Factor), Unit: "factor", Model: "one thread: throughput goes with 1 over the operation's time"}
	}
	return d
}

// words tell of the round trips that show a nearer client, and what that means as long as no name of a zone tells it.
func (r route) words(v PathVerdict) string {
	if !v.nearer() {
		return ""
	}
	words := fmt.Sprintf(" A round trip takes %s at least, from the nearest client %s", milliseconds(r.times.Lowest), milliseconds(r.times.Best))
	if r.zones.Distance == fleet.DistanceUnknown {
		words += ": this host is probably in another zone than the volume"
	}
	return words + "."
}

func placementRemedy(way route, v PathVerdict) []Remedy {
	switch {
	case v.Cause == PathZone && way.zones.Distance.Apart():
		return way.zones.remedy(way.client.Instance)
	case v.Cause == PathZone:
		return []Remedy{{
			ByHand: handMachine,
			What:   "Run the work on a VM in the zone nearest to the volume.",
			Caveat: "Measure every zone of the region and take the lowest latency. A client outside of the cloud cannot move: this does not hold for it.",
		}}
	}
	look := Remedy{
		What:    "Look at the client first: its processors, its run queue, its sessions; then at the path.",
		Command: "nasight check", Caveat: "Without a second client of the same server nearer and farther cannot be told apart.",
	}
	if way.zones.Distance != fleet.DistanceUnknown {
		look.Caveat = ""
	}
	return []Remedy{look}
}
