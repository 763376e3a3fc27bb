package history

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"

	"github.com/nasight/nasight/schema"
)

func sample(value float64, seconds float64, names ...string) SeriesSample {
	return SeriesSample{Labels: labels.FromStrings(names...), Time: at(seconds).UnixMilli(), Value: value}
}

func appendSeries(t *testing.T, s SeriesWriter, samples ...SeriesSample) Written {
	t.Helper()
	written, err := s.AppendSeries(context.Background(), samples)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func TestAppendSeriesTakesUnknownFamilies(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		written := appendSeries(t, s, sample(3, 0, "__name__", "of_a_newer_agent", "host", "h", "new", "x", "empty", ""))
		if written != (Written{Stored: 1}) {
			t.Errorf("written %+v", written)
		}
		want := values{"__name__=of_a_newer_agent,host=h,new=x": 3}
		if diff := gocmp.Diff(want, ask(t, s, "of_a_newer_agent", at(0))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestEndOfSeriesMarker(t *testing.T) {
	stale := math.Float64frombits(value.StaleNaN)
	onEach(t, func(t *testing.T, s store) {
		appendSeries(t, s, sample(3, 0, "__name__", "x"), sample(stale, 15, "__name__", "x"))
		if got := appendSeries(t, s, sample(stale, 15, "__name__", "x")); got.Duplicate != 0 {
			t.Errorf("the same marker again: %+v", got)
		}
		if got := ask(t, s, "x", at(14)); len(got) != 1 {
			t.Errorf("before the end: %v", got)
		}
		if got := ask(t, s, "x", at(16)); len(got) != 0 {
			t.Errorf("after the end: %v", got)
		}
		if got := ask(t, s, "count_over_time(x[1m])", at(30)); got[""] != 1 {
			t.Errorf("samples %v, want the marker left out", got)
		}
	})
}

// TestOddSamplesAreCounted sends what can never be stored, between samples that can.
func TestOddSamplesAreCounted(t *testing.T) {
	var crowd []string
	for i := range MaxLabels {
		crowd = append(crowd, fmt.Sprint("label", i), "x")
	}
	onEach(t, func(t *testing.T, s store) {
		early, late := sample(1, 0, "__name__", "x"), sample(1, 0, "__name__", "x")
		early.Time, late.Time = -5, time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
		got := appendSeries(t, s,
			sample(1, 0, "__name__", "x"),
			sample(1, 0, "host", "h"),
			sample(1, 0),
			sample(1, 0, append([]string{"__name__", "x"}, crowd...)...),
			sample(1, 0, "__name__", "x", strings.Repeat("n", MaxLabelNameBytes+1), "v"),
			sample(1, 0, "__name__", "x", "bad\xff", "v"),
			SeriesSample{Labels: labels.New(labels.Label{Name: "__name__", Value: "x"}, labels.Label{Name: "a", Value: "1"}, labels.Label{Name: "a", Value: "2"}), Time: early.Time + 10},
			early, late,
			sample(math.Inf(1), 0, "__name__", "x"),
			sample(math.NaN(), 0, "__name__", "x"),
			sample(2, 15, "__name__", "x"),
		)
		want := Written{Stored: 2, Malformed: 8, NotFinite: 2}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := gocmp.Diff(want, s.Stats()); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
		}
		if got.Lost() != 10 {
			t.Errorf("lost %d, want 10", got.Lost())
		}
	})
}

func TestSamplesThatFitNoFamily(t *testing.T) {
	onEach(t, func(t *testing.T, s store) {
		appendAll(t, s, []schema.Sample{
			{Labels: []string{"h"}, Time: at(0)},
			{Family: bytes, Labels: []string{"h"}, Time: at(0)},
			{Family: &schema.Family{}, Time: at(0)},
			{Family: bytes, Labels: []string{"h", "v"}}, // no time
			line("h", "v", 0, 1)[0],
		})
		if diff := gocmp.Diff(Written{Stored: 1, Malformed: 4}, s.Stats()); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
		}
	})
}

func TestLabelValuesAreBounded(t *testing.T) {
	long := strings.Repeat("é", MaxLabelValueBytes)
	onEach(t, func(t *testing.T, s store) {
		appendAll(t, s, line("h\xff", long, 0, 1))
		appendSeries(t, s, sample(2, 15, "__name__", "b_total", "host", "h\xfe", "volume", long))
		want := values{"host=h\uFFFD,volume=" + strings.Repeat("é", MaxLabelValueBytes/2): 2}
		if diff := gocmp.Diff(want, ask(t, s, "count_over_time(b_total[1m])", at(15))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := s.Stats(); got != (Written{Stored: 2, Altered: 4}) {
			t.Errorf("stats %+v", got)
		}
	})
}

func TestWrittenTellsWhatIsNotZero(t *testing.T) {
	got := Written{Stored: 3, TooOld: 2, NotFinite: 1}.String()
	if want := "3 samples stored, 2 too old, 1 not a finite number"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzAdmit(f *testing.F) {
	f.Add("x", "host", "h", int64(1), 1.0)
	f.Add("", "a", "\xff", int64(-1), math.NaN())
	f.Add("x", "__name__", "y", int64(math.MaxInt64), math.Inf(-1))
	f.Fuzz(func(t *testing.T, name, label, text string, when int64, v float64) {
		if len(name)+len(label)+len(text) > 1<<20 {
			return
		}
		s := NewMemory(MemoryOptions{})
		written, err := s.AppendSeries(context.Background(), []SeriesSample{{
			Labels: labels.FromStrings("__name__", name, label, text), Time: when, Value: v,
		}})
		if err != nil || written.Stored+written.Lost() != 1 {
			t.Fatalf("written %+v, error %v", written, err)
		}
		for hash := range s.byHash {
			for _, series := range s.byHash[hash] {
				series.labels.Range(func(l labels.Label) {
					if l.Value == "" || len(l.Value) > MaxLabelValueBytes {
						t.Errorf("label %q has a value of %d bytes", l.Name, len(l.Value))
					}
				})
			}
		}
	})
}
