package synth

import (
	"math"
	"math/rand/v2"
)

// event is one row of what may happen: how long it lasts in samples, and what it makes of the usual values.
type event struct {
	what            string
	shortest, after int // lasts at least shortest and less than after
	low, high       float64
	apply           func(values []float64, size float64)
	loadOnly        bool // not of latency
	benign          bool
}

func events() []event {
	return []event{
		{what: "drop", shortest: 36, after: 288, low: 0.2, high: 0.6, apply: scale, loadOnly: true},
		{what: "rise", shortest: 36, after: 288, low: 1.6, high: 3, apply: scale},
		{what: "spike", shortest: 3, after: 7, low: 3, high: 8, apply: scale},
		{what: "outage", shortest: 6, after: 72, apply: scale, loadOnly: true}, // times 0
		{what: "flatline", shortest: 24, after: 288, apply: freeze},
		{what: "silence", shortest: 12, after: 144, apply: lose},
		{what: "drift", shortest: 288, after: 480, low: 2, high: 3, apply: ramp},
		{what: "small rise", shortest: 36, after: 288, low: 1.05, high: 1.12, apply: scale, benign: true},
		{what: "lost sample", shortest: 1, after: 2, apply: lose, benign: true},
	}
}

// happen plants up to two events, most of the series have one or none.
func (s *Series) happen(random *rand.Rand) {
	count := []int{0, 1, 1, 2}[random.IntN(4)]
	for i := range count {
		e := events()[random.IntN(len(events()))]
		latency := s.Signal.Unit == "seconds"
		if e.loadOnly && latency {
			e.benign = true // faster is nothing to report
			if e.high == 0 {
				continue // latency is not zero
			}
		}
		length := e.shortest + random.IntN(e.after-e.shortest)
		span := (lastIncident - firstIncident) / count
		start := firstIncident + i*span + random.IntN(span-length-perDay)
		e.apply(s.Values[start:start+length], uniform(random, e.low, e.high))
		s.Happenings = append(s.Happenings, Happening{What: e.what, Start: Time(start), End: Time(start + length), Benign: e.benign})
	}
}

func scale(values []float64, size float64) {
	for i := range values {
		values[i] *= size
	}
}

func freeze(values []float64, _ float64) {
	for i := range values {
		values[i] = values[0]
	}
}

func lose(values []float64, _ float64) {
	for i := range values {
		values[i] = math.NaN()
	}
}

func ramp(values []float64, size float64) {
	for i := range values {
		values[i] *= 1 + (size-1)*min(1, 2*float64(i)/float64(len(values)))
	}
}
