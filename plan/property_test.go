package plan

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
)

// drawPool draws a pool as a project may have it: volumes of all sizes, tight and roomy pools, fractions, confounders.
func drawPool(t *rapid.T) (Pool, []Volume, Options) {
	rate := func(name string, high float64) float64 {
		v := rapid.Float64Range(0, high).Draw(t, name)
		if rapid.Bool().Draw(t, name+" is whole") {
			return math.Round(v)
		}
		return v
	}
	some := func(name string, high float64) float64 { // one time in four
		if rapid.IntRange(0, 3).Draw(t, "has "+name) > 0 {
			return 0
		}
		return rate(name, high)
	}
	volumes := make([]Volume, rapid.IntRange(1, 12).Draw(t, "volumes"))
	assigned := 0.0
	for i := range volumes {
		v := steady(fmt.Sprintf("v%d", i), rate("current", 6000), rate("p99", rapid.SampledFrom([]float64{1, 300, 6000}).Draw(t, "scale")))
		v.PreviousP99 = fleet.Value(rate("previous", 2000))
		v.Peak = v.P99 * fleet.Value(rapid.Float64Range(1, 2).Draw(t, "peak"))
		v.LargeCapacity = rapid.Bool().Draw(t, "large")
		v.Throttled = rapid.IntRange(0, 4).Draw(t, "throttled") == 0
		v.Protected = rapid.IntRange(0, 4).Draw(t, "protected") == 0
		v.Bound = fleet.Value(some("bound", 4))
		v.FloorMiBps, v.CapMiBps = some("floor", 200), some("cap", 6000)
		v.Coverage = fleet.Value(rapid.SampledFrom([]float64{1, 1, 1, 0.7}).Draw(t, "coverage"))
		volumes[i] = v
		assigned += float64(v.CurrentMiBps)
	}
	pool := manual(0)
	pool.AvailableMiBps = fleet.Value(rate("available", 3000))
	if rapid.Bool().Draw(t, "total is known") {
		pool.TotalMiBps = fleet.Value(assigned * rapid.Float64Range(0.9, 2).Draw(t, "total"))
	}
	options := Defaults()
	options.Reserve = rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(t, "reserve")
	options.FloorMiBps = rapid.SampledFrom([]float64{1, 64, 64.5}).Draw(t, "floor")
	options.MinChangeMiBps = rapid.SampledFrom([]float64{0, 8, 200}).Draw(t, "smallest change")
	return pool, volumes, options
}

// many draws 20 times as many pools as rapid does by itself: a few thousand.
func many(t *testing.T, check func(*rapid.T)) {
	t.Helper()
	for range 20 {
		if rapid.Check(t, check); t.Failed() {
			return
		}
	}
}

// TestPlansHold checks what must be true of every plan, whatever the pool: the certificate, and, counted here once more
// without it, that the sum fits after each step and that nobody loses what was seen in use.
func TestPlansHold(t *testing.T) {
	outcomes := map[Status]int{}
	many(t, func(t *rapid.T) {
		pool, volumes, options := drawPool(t)
		p, err := Build(pool, volumes, options)
		if err != nil {
			t.Fatal(err)
		}
		outcomes[p.Status]++
		if p.Certificate == nil {
			if p.Reason == "" || len(p.Steps) > 0 {
				t.Fatalf("%s without a reason, or with steps", p.Status)
			}
			return
		}
		if err := Verify(p.Certificate, p); err != nil {
			t.Fatal(err)
		}
		if limit := 1e-9 * (1 + float64(p.Capacity)); math.Abs(p.Certificate.Gap) > limit {
			t.Fatalf("gap %g", p.Certificate.Gap)
		}
		follow(t, p, volumes)
	})
	if outcomes[Proposed] == 0 || outcomes[Infeasible] == 0 {
		t.Errorf("only %v were drawn: the test says little", outcomes)
	}
}

// follow takes the steps one by one.
func follow(t *rapid.T, p *Plan, volumes []Volume) {
	limits, rising := map[string]float64{}, false
	for _, v := range volumes {
		limits[v.Name] = float64(v.CurrentMiBps)
	}
	for n, step := range p.Steps {
		if down := step.To < step.From; down && rising {
			t.Fatalf("step %d is a decrease after an increase", n+1)
		}
		rising = step.To > step.From
		limits[step.Volume] = step.To
		sum := 0.0
		for _, limit := range limits {
			sum += limit
		}
		if rising && sum > float64(p.Capacity)+1e-6 {
			t.Fatalf("step %d: %g MiB/s are assigned, the pool has %g", n+1, sum, float64(p.Capacity))
		}
	}
	for _, v := range volumes {
		after, before := limits[v.Name], float64(v.CurrentMiBps)
		if after < before && after < float64(v.Peak) {
			t.Fatalf("%s falls from %g to %g, below its peak of %g", v.Name, before, after, float64(v.Peak))
		}
		if v.Protected && after < before {
			t.Fatalf("%s is protected and falls from %g to %g", v.Name, before, after)
		}
		if v.Coverage < 0.8 && after != before {
			t.Fatalf("%s has thin data and changes", v.Name)
		}
	}
}

// TestOddInputNeverBreaksAPlan draws every number from the worst there is. Nothing may panic, an odd volume is kept or
// left out, and a certificate that is given still holds.
func TestOddInputNeverBreaksAPlan(t *testing.T) {
	worst := []float64{
		math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, math.SmallestNonzeroFloat64, 1e-9, 0.5, 64, 1e6, largest, largest + 1,
		1e300, math.MaxFloat64,
	}
	many(t, func(t *rapid.T) {
		draw := func(name string) fleet.Value { return fleet.Value(rapid.SampledFrom(worst).Draw(t, name)) }
		volumes := make([]Volume, rapid.IntRange(0, 5).Draw(t, "volumes"))
		for i := range volumes {
			volumes[i] = Volume{
				Name: rapid.SampledFrom([]string{"a", "b", "c", "d", ""}).Draw(t, "name"), CurrentMiBps: draw("current"),
				P99: draw("p99"), PreviousP99: draw("previous"), Peak: draw("peak"), Coverage: draw("coverage"), Days: draw("days"),
				Bound: draw("bound"), Throttled: rapid.Bool().Draw(t, "throttled"), Protected: rapid.Bool().Draw(t, "protected"),
				ReplicationDestination: rapid.Bool().Draw(t, "destination"), SourceNeedMiBps: draw("source"),
				FloorMiBps: float64(draw("floor")), CapMiBps: float64(draw("cap")),
			}
			if rapid.Bool().Draw(t, "fit") {
				volumes[i].Days, volumes[i].Coverage, volumes[i].FloorMiBps, volumes[i].CapMiBps = 7, 1, 0, 0
			}
		}
		pool := manual(0)
		pool.TotalMiBps, pool.AvailableMiBps = draw("total"), draw("available")
		options := Defaults()
		options.FailoverReady = rapid.Bool().Draw(t, "failover")
		p, err := Build(pool, volumes, options)
		if err != nil {
			t.Fatal(err)
		}
		if p.Certificate != nil {
			if err := Verify(p.Certificate, p); err != nil {
				t.Fatal(err)
			}
		}
		for _, a := range p.Volumes {
			if a.State != LeftOut && (!sane(a.Current) || !sane(a.Propose)) {
				t.Fatalf("volume %q: from %g to %g", a.Name, float64(a.Current), float64(a.Propose))
			}
		}
	})
}
