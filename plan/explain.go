package plan

import (
	"cmp"
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
		a.Why = slices.Concat(b.decided(i), a.Why)
		if a.LowerBy == byPeak && a.Optimum <= a.Lower && a.Need < a.Lower && a.Lower < a.Current {
			b.refuse(*a, "not lowered below its observed peak of %s MiB/s%s, though its need is %s", figure(a.Peak), within(a.PeakDays), figure(a.Need))
		}
	}
}

func (b *builder) decided(i int) []string {
	a := b.plan.Volumes[i]
	if a.Change == 0 {
		return b.stays(i)
	}
	why := decisive(a)
	if surplus := a.Target - a.Optimum; surplus >= 1 {
		return []string{fmt.Sprintf("%s, and %.0f of the surplus", cmp.Or(why, "need"), float64(surplus))}
	}
	return some(why)
}

// decisive is what a volume's part of the best sharing rests on; empty where that is its need.
func decisive(a Allocation) string {
	switch {
	case a.Optimum >= a.Limit && a.Limit < a.Need:
		return "at its maximum of " + figure(a.Limit)
	case a.Optimum <= a.Lower && a.Lower > a.Need:
		return atLower(a)
	case a.Optimum < a.Need:
		return "the pool is short: " + partOf(a)
	}
	return ""
}

// stays says why a limit is left as it is, and by how much that is less than the volume needs or was seen to use.
func (b *builder) stays(i int) []string {
	a := b.plan.Volumes[i]
	lacks, below := a.Current+slack < a.Need, a.Current+slack < a.Lower
	var why []string
	switch left := b.left[i]; {
	case left == tooSmall:
		why = append(why, fmt.Sprintf("%.0f would be too small a change, less than %s", float64(a.Target), b.threshold(a)))
	case left == needless && a.Target > a.Current:
		why = append(why, fmt.Sprintf("%.0f would give it nothing that it needs", float64(a.Target)))
	case left == needless && a.Target+slack >= a.Need:
		why = append(why, fmt.Sprintf("%.0f would do, but nobody lacks the rest", float64(a.Target)))
	case left == 0 && !lacks && !below:
		why = some(decisive(a))
	}
	if lacks {
		why = append(why, partOf(a))
	}
	switch {
	case below && a.LowerBy == byPeak:
		why = append(why, "below "+atLower(a)+": what it is given another lacks")
	case below: // one of its own would raise it
		why = append(why, "below the floor of "+figure(a.Lower)+", which alone raises no volume")
	}
	return why
}

// partOf is how much of its need a volume gets by what is proposed.
func partOf(a Allocation) string {
	return fmt.Sprintf("%.0f %% of its need", math.Floor(100*float64(a.Propose/a.Need)))
}

func some(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
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
