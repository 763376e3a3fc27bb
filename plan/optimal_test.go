package plan

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawSharing draws a small feasible problem: needs, bounds and a pool.
func drawSharing(t *rapid.T, most, high int) (need, low, limit []float64, pool float64) {
	for range rapid.IntRange(1, most).Draw(t, "volumes") {
		l := rapid.IntRange(1, high/2).Draw(t, "low")
		need = append(need, float64(rapid.IntRange(0, high).Draw(t, "need")))
		low = append(low, float64(l))
		limit = append(limit, float64(rapid.IntRange(l, high).Draw(t, "limit")))
		pool += float64(l)
	}
	return need, low, limit, pool + float64(rapid.IntRange(0, most*high/2).Draw(t, "room"))
}

func solve(t *rapid.T, need, low, limit []float64, pool float64) *Plan {
	options := Defaults()
	options.Headroom, options.FloorMiBps = 1, 1
	var volumes []Volume
	for i := range need {
		v := steady(string(rune('a'+i)), 0, need[i])
		v.Peak, v.FloorMiBps, v.CapMiBps = 0, low[i], limit[i]
		volumes = append(volumes, v)
	}
	p, err := Build(manual(pool), volumes, options)
	if err != nil || p.Certificate == nil {
		t.Fatalf("a feasible pool of %g: %v, %s, %s", pool, err, p.Status, p.Reason)
	}
	if err := Verify(p.Certificate, p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNoGridPointIsBetter compares the optimum of Σ d·ln a with every whole-number allocation of tiny pools.
func TestNoGridPointIsBetter(t *testing.T) {
	many(t, func(t *rapid.T) {
		need, low, limit, pool := drawSharing(t, 3, 9)
		p := solve(t, need, low, limit, pool)
		value, grid := 0.0, make([]float64, len(need))
		for i, a := range optima(p) {
			value += need[i] * math.Log(a)
		}
		var walk func(i int, left, sum float64)
		walk = func(i int, left, sum float64) {
			if i == len(need) {
				if sum > value+1e-5 {
					t.Fatalf("%v gives %g, the optimum %v gives %g", grid, sum, optima(p), value)
				}
				return
			}
			upper := math.Max(low[i], math.Min(limit[i], need[i]))
			for a := low[i]; a <= math.Min(upper, left); a++ {
				grid[i] = a
				walk(i+1, left-a, sum+need[i]*math.Log(a))
			}
		}
		walk(0, pool, 0)
	})
}

// TestLevelTakesTheBudget checks the solver alone, over many magnitudes.
func TestLevelTakesTheBudget(t *testing.T) {
	many(t, func(t *rapid.T) {
		var items []item
		least, most := 0.0, 0.0
		for range rapid.IntRange(1, 40).Draw(t, "items") {
			low := rapid.Float64Range(0, 1e4).Draw(t, "low")
			i := item{low: low, high: low + rapid.Float64Range(1e-3, 1e4).Draw(t, "span"), weight: math.Exp(rapid.Float64Range(-13, 13).Draw(t, "ln weight"))}
			items, least, most = append(items, i), least+i.low, most+i.high
		}
		budget := least + (most-least)*rapid.Float64Range(0, 1).Draw(t, "share")
		if got := total(items, level(items, budget)); math.Abs(got-budget) > 1e-9*most {
			t.Fatalf("took %g of %g", got, budget)
		}
	})
}
