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
	return keptOutstanding(mount).Below(limits.ThreadOutstanding) &&
		mount.Operations().AtLeast(limits.ThreadOperations) &&
		!endpoint.VolumeUtilisation.AtLeast(limits.ThreadVolumeFree) &&
		noQueue(mount.Protocol, mount.QueueShare(), limits.ThreadQueueShare)
}

// keptOutstanding is what the application keeps under way. Operations that a Windows client counts and does not time are taken
// to take as long as the others: without them several threads that mostly open files would pass for one.
func keptOutstanding(mount *fleet.Mount) fleet.Value {
	outstanding, all := mount.Outstanding(), mount.Operations()
	untimed, ok := mount.Classes[fleet.ClassMetadata]
	if !ok || untimed.Execute.Known() || !untimed.Rate.Above(0) {
		return outstanding
	}
	return outstanding * all.Over(all-untimed.Rate)
}

func (p *pass) threadDraft(client *fleet.Client, endpoint *fleet.Endpoint, mount *fleet.Mount) draft {
	limits := p.settings.Client
	kept := keptOutstanding(mount)
	each := kept.Over(mount.Operations())
	outstanding, time := fleet.FeatureOutstanding, fleet.FeatureExecute
	if mount.Shared || kept != mount.Outstanding() {
		outstanding, time = "", "" // made of rates and of times of which not all are counted with them: no single query gives that
	}
	facts := []fact{
		{"requests outstanding", kept, "requests", below(limits.ThreadOutstanding), outstanding},
		{"operations", mount.Operations(), "operations per second", atLeast(limits.ThreadOperations), fleet.FeatureRate},
		queueFact(mount.Protocol, mount.QueueShare(), limits.ThreadQueueShare),
		{"volume utilisation", endpoint.VolumeUtilisation, "ratio", below(limits.ThreadVolumeFree), ""},
		{"time of an operation", each, "seconds", "", time},
	}
	return draft{
		name: Name{ClientBound, VariantSingleThread}, severity: Info, resource: mount.Resource(),
		coverage: float64(p.settings.coverage(client)), signals: []signal{seen(weightThread)},
		summary: fmt.Sprintf("The application on %s keeps only %s outstanding: %s at %s each, so latency alone sets the pace.",
			mountedAt(mount), several(kept, "request"), operations(mount.Operations()), milliseconds(each)),
		evidence: p.evidence(mount.Resource(), facts...), gain: threadGain(client, endpoint),
		remedy: []Remedy{
			{ByHand: handWork, What: "Run several copies or readers in parallel, or use a parallel copy tool, asynchronous I/O or larger requests.",
				Caveat: "More sessions (" + moreOf(mount.Protocol) + ") cannot help one request at a time."},
			{ByHand: handMachine, What: "Move the client to the zone nearest to the volume.", Caveat: "Measure every zone: the lowest latency wins."},
		},
	}
}

// noQueue: requests hardly wait in the client. Clients of SMB and iSCSI do not tell, which lets the rule pass.
func noQueue(protocol string, share fleet.Value, limit float64) bool {
	return share.Below(limit) || protocol != fleet.NFS
}

// queueFact shows the wait in the client where it was judged.
func queueFact(protocol string, share fleet.Value, limit float64) fact {
	threshold := below(limit)
	if protocol != fleet.NFS {
		threshold = ""
	}
	return fact{"queue share of the execution time", share, "ratio", threshold, fleet.FeatureQueueShare}
}

// moreOf is what a protocol's option for more sessions is called.
func moreOf(protocol string) string {
	switch protocol {
	case fleet.SMB:
		return "max_channels"
	case fleet.ISCSI:
		return "nr_sessions"
	}
	return "nconnect"
}

// threadGain: k threads bring k times as much until the volume or the VM's network is full. Nil where neither is known.
func threadGain(client *fleet.Client, endpoint *fleet.Endpoint) *Gain {
	limit := math.Min(fleet.Value(1).Over(endpoint.VolumeUtilisation).Or(math.Inf(1)), fleet.Value(1).Over(networkUse(client)).Or(math.Inf(1)))
	if math.IsInf(limit, 1) {
		return nil
	}
	return &Gain{Low: 1, High: math.Max(1, limit), Unit: "factor", Model: "k threads bring k times as much until the volume or the network is full"}
}
