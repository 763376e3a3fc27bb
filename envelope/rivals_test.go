package envelope

import (
	"math"
	"slices"
	"testing"
)

// space is where a rival interpolates: there and back again from time per operation.
type space struct{ to, from func(float64) float64 }

func (s space) without(xs, times []float64, i int) float64 {
	ys := make([]float64, len(times))
	for k, v := range times {
		ys[k] = s.to(v)
	}
	return s.from(without(xs, ys, i))
}

// TestRivals shows why time per operation is the space to interpolate in: the others' errors are larger.
func TestRivals(t *testing.T) {
	rate := space{func(v float64) float64 { return 1 / v }, func(v float64) float64 { return 1 / v }}
	logarithm := space{math.Log, math.Exp}
	var byRate, byLog, byEnds, logLog []float64
	for _, c := range load(t).curves {
		for _, times := range c.times {
			for i := 1; i <= 3; i++ {
				byRate = append(byRate, relative(rate.without(shares(), times, i), times[i]))
				byLog = append(byLog, relative(logarithm.without(shares(), times, i), times[i]))
				byEnds = append(byEnds, relative(interpolate([]float64{0, 1}, []float64{times[0], times[4]}, shares()[i]), times[i]))
			}
		}
		logs := slices.Clone(c.blocks)
		for i := range logs {
			logs[i] = math.Log(logs[i])
		}
		for i := 1; i < len(logs)-1; i++ {
			for share := range shares() {
				logLog = append(logLog, relative(logarithm.without(logs, c.column(share), i), c.times[i][share]))
			}
		}
	}
	hold(t, "read share, linear in rate", spreadOf(byRate), spread{42, 7.9, 6.1, 13.2, 32.3, 4.3})
	hold(t, "read share, linear in ln rate", spreadOf(byLog), spread{42, 5.9, 4.3, 13.0, 26.3, 1.6})
	hold(t, "read share, ends only", spreadOf(byEnds), spread{42, 9.3, 8.1, 19.2, 27.7, -3.4})
	hold(t, "block, log-log", spreadOf(logLog), spread{30, 21.8, 21.9, 34.0, 42.2, -21.8})
}
