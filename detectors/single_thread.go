package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// singleThread asks of every mount whether its application waits for one request at a time.
func singleThread(p *pass) []draft {
	var drafts []draft
	for client, endpoint := range p.endpoints() {
		for _, mount := range endpoint.Mounts {
			if !MountIdle(mount, p.settings) && p.oneAtATime(mount, endpoint) {
				drafts = append(drafts, p.threadDraft(client, endpoint, mount))
			}
		}
	}
	return drafts
}

// oneAtATime: hardly ever two requests outstanding, steady work, no queueing in the client, and a volume with room.
func (p *pass) oneAtATime(mount *fleet.Mount, endpoint *fleet.Endpoint) bool {
	limits := p.settings.Client
	return mount.Outstanding().Below(limits.ThreadOutstanding) &&
		mount.Operations().AtLeast(limits.ThreadOperations) &&
		!endpoint.VolumeUtilisation.AtLeast(limits.ThreadVolumeFree) &&
		mountQueueShare(mount).Below(limits.ThreadQueueShare)
}

func mountQueueShare(mount *fleet.Mount) fleet.Value {
	outstanding, onWire := mount.Outstanding(), mount.OnWire()
	if !outstanding.Known() || !onWire.Known() {
		return fleet.Unknown
	}
	return max(outstanding-onWire, 0).Over(outstanding)
}

func (p *pass) threadDraft(client *fleet.Client, endpoint *fleet.Endpoint, mount *fleet.Mount) draft {
	limits := p.settings.Client
	each := mount.Outstanding().Over(mount.Operations())
	facts := []fact{
		{"requests outstanding", mount.Outstanding(), "requests", below(limits.ThreadOutstanding), fleet.FeatureOutstanding},
		{"operations", mount.Operations(), "operations per second", atLeast(limits.ThreadOperations), fleet.FeatureRate},
		{"queue share of the execution time", mountQueueShare(mount), "ratio", below(limits.ThreadQueueShare), fleet.FeatureQueueShare},
		{"volume utilisation", endpoint.VolumeUtilisation, "ratio", below(limits.ThreadVolumeFree), ""},
		{"time of an operation", each, "seconds", "", fleet.FeatureExecute},
	}
	return draft{
		name: Name{ClientBound, VariantSingleThread}, severity: Info, resource: mount.Resource(),
		coverage: float64(p.settings.coverage(client)), signals: []signal{seen(weightThread)},
		summary: fmt.Sprintf("The application on %s keeps only %s outstanding: %s at %s each, so latency alone sets the pace.",
			mountedAt(mount), number(mount.Outstanding())+" requests", operations(mount.Operations()), milliseconds(each)),
		evidence: p.evidence(mount.Resource(), facts...), gain: threadGain(client, endpoint),
		remedy: []Remedy{
			{What: "Run several copies or readers in parallel, or use a parallel copy tool, asynchronous I/O or larger requests.",
				Caveat: "More sessions (nconnect) cannot help one request at a time."},
			{What: "Move the client to the zone nearest to the volume.", Caveat: "Measure every zone: the lowest latency wins."},
		},
	}
}

// threadGain: k threads bring k times as much until the volume or the VM's network is full. Nil where neither is known.
func threadGain(client *fleet.Client, endpoint *fleet.Endpoint) *Gain {
	limit := math.Min(fleet.Value(1).Over(endpoint.VolumeUtilisation).Or(math.Inf(1)), fleet.Value(1).Over(networkUse(client)).Or(math.Inf(1)))
	if math.IsInf(limit, 1) {
		return nil
	}
	return &Gain{Low: 1, High: math.Max(1, limit), Unit: "factor", Model: "k threads bring k times as much until the volume or the network is full"}
}
