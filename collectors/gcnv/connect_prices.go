package gcnv

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nasight/nasight/collectors/connect"
)

// Price is a price of the service that is configured. An empty level or region holds for all that no other price names.
type Price struct {
	Level, Item, Region string
	USD                 float64
	Unit                string
	Date                string // since when
	Source              string // where it was read
}

// wanted is a price that the findings about a pool are told in.
type wantedPrice struct{ item, level, location string }

// The items that have a price, as the configuration names them.
const (
	capacityItem   = "capacity"
	throughputItem = "throughput"
	iopsItem       = "iops"
)

// pricesOf are the prices that the rules about money ask for: of capacity where throughput comes with it, for Extreme also
// of the level below it, and of throughput and operations where those are bought.
func pricesOf(p *pool) []wantedPrice {
	level, at := word(p.ServiceLevel), p.key.location
	switch {
	case p.Mode == "ONTAP":
		return nil
	case level == "flex" && p.CustomPerformanceEnabled:
		return []wantedPrice{{throughputItem, level, at}, {iopsItem, level, at}}
	case level == "extreme":
		return []wantedPrice{{capacityItem, level, at}, {capacityItem, "premium", at}}
	case level == "premium", level == "standard":
		return []wantedPrice{{capacityItem, level, at}}
	}
	return nil
}

// find chooses as the rules do: the price that names region and level best, and of those the newest.
func (w wantedPrice) find(prices []Price) (int, bool) {
	best := -1
	named := func(p Price) int { return min(len(p.Region), 1)*2 + min(len(p.Level), 1) }
	for i, p := range prices {
		if !w.fits(p) {
			continue
		}
		if best < 0 || cmp.Or(cmp.Compare(named(p), named(prices[best])), cmp.Compare(p.Date, prices[best].Date), cmp.Compare(prices[best].USD, p.USD)) > 0 {
			best = i
		}
	}
	return best, best >= 0
}

func (w wantedPrice) fits(p Price) bool {
	same := func(named, value string) bool { return named == "" || strings.EqualFold(named, value) }
	return p.Item == w.item && same(p.Level, w.level) && (same(p.Region, w.location) || same(p.Region, regionOf(w.location)))
}

// pricesAnswer says which prices that the pools need are configured, and which lack.
func pricesAnswer(visits []*visit, cfg Config, prices []Price) connect.Answer {
	answer := connect.Answer{Name: "prices", Asks: "Which prices are configured (detection.prices), and which lack?"}
	wants, read := wantedPrices(visits)
	if m := cfg.Budget.Price; m.Date != "" {
		answer.Details = append(answer.Details, fmt.Sprintf("reading the metrics: %g USD per million time series, %.0f a month free, %s, %s", m.USDPerMillion, m.FreePerMonth, m.Date, m.Source))
	}
	if !read {
		answer.Says = "no project lists its pools"
		return answer
	}
	used := map[int]bool{}
	table := &connect.Table{Columns: []string{"item", "level", "location", "price", "date", "source"}}
	for _, w := range wants {
		line := []string{w.item, w.level, w.location, "missing", "", ""}
		if i, ok := w.find(prices); ok {
			used[i] = true
			p := prices[i]
			line = append(line[:3], fmt.Sprintf("%g USD per %s", p.USD, p.Unit), p.Date, cmp.Or(p.Source, "no source"))
		}
		table.Rows = append(table.Rows, line)
	}
	missing := 0
	for _, line := range table.Rows {
		if line[3] == "missing" {
			missing++
		}
	}
	answer.Known = true
	answer.Says = fmt.Sprintf("Of %d that the pools need, %d are configured and %d lack: without one, findings speak of MiB/s and not of money.", len(wants), len(wants)-missing, missing)
	if len(wants) > 0 {
		answer.Table = table
	}
	for i, p := range prices {
		if !used[i] {
			answer.Details = append(answer.Details, fmt.Sprintf("detection.prices: %s %s %s of %s is used for no pool", p.Level, p.Item, p.Region, p.Date))
		}
	}
	return answer
}

// wantedPrices are those of all pools, each once, and whether any project could list its pools.
func wantedPrices(visits []*visit) (wants []wantedPrice, read bool) {
	for _, v := range visits {
		read = read || v.inv.poolsRead
		for _, p := range v.inv.pools {
			if p.wanted {
				wants = append(wants, pricesOf(p)...)
			}
		}
	}
	slices.SortFunc(wants, func(a, b wantedPrice) int {
		return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.level, b.level), cmp.Compare(a.location, b.location))
	})
	return slices.Compact(wants), read
}
