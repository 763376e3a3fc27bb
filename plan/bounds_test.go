package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

func TestBounds(t *testing.T) {
	for name, row := range map[string]struct {
		volume    Volume
		relaxed   bool
		low, high float64
		by        string
	}{
		"default floor":          {Volume{CurrentMiBps: 100}, false, 64, 4608, byFloor},
		"large volume":           {Volume{CurrentMiBps: 100, LargeCapacity: true}, false, 64, 30720, byFloor},
		"own floor":              {Volume{CurrentMiBps: 100, FloorMiBps: 9.5}, false, 10, 4608, byFloor},
		"own floor, too high":    {Volume{CurrentMiBps: 100, FloorMiBps: 5000}, false, 4608, 4608, byFloor},
		"peak":                   {Volume{CurrentMiBps: 300, Peak: 180.2}, false, 181, 4608, byPeak},
		"peak above the limit":   {Volume{CurrentMiBps: 100.5, Peak: 110}, false, 110, 4608, byPeak},
		"that, given up":         {Volume{CurrentMiBps: 100.5, Peak: 110}, true, 100.5, 4608, byPeak},
		"peak above the maximum": {Volume{CurrentMiBps: 4000, Peak: 5237}, false, 4608, 4608, byPeak},
		"limit above maximum":    {Volume{CurrentMiBps: 5120, Peak: 5237}, false, 5120, 5120, byPeak},
		"protected":              {Volume{CurrentMiBps: 300.5, Peak: 180, Protected: true}, false, 300.5, 4608, byProtected},
		"cap":                    {Volume{CurrentMiBps: 300, CapMiBps: 200.7}, false, 64, 200, byFloor},
		"cap below the floor":    {Volume{CurrentMiBps: 300, CapMiBps: 20}, false, 20, 20, byFloor},
		"cap below own floor":    {Volume{CurrentMiBps: 300, CapMiBps: 20, FloorMiBps: 30}, false, 30, 30, byFloor},
		"cap below the peak":     {Volume{CurrentMiBps: 300, CapMiBps: 100, Peak: 180}, false, 180, 180, byPeak},
		"cap of nearly nothing":  {Volume{CurrentMiBps: 300, CapMiBps: 0.1}, false, 1, 1, byFloor},
	} {
		low, by, high := bounds(row.volume, Defaults(), row.relaxed)
		if low != row.low || high != row.high || by != row.by {
			t.Errorf("%s: %g (%s) to %g, want %g (%s) to %g", name, low, by, high, row.low, row.by, row.high)
		}
	}
}

// TestRefusesToGoBelowAnObservedPeak: the need alone would take the volume to its floor.
func TestRefusesToGoBelowAnObservedPeak(t *testing.T) {
	quiet := steady("quiet", 1000, 10)
	quiet.Peak = 700
	p, err := Build(manual(1500), []Volume{quiet, steady("busy", 400, 900)}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	mustVerify(t, p)
	if got := p.Volumes[0]; got.Propose != 700 || got.Why[0] != "its observed peak of 700 in 35 days" {
		t.Errorf("%g because of %q", float64(got.Propose), got.Why)
	}
	if want := "quiet: not lowered below its observed peak of 700 MiB/s in 35 days, though its need is 12"; !slices.Equal(p.Refusals, []string{want}) {
		t.Errorf("refusals %q", p.Refusals)
	}
	if p.Volumes[1].Propose != 800 || !strings.HasPrefix(p.Volumes[1].Why[0], "the pool is short: 74 %") {
		t.Errorf("busy: %g because of %q", float64(p.Volumes[1].Propose), p.Volumes[1].Why)
	}
}

// TestPeaksAboveTheLimitAreGivenUpIfTheyDoNotFit: bursts pass a limit, so peaks of a full pool may not fit in it.
func TestPeaksAboveTheLimitAreGivenUpIfTheyDoNotFit(t *testing.T) {
	a, b := steady("a", 400, 300), steady("b", 600, 590)
	a.Peak, b.Peak = 350, 680
	p, err := Build(manual(1000), []Volume{a, b}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	mustVerify(t, p)
	if len(p.Notes) != 1 || p.Volumes[0].Propose < 350 || p.Volumes[1].Propose < 600 {
		t.Errorf("a %g, b %g, notes %q", float64(p.Volumes[0].Propose), float64(p.Volumes[1].Propose), p.Notes)
	}
}

func TestACapBelowAStrongerBoundIsRefused(t *testing.T) {
	v := steady("a", 300, 100)
	v.Peak, v.CapMiBps = 180, 120
	p, err := Build(manual(1000), []Volume{v, steady("b", 100, 50)}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	mustVerify(t, p)
	if p.Volumes[0].Propose != 180 || !slices.Contains(p.Refusals, "a: its cap of 120 MiB/s is below its lower bound of 180 (observed peak), which holds") {
		t.Errorf("%g, refusals %q", float64(p.Volumes[0].Propose), p.Refusals)
	}
}

// TestSmallChanges: those below 8 MiB/s or 10 % are dropped, except where what they free is spoken for.
func TestSmallChanges(t *testing.T) {
	plain := func(o *Options) { o.MinChangeMiBps, o.MinChangeShare, o.Reserve = 8, 0.1, 0 }
	roomy := sharing{pool: 2000, needs: []float64{495, 105, 300}, current: []float64{500, 100, 100}, change: func(o *Options) {
		plain(o)
		o.Reserve = 0.55 // no surplus
	}}.build(t)
	mustVerify(t, roomy)
	if got := proposed(roomy); !slices.Equal(got, []float64{500, 100, 300}) {
		t.Errorf("roomy: %v, want the third alone to change", got)
	}
	if why := roomy.Volumes[0].Why[0]; why != "495 would be too small a change, less than 10 % of its limit" {
		t.Errorf("why %q", why)
	}
	tight := sharing{pool: 1000, needs: []float64{475, 325, 200}, current: []float64{500, 350, 150}, change: plain}.build(t)
	mustVerify(t, tight)
	if got := proposed(tight); !slices.Equal(got, []float64{475, 325, 200}) {
		t.Errorf("tight: %v, want both small cuts to pay for the increase", got)
	}
	partly := sharing{pool: 1000, needs: []float64{470, 345, 180}, current: []float64{500, 350, 150}, change: func(o *Options) {
		plain(o)
		o.Reserve = 0.1
	}}.build(t)
	mustVerify(t, partly)
	if got := proposed(partly); !slices.Equal(got, []float64{470, 350, 180}) {
		t.Errorf("partly: %v, want the larger cut alone", got)
	}
}

// TestFractionsAreKeptWhereTheyAreALimit: the API gives limits as decimals, the plan whole numbers.
func TestFractionsAreKeptWhereTheyAreALimit(t *testing.T) {
	p := sharing{pool: 1000.7, needs: []float64{10, 700, 700}, current: []float64{310.7, 345, 345}, volume: func(i int, v *Volume) {
		v.Protected = i == 0
	}}.build(t)
	mustVerify(t, p)
	if got := proposed(p); !slices.Equal(got, []float64{310.7, 345, 345}) || p.Status != Unchanged || p.Reason == "" {
		t.Errorf("%v, %s", got, p.Status)
	}
	p = sharing{pool: 1000, needs: []float64{1000, 1000, 1000}}.build(t)
	if got := proposed(p); !slices.Equal(got, []float64{334, 333, 333}) {
		t.Errorf("%v, want the unit that remains to go to the first", got)
	}
}

func TestUnneededThroughputStaysUnassigned(t *testing.T) {
	p := sharing{pool: 1000, needs: []float64{0, 0}, current: []float64{500, 400}}.build(t)
	mustVerify(t, p)
	if got := proposed(p); !slices.Equal(got, []float64{64, 64}) || p.Effect.Unassigned != 872 || p.Effect.Demand != 0 {
		t.Errorf("%v, %g unassigned", got, p.Effect.Unassigned)
	}
	if fleet.Value(p.Steps[1].Assigned) != p.AssignedAfter {
		t.Errorf("%g after the last step, %g after the plan", p.Steps[1].Assigned, float64(p.AssignedAfter))
	}
}
