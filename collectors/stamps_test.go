package collectors

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestStampsFollowTheWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s stamps
		for range 3 {
			now := time.Now()
			if got := s.next(now); !got.Equal(now.Truncate(time.Millisecond)) {
				t.Errorf("at %s got %s", now, got)
			}
			time.Sleep(15*time.Second + time.Microsecond)
		}
	})
}

// The wall clock cannot be set back in a test, so the last time is put ahead of it, which is the same.
func TestStampsGoOnWhenTheClockIsSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s stamps
		s.next(time.Now())
		ahead := 90 * time.Second
		s.last = s.last.Add(ahead)
		before, caughtUp := s.last, false
		for range 700 {
			time.Sleep(15 * time.Second)
			got := s.next(time.Now())
			step := got.Sub(before)
			if step < 14850*time.Millisecond-time.Millisecond || step > 15*time.Second {
				t.Fatalf("a step of 15 s became %s", step)
			}
			before, caughtUp = got, got.Equal(time.Now())
		}
		if !caughtUp {
			t.Errorf("still %s ahead", time.Until(before))
		}
	})
}

func TestStampsAlwaysRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s stamps
		wall := noon
		var last time.Time
		for _, step := range rapid.SliceOf(rapid.Int64Range(-int64(time.Hour), int64(time.Hour))).Draw(t, "steps") {
			wall = wall.Add(time.Duration(step)) // without a monotonic part even the elapsed time goes back
			got := s.next(wall)
			if !last.IsZero() && got.Sub(last) < time.Millisecond {
				t.Fatalf("%s after %s", got, last)
			}
			last = got
		}
	})
}
