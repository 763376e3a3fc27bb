package alerting

import (
	"context"
	"errors"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"

	"github.com/nasight/nasight/history"
)

// appendable takes what rules record: recordings, ALERTS and ALERTS_FOR_STATE.
type appendable struct{ history history.SeriesWriter }

// AppenderV2 begins a batch.
func (a appendable) AppenderV2(ctx context.Context) storage.AppenderV2 {
	commit := func(batch []history.SeriesSample) error {
		_, err := a.history.AppendSeries(ctx, batch)
		return err
	}
	return &appender{commit: commit}
}

// appender collects a batch that goes into history as a whole.
type appender struct {
	commit func([]history.SeriesSample) error
	batch  []history.SeriesSample
}

var errHistogram = errors.New("a rule gives a histogram, which history cannot hold; use histogram_quantile or another function that gives a number")

// Append implements storage.AppenderV2.
func (a *appender) Append(_ storage.SeriesRef, series labels.Labels, _, at int64, value float64, h *histogram.Histogram, f *histogram.FloatHistogram, _ storage.AOptions) (storage.SeriesRef, error) {
	if h != nil || f != nil {
		return 0, errHistogram
	}
	a.batch = append(a.batch, history.SeriesSample{Labels: series, Time: at, Value: value})
	return 0, nil
}

// Commit stores the batch.
func (a *appender) Commit() error {
	if len(a.batch) == 0 {
		return nil
	}
	return a.commit(a.batch)
}

// Rollback forgets the batch.
func (a *appender) Rollback() error {
	a.batch = nil
	return nil
}
