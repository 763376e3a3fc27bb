package plan

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"
)

// A solver of linear programs knows nothing of lambda, of the logarithm or of the bound: what it finds is the judge of
// the two claims that a plan makes about its optimum. Both programs have the room x = a - l as variables, and a right
// side of at least 0 in every row, so that the simplex method starts from the slacks.

// program is a linear program: maximise c·x over x ≥ 0 with a·x ≤ b for each row.
type program struct {
	objective []float64
	rows      [][]float64
	right     []float64
}

// row adds a·x ≤ b, a given by its entries.
func (p *program) row(right float64, entries map[int]float64) {
	row := make([]float64, len(p.objective))
	for n, c := range entries {
		row[n] = c
	}
	p.rows, p.right = append(p.rows, row), append(p.right, right)
}

// tolerated is how near to the optimum the solver stops: at 0 it follows rounding errors round in circles.
const tolerated = 1e-9

// solve gives the maximum. In rare degenerate cases the library finds its own numbers to be unreliable and says so.
func (p *program) solve() (float64, error) {
	n, m := len(p.objective), len(p.rows)
	cost, basis, table := make([]float64, n+m), make([]int, m), mat.NewDense(m, n+m, nil)
	for j, c := range p.objective {
		cost[j] = -c
	}
	for i, row := range p.rows {
		for j, c := range row {
			table.Set(i, j, c)
		}
		table.Set(i, n+i, 1)
		basis[i] = n + i
	}
	least, _, err := lp.Simplex(cost, table, p.right, tolerated, basis)
	return -least, err
}

// unsolved counts the programs that the solver gave up on.
type unsolved struct{ asked, failed int }

// solve tells whether there is a maximum to compare with.
func (u *unsolved) solve(p program) (most float64, solved bool) {
	u.asked++
	most, err := p.solve()
	if err != nil {
		u.failed++
	}
	return most, err == nil
}

// check bounds what was not compared: one in a thousand.
func (u *unsolved) check(t *testing.T) {
	t.Helper()
	if t.Logf("%d of %d linear programs were not solved", u.failed, u.asked); u.asked == 0 || u.failed > u.asked/1000 {
		t.Errorf("the solver gave up on %d of %d linear programs: the test says little", u.failed, u.asked)
	}
}

// TestServedDemandIsTheLinearProgramsOptimum: served demand Σ min(a, d) is concave, and min(a, d) is the largest s with
// s ≤ a and s ≤ d. So the most that any allocation serves is
//
//	max Σ s   with   s ≤ a,  s ≤ d,  l ≤ a ≤ h,  Σ a ≤ P.
func TestServedDemandIsTheLinearProgramsOptimum(t *testing.T) {
	var counted unsolved
	many(t, func(t *rapid.T) {
		need, low, limit, pool := drawSharing(t, 6, 100)
		p := solve(t, need, low, limit, pool)
		most, solved := counted.solve(mostServed(need, low, limit, pool))
		if c := p.Certificate; solved && (math.Abs(c.Served-most) > 1e-6 || math.Abs(c.Bound-most) > 1e-6) {
			t.Fatalf("served %g, bound %g; the linear program serves %g", c.Served, c.Bound, most)
		}
	})
	counted.check(t)
}

func mostServed(need, low, limit []float64, pool float64) program {
	v := len(need) // variables x, then s
	p, room, all := program{objective: make([]float64, 2*v)}, pool, map[int]float64{}
	for i := range need {
		p.objective[v+i], all[i] = 1, 1
		room -= low[i]
		p.row(low[i], map[int]float64{v + i: 1, i: -1})
		p.row(need[i], map[int]float64{v + i: 1})
		p.row(limit[i]-low[i], map[int]float64{i: 1})
	}
	p.row(room, all)
	return p
}

// TestTheWorstServedIsTheLinearProgramsOptimum is about fairness: nobody can do better than the volume that is served
// worst in the plan. The largest ratio r that every volume with a need can have at once is
//
//	max r   with   r·d ≤ a,  l ≤ a ≤ u,  Σ a ≤ P.
func TestTheWorstServedIsTheLinearProgramsOptimum(t *testing.T) {
	var counted unsolved
	many(t, func(t *rapid.T) {
		need, low, limit, pool := drawSharing(t, 6, 100)
		if slices.Max(need) == 0 {
			return // r has no bound
		}
		p := solve(t, need, low, limit, pool)
		worst := math.Inf(1)
		for i, a := range optima(p) {
			if need[i] > 0 {
				worst = math.Min(worst, a/need[i])
			}
		}
		if most, solved := counted.solve(fairest(need, low, limit, pool)); solved && math.Abs(worst-most) > 1e-6*(1+most) {
			t.Fatalf("the worst ratio is %g; the linear program finds %g", worst, most)
		}
	})
	counted.check(t)
}

func fairest(need, low, limit []float64, pool float64) program {
	v := len(need) // variables x, then r
	p, room, all := program{objective: make([]float64, v+1)}, pool, map[int]float64{}
	p.objective[v] = 1
	for i := range need {
		all[i] = 1
		room -= low[i]
		if need[i] > 0 {
			p.row(low[i], map[int]float64{v: need[i], i: -1})
		}
		p.row(math.Max(low[i], math.Min(limit[i], need[i]))-low[i], map[int]float64{i: 1})
	}
	p.row(room, all)
	return p
}

// TestTheSolver guards the way in which the tests above ask: a textbook problem, max 3x + 5y, whose answer is 36.
func TestTheSolver(t *testing.T) {
	p := program{objective: []float64{3, 5}}
	p.row(4, map[int]float64{0: 1})
	p.row(12, map[int]float64{1: 2})
	p.row(18, map[int]float64{0: 3, 1: 2})
	if got, err := p.solve(); err != nil || math.Abs(got-36) > 1e-9 {
		t.Errorf("got %g, %v, want 36", got, err)
	}
}
