package plan

import (
	"github.com/nasight/nasight/fleet"
)

// optimise finds the allocation that the certificate is about, and writes the certificate.
func (b *builder) optimise() {
	lambda, sum := 1.0, 0.0
	items := make([]item, len(b.planned))
	for n, i := range b.planned {
		a := b.plan.Volumes[i]
		items[n] = item{low: float64(a.Lower), high: float64(a.Upper), weight: float64(a.Need)}
		sum += items[n].high
	}
	if sum > b.free {
		lambda = level(items, b.free)
	}
	for n, i := range b.planned {
		b.plan.Volumes[i].Optimum = fleet.Value(items[n].at(lambda))
	}
	b.plan.Certificate = certify(b.plan, b.free, lambda)
}

// spread gives what remains of the pool, its reserve kept back, to the volumes in proportion to their needs. A volume
// at its upper bound takes no more and its part goes to the others, which is once more a common level to be found.
func (b *builder) spread() {
	rest := float64(b.plan.Capacity)*(1-b.options.Reserve) - (float64(b.plan.Capacity) - b.free)
	items := make([]item, len(b.planned))
	for n, i := range b.planned {
		a := &b.plan.Volumes[i]
		rest -= float64(a.Optimum)
		a.Target = a.Optimum
		items[n] = item{high: float64(a.Limit - a.Optimum), weight: float64(a.Need)}
	}
	if rest <= 0 || len(breakpoints(items)) == 0 {
		return
	}
	share := level(items, rest)
	for n, i := range b.planned {
		b.plan.Volumes[i].Target += fleet.Value(items[n].at(share))
	}
}
