package queue

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func step(t testing.TB, n Network, before State, seconds float64) (Result, State) {
	t.Helper()
	r, after, err := Step(n, before, seconds)
	if err != nil {
		t.Fatal(err)
	}
	return r, after
}

// TestCreditsRunOut is the specification's: 8,000 op/s on a share of 3,000 that may burst to 10,000 use a full bucket up in 84
// minutes, and come back as they went.
func TestCreditsRunOut(t *testing.T) {
	share := Volume{Name: "share", Ops: Credits(3000, 10_000)}
	if share.Ops.Capacity != 25_200_000 {
		t.Fatalf("a bucket of %g", share.Ops.Capacity)
	}
	n := Network{Volumes: []Volume{share}, Classes: []Class{{Client: "c", Volume: "share", Jobs: 16, Sessions: 1, RTT: 2 * ms}}}
	state, seconds := State{}, 0
	for ; seconds < 2*3600; seconds++ {
		r, after := step(t, n, state, 1)
		if r.Flows[0].Rate < 7999.999 {
			break
		}
		near(t, "credits", after.Volumes["share"].Ops, 25_200_000-5000*float64(seconds+1), 1)
		state = after
	}
	near(t, "minutes", float64(seconds)/60, 84, .02)
	r, state := step(t, n, state, 1)
	r2, state := step(t, n, state, 1)
	near(t, "op/s without credits", min(r.Flows[0].Rate, r2.Flows[0].Rate), 3000, .01)
	if r2.Flows[0].Bound != Limit || !(r2.Flows[0].Throttled() > .5) {
		t.Errorf("without credits: %+v", r2.Flows[0])
	}
	n.Classes[0].Think = 38 * ms // 400 op/s
	r, state = step(t, n, state, 60)
	near(t, "op/s at rest", r.Flows[0].Rate, 400, .01)
	near(t, "credits earned", state.Volumes["share"].Ops, 2600*60, 2)
}

// TestPeak: credits do not lift a share beyond its burst limit.
func TestPeak(t *testing.T) {
	n := Network{Volumes: []Volume{{Name: "share", Ops: Credits(3000, 10_000)}}, Classes: []Class{{Client: "c", Volume: "share", Jobs: 64, Sessions: 1, RTT: 2 * ms}}}
	r, after := step(t, n, State{}, 1)
	near(t, "op/s", r.Flows[0].Rate, 10_000, .01)
	near(t, "credits", after.Volumes["share"].Ops, 25_200_000-7000, .01)
}

// TestBurst: two seconds' worth of a limit go through at once after a rest, then the limit alone.
func TestBurst(t *testing.T) {
	n := Network{Volumes: []Volume{{Name: "v", Bytes: QoS(100 * mib)}}, Classes: []Class{{Client: "c", Volume: "v", Jobs: 64, Block: 64 * kib, Sessions: 1, RTT: 20 * ms}}}
	var state State
	for _, want := range []float64{200, 200, 100, 100, 100} { // 64 jobs ask for 200 MiB/s: three times 100 in two steps, and so on
		var r Result
		r, state = step(t, n, state, 1)
		near(t, "MiB/s", r.Volumes[0].Bytes/mib, want, .001)
	}
	n.Classes[0].Jobs = 0
	_, state = step(t, n, state, 1)
	near(t, "MiB in the bucket after a second's rest", state.Volumes["v"].Bytes/mib, 100, .001)
	_, state = step(t, n, state, 10)
	near(t, "MiB in the bucket when it is full", state.Volumes["v"].Bytes/mib, 200, 0)
	n.Volumes[0].Bytes = QoS(10 * mib)
	if got := state.tokens(state.Volumes, "v", n.Volumes[0].Bytes, Bucket{}).Bytes; got != 20*mib {
		t.Errorf("%g bytes in the bucket of a lowered limit", got)
	}
}

// TestSteps: whatever happens to a network over a few steps, what is used is at most the rate and the burst, tokens are
// neither made nor lost, and the state given stays as it was.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		var state State
		usedBytes, usedOps, elapsed := make([]float64, len(n.Volumes)), make([]float64, len(n.Volumes)), 0.0
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			seconds := rapid.Float64Range(.1, 10).Draw(t, "seconds")
			for i := range n.Classes {
				n.Classes[i].Jobs = often(t, "jobs", .1, 2000)
			}
			r, after, err := Step(n, state, seconds)
			if err != nil {
				t.Fatal(err)
			}
			again, afterAgain, err := Step(n, state, seconds)
			if err != nil || !reflect.DeepEqual(r, again) || !reflect.DeepEqual(after, afterAgain) {
				t.Fatalf("a second time: %v", err)
			}
			laws(t, n, r)
			elapsed += seconds
			for i, v := range n.Volumes {
				before, now := state.tokens(state.Volumes, v.Name, v.Bytes, v.Ops), after.Volumes[v.Name]
				conserved(t, v.Bytes, before.Bytes, now.Bytes, r.Volumes[i].Bytes, seconds)
				conserved(t, v.Ops, before.Ops, now.Ops, r.Volumes[i].Ops, seconds)
				usedBytes[i] += r.Volumes[i].Bytes * seconds
				usedOps[i] += r.Volumes[i].Ops * seconds
				if v.Bytes.Rate > 0 {
					atMost(t, "bytes ≤ limit + burst", usedBytes[i], v.Bytes.Rate*elapsed+v.Bytes.Capacity)
				}
				if v.Ops.Rate > 0 {
					atMost(t, "operations ≤ limit + burst", usedOps[i], v.Ops.Rate*elapsed+v.Ops.Capacity)
				}
			}
			for i, p := range n.Pools {
				before, now := state.tokens(state.Pools, p.Name, p.Bytes, p.Ops), after.Pools[p.Name]
				conserved(t, p.Bytes, before.Bytes, now.Bytes, r.Pools[i].Bytes, seconds)
				conserved(t, p.Ops, before.Ops, now.Ops, r.Pools[i].Ops, seconds)
			}
			state = after
		}
	})
}

// conserved checks a bucket over a step: it gains what was not used, up to its capacity, and never owes.
func conserved(t fatal, b Bucket, before, after, used, seconds float64) {
	t.Helper()
	if b.Rate == 0 {
		if after != 0 {
			t.Fatalf("%g tokens without a limit", after)
		}
		return
	}
	free := before + (b.Rate-used)*seconds
	if !(after >= 0 && after <= b.Capacity) || !(free >= -rounding*(before+b.Rate*seconds)) {
		t.Fatalf("%+v: %g tokens, %g by the balance", b, after, free)
	}
	if after < b.Capacity {
		same(t, "tokens", after, max(free, 0), before+b.Rate*seconds)
	}
	if b.Peak > 0 {
		atMost(t, "use ≤ peak", used, b.Peak)
	}
}

// TestSolveIsTheEnd: many steps of the same load come to what Solve says at once.
func TestSolveIsTheEnd(t *testing.T) {
	n := Network{
		Pools:   []Pool{{Name: "p", Bytes: QoS(150 * mib)}},
		Volumes: []Volume{{Name: "a", Pool: "p", Bytes: QoS(100 * mib)}, {Name: "b", Pool: "p", Ops: Credits(500, 2000)}},
		Classes: []Class{
			{Client: "c", Volume: "a", Jobs: 64, Block: 64 * kib, Sessions: 4, SessionTime: 50 * us, RTT: 1 * ms},
			{Client: "d", Volume: "b", Jobs: 64, Block: 64 * kib, Sessions: 4, SessionTime: 50 * us, RTT: 1 * ms},
		},
	}
	var state State
	for range 9000 { // the credits last for 7,700 s beside the pool's limit
		_, state = step(t, n, state, 1)
	}
	r, _ := step(t, n, state, 1)
	for i, f := range solve(t, n).Flows {
		near(t, "rate over the steady one", r.Flows[i].Rate/f.Rate, 1, 1e-3)
	}
}

func TestStepRefuses(t *testing.T) {
	for _, seconds := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, _, err := Step(Network{}, State{}, seconds); err == nil {
			t.Errorf("a step of %g s", seconds)
		}
	}
	if _, _, err := Step(Network{}, State{Pools: map[string]Tokens{"p": {Ops: math.NaN()}}}, 1); err == nil {
		t.Error("a state without numbers")
	}
	// Tokens that are more than fit, or owed, count as a full and as an empty bucket.
	state := State{Volumes: map[string]Tokens{"v": {Bytes: math.Inf(1), Ops: -5}}}
	if got, want := state.tokens(state.Volumes, "v", QoS(10), QoS(10)), (Tokens{Bytes: 20}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
