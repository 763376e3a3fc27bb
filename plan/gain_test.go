package plan

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
)

// TestPlansGain: a plan that is proposed serves no less than today's limits do, but for what the operator asks for, and gains
// something; one that is not has no step and says why.
func TestPlansGain(t *testing.T) {
	proposals := 0
	many(t, func(t *rapid.T) {
		pool, volumes, options := drawPool(t)
		for i := range volumes {
			volumes[i].FloorMiBps, volumes[i].CapMiBps = 0, 0
		}
		p, err := Build(pool, volumes, options)
		if err != nil {
			t.Fatal(err)
		}
		if p.Status != Proposed {
			if p.Reason == "" || len(p.Steps) > 0 {
				t.Fatalf("%s without a reason, or with steps", p.Status)
			}
			return
		}
		proposals++
		e := p.Effect
		if p.Brings == "" {
			t.Fatal("the plan does not say what it brings")
		}
		if over := p.Assigned > p.Capacity+slack; !over && e.ServedAfter < e.ServedNow-1e-5 {
			t.Fatalf("the plan serves %g, the limits of now %g", e.ServedAfter, e.ServedNow)
		}
		for _, a := range p.Volumes {
			// Limits are whole numbers: where the pool has just enough, the fraction of one may be missing.
			if a.State == Planned && a.Propose <= a.Current-1 && a.Propose < a.Need-1 && e.PoolShort == 0 {
				t.Fatalf("%s is cut to %g, below its need of %g, in a pool that is not short", a.Name, float64(a.Propose), float64(a.Need))
			}
			if a.Change > 0 && a.Current+slack >= a.Need && !(a.Current < a.Lower && a.LowerBy == byPeak) {
				t.Fatalf("%s is raised from %g to %g and lacked nothing: need %g", a.Name, float64(a.Current), float64(a.Propose), float64(a.Need))
			}
			if a.Change < 0 && sparable(p, a) {
				t.Fatalf("%s is cut by %g, which neither the raises need nor frees much", a.Name, -float64(a.Change))
			}
		}
	})
	if proposals == 0 {
		t.Error("no plan was proposed: the test says little")
	}
}

// sparable tells whether a plan could do without a cut: the pool would bear it, and the cuts free less than a tenth of it.
func sparable(p *Plan, a Allocation) bool {
	taken := fleet.Value(0)
	for _, other := range p.Volumes {
		if other.State == Planned {
			taken += max(0, other.Current-max(other.Target, other.Need), max(0, -other.Change))
		}
	}
	return p.AssignedAfter-a.Change <= p.Capacity && taken < muchFreed*p.Capacity-fleet.Value(len(p.Volumes)) && a.Current <= a.Limit
}

// A volume that may be cut to its need is cut to no less: 85.6 becomes 86, also where only the reserve has the fraction left.
func TestNeedsAreRoundedUp(t *testing.T) {
	p := sharing{pool: 384, needs: []float64{85.6, 250}, current: []float64{180, 200}, change: func(o *Options) { o.Reserve = 0.2 }}.build(t)
	mustVerify(t, p)
	if got := proposed(p); !slices.Equal(got, []float64{86, 250}) || p.Effect.ShortAfter != 0 {
		t.Errorf("%v, %d short", got, p.Effect.ShortAfter)
	}
}

// Where one volume is short of an amount that is too small to give, cutting the other helps nobody.
func TestNothingGained(t *testing.T) {
	p := sharing{pool: 384, needs: []float64{85.6, 264}, current: []float64{128, 256}, change: func(o *Options) { o.Reserve, o.MinChangeMiBps, o.MinChangeShare = 0.2, 8, 0.1 }}.build(t)
	mustVerify(t, p)
	const why = "volume v1 has 256 of the 264 MiB/s that it needs: the 8 that it lacks are less than 10 % of its limit, and so small a change is left out"
	if p.Status != Unchanged || len(p.Steps) > 0 || p.Reason != why || p.Effect.ServedAfter != p.Effect.ServedNow {
		t.Errorf("%s, %d steps, %q, serves %g and %g", p.Status, len(p.Steps), p.Reason, p.Effect.ServedNow, p.Effect.ServedAfter)
	}
	if got := p.Volumes[1].Why; !slices.Equal(got[:2], []string{"264 would be too small a change, less than 10 % of its limit", "96 % of its need"}) {
		t.Errorf("%q", got)
	}
}

// A pool that is short as a whole is not shared out anew where that only evens out what is lacking: what one volume is given
// another lacks. Where a volume holds what it does not need, or the operator asks for it, throughput moves all the same.
func TestShortPools(t *testing.T) {
	for name, row := range map[string]struct {
		sharing
		status Status
	}{
		"all are short":      {sharing{pool: 300, needs: []float64{300, 300}, current: []float64{100, 200}}, Unchanged},
		"one has too much":   {sharing{pool: 400, needs: []float64{300, 300, 50}, current: []float64{100, 100, 200}}, Proposed},
		"something is left":  {sharing{pool: 400, needs: []float64{300, 300}, current: []float64{100, 200}}, Proposed},
		"the pool is enough": {sharing{pool: 600, needs: []float64{300, 300}, current: []float64{200, 400}}, Proposed},
		"it is asked for": {sharing{pool: 300, needs: []float64{300, 300}, current: []float64{100, 200}, volume: func(i int, v *Volume) {
			if i == 0 {
				v.FloorMiBps = 150
			}
		}}, Proposed},
		"more is assigned than there is": {sharing{pool: 300, needs: []float64{300, 300}, current: []float64{200, 200}}, Proposed},
	} {
		p := row.build(t)
		mustVerify(t, p)
		if p.Status != row.status {
			t.Errorf("%s: %s, %q, serves %g, then %g", name, p.Status, p.Reason, p.Effect.ServedNow, p.Effect.ServedAfter)
		}
		if p.Status == Unchanged && (len(p.Steps) > 0 || p.Effect.PoolShort != 300 || !strings.Contains(p.Reason, "300 MiB/s too small") || p.Effect.ServedAfter != p.Effect.ServedNow) {
			t.Errorf("%s: %d steps, short by %g, %q", name, len(p.Steps), p.Effect.PoolShort, p.Reason)
		}
	}
}
