package queue

import (
	"fmt"
	"math"
)

// burstSeconds of its rate is what a QoS limit lets through at once after a rest.
const burstSeconds = 2

// creditSeconds is how long a full bucket of credits lasts at the burst rate.
const creditSeconds = 3600

// Bucket is a limit with a memory. The zero value is no limit.
type Bucket struct {
	Rate     float64 // tokens per second; 0: no limit
	Capacity float64 // tokens of a full bucket
	Peak     float64 // the most that may be used per second, whatever is in the bucket; 0: no such limit
}

// QoS is a throughput limit, which lets two seconds of it through after a rest.
func QoS(rate float64) Bucket { return Bucket{Rate: rate, Capacity: burstSeconds * rate} }

// Credits is a provisioned rate that credits lift to burst: an hour of the difference.
func Credits(provisioned, burst float64) Bucket {
	return Bucket{Rate: provisioned, Capacity: creditSeconds * (burst - provisioned), Peak: burst}
}

// allowed is the mean rate that a step of seconds may use.
func (b Bucket) allowed(tokens, seconds float64) float64 {
	if b.Rate == 0 {
		return math.Inf(1)
	}
	rate := b.Rate + tokens/seconds
	if b.Peak > 0 {
		rate = min(rate, b.Peak)
	}
	return rate
}

func (b Bucket) after(tokens, used, seconds float64) float64 {
	return min(max(tokens+(b.Rate-used)*seconds, 0), b.Capacity)
}

func (b Bucket) check() error {
	switch {
	case b == Bucket{}:
		return nil
	case !(b.Rate >= leastRate && b.Rate <= mostRate):
		return fmt.Errorf("rate %g is out of range: %g to %g per second, or 0 for no limit", b.Rate, leastRate, mostRate)
	case !(b.Capacity >= 0 && b.Capacity <= mostRate*creditSeconds):
		return fmt.Errorf("capacity %g is out of range: 0 to %g tokens", b.Capacity, mostRate*creditSeconds)
	case b.Peak != 0 && !(b.Peak >= b.Rate && b.Peak <= mostRate):
		return fmt.Errorf("peak %g is out of range: %g (the rate) to %g per second, or 0 for none", b.Peak, b.Rate, mostRate)
	}
	return nil
}

// Tokens are what the two buckets of a volume or a pool hold.
type Tokens struct{ Bytes, Ops float64 }

// State is what time leaves behind, by name. A volume or pool that is not in it has full buckets, so the zero value is a
// fleet after a rest.
type State struct {
	Volumes, Pools map[string]Tokens
	drained        bool // the opposite: what is not in it is empty
}

// drained is the state without a token anywhere, which a load that never pauses comes to.
func drained() State { return State{drained: true} }

func (s State) tokens(of map[string]Tokens, name string, bytes, ops Bucket) Tokens {
	t, known := of[name]
	switch {
	case s.drained:
		return Tokens{}
	case !known:
		return Tokens{Bytes: bytes.Capacity, Ops: ops.Capacity}
	}
	// A limit may have been lowered since.
	return Tokens{Bytes: min(max(t.Bytes, 0), bytes.Capacity), Ops: min(max(t.Ops, 0), ops.Capacity)}
}

// Step is what happens in the next seconds, and the state after them. The state given is left as it is. A second is what the
// simulator takes; in a longer step the tokens are spread evenly over it.
func Step(n Network, before State, seconds float64) (Result, State, error) {
	if !(seconds >= leastStep && seconds <= mostSeconds) {
		return Result{}, State{}, fmt.Errorf("step of %g s is out of range: %g to %g", seconds, leastStep, mostSeconds)
	}
	if err := before.check(); err != nil {
		return Result{}, State{}, err
	}
	s, err := build(n)
	if err != nil {
		return Result{}, State{}, err
	}
	s.limit(before, seconds)
	if err := s.run(mostIterations); err != nil {
		return Result{}, State{}, err
	}
	r := s.result()
	after := State{Volumes: make(map[string]Tokens, len(n.Volumes)), Pools: make(map[string]Tokens, len(n.Pools))}
	next := func(t Tokens, bytes, ops Bucket, l Load) Tokens {
		return Tokens{Bytes: bytes.after(t.Bytes, l.Bytes, seconds), Ops: ops.after(t.Ops, l.Ops, seconds)}
	}
	for i, v := range n.Volumes {
		after.Volumes[v.Name] = next(before.tokens(before.Volumes, v.Name, v.Bytes, v.Ops), v.Bytes, v.Ops, r.Volumes[i])
	}
	for i, p := range n.Pools {
		after.Pools[p.Name] = next(before.tokens(before.Pools, p.Name, p.Bytes, p.Ops), p.Bytes, p.Ops, r.Pools[i])
	}
	return r, after, nil
}

func (s State) check() error {
	for what, of := range map[string]map[string]Tokens{"volume": s.Volumes, "pool": s.Pools} {
		for name, t := range of {
			if math.IsNaN(t.Bytes) || math.IsNaN(t.Ops) {
				return fmt.Errorf("state of %s %q: tokens that are no number", what, name)
			}
		}
	}
	return nil
}
