package baseline

import (
	"math/rand/v2"
	"testing"
	"time"
)

// monday is the first moment of the scripted series.
var monday = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

const grain = 5 * time.Minute

// player feeds a scripted series and takes down the incidents it makes.
type player struct {
	*Series
	random    *rand.Rand
	now       time.Time
	incidents []Incident  // departures in the order of their opening
	opened    []time.Time // when each was opened
	silences  []Incident
}

func newPlayer(signal Signal, seed uint64) *player {
	return &player{Series: NewSeries(&signal), random: rand.New(rand.NewPCG(seed, 8)), now: monday}
}

// feed plays one sample and moves on by a grain.
func (p *player) feed(x float64) {
	before, silent := p.Departure(), p.Silence()
	p.Feed(p.now, x)
	if d := p.Departure(); !d.Start.IsZero() {
		if !d.Start.Equal(before.Start) {
			p.incidents = append(p.incidents, d)
			p.opened = append(p.opened, p.now)
		}
		p.incidents[len(p.incidents)-1] = d
	}
	if s := p.Silence(); !s.Start.IsZero() {
		if !s.Start.Equal(silent.Start) || len(p.silences) == 0 {
			p.silences = append(p.silences, s)
		}
		p.silences[len(p.silences)-1] = s
	}
	p.now = p.now.Add(grain)
}

// around plays a mean with a noise of 5.
func (p *player) around(mean float64, span time.Duration) {
	for end := p.now.Add(span); p.now.Before(end); {
		p.feed(max(0, mean+5*p.random.NormFloat64()))
	}
}

// nights plays days with twice the usual from 02:00 to 03:00.
func (p *player) nights(count int) {
	for range count {
		p.around(100, 2*time.Hour)
		p.around(200, time.Hour)
		p.around(100, 21*time.Hour)
	}
}

const twoWeeks = 14 * 24 * time.Hour

func unit() Signal {
	return Signal{Name: "test", Grain: grain, Delay: 5 * time.Minute, Offset: 1, Rises: true, Drops: true}
}

// TestBehaviour is the table of what the detector promises, each row over 20 seeds.
func TestBehaviour(t *testing.T) {
	const seeds = 20
	secondSample := func(p *player) bool {
		return len(p.incidents) == 1 && p.opened[0].Equal(monday.Add(twoWeeks+grain)) && p.incidents[0].Start.Equal(monday.Add(twoWeeks))
	}
	none := func(p *player) bool { return len(p.incidents) == 0 && len(p.silences) == 0 }
	rows := []struct {
		name  string
		play  func(p *player)
		holds func(p *player) bool
		least int // of the seeds
	}{
		{"one sample of four times the usual", func(p *player) {
			p.around(100, twoWeeks)
			p.around(400, grain)
			p.around(100, 6*time.Hour)
		}, none, seeds},
		{"three samples of four times the usual", func(p *player) {
			p.around(100, twoWeeks)
			p.around(400, 3*grain)
			p.around(100, 30*time.Minute)
		}, func(p *player) bool {
			return secondSample(p) && p.incidents[0].Kind == Spike && p.incidents[0].End.Equal(monday.Add(twoWeeks+2*grain))
		}, seeds},
		{"six hours at 1.6 times the usual", func(p *player) {
			p.around(100, twoWeeks)
			p.around(160, 6*time.Hour)
			p.around(100, 12*time.Hour)
		}, func(p *player) bool { return secondSample(p) && p.incidents[0].Kind == Level && !p.incidents[0].Open() }, seeds},
		{"six hours at 1.15 times the usual: too little to matter", func(p *player) {
			p.around(100, twoWeeks)
			p.around(115, 6*time.Hour)
			p.around(100, 12*time.Hour)
		}, none, 19},
		{"six hours at 0.4 times the usual", func(p *player) {
			p.around(100, twoWeeks)
			p.around(40, 6*time.Hour)
			p.around(100, 12*time.Hour)
		}, func(p *player) bool { return secondSample(p) && p.incidents[0].Kind == Level && !p.incidents[0].Open() }, seeds},
		{"a nightly backup after 14 nights", func(p *player) {
			p.nights(14)
			p.incidents, p.opened = nil, nil
			p.departure = departure{}
			p.nights(7)
		}, none, seeds},
		{"a backup that does not come one night: no guarantee, two incidents at most", func(p *player) {
			p.nights(14)
			p.incidents, p.opened = nil, nil
			p.departure = departure{}
			p.around(100, 24*time.Hour)
			p.nights(2)
		}, func(p *player) bool { return len(p.incidents) <= 2 }, seeds},
		{"one value again and again", func(p *player) {
			p.around(100, twoWeeks)
			for range flatSamples - 1 {
				p.feed(101)
			}
			if len(p.silences) > 0 {
				p.silences = append(p.silences, Incident{}) // too early
			}
			p.feed(101)
		}, func(p *player) bool {
			return len(p.silences) == 1 && p.silences[0].Kind == Flatline && p.silences[0].Start.Equal(monday.Add(twoWeeks)) && p.State() == InFlatline
		}, seeds},
		{"a constant series", func(p *player) {
			for range 28 * 288 {
				p.feed(4096)
			}
		}, none, seeds},
		{"five days at 1.6 times the usual", func(p *player) {
			p.around(100, twoWeeks)
			p.around(160, 5*24*time.Hour)
		}, func(p *player) bool {
			return secondSample(p) && p.incidents[0].NewNormal && p.incidents[0].End.Equal(monday.Add(twoWeeks+48*time.Hour))
		}, seeds},
		{"five days at 1.6 times the usual and back: the return is another change", func(p *player) {
			p.around(100, twoWeeks)
			p.around(160, 5*24*time.Hour)
			p.around(100, 24*time.Hour)
		}, func(p *player) bool { return len(p.incidents) == 2 && !p.incidents[1].NewNormal }, seeds},
		{"the first twelve hours of a series", func(p *player) {
			p.around(100, 6*time.Hour)
			p.around(400, 6*time.Hour)
		}, func(p *player) bool { return none(p) && p.State() == Learning }, seeds},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			held := 0
			for seed := range uint64(seeds) {
				p := newPlayer(unit(), seed)
				row.play(p)
				if row.holds(p) {
					held++
				} else {
					t.Logf("seed %d: departures %+v, silences %+v, %s", seed, p.incidents, p.silences, p.State())
				}
			}
			t.Logf("%d of %d", held, seeds)
			if held < row.least {
				t.Errorf("holds for %d of %d seeds, want %d", held, seeds, row.least)
			}
		})
	}
}

func TestStale(t *testing.T) {
	p := newPlayer(unit(), 1)
	p.around(100, twoWeeks)
	last := p.now.Add(-grain)
	if event := p.Look(last.Add(20 * time.Minute)); event != 0 {
		t.Errorf("20 minutes after the newest sample: %v, want nothing yet", event)
	}
	if event := p.Look(last.Add(25 * time.Minute)); event != Opened || p.State() != InStale || p.Silence().Kind != Stale || !p.Silence().Start.Equal(last) {
		t.Errorf("25 minutes after: %v, %s, %+v; want stale since %s", event, p.State(), p.Silence(), last)
	}
	if event := p.Look(last.Add(30 * time.Minute)); event != 0 {
		t.Errorf("30 minutes after: %v, want nothing new", event)
	}
	p.now = last.Add(40 * time.Minute)
	p.feed(100)
	if p.State() != Normal || p.Silence().Open() {
		t.Errorf("after a sample: %s, %+v", p.State(), p.Silence())
	}
}
