package detectors

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/nasight/nasight/fleet"
)

// What a provisioned share cannot have less of, by media: operations per second, and MiB/s.
const (
	leastIOPSSSD, leastIOPSHDD   = 3_000, 500
	leastMiBpsSSD, leastMiBpsHDD = 100, 60
)

// JudgeShareDemand is JudgeDemand for what a share provisions, of which a least amount is always there.
func JudgeShareDemand(d VolumeDemand, least, minimum float64, limits PoolSettings) DemandVerdict {
	v := JudgeDemand(d, minimum, limits)
	if v.State != DemandFires {
		return v
	}
	// Nothing is advised that would cut off what was seen.
	v.Need = max(v.Need, d.Max, fleet.Value(least))
	if v.Slack = d.Has - v.Need; !v.Slack.Over(d.Has).AtLeast(limits.SlackShare) || !v.Slack.AtLeast(limits.SlackBytes) {
		v.State = DemandUsed
	}
	return v
}

// idleShare is what a share provisions and does not need.
type idleShare struct {
	share                  *fleet.Share
	throughput, operations DemandVerdict
	usd                    fleet.Value
	prices                 []PriceRow
	gib                    float64 // provisioned v1: the size that would do
}

// sharesUnused asks of every provisioned share whether it needs the throughput and the operations that it provisions: 2b for
// v2, where each is a number of its own that is paid for (allocated_unused), 2c for v1, where size decides them (auto_qos).
// Throughput and operations of one share are one finding: one command lowers both. The names for pools (unallocated,
// flex_custom) do not fit: an account has nothing to give out.
func (p *pass) sharesUnused() []draft {
	var drafts []draft
	for _, account := range p.view.Accounts {
		if account.Billing != fleet.BillingV1 && account.Billing != fleet.BillingV2 {
			continue
		}
		for _, share := range account.Shares {
			if idle := p.idleShare(share); idle.fires(p.settings.Pool) {
				drafts = append(drafts, p.shareUnusedDraft(idle))
			}
		}
	}
	return drafts
}

func (p *pass) idleShare(share *fleet.Share) idleShare {
	creditsLow := p.credits(share).Severity != 0
	leastIOPS, leastMiBps := float64(leastIOPSSSD), float64(leastMiBpsSSD)
	if share.Of.Media == fleet.MediaHDD {
		leastIOPS, leastMiBps = leastIOPSHDD, leastMiBpsHDD
	}
	limits, days := p.settings.Pool, share.Days
	demand := func(has fleet.Value, use fleet.ShareUse, variants ...string) VolumeDemand {
		d := VolumeDemand{
			Has: has, P99: use.P99, Before: use.Before, Max: use.Highest(), Coverage: days.Coverage, Full: days.Full, Bound: fleet.Unknown,
		}
		for _, variant := range variants {
			_, at := p.nearShare[share][variant]
			d.AtLimit = d.AtLimit || at
		}
		return d
	}
	idle := idleShare{share: share, usd: fleet.Unknown}
	idle.throughput = JudgeShareDemand(demand(share.Throughput, days.Throughput, VariantThroughput, VariantEgress, VariantIngress),
		leastMiBps*mebibyte, p.settings.MinimumCoverage, limits)
	limits.SlackBytes = p.settings.Share.SlackIOPS
	wanted := demand(share.IOPS, days.Operations, VariantIOPS)
	wanted.AtLimit = wanted.AtLimit || creditsLow // more is advised, not less
	idle.operations = JudgeShareDemand(wanted, leastIOPS, p.settings.MinimumCoverage, limits)
	if share.Of.Billing == fleet.BillingV1 {
		return p.pricedV1(idle)
	}
	return p.pricedV2(idle)
}

func (p *pass) pricedV2(idle idleShare) idleShare {
	add := func(verdict DemandVerdict, item string, unit fleet.Value) {
		row, ok := p.settings.price(idle.share.Identity, idle.share.Of.Media, item)
		if verdict.State == DemandFires && ok {
			idle.usd = idle.usd.Plus(verdict.Slack / unit * row.month())
			idle.prices = append(idle.prices, row)
		}
	}
	add(idle.throughput, itemThroughput, mebibyte)
	add(idle.operations, itemIOPS, 1)
	return idle
}

// pricedV1: a GiB brings an operation per second and a tenth of a MiB/s, and the data need room.
func (p *pass) pricedV1(idle idleShare) idleShare {
	const smallest = 100
	share := idle.share
	data := p.spaceGiB(share)
	throughput := (float64(idle.throughput.Need)/mebibyte - leastMiBpsSSD) / 0.1
	idle.gib = math.Ceil(max(smallest, data, float64(idle.operations.Need)-leastIOPSSSD, throughput) - 1e-9)
	if row, ok := p.settings.price(share.Identity, share.Of.Media, itemCapacity); ok {
		idle.usd, idle.prices = (share.Quota/gibibyte-fleet.Value(idle.gib))*row.month(), []PriceRow{row}
	}
	return idle
}

// fires: of v1 both have to be idle, and the data have to leave room to make the share smaller.
func (i idleShare) fires(limits PoolSettings) bool {
	throughput, operations := i.throughput.State == DemandFires, i.operations.State == DemandFires
	if i.share.Of.Billing == fleet.BillingV1 {
		size := i.share.Quota / gibibyte
		return throughput && operations && (size - fleet.Value(i.gib)).Over(size).AtLeast(limits.StrandedShare) && worth(i.usd, limits)
	}
	return (throughput || operations) && worth(i.usd, limits)
}

func (p *pass) shareUnusedDraft(idle idleShare) draft {
	share, days, limits := idle.share, idle.share.Days, p.settings.Pool
	resource := share.Resource()
	summary := fmt.Sprintf("Share %s of account %s provisions", resource.Volume, resource.Pool)
	var parts []string
	if idle.throughput.State == DemandFires {
		parts = append(parts, fmt.Sprintf(" %s and needs %s", mebibytes(share.Throughput), mebibytes(idle.throughput.Need)))
	}
	if idle.operations.State == DemandFires {
		parts = append(parts, fmt.Sprintf(" %s and needs %s", operations(share.IOPS), operations(idle.operations.Need)))
	}
	summary += strings.Join(parts, ";") + ", by the highest second of each 5 minutes of a week."
	for _, row := range idle.prices {
		summary += fmt.Sprintf(" Price: %s.", row.basis())
	}
	variant := VariantAllocatedUnused
	if share.Of.Billing == fleet.BillingV1 {
		variant = VariantAutoQoS
	}
	var facts []fact // what it needs more of, or as much, is no reason
	if idle.throughput.State == DemandFires {
		facts = append(facts, fact{"throughput that it does not need, of what it provisions", idle.throughput.Slack.Over(share.Throughput), "ratio", atLeast(limits.SlackShare), ""})
	}
	if idle.operations.State == DemandFires {
		facts = append(facts, fact{"operations that it does not need, of what it provisions", idle.operations.Slack.Over(share.IOPS), "ratio", atLeast(limits.SlackShare), ""})
	}
	facts = append(facts, []fact{
		{"throughput provisioned", share.Throughput, "bytes per second", "", fleet.FeatureShareThroughput},
		{"99th percentile of the busiest seconds", days.Throughput.P99, "bytes per second", "", fleet.FeatureShareP99},
		{"the same of the week before", days.Throughput.Before, "bytes per second", "", fleet.FeatureShareBefore},
		{"highest second in up to 35 days", days.Throughput.Highest(), "bytes per second", "", fleet.FeatureShareMax},
		{"operations provisioned", share.IOPS, "operations per second", "", fleet.FeatureShareIOPS},
		{"99th percentile of the busiest seconds' operations", days.Operations.P99, "operations per second", "", fleet.FeatureShareIOPSP99},
		{"operations of the week before, likewise", days.Operations.Before, "operations per second", "", fleet.FeatureShareIOPSBefore},
		{"operations of the highest second in up to 35 days", days.Operations.Highest(), "operations per second", "", fleet.FeatureShareIOPSMax},
		{"samples received over expected", days.Coverage, "ratio", atLeast(p.settings.MinimumCoverage), ""},
	}...)
	stable := idle.throughput.State != DemandFires || idle.throughput.Stable
	stable = stable && (idle.operations.State != DemandFires || idle.operations.Stable)
	return draft{
		name: Name{PoolThroughputUnused, variant}, severity: Info, resource: resource, coverage: float64(days.Coverage),
		signals: []signal{
			seen(weightHistory), seen(weightAllocation), unseen(weightClientData),
			{weightStable, days.Throughput.Before.Known() || days.Operations.Before.Known(), stable},
		},
		summary: summary, evidence: p.evidence(resource, facts...), waste: idle.usd, prices: idle.prices, remedy: []Remedy{p.lowerShare(idle)},
	}
}

// lowerShare is the command that lowers what is not needed, and when that is allowed.
func (p *pass) lowerShare(idle idleShare) Remedy {
	var flags, what, quantities []string
	var sets []Setting
	lower := func(flag, to, quantity string, property Property, number float64) {
		flags, what, quantities = append(flags, flag), append(what, to), append(quantities, quantity)
		sets = append(sets, Setting{Resource: idle.share.Identity, Property: property, To: number})
	}
	if idle.share.Of.Billing == fleet.BillingV1 {
		lower(fmt.Sprintf("--quota %.0f", idle.gib), fmt.Sprintf("%.0f GiB", idle.gib), "storage", SetSize, idle.gib)
		return p.lowering(idle.share, flags, what, quantities, sets)
	}
	if idle.operations.State == DemandFires {
		needed := math.Ceil(float64(idle.operations.Need) - 1e-9)
		lower(fmt.Sprintf("--provisioned-iops %.0f", needed), fmt.Sprintf("%.0f operations per second", needed), "operations", SetOperations, needed)
	}
	if idle.throughput.State == DemandFires {
		needed := mibs(idle.throughput.Need)
		lower(fmt.Sprintf("--provisioned-bandwidth-mibps %.0f", needed), fmt.Sprintf("%.0f MiB/s", needed), "throughput", SetThroughput, needed)
	}
	return p.lowering(idle.share, flags, what, quantities, sets)
}

func (p *pass) lowering(share *fleet.Share, flags, what, quantities []string, sets []Setting) Remedy {
	command := updateShare(share, strings.Join(flags, " "))
	for i := range sets {
		sets[i].Command = command
	}
	return Remedy{
		What: "Lower what the share provisions to " + strings.Join(what, " and ") + ".", Command: command, Sets: sets,
		Caveat: p.lowerCaveat(share, quantities) + " Burst credits shrink with the operations that are provisioned.",
	}
}

func (p *pass) lowerCaveat(share *fleet.Share, quantities []string) string {
	var latest time.Time
	for _, quantity := range quantities {
		if at := share.LowerAfter[quantity]; at.After(latest) {
			latest = at
		}
	}
	if latest.After(p.view.At) {
		return "Allowed from " + latest.UTC().Format(time.RFC3339) + " on: 24 hours have to pass after a raise."
	}
	return "Allowed only when 24 hours have passed since the last raise."
}
