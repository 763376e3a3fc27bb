package baseline

import (
	"math"
	"testing"
	"time"
)

func TestSignals(t *testing.T) {
	for _, signal := range []Signal{Latency(), Throughput(), Operations()} {
		if signal.Name == "" || signal.Unit == "" || signal.Offset <= 0 || signal.Grain != 5*time.Minute || !signal.Rises || signal.Stands {
			t.Errorf("%+v", signal)
		}
		if got := signal.StaleAfter(); got != 20*time.Minute {
			t.Errorf("%s is stale after %s, want 20 minutes", signal.Name, got)
		}
	}
	if Latency().Drops {
		t.Error("a latency that falls is no anomaly")
	}
}

// TestBand: what lies within does not open an incident, what lies beyond on either side does.
func TestBand(t *testing.T) {
	for seed := range uint64(20) {
		p := newPlayer(unit(), seed)
		if _, _, _, ok := p.Band(monday); ok {
			t.Fatal("a band before the first sample")
		}
		p.around(100, twoWeeks)
		lower, base, upper, ok := p.Band(p.now)
		if !ok || math.Abs(base-100) > 5 || math.Abs(lower-75) > 1 || math.Abs(upper-125) > 1 {
			t.Errorf("seed %d: %v to %v around %v", seed, lower, upper, base)
		}
		for name, row := range map[string]struct {
			value float64
			off   bool
		}{
			"above": {upper * 1.05, true}, "below": {lower * 0.95, true},
			"nearly above": {upper * 0.97, false}, "nearly below": {lower * 1.03, false},
		} {
			q := *p
			q.Series = p.copy()
			for range 3 {
				q.feed(row.value)
			}
			if got := q.State() == Off; got != row.off {
				t.Errorf("seed %d: %v, %s the band from %v to %v: %s", seed, row.value, name, lower, upper, q.State())
			}
		}
	}
}

func TestBandOfLatency(t *testing.T) {
	p := newPlayer(Latency(), 1)
	for range 14 * 288 {
		p.feed(0.002 + 0.0001*p.random.NormFloat64())
	}
	lower, base, upper, ok := p.Band(p.now)
	if !ok || lower != 0 || math.Abs(base-0.002) > 1e-4 || upper < 0.0025 || upper > 0.004 {
		t.Errorf("%v to %v around %v", lower, upper, base)
	}
}

// TestDirections: a signal of which only rises count has no incident at a drop.
func TestDirections(t *testing.T) {
	for _, row := range []struct {
		rises, drops bool
		factor       float64
		want         State
	}{
		{true, false, 3, Off}, {true, false, 0.2, Normal}, {false, true, 3, Normal}, {false, true, 0.2, Off},
	} {
		signal := unit()
		signal.Rises, signal.Drops = row.rises, row.drops
		p := newPlayer(signal, 1)
		p.around(100, twoWeeks)
		p.around(100*row.factor, 30*time.Minute)
		if p.State() != row.want {
			t.Errorf("%+v: %s", row, p.State())
		}
	}
}

// TestGapIsZero: where a source sends nothing at zero, a gap is a drop to zero and never a silence; its end is no news.
func TestGapIsZero(t *testing.T) {
	signal := unit()
	signal.GapIsZero = true
	p := newPlayer(signal, 1)
	p.around(100, twoWeeks)
	for range 6 {
		p.now = p.now.Add(grain)
		p.Look(p.now)
	}
	if d := p.Departure(); !d.Open() || d.Value != 0 || p.State() != Off {
		t.Errorf("30 minutes without a sample: %s, %+v; want a departure to zero", p.State(), d)
	}
	if silence := p.Silence(); !silence.Start.IsZero() {
		t.Errorf("and a silence: %+v", silence)
	}

	missed := newPlayer(signal, 1)
	missed.around(100, twoWeeks)
	missed.now = missed.now.Add(30 * time.Minute)
	missed.feed(100) // the first look is a sample after the gap: it is filled all the same
	if d := missed.Departure(); !d.Open() || d.Value != 0 {
		t.Errorf("a gap of 30 minutes, then a sample: %+v; want the departure that was missed", d)
	}
}

// TestReopen: what leaves again within an hour is the same incident, later it is another one.
func TestReopen(t *testing.T) {
	for pause, want := range map[time.Duration]int{50 * time.Minute: 1, 3 * time.Hour: 2} {
		p := newPlayer(unit(), 1)
		p.around(100, twoWeeks)
		p.around(300, 30*time.Minute)
		p.around(100, pause)
		if p.Departure().Open() {
			t.Errorf("open after %s at the usual", pause)
		}
		p.around(900, 30*time.Minute) // farther: what was there six times is not as rare again
		if len(p.incidents) != want || !p.Departure().Open() {
			t.Errorf("after %s: %d incidents, want %d", pause, len(p.incidents), want)
		}
	}
}

// TestSevere: twice the usual for 15 minutes, not for ten.
func TestSevere(t *testing.T) {
	for span, want := range map[time.Duration]bool{15 * time.Minute: false, 20 * time.Minute: true} {
		p := newPlayer(unit(), 1)
		p.around(100, twoWeeks)
		p.around(300, span) // the last sample is five minutes before the end
		if got := p.Departure().Severe; got != want {
			t.Errorf("three times the usual for %s: severe is %v", span, got)
		}
	}
}

// TestSettled: the kind of a departure is known after 15 minutes off, or when three samples are back, and stays.
func TestSettled(t *testing.T) {
	p := newPlayer(unit(), 1)
	p.around(100, twoWeeks)
	for i, want := range []bool{false, false, false, true, true} { // off for 0, 5, 10, 15 and 20 minutes
		p.around(300, grain)
		if d := p.Departure(); d.Settled != want && d.Open() || d.Settled && d.Kind != Level {
			t.Errorf("sample %d at three times the usual: %+v", i, d)
		}
	}
	p = newPlayer(unit(), 1)
	p.around(100, twoWeeks)
	p.around(300, 2*grain)
	p.around(100, 3*grain)
	if d := p.Departure(); !d.Settled || d.Kind != Spike || !d.Open() {
		t.Errorf("back for three samples: %+v, want a spike that is open", d)
	}
	p.around(600, 2*grain)
	if d := p.Departure(); d.Kind != Spike || !d.Open() {
		t.Errorf("off again while it is open: %+v, want the same spike", d)
	}
}

// TestOutageIsNotLearnt: after a day at zero the usual is what it was.
func TestOutageIsNotLearnt(t *testing.T) {
	p := newPlayer(unit(), 1)
	p.around(100, twoWeeks)
	p.around(0, 24*time.Hour)
	if _, base, _, _ := p.Band(p.now); math.Abs(base-100) > 10 {
		t.Errorf("after a day at zero the usual is %v, it was 100", base)
	}
	p.around(100, 2*time.Hour)
	if p.State() != Normal || len(p.incidents) != 1 {
		t.Errorf("back: %s, %d incidents", p.State(), len(p.incidents))
	}
}

// TestStandingSignal: limits and capacities never have a flatline; a zero is no stuck value.
func TestStandingSignal(t *testing.T) {
	standing := unit()
	standing.Stands = true
	for name, row := range map[string]struct {
		signal Signal
		value  float64
		want   int
	}{"a limit": {standing, 100, 0}, "zero": {unit(), 0, 0}, "a throughput": {unit(), 100, 1}} {
		p := newPlayer(row.signal, 1)
		p.around(100, twoWeeks)
		for range 40 {
			p.feed(row.value)
		}
		if len(p.silences) != row.want {
			t.Errorf("%s: %d flatlines, want %d", name, len(p.silences), row.want)
		}
		p.around(100, time.Hour)
		if p.Silence().Open() {
			t.Errorf("%s: still open when it changes again", name)
		}
	}
}

// TestGone: a series that stays away is stale for two days, then its absence is what is usual.
func TestGone(t *testing.T) {
	p := newPlayer(unit(), 1)
	p.around(100, twoWeeks)
	last, events := p.Last(), 0
	for at := last; at.Before(last.Add(5 * 24 * time.Hour)); at = at.Add(time.Minute) {
		if p.Look(at) != 0 {
			events++
		}
	}
	if s := p.Silence(); s.Open() || !s.NewNormal || events != 2 || !s.End.Equal(last.Add(48*time.Hour)) {
		t.Errorf("%+v after %d events", s, events)
	}
}

// equal compares all that two series of one kind of signal have learnt, bit by bit.
func (s *Series) equal(other *Series) bool {
	same := *other
	same.signal, same.past = s.signal, s.past
	return *s == same && *s.past == *other.past
}

// TestDeterministic: the same samples lead to the same state, bit by bit.
func TestDeterministic(t *testing.T) {
	play := func() *player {
		p := newPlayer(unit(), 9)
		p.nights(20)
		p.around(160, 3*24*time.Hour)
		return p
	}
	a, b := play(), play()
	if !a.equal(b.Series) {
		t.Error("two runs differ")
	}
}
