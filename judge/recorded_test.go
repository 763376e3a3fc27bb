package judge

import (
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
)

// TestRecorded: what a look writes back of findings is read again, each as it was last.
func TestRecorded(t *testing.T) {
	kept := history.NewMemory(history.MemoryOptions{})
	here := fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Pool: "pool", Volume: "v"}
	name := detectors.Name{Detector: detectors.LimitReached, Variant: detectors.VariantThroughput}
	since := time.Date(2026, 11, 30, 9, 59, 58, 987_000_000, time.UTC)
	finding := detectors.Finding{
		ID: detectors.ID(name, here), Detector: name.Detector, Variant: name.Variant, Resource: here, State: detectors.Firing,
		Since: since.Add(-time.Hour),
	}
	ended := finding
	ended.Resource.Volume = "ended"
	ended.ID = detectors.ID(name, ended.Resource)
	for minute := range 30 {
		at := midday.Add(time.Duration(minute-30) * time.Minute)
		findings := []detectors.Finding{finding}
		if minute < 10 {
			findings = append(findings, ended)
		}
		if err := kept.Append(t.Context(), Samples(&fleet.Fleet{At: at}, findings, detectors.DefaultSettings())); err != nil {
			t.Fatal(err)
		}
		if minute == 20 { // it began anew
			finding.Since, finding.SinceAtLeast = since, true
		}
	}
	recorded, err := Recorded(t.Context(), kept, midday.Add(-time.Hour), midday, time.Minute)
	if err != nil || len(recorded) != 2 {
		t.Fatalf("%+v, %v; want two", recorded, err)
	}
	for _, r := range recorded {
		want, at := finding, midday.Add(-time.Minute)
		if r.ID == ended.ID {
			want, at = ended, midday.Add(-21*time.Minute)
		}
		if r.ID != want.ID || r.Resource != want.Resource || r.Name() != want.Name() || !r.Since.Equal(want.Since) || r.SinceAtLeast != want.SinceAtLeast {
			t.Errorf("%+v, want %+v", r.Finding, want)
		}
		if r.At.Sub(at) < 0 || r.At.Sub(at) > time.Minute {
			t.Errorf("%s: recorded until %s, want %s", r.Resource.Volume, r.At, at)
		}
	}
	if none, err := Recorded(t.Context(), kept, midday.Add(time.Hour), midday.Add(2*time.Hour), time.Minute); err != nil || len(none) != 0 {
		t.Errorf("%+v, %v; want nothing of a time in which nothing was recorded", none, err)
	}
	if seconds := seconds(since); !momentOf(seconds).Equal(since) {
		t.Errorf("%s, want %s", momentOf(seconds), since)
	}
}
