package budget

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// Spending is what a month costs, with the free units taken off.
type Spending struct {
	USD       float64 // so far
	Projected float64 // at the end of the month if reading goes on as it does now
}

// State tells how the month stands to the limits.
func (b *Budget) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state()
}

// state is State for a caller that holds the lock. It looks at the projection at the tiers' own pace: at the stretched
// one, slowing down would end the reason for it.
func (b *Budget) state() State {
	units, rest := b.sums()
	switch {
	case b.opts.HardUSD > 0 && b.billed(units) >= b.opts.HardUSD:
		return Hard
	case b.opts.SoftUSD > 0 && b.billed(units+rest) > b.opts.SoftUSD:
		return Soft
	}
	return Within
}

// Stretch is by how much the tiers' intervals are to be multiplied: 1 within the soft limit, else what makes the rest of
// the month fit into what the limit leaves, at most 12.
func (b *Budget) Stretch() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stretch()
}

func (b *Budget) stretch() float64 {
	if b.state() == Within {
		return 1
	}
	units, rest := b.sums()
	price := b.opts.Price
	left := b.opts.SoftUSD/price.USDPerMillion*1e6 + price.FreePerMonth - units
	if b.opts.SoftUSD <= 0 || price.USDPerMillion <= 0 || rest <= 0 {
		return 1
	}
	if left <= rest/longestStretch {
		return longestStretch
	}
	return max(rest/left, 1)
}

// Month tells what the month costs.
func (b *Budget) Month() Spending {
	b.mu.Lock()
	defer b.mu.Unlock()
	units, rest := b.sums()
	return Spending{USD: b.billed(units), Projected: b.billed(units + b.slowed(rest))}
}

// slowed is what is left of units that were planned, at the pace in force.
func (b *Budget) slowed(planned float64) float64 {
	if b.state() == Hard {
		return 0
	}
	return planned / b.stretch()
}

// sums are the units of this month so far and those that the tiers at their own pace add until its end.
func (b *Budget) sums() (units, rest float64) {
	for project := range b.accounts {
		a := b.account(project)
		units += a.units
		rest += b.rest(a)
	}
	return units, rest
}

func (b *Budget) rest(a *account) float64 {
	now := b.opts.Clock().UTC()
	end := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	perSecond := 0.0
	for _, planned := range a.planned {
		perSecond += planned
	}
	return perSecond * end.Sub(now).Seconds()
}

// billed is the price of units of one month.
func (b *Budget) billed(units float64) float64 {
	return b.price(max(units-b.opts.Price.FreePerMonth, 0))
}

func (b *Budget) price(units float64) float64 { return units / 1e6 * b.opts.Price.USDPerMillion }

// Collect puts the budget's series into the sink.
func (b *Budget) Collect(sink collectors.Sink) {
	b.mu.Lock()
	defer b.mu.Unlock()
	cloud := []string{b.opts.Cloud, b.opts.Service}
	sink.Add(schema.CloudBudgetState, float64(b.state()), cloud...)
	for name, limit := range map[string]float64{"soft": b.opts.SoftUSD, "hard": b.opts.HardUSD} {
		if limit > 0 {
			sink.Add(schema.CloudBudgetLimit, limit, append(cloud[:2:2], name)...)
		}
	}
	price := b.opts.Price
	sink.Add(schema.CloudPriceInfo, 1, append(cloud[:2:2], price.Item, strconv.FormatFloat(price.USDPerMillion, 'g', -1, 64), price.Date, price.Source)...)
	for _, project := range slices.Sorted(maps.Keys(b.accounts)) {
		b.collect(sink, append(cloud[:2:2], project), b.account(project))
	}
}

func (b *Budget) collect(sink collectors.Sink, labels []string, a *account) {
	for request, count := range a.requests {
		sink.Add(schema.CloudRequests, float64(count), append(labels[:3:3], request.api, request.code)...)
	}
	sink.Add(schema.CloudSeriesReturned, a.total, labels...)
	sink.Add(schema.CloudCost, b.price(a.total), labels...)
	sink.Add(schema.CloudMonthCost, b.price(a.units), labels...)
	sink.Add(schema.CloudProjectedCost, b.price(a.units+b.slowed(b.rest(a))), labels...)
}
