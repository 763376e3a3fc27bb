package plan

import (
	"cmp"
	"math"
	"slices"
)

// omission is why a change that the best sharing has is not proposed.
type omission int

const (
	tooSmall omission = iota + 1 // smaller than the options ask for
	needless                     // nobody lacks what it gives or frees
	unmade                       // the steps together gain nothing
)

// muchFreed is the share of a pool that is worth taking from volumes that do not need it, if it helps no other.
const muchFreed = 0.1

// choose keeps the changes that are worth their steps: each is work and a risk, and a list of many is not read. A raise is kept where
// the volume lacks some of its need, was seen above its limit, or is asked for by a floor of its own; surplus and the floor for all
// raise no volume by themselves. A cut is kept where it pays for the raises, or where the cuts together free much of the pool.
// What is left out stays as it is, which no bound forbids: the certificate is about the best sharing, and its steps fit in any case.
func (b *builder) choose() {
	b.left = map[int]omission{}
	var cuts []int
	sum := 0.0
	for _, i := range b.planned {
		a := &b.plan.Volumes[i]
		switch {
		case a.Propose < a.Current && (a.Current <= a.Limit || !b.worthwhile(*a)):
			cuts = append(cuts, i)
			sum += float64(a.Current)
			continue
		case b.change(i) < wholeMiBps:
			a.Propose = a.Current
		case a.Propose > a.Current && !b.worthwhile(*a):
			b.leave(i, tooSmall)
		case a.Propose > a.Current && !b.helps(i):
			b.leave(i, needless)
		}
		sum += float64(a.Propose)
	}
	b.trim(cuts, sum)
}

func (b *builder) leave(i int, why omission) {
	b.left[i] = why
	b.plan.Volumes[i].Propose = b.plan.Volumes[i].Current
}

// helps tells whether a raise gives the volume what it lacks.
func (b *builder) helps(i int) bool {
	a := b.plan.Volumes[i]
	return a.Current+slack < a.Need || a.Current+slack < a.Lower && (a.LowerBy == byPeak || b.inputs[i].FloorMiBps > 0)
}

// trim makes the cuts that the pool has to have, as it would hold sum without any: those first that take nothing from a need, of these
// the largest, and small ones last. Where all but the small ones free much of the pool, they are all made.
func (b *builder) trim(cuts []int, sum float64) {
	b.idle = 0
	for _, i := range cuts {
		if a := b.plan.Volumes[i]; b.worthwhile(a) {
			b.idle += float64(a.Current - max(a.Propose, min(a.Need, a.Current)))
		}
	}
	much := b.idle >= muchFreed*float64(b.plan.Capacity)
	freed := func(i int) bool { return much && b.rank(i) == 0 }
	slices.SortStableFunc(cuts, func(i, j int) int {
		return cmp.Or(cmp.Compare(b.rank(i), b.rank(j)), cmp.Compare(b.change(j), b.change(i)))
	})
	var made []int
	for _, i := range cuts {
		if sum <= b.free+slack && !freed(i) {
			b.spare(i)
			continue
		}
		sum -= b.change(i)
		made = append(made, i)
	}
	for _, i := range slices.Backward(made) { // a later, larger one may do without it
		if more := b.change(i); sum+more <= b.free+slack && !freed(i) {
			sum += more
			b.spare(i)
		} else if !b.worthwhile(b.plan.Volumes[i]) {
			b.plan.Volumes[i].Why = append(b.plan.Volumes[i].Why, "a small cut, but it pays for the increases")
		}
	}
}

// rank orders cuts: 0 takes what nobody needs, 1 from a need, 2 and 3 are the same of small ones.
func (b *builder) rank(i int) int {
	a := b.plan.Volumes[i]
	return 2*count(!b.worthwhile(a)) + count(a.Propose+slack < min(a.Need, a.Current))
}

// change is how much a volume's limit changes.
func (b *builder) change(i int) float64 {
	return math.Abs(float64(b.plan.Volumes[i].Propose - b.plan.Volumes[i].Current))
}

// spare leaves a cut out.
func (b *builder) spare(i int) {
	switch {
	case b.change(i) < wholeMiBps:
		b.plan.Volumes[i].Propose = b.plan.Volumes[i].Current
	case !b.worthwhile(b.plan.Volumes[i]):
		b.leave(i, tooSmall)
	default:
		b.leave(i, needless)
	}
}

// worthwhile tells whether a change is large enough to make, or brings a volume within its bounds.
func (b *builder) worthwhile(a Allocation) bool {
	change := math.Abs(float64(a.Propose - a.Current))
	if change < wholeMiBps {
		return false
	}
	if a.Current < a.Lower || a.Current > a.Limit {
		return true
	}
	return change >= b.smallest(a)
}

// smallest is the smallest change of a volume that is made, in MiB/s.
func (b *builder) smallest(a Allocation) float64 {
	return max(b.options.MinChangeMiBps, b.options.MinChangeShare*float64(a.Current))
}
