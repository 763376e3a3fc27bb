package export

import (
	"testing"

	"github.com/nasight/nasight/schema"
)

// What a batch shows does not depend on the batch before it.
func TestEveryBatchShowsItsOwnSeries(t *testing.T) {
	busy := func(value float64, host, mode string) schema.Sample {
		return sample(schema.CPUSeconds, value, host, mode)
	}
	cores := func(value float64) schema.Sample { return sample(schema.CPUCores, value, "client1") }
	steps := map[string][]schema.Sample{
		"first":             {busy(1, "client1", "idle"), busy(2, "client1", "busy"), cores(4)},
		"other values":      {busy(3, "client1", "idle"), busy(4, "client1", "busy"), cores(8)},
		"another order":     {cores(8), busy(5, "client1", "busy"), busy(6, "client1", "idle")},
		"other families":    {busy(7, "client1", "idle"), cores(8), busy(9, "client1", "busy")},
		"another label":     {busy(7, "client1", "idle"), busy(8, "client1", "steal"), cores(8)},
		"one more":          {busy(7, "client1", "idle"), busy(8, "client1", "busy"), cores(8), busy(9, "client1", "steal")},
		"one less":          {busy(7, "client1", "idle"), cores(8)},
		"two alike":         {busy(7, "client1", "idle"), busy(8, "client1", "idle"), cores(8)},
		"too few labels":    {sample(schema.CPUSeconds, 1, "client1"), busy(8, "client1", "busy"), cores(8)},
		"nothing of ours":   {{}, {}, {}},
		"nothing":           nil,
		"text to be mended": {busy(7, "client1", "id\xffle"), busy(8, "client1", "busy"), cores(8)},
	}
	for before, earlier := range steps {
		for now, samples := range steps {
			var used, fresh Store
			publish(t, &used, batch("client1", "cpu", earlier...))
			shownBefore := shown(t, &used)
			publish(t, &used, batch("client1", "cpu", samples...))
			publish(t, &fresh, batch("client1", "cpu", samples...))
			if got, want := shown(t, &used), shown(t, &fresh); got != want {
				t.Errorf("%s after %s: got\n%s\nwant\n%s", now, before, got, want)
			}
			publish(t, &used, batch("client1", "cpu", earlier...))
			if got := shown(t, &used); got != shownBefore {
				t.Errorf("%s after %s and %s: got\n%s\nwant\n%s", before, before, now, got, shownBefore)
			}
		}
	}
}

// The same series with other values are no new work: this is what makes a minute of pushes cheap.
func TestTheSameSeriesShareTheirLabels(t *testing.T) {
	var s Store
	place := s.place("client1", "nfs")
	first := place.hold(batch("client1", "nfs", mountSamples("client1", 3)...)).render()
	second := place.hold(batch("client1", "nfs", mountSamples("client1", 3)...)).render()
	for i, f := range first {
		for k, metric := range f.metrics {
			if again := second[i].metrics[k]; &again.Label[0] != &metric.Label[0] || again == metric {
				t.Fatalf("%s: the labels are made anew, or the metric is not", f.schema.Name)
			}
		}
	}
}
