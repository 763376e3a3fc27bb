package baseline

import (
	"testing"
	"time"
)

func TestHalfHourOf(t *testing.T) {
	rows := map[string]uint8{
		"2026-06-01T00:00:00Z": 0, // Monday
		"2026-06-01T00:29:59Z": 0,
		"2026-06-05T23:59:59Z": 47, // Friday
		"2026-06-06T00:00:00Z": 48, // Saturday
		"2026-06-07T23:30:00Z": 95, // Sunday
		"1970-01-01T12:00:00Z": 24, // Thursday
		"1969-12-27T01:00:00Z": 50, // Saturday, before the epoch
	}
	for text, want := range rows {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := halfHourOf(at.Unix()); got != want {
			t.Errorf("%s is half hour %d, want %d", text, got, want)
		}
	}
}

func TestClock(t *testing.T) {
	clock, days := newClock(5*time.Minute), halfHours{}
	at := monday.Unix()
	for i := range 10 {
		var m moment
		aged := clock.next(&m, &days, instantOf(at, at), true)
		wantRecents, wantFilled := uint8(min(i+1, 6)), uint8(i%6)
		if m.recents != wantRecents || m.filled != wantFilled || m.full != 6 || aged || int(m.known) != i {
			t.Errorf("sample %d: %+v", i, m)
		}
		at += 300
	}
	var m moment
	if clock.next(&m, &days, instantOf(at+3600, at+3600), true); m.recents != 1 {
		t.Errorf("after a gap of an hour %d samples count as of late, want 1", m.recents)
	}
	for _, grain := range []time.Duration{0, time.Nanosecond, time.Minute, time.Hour, 1000 * time.Hour} {
		clock := newClock(grain)
		if half := clock.half(); half < 1 || half > ringSize {
			t.Errorf("a grain of %s has %d samples in half an hour", grain, half)
		}
	}
}

// TestClockAges: every 8,064 samples, and stamps never leave their byte.
func TestClockAges(t *testing.T) {
	clock, days := newClock(5*time.Minute), halfHours{}
	var ages []int
	for i := range 3*ageing + 1 {
		var m moment
		aged := clock.next(&m, &days, instantOf(int64(i)*300, int64(i)*300), true)
		if aged {
			ages = append(ages, i)
		}
		if m.stamp < period || m.stamp >= 2*period {
			t.Fatalf("stamp %d at sample %d", m.stamp, i)
		}
	}
	if len(ages) != 3 || ages[0] != ageing || ages[2] != 3*ageing {
		t.Errorf("aged at %v", ages)
	}
	if now, before := clock.stampOf(0), clock.stampOf(ageing); now != period || before != 0 {
		t.Errorf("stamps of now and of a period ago are %d and %d, want %d and 0", now, before, period)
	}
}
