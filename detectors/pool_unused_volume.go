package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// volumeUnused asks of every volume with a limit of its own whether it needs what it has: assigned by hand (2b) or by
// capacity (2c). On Flex the pool shares its throughput, and ONTAP-mode pools tell nothing of their volumes.
func volumeUnused(p *pass) []draft {
	var drafts []draft
	for _, pool := range p.view.Pools {
		if pool.Flex() || pool.ONTAP() {
			continue
		}
		for _, volume := range pool.Volumes {
			if !readable(volume) {
				continue
			}
			demand := p.demand(volume)
			if verdict := JudgeDemand(demand, p.settings.MinimumCoverage, p.settings.Pool); verdict.State == DemandFires {
				drafts = append(drafts, p.unusedDraft(volume, demand, verdict))
			}
		}
	}
	return append(drafts, p.sharesUnused()...)
}

func (p *pass) demand(volume *fleet.Volume) VolumeDemand {
	d, bounds := volume.Days, p.clientBounds()
	demand := VolumeDemand{
		Has: volumeLimit(volume), P99: d.P99, Before: d.Before, Max: d.Highest(), Coverage: d.Coverage, Full: d.Full,
		Bound: fleet.Unknown, AtLimit: p.near[volume].Severity != 0,
	}
	for _, mount := range volume.Mounts {
		if factor := bounds[mount.Host+"\x00"+mount.Server]; factor > demand.Bound.Or(1) {
			demand.Bound = fleet.Value(factor)
		}
	}
	return demand
}

// volumeLimit is the throughput that a volume has: as assigned by hand, else as the service grants it, else by capacity.
func volumeLimit(volume *fleet.Volume) fleet.Value {
	switch {
	case volume.Of.Manual() && volume.Assigned.Above(0):
		return volume.Assigned
	case volume.Limit.Above(0):
		return volume.Limit
	case rateOf(volume.Of.ServiceLevel) > 0 && !volume.Of.Manual() && !volume.Of.AutoTiering:
		return volume.Capacity / gibibyte * fleet.Value(rateOf(volume.Of.ServiceLevel))
	}
	return fleet.Unknown
}

// clientBounds are the endpoints that their own client holds back, with what lifting that would bring: what volumes behind
// them are seen to use is suppressed.
func (p *pass) clientBounds() map[string]float64 {
	if p.bounds != nil {
		return p.bounds
	}
	bounds := map[string]float64{}
	p.bounds = bounds
	for _, d := range sessionSaturated(p) {
		if d.gain != nil && d.gain.Unit == "factor" {
			key := d.resource.Host + "\x00" + d.resource.Server
			bounds[key] = math.Max(bounds[key], d.gain.Low)
		}
	}
	return bounds
}

func (p *pass) unusedDraft(volume *fleet.Volume, d VolumeDemand, v DemandVerdict) draft {
	limits, resource, days := p.settings.Pool, volume.Resource(), volume.Days
	variant, has := VariantAllocatedUnused, "assigned"
	if !volume.Of.Manual() {
		variant, has = VariantAutoQoS, "by its capacity"
	}
	summary := fmt.Sprintf("Volume %s has %s %s and needs %s: 99 %% of a week's samples are below %s, the highest%s is %s.",
		resource.Volume, mebibytes(d.Has), has, mebibytes(v.Need), mebibytes(d.P99), ofDays(days.PeakDays), mebibytes(d.Max))
	if d.Bound.Above(1) {
		summary += fmt.Sprintf(" A client's own bound holds it back; the need is taken as %s times what was seen.", number(min(d.Bound, fleet.Value(limits.Suppressed))))
	}
	summary += failover(volume, p)
	return draft{
		name: Name{PoolThroughputUnused, variant}, severity: p.poolSeverity(volume.Of), resource: resource, coverage: float64(d.Coverage),
		signals: []signal{seen(weightHistory), seen(weightAllocation), unseen(weightClientData), {weightStable, d.Before.Known(), v.Stable}},
		summary: summary,
		evidence: p.evidence(resource, []fact{
			{"throughput that it does not need, of what it has", v.Slack.Over(d.Has), "ratio", atLeast(limits.SlackShare), ""},
			{"throughput that it does not need", v.Slack, "bytes per second", atLeast(limits.SlackBytes), ""},
			{"highest sample over what it has", d.Max.Over(d.Has), "ratio", "<= " + fmt.Sprint(limits.Bursty), ""},
			{"throughput that it has", d.Has, "bytes per second", "", hasFeature(volume)},
			{"99th percentile of its samples", d.P99, "bytes per second", "", fleet.FeatureVolumeP99},
			{"95th percentile of its samples", days.P95, "bytes per second", "", fleet.FeatureVolumeP95},
			{"highest sample", d.Max, "bytes per second", "", fleet.FeatureVolumePeak},
			{"days that the highest sample is of", days.PeakDays, "days", "", ""},
			{"highest sample of the week", days.Max, "bytes per second", "", fleet.FeatureVolumeMax},
			{"99th percentile of the week before", d.Before, "bytes per second", "", fleet.FeatureVolumeBefore},
			{"samples received over expected", d.Coverage, "ratio", atLeast(p.settings.MinimumCoverage), fleet.FeatureVolumeCoverage},
		}...),
		gain:   &Gain{Low: 0, High: float64(v.Slack), Unit: "bytes per second", Model: "what it has less 1.2 × forecast, as far as another volume wants it"},
		remedy: p.unusedRemedy(volume, v, d.Max),
	}
}

func hasFeature(volume *fleet.Volume) string {
	if volume.Of.Manual() {
		return fleet.FeatureVolumeAssigned
	}
	return fleet.FeatureVolumeLimit
}

// failover shows what a replication's destination will need once it is the source.
func failover(volume *fleet.Volume, p *pass) string {
	for _, replication := range volume.Replications {
		if replication.Role != "destination" {
			continue
		}
		for _, pool := range p.view.Pools {
			for _, source := range pool.Volumes {
				if fullName(source) == replication.Source && source.Days.P99.Known() {
					return fmt.Sprintf(" It is the destination of a replication: after a failover it needs the %s of its source.",
						mebibytes(fleet.Value(p.settings.Pool.Headroom)*source.Days.P99))
				}
			}
		}
		return " It is the destination of a replication: after a failover it needs what its source needs."
	}
	return ""
}

func fullName(volume *fleet.Volume) string {
	id := volume.Identity
	return "projects/" + id.Project + "/locations/" + id.Location + "/volumes/" + id.Volume
}

// ofDays says how many days a peak is of, where that is known.
func ofDays(days fleet.Value) string {
	if !days.AtLeast(1) {
		return ""
	}
	return fmt.Sprintf(" of %.0f days", math.Floor(float64(days)))
}

// unusedRemedy advises nothing that would cut off what the volume was seen to use.
func (p *pass) unusedRemedy(volume *fleet.Volume, v DemandVerdict, peak fleet.Value) []Remedy {
	if volume.Of.Manual() {
		least := leastLimit(v, peak)
		alone := Remedy{
			What:   fmt.Sprintf("Or lower this volume alone: it needs no more than %.0f MiB/s.", least),
			Caveat: "Saves nothing by itself: it frees throughput for others. A plan leaves the volume its part of what nobody needs as well: not both.",
		}
		alone.Command, alone.Sets = limitTo(volume, least)
		return []Remedy{{What: "Share the pool's throughput by need.", Command: planCommand(volume.Of), Caveat: "Means over five minutes hide shorter bursts. " + nothingCuts}, alone}
	}
	return append([]Remedy{
		{What: "Make the pool's QoS manual, so that other volumes can have it.", Command: toManual(volume.Of) + "\n" + planCommand(volume.Of), Caveat: oneWay(volume.Of)},
	}, p.smallerVolume(volume, max(v.Need, peak))...)
}

// leastLimit is the limit in MiB/s that a volume is lowered to: what it needs and was seen to use, and no less than a plan leaves a
// quiet one.
func leastLimit(v DemandVerdict, peak fleet.Value) float64 {
	const floor = 64
	return math.Max(floor, mibs(max(v.Need, peak)))
}
