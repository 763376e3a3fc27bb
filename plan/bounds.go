package plan

import (
	"math"

	"github.com/nasight/nasight/fleet"
)

// What a lower bound comes from.
const (
	byFloor     = "floor"
	byPeak      = "observed peak"
	byProtected = "protected"
)

// bound sets every planned volume's bounds. If the pool cannot lift every volume to its observed peak, peaks above the
// limit of today are given up: those volumes were seen above it (the service lets bursts pass), and not lowering them
// is what can be promised. Floors are the operator's word and are not given up: then the plan is infeasible.
func (b *builder) bound() {
	missing := b.boundAll()
	if missing > slack {
		b.relaxed = true
		if missing = b.boundAll(); missing <= slack {
			b.note("the pool cannot lift every volume to its observed peak; none is lowered below its peak")
		}
	}
	b.conflicts()
	if missing > slack {
		b.infeasible(missing)
	}
}

// boundAll returns by how much the lower bounds pass what there is to share.
func (b *builder) boundAll() float64 {
	sum := 0.0
	for _, i := range b.planned {
		a := &b.plan.Volumes[i]
		low, by, high := bounds(b.inputs[i], b.options, b.relaxed)
		a.Lower, a.LowerBy, a.Limit = fleet.Value(low), by, fleet.Value(high)
		a.Upper = max(a.Lower, min(a.Limit, a.Need))
		sum += low
	}
	return sum - b.free
}

// bounds gives l, where it comes from, and h. Bounds are whole numbers, so that rounding cannot leave them, except
// where a bound is the limit of today, which a volume can always keep.
func bounds(v Volume, o Options, relaxed bool) (low float64, by string, high float64) {
	current := float64(v.CurrentMiBps)
	service := math.Max(serviceMaximum(v, o), current)
	high = service
	if v.CapMiBps > 0 {
		high = math.Min(service, math.Max(1, math.Floor(v.CapMiBps)))
	}
	low, by = math.Min(math.Ceil(o.FloorMiBps), high), byFloor
	if v.FloorMiBps > 0 {
		low = math.Min(math.Ceil(v.FloorMiBps), service)
	}
	peak := math.Min(math.Ceil(float64(v.Peak)), service)
	if relaxed {
		peak = math.Min(peak, current)
	}
	if peak > low {
		low, by = peak, byPeak
	}
	if v.Protected && current > low {
		low, by = current, byProtected
	}
	return low, by, math.Max(high, low)
}

// serviceMaximum is what the service accepts for the volume.
func serviceMaximum(v Volume, o Options) float64 {
	if v.LargeCapacity {
		return math.Floor(o.MaxLarge)
	}
	return math.Floor(o.MaxVolume)
}

// conflicts lists the caps that a stronger bound overrules.
func (b *builder) conflicts() {
	for _, i := range b.planned {
		a, limit := b.plan.Volumes[i], b.inputs[i].CapMiBps
		if limit > 0 && float64(a.Lower) > math.Floor(limit) {
			b.refuse(a, "its cap of %s MiB/s is below its lower bound of %s (%s), which holds",
				number(limit), figure(a.Lower), a.LowerBy)
		}
	}
}

func (b *builder) infeasible(missing float64) {
	p := b.plan
	p.Status, p.Missing = Infeasible, fleet.Value(missing)
	p.Reason = "its lower bounds ask for " + number(missing) + " MiB/s more than the pool has: " + b.advice()
	p.AssignedAfter = p.Assigned
	for _, i := range b.planned {
		a := &p.Volumes[i]
		a.Why = append([]string{"asks for at least " + figure(a.Lower) + " (" + a.LowerBy + ")"}, a.Why...)
	}
}

// advice names the general floor that would fit, if one does.
func (b *builder) advice() string {
	items := make([]item, len(b.planned))
	for n, i := range b.planned {
		o, v := b.options, b.inputs[i]
		o.FloorMiBps = 0
		low, _, high := bounds(v, o, true)
		if v.FloorMiBps > 0 {
			high = low // its own floor does not follow the general one
		}
		items[n] = item{low: low, high: high, weight: 1}
	}
	if floor := math.Floor(level(items, b.free)); floor >= 1 && total(items, floor) <= b.free+slack {
		return "lower the floor to " + number(floor) + " MiB/s or less, or enlarge the pool"
	}
	return "lower the volumes' own floors, protect fewer of them, or enlarge the pool"
}
