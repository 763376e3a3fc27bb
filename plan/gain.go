package plan

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// settle keeps the limits as they are where the steps would gain nothing: every change is work and a risk.
func (b *builder) settle() {
	reason := b.pointless()
	if reason == "" {
		return
	}
	for _, i := range b.planned {
		if a := b.plan.Volumes[i]; a.Propose != a.Current {
			b.leave(i, unmade)
		}
	}
	b.plan.Reason = reason
}

// pointless says why the proposal is not worth its steps, or "".
func (b *builder) pointless() string {
	now, after, changed := b.outcome(limitNow), b.outcome(limitAfter), false
	for _, i := range b.planned {
		changed = changed || b.plan.Volumes[i].Propose != b.plan.Volumes[i].Current
	}
	switch {
	case changed && now.assigned > b.free+slack:
		return "" // more is assigned than there is: something has to be taken
	case changed && after.served < now.served-slack && !b.wished():
		return "the limits as they are cover more of the needs than any sharing within the floors and peaks that is worth its steps"
	case b.lacks() >= wholeMiBps && after.served < now.served+wholeMiBps && !b.wished():
		return fmt.Sprintf("the pool is %.0f MiB/s too small for the needs of its volumes: sharing it out anew serves no more in all", b.lacks())
	case !changed:
		return b.enough(now)
	case after.short == 0 && b.taken() >= muchFreed*float64(b.plan.Capacity):
		return "" // what nobody needs is free for other volumes
	case after.served <= now.served+slack && after.short >= now.short && after.least <= now.least+slack && !b.outside():
		return b.enough(now)
	}
	return ""
}

// enough says why limits that stay as they are do: no volume lacks anything, or what it lacks is too little or cannot be given.
func (b *builder) enough(now outcome) string {
	if now.short == 0 {
		text := "every volume has what it needs"
		if b.idle >= b.options.MinChangeMiBps && b.idle >= wholeMiBps {
			text += fmt.Sprintf(", and the %s MiB/s that could be taken from some are less than %s of the pool: no limit is changed for them", number(b.idle), percent(muchFreed))
		}
		return text
	}
	worst, lack := 0, 0.0
	for _, i := range b.planned {
		if a := b.plan.Volumes[i]; float64(a.Need-a.Current) > lack {
			worst, lack = i, float64(a.Need-a.Current)
		}
	}
	a := b.plan.Volumes[worst]
	text := fmt.Sprintf("volume %s has %s of the %s MiB/s that it needs", a.Name, figure(a.Current), figure(a.Need))
	switch {
	case a.Current+slack >= a.Limit:
		text += ", which is its maximum"
	case b.left[worst] == tooSmall:
		text += fmt.Sprintf(": the %s that it lacks are less than %s, and so small a change is left out", number(lack), b.threshold(a))
	}
	if others := now.short - 1; others > 0 {
		text += fmt.Sprintf("; %s less still", plural(others, "other volume lacks", "other volumes lack"))
	}
	return text
}

// threshold names the smallest change of a volume that is made: a share of its limit, or a number of MiB/s.
func (b *builder) threshold(a Allocation) string {
	if b.options.MinChangeShare*float64(a.Current) < b.options.MinChangeMiBps {
		return number(b.options.MinChangeMiBps) + " MiB/s"
	}
	return percent(b.options.MinChangeShare) + " of its limit"
}

func percent(share float64) string { return number(100*share) + " %" }

// plural is a number with the word for one or for several.
func plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// wholeMiBps is the throughput below which nothing is lacking and nothing is gained, in MiB/s: limits are whole numbers.
const wholeMiBps = 1

// lacks is by how much the pool is too small for the needs and bounds of its volumes.
func (b *builder) lacks() float64 {
	short := -b.free
	for _, i := range b.planned {
		short += float64(b.plan.Volumes[i].Upper)
	}
	if short < slack {
		return 0
	}
	return short
}

// taken is what the proposal takes from volumes.
func (b *builder) taken() float64 {
	sum := 0.0
	for _, i := range b.planned {
		sum += math.Max(0, float64(b.plan.Volumes[i].Current-b.plan.Volumes[i].Propose))
	}
	return sum
}

// outcome is what limits do for the planned volumes.
type outcome struct {
	assigned, served float64
	short            int
	least            float64 // the smallest share of its need that a volume gets, at most 1
}

func limitNow(a Allocation) fleet.Value   { return a.Current }
func limitAfter(a Allocation) fleet.Value { return a.Propose }

func (b *builder) outcome(of func(Allocation) fleet.Value) outcome {
	o := outcome{least: 1}
	for _, i := range b.planned {
		a := b.plan.Volumes[i]
		limit := float64(of(a))
		o.assigned += limit
		o.served += math.Min(limit, float64(a.Need))
		o.short += count(limit+slack < float64(a.Need))
		if a.Need > 0 {
			o.least = math.Min(o.least, limit/float64(a.Need))
		}
	}
	return o
}

// outside tells whether a volume is outside its bounds, which the steps bring it into: those of the operator, or what it was seen
// to use.
func (b *builder) outside() bool {
	for _, i := range b.planned {
		a := b.plan.Volumes[i]
		if a.Current > a.Limit+slack || a.Current+slack < a.Lower && a.LowerBy == byPeak {
			return true
		}
	}
	return b.wished()
}

// wished tells whether a volume's own floor or cap, which are the operator's word, ask for a change.
func (b *builder) wished() bool {
	for _, i := range b.planned {
		a, v := b.plan.Volumes[i], b.inputs[i]
		if v.FloorMiBps > 0 && a.Current+slack < a.Lower || v.CapMiBps > 0 && a.Current > a.Limit+slack {
			return true
		}
	}
	return false
}
