package plan

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/fleet"
)

// tolerance is the relative rounding error that Verify lets pass.
const tolerance = 1e-9

// Verify checks a certificate against a plan, from the numbers of the two alone and not by solving again: the bounds,
// the conditions of the optimum, the bound on the served demand, and that the steps lead to the proposal without ever
// passing the pool. It names the first condition that does not hold.
func Verify(c *Certificate, p *Plan) error {
	if c == nil || p == nil {
		return fmt.Errorf("verify a plan: there is no certificate or no plan")
	}
	for _, check := range []func(*Certificate, *Plan) error{verifyPrice, verifyVolumes, verifySums, verifyProposal, verifySteps} {
		if err := check(c, p); err != nil {
			return fmt.Errorf("verify the plan of pool %q: %w", p.Pool, err)
		}
	}
	return nil
}

func verifyPrice(c *Certificate, _ *Plan) error {
	if math.IsNaN(c.Lambda) || c.Lambda <= 0 || c.Lambda > 1 || !near(c.Lambda*c.Mu, 1) {
		return fmt.Errorf("lambda %g and mu %g: want lambda above 0 and at most 1, and mu its inverse", c.Lambda, c.Mu)
	}
	return nil
}

func verifyVolumes(c *Certificate, p *Plan) error {
	sets := map[string]string{}
	for set, names := range map[string][]string{"inside": c.Inside, "floor": c.AtFloor, "cap": c.AtCap} {
		for _, name := range names {
			if sets[name] != "" {
				return fmt.Errorf("volume %q is in two sets, %s and %s", name, sets[name], set)
			}
			sets[name] = set
		}
	}
	planned := 0
	for _, a := range p.Volumes {
		if a.State != Planned {
			continue
		}
		planned++
		if err := verifyVolume(c, a, sets[a.id(p)]); err != nil {
			return fmt.Errorf("volume %q: %w", a.Name, err)
		}
	}
	if planned != len(sets) {
		return fmt.Errorf("%d volumes are planned, the certificate has %d", planned, len(sets))
	}
	return nil
}

// verifyVolume checks one volume's bounds and its condition, written with lambda·d in place of d/a.
func verifyVolume(c *Certificate, a Allocation, set string) error {
	d, l, h, u, x := float64(a.Need), float64(a.Lower), float64(a.Limit), float64(a.Upper), float64(a.Optimum)
	if !(d >= 0 && l >= 0 && l <= h) || u != math.Max(l, math.Min(h, d)) {
		return fmt.Errorf("need %g, bounds %g, %g and %g do not belong together", d, l, u, h)
	}
	if !(x >= l-tolerance*l && x <= u+tolerance*u) {
		return fmt.Errorf("optimum %g lies outside %g to %g", x, l, u)
	}
	wanted := c.Lambda * d
	holds := false
	switch set {
	case "inside":
		holds = near(wanted, x)
	case "floor":
		holds = near(x, l) && wanted <= x*(1+tolerance)
	case "cap":
		holds = near(x, u) && wanted >= x*(1-tolerance)
	}
	if !holds {
		return fmt.Errorf("the condition of set %q does not hold: need %g, optimum %g, lambda %g", set, d, x, c.Lambda)
	}
	return nil
}

func verifySums(c *Certificate, p *Plan) error {
	sum, kept, every := 0.0, 0.0, true
	for _, a := range p.Volumes {
		switch a.State {
		case Planned:
			sum += float64(a.Optimum)
			every = every && near(float64(a.Optimum), float64(a.Upper))
		case Kept:
			kept += float64(a.Current)
		}
	}
	if !near(c.Capacity+kept, float64(p.Capacity)) {
		return fmt.Errorf("%g MiB/s to share and %g kept are not the pool's %g", c.Capacity, kept, float64(p.Capacity))
	}
	if sum > c.Capacity+slack+tolerance*sum {
		return fmt.Errorf("the optimum takes %g MiB/s of %g", sum, c.Capacity)
	}
	if !every && !(math.Abs(sum-c.Capacity) <= slack+tolerance*sum) {
		return fmt.Errorf("%g of %g MiB/s are taken, yet a volume is below its need and its upper bound", sum, c.Capacity)
	}
	served, bound := service(p, c.Capacity)
	if !near(served, c.Served) || !near(bound, c.Bound) || math.Abs(bound-served) > slack+tolerance*sum ||
		math.Abs(c.Gap-(bound-served)) > slack {
		return fmt.Errorf("served %g of at most %g MiB/s; the certificate says %g, %g and a gap of %g",
			served, bound, c.Served, c.Bound, c.Gap)
	}
	return nil
}

// verifyProposal checks the whole numbers against the optimum and its surplus.
func verifyProposal(_ *Certificate, p *Plan) error {
	sum := fleet.Value(0)
	for _, a := range p.Volumes {
		if a.State == LeftOut {
			continue
		}
		sum += a.Propose
		switch changed := a.Propose != a.Current; {
		case !changed:
		case a.State != Planned:
			return fmt.Errorf("volume %q is kept, yet changed", a.Name)
		case a.Propose != fleet.Value(math.Floor(float64(a.Propose))):
			return fmt.Errorf("volume %q: %g is no whole number", a.Name, float64(a.Propose))
		case a.Propose < a.Peak && a.Propose < a.Current:
			return fmt.Errorf("volume %q is lowered to %g, below its observed peak of %g", a.Name, float64(a.Propose), float64(a.Peak))
		case a.Propose < a.Lower || a.Propose > a.Limit:
			return fmt.Errorf("volume %q: %g lies outside its bounds", a.Name, float64(a.Propose))
		case math.Abs(float64(a.Propose-a.Target)) >= 1+slack || a.Target < a.Optimum:
			return fmt.Errorf("volume %q: %g is not %g rounded", a.Name, float64(a.Propose), float64(a.Target))
		}
	}
	if sum > p.Capacity+slack {
		return fmt.Errorf("the proposal takes %g MiB/s of %g", float64(sum), float64(p.Capacity))
	}
	return nil
}

// verifySteps follows the steps: each changes one volume once, and only decreases may start above the pool.
func verifySteps(_ *Certificate, p *Plan) error {
	limits, sum := map[string]Allocation{}, 0.0
	for _, a := range p.Volumes {
		if a.State != LeftOut {
			limits[a.id(p)] = a
			sum += float64(a.Current)
		}
	}
	for n, step := range p.Steps {
		name := Allocation{Name: step.Volume, Location: step.Location}.id(p)
		a, ok := limits[name]
		if !ok || float64(a.Current) != step.From || float64(a.Propose) != step.To || step.From == step.To {
			return fmt.Errorf("step %d changes %q from %g to %g, which is not proposed", n+1, step.Volume, step.From, step.To)
		}
		delete(limits, name)
		sum += step.To - step.From
		if step.To > step.From && sum > float64(p.Capacity)+slack {
			return fmt.Errorf("step %d takes the sum to %g MiB/s, the pool has %g", n+1, sum, float64(p.Capacity))
		}
		if !near(sum, step.Assigned) {
			return fmt.Errorf("step %d: the sum is %g MiB/s, not %g", n+1, sum, step.Assigned)
		}
	}
	for name, a := range limits {
		if a.Propose != a.Current {
			return fmt.Errorf("no step changes %q", name)
		}
	}
	return nil
}

// near tells whether two numbers are the same up to rounding error.
func near(a, b float64) bool {
	return math.Abs(a-b) <= tolerance*(1+math.Max(math.Abs(a), math.Abs(b)))
}
