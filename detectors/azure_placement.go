package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// serviceTime is how long operations take inside the service behind a mount, in seconds; missing where that is not known.
func (p *pass) serviceTime(mount *fleet.Mount) fleet.Value {
	switch {
	case mount.Volume != nil:
		return slowest(mount.Volume)
	case mount.Share != nil:
		return mount.Share.Load.Latency(mount.Share.Load.Server, fleet.Working)
	}
	return fleet.Unknown
}

// shareTimes are the two times that the service itself tells of a share's operations: with network and client, and without.
// They are means over all of the share's clients.
func shareTimes(share *fleet.Share) PathTimes {
	both := func(api string) bool {
		_, inside := share.Load.Server[api]
		_, whole := share.Load.EndToEnd[api]
		return inside && whole && fleet.Working(api)
	}
	return PathTimes{
		Operation: share.Load.Latency(share.Load.EndToEnd, both), Service: share.Load.Latency(share.Load.Server, both),
		Lowest: fleet.Unknown, Best: fleet.Unknown,
	}
}

// sharePlacement asks of every share whether its operations spend their time outside the service (7c): what the service tells
// of all clients together. Where a mount of the share was found for it that says more.
func (p *pass) sharePlacement(mounts []draft) []draft {
	found := map[fleet.Resource]bool{}
	for _, d := range mounts {
		r := d.resource
		r.Host, r.Server, r.Export, r.Protocol = "", "", "", ""
		found[r] = true
	}
	var drafts []draft
	for _, account := range p.view.Accounts {
		for _, share := range account.Shares {
			times := shareTimes(share)
			verdict := JudgePath(times, p.settings.Placement)
			if verdict.Cause != "" && !found[share.Identity] && !p.loadIdle(share.Load) {
				drafts = append(drafts, p.sharePlacementDraft(share, times, verdict))
			}
		}
	}
	return drafts
}

func (p *pass) sharePlacementDraft(share *fleet.Share, t PathTimes, v PathVerdict) draft {
	limits, resource := p.settings.Placement, share.Resource()
	return draft{
		name: Name{ClientBound, VariantPlacement}, severity: Info, resource: resource, coverage: 1,
		signals: []signal{seen(weightBothTimes), unseen(weightOtherClient), unseen(weightZone)},
		summary: fmt.Sprintf("Operations on share %s of account %s take %s, of which %s inside the service: %s are spent in the clients or on the way, as a mean over all clients.",
			resource.Volume, resource.Pool, milliseconds(t.Operation), milliseconds(t.Service), percent(v.Share)),
		evidence: p.evidence(resource,
			fact{"part of the operation's time outside the service", v.Share, "ratio", atLeast(limits.Share), ""},
			fact{"time outside the service", v.Outside, "seconds", atLeast(limits.Outside), ""},
			fact{"time with network and client", t.Operation, "seconds", "", fleet.FeatureShareEndToEnd},
			fact{"time inside the service", t.Service, "seconds", "", fleet.FeatureShareServer},
		),
		remedy: []Remedy{{
			What:    fmt.Sprintf("Run the clients in the share's region, %s, and on SSD in its zone; look at the clients first.", orWord(resource.Location, "as the account names it")),
			Command: "nasight check", Caveat: "The service does not tell its clients apart: one that is far away is enough. A client outside of the cloud cannot move.",
		}},
		affects: mountsOfShares(share),
	}
}
