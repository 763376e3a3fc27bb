package demo

import (
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

// What goes in comes out span by span, each sample once.
func TestArchive(t *testing.T) {
	began := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	kept := &archive{}
	if err := kept.moveTo(t.Context(), nil); err != nil {
		t.Error("an empty archive moves nothing")
	}
	want := map[string]float64{}
	for _, name := range []string{"a", "b"} {
		labels := []string{name, "192.0.2.1", "nfs"}
		var samples []schema.Sample
		for i := range 100 {
			at := began.Add(time.Duration(i) * time.Hour)
			samples = append(samples, schema.Sample{Family: schema.EndpointOperationRTT, Labels: labels, Value: float64(i), Time: at})
			want[name+at.String()] = float64(i)
		}
		if err := kept.Backfill(t.Context(), samples); err != nil {
			t.Fatal(err)
		}
	}
	if oldest, newest := kept.bounds(); oldest != began.UnixMilli() || newest != began.Add(99*time.Hour).UnixMilli() {
		t.Errorf("from %d to %d", oldest, newest)
	}
	if len(kept.runs) != 2 {
		t.Errorf("%d runs of two series", len(kept.runs))
	}
	for hour := -1; hour < 101; hour += 7 {
		from := began.Add(time.Duration(hour) * time.Hour)
		for _, sample := range kept.within(from.UnixMilli(), from.Add(7*time.Hour).UnixMilli()) {
			key := sample.Labels[0] + sample.Time.UTC().String()
			if value, ok := want[key]; !ok || value != sample.Value {
				t.Errorf("%s: %g", key, sample.Value)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("%d samples did not come out", len(want))
	}
}
