package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// The service levels whose throughput comes with capacity, and what a GiB of each brings, in bytes per second.
const (
	levelStandard = "standard"
	levelPremium  = "premium"
	levelExtreme  = "extreme"
	levelUltra    = "ultra" // of Azure NetApp Files
)

func rateOf(level string) float64 {
	switch level {
	case levelStandard:
		return 16 << 10
	case levelPremium:
		return 64 << 10
	case levelExtreme, levelUltra:
		return 128 << 10
	}
	return 0
}

// readable tells whether a volume's own numbers can be taken for its demand.
func readable(volume *fleet.Volume) bool {
	switch volume.State {
	case "", "ready":
	default:
		return false
	}
	return volume.Kind != "migration"
}

// poolSeverity is a warning where a volume of the same pool lacks what lies idle.
func (p *pass) poolSeverity(pool *fleet.Pool) Severity {
	if p.starved(pool) {
		return Warning
	}
	return Info
}

// poolUnallocated asks of every manual-QoS pool whether it has throughput that no volume has (2a).
func poolUnallocated(p *pass) []draft {
	var drafts []draft
	for _, pool := range p.view.Pools {
		if !pool.Manual() || pool.Flex() {
			continue
		}
		share := PoolShare{Available: least(pool.Available, pool.AvailableLow), Assigned: pool.Assigned(), Total: pool.Total}
		if verdict := JudgeShare(share, p.settings.Pool); verdict.Fires {
			drafts = append(drafts, p.unallocatedDraft(pool, share, verdict))
		}
	}
	return drafts
}

// least is the smaller of what is known; it needs the present one.
func least(now, low fleet.Value) fleet.Value {
	if low.Below(float64(now)) {
		return low
	}
	return now
}

func (p *pass) unallocatedDraft(pool *fleet.Pool, share PoolShare, v ShareVerdict) draft {
	limits, resource := p.settings.Pool, pool.Resource()
	summary := fmt.Sprintf("Pool %s has %s of its %s that no volume has, %s.", pool.Identity.Pool, mebibytes(share.Available), mebibytes(v.Total), percent(v.Share))
	doubts := 0
	if !pool.AvailableThen.Known() {
		doubts, summary = 1, summary+" The inventory does not reach back a day: how long it has been so is not known."
	}
	if v.Mismatch {
		summary += fmt.Sprintf(" What volumes have and what is free do not add up to the pool's %s.", mebibytes(share.Total))
	}
	remedy := []Remedy{{What: "Give it to volumes that need it.", Command: planCommand(pool), Caveat: nothingCuts}}
	for _, volume := range pool.Volumes {
		if p.near[volume].Severity != 0 {
			remedy = append(remedy, p.moreForVolume(volume)[0])
		}
	}
	return draft{
		name: Name{PoolThroughputUnused, VariantUnallocated}, severity: p.poolSeverity(pool), resource: resource,
		coverage: 1, signals: []signal{seen(weightAllocation)}, doubts: doubts, summary: summary,
		evidence: p.evidence(resource, []fact{
			{"part of the pool's throughput that no volume has", v.Share, "ratio", atLeast(limits.UnallocatedShare), ""},
			{"least throughput of a day that no volume had", share.Available, "bytes per second", atLeast(limits.UnallocatedBytes), fleet.FeaturePoolAvailableLow},
			{"throughput that no volume has", pool.Available, "bytes per second", "", fleet.FeaturePoolAvailable},
			{"throughput that volumes have", share.Assigned, "bytes per second", "", fleet.FeatureVolumeAssigned},
			{"throughput of the pool", share.Total, "bytes per second", "", fleet.FeaturePoolTotal},
		}...),
		gain:   &Gain{Low: 0, High: float64(share.Available), Unit: "bytes per second", Model: "free throughput, as far as a volume wants it"},
		remedy: remedy,
	}
}
