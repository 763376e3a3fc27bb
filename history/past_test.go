package history

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/schema"
)

// What a back-fill stores and counts is what an append of the same samples stores and counts, in whatever order they
// come and whether or not they share their labels.
func TestPastIsCountedAsAppendsAre(t *testing.T) {
	family := &schema.Family{Name: "b_total", Labels: []string{"host", "volume"}}
	shared := []string{"h", "v"}
	sample := func(seconds int, value float64, labels ...string) schema.Sample {
		return schema.Sample{Family: family, Labels: labels, Value: value, Time: at(float64(seconds))}
	}
	samples := []schema.Sample{
		sample(0, 1, shared...), sample(60, 2, shared...), sample(60, 2, shared...), sample(60, 3, shared...), sample(60, 3, shared...),
		sample(30, math.NaN(), shared...), sample(0, 1, "h", "v"), sample(120, 1, "h"),
		sample(0, 1, "h\xff", "v"), sample(60, 1, "h\xff", "v"), sample(0, 1, "h", strings.Repeat("v", MaxLabelValueBytes+1)),
		{Family: family, Labels: shared, Value: 1, Time: time.Unix(-1, 0)}, {Labels: shared, Time: at(0)},
		{Family: &schema.Family{Name: "alone"}, Value: 1, Time: at(0)}, {Family: &schema.Family{Name: "alone"}, Value: 1, Time: at(0)},
	}
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 1))
		random.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
		appended, filled := NewMemory(MemoryOptions{}), openEmbedded(t, EmbeddedOptions{Path: t.TempDir()})
		appendAll(t, appended, samples)
		appendAll(t, filled, line("h", "now", 86400, 1)) // so that all of it goes to blocks
		before := filled.Stats().Stored
		if err := filled.Backfill(t.Context(), samples); err != nil {
			t.Fatal(err)
		}
		got := filled.Stats()
		got.Stored -= before
		if want := appended.Stats(); got != want {
			t.Fatalf("seed %d: back-filled %+v, appended %+v", seed, got, want)
		}
		const query = "sum_over_time({__name__=~\"b_total|alone\", volume!=\"now\"}[10m])"
		for series, want := range ask(t, appended, query, at(300)) {
			if got := ask(t, filled, query, at(300))[series]; got != want {
				t.Errorf("seed %d: %s is %v, want %v", seed, series, got, want)
			}
		}
		if err := filled.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCut(t *testing.T) {
	past := []pastSeries{{moments: []moment{{1, 1}, {3, 3}}}, {moments: []moment{{2, 2}}}, {moments: []moment{{4, 4}}}}
	for when, want := range map[int64][2]int{0: {0, 4}, 1: {0, 4}, 2: {1, 3}, 3: {2, 2}, 4: {3, 1}, 5: {4, 0}} {
		before, after := cut(past, when)
		if got := [2]int{countOf(before), countOf(after)}; got != want {
			t.Errorf("at %d: %v, want %v", when, got, want)
		}
	}
	if oldest, newest := bounds(past); oldest != 1 || newest != 4 {
		t.Errorf("from %d to %d, want 1 to 4", oldest, newest)
	}
	sorted := slices.IsSortedFunc(byTime(past), func(a, b SeriesSample) int { return int(a.Time - b.Time) })
	if !sorted || len(byTime(past)) != 4 {
		t.Errorf("not by time: %v", byTime(past))
	}
}
