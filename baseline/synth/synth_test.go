package synth

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
)

const (
	leastRecall    = 0.85
	leastPrecision = 0.9
	mostFalse      = 0.05 // in a week of one series
	corpusSeed     = 8
)

// TestCorpus is what the detector is held to on made series.
func TestCorpus(t *testing.T) {
	var count Count
	for _, series := range Corpus(corpusSeed, corpusSize) {
		count.Judge(series)
	}
	slices.Sort(count.Late)
	t.Logf("%d series: recall %.3f of %d, precision %.3f of %d, %.4f false incidents in a series-week; late by %s at the median, %s at p90",
		corpusSize, count.Recall(), count.Happened, count.Precision(), count.True+count.False, count.FalsePerWeek(),
		count.Late[len(count.Late)/2], count.Late[len(count.Late)*9/10])
	for _, what := range slices.Sorted(maps.Keys(count.ByWhat)) {
		found := count.ByWhat[what]
		t.Logf("%-10s %d of %d", what, found.Found, found.Happened)
		if found.Found == 0 {
			t.Errorf("%s: none of %d is found", what, found.Happened)
		}
	}
	if count.Recall() < leastRecall || count.Precision() < leastPrecision || count.FalsePerWeek() > mostFalse {
		t.Errorf("recall %.3f, precision %.3f, %.4f false incidents in a series-week; want %v and %v at least, %v at most",
			count.Recall(), count.Precision(), count.FalsePerWeek(), leastRecall, leastPrecision, mostFalse)
	}
}

// TestHealthy: series in which nothing happens.
func TestHealthy(t *testing.T) {
	var count Count
	for _, series := range Corpus(corpusSeed+1, corpusSize/4) {
		if len(series.Happenings) == 0 {
			count.Judge(series)
		}
	}
	t.Logf("%.4f false incidents in a series-week, over %.0f weeks", count.FalsePerWeek(), count.Weeks)
	if count.Weeks == 0 || count.FalsePerWeek() > mostFalse {
		t.Errorf("%d false incidents in %.0f series-weeks", count.False, count.Weeks)
	}
}

// TestSameSeed: a corpus follows from its seed, and so do the incidents.
func TestSameSeed(t *testing.T) {
	a, b, other := Corpus(3, 9), Corpus(3, 9), Corpus(4, 9)
	for i := range a {
		same := slices.EqualFunc(a[i].Values, b[i].Values, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
		if !same || !slices.Equal(a[i].Happenings, b[i].Happenings) || !slices.Equal(openings(a[i]), openings(b[i])) {
			t.Errorf("series %d differs from itself", i)
		}
		if slices.Equal(a[i].Values, other[i].Values) {
			t.Errorf("series %d is the same with another seed", i)
		}
	}
}

// TestJudge holds the count of a made-up case against one by hand: a constant series that falls silent, and one that nobody
// was told of.
func TestJudge(t *testing.T) {
	values := make([]float64, Days*perDay)
	for i := range values {
		values[i] = 100 + float64(i%3)
	}
	for i := 15 * perDay; i < 15*perDay+24; i++ {
		values[i] = math.NaN()
	}
	for i := 20 * perDay; i < 20*perDay+24; i++ {
		values[i] = 400
	}
	silence := Happening{What: "silence", Start: Time(15 * perDay), End: Time(15*perDay + 24)}
	var count Count
	count.Judge(Series{Signal: baseline.Operations(), Values: values, Happenings: []Happening{silence}})
	// Besides the departure at 400 there is a flatline: 400 never changes.
	if count.Found != 1 || count.Happened != 1 || count.True != 1 || count.False != 2 || count.Weeks != 4 {
		t.Errorf("%+v; want the silence found, two false incidents, four weeks", count)
	}
	if late := count.Late[0]; late != 20*time.Minute {
		t.Errorf("the silence is found after %s; want 20 minutes: its first sample is missed 5 minutes after the last, stale is 25", late)
	}
}
