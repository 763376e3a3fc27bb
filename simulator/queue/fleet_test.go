package queue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nasight/nasight/envelope"
)

// between draws evenly in the logarithm.
func between(rng *rand.Rand, low, high float64) float64 {
	return low * math.Exp(rng.Float64()*math.Log(high/low))
}

// fleet is classes as hosts have them, ten to a volume, with the published times; limit is each volume's in bytes per
// second, 0 for none.
func fleet(t testing.TB, rng *rand.Rand, classes int, limit float64) Network {
	opTime := curve(t, envelope.NFSv3, envelope.Extreme)
	n := Network{Pools: []Pool{{Name: "pool", Bytes: QoS(limit * float64(classes) / 20)}}}
	for v := range (classes + 9) / 10 {
		n.Volumes = append(n.Volumes, Volume{Name: fmt.Sprint("volume-", v), Pool: "pool", Bytes: QoS(limit), OpTime: opTime})
	}
	for i := range classes {
		c := Class{
			Client: fmt.Sprint("client-", i/2), Volume: n.Volumes[i/10].Name, Write: rng.IntN(3) == 0,
			Jobs: math.Ceil(between(rng, 1, 256)), Block: between(rng, 4*kib, 256*kib), Sessions: 1 << rng.IntN(5),
			SessionTime: between(rng, 20*us, 80*us), ClientTime: between(rng, 2*us, 20*us), RTT: between(rng, .2*ms, 2*ms),
		}
		c.Slots = SlotsV3(128, c.Sessions)
		if rng.IntN(2) == 0 {
			c.Think = between(rng, .1*ms, 1)
		}
		n.Classes = append(n.Classes, c)
	}
	return n
}

// TestFewIterationsAreEnough: in fleets with and without limits, the iterations there are come as far as a hundred times as
// many would, in all but a few of a hundred classes to the tolerance.
func TestFewIterationsAreEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var off []float64
	for i := range 200 {
		n := fleet(t, rng, 20, []float64{0, 512 * mib}[i%2])
		rates := func(iterations int) Result {
			s, err := build(n)
			if err != nil {
				t.Fatal(err)
			}
			s.limit(drained(), 1)
			if err := s.run(iterations); err != nil {
				t.Fatal(err)
			}
			return s.result()
		}
		few, many := rates(mostIterations), rates(100*mostIterations)
		laws(t, n, few)
		for i, f := range few.Flows {
			off = append(off, math.Abs(f.Rate/many.Flows[i].Rate-1))
		}
	}
	slices.Sort(off)
	at := func(part float64) float64 { return off[int(part*float64(len(off)-1))] }
	t.Logf("off by %.2g (median), %.2g (97 in a hundred), %.2g (worst)", at(.5), at(.97), at(1))
	if at(.5) > 1e-5 || at(.97) > 1e-5 || at(1) > .01 {
		t.Errorf("off by %.2g (median), %.2g (97 in a hundred), %.2g (worst)", at(.5), at(.97), at(1))
	}
}

// TestLimitBinds: a limit that a fleet would pass without it is met, not only kept.
func TestLimitBinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 100 {
		n := fleet(t, rng, 30, 0)
		free := solve(t, n)
		for i, l := range free.Volumes {
			n.Volumes[i].Bytes = Bucket{Rate: l.Bytes * (.05 + .9*rng.Float64())}
		}
		for i, l := range solve(t, n).Volumes {
			if l.Limited < .999 || l.Wait <= 0 {
				t.Errorf("volume %d uses %g of its limit", i, l.Limited)
			}
		}
		n.Pools[0].Bytes = Bucket{Rate: .02 * free.Pools[0].Bytes}
		if l := solve(t, n).Pools[0]; l.Limited < .999 || l.Wait <= 0 {
			t.Errorf("the pool uses %g of its limit", l.Limited)
		}
	}
}

// TestAlikeGetAlike: clients that are the same get the same, to the last bit.
func TestAlikeGetAlike(t *testing.T) {
	n := fleet(t, rand.New(rand.NewPCG(13, 14)), 10, 128*mib)
	for i := range n.Classes {
		n.Classes[i] = n.Classes[0]
		n.Classes[i].Client = fmt.Sprint("client-", i)
	}
	r := solve(t, n)
	for i, f := range r.Flows {
		if f.Rate != r.Flows[0].Rate || f.RTT != r.Flows[0].RTT {
			t.Errorf("client %d: %g op/s, %g s; client 0: %g op/s, %g s", i, f.Rate, f.RTT, r.Flows[0].Rate, r.Flows[0].RTT)
		}
	}
}
