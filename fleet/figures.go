package fleet

import (
	"math"
	"slices"
	"time"
)

// The figures of what was used. Looks over days, and so findings, metrics and the API, and the weekly report compute each of
// them here and nowhere else.

// Used is how samples are spread. It is missing without any.
type Used struct{ P50, P95, P99, Max Value }

// UsedOf is that of samples in any order.
func UsedOf(samples []float64) Used { return UsedOfSorted(slices.Sorted(slices.Values(samples))) }

// UsedOfSorted is UsedOf of samples that ascend.
func UsedOfSorted(ascending []float64) Used {
	return Used{Quantile(0.5, ascending), Quantile(0.95, ascending), Quantile(0.99, ascending), Quantile(1, ascending)}
}

// Quantile is PromQL's quantile_over_time: linear between the two nearest ranks of ascending values. It is missing without any.
func Quantile(q float64, ascending []float64) Value {
	if len(ascending) == 0 {
		return Unknown
	}
	rank := q * float64(len(ascending)-1)
	low := int(math.Floor(rank))
	part := rank - float64(low)
	if part == 0 {
		return Value(ascending[low])
	}
	return Value(ascending[low]*(1-part) + ascending[low+1]*part)
}

// CoverageOf is the share of a week's samples, one each grain, that there are.
func CoverageOf(samples int, grain time.Duration) Value { return Value(samples) / Value(week/grain) }

// IdleOf is the throughput that was granted and not used but in one sample of a hundred; zero where more was used. Where
// operations have a limit too, of which a larger part was used, no more is idle than that leaves: with blocks of the same size
// the rest cannot be used. Operations that are not known do not speak against it.
func IdleOf(granted, p99, operations, operationsP99 Value) Value {
	idle := granted - p99
	if left := granted * (1 - operationsP99.Over(operations)); left.Below(float64(idle)) {
		idle = left
	}
	if idle.Below(0) {
		return 0
	}
	return idle
}
