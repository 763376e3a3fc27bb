package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nasight/nasight/fleet"
)

// explain puts in front of each volume's reasons what decided its figure, and lists what the plan refused.
func (b *builder) explain() {
	for _, i := range b.planned {
		a := &b.plan.Volumes[i]
		a.Why = slices.Concat(b.decided(*a), a.Why)
		if a.LowerBy == byPeak && a.Optimum <= a.Lower && a.Need < a.Lower && a.Lower < a.Current {
			b.refuse(*a, "not lowered below its observed peak of %s MiB/s%s, though its need is %s", figure(a.Peak), within(a.PeakDays), figure(a.Need))
		}
	}
}

func (b *builder) decided(a Allocation) []string {
	base := "need"
	switch {
	case a.Optimum >= a.Limit && a.Limit < a.Need:
		base = "at its maximum of " + figure(a.Limit)
	case a.Optimum <= a.Lower && a.Lower > a.Need:
		base = atLower(a)
	case a.Optimum < a.Need:
		base = fmt.Sprintf("the pool is short: %.0f %% of its need", math.Floor(100*float64(a.Optimum/a.Need)))
	}
	var why []string
	if surplus := a.Target - a.Optimum; surplus >= 1 {
		why = append(why, fmt.Sprintf("%s, and %.0f of the surplus", base, float64(surplus)))
	} else if base != "need" {
		why = append(why, base)
	}
	if a.Change == 0 && !b.settled && math.Abs(float64(a.Target-a.Current)) >= 1 {
		why = append(why, fmt.Sprintf("%.0f would be too small a change", float64(a.Target)))
	}
	return why
}

// within says how many days a peak is of, where that is known.
func within(days fleet.Value) string {
	if !days.Known() {
		return ""
	}
	return fmt.Sprintf(" in %.0f days", math.Floor(float64(days)))
}

func atLower(a Allocation) string {
	switch a.LowerBy {
	case byPeak:
		return "its observed peak of " + figure(a.Peak) + within(a.PeakDays)
	case byProtected:
		return "protected: not below " + figure(a.Lower)
	}
	return "its floor of " + figure(a.Lower)
}

// shortPeaks notes that a peak at the end of a month may not have been seen.
func (b *builder) shortPeaks() {
	const month = 31
	if b.plan.PeakDays.Below(month) && b.pool.Azure != nil {
		b.note("the peaks are of %.0f days at least, so that a month's end may be missing: history.retention of 36 days holds one", math.Floor(float64(b.plan.PeakDays)))
		return
	}
	if b.plan.PeakDays.Below(month) {
		b.note("the peaks are of %.0f days at least, so that a month's end may be missing: history.retention and gcnv.backfill_days of 36 days hold one",
			math.Floor(float64(b.plan.PeakDays)))
	}
}

// number prints MiB/s, days and factors for people: up to two decimals.
func number(v float64) string {
	if math.Abs(v) >= 100 {
		return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// figure is number for what may be missing.
func figure(v fleet.Value) string {
	if !v.Known() {
		return "-"
	}
	return number(float64(v))
}
