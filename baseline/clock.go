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

// filled counts the samples of each half hour, up to what fills it.
type filled [buckets]uint8

func newClock(grain time.Duration) clock {
	return clock{grain: int32(min(max(grain, time.Second), 24*time.Hour) / time.Second)}
}

// next moves the clock to a sample's time, which is also given as local time shows it; teach says whether anything is learnt from it. aged says that it is time to age what the tails remember.
func (c *clock) next(f *filled, seconds, local int64, teach bool) (m moment, aged bool) {
	if c.young == ageing {
		aged, c.young = true, 0
	}
	if seconds-c.last > halfHour {
		c.slot, c.recents = 0, 0
	}
	c.last = seconds

	half := c.half()
	c.recents = min(c.recents+1, half)
	bucket := halfHourOf(local)
	m = moment{
		before: c.beside(f, bucket, local-halfHour), behind: c.beside(f, bucket, local+halfHour),
		known: c.known, bucket: bucket, filled: f[bucket], full: half, slot: c.slot, recents: c.recents, teach: teach, rank: teach,
		// At the beginning the mean of all so far.
		weight: max(float64(c.grain)/levelMemory, 1/(float64(c.known)+1)),
		stamp:  uint8(period + c.young/stampSize),
	}
	c.slot = (c.slot + 1) % half
	if teach {
		f[bucket] = min(f[bucket]+1, half)
	}
	c.known = min(c.known+1, maxKnown)
	c.young++
	return m, aged
}

// beside is the half hour before or behind one, and itself where the other was never seen or nothing could have begun within.
func (c *clock) beside(f *filled, bucket uint8, seconds int64) uint8 {
	if other := halfHourOf(seconds); c.half() > 1 && f[other] >= c.half() {
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
