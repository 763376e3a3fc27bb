package queue

import (
	"fmt"
	"math"
)

const (
	mostIterations = 50
	tolerance      = 1e-6
	period         = 4    // iterations between leaps
	settling       = 8    // iterations at the end without one
	longest        = 0.96 // λ of the longest leap
	// exactJobs is how far the exact recursion goes: beyond it Schweitzer's error is below 0.2 %.
	exactJobs = 512
)

// run solves the network in so many iterations at most. The error is of a time that is none.
func (s *solver) run(iterations int) error {
	if err := s.start(); err != nil {
		return err
	}
	for i := range iterations {
		if err := s.mix(); err != nil {
			return err
		}
		s.reside()
		s.throttle()
		change, memory := s.advance()
		if change < tolerance {
			break
		}
		if i%period == period-1 && i < iterations-settling {
			s.leap(memory)
		}
	}
	s.settle()
	return nil
}

// start gives each class what it would get alone.
func (s *solver) start() error {
	for i := range s.classes {
		s.classes[i].rate = s.classes[i].of.Jobs // the first guess at the mix
	}
	for i := range s.share {
		s.share[i] = math.NaN() // none yet
	}
	if err := s.mix(); err != nil {
		return err
	}
	for i := range s.classes {
		k := &s.classes[i]
		if k.of.Jobs == 0 {
			continue
		}
		if err := k.takesTime(i); err != nil {
			return err
		}
		k.alone()
	}
	s.gather()
	return nil
}

// mix sets the volumes' times by their share of reads.
func (s *solver) mix() error {
	for v := range s.volumes {
		opTime, members := s.network.Volumes[v].OpTime, s.limits[v].members
		share := s.readShare(members)
		if opTime == nil || share == s.share[v] {
			continue
		}
		s.share[v] = share
		for _, i := range members {
			k := &s.classes[i]
			t := opTime(k.of.Block, share)
			if !(t >= 0 && t <= mostSeconds) {
				return opTimeError(k.of.Volume, k.of, share, t)
			}
			k.demand[atVolume] = k.factor * t
			if err := k.takesTime(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *solver) readShare(members []int) float64 {
	reads, all := 0.0, 0.0
	for _, i := range members {
		all += s.classes[i].rate
		if !s.classes[i].of.Write {
			reads += s.classes[i].rate
		}
	}
	if all == 0 {
		return 1
	}
	return reads / all
}

// least is the round trip without any waiting, ΣD.
func (k *class) least() float64 {
	return k.delay + k.demand[atSession] + k.demand[atClient] + k.demand[atVolume]
}

// takesTime refuses an operation without a duration: its rate would have no bound.
func (k *class) takesTime(i int) error {
	if least := k.least(); least < leastTrip {
		return fmt.Errorf("%s: an operation takes %g s without waiting: at least %g are needed, at any station", k.of.place(i), least, leastTrip)
	}
	return nil
}

// alone is the exact recursion over the population, for the class by itself. What it says of the last job is kept as the
// correction to Schweitzer's approximation. A part of a job is solved first.
func (k *class) alone() {
	least := k.least()
	if k.inside > exactJobs {
		k.rate = min(k.of.Jobs/(k.think+least), k.slots/least, 1/max(k.demand[atSession], k.demand[atClient], k.demand[atVolume]))
		for q, d := range k.demand {
			k.queue[q] = k.inside * d / (least + k.think)
		}
		return
	}
	think := k.thinkInside(least)
	var before [queues]float64
	n := k.inside - math.Ceil(k.inside) + 1
	for range int(math.Ceil(k.inside)) {
		before = k.queue
		trip := k.delay
		for q, d := range k.demand {
			k.trip[q] = d * (1 + before[q])
			trip += k.trip[q]
		}
		k.rate = n / (think + trip)
		for q := range k.queue {
			k.queue[q] = k.rate * k.trip[q]
		}
		n++
	}
	for q := range k.own {
		k.own[q] = before[q] - k.others()*k.queue[q]
	}
}

// thinkInside is the think time of as many jobs as there are slots: of the rest, thinking is what they do first.
func (k *class) thinkInside(least float64) float64 {
	if k.of.Jobs <= k.inside || k.think == 0 {
		return k.think
	}
	most := min(k.of.Jobs/(k.think+least), k.slots/least)
	return max(0, k.think-(k.of.Jobs-k.inside)/most)
}

// others is the part of its own operations that a job finds, (M−1)/M.
func (k *class) others() float64 { return max(0, 1-1/k.inside) }

// reside sets the residence of every class at its queues, by what is found there.
func (s *solver) reside() {
	for i := range s.classes {
		k := &s.classes[i]
		if k.of.Jobs == 0 {
			continue
		}
		others := [queues]float64{0, s.clients[k.client].queue - k.queue[atClient], s.volumes[k.volume].queue - k.queue[atVolume]}
		for q, d := range k.demand {
			k.trip[q] = d * (1 + max(0, others[q]+k.others()*k.queue[q]+k.own[q]))
		}
	}
}

// served is the round trip without waiting for tokens.
func (k *class) served() float64 {
	return k.delay + k.trip[atSession] + k.trip[atClient] + k.trip[atVolume]
}

// at is the rate with a round trip.
func (k *class) at(trip float64) float64 { return min(k.of.Jobs/(k.think+trip), k.slots/trip) }

// wait is the time for tokens, the volume's and the pool's.
func (s *solver) wait(k *class) float64 {
	w := s.limits[k.volume].wait
	if p := s.pool[k.volume]; p >= 0 {
		w += s.pools[p].wait
	}
	return w
}

// throttle finds the waits for tokens: each limit's, given the others'.
func (s *solver) throttle() {
	for i := range s.limits {
		s.limits[i].throttle(s)
	}
	for i := range s.pools {
		s.pools[i].throttle(s)
	}
}

// throttle finds the wait with which the members use just what is allowed, or none if they stay below. The inverse of what
// is used is nearly linear in the wait (for one class exactly), so Newton's method on it takes few steps; a bracket keeps
// it safe where a slot limit makes a kink.
func (g *gate) throttle(s *solver) {
	if g.open() || len(g.members) == 0 {
		return
	}
	low, high := 0.0, 0.0
	for _, i := range g.members {
		c := s.classes[i].of
		high += c.Jobs * max(c.Block/g.bytes, 1/g.ops)
	}
	if used, _ := g.used(s, 0); used <= 1 {
		g.wait = 0
		return
	}
	wait := min(g.wait, high)
	for range 60 {
		used, slope := g.used(s, wait)
		if math.Abs(used-1) < tolerance*1e-3 {
			break
		}
		if used > 1 {
			low = wait
		} else {
			high = wait
		}
		wait += (used*used - used) / slope
		if !(wait > low && wait < high) {
			wait = (low + high) / 2
		}
	}
	g.wait = wait
}

// used is the part of the fuller bucket that the members would use with a wait, and how fast that falls with the wait.
func (g *gate) used(s *solver, wait float64) (used, slope float64) {
	var bytes, ops, bytesFall, opsFall float64
	for _, i := range g.members {
		k := &s.classes[i]
		trip := k.served() + s.wait(k) - g.wait + wait
		rate, fall := k.of.Jobs/(k.think+trip), 1/(k.think+trip)
		if limited := k.slots / trip; limited < rate {
			rate, fall = limited, 1/trip
		}
		ops += rate
		opsFall += rate * fall
		bytes += rate * k.of.Block
		bytesFall += rate * fall * k.of.Block
	}
	if bytes/g.bytes > ops/g.ops {
		return bytes / g.bytes, bytesFall / g.bytes
	}
	return ops / g.ops, opsFall / g.ops
}

// advance sets rates and queues by the residences. It returns the largest relative change of a rate, and how much of the
// step before last is in this one: the λ of a geometric approach.
func (s *solver) advance() (change, memory float64) {
	var both, before float64
	for i := range s.classes {
		k := &s.classes[i]
		if k.of.Jobs == 0 {
			continue
		}
		rate := k.at(k.served() + s.wait(k))
		change = max(change, math.Abs(rate-k.rate)/rate)
		k.rate = rate
		for q := range k.queue {
			step := rate*k.trip[q] - k.queue[q]
			both += step * k.step[q]
			before += k.step[q] * k.step[q]
			k.queue[q], k.step[q] = rate*k.trip[q], step
		}
	}
	s.gather()
	return change, both / before
}

// leap goes where the queues are heading: with stations of nearly equal demand each step is λ of the one before, and the
// rest of the way is λ/(1−λ) of the last step (Aitken).
func (s *solver) leap(memory float64) {
	if !(memory > 0) { // NaN too
		return
	}
	memory = min(memory, longest)
	for i := range s.classes {
		k := &s.classes[i]
		for q := range k.queue {
			k.queue[q] = min(max(k.queue[q]+k.step[q]*memory/(1-memory), 0), k.inside)
		}
	}
	s.gather()
}

// gather sums the queues that classes share.
func (s *solver) gather() {
	clear(s.clients)
	clear(s.volumes)
	for i := range s.classes {
		k := &s.classes[i]
		s.clients[k.client].queue += k.queue[atClient]
		s.volumes[k.volume].queue += k.queue[atVolume]
	}
}
