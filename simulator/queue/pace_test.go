package queue

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPace: with the think time that Pace gives, the class runs at the rate asked for.
func TestPace(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	n := fleet(t, rng, 200, 512*mib)
	for _, c := range n.Classes {
		c.Think = 0
		v := n.Volumes[0]
		c.Volume = v.Name
		one := Network{Classes: []Class{c}, Volumes: []Volume{v}, Pools: n.Pools}
		rate := (.01 + .98*rng.Float64()) * solve(t, one).Flows[0].Rate
		think, err := Pace(c, v, n.Pools, rate)
		if err != nil {
			t.Fatal(err)
		}
		one.Classes[0].Think = think
		near(t, "rate over the one asked for", solve(t, one).Flows[0].Rate/rate, 1, 1e-4)
	}
}

func TestPaceOutOfReach(t *testing.T) {
	c := Class{Client: "host-1", Volume: "v", Jobs: 64, Sessions: 1, SessionTime: 50 * us, RTT: .3 * ms}
	for _, row := range []struct {
		rate float64
		jobs float64
		want string
	}{
		{28_000, 64, "out of reach: with 64 jobs it gets 20000, bound by sessions"}, // a session at 140 %
		{3_000, 1, "bound by application"},
		{1, 0, "bound by idle"},
		{0, 64, "rate 0 is out of range"},
		{math.NaN(), 64, "rate NaN is out of range"},
		{100, -1, "jobs -1 is out of range"},
	} {
		c.Jobs = row.jobs
		if think, err := Pace(c, Volume{Name: "v"}, nil, row.rate); err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "host-1") {
			t.Errorf("%g op/s of %g jobs: %g, %v; want %q", row.rate, row.jobs, think, err, row.want)
		}
	}
}
