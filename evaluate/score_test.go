package evaluate

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

var (
	flow   = detectors.Name{Detector: detectors.SessionSaturated, Variant: detectors.VariantFlow}
	slots  = detectors.Name{Detector: detectors.SessionSaturated, Variant: detectors.VariantSlots}
	stall  = detectors.Name{Detector: detectors.ServerUnresponsive, Variant: detectors.VariantStalled}
	onWeb  = fleet.Resource{Host: "web-1", Server: "192.0.2.10", Protocol: "nfs"}
	onData = fleet.Resource{Host: "data-1", Server: "192.0.2.10", Protocol: "nfs"}
)

// minutes is an episode that fired at every minute from one to another.
func minutes(name detectors.Name, resource fleet.Resource, from, to int, confidence float64) Episode {
	e := Episode{Name: name, Resource: resource, Confidence: confidence}
	for at := from; at <= to; at++ {
		e.Moments = append(e.Moments, time.Duration(at)*time.Minute)
	}
	return e
}

func holds(name detectors.Name, host string, from, to int) Truth {
	return Truth{
		Name: name, Resource: fleet.Resource{Host: host},
		From: time.Duration(from) * time.Minute, To: time.Duration(to) * time.Minute,
	}
}

func rowOf(t *testing.T, scores Scores, name detectors.Name) Row {
	t.Helper()
	at := slices.IndexFunc(scores.Detectors, func(r Row) bool { return r.Detector == name.Detector && r.Variant == name.Variant })
	if at < 0 {
		t.Fatalf("no row of %s in %+v", name, scores.Detectors)
	}
	return scores.Detectors[at]
}

func near(t *testing.T, what string, got fleet.Value, want float64) {
	t.Helper()
	if !got.Known() || math.Abs(float64(got)-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func missing(t *testing.T, what string, got fleet.Value) {
	t.Helper()
	if got.Known() {
		t.Errorf("%s is %v, want none", what, got)
	}
}

// Three conditions hold: one is found after 5 minutes, one after 15, one is missed. One finding is false.
func TestPrecisionAndRecall(t *testing.T) {
	scores := Score([]Case{
		{Name: "a", Truths: []Truth{holds(flow, "web-1", 10, 60)}, Episodes: []Episode{minutes(flow, onWeb, 15, 90, 0.8)}},
		{Name: "b", Truths: []Truth{holds(flow, "web-1", 10, 60), holds(flow, "data-1", 10, 60)},
			Episodes: []Episode{minutes(flow, onWeb, 25, 70, 0.6)}},
		{Name: "c", Episodes: []Episode{minutes(flow, onWeb, 3, 9, 0.4)}},
	})
	row := rowOf(t, scores, flow)
	if row.Truths != 3 || row.Found != 2 || row.Missed != 1 || row.False != 1 {
		t.Errorf("counts are %+v", row)
	}
	near(t, "precision", row.Precision, 2.0/3)
	near(t, "recall", row.Recall, 2.0/3)
	near(t, "F1", row.F1, 2.0/3)
	near(t, "median time to detect", row.DetectMedian, 300)
	near(t, "p90 of the time to detect", row.DetectP90, 900)
	near(t, "flapping", row.Flapping, 2)
	near(t, "duplicates", row.Repeats, 0)
	// (0.2² + 0.4² + 0.4²) / 3
	near(t, "Brier score", row.Brier, 0.12)
	near(t, "total recall", scores.Total.Recall, 2.0/3)
	missing(t, "lead time", row.LeadMedian)
	missing(t, "gain error", row.GainError)
}

// What a wrong cause costs: the truth is missed and the finding is false.
func TestWrongCause(t *testing.T) {
	scores := Score([]Case{{
		Truths:   []Truth{holds(flow, "web-1", 0, 30)},
		Episodes: []Episode{minutes(slots, onWeb, 5, 30, 0.9), minutes(stall, onData, 5, 30, 0.9)},
	}})
	right, wrong := rowOf(t, scores, flow), rowOf(t, scores, slots)
	if right.Missed != 1 || right.False != 0 || wrong.False != 1 || wrong.Truths != 0 {
		t.Errorf("flow %+v, slots %+v", right, wrong)
	}
	near(t, "recall of flow", right.Recall, 0)
	missing(t, "precision of flow", right.Precision)
	near(t, "precision of slots", wrong.Precision, 0)
	missing(t, "recall of slots", wrong.Recall)
	want := []Mistake{{detectors.Name{}, stall, 1}, {flow, slots, 1}}
	if !slices.Equal(scores.Confusion, want) {
		t.Errorf("confusion %v, want %v", scores.Confusion, want)
	}
	// As a detector the variants count together: one missed, one false.
	whole := rowOf(t, scores, detectors.Name{Detector: detectors.SessionSaturated})
	if whole.Missed != 1 || whole.False != 1 {
		t.Errorf("session_saturated %+v", whole)
	}
}

func TestMissedWithNothingInItsPlace(t *testing.T) {
	scores := Score([]Case{{Truths: []Truth{holds(flow, "web-1", 0, 30)}, Episodes: []Episode{minutes(slots, onWeb, 31, 40, 1)}}})
	want := []Mistake{{detectors.Name{}, slots, 1}, {flow, detectors.Name{}, 1}}
	if !slices.Equal(scores.Confusion, want) {
		t.Errorf("confusion %v, want %v", scores.Confusion, want)
	}
}

// Each row is one truth from minute 10 to 20 on web-1 and one episode.
func TestMatching(t *testing.T) {
	both := fleet.Resource{Host: "web-1", Server: "192.0.2.10"}
	for _, row := range []struct {
		name     string
		resource fleet.Resource
		episode  Episode
		found    bool
	}{
		{"a part of the resource", fleet.Resource{Host: "web-1"}, minutes(flow, onWeb, 12, 15, 1), true},
		{"more of the resource", both, minutes(flow, onWeb, 12, 15, 1), true},
		{"another host", both, minutes(flow, onData, 12, 15, 1), false},
		{"nothing of the resource", fleet.Resource{}, minutes(flow, onData, 12, 15, 1), true},
		{"a volume that the finding does not name", fleet.Resource{Volume: "home"}, minutes(flow, onWeb, 12, 15, 1), false},
		{"another variant", both, minutes(slots, onWeb, 12, 15, 1), false},
		{"its first evaluation is the truth's last", both, minutes(flow, onWeb, 20, 30, 1), true},
		{"its last evaluation is the truth's first", both, minutes(flow, onWeb, 1, 10, 1), true},
		{"it ended just before", both, minutes(flow, onWeb, 1, 9, 1), false},
		{"it began just after", both, minutes(flow, onWeb, 21, 30, 1), false},
	} {
		truth := holds(flow, "", 10, 20)
		truth.Resource = row.resource
		scores := Score([]Case{{Truths: []Truth{truth}, Episodes: []Episode{row.episode}}})
		if found := scores.Total.Found == 1; found != row.found {
			t.Errorf("%s: found %v, want %v", row.name, found, row.found)
		}
		if wrong := scores.Total.False == 1; wrong == row.found {
			t.Errorf("%s: false %v beside found %v", row.name, wrong, row.found)
		}
	}
}

// What fires since before the condition began is found at its first evaluation.
func TestTimeToDetectIsNeverNegative(t *testing.T) {
	scores := Score([]Case{{Truths: []Truth{holds(flow, "web-1", 10, 20)}, Episodes: []Episode{minutes(flow, onWeb, 5, 20, 1)}}})
	near(t, "time to detect", scores.Total.DetectMedian, 0)
}

func TestFlappingAndDuplicates(t *testing.T) {
	open := minutes(flow, onWeb, 50, 60, 1)
	open.Open = true
	other := minutes(flow, fleet.Resource{Host: "web-1", Server: "192.0.2.11", Protocol: "nfs"}, 10, 20, 1)
	scores := Score([]Case{{
		Truths:   []Truth{holds(flow, "web-1", 0, 60)},
		Episodes: []Episode{minutes(flow, onWeb, 10, 20, 1), minutes(flow, onWeb, 30, 40, 1), open, other},
	}})
	near(t, "flapping", scores.Total.Flapping, 2+2+1+2)
	near(t, "duplicates", scores.Total.Repeats, 3)
	if scores.Total.Found != 1 || scores.Total.False != 0 {
		t.Errorf("total %+v", scores.Total)
	}
}

// One episode through two conditions, one after the other, is no duplicate.
func TestOneEpisodeOfTwoTruths(t *testing.T) {
	scores := Score([]Case{{
		Truths:   []Truth{holds(flow, "web-1", 0, 20), holds(flow, "web-1", 21, 40)},
		Episodes: []Episode{minutes(flow, onWeb, 5, 40, 1)},
	}})
	if scores.Total.Found != 2 || scores.Total.Duplicates != 0 {
		t.Errorf("total %+v", scores.Total)
	}
	near(t, "flapping", scores.Total.Flapping, 1)
}

func TestLeadTime(t *testing.T) {
	limit, late := 90*time.Minute, 10*time.Minute
	truths := []Truth{holds(flow, "web-1", 0, 60), holds(flow, "data-1", 0, 60)}
	truths[0].Limit, truths[1].Limit = &limit, &late
	scores := Score([]Case{{Truths: truths, Episodes: []Episode{minutes(flow, onWeb, 30, 60, 1), minutes(flow, onData, 15, 60, 1)}}})
	near(t, "median lead time", scores.Total.LeadMedian, -300)
	near(t, "least lead time", scores.Total.LeadLeast, -300)
}

// Predicted 2 to 4 (middle 3) and 1 to 2 (middle 1.5), achieved 3 and 3; of the third nothing is known, of the fourth the
// prediction is in bytes per second: 100 to 300, achieved 100.
func TestGain(t *testing.T) {
	var c Case
	add := func(host string, gain *detectors.Gain, achieved *Achieved) {
		truth, episode := holds(flow, host, 0, 60), minutes(flow, fleet.Resource{Host: host}, 5, 60, 1)
		truth.Achieved, episode.Gain = achieved, gain
		c.Truths, c.Episodes = append(c.Truths, truth), append(c.Episodes, episode)
	}
	add("a", &detectors.Gain{Low: 2, High: 4, Unit: "factor"}, &Achieved{Factor: 3})
	add("b", &detectors.Gain{Low: 1, High: 2, Unit: "factor"}, &Achieved{Factor: 3})
	add("c", &detectors.Gain{Low: 1, High: 2, Unit: "factor"}, nil)
	add("d", &detectors.Gain{Low: 100, High: 300, Unit: "bytes per second"}, &Achieved{Factor: 9, BytesPerSecond: 100})
	add("e", &detectors.Gain{Unit: "factor"}, &Achieved{Factor: 3})
	add("f", &detectors.Gain{Low: 1, High: 2, Unit: "furlongs"}, &Achieved{Factor: 3})
	add("g", nil, &Achieved{Factor: 3})
	row := Score([]Case{c}).Total
	if row.Gains != 3 {
		t.Errorf("%d predictions, want 3", row.Gains)
	}
	near(t, "median error", row.GainError, math.Ln2) // of 0, ln 2 (1.5 for 3) and ln 2 (200 for 100)
	near(t, "share inside", row.GainInside, 2.0/3)
}

func TestCalibration(t *testing.T) {
	brier, table := calibration([]odd{{1, true}, {0.9, false}, {0.8, true}, {0.5, true}, {0, false}})
	near(t, "Brier score", brier, (0+0.81+0.04+0.25+0)/5)
	if len(table) != 5 || table[0].Episodes != 1 || table[1].Episodes != 0 || table[2].Episodes != 1 || table[4].Episodes != 3 {
		t.Fatalf("bins %+v", table)
	}
	near(t, "mean confidence of the last bin", table[4].Confidence, 0.9)
	near(t, "share of true ones in the last bin", table[4].True, 2.0/3)
	missing(t, "share of true ones in an empty bin", table[1].True)
	missing(t, "confidence in an empty bin", table[1].Confidence)
}

func TestQuantile(t *testing.T) {
	ten := []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	for _, row := range []struct{ q, want float64 }{{0, 1}, {0.5, 5}, {0.9, 9}, {0.91, 10}, {1, 10}} {
		near(t, "quantile", quantile(ten, row.q), row.want)
	}
	missing(t, "quantile of nothing", quantile(nil, 0.5))
}

// Nothing to count gives no figure at all: neither 0 nor NaN.
func TestNothing(t *testing.T) {
	scores := Score([]Case{{Name: "quiet"}})
	for what, value := range map[string]fleet.Value{
		"precision": scores.Total.Precision, "recall": scores.Total.Recall, "F1": scores.Total.F1, "Brier": scores.Total.Brier,
		"flapping": scores.Total.Flapping, "duplicates": scores.Total.Repeats, "inside": scores.Total.GainInside,
	} {
		missing(t, what, value)
	}
	data, err := json.Marshal(scores)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Total     map[string]any
		Detectors []any
		Confusion []any
	}
	if err := json.Unmarshal(data, &read); err != nil || read.Total["precision"] != nil || read.Detectors == nil || read.Confusion == nil {
		t.Errorf("%s: %v", data, err)
	}
}
