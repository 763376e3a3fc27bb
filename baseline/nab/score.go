// Package nab scores a detector as the Numenta Anomaly Benchmark does (Lavin and Ahmad 2015; the published scoring
// functions of NAB v1.1): a window of labelled time is worth one point if it is met at its beginning and less towards its end
// (a sigmoid), a detection outside of all windows costs the more the further it lies behind one, a window that is missed costs
// a point. The scale is set by two: 0 for a detector that never says anything, 100 for one that meets every window at its
// first sample and nothing else.
package nab

import "math"

// Profile says what a false alarm and a missed window cost, against 1 for a window that is met at once.
type Profile struct {
	Name         string
	FalseAlarm   float64
	MissedWindow float64
	FirstSample  float64
}

// Profiles are the three of the benchmark (config/profiles.json of the corpus).
func Profiles() []Profile {
	return []Profile{
		{Name: "standard", FirstSample: 1, FalseAlarm: 0.11, MissedWindow: 1},
		{Name: "reward_low_FP_rate", FirstSample: 1, FalseAlarm: 0.22, MissedWindow: 1},
		{Name: "reward_low_FN_rate", FirstSample: 1, FalseAlarm: 0.11, MissedWindow: 2},
	}
}

// Window is a labelled span of a series: the indices of its first and last sample.
type Window struct{ First, Last int }

func (w Window) width() int { return w.Last - w.First + 1 }

// Probation is how many samples at the beginning of a series of n are not scored: 15 %, 750 at most.
func Probation(n int) int { return min(n*15/100, 750) }

// Result is what one series, or several added up, came to.
type Result struct {
	Score       float64 // raw, in the profile's points
	Windows     int     // labelled
	Met         int     // of those
	FalseAlarms int
	Best, Worst float64 // what a perfect detector and a silent one get
}

// Add is the sum of two results.
func (r Result) Add(other Result) Result {
	return Result{
		Score: r.Score + other.Score, Windows: r.Windows + other.Windows, Met: r.Met + other.Met,
		FalseAlarms: r.FalseAlarms + other.FalseAlarms, Best: r.Best + other.Best, Worst: r.Worst + other.Worst,
	}
}

// Normalised is the score on the benchmark's scale: 100 for a perfect detector, 0 for a silent one.
func (r Result) Normalised() float64 { return 100 * (r.Score - r.Worst) / (r.Best - r.Worst) }

// Score is what the detections of one series of n samples are worth. Windows and detections are in ascending order; a window
// that lies in the probation as a whole is not counted against the detector.
func (p Profile) Score(n int, windows []Window, detections []int) Result {
	result := Result{Windows: len(windows), Best: p.FirstSample * float64(len(windows)), Worst: -p.MissedWindow * float64(len(windows))}
	probation := Probation(n)
	met := make([]bool, len(windows))
	for _, at := range detections {
		if at < probation || at >= n {
			continue
		}
		inside, before := locate(windows, at)
		switch {
		case inside >= 0 && !met[inside]:
			met[inside] = true
			result.Met++
			result.Score += p.FirstSample * early(windows[inside], at)
		case inside < 0:
			result.FalseAlarms++
			result.Score += p.FalseAlarm * late(windows, before, at)
		}
	}
	for i, window := range windows {
		if !met[i] && window.Last >= probation {
			result.Score -= p.MissedWindow
		}
	}
	return result
}

// locate finds the window that holds a sample and the last one that ended before it; -1 where there is none.
func locate(windows []Window, at int) (inside, before int) {
	inside, before = -1, -1
	for i, window := range windows {
		switch {
		case window.Last < at:
			before = i
		case window.First <= at:
			return i, before
		}
	}
	return inside, before
}

// early is the worth of a detection in a window: 1 at its first sample, almost 0 at its last.
func early(window Window, at int) float64 {
	position := -float64(window.Last-at+1) / float64(window.width())
	return sigmoid(position) / sigmoid(-1)
}

// late is the worth of a detection outside: almost 0 right behind a window, -1 far behind it or before the first.
func late(windows []Window, before, at int) float64 {
	if before < 0 {
		return -1
	}
	window := windows[before]
	return sigmoid(float64(at-window.Last) / float64(max(window.width()-1, 1)))
}

// sigmoid is the benchmark's scaled sigmoid of a position relative to a window: -1 its left edge, 0 its right one.
func sigmoid(position float64) float64 {
	if position >= 3 {
		return -1
	}
	return 2/(1+math.Exp(5*position)) - 1
}
