package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
)

// The cases in which unused throughput is worth money. They are never added up.
const (
	caseBought   = "bought"
	caseCapacity = "capacity"
	caseManual   = "manual"
	caseAzure    = "azure"
)

func cases() []Case {
	return []Case{
		{Case: caseBought, Title: "Throughput and operations bought apart from capacity", Meaning: "Billed as such: what is lowered is no longer paid for. " +
			"Need is that of the pool's sum, with headroom; what is included for nothing is never saved."},
		{Case: caseCapacity, Title: "Throughput that comes with capacity", Meaning: "Unused throughput is worth nothing by itself here. " +
			"Money is saved by an action on the pool alone: a cheaper service level, or less capacity. Two actions on one pool are alternatives; the larger one counts."},
		{Case: caseManual, Title: "Manual QoS: throughput that moves for nothing", Meaning: "Nothing is saved: it is the cost avoided of buying what volumes lack by more capacity of the same level, " +
			"where the plan gives it to them from others of their pool."},
		{Case: caseAzure, Title: "Azure Files: provisioned quantities", Meaning: "What shares provision and do not need, quantity by quantity. A reduction is possible 24 hours after the last increase."},
	}
}

// caseOf is the case that a finding's waste belongs to; empty for none.
func caseOf(f Finding) string {
	switch {
	case f.Detector != detectors.PoolThroughputUnused:
		return ""
	case f.Resource.Service == serviceShares:
		return caseAzure
	case f.Variant == detectors.VariantFlexCustom:
		return caseBought
	case f.Variant == detectors.VariantStranded || f.Variant == detectors.VariantLevelChange:
		return caseCapacity
	}
	return ""
}

// money are the cases with their rows, of which each has its prices.
func (o *builder) money() []Case {
	all := cases()
	add := func(name string, row Money) {
		i := slices.IndexFunc(all, func(c Case) bool { return c.Case == name })
		all[i].Rows = append(all[i].Rows, row)
	}
	for _, finding := range o.weekly.Findings {
		if name := caseOf(finding); name != "" && finding.AtEnd && !o.opposed(finding) {
			add(name, moneyOf(finding))
		}
	}
	for _, made := range o.weekly.Plans {
		if row, ok := o.avoided(made); ok {
			add(caseManual, row)
		}
	}
	for i := range all {
		all[i].settle()
	}
	return all
}

// moneyOf is a finding's waste, which /metrics and the API show as well.
func moneyOf(f Finding) Money {
	row := Money{Resource: f.Resource, What: f.Summary, Value: fleet.Unknown, Prices: []Price{}, Finding: f.ID}
	if len(f.Remedy) > 0 {
		row.What = f.Remedy[0].What
	}
	if f.WasteUSDPerMonth != nil {
		row.Value = fleet.Value(*f.WasteUSDPerMonth)
	}
	for _, price := range f.Prices {
		row.Prices = append(row.Prices, Price(price))
	}
	return row
}

// wholeDollars is the one place where money is rounded: rows are whole dollars before they are added up, so that what is printed
// adds up as it is printed.
func wholeDollars(v fleet.Value) fleet.Value { return fleet.Value(math.Round(float64(v))) }

// settle decides which rows count, and adds them up.
func (c *Case) settle() {
	if c.Rows == nil {
		c.Rows = []Money{}
	}
	for i := range c.Rows {
		c.Rows[i].Value = wholeDollars(c.Rows[i].Value)
	}
	slices.SortFunc(c.Rows, func(a, b Money) int {
		switch x, y := a.Value.Or(-1), b.Value.Or(-1); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return compareResources(a.Resource, b.Resource)
	})
	c.Total = fleet.Unknown
	counted := map[fleet.Resource]bool{}
	for i := range c.Rows {
		row := &c.Rows[i]
		switch {
		case !row.Value.Known():
			row.Note = "not known: no price is given; see detection.prices"
		case counted[row.Resource]:
			row.Note = "an alternative to the row above of the same pool: not counted"
		default:
			row.Counts, counted[row.Resource] = true, true
			c.Total = c.Total.Plus(row.Value)
		}
	}
}

// avoided is what the throughput that a plan takes from some volumes, and gives to others which lack it, would cost by capacity.
// What the pool has left is there for the taking: nobody would buy it.
func (o *builder) avoided(made *plan.Plan) (Money, bool) {
	lacked, pool := lackedOf(made)-max(0, made.Capacity-made.Assigned), o.poolOf(made)
	if !lacked.AtLeast(1) || pool == nil {
		return Money{Value: fleet.Unknown}, false
	}
	row := Money{What: fmt.Sprintf("Move %.0f MiB/s to volumes that lack it, as the plan says.", float64(lacked)), Resource: pool.Identity, Value: fleet.Unknown, Prices: []Price{}}
	price, from := o.terms.Settings.Capacity(pool.Identity, pool.ServiceLevel)
	if row.Value = impliedOf(price, pool.ServiceLevel) * lacked; row.Value.Known() {
		row.Prices = []Price{Price(from)}
	}
	return row, true
}

// text is a price with what it is of, its date and its source. A row that names no level or region holds for all.
func (p Price) text() string {
	what := strings.Join(strings.Fields(p.Item+" "+p.Level+" "+p.Region), " ")
	text := fmt.Sprintf("%s: %s USD per %s, %s", what, plainNumber(p.USD), p.Unit, p.Date)
	if p.Source != "" {
		text += ", " + p.Source
	}
	return text
}

// lackedOf is how much of what volumes lack the plan gives them, in MiB/s.
// What it takes from others that lack it themselves is no gain: it is counted against it, so that a pool that is short as a whole
// is not said to be helped by sharing it out anew.
func lackedOf(made *plan.Plan) fleet.Value {
	sum := fleet.Unknown
	for _, volume := range made.Volumes {
		if !volume.Propose.Known() || !volume.Current.Known() || !volume.Need.Known() {
			continue
		}
		sum = sum.Plus(min(volume.Propose, volume.Need) - min(volume.Current, volume.Need))
	}
	return sum
}

// impliedOf is what a MiB/s costs for a month where it comes with capacity: the price of a GiB-month over what a GiB brings.
func impliedOf(price fleet.Value, level string) fleet.Value {
	return (price * 1024).Over(fleet.Value(kibibytes()[level]))
}
