package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// volumeLimitDraft is for a volume that has a limit of its own.
func (p *pass) volumeLimitDraft(volume *fleet.Volume, v LimitVerdict) draft {
	limits := p.settings.Limit
	now := lastMoment(volume.Recent)
	summary := fmt.Sprintf("Volume %s moves %s of the %s that it is granted, %s.",
		volume.Identity.Volume, mebibytes(now.Throughput), mebibytes(now.Limit), percent(v.Utilisation))
	if v.Waiting {
		summary += fmt.Sprintf(" Its operations take %s, usually %s.", milliseconds(now.Latency), milliseconds(volume.Days.Latency))
	}
	judgement, certainty := fact{"samples of the last four at the limit", fleet.Value(v.Samples), "samples", atLeast(limits.Samples), ""}, limits.certainty(v)
	near := atLeast(limits.Near)
	switch {
	case v.Told:
		summary += told(v, limits)
		judgement.name, judgement.feature = "samples of the last four in which the service held it back", fleet.FeatureVolumeHeld
		certainty, near = p.settings.Hard.Scan, ""
	case !v.Waiting:
		summary += " The service tells of no throttling: it is inferred from means over five minutes."
	}
	summary += lowered(volume.Recent)
	facts := []fact{
		judgement,
		{"throughput over limit", v.Utilisation, "ratio", near, ""},
		{"throughput", now.Throughput, "bytes per second", "", fleet.FeatureVolumeThroughput},
		{"throughput granted", now.Limit, "bytes per second", "", fleet.FeatureVolumeLimit},
		{"latency over its baseline", v.Slowdown, unitFactor, atLeast(limits.Slowdown), ""},
		{"latency inside the service", now.Latency, "seconds", "", fleet.FeatureVolumeLatency},
		{"usual latency inside the service", volume.Days.Latency, "seconds", "", fleet.FeatureVolumeBaseline},
		{"variation of the highest quarter of an hour's samples", v.Variation, "ratio", "<= " + fmt.Sprint(limits.Plateau), ""},
	}
	return draft{
		name: Name{LimitReached, v.Variant}, severity: v.Severity, resource: volume.Resource(), coverage: 1,
		certainty: certainty, summary: summary, evidence: p.evidence(volume.Resource(), facts...),
		gain: limitGain(volume), remedy: p.moreForVolume(volume), affects: mountsOf(volume),
	}
}

func (l LimitSettings) certainty(v LimitVerdict) float64 {
	if v.Waiting {
		return l.Confident
	}
	return l.Inferred
}

// lastMoment is the newest sample of which throughput and limit are known.
func lastMoment(moments []fleet.Moment) fleet.Moment {
	for i := len(moments) - 1; i >= 0; i-- {
		if moments[i].Throughput.Over(moments[i].Limit).Known() {
			return moments[i]
		}
	}
	return fleet.Moment{Throughput: fleet.Unknown, Limit: fleet.Unknown, Operations: fleet.Unknown, Latency: fleet.Unknown}
}

// lowered names a limit that fell within the hour: a change of configuration, and the likely cause.
func lowered(moments []fleet.Moment) string {
	before, now := fleet.Unknown, fleet.Unknown
	for _, moment := range moments {
		if moment.Limit.Known() {
			now = moment.Limit
			if !before.Above(float64(now)) {
				before = now
			}
		}
	}
	if !now.Below(float64(before)) {
		return ""
	}
	return fmt.Sprintf(" The limit was lowered from %s within the last hour.", mebibytes(before))
}

// limitGain: what a limit cuts off cannot be seen. The pool's free throughput is there for the taking, and half of the
// limit is the most that demand is taken to be above it.
func limitGain(volume *fleet.Volume) *Gain {
	free := volume.Of.Available
	limit := lastMoment(volume.Recent).Limit
	if !volume.Of.Manual() || !free.Above(0) || !limit.Known() {
		return nil
	}
	return &Gain{Low: 0, High: min(float64(free), 0.5*float64(limit)), Unit: "bytes per second", Model: "the pool's free throughput, at most half the limit: demand above a limit is not seen"}
}

// mountsOf are the mounts that suffer with a volume.
func mountsOf(volumes ...*fleet.Volume) []fleet.Resource {
	var resources []fleet.Resource
	for _, volume := range volumes {
		for _, mount := range volume.Mounts {
			resources = append(resources, mount.Resource())
		}
	}
	return resources
}

// poolLimitDraft is for a pool whose volumes share its throughput and operations.
func (p *pass) poolLimitDraft(pool *fleet.Pool, v LimitVerdict) draft {
	limits, now := p.settings.Limit, lastMoment(pool.Recent)
	name, resource := pool.Identity.Pool, pool.Resource()
	summary := fmt.Sprintf("The volumes of pool %s together move %s of the %s that the pool has, %s.",
		name, mebibytes(now.Throughput), mebibytes(now.Limit), percent(v.Utilisation))
	facts := []fact{
		{"samples of the last four at the limit", fleet.Value(v.Samples), "samples", atLeast(limits.Samples), ""},
		{"throughput over limit", v.Utilisation, "ratio", atLeast(limits.Near), ""},
		{"throughput of the volumes", now.Throughput, "bytes per second", "", fleet.FeaturePoolThroughput},
		{"throughput of the pool", now.Limit, "bytes per second", "", fleet.FeaturePoolTotal},
	}
	if v.Variant == VariantIOPS {
		rate := newestRate(pool)
		summary = fmt.Sprintf("The volumes of pool %s together do %s of the %s that the pool may do, %s.",
			name, operations(rate), operations(pool.IOPS), percent(v.Utilisation))
		facts = []fact{
			facts[0],
			{"operations over limit", v.Utilisation, "ratio", atLeast(limits.NearIOPS), ""},
			{"operations of the volumes", rate, "operations per second", "", fleet.FeaturePoolOperations},
			{"operations that the pool may do", pool.IOPS, "operations per second", "", fleet.FeaturePoolIOPS},
		}
	}
	return draft{
		name: Name{LimitReached, v.Variant}, severity: v.Severity, resource: resource, coverage: 1, certainty: limits.certainty(v),
		summary:  summary + " The service tells of no throttling: it is inferred from means over five minutes.",
		evidence: p.evidence(resource, facts...), remedy: p.moreForPool(pool, v.Variant), affects: mountsOf(pool.Volumes...),
	}
}

func newestRate(pool *fleet.Pool) fleet.Value {
	rates := operationsOf(pool)
	for i := len(rates) - 1; i >= 0; i-- {
		if rates[i].Known() {
			return rates[i]
		}
	}
	return fleet.Unknown
}
