package queue

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rounding is what float64 may lose of a sum, relative.
const rounding = 1e-9

// often draws zero in a third of the cases: what is not there is what formulas forget.
func often(t *rapid.T, what string, low, high float64) float64 {
	if rapid.IntRange(0, 2).Draw(t, what+"?") == 0 {
		return 0
	}
	return math.Exp(rapid.Float64Range(math.Log(low), math.Log(high)).Draw(t, what))
}

func drawBucket(t *rapid.T, what string, low, high float64) Bucket {
	rate := often(t, what, low, high)
	switch kind := rapid.IntRange(0, 2).Draw(t, what+" kind"); {
	case rate == 0:
		return Bucket{}
	case kind == 0:
		return QoS(rate)
	case kind == 1:
		return Credits(rate, rate*rapid.Float64Range(1, 5).Draw(t, what+" burst"))
	}
	return Bucket{Rate: rate}
}

func drawClass(t *rapid.T, clients, volumes int) Class {
	c := Class{
		Client:       fmt.Sprint("client-", rapid.IntRange(1, clients).Draw(t, "client")),
		Volume:       fmt.Sprint("volume-", rapid.IntRange(1, volumes).Draw(t, "volume")),
		Write:        rapid.Bool().Draw(t, "write"),
		Jobs:         often(t, "jobs", .01, 2000),
		Think:        often(t, "think", 1e-6, 10),
		Block:        often(t, "block", 512, mib),
		Slots:        int(often(t, "slots", 1, 300)),
		Sessions:     rapid.IntRange(1, 16).Draw(t, "sessions"),
		Knee:         often(t, "knee", .01, .5),
		Multichannel: rapid.Bool().Draw(t, "multichannel"), HotFile: rapid.Bool().Draw(t, "hot file"),
		SessionTime: often(t, "session time", 1e-7, 1e-3),
		ClientTime:  often(t, "client time", 1e-7, 1e-3),
		RTT:         math.Exp(rapid.Float64Range(math.Log(1e-5), math.Log(.1)).Draw(t, "rtt")),
	}
	if rapid.Bool().Draw(t, "whole jobs") {
		c.Jobs = math.Ceil(c.Jobs)
	}
	if rapid.Bool().Draw(t, "skewed") {
		c.Skew = make([]float64, c.Sessions)
		for j := range c.Skew {
			c.Skew[j] = often(t, "weight", .01, 100)
		}
		c.Skew[0]++
	}
	return c
}

func drawNetwork(t *rapid.T) Network {
	var n Network
	pools, volumes := rapid.IntRange(0, 2).Draw(t, "pools"), rapid.IntRange(1, 3).Draw(t, "volumes")
	for i := range pools {
		n.Pools = append(n.Pools, Pool{Name: fmt.Sprint("pool-", i+1), Bytes: drawBucket(t, "pool's bytes", mib, 1e4*mib), Ops: drawBucket(t, "pool's ops", 100, 2e5)})
	}
	for i := range volumes {
		v := Volume{Name: fmt.Sprint("volume-", i+1), Bytes: drawBucket(t, "bytes", mib, 1e4*mib), Ops: drawBucket(t, "ops", 100, 2e5)}
		if at := rapid.IntRange(0, pools).Draw(t, "pool"); at > 0 {
			v.Pool = fmt.Sprint("pool-", at)
		}
		if fixed, perByte := often(t, "op time", 1e-7, 1e-2), often(t, "time per MiB", 1e-6, 1e-2); fixed > 0 {
			v.OpTime = func(block, share float64) float64 { return fixed*(3-2*share) + perByte*block/mib }
		}
		n.Volumes = append(n.Volumes, v)
	}
	for range rapid.IntRange(1, 6).Draw(t, "classes") {
		n.Classes = append(n.Classes, drawClass(t, 3, volumes))
	}
	return n
}

// fatal is what laws need of a test: rapid's and testing's.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// atMost is a ≤ b but for rounding.
func atMost(t fatal, what string, a, b float64) {
	t.Helper()
	if !(a <= b*(1+rounding)+1e-12) {
		t.Fatalf("%s: %.15g is above %.15g", what, a, b)
	}
}

func same(t fatal, what string, a, b, scale float64) {
	t.Helper()
	if !(math.Abs(a-b) <= rounding*scale+1e-12) {
		t.Fatalf("%s: %.15g is not %.15g", what, a, b)
	}
}

// laws are what holds of every solution, whatever the network.
func laws(t fatal, n Network, r Result) {
	t.Helper()
	ops, bytes := make(map[string]float64), make(map[string]float64)
	for i, f := range r.Flows {
		c := n.Classes[i]
		ops[c.Volume] += f.Rate
		bytes[c.Volume] += f.Rate * c.Block
		flowLaws(t, c, n, f)
	}
	poolOps, poolBytes := make(map[string]float64), make(map[string]float64)
	for i, l := range r.Volumes {
		v := n.Volumes[i]
		same(t, "volume's operations", l.Ops, ops[v.Name], l.Ops)
		same(t, "volume's bytes", l.Bytes, bytes[v.Name], l.Bytes)
		atMost(t, "volume's utilisation", l.Busy, 1)
		atMost(t, "use of the volume's limit", l.Limited, 1)
		poolOps[v.Pool] += l.Ops
		poolBytes[v.Pool] += l.Bytes
	}
	for i, l := range r.Pools {
		same(t, "pool's operations", l.Ops, poolOps[n.Pools[i].Name], l.Ops)
		same(t, "pool's bytes", l.Bytes, poolBytes[n.Pools[i].Name], l.Bytes)
		atMost(t, "use of the pool's limit", l.Limited, 1)
	}
}

func flowLaws(t fatal, c Class, n Network, f Flow) {
	t.Helper()
	for what, v := range map[string]float64{"rate": f.Rate, "RTT": f.RTT, "execute": f.Execute, "backlog": f.Backlog, "in flight": f.InFlight,
		"server": f.Server, "throttle": f.Throttle, "client": f.ClientBusy} {
		if !(v >= 0) || math.IsInf(v, 0) {
			t.Fatalf("%s of %+v is %g", what, c, v)
		}
	}
	if c.Jobs == 0 {
		if f.Rate != 0 || f.Bound != Idle {
			t.Fatalf("an idle class at %+v", f)
		}
		return
	}
	if f.Rate == 0 || f.RTT == 0 {
		t.Fatalf("jobs without operations: %+v", f)
	}
	same(t, "L = X·R", f.InFlight, f.Rate*f.RTT, c.Jobs)
	same(t, "X·E = N − X·Z", f.Rate*f.Execute, c.Jobs-f.Rate*c.Think, c.Jobs)
	same(t, "backlog", f.Backlog, f.Rate*(f.Execute-f.RTT), c.Jobs)
	if c.Slots > 0 {
		atMost(t, "X·R ≤ C", f.InFlight, float64(c.Slots))
	}
	atMost(t, "server ≤ end to end", f.Server+c.RTT*c.penalty(), f.RTT)
	atMost(t, "throttle ≤ server", f.Throttle, f.Server)
	atMost(t, "client's utilisation", f.ClientBusy, 1)
	sessionLaws(t, c, f)

	// The asymptotic bounds, from the settings alone.
	volume := leastOpTime(n, c)
	p, session := c.penalty(), c.SessionTime*(1+c.Knee*float64(c.Sessions-1))
	least := p * (session + c.ClientTime + c.RTT + volume)
	atMost(t, "X ≤ N/(ΣD+Z)", f.Rate, c.Jobs/(least+c.Think))
	atMost(t, "X ≤ 1/d", f.Rate*p*max(session*c.busiest(), c.ClientTime, volume), 1)
}

// leastOpTime is a volume's time at the share of reads that is best for the class: the one there is, if all on it read or all
// write, and otherwise one of the ends (the times drawn here are linear in it).
func leastOpTime(n Network, c Class) float64 {
	at := slices.IndexFunc(n.Volumes, func(v Volume) bool { return v.Name == c.Volume })
	opTime := n.Volumes[at].OpTime
	if opTime == nil {
		return 0
	}
	least := math.Inf(1)
	for _, other := range n.Classes {
		switch {
		case other.Volume != c.Volume || other.Jobs == 0:
		case other.Write:
			least = min(least, opTime(c.Block, 0))
		default:
			least = min(least, opTime(c.Block, 1))
		}
	}
	return least
}

func sessionLaws(t fatal, c Class, f Flow) {
	t.Helper()
	if len(f.Sessions) != c.Sessions {
		t.Fatalf("%d sessions of %d", len(f.Sessions), c.Sessions)
	}
	var rate, inFlight float64
	for j, s := range f.Sessions {
		if !(s.Rate >= 0 && s.InFlight >= 0 && s.Busy >= 0) {
			t.Fatalf("session %d: %+v", j, s)
		}
		atMost(t, "session's utilisation", s.Busy, 1)
		rate += s.Rate
		inFlight += s.InFlight
	}
	same(t, "Σ sessions' rates", rate, f.Rate, f.Rate)
	same(t, "Σ sessions' operations", inFlight, f.InFlight, c.Jobs)
}

// TestLaws: every invariant, of any network.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		r, err := Solve(n)
		if err != nil {
			t.Fatal(err)
		}
		laws(t, n, r)
		again, err := Solve(n)
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("a second time: %v", err)
		}
	})
}

// TestMonotone: more jobs, or a shorter way, never make one class slower.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawClass(t, 1, 1)
		c.Multichannel = false
		c.Jobs = max(c.Jobs, .01)
		rate := func(c Class) float64 {
			r, err := Solve(Network{Classes: []Class{c}, Volumes: []Volume{{Name: "volume-1", OpTime: func(float64, float64) float64 { return 3e-6 }}}})
			if err != nil {
				t.Fatal(err)
			}
			return r.Flows[0].Rate
		}
		more, shorter := c, c
		more.Jobs *= rapid.Float64Range(1, 3).Draw(t, "times")
		shorter.RTT /= 2
		const approximate = 1.02 // at the end of the exact recursion, and where slots and think time meet
		if base := rate(c); rate(more)*approximate < base || rate(shorter)*approximate < base {
			t.Fatalf("%+v: %g, with more jobs %g, with a shorter way %g", c, base, rate(more), rate(shorter))
		}
	})
}
