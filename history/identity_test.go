package history_test

import (
	"testing"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// TestIdentity: labels are the same in another answer, others are others, and none are nothing.
func TestIdentity(t *testing.T) {
	at := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	kept := history.NewMemory(history.MemoryOptions{})
	for _, host := range []string{"a", "b"} {
		sample := schema.Sample{Family: schema.CollectorSuccess, Labels: []string{host, "nfs"}, Value: 1, Time: at}
		if err := kept.Append(t.Context(), []schema.Sample{sample}); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(query string) []history.Series {
		t.Helper()
		lines, err := kept.Range(t.Context(), query, at, at, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	name := schema.CollectorSuccess.Name
	first, again, other := ask("avg_over_time("+name+"[5m])"), ask("sum_over_time("+name+"[10m])"), ask("sum by (host, collector) ("+name+")")
	if len(first) != 2 || len(again) != 2 || len(other) != 2 {
		t.Fatalf("%d, %d and %d lines, want two each", len(first), len(again), len(other))
	}
	for i := range first {
		same := first[i].Identity
		if !same.Known() || same != again[i].Identity || !same.Equal(other[i].Identity) {
			t.Errorf("%v has three identities", first[i].Labels)
		}
	}
	if first[0].Identity == first[1].Identity {
		t.Error("two series have one identity")
	}
	if bare := ask("1"); len(bare) != 1 || bare[0].Identity.Known() {
		t.Errorf("%v: what has no labels is none in particular", bare)
	}
}
