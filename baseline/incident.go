package baseline

import (
	"math/bits"
	"time"
)

// OpenRarity opens an incident where two of the last three samples have it, and are off by LeastEffect of what is usual.
const (
	OpenRarity  = 3.0
	LeastEffect = 0.25
)

const (
	openSamples = 2
	openWindow  = 0b111
	openSpan    = 3
	calmRarity  = 2.0 // below it, for six samples in a row, an incident ends
	calmSamples = 6
	backSamples = 3 // of which so many settle that it was a spike

	levelAfter    = 15 * 60           // a departure that lasts this many seconds is a level, a shorter one a spike
	reopenWithin  = 60 * 60           // seconds in which a departure continues the one before
	newNormal     = 48 * 60 * 60      // seconds after which a level is what is usual now
	taughtSamples = 12                // of an incident the baseline learns these and no more
	severeFactor  = 2                 // times the base …
	severeFor     = 15 * 60           // … for this many seconds
	flatSamples   = 12                // identical values that are a flatline
	flatShare     = 0.9               // … of a series that changed in this share of its samples
	flatMemory    = 4 * learnSamples  // after so many the share's counts are halved
	staleGrains   = 3                 // grains without a sample, beside the delay, that are stale
	learnSamples  = 150               // before so many nothing is said
	forgetAfter   = 28 * 24 * 60 * 60 // seconds of absence after which a series is a new one
)

// Kind is what an incident is, by the variant's name of its finding.
type Kind string

// The kinds of incidents.
const (
	Level    Kind = "level"    // off the usual for 15 minutes or longer
	Spike    Kind = "spike"    // off the usual for a shorter time; every departure begins as one
	Flatline Kind = "flatline" // one value again and again of a series that changes
	Stale    Kind = "stale"    // no sample any more
)

// Incident is one departure of a series from its usual ways, or one silence.
type Incident struct {
	Kind  Kind
	Start time.Time // of the first sample that was off
	End   time.Time // of the last one that was; zero while the incident is open

	// What follows is of the sample that was farthest off; zero in a flatline and a silence but for the value.
	Value  float64 // in the signal's unit
	Base   float64 // what was usual then
	Rarity float64 // −log10 of how often a usual sample is that far off

	// Settled says that the kind is final as long as the incident is open: a departure lasted long enough for a level, or was
	// back in time for a spike.
	Settled bool
	// Severe says that the series was at twice the usual or more for 15 minutes.
	Severe bool
	// NewNormal says that the incident ended by its age: what it showed is what is usual now.
	NewNormal bool
}

// Open says whether the incident goes on.
func (i Incident) Open() bool { return !i.Start.IsZero() && i.End.IsZero() }

// Effect is the factor between the value and the usual one, 1 or more; offset keeps it finite next to nothing.
func (i Incident) Effect(offset float64) float64 {
	high, low := max(i.Value, i.Base), min(i.Value, i.Base)
	return (high + offset) / (low + offset)
}

// Event says what a sample or a look did to the incidents of a series; several bits may be set.
type Event uint8

// The events.
const (
	Opened Event = 1 << iota
	Reopened
	Closed
)

// departure is a series off its baseline: the incident rule's state, times in seconds since 1970.
type departure struct {
	// What every sample needs comes first.
	hits                                  uint8 // the last three samples, newest in bit 0
	open, level, severe, adopted, settled bool
	samples                               uint16 // since it opened
	severeSince                           int64

	calm                                  uint8
	start, lastOff, closedAt, previousHit int64 // start 0: none yet
	value, base, rarity                   float32
	sumValue, sumBase, sumLog             float64 // values, linear bases and logarithmic distances since nothing is learnt
}

// sighting is how one sample stands to the baseline in the signal's unit.
type sighting struct {
	value, base float64
	linear, log float64 // the base in the linear scale, how far above its base it is in the logarithmic one
	rarity      float64 // 0 where the effect is too small or in the favourable direction
	lasting     bool    // the last three samples together are off by enough, too
}

// see takes one sample through the incident rule.
func (d *departure) see(at int64, s *sighting) Event {
	d.grade(at, s)
	hit := s.rarity >= OpenRarity
	d.hits = d.hits<<1&openWindow | boolBit(hit)
	if d.open {
		return d.follow(at, s)
	}
	if !hit {
		return 0
	}
	begun := d.previousHit
	d.previousHit = at
	if bits.OnesCount8(d.hits) < openSamples || !s.lasting {
		return 0
	}
	d.open, d.calm, d.settled = true, 0, d.level
	event := Reopened
	if d.start == 0 || d.adopted || at-d.closedAt > reopenWithin {
		*d = departure{start: begun, previousHit: at, severeSince: d.severeSince, hits: d.hits, open: true}
		event = Opened
	}
	d.note(at, s)
	return event
}

func (d *departure) follow(at int64, s *sighting) Event {
	if s.rarity >= calmRarity {
		d.calm = 0
		d.note(at, s)
	} else {
		d.calm++
		d.settled = d.settled || d.calm == backSamples
	}
	d.samples = min(d.samples+1, 1<<15)
	if d.samples > taughtSamples {
		d.sumValue += s.value
		d.sumBase += s.linear
		d.sumLog += s.log
	}
	switch {
	case d.calm >= calmSamples:
		d.close(at)
		return Closed
	case at-d.start >= newNormal:
		d.close(at)
		d.adopted = true
		return Closed
	}
	return 0
}

// note takes down a sample that is off.
func (d *departure) note(at int64, s *sighting) {
	d.lastOff = at
	if !d.settled && at-d.start >= levelAfter {
		d.level, d.settled = true, true
	}
	if s.rarity > float64(d.rarity) {
		d.value, d.base, d.rarity = bounded(s.value), bounded(s.base), float32(s.rarity)
	}
	d.severe = d.severe || d.severeSince != 0 && at-d.severeSince >= severeFor
}

// grade notes since when every sample was at twice the base or more.
func (d *departure) grade(at int64, s *sighting) {
	switch {
	case s.rarity < calmRarity || s.value < severeFactor*s.base:
		d.severeSince = 0
	case d.severeSince == 0:
		d.severeSince = at
	}
}

func (d *departure) close(at int64) {
	d.open, d.closedAt, d.hits, d.calm = false, at, 0, 0
}

func (d *departure) incident() Incident {
	if d.start == 0 {
		return Incident{}
	}
	i := Incident{
		Kind: Spike, Start: moment64(d.start), Value: float64(d.value), Base: float64(d.base), Rarity: float64(d.rarity),
		Settled: d.settled || !d.open, Severe: d.severe, NewNormal: d.adopted,
	}
	if d.level {
		i.Kind = Level
	}
	if !d.open {
		i.End = moment64(d.lastOff)
	}
	return i
}

func moment64(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }

func boolBit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
