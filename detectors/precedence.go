package detectors

import (
	"slices"

	"github.com/nasight/nasight/fleet"
)

// unranked findings compete with none: they are about money, space or the shape of a workload.
const unranked = 0

// rank is a finding's place among the causes, 1 the root of all. What stands lower may be the consequence of what
// stands higher on the same path.
func rank(name Name) int {
	switch name.Detector {
	case LimitReached:
		if name.Variant == VariantCredits {
			return unranked // a limit that is still to come holds nothing back now
		}
		return 1
	case ServerUnresponsive:
		return 2
	case ClientBound:
		return rankClient(name.Variant)
	case SessionSaturated:
		return 4
	case SMBMultichannel:
		return 5
	case ServerLatency:
		return 7
	case Anomaly:
		return 8
	}
	return unranked
}

func rankClient(variant string) int {
	switch variant {
	case VariantNetwork, VariantCPU:
		return 3
	case VariantSlotBudget:
		return unranked
	}
	return 6
}

// block tells each finding which others of its path have to be solved first: the highest ranked ones. Nothing is
// removed. A hint blocks nothing, and neither does a finding that has not fired or is gone; but placement waits for those that
// are on their way: it is what remains where nothing names the time between client and service, and some rules take longer than it.
func block(findings []Finding) {
	blockers := map[string][]*Finding{} // by host; without one also what affects hosts
	everywhere := []*Finding{}          // what names no host at all
	for i := range findings {
		f := &findings[i]
		if !mayBlock(*f) {
			continue
		}
		for _, host := range hostsOf(f) {
			blockers[host] = append(blockers[host], f)
		}
		if f.Resource.Host == "" && len(f.Affects) == 0 {
			everywhere = append(everywhere, f)
		}
	}
	for i := range findings {
		f := &findings[i]
		candidates := blockers[f.Resource.Host]
		if f.Resource.Host != "" {
			candidates = append(candidates[:len(candidates):len(candidates)], everywhere...)
		}
		f.BlockedBy = winners(f, candidates)
	}
	explain(findings)
}

// hostsOf are the hosts that a finding is about or that suffer from it, each once; the empty name stands for the cloud.
func hostsOf(f *Finding) []string {
	hosts := []string{f.Resource.Host}
	for _, resource := range f.Affects {
		if !slices.Contains(hosts, resource.Host) {
			hosts = append(hosts, resource.Host)
		}
	}
	return hosts
}

// onOnePath tells whether one finding's resource lies beneath the other's, or suffers from it.
func onOnePath(a, b *Finding) bool {
	beneath := func(one, other *Finding) bool {
		return slices.ContainsFunc(one.Affects, func(r fleet.Resource) bool { return chained(r, other.Resource) })
	}
	return chained(a.Resource, b.Resource) || beneath(a, b) || beneath(b, a)
}

func mayBlock(f Finding) bool {
	return rank(f.Name()) != unranked && !f.Hint && f.State != Resolved
}

// waits tells whether a finding on its way is one that the other waits for.
func (f *Finding) waits(other *Finding) bool {
	return other.State != Pending || f.Name() == Name{ClientBound, VariantPlacement}
}

// outlived tells whether a finding holds no more and is only kept for a while, where the other is about what cannot come from
// the past: a server that answers nothing now was not silenced by a limit that it reached before.
func (f *Finding) outlived(by *Finding) bool {
	return f.State == Keep && by.Detector == ServerUnresponsive
}

// winners are the ids of the highest ranked candidates, if they rank above the finding.
func winners(f *Finding, candidates []*Finding) []string {
	ids, best := []string{}, rank(f.Name())
	if best == unranked {
		return ids
	}
	for _, candidate := range candidates {
		place := rank(candidate.Name())
		if place > best || place == rank(f.Name()) || candidate.outlived(f) || !f.waits(candidate) || !onOnePath(candidate, f) {
			continue
		}
		if place < best {
			ids, best = ids[:0], place
		}
		ids = append(ids, candidate.ID)
	}
	return ids
}
