package queue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/envelope"
)

// TestBound is a truth table: one cause a row, and what it is called.
func TestBound(t *testing.T) {
	base := Class{Client: "c", Volume: "v", Jobs: 64, Block: 64 * kib, Sessions: 16, SessionTime: 40 * us, ClientTime: 4 * us, RTT: .5 * ms}
	for _, row := range []struct {
		name   string
		want   Station
		change func(n *Network)
	}{
		{"no jobs", Idle, func(n *Network) { n.Classes[0].Jobs = 0 }},
		{"one thread", Application, func(n *Network) { n.Classes[0].Jobs = 1 }},
		{"thinking", Application, func(n *Network) { n.Classes[0].Think = 1 }},
		{"full slots", Slots, func(n *Network) { n.Classes[0].Slots = 16 }},
		{"slots for all", Application, func(n *Network) { n.Classes[0].Slots, n.Classes[0].Jobs = 64, 16 }},
		{"one session", Sessions, func(n *Network) { n.Classes[0].Sessions = 1 }},
		{"one session, full slots behind it", Sessions, func(n *Network) { n.Classes[0].Sessions, n.Classes[0].Slots = 1, 32 }},
		{"skew", Sessions, func(n *Network) { n.Classes[0].Skew = append([]float64{100}, make([]float64, 15)...) }},
		{"a slow client", Client, func(n *Network) { n.Classes[0].ClientTime = 40 * us }},
		{"a neighbour on the client", Client, func(n *Network) {
			n.Classes = append(n.Classes, n.Classes[0])
			n.Classes[1].ClientTime, n.Classes[1].Jobs, n.Classes[1].Volume = 100*us, 500, "other"
			n.Volumes = append(n.Volumes, Volume{Name: "other"})
		}},
		{"a slow volume", VolumeBusy, func(n *Network) { n.Volumes[0].OpTime = func(float64, float64) float64 { return 50 * us } }},
		{"a neighbour on the volume", VolumeBusy, func(n *Network) {
			n.Volumes[0].OpTime = func(float64, float64) float64 { return 5 * us }
			n.Classes = append(n.Classes, n.Classes[0])
			n.Classes[0].Jobs, n.Classes[1].Client, n.Classes[1].Jobs = 8, "other", 500
		}},
		{"a limit in bytes", Limit, func(n *Network) { n.Volumes[0].Bytes = QoS(100 * mib) }},
		{"a limit in operations", Limit, func(n *Network) { n.Volumes[0].Ops = QoS(1000) }},
		{"a limit that is wide", Application, func(n *Network) { n.Classes[0].Jobs, n.Volumes[0].Bytes = 4, QoS(5000*mib) }},
		{"the pool's limit", PoolLimit, func(n *Network) { n.Volumes[0].Bytes, n.Pools[0].Bytes = QoS(1000*mib), QoS(50*mib) }},
	} {
		n := Network{Classes: []Class{base}, Volumes: []Volume{{Name: "v", Pool: "p"}}, Pools: []Pool{{Name: "p"}}}
		row.change(&n)
		if got := solve(t, n).Flows[0].Bound; got != row.want {
			t.Errorf("%s: bound by %s, want %s", row.name, got, row.want)
		}
	}
}

// TestSkewedSessions: uneven weights are the sessions' rates; the busiest is the bound and holds the queue.
func TestSkewedSessions(t *testing.T) {
	c := Class{Jobs: 64, Sessions: 4, SessionTime: 50 * us, RTT: .3 * ms}
	even := alone(t, c, Volume{})
	near(t, "even rate", even.Rate, 80_000, 100)
	for _, s := range even.Sessions {
		near(t, "even part", s.InFlight, 16, 1e-9)
	}
	c.Skew = []float64{4, 2, 2, 0}
	skewed := alone(t, c, Volume{})
	near(t, "skewed rate", skewed.Rate, 40_000, 1)
	busy := []float64{skewed.Sessions[0].Busy, skewed.Sessions[1].Busy, skewed.Sessions[3].Busy}
	if want := []float64{1, .5, 0}; !slices.EqualFunc(busy, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-3 }) {
		t.Errorf("busy %v, want %v", busy, want)
	}
	if s := skewed.Sessions; !(s[0].InFlight > 40 && s[1].InFlight < 10) || s[3].InFlight != 0 {
		t.Errorf("in flight: %+v", s)
	}
	c.Skew = []float64{1, 1, 1, 1}
	if got := alone(t, c, Volume{}); got.Rate != even.Rate {
		t.Errorf("even weights: %g op/s, none %g", got.Rate, even.Rate)
	}
}

// TestRefuses: what is impossible is named, with its place.
func TestRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, row := range []struct {
		want   string
		change func(n *Network)
	}{
		{`class 0 (c on v): jobs -1 is out of range: 0 to 1e+06`, func(n *Network) { n.Classes[0].Jobs = -1 }},
		{"jobs NaN", func(n *Network) { n.Classes[0].Jobs = nan }},
		{"jobs +Inf", func(n *Network) { n.Classes[0].Jobs = inf }},
		{"think time -1", func(n *Network) { n.Classes[0].Think = -1 }},
		{"block NaN", func(n *Network) { n.Classes[0].Block = nan }},
		{"slots -1", func(n *Network) { n.Classes[0].Slots = -1 }},
		{"sessions 0 is out of range: 1 to 1024", func(n *Network) { n.Classes[0].Sessions = 0 }},
		{"knee 11", func(n *Network) { n.Classes[0].Knee = 11 }},
		{"session time +Inf", func(n *Network) { n.Classes[0].SessionTime = inf }},
		{"client time -0.1", func(n *Network) { n.Classes[0].ClientTime = -.1 }},
		{"round trip NaN", func(n *Network) { n.Classes[0].RTT = nan }},
		{"2 weights for 4 sessions", func(n *Network) { n.Classes[0].Skew = []float64{1, 2} }},
		{"weight of session 1 -2", func(n *Network) { n.Classes[0].Skew = []float64{1, -2, 1, 1} }},
		{"sum of the sessions' weights 0", func(n *Network) { n.Classes[0].Skew = make([]float64, 4) }},
		{`there is no volume "w"`, func(n *Network) { n.Classes[0].Volume = "w" }},
		{`volume "v": there is no pool "q"`, func(n *Network) { n.Volumes[0].Pool = "q" }},
		{`volume 1: its name "v" is empty or there twice`, func(n *Network) { n.Volumes = append(n.Volumes, n.Volumes[0]) }},
		{`pool 0: its name ""`, func(n *Network) { n.Pools[0].Name, n.Volumes[0].Pool = "", "" }},
		{`volume "v", bytes: rate NaN`, func(n *Network) { n.Volumes[0].Bytes.Rate = nan }},
		{`volume "v", bytes: rate 0`, func(n *Network) { n.Volumes[0].Bytes.Capacity = 5 }},
		{`pool "p", ops: rate -5`, func(n *Network) { n.Pools[0].Ops.Rate = -5 }},
		{`pool "p", ops: capacity -7.2e+06`, func(n *Network) { n.Pools[0].Ops = Credits(3000, 1000) }},
		{`pool "p", ops: peak 5`, func(n *Network) { n.Pools[0].Ops = Bucket{Rate: 10, Peak: 5} }},
		{"0 s without waiting: at least 1e-09 are needed", func(n *Network) { n.Classes[0].SessionTime, n.Classes[0].RTT = 0, 0 }},
		{"0 s without waiting", func(n *Network) { n.Classes[0].SessionTime, n.Classes[0].RTT, n.Classes[0].Think = 0, 0, 1 }},
		{`volume "v": NaN s for an operation of 4096 bytes at a read share of 1`, func(n *Network) { n.Volumes[0].OpTime = func(float64, float64) float64 { return nan } }},
		{`volume "v": -1 s`, func(n *Network) { n.Volumes[0].OpTime = func(float64, float64) float64 { return -1 } }},
	} {
		n := Network{Classes: []Class{{Client: "c", Volume: "v", Jobs: 4, Block: 4 * kib, Sessions: 4, SessionTime: 50 * us, RTT: .3 * ms}},
			Volumes: []Volume{{Name: "v", Pool: "p"}}, Pools: []Pool{{Name: "p"}}}
		solve(t, n)
		row.change(&n)
		r, err := Solve(n)
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v; want %q", err, row.want)
		}
		if r.Flows != nil {
			t.Errorf("%q: a result beside an error", row.want)
		}
		if _, _, err := Step(n, State{}, 1); err == nil {
			t.Errorf("%q: a step of it", row.want)
		}
	}
}

func TestNothing(t *testing.T) {
	if r := solve(t, Network{}); len(r.Flows)+len(r.Volumes)+len(r.Pools) != 0 {
		t.Errorf("of an empty network: %+v", r)
	}
	r := solve(t, Network{Volumes: []Volume{{Name: "v", Pool: "p", Bytes: QoS(5)}}, Pools: []Pool{{Name: "p", Ops: QoS(5)}}})
	if want := (Load{ReadShare: 1}); r.Volumes[0] != want || r.Pools[0] != want {
		t.Errorf("of an idle volume: %+v, its pool: %+v", r.Volumes[0], r.Pools[0])
	}
	if got := (Flow{}).Throttled(); got != 0 {
		t.Errorf("an idle flow is throttled by %g", got)
	}
}

// TestCurve: between the points it was read at, the curve is the envelope; outside, the nearest of it.
func TestCurve(t *testing.T) {
	type family struct{ protocol, level string }
	curves := make(map[family]func(float64, float64) float64)
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.SampledFrom([]family{{envelope.NFSv3, envelope.Extreme}, {envelope.SMB, envelope.Extreme}, {envelope.NFSv41, envelope.Premium},
			{envelope.NFSv3, envelope.FlexFileCustom}, {envelope.ISCSI, envelope.FlexUnifiedCustom}}).Draw(rt, "family")
		if curves[f] == nil {
			curves[f] = curve(t, f.protocol, f.level)
		}
		q := envelope.Query{Protocol: f.protocol, Level: f.level, ReadShare: rapid.Float64Range(0, 1).Draw(rt, "reads"),
			BlockBytes: math.Exp2(rapid.Float64Range(0, 24).Draw(rt, "log2 of the block"))}
		c, err := table(t).Ceiling(q)
		if err != nil {
			rt.Fatal(err)
		}
		if got := curves[f](q.BlockBytes, q.ReadShare) * c.IOPS; math.Abs(got-1) > 1e-9 {
			rt.Fatalf("%v: %g of the envelope's time", q, got)
		}
	})
	at := curve(t, envelope.NFSv3, envelope.Extreme)
	if at(0, 1) != at(1, 1) || at(1<<30, 1) != at(envelope.MaxBlockBytes, 1) || at(8*kib, 2) != at(8*kib, 1) || at(8*kib, -1) != at(8*kib, 0) {
		t.Error("outside the envelope the curve is not held")
	}
	if _, err := Curve(table(t), "afp", envelope.Extreme); err == nil || !strings.Contains(err.Error(), "afp") {
		t.Errorf("a protocol that there is none of: %v", err)
	}
}
