package history

import (
	"cmp"
	"math"
	"slices"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/nasight/nasight/schema"
)

// pastSeries is what a back-fill brings of one series. There is at least one moment, the oldest comes first and none is
// there twice.
type pastSeries struct {
	labels  labels.Labels
	moments []moment
}

// bySeries groups samples; those that fit no family or cannot be stored are counted and left out.
func bySeries(samples []schema.Sample) ([]pastSeries, Written) {
	var tally Written
	g := &grouping{builder: newSeriesBuilder(&tally), tally: &tally, known: map[string]*pastSeries{}}
	for i := range samples {
		g.add(&samples[i])
	}
	past := make([]pastSeries, 0, len(g.order))
	for _, series := range g.order {
		series.sort(&tally)
		past = append(past, *series)
	}
	return past, tally
}

// grouping sorts samples by series. Those of one series mostly come one after the other and share their labels, so that
// the series has to be looked up for the first of them alone.
type grouping struct {
	builder *seriesBuilder
	tally   *Written
	known   map[string]*pastSeries // by the bytes of the labels
	order   []*pastSeries

	before  *schema.Sample // the last one that was looked up
	current *pastSeries    // its series; nil where it is none
	altered uint64         // how many of its labels had to be changed
	bytes   []byte
}

func (g *grouping) add(sample *schema.Sample) {
	if sample.Family == nil || sample.Family.Name == "" || len(sample.Labels) != len(sample.Family.Labels) {
		g.tally.Malformed++
		return
	}
	if g.before != nil && sameSeries(g.before, sample) {
		g.tally.Altered += g.altered
	} else {
		g.lookUp(sample)
	}
	at := sample.Time.UnixMilli()
	switch {
	case !finite(sample.Value):
		g.tally.NotFinite++
	case at <= 0 || at > maxTime || g.current == nil:
		g.tally.Malformed++
	default:
		if len(g.current.moments) == 0 {
			g.order = append(g.order, g.current)
		}
		g.current.moments = append(g.current.moments, moment{at, sample.Value})
	}
}

// sameSeries is a quick look: samples that share the memory of their labels.
func sameSeries(a, b *schema.Sample) bool {
	return a.Family == b.Family && len(a.Labels) > 0 && &a.Labels[0] == &b.Labels[0]
}

func (g *grouping) lookUp(sample *schema.Sample) {
	altered := g.tally.Altered
	series, ok := g.builder.admit(g.builder.family(sample))
	g.before, g.current, g.altered = sample, nil, g.tally.Altered-altered
	if !ok {
		return
	}
	g.bytes = series.Bytes(g.bytes)
	if g.current = g.known[string(g.bytes)]; g.current == nil {
		g.current = &pastSeries{labels: series}
		g.known[string(g.bytes)] = g.current
	}
}

// sort puts the oldest first. Of two samples of one moment the first stays, as in an append.
func (s *pastSeries) sort(tally *Written) {
	oldestFirst := func(a, b moment) int { return cmp.Compare(a.time, b.time) }
	if !slices.IsSortedFunc(s.moments, oldestFirst) {
		slices.SortStableFunc(s.moments, oldestFirst)
	}
	kept := s.moments[:0]
	for _, sample := range s.moments {
		if n := len(kept); n > 0 && kept[n-1].time == sample.time {
			tally.again(kept[n-1].value, sample.value)
			continue
		}
		kept = append(kept, sample)
	}
	s.moments = kept
}

// again counts a sample of a moment that has one.
func (w *Written) again(stored, value float64) {
	if same(stored, value) {
		w.Stored++
	} else {
		w.Duplicate++
	}
}

// without leaves out the moments that are stored.
func (s pastSeries) without(stored map[int64]float64, tally *Written) pastSeries {
	if len(stored) == 0 {
		return s
	}
	left := pastSeries{labels: s.labels}
	for _, sample := range s.moments {
		if value, known := stored[sample.time]; known {
			tally.again(value, sample.value)
		} else {
			left.moments = append(left.moments, sample)
		}
	}
	return left
}

// cut splits every series into what is before a moment and the rest.
func cut(past []pastSeries, when int64) (before, after []pastSeries) {
	for _, series := range past {
		at, _ := slices.BinarySearchFunc(series.moments, when, func(m moment, t int64) int { return cmp.Compare(m.time, t) })
		if at > 0 {
			before = append(before, pastSeries{series.labels, series.moments[:at]})
		}
		if at < len(series.moments) {
			after = append(after, pastSeries{series.labels, series.moments[at:]})
		}
	}
	return before, after
}

// bounds are the oldest and the newest moment.
func bounds(past []pastSeries) (oldest, newest int64) {
	oldest, newest = math.MaxInt64, math.MinInt64
	for _, series := range past {
		oldest, newest = min(oldest, series.moments[0].time), max(newest, series.moments[len(series.moments)-1].time)
	}
	return oldest, newest
}

func countOf(past []pastSeries) int {
	count := 0
	for _, series := range past {
		count += len(series.moments)
	}
	return count
}

// byTime lists all samples, the oldest first.
func byTime(past []pastSeries) []SeriesSample {
	samples := make([]SeriesSample, 0, countOf(past))
	for _, series := range past {
		for _, sample := range series.moments {
			samples = append(samples, SeriesSample{Labels: series.labels, Time: sample.time, Value: sample.value})
		}
	}
	slices.SortStableFunc(samples, func(a, b SeriesSample) int { return cmp.Compare(a.Time, b.Time) })
	return samples
}
