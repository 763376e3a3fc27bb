package evaluate

import (
	"testing"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/internal/captures"
)

func finding(name detectors.Name) detectors.Finding {
	return detectors.Finding{Detector: name.Detector, Variant: name.Variant, State: detectors.Firing, Confidence: 0.8, Resource: onWeb}
}

func TestLabels(t *testing.T) {
	sender := detectors.Name{Detector: detectors.SessionSaturated, Variant: detectors.VariantSender}
	hint := finding(flow)
	hint.Hint = true
	blocked := finding(flow)
	blocked.BlockedBy = []string{"other"}
	for _, row := range []struct {
		name                                string
		right, wrong                        []string
		findings                            []detectors.Finding
		found, missed, mistaken, unlabelled int
	}{
		{"as expected", []string{"slot_table_exhausted"}, nil, []detectors.Finding{finding(slots)}, 1, 0, 0, 0},
		{"any of several", []string{"nconnect_recommended"}, nil, []detectors.Finding{finding(sender)}, 1, 0, 0, 0},
		{"two labels of one finding", []string{"nconnect_recommended", "single_tcp_session_saturated"}, nil, []detectors.Finding{finding(flow)}, 1, 0, 0, 0},
		{"missed", []string{"nconnect_recommended"}, nil, nil, 0, 1, 0, 0},
		{"a hint is not enough", []string{"nconnect_recommended"}, nil, []detectors.Finding{hint}, 0, 1, 0, 0},
		{"behind another finding", []string{"nconnect_recommended"}, nil, []detectors.Finding{blocked}, 1, 0, 0, 0},
		{"refused", nil, []string{"nconnect_recommended"}, []detectors.Finding{finding(flow)}, 0, 0, 1, 0},
		{"refused and expected", []string{"single_tcp_session_saturated"}, []string{"nconnect_recommended"}, []detectors.Finding{finding(flow)}, 1, 0, 0, 0},
		{"a state", []string{"idle"}, nil, nil, 0, 0, 0, 0},
		{"no label speaks of it", []string{"idle"}, nil, []detectors.Finding{finding(stall)}, 0, 0, 0, 1},
	} {
		got := label(captures.Capture{Name: row.name, ExpectedTrue: row.right, ExpectedFalse: row.wrong}, row.findings)
		total := Score([]Case{got.Case}).Total
		if total.Found != row.found || total.Missed != row.missed || total.False != row.mistaken || got.unlabelled != row.unlabelled {
			t.Errorf("%s: %+v, %d unlabelled", row.name, total, got.unlabelled)
		}
		missing(t, "time to detect of a single look", total.DetectMedian)
		missing(t, "flapping of a single look", total.Flapping)
	}
}

// The recordings are examined twice, with one worker and with several: the scores are the same.
func TestRecordings(t *testing.T) {
	one, err := Recordings(t.Context(), "../testdata/captures", Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	several, err := Recordings(t.Context(), "../testdata/captures", Options{Workers: 4, Progress: func(done, all int) {
		if calls++; done != calls || all != one.Cases {
			t.Errorf("progress %d of %d", done, all)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if one.Total.Truths < 30 || one.Negatives < 10 || calls != one.Cases {
		t.Errorf("%d truths, %d negatives, %d calls", one.Total.Truths, one.Negatives, calls)
	}
	if one.Total.Found != several.Total.Found || one.Total.False != several.Total.False || one.Total.Brier != several.Total.Brier {
		t.Errorf("%+v\n%+v", one.Total, several.Total)
	}
	for _, d := range one.Deviations {
		t.Logf("%+v", d)
	}
	for _, r := range one.Detectors {
		t.Logf("%s/%s truths %d found %d false %d", r.Detector, r.Variant, r.Truths, r.Found, r.False)
	}
	if _, err := Recordings(t.Context(), t.TempDir(), Options{}); err == nil {
		t.Error("an empty directory is no corpus")
	}
}
