package detectors

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// What an action on a capacity pool of Azure NetApp Files saves. Pools are sold in whole TiB from one on; a Flexible pool's
// throughput is bought apart from its capacity and given out to its volumes by hand.

// levelFlexible is the service level whose throughput is bought apart from capacity.
const levelFlexible = "flexible"

// JudgeCapacityTiB is JudgeCapacity for pools that are sold in whole TiB.
func JudgeCapacityTiB(c CapacityCase, limits PoolSettings) CapacityVerdict {
	limits.MinimumGiB = gibPerTiB
	v := JudgeCapacity(c, limits)
	v.Least = fleet.Value(gibPerTiB * tebibytesOf(float64(v.Least)))
	v.Stranded = max(0, c.GiB-v.Least)
	v.USD = v.Stranded * c.Price
	v.Fires = v.Stranded.Over(c.GiB).AtLeast(limits.StrandedShare) && v.Stranded.Above(0) && worth(v.USD, limits)
	return v
}

// FlexibleCase is a Flexible pool. Throughput is in bytes per second.
type FlexibleCase struct {
	Throughput fleet.Value // that the pool has
	Need       fleet.Value // headroom × the 99th percentile of the volumes' sum
	PriceMiBps fleet.Value // USD of a MiB/s-month; missing: money is not spoken of
}

// FlexibleVerdict is the judgement of a FlexibleCase.
type FlexibleVerdict struct {
	MiBps float64     // what would do, whole
	Idle  fleet.Value // bytes per second beyond that
	USD   fleet.Value // of a month; missing without a price
	Fires bool
}

// JudgeFlexible tells whether a Flexible pool has bought more throughput than it needs. What it has for nothing is never
// saved.
func JudgeFlexible(c FlexibleCase, limits PoolSettings) FlexibleVerdict {
	v := FlexibleVerdict{Idle: fleet.Unknown, USD: fleet.Unknown}
	if !c.Throughput.Above(0) || !c.Need.Known() {
		return v
	}
	v.MiBps = math.Max(netappIncluded, mibs(c.Need))
	v.Idle = c.Throughput - fleet.Value(v.MiBps*mebibyte)
	v.USD = v.Idle / mebibyte * c.PriceMiBps
	v.Fires = v.Idle.AtLeast(limits.UnallocatedBytes) && worth(v.USD, limits)
	return v
}

func (p *pass) flexibleDraft(pool *fleet.Pool) []draft {
	price, rows := p.priced(pool, pool.ServiceLevel, itemThroughput)
	c := FlexibleCase{Throughput: pool.Total, Need: p.need(pool), PriceMiBps: price}
	v := JudgeFlexible(c, p.settings.Pool)
	if !v.Fires {
		return nil
	}
	summary := fmt.Sprintf("Flexible pool %s has %s bought; its volumes together need %.0f MiB/s.", pool.Identity.Pool, mebibytes(c.Throughput), v.MiBps)
	caveat := "Means over five minutes hide shorter bursts."
	if assigned := pool.Assigned(); assigned.Above(v.MiBps * mebibyte) {
		caveat = fmt.Sprintf("Its volumes hold %s: lower them first, see nasight plan. ", mebibytes(assigned)) + caveat
	}
	return []draft{p.cashDraft(pool, VariantFlexCustom, summary, v.USD, rows, []fact{
		{"throughput not needed", v.Idle, "bytes per second", atLeast(p.settings.Pool.UnallocatedBytes), ""},
		{"throughput of the pool", c.Throughput, "bytes per second", "", fleet.FeaturePoolTotal},
		{"99th percentile of the volumes' sum", pool.Days.P99, "bytes per second", "", fleet.FeaturePoolP99},
		{"highest sample of one volume in up to 35 days", highestOf(pool), "bytes per second", "", ""},
	}, Remedy{
		What:    fmt.Sprintf("Lower the pool to %.0f MiB/s.", v.MiBps),
		Command: planCommand(pool) + "\n" + azPoolThroughput(pool, fmt.Sprintf("%.0f", v.MiBps)), Caveat: caveat,
		Sets: []Setting{{Resource: pool.Identity, Property: SetThroughput, To: v.MiBps, Command: azPoolThroughput(pool, fmt.Sprintf("%.0f", v.MiBps))}},
	})}
}

// lowerLevel is the service level that volumes of a pool could be moved to; empty for none.
func lowerLevel(pool *fleet.Pool) string {
	switch {
	case netapp(pool.Identity) && pool.ServiceLevel == levelUltra:
		return levelPremium
	case netapp(pool.Identity) && pool.ServiceLevel == levelPremium:
		return levelStandard
	case !netapp(pool.Identity) && pool.ServiceLevel == levelExtreme:
		return levelPremium
	}
	return ""
}

// moveRemedy is how the volumes of a pool come to a lower level. The pool of that level is as large as this one, or should be.
func (p *pass) moveRemedy(pool *fleet.Pool, level string) Remedy {
	gib := math.Ceil(float64(pool.Capacity) / gibibyte)
	if asked, _ := p.poolSize(pool); asked > gib {
		gib = asked
	}
	if netapp(pool.Identity) {
		return Remedy{
			What:    fmt.Sprintf("Make a %s pool of the same capacity in the account, move the volumes to it one by one, and delete this pool.", titled(level)),
			Command: azMove(pool, level, gib),
			Caveat: "Moving interrupts nothing; a volume that was moved to a lower level can be moved back after 24 hours. " +
				"A volume's own limit falls with its level unless QoS is manual: check each volume's peak first. Do not add this saving to that of a smaller pool: it is of the same capacity.",
		}
	}
	return Remedy{
		What:    fmt.Sprintf("Make a %s pool of the same capacity, reassign the volumes to it one by one, and delete this pool.", titled(level)),
		Command: gcloudMove(pool, level, gib),
		Caveat:  "Delete the old pool when it has no volume left: it is billed until then. Give the new one the same directory and key policy, if it has any. Reassigning interrupts nothing. A volume's own limit halves with its capacity unless QoS is manual: check each volume's peak first. Do not add this saving to that of a smaller pool: it is of the same capacity.",
	}
}
