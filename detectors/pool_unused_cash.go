package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// Money. It is never one number: unused throughput of a level whose throughput comes with capacity is worth nothing by
// itself, only through an action on the pool; on Flex it is billed; between volumes of one pool it moves for nothing.

// poolCash asks of every pool whether an action on it would save money (2d and 2e).
func poolCash(p *pass) []draft {
	var drafts []draft
	for _, pool := range p.view.Pools {
		if pool.ONTAP() || !p.readAll(pool) {
			continue
		}
		switch {
		case pool.Flex() && pool.Custom:
			drafts = append(drafts, p.flexDraft(pool)...)
		case rateOf(pool.ServiceLevel) > 0 && !pool.AutoTiering:
			// With auto-tiering throughput comes with the hot tier and not with capacity.
			drafts = append(drafts, p.strandedDraft(pool)...)
			drafts = append(drafts, p.levelDraft(pool)...)
		}
	}
	return drafts
}

// readAll tells whether every volume of the pool has a week of samples: the sum over some of them is no sum.
func (p *pass) readAll(pool *fleet.Pool) bool {
	for _, volume := range pool.Volumes {
		if !volume.Days.Full || !volume.Days.Coverage.AtLeast(p.settings.MinimumCoverage) {
			return false
		}
	}
	return len(pool.Volumes) > 0
}

// coverageOf is the thinnest of a pool's volumes.
func coverageOf(pool *fleet.Pool) float64 {
	least := 1.0
	for _, volume := range pool.Volumes {
		least = min(least, volume.Days.Coverage.Or(0))
	}
	return least
}

func (p *pass) cashDraft(pool *fleet.Pool, variant, summary string, usd fleet.Value, rows []PriceRow, facts []fact, remedy Remedy) draft {
	if usd.Known() {
		summary += fmt.Sprintf(" That is %s USD a month.", whole(usd))
	} else {
		summary += " What that costs is not known: no price was given."
	}
	for _, row := range rows {
		facts = append(facts, fact{"price of " + row.Item + " (" + row.basis() + ")", row.month(), "USD per month", "", ""})
	}
	facts = append(facts, fact{"saving", usd, "USD per month", "", ""})
	stable := true
	for _, volume := range pool.Volumes {
		d := volume.Days
		change := (d.P99 - d.Before).Over(d.P99)
		stable = stable && change.AtLeast(-p.settings.Pool.Stable) && !change.Above(p.settings.Pool.Stable)
	}
	return draft{
		name: Name{PoolThroughputUnused, variant}, severity: p.poolSeverity(pool), resource: pool.Resource(), coverage: coverageOf(pool),
		signals: []signal{seen(weightHistory), seen(weightAllocation), unseen(weightClientData), {weightStable, stable, stable}},
		summary: summary, evidence: p.evidence(pool.Resource(), facts...), waste: usd, remedy: []Remedy{remedy},
	}
}

// need is the headroom over the 99th percentile of the volumes' sum, which is less than the sum of their percentiles.
func (p *pass) need(percentile fleet.Value) fleet.Value {
	return fleet.Value(p.settings.Pool.Headroom) * percentile
}

// priced is a row's month and the row itself, if there is one.
func (p *pass) priced(pool *fleet.Pool, level, item string) (fleet.Value, []PriceRow) {
	row, ok := p.settings.price(pool, level, item)
	if !ok {
		return fleet.Unknown, nil
	}
	return row.month(), []PriceRow{row}
}

func (p *pass) strandedDraft(pool *fleet.Pool) []draft {
	price, rows := p.priced(pool, pool.ServiceLevel, itemCapacity)
	c := CapacityCase{
		GiB: pool.Capacity / gibibyte, VolumesGiB: volumesGiB(pool), Need: p.need(pool.Days.P99),
		Rate: rateOf(pool.ServiceLevel), Price: price,
	}
	v := JudgeCapacity(c, p.settings.Pool)
	if !v.Fires {
		return nil
	}
	idle := v.Stranded * fleet.Value(c.Rate)
	summary := fmt.Sprintf("Pool %s has %s GiB that neither its data nor its throughput needs, and with them %s: %s GiB would do for all of its volumes at %s.",
		pool.Identity.Pool, whole(v.Stranded), mebibytes(idle), whole(v.Least), mebibytes(c.Need))
	return []draft{p.cashDraft(pool, VariantStranded, summary, v.USD, rows, []fact{
		{"capacity not needed, of the pool's", v.Stranded.Over(c.GiB), "ratio", atLeast(p.settings.Pool.StrandedShare), ""},
		{"capacity not needed", v.Stranded * gibibyte, "bytes", "", ""},
		{"throughput that comes with it", idle, "bytes per second", "", ""},
		{"capacity of the pool", pool.Capacity, "bytes", "", fleet.FeaturePoolCapacity},
		{"capacity of its volumes", c.VolumesGiB * gibibyte, "bytes", "", ""},
		{"99th percentile of the volumes' sum", pool.Days.P99, "bytes per second", "", fleet.FeaturePoolP99},
	}, Remedy{
		What:    fmt.Sprintf("Make the pool smaller: %s GiB are enough.", whole(v.Least)),
		Command: updatePool(pool, fmt.Sprintf("--capacity=%.0f", float64(v.Least))),
		Caveat:  "Deleting volumes or data saves nothing: the pool's capacity is billed. Leave room for growth. Committed use may lower what is saved.",
	})}
}

// volumesGiB is the size of all volumes together, missing as soon as one is not known.
func volumesGiB(pool *fleet.Pool) fleet.Value {
	sum := fleet.Value(0)
	for _, volume := range pool.Volumes {
		sum += volume.Capacity
	}
	if pool.Allocated.Above(float64(sum)) || !sum.Known() {
		sum = pool.Allocated
	}
	return sum / gibibyte
}

func (p *pass) levelDraft(pool *fleet.Pool) []draft {
	if pool.ServiceLevel != levelExtreme {
		return nil
	}
	price, rows := p.priced(pool, levelExtreme, itemCapacity)
	cheaper, others := p.priced(pool, levelPremium, itemCapacity)
	c := LevelCase{GiB: pool.Capacity / gibibyte, Need: p.need(pool.Days.P99), Rate: rateOf(levelPremium), Price: price, Cheaper: cheaper}
	usd, fires := JudgeLevel(c, p.settings.Pool)
	if !fires {
		return nil
	}
	premium := c.GiB * fleet.Value(c.Rate)
	summary := fmt.Sprintf("Pool %s is Extreme and its volumes together need %s: as Premium it would have %s.", pool.Identity.Pool, mebibytes(c.Need), mebibytes(premium))
	return []draft{p.cashDraft(pool, VariantLevelChange, summary, usd, append(rows, others...), []fact{
		{"throughput needed", c.Need, "bytes per second", "<= " + fmt.Sprintf("%.0f", float64(premium)), ""},
		{"throughput as Premium", premium, "bytes per second", "", ""},
		{"99th percentile of the volumes' sum", pool.Days.P99, "bytes per second", "", fleet.FeaturePoolP99},
		{"capacity of the pool", pool.Capacity, "bytes", "", fleet.FeaturePoolCapacity},
	}, Remedy{
		What:   "Make a Premium pool of the same capacity, reassign the volumes to it one by one, and delete this pool.",
		Caveat: "Reassigning interrupts nothing. A volume's own limit halves with its capacity unless QoS is manual: check each volume's peak first. Do not add this saving to that of a smaller pool: it is of the same capacity.",
	})}
}

func (p *pass) flexDraft(pool *fleet.Pool) []draft {
	throughput, rows := p.priced(pool, pool.ServiceLevel, itemThroughput)
	iops, more := p.priced(pool, pool.ServiceLevel, itemIOPS)
	c := FlexCase{
		Throughput: pool.Total, IOPS: pool.IOPS, NeedThroughput: p.need(pool.Days.P99), NeedIOPS: p.need(pool.Days.IOPSP99),
		PriceMiBps: throughput, PriceIOPS: iops,
	}
	v := JudgeFlex(c, p.settings.Pool)
	if !v.Fires {
		return nil
	}
	summary := fmt.Sprintf("Flex pool %s has %s and %s bought; its volumes together need %.0f MiB/s and %.0f op/s.",
		pool.Identity.Pool, mebibytes(c.Throughput), operations(c.IOPS), v.MiBps, v.IOPS)
	return []draft{p.cashDraft(pool, VariantFlexCustom, summary, v.USD, append(rows, more...), []fact{
		{"throughput not needed", v.Idle, "bytes per second", "", ""},
		{"throughput of the pool", c.Throughput, "bytes per second", "", fleet.FeaturePoolTotal},
		{"operations that the pool may do", c.IOPS, "operations per second", "", fleet.FeaturePoolIOPS},
		{"99th percentile of the volumes' sum", pool.Days.P99, "bytes per second", "", fleet.FeaturePoolP99},
		{"99th percentile of the volumes' operations", pool.Days.IOPSP99, "operations per second", "", fleet.FeaturePoolIOPSP99},
	}, Remedy{
		What:    fmt.Sprintf("Lower the pool to %.0f MiB/s and %.0f op/s.", v.MiBps, v.IOPS),
		Command: updatePool(pool, fmt.Sprintf("--total-throughput=%.0f --total-iops=%.0f", v.MiBps, v.IOPS)),
		Caveat:  "A Flex pool's capacity cannot be made smaller, its throughput can. Means over five minutes hide shorter bursts.",
	})}
}
