package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/nasight/nasight/fleet"
)

// round makes whole numbers: it rounds down and hands the units that remain to the largest fractional parts. A volume
// whose lower bound is its own limit, and no whole number, keeps that limit rather than fall below it.
func (b *builder) round() {
	exact, whole := 0.0, 0.0
	var parts []int
	for _, i := range b.planned {
		a := &b.plan.Volumes[i]
		a.Propose = max(fleet.Value(math.Floor(float64(a.Target))), a.Lower)
		exact += float64(a.Target)
		whole += float64(a.Propose)
		if b.fraction(i) > 0 && float64(a.Propose) == math.Floor(float64(a.Propose)) && a.Propose+1 <= a.Limit {
			parts = append(parts, i)
		}
	}
	units := int(math.Floor(math.Min(exact+slack, b.free) - whole + slack*slack))
	spare := int(math.Floor(b.free - whole + slack*slack)) // with what the reserve keeps
	slices.SortStableFunc(parts, func(i, j int) int {
		return cmp.Or(cmp.Compare(count(b.cut(j)), count(b.cut(i))), cmp.Compare(b.fraction(j), b.fraction(i)))
	})
	for n, i := range parts {
		if n < units || n < spare && b.cut(i) {
			b.plan.Volumes[i].Propose++
		}
	}
}

// cut tells whether rounding down took a volume below its need, which its exact figure covers.
func (b *builder) cut(i int) bool {
	a := b.plan.Volumes[i]
	return a.Target+slack >= a.Need && math.Floor(float64(a.Target)) < float64(a.Need)-slack
}

// fraction is what rounding down took from a volume, 0 where that is noise.
func (b *builder) fraction(i int) float64 {
	part := float64(b.plan.Volumes[i].Target) - math.Floor(float64(b.plan.Volumes[i].Target))
	if part < slack {
		return 0
	}
	return part
}
