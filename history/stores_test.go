package history

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

// store is what both histories of this package are.
type store interface {
	History
	SeriesWriter
	Querier
	Stats() Written
}

// stores are the implementations of this package. What every history has to do is tested in historytest.
var stores = map[string]func(testing.TB) store{
	"memory":   func(testing.TB) store { return NewMemory(MemoryOptions{}) },
	"embedded": func(t testing.TB) store { return openEmbedded(t, EmbeddedOptions{Path: t.TempDir()}) },
}

func openEmbedded(t testing.TB, opts EmbeddedOptions) *Embedded {
	t.Helper()
	if opts.MinFreeBytes == 0 {
		opts.MinFreeBytes = 1 // the machine's disk is not what is tested
	}
	e, err := OpenEmbedded(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

// onEach runs a test on every implementation.
func onEach(t *testing.T, test func(t *testing.T, s store)) {
	t.Helper()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			test(t, s)
		})
	}
}

var (
	base  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	bytes = &schema.Family{Name: "b_total", Type: schema.Counter, Labels: []string{"host", "volume"}}
)

// fataler is what a test and a property test have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func at(seconds float64) time.Time { return base.Add(time.Duration(seconds * float64(time.Second))) }

// line makes the samples of one series from pairs of second and value.
func line(host, volume string, pairs ...float64) []schema.Sample {
	samples := make([]schema.Sample, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		samples = append(samples, schema.Sample{
			Family: bytes, Labels: []string{host, volume}, Time: at(pairs[i]), Value: pairs[i+1],
		})
	}
	return samples
}

func appendAll(t fataler, s Writer, batches ...[]schema.Sample) {
	t.Helper()
	for _, batch := range batches {
		if err := s.Append(context.Background(), batch); err != nil {
			t.Fatal(err)
		}
	}
}

// key renders a label set in a fixed order.
func key(labels map[string]string) string {
	parts := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, name+"="+labels[name])
	}
	return strings.Join(parts, ",")
}

// ask evaluates a query and renders the result as a map from label set to value.
func ask(t testing.TB, s Reader, query string, when time.Time) map[string]float64 {
	t.Helper()
	points, err := s.Instant(context.Background(), query, when)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]float64, len(points))
	for _, point := range points {
		if !point.Time.Equal(when) {
			t.Errorf("%s: point at %s, want %s", query, point.Time, when)
		}
		found[key(point.Labels)] = point.Value
	}
	if len(found) != len(points) {
		t.Errorf("%s: %d points with %d label sets", query, len(points), len(found))
	}
	return found
}

type values = map[string]float64

func TestManySeries(t *testing.T) {
	const many = 3000
	onEach(t, func(t *testing.T, s store) {
		var batch []schema.Sample
		for i := range many {
			batch = append(batch, line("h", fmt.Sprint("v", i), 0, float64(i), 15, float64(i))...)
		}
		appendAll(t, s, batch)
		if got := ask(t, s, "count(avg_over_time(b_total[1m]))", at(15)); got[""] != many {
			t.Errorf("%v series, want %d", got, many)
		}
		if got := ask(t, s, `sum(count_over_time(b_total{volume=~"v1.."}[1m]))`, at(15)); got[""] != 200 {
			t.Errorf("%v samples by regular expression, want 200", got)
		}
		if got := s.Stats(); got != (Written{Stored: 2 * many}) {
			t.Errorf("stats %+v", got)
		}
	})
}
