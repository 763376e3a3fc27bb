package baseline

import "time"

// Scorer is the baseline of one series in the linear scale alone, without incidents: a number per sample. It is what
// benchmarks of anomaly detectors ask for; the product uses Series.
type Scorer struct {
	clock  clock
	linear domain
	past   past
}

// NewScorer makes a scorer of samples that come once a grain.
func NewScorer(grain time.Duration) *Scorer { return &Scorer{clock: newClock(grain)} }

// Score is −log10 of the probability that a sample of this series is as far from its baseline as x is, as far as the series'
// past tells; 0 while it learns. Times have to ascend, x has to be a number and is taken as 1e30 where it is larger.
func (s *Scorer) Score(at time.Time, x float64) float64 {
	var m moment
	aged := s.clock.next(&m, &s.past.days, instantOf(at.Unix(), at.Unix()), true)
	if aged {
		s.linear.age(&s.past, linear)
	}
	v := s.linear.feed(&s.past, linear, min(max(x, -largest), largest), &m)
	if m.known < learnSamples {
		return 0
	}
	return v.rarity
}
