package plan

import (
	"slices"
	"sort"
)

// item is one taker of a budget. At a level it takes level × weight, but no less than low and no more than high.
type item struct{ low, high, weight float64 }

func (i item) at(level float64) float64 { return min(i.high, max(i.low, level*i.weight)) }

func total(items []item, level float64) float64 {
	sum := 0.0
	for _, i := range items {
		sum += i.at(level)
	}
	return sum
}

// level finds the level at which the items together take the budget. The sum is piecewise linear in the level and
// never falls, so it is found exactly: the breakpoints are sorted, a binary search finds the two that enclose the
// budget, and between them one division remains. With v items that is v log v. A budget below the sum of the low ends
// gives the lowest breakpoint, one above the sum of the high ends the highest; without any breakpoint it is 1.
func level(items []item, budget float64) float64 {
	points := breakpoints(items)
	if len(points) == 0 {
		return 1
	}
	k := sort.Search(len(points), func(k int) bool { return total(items, points[k]) >= budget })
	switch k {
	case 0:
		return points[0]
	case len(points):
		return points[k-1]
	}
	return between(items, budget, points[k-1], points[k])
}

func breakpoints(items []item) []float64 {
	points := make([]float64, 0, 2*len(items))
	for _, i := range items {
		if i.moves() {
			points = append(points, i.low/i.weight, i.high/i.weight)
		}
	}
	slices.Sort(points)
	return points
}

func (i item) moves() bool { return i.weight > 0 && i.low < i.high }

// between solves the linear piece from one breakpoint to the next. The sums are taken anew rather than carried along
// the sweep, so that no rounding error builds up over the breakpoints.
func between(items []item, budget, from, to float64) float64 {
	slope := 0.0
	for _, i := range items {
		if i.moves() && i.low/i.weight <= from && i.high/i.weight >= to {
			slope += i.weight
		} else {
			budget -= i.at(to)
		}
	}
	if slope == 0 {
		return to
	}
	return min(to, max(from, budget/slope))
}
