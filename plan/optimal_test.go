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

// TestServedDemandIsTheLinearProgramsOptimum solves "serve the most" as a linear program and compares. Served demand
// Σ min(a, d) is concave, and min(a, d) is the largest s with s ≤ a and s ≤ d. So the most that any allocation serves is
//
//	max Σ s   with   s ≤ a,  s ≤ d,  l ≤ a ≤ h,  Σ a ≤ P,
//
// which is a linear program in (a, s); with a = l + x every right side is at least 0, so the simplex method starts
// from x = s = 0 and needs no first phase. It knows nothing of lambda, of the logarithm or of the bound.
func TestServedDemandIsTheLinearProgramsOptimum(t *testing.T) {
	many(t, func(t *rapid.T) {
		need, low, limit, pool := drawSharing(t, 6, 100)
		p := solve(t, need, low, limit, pool)
		most := mostServed(need, low, limit, pool)
		if c := p.Certificate; math.Abs(c.Served-most) > 1e-6 || math.Abs(c.Bound-most) > 1e-6 {
			t.Fatalf("served %g, bound %g; the linear program serves %g", c.Served, c.Bound, most)
		}
	})
}

func mostServed(need, low, limit []float64, pool float64) float64 {
	v := len(need)
	row := func(right float64, coefficients ...float64) []float64 { // variables x, then s, then the right side
		return append(append(make([]float64, 0, 2*v+1), coefficients...), right)
	}
	unit := func(entries map[int]float64) []float64 {
		r := make([]float64, 2*v)
		for n, c := range entries {
			r[n] = c
		}
		return r
	}
	budget, objective, room := make([]float64, 2*v), make([]float64, 2*v), pool
	var rows [][]float64
	for i := range need {
		budget[i], objective[v+i] = 1, 1
		room -= low[i]
		rows = append(rows,
			row(low[i], unit(map[int]float64{v + i: 1, i: -1})...),
			row(need[i], unit(map[int]float64{v + i: 1})...),
			row(limit[i]-low[i], unit(map[int]float64{i: 1})...))
	}
	return simplex(append(rows, row(room, budget...)), objective)
}

// simplex maximises over x ≥ 0 and rows of a·x ≤ b, b ≥ 0. It pivots by Bland's rule, so it ends.
func simplex(rows [][]float64, objective []float64) float64 {
	n, m := len(objective), len(rows)
	table := make([][]float64, m+1) // columns: variables, slacks, right side; last row: the objective, negated
	basis := make([]int, m)
	for i := range table {
		table[i] = make([]float64, n+m+1)
		if i < m {
			copy(table[i], rows[i][:n])
			table[i][n+i], table[i][n+m], basis[i] = 1, rows[i][n], n+i
		}
	}
	for j, c := range objective {
		table[m][j] = -c
	}
	for {
		enter, leave := -1, -1
		for j := range n + m {
			if table[m][j] < -1e-9 {
				enter = j
				break
			}
		}
		if enter < 0 {
			return table[m][n+m]
		}
		for i := range m {
			if table[i][enter] <= 1e-9 {
				continue
			}
			if leave < 0 {
				leave = i
				continue
			}
			mine, best := table[i][n+m]/table[i][enter], table[leave][n+m]/table[leave][enter]
			if mine < best-1e-12 || mine <= best && basis[i] < basis[leave] {
				leave = i
			}
		}
		if leave < 0 {
			return math.Inf(1)
		}
		pivot(table, leave, enter)
		basis[leave] = enter
	}
}

func pivot(table [][]float64, row, column int) {
	scale := table[row][column]
	for j := range table[row] {
		table[row][j] /= scale
	}
	for i := range table {
		if factor := table[i][column]; i != row && factor != 0 {
			for j := range table[i] {
				table[i][j] -= factor * table[row][j]
			}
		}
	}
}

// TestSimplex guards the solver that the test above trusts: a textbook problem, max 3x + 5y, whose answer is 36.
func TestSimplex(t *testing.T) {
	rows := [][]float64{{1, 0, 4}, {0, 2, 12}, {3, 2, 18}}
	if got := simplex(rows, []float64{3, 5}); math.Abs(got-36) > 1e-9 {
		t.Errorf("got %g, want 36", got)
	}
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
