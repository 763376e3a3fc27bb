package history

import (
	"context"
	"errors"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// newSamples leaves out late samples whose moment is stored already. The database itself would take a second value
// among late samples without a word and may then answer with either.
func newSamples(ctx context.Context, db *tsdb.DB, late []SeriesSample, written *Written) ([]SeriesSample, error) {
	if len(late) == 0 {
		return nil, nil
	}
	// Samples are sorted by time, so that the first and the last bound all.
	querier, err := db.Querier(late[0].Time, late[len(late)-1].Time)
	if err != nil {
		return nil, err
	}
	seen := make(map[uint64]*storedSeries)
	var fresh []SeriesSample
	for _, sample := range late {
		hash := sample.Labels.Hash()
		stored, ok := seen[hash]
		if !ok || !labels.Equal(stored.labels, sample.Labels) {
			if stored, err = readStored(ctx, querier, sample.Labels); err != nil {
				return nil, errors.Join(err, querier.Close())
			}
			seen[hash] = stored
		}
		value, known := stored.values[sample.Time]
		switch {
		case !known:
			stored.values[sample.Time] = sample.Value
			fresh = append(fresh, sample)
		case same(value, sample.Value):
			written.Stored++
		default:
			written.Duplicate++
		}
	}
	return fresh, querier.Close()
}

// storedSeries is what the database holds of one series over the span of a batch of late samples.
type storedSeries struct {
	labels labels.Labels
	values map[int64]float64 // by time in milliseconds
}

func readStored(ctx context.Context, querier storage.Querier, series labels.Labels) (*storedSeries, error) {
	stored := &storedSeries{labels: series, values: make(map[int64]float64)}
	set := querier.Select(ctx, false, nil, exactly(series)...)
	var iterator chunkenc.Iterator
	for set.Next() {
		found := set.At()
		if !labels.Equal(found.Labels(), series) {
			continue // it has further labels
		}
		iterator = found.Iterator(iterator)
		for iterator.Next() == chunkenc.ValFloat {
			t, v := iterator.At()
			stored.values[t] = v
		}
		if err := iterator.Err(); err != nil {
			return nil, err
		}
	}
	return stored, set.Err()
}

// exactly makes matchers for the labels of one series.
func exactly(series labels.Labels) []*labels.Matcher {
	matchers := make([]*labels.Matcher, 0, series.Len())
	series.Range(func(l labels.Label) {
		matchers = append(matchers, &labels.Matcher{Type: labels.MatchEqual, Name: l.Name, Value: l.Value})
	})
	return matchers
}
