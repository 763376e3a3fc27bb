package plan

import (
	"math"
)

// Certificate proves that the optimum of a plan is one. Of all allocations a within the bounds l and u whose sum is at
// most Capacity, the optimum has the largest Σ d·ln a. That sum is strictly concave and there is one common constraint,
// so these conditions (Karush, Kuhn and Tucker) hold for the optimum alone, with the price mu = 1/lambda:
//
//	d/a = mu  for the volumes inside their bounds,
//	d/a ≤ mu  for those at l: they would take less at that price, but may not,
//	d/a ≥ mu  for those at u: they would take more, but need no more or may not,
//	Σ a = Capacity, or every volume is at u.
//
// Served demand, Σ min(a, d), is at most Bound for every allocation whatsoever within l and h; Gap is what the optimum
// leaves of it, which is rounding error alone.
type Certificate struct {
	Lambda   float64  `json:"lambda"` // the share of its need that a volume inside its bounds gets
	Mu       float64  `json:"mu"`
	Capacity float64  `json:"capacity_mibps"` // what the planned volumes share
	Inside   []string `json:"inside"`
	AtFloor  []string `json:"at_lower_bound"`
	AtCap    []string `json:"at_need_or_upper_bound"`

	Served   float64 `json:"served_mibps"`
	Bound    float64 `json:"bound_mibps"`
	Gap      float64 `json:"gap_mibps"`
	Rounding float64 `json:"rounding_bound_mibps"` // whole numbers lose less than this: 1 MiB/s per planned volume
}

// certify writes the certificate of the optimum in the plan's volumes.
func certify(p *Plan, capacity, lambda float64) *Certificate {
	c := &Certificate{
		Lambda: lambda, Mu: 1 / lambda, Capacity: capacity,
		Inside: []string{}, AtFloor: []string{}, AtCap: []string{},
	}
	for _, a := range p.Volumes {
		if a.State != Planned {
			continue
		}
		c.Rounding++
		switch name := a.id(p); {
		case a.Optimum <= a.Lower && lambda*float64(a.Need) <= float64(a.Optimum):
			c.AtFloor = append(c.AtFloor, name)
		case a.Optimum >= a.Upper:
			c.AtCap = append(c.AtCap, name)
		default:
			c.Inside = append(c.Inside, name)
		}
	}
	c.Served, c.Bound = service(p, capacity)
	c.Gap = c.Bound - c.Served
	return c
}

// service is the served demand of the optimum and the bound on that of any allocation: no volume is served more than
// its need and its maximum, and what a lower bound gives beyond the need serves nobody.
func service(p *Plan, capacity float64) (served, bound float64) {
	wanted, wasted := 0.0, 0.0
	for _, a := range p.Volumes {
		if a.State != Planned {
			continue
		}
		served += float64(min(a.Optimum, a.Need))
		wanted += float64(min(a.Need, a.Limit))
		wasted += float64(max(0, a.Lower-a.Need))
	}
	return served, math.Min(wanted, capacity-wasted)
}

// id names a volume within its plan.
func (a Allocation) id(p *Plan) string {
	if a.Location != p.Location {
		return a.Location + "/" + a.Name
	}
	return a.Name
}
