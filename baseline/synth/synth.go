// Package synth makes series as storage has them, with what happened in them: the corpus that the baseline is measured on.
// Everything follows from the seed. The generator knows days, weeks, backups and bursts, and its calendar is as regular as the
// baseline's: what is measured here shows that the parts work together, not how a real estate looks.
package synth

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/nasight/nasight/baseline"
)

// Grain is the time from sample to sample.
const Grain = 5 * time.Minute

// Days is how long a series is.
const Days = 28

const (
	perDay = int(24 * time.Hour / Grain)

	// What happens happens after two weeks, and has time to end.
	firstIncident = 14 * perDay
	lastIncident  = 26 * perDay
)

// Begin is the time of the first sample, a Monday.
var Begin = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// Happening is something that a detector should see, or should not.
type Happening struct {
	What       string
	Start, End time.Time
	Benign     bool // nothing to report
}

// Series is one made series. A sample that was never sent is NaN.
type Series struct {
	Signal     baseline.Signal
	Values     []float64
	Happenings []Happening
}

// Time is when sample i was measured.
func Time(i int) time.Time { return Begin.Add(time.Duration(i) * Grain) }

// shape is how a series usually looks.
type shape struct {
	mean         float64
	day, phase   float64 // how much busier noon is, and when noon is
	weekend      float64 // factor
	noise        float64 // standard deviation of the logarithm
	memory       float64 // of the noise, from sample to sample
	backup       float64 // factor; 0: none
	backupAt     int     // sample of the day
	backupLength int     // samples
	bursts       float64 // of one sample, a day
}

// Corpus makes a number of series, a third each of throughput, operations and latency.
func Corpus(seed uint64, count int) []Series {
	corpus := make([]Series, count)
	for i := range corpus {
		corpus[i] = generate(rand.New(rand.NewPCG(seed, uint64(i))), i)
	}
	return corpus
}

func generate(random *rand.Rand, number int) Series {
	signals := []baseline.Signal{baseline.Throughput(), baseline.Operations(), baseline.Latency()}
	means := [][2]float64{{1 << 20, 500 << 20}, {50, 50e3}, {0.3e-3, 8e-3}}
	kind := number % len(signals)
	s := shape{
		mean:    logUniform(random, means[kind][0], means[kind][1]),
		day:     uniform(random, 0.1, 0.6),
		phase:   uniform(random, 12, 16),
		weekend: uniform(random, 0.4, 0.9),
		noise:   uniform(random, 0.03, 0.08),
		memory:  uniform(random, 0.3, 0.8),
		bursts:  uniform(random, 0, 0.3),
	}
	if signals[kind].Unit == "seconds" { // latency follows the load, less than the load itself
		s.day, s.weekend = s.day/3, 1-(1-s.weekend)/3
	}
	if random.Float64() < 0.4 {
		s.backup, s.backupAt = uniform(random, 1.4, 3), random.IntN(6*12)
		s.backupLength = 6 + random.IntN(18)
	}
	series := Series{Signal: signals[kind], Values: s.play(random)}
	series.happen(random)
	return series
}

// play makes the usual samples.
func (s shape) play(random *rand.Rand) []float64 {
	values := make([]float64, Days*perDay)
	noise := 0.0
	for i := range values {
		noise = s.memory*noise + s.noise*math.Sqrt(1-s.memory*s.memory)*random.NormFloat64()
		hour := float64(i%perDay) / 12
		value := s.mean * (1 + s.day*math.Cos((hour-s.phase)*math.Pi/12)) * math.Exp(noise)
		if weekday := Time(i).Weekday(); weekday == time.Saturday || weekday == time.Sunday {
			value *= s.weekend
		}
		if at := i%perDay - s.backupAt; s.backup > 0 && at >= 0 && at < s.backupLength {
			value *= s.backup
		}
		if random.Float64() < s.bursts/float64(perDay) {
			value *= uniform(random, 2, 6)
		}
		values[i] = value
	}
	return values
}

func uniform(random *rand.Rand, low, high float64) float64 { return low + (high-low)*random.Float64() }

func logUniform(random *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, random.Float64())
}
