package report

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/nasight/nasight/fleet"
)

// The figures of a week. Quantiles, coverage and idle are those of fleet, which findings and metrics have too; the others are
// computed here and nowhere else. All are of a week's samples on the grid of the clouds: slot i is what was
// measured in the five minutes that end (i+1) times five minutes after the week's beginning. A sample that is missing is NaN.

const (
	grain = 5 * time.Minute
	slots = int(weekLong / grain)
)

// course is a value in each slot of a week.
type course []float64

func newCourse() course {
	c := make(course, slots)
	for i := range c {
		c[i] = math.NaN()
	}
	return c
}

// add adds another course slot by slot. What is known of either counts: a sum of which a part is missing is a lower bound.
func (c course) add(other course) {
	for i, value := range other {
		switch {
		case math.IsNaN(value):
		case math.IsNaN(c[i]):
			c[i] = value
		default:
			c[i] += value
		}
	}
}

// zeros puts a zero where a sample is missing and another course has one.
func (c course) zeros(where course) {
	for i := range c {
		if math.IsNaN(c[i]) && !math.IsNaN(where[i]) {
			c[i] = 0
		}
	}
}

// highest takes the larger of two courses in each slot.
func (c course) highest(other course) {
	for i, value := range other {
		if !math.IsNaN(value) && !(c[i] >= value) {
			c[i] = value
		}
	}
}

// known are the values of the slots that have one, ascending.
func (c course) known() []float64 {
	values := make([]float64, 0, len(c))
	for _, value := range c {
		if !math.IsNaN(value) {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}

// sum is the values' sum; missing where there are none.
func (c course) sum() fleet.Value {
	sum, none := 0.0, true
	for _, value := range c {
		if !math.IsNaN(value) {
			sum, none = sum+value, false
		}
	}
	if none {
		return fleet.Unknown
	}
	return fleet.Value(sum)
}

// volumeOf is how much was moved, or might have been, in all slots of a course together: bytes.
func volumeOf(c course) fleet.Value { return c.sum() * fleet.Value(grain.Seconds()) }

// coverageOf is the share of the week's slots that have a value.
func coverageOf(c course) fleet.Value {
	known := 0
	for _, value := range c {
		if !math.IsNaN(value) {
			known++
		}
	}
	return fleet.CoverageOf(known, grain)
}

// atLimitOf is the share of the samples that reached a part of the limit.
func atLimitOf(used, limit course, part float64) fleet.Value {
	judged, at := 0, 0
	for i, value := range used {
		if math.IsNaN(value) || !(limit[i] > 0) {
			continue
		}
		judged++
		if value >= part*limit[i] {
			at++
		}
	}
	return fleet.Value(at).Over(fleet.Value(judged))
}

// figure fills a row from what was used and what might have been.
func (r *Row) figure(of courses, atLimit float64) {
	used, limit, values := of.used, of.limit, of.used.known()
	spread := fleet.UsedOfSorted(values)
	r.P50, r.P95, r.P99, r.Max = spread.P50, spread.P95, spread.P99, spread.Max
	r.Operations, r.OperationsGranted = fleet.UsedOfSorted(of.operations.known()).P99, of.mayOperate
	r.Mean = used.sum() / fleet.Value(max(len(values), 1))
	r.Granted = limit.sum() / fleet.Value(max(len(limit.known()), 1))
	r.Grantable = volumeOf(limit)
	if r.Measure != measurePeak {
		r.Moved = volumeOf(used) // of busiest seconds no sum is what was moved
	}
	r.Idle, r.Use = fleet.IdleOf(r.Granted, r.P99, r.OperationsGranted, r.Operations), r.P99.Over(r.Granted)
	r.Coverage = coverageOf(used)
	r.Days = r.Coverage * 7
	r.AtLimit = atLimitOf(used, limit, atLimit)
}

func emptyRow() Row {
	u := fleet.Unknown
	return Row{
		Granted: u, Paid: u, Unassigned: u, P50: u, P95: u, P99: u, Max: u, Mean: u, Idle: u, Use: u, Reachable: u, Reach: u, AtLimit: u, Operations: u, OperationsGranted: u,
		block: u, Coverage: u, Days: u, Moved: u, Grantable: u, Before: u, Earlier: u,
	}
}

// gapsOf are the runs of slots without a value that are at least so long.
func gapsOf(c course, from time.Time, least time.Duration) []Gap {
	var gaps []Gap
	begun := -1
	for i := 0; i <= len(c); i++ {
		if i < len(c) && math.IsNaN(c[i]) {
			if begun < 0 {
				begun = i
			}
			continue
		}
		if begun >= 0 && time.Duration(i-begun)*grain >= least {
			gaps = append(gaps, Gap{From: from.Add(time.Duration(begun) * grain), To: from.Add(time.Duration(i) * grain)})
		}
		begun = -1
	}
	return gaps
}

// hourly is the highest value of each hour.
func hourly(c course) []fleet.Value {
	const each = int(time.Hour / grain)
	hours := make([]fleet.Value, 0, len(c)/each)
	for i := 0; i+each <= len(c); i += each {
		hours = append(hours, fleet.Quantile(1, c[i:i+each].known()))
	}
	return hours
}

// reconcile holds a total against its parts. Sums of a few thousand numbers differ by rounding alone, far below a millionth.
func reconcile(what, unit string, total fleet.Value, parts []fleet.Value) Reconciled {
	sum := fleet.Unknown
	for _, part := range parts {
		sum = sum.Plus(part)
	}
	holds := total.Known() == sum.Known()
	if total.Known() && sum.Known() {
		holds = math.Abs(float64(total-sum)) <= 1e-6*math.Max(1, math.Abs(float64(total)))
	}
	return Reconciled{What: what, Unit: unit, Total: total, Parts: sum, Holds: holds}
}

// middle is the median of what is known.
func middle(values []fleet.Value) (fleet.Value, int) {
	var known []float64
	for _, value := range values {
		if value.Known() {
			known = append(known, float64(value))
		}
	}
	slices.Sort(known)
	return fleet.Quantile(0.5, known), len(known)
}

func compareResources(a, b fleet.Resource) int {
	return cmp.Or(
		cmp.Compare(a.Cloud, b.Cloud), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Project, b.Project), cmp.Compare(a.Location, b.Location),
		cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Volume, b.Volume), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Server, b.Server),
		cmp.Compare(a.Export, b.Export), cmp.Compare(a.Protocol, b.Protocol),
	)
}
