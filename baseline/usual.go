package baseline

import (
	"math"
	"time"
)

// medianMemory is how far back a median of seven days looks.
const medianMemory = 7 * day

// Usual is what the series usually has at a time, for who compares with a number and not with a band. It stands where a median
// of the last seven days stood, so it is the base of the logarithmic scale: that is nearer to the median where values stray
// further up than down, as latencies do. NaN where that is not known:
//
//   - while the series learns;
//   - of a time before its newest sample, of which it would know what came afterwards;
//   - of a series without a sample for 28 days;
//   - for seven days from the beginning of what was taken for the new usual after 48 hours. A statistic is not surprised by
//     that any more; a rule that names a cause goes on, for as long as the median lets it.
func (s *Series) Usual(at time.Time) float64 {
	seconds, newest := at.Unix(), s.clock.last
	bucket := halfHourOf(s.signal.local(seconds))
	switch {
	case s.clock.known < learnSamples, seconds < newest, seconds-newest > forgetAfter,
		s.departure.adopted && seconds-s.departure.start < medianMemory:
		return math.NaN()
	}
	m := moment{bucket: bucket, filled: s.past.days[bucket].filled, full: s.clock.half()}
	return s.unlog(s.log.base(s.past, logarithmic, &m))
}
