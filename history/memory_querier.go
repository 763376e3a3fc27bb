package history

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// querier opens a view of the samples from one moment to another, both included.
func (m *Memory) querier(from, to int64) (storage.Querier, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	return &memoryQuerier{memory: m, from: from, to: to}, nil
}

type memoryQuerier struct {
	memory   *Memory
	from, to int64
}

// Select implements storage.Querier.
func (q *memoryQuerier) Select(ctx context.Context, sorted bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	if err := ctx.Err(); err != nil {
		return storage.ErrSeriesSet(err)
	}
	found := q.find(matchers)
	if sorted {
		slices.SortFunc(found, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	}
	return &memorySeriesSet{series: found, at: -1}
}

func (q *memoryQuerier) find(matchers []*labels.Matcher) []storage.Series {
	q.memory.mu.RLock()
	defer q.memory.mu.RUnlock()
	var found []storage.Series
	for _, list := range q.candidates(matchers) {
		for _, series := range list {
			if !matches(series.labels, matchers) {
				continue
			}
			if samples := within(series.samples, q.from, q.to); len(samples) > 0 {
				found = append(found, &storage.SeriesEntry{Lset: series.labels, SampleIteratorFn: iterate(samples)})
			}
		}
	}
	return found
}

// candidates narrows the search to one metric where the matchers name one.
func (q *memoryQuerier) candidates(matchers []*labels.Matcher) [][]*memorySeries {
	for _, matcher := range matchers {
		if matcher.Name == metricName && matcher.Type == labels.MatchEqual {
			return [][]*memorySeries{q.memory.byName[matcher.Value]}
		}
	}
	return slices.Collect(maps.Values(q.memory.byName))
}

func matches(series labels.Labels, matchers []*labels.Matcher) bool {
	for _, matcher := range matchers {
		if !matcher.Matches(series.Get(matcher.Name)) {
			return false
		}
	}
	return true
}

func within(samples []moment, from, to int64) []moment {
	byTime := func(m moment, t int64) int { return cmp.Compare(m.time, t) }
	first, _ := slices.BinarySearchFunc(samples, from, byTime)
	last, found := slices.BinarySearchFunc(samples, to, byTime)
	if found {
		last++
	}
	return samples[first:max(first, last)]
}

// LabelValues implements storage.Querier.
func (q *memoryQuerier) LabelValues(_ context.Context, name string, hints *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return q.collect(hints, matchers, func(series labels.Labels, add func(string)) {
		if text := series.Get(name); text != "" {
			add(text)
		}
	}), nil, nil
}

// LabelNames implements storage.Querier.
func (q *memoryQuerier) LabelNames(_ context.Context, hints *storage.LabelHints, matchers ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return q.collect(hints, matchers, func(series labels.Labels, add func(string)) {
		series.Range(func(l labels.Label) { add(l.Name) })
	}), nil, nil
}

func (q *memoryQuerier) collect(hints *storage.LabelHints, matchers []*labels.Matcher, each func(labels.Labels, func(string))) []string {
	set := make(map[string]struct{})
	for _, series := range q.find(matchers) {
		each(series.Labels(), func(text string) { set[text] = struct{}{} })
	}
	names := slices.Sorted(maps.Keys(set))
	if hints != nil && hints.Limit > 0 && len(names) > hints.Limit {
		names = names[:hints.Limit]
	}
	return names
}

// Close implements storage.Querier.
func (q *memoryQuerier) Close() error { return nil }

type memorySeriesSet struct {
	series []storage.Series
	at     int
}

func (s *memorySeriesSet) Next() bool                        { s.at++; return s.at < len(s.series) }
func (s *memorySeriesSet) At() storage.Series                { return s.series[s.at] }
func (s *memorySeriesSet) Err() error                        { return nil }
func (s *memorySeriesSet) Warnings() annotations.Annotations { return nil }

// moments gives samples to Prometheus' own iterator, without a copy.
type moments []moment

func iterate(samples moments) func(chunkenc.Iterator) chunkenc.Iterator {
	return func(chunkenc.Iterator) chunkenc.Iterator { return storage.NewListSeriesIterator(samples) }
}

// Len implements storage.Samples.
func (m moments) Len() int { return len(m) }

// Get implements storage.Samples.
func (m moments) Get(i int) chunks.Sample { return &m[i] }

// The methods of chunks.Sample: a moment is a float without a start time.

func (m *moment) T() int64                      { return m.time }
func (m *moment) F() float64                    { return m.value }
func (m *moment) ST() int64                     { return 0 }
func (m *moment) H() *histogram.Histogram       { return nil }
func (m *moment) FH() *histogram.FloatHistogram { return nil }
func (m *moment) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (m *moment) Copy() chunks.Sample           { twin := *m; return &twin }
