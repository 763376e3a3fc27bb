package baseline

import (
	"math"
	"slices"
	"testing"
	"time"
)

// weekMedian is the median of the last seven days of samples at five minutes.
func weekMedian(values []float64) float64 {
	last := slices.Sorted(slices.Values(values[len(values)-7*288:]))
	return last[len(last)/2]
}

// TestUsualIsTheMedian: where nothing changes by the hour the usual value is the median of a week, however far values stray: 2 %
// for a tenth, 6 % for a third, 11 % for a half. The rules that ask look for twice or 1.5 times as much.
func TestUsualIsTheMedian(t *testing.T) {
	for sigma, most := range map[float64]float64{0.05: 0.015, 0.1: 0.02, 0.3: 0.06, 0.5: 0.11} {
		for seed := range uint64(20) {
			p := newPlayer(Latency(), seed)
			var values []float64
			noise := 0.0
			for range 21 * 288 {
				noise = 0.7*noise + math.Sqrt(1-0.7*0.7)*p.random.NormFloat64()
				values = append(values, 0.002*math.Exp(sigma*noise))
				p.feed(values[len(values)-1])
			}
			for half := range 48 {
				at := p.now.Add(time.Duration(half) * 30 * time.Minute)
				if off := math.Abs(p.Usual(at)/weekMedian(values) - 1); !(off <= most) {
					t.Errorf("seed %d, straying by %v: %v at %s is off the median by %v", seed, sigma, p.Usual(at), at, off)
				}
			}
		}
	}
}

// TestUsualKnowsTheHour: what is usual by night is not what the median of the day is; that is where the two differ on purpose.
func TestUsualKnowsTheHour(t *testing.T) {
	p := newPlayer(Latency(), 3)
	play := func(days int) (values []float64) {
		for range days * 288 {
			x := 0.002
			if hour := p.now.Hour(); hour >= 1 && hour < 4 {
				x = 0.006
			}
			values = append(values, x*(1+0.02*p.random.NormFloat64()))
			p.feed(values[len(values)-1])
		}
		return values
	}
	median := weekMedian(play(21))
	night, noon := p.Usual(p.now.Add(2*time.Hour)), p.Usual(p.now.Add(12*time.Hour))
	if math.Abs(night/0.006-1) > 0.05 || math.Abs(noon/0.002-1) > 0.05 || math.Abs(median/0.002-1) > 0.05 {
		t.Errorf("by night %v, by day %v, median %v", night, noon, median)
	}
}

func TestUsualUnknown(t *testing.T) {
	p := newPlayer(Latency(), 5)
	rest := func(samples int, x float64) {
		for range samples {
			p.feed(x * (1 + 0.02*p.random.NormFloat64()))
		}
	}
	known := func(what string, at time.Time, want bool) {
		t.Helper()
		if got := p.Usual(at); math.IsNaN(got) == want {
			t.Errorf("%s: %v", what, got)
		}
	}
	known("before the first sample", monday, false)
	rest(100, 0.002)
	known("while it learns", p.now, false)
	rest(20*288, 0.002)
	known("after three weeks", p.now, true)
	known("a moment before its newest sample", p.now.Add(-grain-time.Second), false)
	known("after 28 days without a sample", p.now.Add(28*24*time.Hour), false)

	// Twice the usual is adopted after two days; the median has it after half a week, and it decides until the week is over.
	rest(2*288-1, 0.005)
	known("before it is the new usual", p.now, true)
	if got := p.Usual(p.now); math.Abs(got/0.002-1) > 0.1 {
		t.Errorf("while it is off: %v", got)
	}
	rest(6, 0.005)
	known("as it is the new usual", p.now, false)
	rest(5*288-10, 0.005)
	known("before a week is over", p.now, false)
	rest(12, 0.005)
	known("after a week", p.now, true)
	if got := p.Usual(p.now); math.Abs(got/0.005-1) > 0.1 {
		t.Errorf("the new usual: %v", got)
	}
}
