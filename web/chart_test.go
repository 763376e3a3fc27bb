package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

var charted = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func chartOf(values ...fleet.Value) Chart {
	chart := Chart{Unit: "seconds", Since: charted.Add(2 * time.Hour)}
	for i, value := range values {
		chart.Points = append(chart.Points, Point{At: charted.Add(time.Duration(i) * time.Hour), Value: value, Lower: 0, Usual: 0.002, Upper: 0.003})
	}
	return chart
}

// TestChart: a gap stays a gap, the band is drawn where there is one, and nothing is drawn of nothing.
func TestChart(t *testing.T) {
	d := chartOf(0.002, 0.002, fleet.Unknown, 0.008, 0.008).draw()
	if len(d.Values) != 2 || len(d.Usual) != 1 || len(d.Bands) != 1 || d.Since != chartWidth/2 {
		t.Fatalf("%+v, want two stretches, one band, and the beginning in the middle", d)
	}
	if want := "540.0,5.7 720.0,5.7"; d.Values[1] != want {
		t.Errorf("points %q, want %q", d.Values[1], want)
	}
	if !strings.Contains(d.Says, "at most 8 ms") {
		t.Errorf("it says %q", d.Says)
	}
	low := chartOf(0.002, 0.0005, fleet.Unknown, 0.001)
	if low.Falls = true; !strings.Contains(low.draw().Says, "at least 500 µs") {
		t.Errorf("of a fall it says %q", low.draw().Says)
	}
	if says := chartOf(0.0025, 0.001).draw().Says; !strings.Contains(says, "at most 2.5 ms") {
		t.Errorf("it says %q, want what was measured and not the band", says)
	}
	if says := chartOf(fleet.Unknown, fleet.Unknown).draw().Says; !strings.Contains(says, "nothing was measured") {
		t.Errorf("without a sample it says %q", says)
	}
	learning := chartOf(0.002, 0.004)
	for i := range learning.Points {
		learning.Points[i].Lower, learning.Points[i].Usual, learning.Points[i].Upper = fleet.Unknown, fleet.Unknown, fleet.Unknown
	}
	if d := learning.draw(); len(d.Bands) != 0 || len(d.Values) != 1 {
		t.Errorf("without a baseline %+v", d)
	}
	endless := chartOf(0.002, 0.004)
	for i := range endless.Points {
		endless.Points[i].Upper = fleet.Unknown
	}
	if d := endless.draw(); !strings.HasPrefix(d.Bands[0], "0.0,0.0 ") {
		t.Errorf("a band without an upper bound: %q, want it up to the top", d.Bands[0])
	}
	for name, chart := range map[string]Chart{"one point": chartOf(1), "no points": {}, "zeros": chartOf(0, 0)} {
		if name == "zeros" {
			for i := range chart.Points {
				chart.Points[i].Usual, chart.Points[i].Upper = 0, 0
			}
		}
		if d := chart.draw(); d != nil {
			t.Errorf("%s: %+v, want nothing", name, d)
		}
	}
}

// TestPageShowsTheChart: with the finding that it belongs to, and why nobody is notified.
func TestPageShowsTheChart(t *testing.T) {
	page := Page{EvaluatedAt: charted, Now: charted, Findings: []detectors.Finding{
		{ID: "anomaly/level/1", Detector: detectors.Anomaly, Quiet: detectors.QuietRationed}, {ID: "other", State: detectors.Firing, SinceAtLeast: true},
	}, Charts: map[string]Chart{"anomaly/level/1": chartOf(0.002, 0.008)}}
	handler, err := NewHandler(func(*http.Request) Page { return page }, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	body := answer.Body.String()
	if strings.Count(body, "<svg") != 1 || !strings.Contains(body, `<polyline class="value" points="0.0,91.4 720.0,5.7"/>`) || !strings.Contains(body, "as many notifications") ||
		strings.Count(body, "at least since") != 1 {
		t.Errorf("the page lacks the chart or the reason:\n%s", body)
	}
}
