package baseline

import "time"

const (
	halfHour = 30 * 60
	day      = 24 * 60 * 60

	// Tails are aged after 28 days of samples at five minutes, counted in samples: a gap ages nothing, and a series with few
	// samples keeps them. Stamps are 112ths of that, so that two periods fit into a byte.
	ageing    = 8064
	period    = 112
	stampSize = ageing / period

	levelMemory = 1000 * 60 // seconds that the level and the mean distances look back
)

// clock is where a series stands in time: what its samples have in common in every scale.
type clock struct {
	last    int64 // seconds since 1970 of the newest sample
	grain   int32 // seconds from sample to sample
	known   uint32
	young   uint32 // samples since the tails were aged
	slot    uint8
	recents uint8
}

// Instant is a moment as all series of a signal see it. What feeds many series works it out once for all of them.
type Instant struct {
	seconds                int64 // since 1970
	bucket, before, behind uint8 // the half hour of the day, by the clocks of the signal's zone, and those beside it
}

// Unix is the moment in seconds since 1970.
func (i Instant) Unix() int64 { return i.seconds }

// At is a moment as the signal's series see it.
func (s *Signal) At(at time.Time) Instant { return s.instant(at.Unix()) }

func (s *Signal) instant(seconds int64) Instant { return instantOf(seconds, s.local(seconds)) }

// instantOf takes a time in seconds since 1970, and the same as local clocks show it.
func instantOf(seconds, local int64) Instant {
	return Instant{seconds: seconds, bucket: halfHourOf(local), before: halfHourOf(local - halfHour), behind: halfHourOf(local + halfHour)}
}

func newClock(grain time.Duration) clock {
	return clock{grain: int32(min(max(grain, time.Second), 24*time.Hour) / time.Second)}
}

// next moves the clock to a sample's time and fills in what its moment is; teach says whether anything is learnt from it. aged says
// that it is time to age what the tails remember. The moment is filled in field by field since copying it costs a tenth of a sample.
func (c *clock) next(m *moment, days *halfHours, at Instant, teach bool) (aged bool) {
	if c.young == ageing {
		aged, c.young = true, 0
	}
	if at.seconds-c.last > halfHour {
		c.slot, c.recents = 0, 0
	}
	c.last = at.seconds

	half := c.half()
	c.recents = min(c.recents+1, half)
	filled := &days[at.bucket].filled
	m.bucket, m.before, m.behind = at.bucket, days.beside(at.bucket, at.before, half), days.beside(at.bucket, at.behind, half)
	m.known, m.filled, m.full, m.slot, m.recents = c.known, *filled, half, c.slot, c.recents
	m.teach, m.rank = teach, teach
	m.weight = max(float64(c.grain)/levelMemory, 1/(float64(c.known)+1)) // at the beginning the mean of all so far
	m.stamp = uint8(period + c.young/stampSize)
	if c.slot++; c.slot >= half {
		c.slot = 0
	}
	if teach {
		*filled = min(*filled+1, half)
	}
	c.known = min(c.known+1, maxKnown)
	c.young++
	return aged
}

// beside is the half hour before or behind one, and itself where the other was never seen or nothing could have begun within:
// where it holds a single sample.
func (days *halfHours) beside(bucket, other, full uint8) uint8 {
	if full > 1 && days[other].filled >= full {
		return other
	}
	return bucket
}

// half is the number of samples in half an hour, one at least.
func (c *clock) half() uint8 { return uint8(min(max(halfHour/c.grain, 1), ringSize)) }

// stampOf is the stamp that samples had so many samples ago, whether or not the tails were aged since.
func (c *clock) stampOf(ago int) uint8 {
	return uint8(max(0, (ageing+int(c.young)-ago)/stampSize))
}

// maxKnown bounds the count of samples, of which only the first thousands matter.
const maxKnown = 1 << 30

// halfHourOf is the bucket of a time in seconds since 1970: 0 to 47 on Monday to Friday, 48 to 95 at the weekend.
func halfHourOf(seconds int64) uint8 {
	bucket := uint8(mod(seconds, day) / halfHour)
	weekday := mod((seconds-mod(seconds, day))/day+4, 7) // 1970 began on a Thursday
	if weekday == 0 || weekday == 6 {
		return bucket + buckets/2
	}
	return bucket
}

func mod(a, b int64) int64 { return (a%b + b) % b }
