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
		drafts = append(drafts, p.cash(pool)...)
	}
	return drafts
}

// cash is what would save money on one pool.
func (p *pass) cash(pool *fleet.Pool) []draft {
	switch {
	case pool.ONTAP() || !p.readAll(pool):
		return nil
	case pool.Flex() && pool.Custom:
		return p.flexDraft(pool)
	case pool.ServiceLevel == levelFlexible:
		return p.flexibleDraft(pool)
	case rateOf(pool.ServiceLevel) > 0 && !pool.AutoTiering:
		// With auto-tiering throughput comes with the hot tier and not with capacity.
		return append(p.strandedDraft(pool), p.levelDraft(pool)...)
	}
	return nil
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
		summary: summary, evidence: p.evidence(pool.Resource(), facts...), waste: usd, prices: rows, remedy: []Remedy{remedy},
	}
}

// need is the headroom over the 99th percentile of the volumes' sum, which is less than the sum of their percentiles. It is
// at least what they were seen to use together in the week, and one of them alone within the last 35 days: a pool that cannot
// bear a month's end, or two jobs that meet, is too small.
func (p *pass) need(pool *fleet.Pool) fleet.Value {
	return max(fleet.Value(p.settings.Pool.Headroom)*pool.Days.P99, pool.Days.Max, highestOf(pool))
}

// highestOf is the highest sample of one of the pool's volumes: the least that the pool was seen to bear.
func highestOf(pool *fleet.Pool) fleet.Value {
	highest := fleet.Value(0)
	for _, volume := range pool.Volumes {
		highest = max(highest, fleet.Value(volume.Days.Highest().Or(0)))
	}
	return highest
}

// priced is a row's month and the row itself, if there is one.
func (p *pass) priced(pool *fleet.Pool, level, item string) (fleet.Value, []PriceRow) {
	row, ok := p.settings.price(pool.Identity, level, item)
	if !ok {
		return fleet.Unknown, nil
	}
	return row.month(), []PriceRow{row}
}

// judgeCapacity: what volumes of Azure NetApp Files were given by hand a smaller pool has to have still.
func (p *pass) judgeCapacity(pool *fleet.Pool, c CapacityCase) CapacityVerdict {
	if !netapp(pool.Identity) {
		return JudgeCapacity(c, p.settings.Pool)
	}
	if pool.Manual() {
		c.Need = max(c.Need, pool.Assigned())
	}
	return JudgeCapacityTiB(c, p.settings.Pool)
}

func (p *pass) strandedDraft(pool *fleet.Pool) []draft {
	price, rows := p.priced(pool, pool.ServiceLevel, itemCapacity)
	c := CapacityCase{
		GiB: pool.Capacity / gibibyte, VolumesGiB: p.volumesGiB(pool), Need: p.need(pool),
		Rate: rateOf(pool.ServiceLevel), Price: price,
	}
	v := p.judgeCapacity(pool, c)
	if !v.Fires {
		return nil
	}
	idle := v.Stranded * fleet.Value(c.Rate)
	summary := fmt.Sprintf("Pool %s has %s GiB that neither its data nor its throughput needs, and with them %s: %s GiB would do for all of its volumes at %s.",
		pool.Identity.Pool, whole(v.Stranded), mebibytes(idle), whole(v.Least), mebibytes(c.Need))
	caveat := "Deleting volumes or data saves nothing: the pool's capacity is billed. Leave room for growth. Committed use may lower what is saved."
	if left := v.Least * fleet.Value(c.Rate); pool.Manual() && pool.Assigned().Above(float64(left)) {
		caveat = fmt.Sprintf("First lower what its volumes have from %s to at most %s together, as a plan shares it. ", mebibytes(pool.Assigned()), mebibytes(left)) + caveat
	}
	return []draft{p.cashDraft(pool, VariantStranded, summary, v.USD, rows, []fact{
		{"capacity not needed, of the pool's", v.Stranded.Over(c.GiB), "ratio", atLeast(p.settings.Pool.StrandedShare), ""},
		{"capacity not needed", v.Stranded * gibibyte, "bytes", "", ""},
		{"throughput that comes with it", idle, "bytes per second", "", ""},
		{"capacity of the pool", pool.Capacity, "bytes", "", fleet.FeaturePoolCapacity},
		{"capacity of its volumes", c.VolumesGiB * gibibyte, "bytes", "", ""},
		{"99th percentile of the volumes' sum", pool.Days.P99, "bytes per second", "", fleet.FeaturePoolP99},
		{"highest sum of the volumes in the week", pool.Days.Max, "bytes per second", "", ""},
		{"highest sample of one volume in up to 35 days", highestOf(pool), "bytes per second", "", ""},
	}, Remedy{
		What:    fmt.Sprintf("Make the pool smaller: %s GiB are enough.", whole(v.Least)),
		Command: shrinkPool(pool, float64(v.Least)),
		Caveat:  caveat,
		Sets:    []Setting{{Resource: pool.Identity, Property: SetSize, To: float64(v.Least), Command: shrinkPool(pool, float64(v.Least))}},
	})}
}

// volumesGiB is the size of all volumes together, missing as soon as one is not known, with what they are advised to grow by.
func (p *pass) volumesGiB(pool *fleet.Pool) fleet.Value {
	sum, growth := fleet.Value(0), 0.0
	for _, volume := range pool.Volumes {
		sum += volume.Capacity
		growth += p.growth(volume)
	}
	if pool.Allocated.Above(float64(sum)) || !sum.Known() {
		sum = pool.Allocated
	}
	return sum/gibibyte + fleet.Value(growth)
}

func (p *pass) levelDraft(pool *fleet.Pool) []draft {
	level := lowerLevel(pool)
	if level == "" {
		return nil
	}
	price, rows := p.priced(pool, pool.ServiceLevel, itemCapacity)
	cheaper, others := p.priced(pool, level, itemCapacity)
	c := LevelCase{GiB: pool.Capacity / gibibyte, Need: p.need(pool), Rate: rateOf(level), Price: price, Cheaper: cheaper}
	usd, fires := JudgeLevel(c, p.settings.Pool)
	if !fires {
		return nil
	}
	lower := c.GiB * fleet.Value(c.Rate)
	summary := fmt.Sprintf("Pool %s is %s and its volumes together need %s: as %s it would have %s.",
		pool.Identity.Pool, titled(pool.ServiceLevel), mebibytes(c.Need), titled(level), mebibytes(lower))
	return []draft{p.cashDraft(pool, VariantLevelChange, summary, usd, append(rows, others...), []fact{
		{"throughput needed", c.Need, "bytes per second", fmt.Sprintf("<= %g", float64(lower)), ""},
		{"throughput as " + titled(level), lower, "bytes per second", "", ""},
		{"99th percentile of the volumes' sum", pool.Days.P99, "bytes per second", "", fleet.FeaturePoolP99},
		{"highest sum of the volumes in the week", pool.Days.Max, "bytes per second", "", ""},
		{"highest sample of one volume in up to 35 days", highestOf(pool), "bytes per second", "", ""},
		{"capacity of the pool", pool.Capacity, "bytes", "", fleet.FeaturePoolCapacity},
	}, p.moveRemedy(pool, level))}
}

// flexCase is what a pool has bought and needs. What it is held at now is needed, and a fifth more: the same as the finding about that
// limit asks for.
func (p *pass) flexCase(pool *fleet.Pool) (c FlexCase, rows []PriceRow) {
	throughput, rows := p.priced(pool, pool.ServiceLevel, itemThroughput)
	iops, others := p.priced(pool, pool.ServiceLevel, itemIOPS)
	c = FlexCase{
		Throughput: pool.Total, IOPS: pool.IOPS, NeedThroughput: p.need(pool), NeedIOPS: max(fleet.Value(p.settings.Pool.Headroom)*pool.Days.IOPSP99, pool.Days.IOPSMax),
		PriceMiBps: throughput, PriceIOPS: iops,
	}
	if p.nearPool[pool].Severity != 0 {
		c.NeedThroughput = max(c.NeedThroughput, more*pool.Total)
	}
	if p.operationsHeld(pool) {
		c.NeedIOPS = max(c.NeedIOPS, more*pool.IOPS)
	}
	return c, append(rows, others...)
}

func (p *pass) flexDraft(pool *fleet.Pool) []draft {
	c, rows := p.flexCase(pool)
	v := JudgeFlex(c, p.settings.Pool)
	if !v.Fires {
		return nil
	}
	summary := fmt.Sprintf("Flex pool %s has %s and %s bought; its volumes together need %.0f MiB/s and %.0f op/s.",
		pool.Identity.Pool, mebibytes(c.Throughput), operations(c.IOPS), v.MiBps, v.IOPS)
	return []draft{p.cashDraft(pool, VariantFlexCustom, summary, v.USD, rows, []fact{
		{"throughput not needed", v.Idle, "bytes per second", "", ""},
		{"throughput of the pool", c.Throughput, "bytes per second", "", fleet.FeaturePoolTotal},
		{"operations that the pool may do", c.IOPS, "operations per second", "", fleet.FeaturePoolIOPS},
		{"99th percentile of the volumes' sum", pool.Days.P99, "bytes per second", "", fleet.FeaturePoolP99},
		{"highest sum of the volumes in the week", pool.Days.Max, "bytes per second", "", ""},
		{"highest sample of one volume in up to 35 days", highestOf(pool), "bytes per second", "", ""},
		{"99th percentile of the volumes' operations", pool.Days.IOPSP99, "operations per second", "", fleet.FeaturePoolIOPSP99},
		{"highest sum of the volumes' operations in the week", pool.Days.IOPSMax, "operations per second", "", ""},
	}, flexRemedy(pool, c, v))}
}

// flexRemedy is one command for both numbers of a Flex pool.
func flexRemedy(pool *fleet.Pool, c FlexCase, v FlexVerdict) Remedy {
	verb := "Lower"
	if c.Throughput.Below(v.MiBps*mebibyte) || c.IOPS.Below(v.IOPS) {
		verb = "Set" // one falls and one rises
	}
	command := updatePool(pool, fmt.Sprintf("--total-throughput=%.0f --total-iops=%.0f", v.MiBps, v.IOPS))
	return Remedy{
		What: fmt.Sprintf("%s the pool to %.0f MiB/s and %.0f op/s.", verb, v.MiBps, v.IOPS), Command: command,
		Caveat: "A Flex pool's capacity cannot be made smaller, its throughput can. Means over five minutes hide shorter bursts.",
		Sets: []Setting{
			{Resource: pool.Identity, Property: SetThroughput, To: v.MiBps, Command: command}, {Resource: pool.Identity, Property: SetOperations, To: v.IOPS, Command: command},
		},
	}
}
