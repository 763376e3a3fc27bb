package nab

import (
	"slices"
	"testing"
)

func TestDetections(t *testing.T) {
	scores := make([]float64, 1000)
	scores[10] = 3.0  // said
	scores[11] = 3.9  // the same
	scores[100] = 4.1 // more than ten times as rare: said
	scores[300] = 5.0 // not ten times as rare, 200 samples later
	scores[360] = 2.9 // below
	scores[361] = 3.0 // 261 samples after the last that was said
	if got, want := Detections(scores, 3), []int{10, 100, 361}; !slices.Equal(got, want) {
		t.Errorf("detections at %v, want %v", got, want)
	}
}

// TestHeldOut: each category is scored at the threshold that the other one likes, not at its own.
func TestHeldOut(t *testing.T) {
	file := func(category string, level float64) Scored {
		scores := make([]float64, 1000)
		scores[200] = level + 0.5 // in the window
		for i := 150; i < 1000; i += 300 {
			scores[i] = level - 0.5 // noise
		}
		return Scored{File: File{Category: category, Name: category, Windows: []Window{{200, 299}}}, Scores: scores}
	}
	standard := Profiles()[0]
	outcome := standard.Judge([]Scored{file("quiet", 3), file("loud", 4)})
	// The quiet one is best above 2.5 (its noise) and up to 3.5; the loud one above 3.5 and up to 4 (the end of the choice).
	if got := outcome.Thresholds["loud"]; got != 3.5 {
		t.Errorf("the loud one is scored at %v, want the quiet one's 3.5", got)
	}
	if got := outcome.Thresholds["quiet"]; got != 4 {
		t.Errorf("the quiet one is scored at %v, want the loud one's 4", got)
	}
	if got := outcome.HeldOut["quiet"]; got.Met != 0 || got.Windows != 1 {
		t.Errorf("the quiet one at the loud one's threshold: %+v, want its window missed", got)
	}
}
