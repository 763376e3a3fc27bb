package alerting

import (
	"context"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// scraped begins the names under which history keeps what /metrics showed when rules were evaluated. The names are others than
// those of the samples themselves, so that a detector never meets a value that was only repeated.
const scraped = "scraped:"

// view is history as rules see it: under each name the samples with their own times, those of agents among them, and what
// /metrics showed.
type view struct{ history storage.Queryable }

// Querier implements storage.Queryable.
func (v view) Querier(from, to int64) (storage.Querier, error) {
	querier, err := v.history.Querier(from, to)
	if err != nil {
		return nil, err
	}
	return viewQuerier{querier}, nil
}

type viewQuerier struct{ storage.Querier }

// Select merges both, where the name of the series is given.
func (q viewQuerier) Select(ctx context.Context, sorted bool, hints *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	copies := ofScraped(matchers)
	if copies == nil {
		return q.Querier.Select(ctx, sorted, hints, matchers...)
	}
	own := q.Querier.Select(ctx, true, hints, matchers...)
	shown := renamed{q.Querier.Select(ctx, true, hints, copies...)}
	return storage.NewMergeSeriesSet([]storage.SeriesSet{own, shown}, 0, storage.ChainedSeriesMerge)
}

// ofScraped makes the matchers for what /metrics showed of the same metric; nil where no single one is asked for.
func ofScraped(matchers []*labels.Matcher) []*labels.Matcher {
	for i, matcher := range matchers {
		if matcher.Name != model.MetricNameLabel || matcher.Type != labels.MatchEqual || matcher.Value == "" {
			continue
		}
		copies := append([]*labels.Matcher(nil), matchers...)
		copies[i] = &labels.Matcher{Type: labels.MatchEqual, Name: model.MetricNameLabel, Value: scraped + matcher.Value}
		return copies
	}
	return nil
}

// renamed gives series the names that they have on /metrics. All have one name, so their order stays.
type renamed struct{ storage.SeriesSet }

// At is the series under its own name.
func (r renamed) At() storage.Series { return renamedSeries{r.SeriesSet.At()} }

type renamedSeries struct{ series storage.Series }

// Labels are those on /metrics.
func (s renamedSeries) Labels() labels.Labels {
	series := s.series.Labels()
	name, _ := strings.CutPrefix(series.Get(model.MetricNameLabel), scraped)
	return labels.NewBuilder(series).Set(model.MetricNameLabel, name).Labels()
}

// Iterator is that of the series.
func (s renamedSeries) Iterator(it chunkenc.Iterator) chunkenc.Iterator { return s.series.Iterator(it) }
