package collectors

import "time"

// stamps gives the runs of one collector their times: strictly increasing, in whole milliseconds, as histories keep
// them.
//
// A run's time is the wall clock's unless that was set back. Then times go on from the last one by what the monotonic
// clock measured, less one part in a hundred, until the wall clock has caught up. So rates stay right to 1 % and no
// history sees a time twice; only how old the samples look is off meanwhile.
type stamps struct {
	last  time.Time // last time given out
	clock time.Time // reading at which it was given out, with its monotonic part
}

const slew = 100 // one part in slew

func (s *stamps) next(now time.Time) time.Time {
	stamp := now.Round(0).Truncate(time.Millisecond)
	if !s.clock.IsZero() {
		elapsed := now.Sub(s.clock)
		least := s.last.Add(max(elapsed-elapsed/slew, time.Millisecond)).Truncate(time.Millisecond)
		if stamp.Before(least) {
			stamp = least
		}
	}
	s.last, s.clock = stamp, now
	return stamp
}
