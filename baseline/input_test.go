package baseline

import (
	"math"
	"testing"
	"time"
)

// sane fails if a series holds a number that is none, or a state that cannot be.
func sane(t *testing.T, s *Series) {
	t.Helper()
	if !s.valid() {
		t.Fatalf("not a valid state: %+v", s)
	}
	lower, base, upper, ok := s.Band(s.Last())
	if ok && !(lower >= 0 && lower <= upper && base >= 0) {
		t.Fatalf("band from %v to %v around %v", lower, upper, base)
	}
}

func TestNotANumber(t *testing.T) {
	clean, odd := newPlayer(unit(), 1), newPlayer(unit(), 1)
	for range 3000 {
		clean.around(100, grain)
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if event := odd.Feed(odd.now, x); event != 0 {
				t.Fatalf("%v at %s: %v", x, odd.now, event)
			}
		}
		odd.around(100, grain)
	}
	if got, want := odd.Dropped(), (Dropped{NotANumber: 9000}); got != want {
		t.Errorf("dropped %+v, want %+v", got, want)
	}
	odd.dropped = clean.dropped
	if !odd.equal(clean.Series) {
		t.Error("what was dropped has changed the baseline")
	}
}

func TestOutOfRange(t *testing.T) {
	p := newPlayer(unit(), 1)
	p.around(100, 3*24*time.Hour)
	for _, x := range []float64{-1, -math.SmallestNonzeroFloat64, 1.1e30, math.MaxFloat64} {
		p.feed(x) // a counter that was reset makes a rate below zero
	}
	if got := p.Dropped().OutOfRange; got != 4 || len(p.incidents) != 0 {
		t.Errorf("%d dropped, %d incidents; want 4 and none", got, len(p.incidents))
	}
	sane(t, p.Series)
}

func TestDuplicates(t *testing.T) {
	clean, odd := newPlayer(unit(), 2), newPlayer(unit(), 2)
	for range 2000 {
		clean.around(100, grain)
		odd.around(100, grain)
		last := odd.Last()
		odd.Feed(last, 5)                      // the same time, another value
		odd.Feed(last.Add(100*time.Second), 5) // too soon
	}
	if got := odd.Dropped(); got != (Dropped{Duplicate: 4000}) {
		t.Errorf("dropped %+v, want 4,000 duplicates", got)
	}
	odd.dropped = clean.dropped
	if !odd.equal(clean.Series) {
		t.Error("duplicates have changed the baseline")
	}
}

// TestOddTime: one sample of another time costs itself.
func TestOddTime(t *testing.T) {
	for name, by := range map[string]time.Duration{"an hour back": -time.Hour, "a year back": -365 * 24 * time.Hour, "a year ahead": 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(unit(), 3)
			p.around(100, twoWeeks)
			p.Feed(p.now.Add(by), 100)
			p.around(100, 24*time.Hour)
			if got := p.Dropped(); got != (Dropped{OutOfStep: 1}) || len(p.incidents) != 0 || p.State() != Normal {
				t.Errorf("dropped %+v, incidents %+v, %s", got, p.incidents, p.State())
			}
		})
	}
}

// TestClockStepsBack: a clock that is set back is followed after an hour, and what was learnt is kept.
func TestClockStepsBack(t *testing.T) {
	p := newPlayer(unit(), 4)
	p.around(100, twoWeeks)
	level := p.linear.level
	p.now = p.now.Add(-3 * time.Hour)
	p.around(100, 24*time.Hour)
	if got := p.Dropped().OutOfStep; got != stepSamples-1 {
		t.Errorf("%d samples dropped, want %d", got, stepSamples-1)
	}
	if p.State() != Normal || len(p.incidents) != 0 || math.Abs(p.linear.level-level) > 5 {
		t.Errorf("%s, %+v, level %v before and %v after", p.State(), p.incidents, level, p.linear.level)
	}
	p.around(300, 15*time.Minute)
	if p.State() != Off {
		t.Errorf("at three times the usual: %s, want off", p.State())
	}
}

// TestAbsence: after 35 days a series is a new one; after three it is not.
func TestAbsence(t *testing.T) {
	p := newPlayer(unit(), 5)
	p.around(100, twoWeeks)
	p.now = p.now.Add(35 * 24 * time.Hour)
	p.around(500, 12*time.Hour) // its first hour tells that the clock is not odd
	if p.State() != Learning || len(p.incidents) != 0 || p.Dropped().OutOfStep != stepSamples-1 {
		t.Errorf("after 35 days: %s, %+v, dropped %+v", p.State(), p.incidents, p.Dropped())
	}
	p.around(500, 7*24*time.Hour)
	p.around(1000, 15*time.Minute)
	if p.State() != Off {
		t.Errorf("a week later at twice the new usual: %s, want off", p.State())
	}

	p = newPlayer(unit(), 5)
	p.around(100, twoWeeks)
	p.now = p.now.Add(3 * 24 * time.Hour)
	p.around(100, time.Hour)
	if p.State() != Normal || len(p.incidents) != 0 {
		t.Errorf("after three days: %s, %+v", p.State(), p.incidents)
	}
	p.around(300, 10*time.Minute)
	if p.State() != Off {
		t.Errorf("then at three times the usual: %s, want off", p.State())
	}
}

// TestGaps: samples that are missing now and then, and for hours, are no incident and hide none.
func TestGaps(t *testing.T) {
	for seed := range uint64(20) {
		p := newPlayer(unit(), seed)
		for p.now.Before(monday.Add(twoWeeks)) {
			p.around(100, grain)
			switch draw := p.random.IntN(500); {
			case draw < 100:
				p.now = p.now.Add(grain)
			case draw == 499:
				p.now = p.now.Add(5 * time.Hour)
			}
		}
		if len(p.incidents) != 0 {
			t.Errorf("seed %d: %+v", seed, p.incidents)
		}
		p.feed(300)
		p.now = p.now.Add(grain) // one is missing
		p.feed(300)
		if p.State() != Off {
			t.Errorf("seed %d: two of three samples at three times the usual: %s", seed, p.State())
		}
		sane(t, p.Series)
	}
}

// TestUnitChange: 1,024 times as much is one incident; two days later the other unit is the usual one and is judged as well
// as before.
func TestUnitChange(t *testing.T) {
	for name, factor := range map[string]float64{"KiB to bytes": 1024, "bytes to KiB": 1. / 1024} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				p := newPlayer(Signal{Name: "test", Grain: grain, Offset: 0.001, Rises: true, Drops: true}, seed)
				scaled := func(mean float64, span time.Duration) {
					for end := p.now.Add(span); p.now.Before(end); {
						p.feed(max(0, (mean+5*p.random.NormFloat64())*factor))
					}
				}
				p.around(100, twoWeeks)
				scaled(100, 5*24*time.Hour)
				if len(p.incidents) != 1 || !p.incidents[0].NewNormal || p.State() != Normal {
					t.Errorf("seed %d: %s, %+v; want one incident that became normal", seed, p.State(), p.incidents)
				}
				scaled(200, 15*time.Minute)
				if p.State() != Off {
					t.Errorf("seed %d: twice the usual in the other unit: %s, want off", seed, p.State())
				}
			}
		})
	}
}

// TestCounterReset: one sample that is far too large or zero is no incident, and moves the baseline by little.
func TestCounterReset(t *testing.T) {
	for _, x := range []float64{0, 1e12, 1e30} {
		p := newPlayer(unit(), 6)
		p.around(100, twoWeeks)
		before := p.linear.level
		p.feed(x)
		if after := p.linear.level; math.Abs(after-before) > 1 {
			t.Errorf("%v moved the level from %v to %v", x, before, after)
		}
		p.around(100, 24*time.Hour)
		if len(p.incidents) != 0 {
			t.Errorf("%v: %+v", x, p.incidents)
		}
		sane(t, p.Series)
	}
}

// TestDaylightSaving: what runs at two at night does so an hour earlier by UTC from one Sunday on. A series that follows the
// days of its zone does not notice; one of UTC has what really changed there, on the first working days and the first weekend.
func TestDaylightSaving(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for name, most := range map[string]int{"Europe/Berlin": 0, "UTC": 3} {
		t.Run(name, func(t *testing.T) {
			signal := unit()
			if signal.Zone, err = time.LoadLocation(name); err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(20) {
				p := newPlayer(signal, seed)
				p.now = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC) // the clocks change on the 29th
				for p.now.Before(time.Date(2026, 4, 13, 0, 0, 0, 0, time.UTC)) {
					local := p.now.In(berlin)
					hour := float64(local.Hour()) + float64(local.Minute())/60
					mean := 100 * (1 - 0.4*math.Cos(hour*math.Pi/12))
					if hour >= 2 && hour < 3 {
						mean *= 2
					}
					p.around(mean, grain)
				}
				if len(p.incidents) > most {
					t.Errorf("seed %d: %d incidents, want %d at most: %+v", seed, len(p.incidents), most, p.incidents)
				}
			}
		})
	}
}

// TestConstant: a series that never moves is learnt as such; when it moves that is an incident, and becomes the usual.
func TestConstant(t *testing.T) {
	p := newPlayer(unit(), 7)
	for range 14 * 288 {
		p.feed(4096)
	}
	for range 5 * 288 {
		p.feed(8192)
	}
	if len(p.incidents) != 1 || !p.incidents[0].NewNormal || len(p.silences) != 0 || p.State() != Normal {
		t.Errorf("%s, %+v, %+v", p.State(), p.incidents, p.silences)
	}
	sane(t, p.Series)
}

// TestToday: a series says nothing before it has seen a day.
func TestToday(t *testing.T) {
	for seed := range uint64(20) {
		p := newPlayer(unit(), seed)
		p.around(100, 12*time.Hour)
		p.around(1000, 11*time.Hour)
		if len(p.incidents) != 0 {
			t.Errorf("seed %d: %+v", seed, p.incidents)
		}
		if event := p.Look(p.now.Add(time.Hour)); event&Opened == 0 {
			t.Errorf("seed %d: silent for an hour: %v", seed, event)
		}
		q := newPlayer(unit(), seed)
		q.around(100, 12*time.Hour)
		if event := q.Look(q.now.Add(24 * time.Hour)); event != 0 || q.State() != Learning {
			t.Errorf("seed %d: half a day old and gone: %v, %s; want nothing", seed, event, q.State())
		}
	}
}
