package baseline

import (
	"math"
	"time"
)

const (
	largest = 1e30 // what is larger is no measurement
	// stepSamples is how many samples in a row have to come from another time before the series goes there.
	stepSamples = 12
	adoptMost   = 4096 // a level that moved by more is learnt anew
)

// State is where a series stands.
type State string

// The states of a series.
const (
	Learning   State = "learning" // too few samples: nothing is said
	Normal     State = "normal"
	Off        State = "off" // a departure is open
	InFlatline State = "flatline"
	InStale    State = "stale"
	Adopted    State = "new_normal" // for a day after a departure became what is usual
)

// Dropped counts the samples that a series did not take.
type Dropped struct {
	NotANumber uint32 // NaN and infinities
	OutOfRange uint32 // negative, or beyond 1e30
	Duplicate  uint32 // of a time that was there, or less than half a grain after it
	OutOfStep  uint32 // before the newest one, or more than 28 days after it
}

// Series is the baseline of one series, its incidents and nothing that grows: less than 4 KiB with its past. What every sample
// needs lies together here; the past, eleven times as large, lies apart, since a sample needs little of it. It is not safe for
// concurrent use, and a copy shares its past.
type Series struct {
	signal      *Signal
	past        *past
	clock       clock
	linear, log domain
	silence     silence
	steps       uint8 // how many samples came in a row that are out of step
	departure   departure
	stepAt      int64 // the newest of the samples that are out of step
	dropped     Dropped
}

// NewSeries makes the baseline of a series that begins. The signal is shared and must not change; its offset is above zero.
func NewSeries(signal *Signal) *Series {
	return &Series{signal: signal, past: new(past), clock: newClock(signal.Grain)}
}

// restart forgets what was learnt.
func (s *Series) restart(clock clock) {
	*s.past = past{}
	*s = Series{signal: s.signal, past: s.past, clock: clock, dropped: s.dropped}
}

// copy is a series of its own that has learnt the same.
func (s *Series) copy() *Series {
	series, past := *s, *s.past
	series.past = &past
	return &series
}

// Feed takes the next sample: at its own time, in the signal's unit. What is no number, negative, a duplicate or out of step is
// dropped and counted.
func (s *Series) Feed(at time.Time, x float64) Event { return s.FeedAt(s.signal.At(at), x) }

// FeedAt is Feed at a moment that was worked out before, by the series' signal.
func (s *Series) FeedAt(at Instant, x float64) Event {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		s.dropped.NotANumber++
		return 0
	case x < 0 || x > largest:
		s.dropped.OutOfRange++
		return 0
	}
	if !s.inStep(at.seconds) {
		return 0
	}
	var event Event
	if s.signal.GapIsZero {
		event = s.fill(at.seconds - int64(s.clock.grain)*3/2)
	}
	return event | s.take(at, x)
}

// Look tells the series what time it is, so that the absence of samples is noticed. A source that cannot be reached is not
// silent: do not look while it cannot.
func (s *Series) Look(now time.Time) Event {
	if s.clock.known == 0 {
		return 0
	}
	seconds := now.Unix()
	if s.signal.GapIsZero {
		return s.fill(seconds - int64((s.signal.Delay+s.signal.Grain)/time.Second))
	}
	if s.clock.known < learnSamples || s.signal.Sporadic {
		return 0
	}
	return s.silence.look(seconds, s.clock.last, int64(s.signal.StaleAfter()/time.Second))
}

// fill puts zeros where nothing was sent, up to a time; a day's worth at most, since what is gone for longer is gone.
func (s *Series) fill(until int64) Event {
	var event Event
	if s.clock.known == 0 || until-s.clock.last > day {
		return 0
	}
	grain := int64(s.clock.grain)
	for at := s.clock.last + grain; at <= until; at += grain {
		event |= s.take(s.signal.instant(at), 0)
	}
	return event
}

// inStep says whether a sample follows the newest one. One whose time is odd costs itself and nothing else; several in a row
// that follow each other are a clock that was set.
func (s *Series) inStep(seconds int64) bool {
	gap := seconds - s.clock.last
	switch {
	case seconds < -largestTime || seconds > largestTime:
		s.dropped.OutOfStep++
		return false
	case s.clock.known == 0:
		return true
	case gap >= 0 && gap < (int64(s.clock.grain)+1)/2:
		s.dropped.Duplicate++
		return false
	case gap > 0 && gap <= forgetAfter:
		s.steps = 0
		return true
	}
	follows := seconds > s.stepAt && seconds-s.stepAt <= max(2*int64(s.clock.grain), 2*halfHour)
	if !follows {
		s.steps = 0
	}
	s.steps, s.stepAt = s.steps+1, seconds
	if s.steps < stepSamples {
		s.dropped.OutOfStep++
		return false
	}
	s.step(seconds)
	return true
}

// largestTime bounds times to 32,000 years around 1970, so that differences of two never overflow.
const largestTime = 1 << 40

// step goes to another time. What was learnt is kept by a clock that was set back, and is too old after a long absence.
func (s *Series) step(seconds int64) {
	if seconds > s.clock.last {
		s.restart(newClock(s.signal.Grain))
		return
	}
	s.steps, s.clock.recents, s.clock.slot = 0, 0, 0
	s.departure, s.silence = departure{}, silence{changed: s.silence.changed, counted: s.silence.counted}
}

// take judges and learns one sample that is in order.
func (s *Series) take(at Instant, x float64) Event {
	var event Event
	seconds := at.seconds
	if seconds-s.clock.last > day && s.departure.open {
		s.departure.close(s.departure.lastOff) // nobody saw how it ended
		event = Closed
	}
	if seconds-s.clock.last > halfHour {
		s.departure.hits = 0
	}
	var m moment
	aged := s.clock.next(&m, &s.past.days, at, s.teaches())
	// Of a half hour that was never seen nothing is usual: neither is it judged nor does it say how far samples stray. So nothing
	// is said before a day, nor at the first weekend.
	seen := m.filled >= m.full
	m.rank = m.teach && seen
	if aged {
		s.linear.age(s.past, linear)
		s.log.age(s.past, logarithmic)
	}
	logX := math.Log(x + s.signal.Offset)
	plain, log := s.linear.feed(s.past, linear, x, &m), s.log.feed(s.past, logarithmic, logX, &m)
	event |= s.silence.see(seconds, x, s.clock.grain, s.signal.Stands)
	if m.known < learnSamples || !seen {
		return event
	}
	base, rarity := s.sight(x, plain, log)
	sighted := sighting{value: x, base: base, linear: plain.base, log: logX - log.base, rarity: rarity}
	if sighted.rarity >= OpenRarity {
		sighted.lasting = m.recents < openSpan || s.matters(sighted.base+s.linear.lately(&m), sighted.base)
	}
	event |= s.departure.see(seconds, &sighted)
	if event&Closed != 0 && s.departure.adopted && s.departure.closedAt == seconds {
		s.adopt()
	}
	return event
}

// teaches says whether the next sample may become part of what is usual: no flatline, and of a departure its first hour. So
// what comes back every night is learnt, and an outage of a day is not.
func (s *Series) teaches() bool {
	return !s.silence.open && (!s.departure.open || s.departure.samples < taughtSamples)
}

// sight puts the verdicts of both scales together: the rarer of those in which the sample is far enough off to matter, and the
// base that it is off from.
func (s *Series) sight(x float64, plain, log verdict) (base, rarity float64) {
	base = plain.base
	if plain.rarity >= calmRarity && s.matters(x, base) {
		rarity = plain.rarity
	}
	if log.rarity >= calmRarity && log.rarity > rarity {
		if usual := s.unlog(log.base); s.matters(x, usual) {
			return usual, log.rarity
		}
	}
	return base, rarity
}

// matters says whether a value is off by enough, in a direction that counts.
func (s *Series) matters(x, base float64) bool {
	least := max(LeastEffect*base, s.signal.Offset)
	return s.signal.Rises && x-base >= least || s.signal.Drops && base-x >= least
}

func (s *Series) unlog(x float64) float64 { return max(0, math.Exp(x)-s.signal.Offset) }

// adopt makes what an incident showed the usual: everything is scaled by how far it was off, so that a series in another unit
// or at another level is judged at once as well as before. What came from nothing, or went there, is learnt anew.
func (s *Series) adopt() {
	d := &s.departure
	count := float64(d.samples) - taughtSamples
	base, factor := d.sumBase/count, d.sumValue/d.sumBase
	if !(base >= s.signal.Offset && factor <= adoptMost && factor >= 1./adoptMost) { // a number that is none is no factor either
		departure, silence := s.departure, s.silence
		s.restart(clock{grain: s.clock.grain, last: s.clock.last})
		s.departure, s.silence = departure, silence
		return
	}
	// What the tails learnt in the incident's first hour was no distance from the usual.
	since := s.clock.stampOf(int(d.samples) + openSpan)
	s.forget(since)
	s.linear.scale(s.past, factor)
	s.log.shift(s.past, d.sumLog/count)
}

// forget drops what the tails kept since a stamp.
func (s *Series) forget(since uint8) {
	s.linear.forget(s.past, linear, since)
	s.log.forget(s.past, logarithmic, since)
}

// Departure is the newest departure from the usual, open or not; the zero Incident where there was none.
func (s *Series) Departure() Incident { return s.departure.incident() }

// Silence is the newest flatline or absence of samples, open or not; the zero Incident where there was none.
func (s *Series) Silence() Incident { return s.silence.incident() }

// Dropped is what the series did not take so far.
func (s *Series) Dropped() Dropped { return s.dropped }

// History is how long the series has been learning, gaps left out.
func (s *Series) History() time.Duration {
	return time.Duration(s.clock.known) * time.Duration(s.clock.grain) * time.Second
}

// Last is the time of the newest sample, zero where there was none.
func (s *Series) Last() time.Time {
	if s.clock.known == 0 {
		return time.Time{}
	}
	return moment64(s.clock.last)
}

// Newest is the value of the newest sample.
func (s *Series) Newest() float64 { return s.silence.value }

// State is where the series stands.
func (s *Series) State() State {
	switch {
	case s.silence.open && s.silence.stale:
		return InStale
	case s.silence.open:
		return InFlatline
	case s.departure.open:
		return Off
	case s.clock.known < learnSamples:
		return Learning
	case s.departure.adopted && s.clock.last-s.departure.closedAt < day:
		return Adopted
	}
	return Normal
}

// Band is what the series usually has at a time: the base and the bounds beyond which a sample is off, in the signal's unit.
// ok is false while it learns. A bound that the signal does not have is infinite, or zero. What a departure that goes on showed
// in its first hour is no part of it: it would lie within its own band.
func (s *Series) Band(at time.Time) (lower, base, upper float64, ok bool) {
	if s.clock.known < learnSamples {
		return 0, 0, 0, false
	}
	if s.departure.open {
		before := s.copy()
		before.departure.open = false
		before.forget(s.clock.stampOf(int(s.departure.samples) + openSpan))
		return before.Band(at)
	}
	bucket := halfHourOf(s.signal.local(at.Unix()))
	m := moment{bucket: bucket, filled: s.past.days[bucket].filled, full: s.clock.half()}
	base = s.linear.base(s.past, linear, &m)
	logBase := s.log.base(s.past, logarithmic, &m)
	least := max(LeastEffect*base, s.signal.Offset)
	plain := max(s.linear.single.distance(&s.past.ranks[linear].single, OpenRarity), least)
	log := s.log.single.distance(&s.past.ranks[logarithmic].single, OpenRarity)
	usual := s.unlog(logBase)
	leastLog := max(LeastEffect*usual, s.signal.Offset)
	lower = max(base-plain, min(s.unlog(logBase-log), usual-leastLog), 0)
	upper = min(base+plain, max(s.unlog(logBase+log), usual+leastLog))
	// After a change the scales may disagree for a while; the base is never off.
	lower, upper = min(lower, base), max(upper, base)
	if !s.signal.Drops {
		lower = 0
	}
	if !s.signal.Rises {
		upper = math.Inf(1)
	}
	return lower, base, upper, true
}
