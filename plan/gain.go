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
		b.plan.Volumes[i].Propose = b.plan.Volumes[i].Current
	}
	b.plan.Reason, b.settled = reason, true
}

// pointless says why the proposal is not worth its steps, or "".
func (b *builder) pointless() string {
	now, after, changed := b.outcome(limitNow), b.outcome(limitAfter), false
	for _, i := range b.planned {
		changed = changed || b.plan.Volumes[i].Propose != b.plan.Volumes[i].Current
	}
	switch {
	case !changed || now.assigned > b.free+slack:
		return "" // more is assigned than there is: something has to be taken
	case after.served < now.served-slack && !b.wished():
		return "the limits as they are cover more of the needs than any sharing within the floors and peaks that is worth its steps"
	case b.lacks() >= wholeMiBps && after.served < now.served+wholeMiBps && !b.wished():
		return fmt.Sprintf("the pool is %.0f MiB/s too small for the needs of its volumes: sharing it out anew serves no more in all", b.lacks())
	case after.short == 0 && b.taken() >= muchFreed*float64(b.plan.Capacity):
		return "" // what nobody needs is free for other volumes, or is reserve where it is more likely to be needed
	case after.served <= now.served+slack && after.short >= now.short && after.least <= now.least+slack && !b.outside():
		return "moving throughput gains nothing: no volume would have more of what it needs"
	}
	return ""
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

// muchFreed is the share of a pool that is worth taking from volumes that do not need it, if it helps no other.
const muchFreed = 0.1

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
