package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/schema"
)

// store is what both histories of this package are.
type store interface {
	History
	SeriesWriter
	Querier
	Stats() Written
}

// stores are the implementations that the contract is tested against.
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

// contract is what every history answers for the same appends.
var contract = []struct {
	name    string
	batches [][]schema.Sample
	query   string
	at      float64
	want    values
}{
	{
		"points come back", [][]schema.Sample{line("h", "v", 0, 10, 60, 20)},
		"avg_over_time(b_total[5m])", 60, values{"host=h,volume=v": 15},
	},
	{
		"the name stays where the expression keeps it", [][]schema.Sample{line("h", "v", 0, 10)},
		"last_over_time(b_total[5m])", 60, values{"__name__=b_total,host=h,volume=v": 10},
	},
	{
		"ranges are open on the left", [][]schema.Sample{line("h", "v", 0, 1, 5, 2, 10, 3)},
		"count_over_time(b_total[10s])", 10, values{"host=h,volume=v": 2},
	},
	{
		"span plus one millisecond holds the first moment", [][]schema.Sample{line("h", "v", 0, 1, 5, 2, 10, 3)},
		"count_over_time(b_total[10001ms])", 10, values{"host=h,volume=v": 3},
	},
	{
		"increase over span plus one millisecond", [][]schema.Sample{line("h", "v", 0, 100, 5, 150, 10, 200)},
		"round(increase(b_total[10001ms]), 0.1)", 10, values{"host=h,volume=v": 100},
	},
	{
		"unequal steps", [][]schema.Sample{line("h", "v", 0, 0, 1, 10, 31, 310, 60, 600)},
		"round(rate(b_total[60001ms]), 0.001)", 60, values{"host=h,volume=v": 10},
	},
	{
		"a counter that starts over", [][]schema.Sample{line("h", "v", 0, 100, 15, 160, 30, 20, 45, 80, 60, 140)},
		"resets(b_total[61s])", 60, values{"host=h,volume=v": 1},
	},
	{
		"the increase over a start adds up", [][]schema.Sample{line("h", "v", 0, 100, 15, 160, 30, 20, 45, 80, 60, 140)},
		"round(increase(b_total[60001ms]))", 60, values{"host=h,volume=v": 200},
	},
	{
		"offset", [][]schema.Sample{line("h", "v", 0, 1, 60, 2, 120, 3)},
		"sum_over_time(b_total[60s] offset 1m)", 120, values{"host=h,volume=v": 2},
	},
	{
		"late samples", [][]schema.Sample{line("h", "v", 0, 1, 7200, 4), line("h", "v", 3600, 3, 1800, 2)},
		"sum_over_time(b_total[3h])", 7200, values{"host=h,volume=v": 10},
	},
	{
		"late samples of a new series", [][]schema.Sample{line("h", "v", 7200, 4), line("h", "w", 0, 3, 60, 2)},
		"sum_over_time(b_total[3h])", 7200, values{"host=h,volume=v": 4, "host=h,volume=w": 5},
	},
	{
		"the first of two values stays", [][]schema.Sample{line("h", "v", 0, 1, 60, 2), line("h", "v", 60, 9)},
		"sum_over_time(b_total[5m])", 60, values{"host=h,volume=v": 3},
	},
	{
		"the first of two values stays among late samples", [][]schema.Sample{line("h", "v", 0, 1, 60, 2, 120, 3), line("h", "v", 60, 9)},
		"sum_over_time(b_total[5m])", 120, values{"host=h,volume=v": 6},
	},
	{
		"the same batch again changes nothing", [][]schema.Sample{line("h", "v", 0, 1, 60, 2), line("h", "v", 0, 1, 60, 2)},
		"count_over_time(b_total[5m])", 60, values{"host=h,volume=v": 2},
	},
	{
		"series that differ by one label", [][]schema.Sample{line("h", "v", 0, 1), line("h", "w", 0, 2), line("g", "v", 0, 4)},
		"sum by (volume) (last_over_time(b_total[5m]))", 0, values{"volume=v": 5, "volume=w": 2},
	},
	{
		"an empty label is no label", [][]schema.Sample{line("h", "", 0, 1), line("h", "w", 0, 2)},
		`sum_over_time(b_total{volume=""}[5m])`, 0, values{"host=h": 1},
	},
	{
		"what is not a finite number is dropped", [][]schema.Sample{line("h", "v", 0, 1, 15, math.NaN(), 30, math.Inf(1), 45, math.Inf(-1), 60, 2)},
		"count_over_time(b_total[5m])", 60, values{"host=h,volume=v": 2},
	},
	{
		"extreme values", [][]schema.Sample{line("h", "v", 0, math.MaxFloat64, 15, -math.MaxFloat64, 30, math.SmallestNonzeroFloat64, 45, 0)},
		"min_over_time(b_total[5m])", 60, values{"host=h,volume=v": -math.MaxFloat64},
	},
	{
		"results that are not a number are dropped", [][]schema.Sample{line("h", "v", 0, 0), line("h", "w", 0, 1)},
		"b_total / b_total", 0, values{"host=h,volume=w": 1},
	},
	{
		"a bare selector looks back five minutes", [][]schema.Sample{line("h", "v", 0, 1), line("h", "w", 1, 2)},
		"b_total", 300, values{"__name__=b_total,host=h,volume=w": 2},
	},
	{"nothing stored", nil, "avg_over_time(b_total[5m])", 0, values{}},
	{"a scalar", nil, "1 + 1", 0, values{"": 2}},
	{
		"a subquery without a step", [][]schema.Sample{line("h", "v", 0, 1, 60, 2, 120, 3)},
		"max_over_time(b_total[3m:])", 120, values{"host=h,volume=v": 3},
	},
	{
		"an old spike is found by its moment", [][]schema.Sample{line("h", "v", 0, 7, 60, 2)},
		"max_over_time(b_total[1m] @ " + fmt.Sprint(base.Unix()) + ")", 86400, values{"host=h,volume=v": 7},
	},
}

func TestContract(t *testing.T) {
	for _, c := range contract {
		t.Run(c.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, s store) {
				appendAll(t, s, c.batches...)
				if diff := gocmp.Diff(c.want, ask(t, s, c.query, at(c.at))); diff != "" {
					t.Errorf("%s (-want +got):\n%s", c.query, diff)
				}
			})
		})
	}
}

func TestRangeIncludesBothEnds(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		appendAll(t, s, line("h", "v", 0, 1, 60, 2, 120, 3), line("h", "w", 60, 5))
		got, err := s.Range(context.Background(), "last_over_time(b_total[1m])", at(0), at(120), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, func(a, b Series) int { return cmp.Compare(key(a.Labels), key(b.Labels)) })
		name := func(volume string) map[string]string {
			return map[string]string{"__name__": "b_total", "host": "h", "volume": volume}
		}
		want := []Series{
			{Labels: name("v"), Times: []time.Time{at(0), at(60), at(120)}, Values: []float64{1, 2, 3}},
			{Labels: name("w"), Times: []time.Time{at(60)}, Values: []float64{5}},
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("range (-want +got):\n%s", diff)
		}
	})
}

func TestRangeRefusesNonsense(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		for name, ask := range map[string]func() error{
			"step of zero":        func() error { _, err := s.Range(context.Background(), "1", at(0), at(1), 0); return err },
			"end before start":    func() error { _, err := s.Range(context.Background(), "1", at(1), at(0), time.Second); return err },
			"range of a string":   func() error { _, err := s.Range(context.Background(), `"x"`, at(0), at(1), time.Second); return err },
			"instant of a range":  func() error { _, err := s.Instant(context.Background(), "b_total[5m]", at(0)); return err },
			"instant of a string": func() error { _, err := s.Instant(context.Background(), `"x"`, at(0)); return err },
		} {
			if ask() == nil {
				t.Errorf("%s: no error", name)
			}
		}
	})
}

func TestBadQueryNamesItself(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		_, err := s.Instant(context.Background(), "rate(b_total[5m]", at(0))
		if err == nil || !strings.Contains(err.Error(), "rate(b_total[5m]") || !strings.Contains(err.Error(), "parse error") {
			t.Errorf("error %v, want the query and the place of the mistake", err)
		}
		_, err = s.Instant(context.Background(), "nosuch("+strings.Repeat("x", 10_000)+")", at(0))
		if err == nil || len(err.Error()) > 1500 || !strings.Contains(err.Error(), "10008 bytes") {
			t.Errorf("error of %d bytes for a long query: %.80v", len(fmt.Sprint(err)), err)
		}
	})
}

func TestCancelledContext(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		appendAll(t, s, line("h", "v", 0, 1))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := s.Append(ctx, line("h", "v", 15, 2)); !errors.Is(err, context.Canceled) {
			t.Errorf("append: %v, want it cancelled", err)
		}
		if _, err := s.Instant(ctx, "count_over_time(b_total[5m])", at(60)); err == nil {
			t.Error("query of a cancelled context: no error")
		}
		if got := ask(t, s, "count_over_time(b_total[5m])", at(60)); got["host=h,volume=v"] != 1 {
			t.Errorf("after a cancelled append: %v, want one sample", got)
		}
	})
}

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

func TestClosed(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			for range 2 {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
			if err := s.Append(context.Background(), line("h", "v", 0, 1)); !errors.Is(err, ErrClosed) {
				t.Errorf("append: %v", err)
			}
			if _, err := s.Instant(context.Background(), "b_total", at(0)); err == nil || !strings.Contains(err.Error(), ErrClosed.Error()) {
				t.Errorf("query: %v", err)
			}
		})
	}
}
