package detectors

import (
	"time"

	"github.com/nasight/nasight/fleet"
)

// cloudRules are those that judge the cloud's side, or both sides together.
func cloudRules() []Rule {
	const hour, week = time.Hour, 7 * 24 * time.Hour
	return []Rule{
		{
			// Three of the last four samples have to show it, which is part of the judgement: it fires at once.
			Detector: LimitReached,
			Variants: []string{VariantThroughput, VariantIOPS, VariantEgress, VariantIngress, VariantMetadata, VariantCredits},
			Question: "Does the service hold this volume or pool back now, or will it when the burst credits are gone?",
			Window:   hour, Timing: minutes(1, 1, 30*time.Minute),
			judge: limitReached,
		},
		{
			Detector: HardLimit, Variants: []string{VariantFile, VariantCapacity, VariantInodes, VariantSnapshots},
			Question: "Which hard limit will refuse work next?",
			Window:   4 * hour, Timing: minutes(1, 1, hour),
			judge: hardLimit,
		},
		{
			Detector: ClientBound, Variants: []string{VariantPlacement},
			Question: "Is the time of an operation spent between client and service?",
			Window:   20 * time.Minute, Timing: minutes(20, 30, 30*time.Minute),
			judge: placement,
		},
		{
			// What it judges is the least of a day: no second day is needed to fire.
			Detector: PoolThroughputUnused, Variants: []string{VariantUnallocated},
			Question: "What throughput does no volume have?",
			Window:   24 * hour, Clock: Daily, Timing: Timing{Needed: 1, Of: 1, Keep: 2},
			judge: poolUnallocated,
		},
		{
			Detector: PoolThroughputUnused, Variants: []string{VariantAllocatedUnused, VariantAutoQoS},
			Question: "What throughput does a volume have and not need?",
			Window:   week, Clock: Daily, Timing: Timing{Needed: 2, Of: 2, Keep: 2},
			judge: volumeUnused,
		},
		{
			Detector: PoolThroughputUnused, Variants: []string{VariantStranded, VariantLevelChange, VariantFlexCustom},
			Question: "Which action on the pool saves money?",
			Window:   week, Clock: Daily, Timing: Timing{Needed: 2, Of: 2, Keep: 2},
			judge: poolCash,
		},
		{
			Detector: BeyondEnvelope, Variants: []string{VariantEnvelope, VariantVolumeMaximum},
			Question: "Is throughput granted that this protocol, block size and share of reads can never reach?",
			Window:   week, Clock: Daily, Timing: Timing{Needed: 7, Of: 7, Keep: 2},
			judge: beyondEnvelope,
		},
		AnomalyRule(),
	}
}

// thinVolumes are the volumes of which too little is known for the rules that are due: for those of every minute their
// newest sample, for those of every day their week. An ONTAP-mode pool never has any. Samples that cease one by one say less
// and less, not that a limit is no longer reached.
func (p *pass) thinVolumes(due []Clock) []fleet.Resource {
	var thin []fleet.Resource
	for _, pool := range p.view.Pools {
		for _, volume := range pool.Volumes {
			for _, clock := range due {
				if p.thin(volume, clock) {
					thin = append(thin, volume.Resource())
					break
				}
			}
		}
	}
	return append(thin, p.thinShares(due)...)
}

func (p *pass) thin(volume *fleet.Volume, clock Clock) bool {
	if clock == Daily {
		return !volume.Days.Full || !volume.Days.Coverage.AtLeast(p.settings.MinimumCoverage)
	}
	return !newest(volume.Recent).Throughput.Known()
}
