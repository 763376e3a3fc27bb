package plan

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

// sharing is a pool of volumes whose needs are given as such: headroom 1, no trend and no peak above the need.
type sharing struct {
	pool    float64
	needs   []float64
	current []float64 // default: 0 each
	change  func(*Options)
	volume  func(int, *Volume)
}

func (s sharing) build(t *testing.T) *Plan {
	t.Helper()
	options := Defaults()
	options.Headroom, options.MinChangeMiBps, options.MinChangeShare = 1, 0, 0
	if s.change != nil {
		s.change(&options)
	}
	volumes := make([]Volume, len(s.needs))
	for i, need := range s.needs {
		volumes[i] = steady(fmt.Sprintf("v%d", i), 0, need)
		volumes[i].Peak = 0
		if s.current != nil {
			volumes[i].CurrentMiBps = fleet.Value(s.current[i])
		}
		if s.volume != nil {
			s.volume(i, &volumes[i])
		}
	}
	plan, err := Build(manual(s.pool), volumes, options)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// manual is a pool whose total is known and nothing else.
func manual(total float64) Pool {
	return Pool{
		Project: "example", Location: "europe-west3", Name: "pool", QoSType: "MANUAL",
		TotalMiBps: fleet.Value(total), AvailableMiBps: fleet.Unknown,
	}
}

// steady is a volume with enough data whose use does not change.
func steady(name string, current, p99 float64) Volume {
	return Volume{
		Name: name, CurrentMiBps: fleet.Value(current), P99: fleet.Value(p99), PreviousP99: fleet.Value(p99),
		Peak: fleet.Value(p99), PeakDays: 35, Coverage: 1, Days: 14, Bound: fleet.Unknown, SourceNeedMiBps: fleet.Unknown,
	}
}

func mustVerify(t *testing.T, p *Plan) {
	t.Helper()
	if p.Certificate == nil {
		t.Fatalf("no certificate: %s, %s", p.Status, p.Reason)
	}
	if err := Verify(p.Certificate, p); err != nil {
		t.Error(err)
	}
}

func column(p *Plan, of func(Allocation) fleet.Value) []float64 {
	values := make([]float64, len(p.Volumes))
	for i, a := range p.Volumes {
		values[i] = math.Round(1e6*float64(of(a))) / 1e6
	}
	return values
}

func optima(p *Plan) []float64 { return column(p, func(a Allocation) fleet.Value { return a.Optimum }) }
func proposed(p *Plan) []float64 {
	return column(p, func(a Allocation) fleet.Value { return a.Propose })
}

// TestAllocations holds the published table of the reallocation: need only, and with the reserve and the surplus.
func TestAllocations(t *testing.T) {
	for _, row := range []struct {
		pool    float64
		needs   []float64
		large   int // so many volumes from the first are of large capacity
		optimum []float64
		lambda  float64
		served  float64
		final   []float64
	}{
		{2560, []float64{600, 300, 200}, 0, []float64{600, 300, 200}, 1, 1100, []float64{1257, 628, 419}},
		{1000, []float64{1000, 1000}, 0, []float64{500, 500}, .5, 1000, []float64{500, 500}},
		{1000, []float64{1500, 500}, 0, []float64{750, 250}, .5, 1000, []float64{750, 250}},
		{1000, []float64{1960, 10}, 0, []float64{936, 64}, .4776, 946, []float64{936, 64}},
		{8000, []float64{6000, 1000}, 0, []float64{4608, 1000}, 1, 5608, []float64{4608, 2592}},
		{25600, []float64{20000, 3000, 1000}, 1, []float64{20000, 3000, 1000}, 1, 24000, []float64{20000, 3000, 1000}},
		{1100, []float64{700, 400}, 0, []float64{700, 400}, 1, 1100, []float64{700, 400}},
		{2560, []float64{.1, .1}, 0, []float64{64, 64}, 1, .2, []float64{1152, 1152}},
	} {
		t.Run(fmt.Sprint(row.pool, row.needs), func(t *testing.T) {
			p := sharing{pool: row.pool, needs: row.needs, volume: func(i int, v *Volume) { v.LargeCapacity = i < row.large }}.build(t)
			mustVerify(t, p)
			if diff := cmp.Diff(row.optimum, optima(p)); diff != "" {
				t.Errorf("need only (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.final, proposed(p)); diff != "" {
				t.Errorf("with reserve and surplus (-want +got):\n%s", diff)
			}
			c := p.Certificate
			if math.Abs(c.Lambda-row.lambda) > 5e-5 || math.Abs(c.Served-row.served) > 1e-9 || math.Abs(c.Bound-row.served) > 1e-9 {
				t.Errorf("lambda %g, served %g of at most %g; want %g, %g, %g", c.Lambda, c.Served, c.Bound, row.lambda, row.served, row.served)
			}
			if c.Rounding != float64(len(row.needs)) {
				t.Errorf("rounding bound %g", c.Rounding)
			}
		})
	}
}

// TestIndexSets follows the three conditions through one pool.
func TestIndexSets(t *testing.T) {
	p := sharing{pool: 1000, needs: []float64{1500, 10, 80, 700}, volume: func(i int, v *Volume) {
		v.CapMiBps = []float64{0, 0, 0, 100}[i]
	}}.build(t)
	mustVerify(t, p)
	c := p.Certificate
	got := [][]string{c.Inside, c.AtFloor, c.AtCap}
	if diff := cmp.Diff([][]string{{"v0"}, {"v1", "v2"}, {"v3"}}, got); diff != "" {
		t.Errorf("inside, at the lower bound, at the upper one (-want +got):\n%s", diff)
	}
	if want := (1000.0 - 64 - 64 - 100) / 1500; math.Abs(c.Lambda-want) > 1e-12 || math.Abs(c.Mu*c.Lambda-1) > 1e-12 {
		t.Errorf("lambda %g, want %g; mu %g", c.Lambda, want, c.Mu)
	}
}

func TestInfeasible(t *testing.T) {
	p := sharing{pool: 100, needs: []float64{10, 10}, current: []float64{50, 50}}.build(t)
	if p.Status != Infeasible || p.Missing != 28 || p.Certificate != nil || len(p.Steps) != 0 {
		t.Errorf("%s, missing %g, %d steps", p.Status, float64(p.Missing), len(p.Steps))
	}
	if want := "its lower bounds ask for 28 MiB/s more than the pool has: lower the floor to 50 MiB/s or less, or enlarge the pool"; p.Reason != want {
		t.Errorf("reason %q", p.Reason)
	}
	p = sharing{pool: 100, needs: []float64{10, 10}, current: []float64{50, 50}, change: func(o *Options) { o.FloorMiBps = 50 }}.build(t)
	if p.Status != Unchanged {
		t.Errorf("with the floor that was advised: %s, %s", p.Status, p.Reason)
	}
	p = sharing{pool: 100, needs: []float64{10, 10}, volume: func(_ int, v *Volume) { v.FloorMiBps = 60 }}.build(t)
	if p.Status != Infeasible || p.Missing != 20 {
		t.Errorf("own floors: %s, %g missing", p.Status, float64(p.Missing))
	}
}
