package evaluate

import (
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
)

// The states of one finding at one evaluation after the other, and the episodes that they make.
func TestObserver(t *testing.T) {
	on := detectors.Finding{ID: "x", Detector: flow.Detector, Variant: flow.Variant, State: detectors.Firing, Confidence: 0.7, Resource: onWeb}
	pending, keep, resolved, hint, blocked, surer := on, on, on, on, on, on
	pending.State, keep.State, resolved.State = detectors.Pending, detectors.Keep, detectors.Resolved
	hint.Hint, blocked.BlockedBy, surer.Confidence = true, []string{"other"}, 0.9
	surer.Gain = &detectors.Gain{Low: 2, High: 3, Unit: "factor"}
	none := detectors.Finding{}
	for _, row := range []struct {
		name   string
		states []detectors.Finding
		want   [][2]int // from and to of each episode, in evaluations
		open   bool
	}{
		{"never", []detectors.Finding{none, none}, nil, false},
		{"pending alone", []detectors.Finding{pending, pending, none}, nil, false},
		{"fires, is kept, ends", []detectors.Finding{pending, on, on, keep, resolved, none}, [][2]int{{1, 3}}, false},
		{"fires at the end", []detectors.Finding{pending, on, on}, [][2]int{{1, 2}}, true},
		{"comes again", []detectors.Finding{on, resolved, pending, on}, [][2]int{{0, 0}, {3, 3}}, true},
		{"a hint", []detectors.Finding{hint, hint}, nil, false},
		{"blocked for a while", []detectors.Finding{on, blocked, on, none}, [][2]int{{0, 0}, {2, 2}}, false},
		{"surer later", []detectors.Finding{on, surer, none}, [][2]int{{0, 1}}, false},
	} {
		var o Observer
		for i, finding := range row.states {
			o.Observe(time.Duration(i)*time.Minute, []detectors.Finding{finding})
		}
		episodes := o.Episodes()
		if len(episodes) != len(row.want) {
			t.Errorf("%s: %d episodes, want %v", row.name, len(episodes), row.want)
			continue
		}
		for i, e := range episodes {
			from, to := time.Duration(row.want[i][0])*time.Minute, time.Duration(row.want[i][1])*time.Minute
			if e.From() != from || e.To() != to || e.Confidence != 0.7 || e.Name != flow || e.Resource != onWeb {
				t.Errorf("%s: episode %+v, want %v to %v", row.name, e, from, to)
			}
			if e.Open != (row.open && i == len(episodes)-1) {
				t.Errorf("%s: open %v", row.name, e.Open)
			}
		}
		if row.name == "surer later" && (episodes[0].Gain == nil || episodes[0].Gain.High != 3) {
			t.Errorf("%s: gain %+v", row.name, episodes[0].Gain)
		}
	}
}
