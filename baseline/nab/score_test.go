package nab

import (
	"math"
	"testing"
)

// hand are the worked cases: a series of 1,000 samples, whose first 150 are probation, with windows from 200 to 299 and from
// 500 to 599. The sigmoid of a position x is 2/(1+e^5x)−1: 0.98661 at −1, 0.84828 at −0.5, 0 at 0, −0.98661 at 1.
func TestScore(t *testing.T) {
	const n = 1000
	windows := []Window{{200, 299}, {500, 599}}
	rows := []struct {
		name       string
		detections []int
		standard   float64 // raw
		lowFP      float64
		lowFN      float64
		met, wrong int
	}{
		{"perfect: the first sample of each window", []int{200, 500}, 2, 2, 2, 2, 0},
		{"null: nothing is ever said", nil, -2, -2, -4, 0, 0},
		{"early and late: the first window at its first sample, the second at its last: position −1/100, 0.024995/0.986614",
			[]int{200, 599}, 1 + 0.0253339, 1 + 0.0253339, 1 + 0.0253339, 2, 0},
		{"the middle of a window: position −0.5, 0.84828/0.98661", []int{250, 500}, 1.859793, 1.859793, 1.859793, 2, 0},
		{"a second detection in a window is worth nothing", []int{200, 201, 299, 500}, 2, 2, 2, 2, 0},
		{"before any window: a whole false alarm", []int{160, 200, 500}, 2 - 0.11, 2 - 0.22, 2 - 0.11, 2, 1},
		{"in the probation: nothing", []int{10, 149, 200, 500}, 2, 2, 2, 2, 0},
		{"99 samples behind a window of 100: position 1", []int{200, 398, 500}, 2 - 0.11*0.9866143, 2 - 0.22*0.9866143, 2 - 0.11*0.9866143, 2, 1},
		{"right behind a window: almost nothing, position 1/99", []int{200, 300, 500}, 2 - 0.11*0.0252471, 2 - 0.22*0.0252471, 2 - 0.11*0.0252471, 2, 1},
		{"far behind a window: a whole false alarm", []int{200, 500, 950}, 2 - 0.11, 2 - 0.22, 2 - 0.11, 2, 1},
		{"one window missed", []int{200}, 0, 0, -1, 1, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			for i, want := range []float64{row.standard, row.lowFP, row.lowFN} {
				profile := Profiles()[i]
				got := profile.Score(n, windows, row.detections)
				if math.Abs(got.Score-want) > 1e-6 || got.Met != row.met || got.FalseAlarms != row.wrong || got.Windows != 2 {
					t.Errorf("%s: %+v, want a score of %v, %d met, %d false", profile.Name, got, want, row.met, row.wrong)
				}
			}
		})
	}
}

func TestNormalised(t *testing.T) {
	windows := []Window{{200, 299}, {500, 599}}
	for _, profile := range Profiles() {
		perfect, null := profile.Score(1000, windows, []int{200, 500}), profile.Score(1000, windows, nil)
		if got := perfect.Normalised(); math.Abs(got-100) > 1e-9 {
			t.Errorf("%s: a perfect detector has %v, want 100", profile.Name, got)
		}
		if got := null.Normalised(); math.Abs(got) > 1e-9 {
			t.Errorf("%s: a silent detector has %v, want 0", profile.Name, got)
		}
		// Half of the windows at once, and nothing else: half of the way.
		if got := profile.Score(1000, windows, []int{200}).Normalised(); math.Abs(got-50) > 1e-9 {
			t.Errorf("%s: half of the windows give %v, want 50", profile.Name, got)
		}
	}
}

func TestProbation(t *testing.T) {
	for n, want := range map[int]int{0: 0, 100: 15, 4032: 604, 5000: 750, 22695: 750} {
		if got := Probation(n); got != want {
			t.Errorf("of %d samples %d are probation, want %d", n, got, want)
		}
	}
}
