package history

import (
	"context"
	"errors"
	"fmt"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"

	"github.com/nasight/nasight/schema"
)

// Append stores samples; see Embedded for what is durable then. After an error, which a full or read-only disk gives,
// the same batch may be sent again: the history recovers by itself when the disk does.
func (e *Embedded) Append(ctx context.Context, samples []schema.Sample) error {
	series, odd := fromSchema(samples)
	_, err := e.store(ctx, series, odd, e.write)
	return err
}

// AppendSeries stores samples of any series, under the same promise as Append.
func (e *Embedded) AppendSeries(ctx context.Context, samples []SeriesSample) (Written, error) {
	return e.store(ctx, samples, Written{}, e.write)
}

// writeFunc puts a batch into a database and adds up what became of its samples.
type writeFunc func(ctx context.Context, database *generation, samples []SeriesSample, written *Written) error

// store runs one write at a time and keeps account of its outcome.
func (e *Embedded) store(ctx context.Context, samples []SeriesSample, written Written, write writeFunc) (Written, error) {
	samples = admit(samples, &written)
	e.appending.Lock()
	defer e.appending.Unlock()
	if e.closed.Load() {
		return Written{}, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return Written{}, fmt.Errorf("append %d samples to %s: %w", len(samples), e.opts.Path, err)
	}
	database, err := e.fit()
	if err == nil {
		err = write(ctx, database, samples, &written)
	}
	if err != nil {
		err = fmt.Errorf("append %d samples to %s: %w; free space on the disk or make it writable, nasight then goes on by itself",
			len(samples), e.opts.Path, err)
		e.health.appendFailed(err)
		return Written{}, err
	}
	e.health.appendWorked()
	e.tally.add(written)
	e.wakeWhenLarge()
	return written, nil
}

// write puts a batch into the database. After any error the database is not trusted with another one.
func (e *Embedded) write(ctx context.Context, database *generation, samples []SeriesSample, written *Written) error {
	release, err := database.acquire()
	if err != nil {
		return err
	}
	defer release()
	lostBefore := database.events.lostLate()
	err = guard("write", func() error { return e.commit(ctx, database.db, samples, written) })
	if err == nil && database.events.lostLate() != lostBefore {
		err = errors.New("late samples could not be written to the log")
	}
	if err != nil {
		database.broken.Store(true)
		database.poisoned = errors.Is(err, errPanic)
	}
	return err
}

func (e *Embedded) commit(ctx context.Context, db *tsdb.DB, samples []SeriesSample, written *Written) error {
	appender := db.AppenderV2(ctx)
	err := e.appendTo(ctx, db, appender, samples, written)
	if err != nil {
		return errors.Join(err, appender.Rollback())
	}
	return appender.Commit()
}

func (e *Embedded) appendTo(ctx context.Context, db *tsdb.DB, appender storage.AppenderV2, samples []SeriesSample, written *Written) error {
	var late []SeriesSample
	for _, sample := range samples {
		if e.refused(db, appender, sample.Labels) {
			written.Refused++
			continue
		}
		err := appendOne(appender, sample, storage.AOptions{RejectOutOfOrder: true})
		if errors.Is(err, storage.ErrOutOfOrderSample) {
			late = append(late, sample)
			continue
		}
		if err = count(err, written); err != nil {
			return err
		}
	}
	fresh, err := newSamples(ctx, db, late, written)
	if err != nil {
		return fmt.Errorf("look up late samples: %w", err)
	}
	for _, sample := range fresh {
		if err := count(appendOne(appender, sample, storage.AOptions{}), written); err != nil {
			return err
		}
	}
	return nil
}

func appendOne(appender storage.AppenderV2, sample SeriesSample, opts storage.AOptions) error {
	_, err := appender.Append(0, sample.Labels, 0, sample.Time, sample.Value, nil, nil, opts)
	return err
}

// refused tells whether a sample would make a series beyond the limit.
func (e *Embedded) refused(db *tsdb.DB, appender storage.AppenderV2, series labels.Labels) bool {
	if db.Head().NumSeries() < e.opts.MaxSeries {
		return false
	}
	known, ok := appender.(storage.GetRef)
	if !ok {
		return true
	}
	ref, _ := known.GetRef(series, series.Hash())
	return ref == 0
}

// count sorts out what the database said of one sample; what is left is a failure of the batch.
func count(err error, written *Written) error {
	switch {
	case err == nil:
		written.Stored++
	case errors.Is(err, storage.ErrTooOldSample), errors.Is(err, storage.ErrOutOfBounds), errors.Is(err, storage.ErrOutOfOrderSample):
		written.TooOld++
	case errors.Is(err, storage.ErrDuplicateSampleForTimestamp):
		written.Duplicate++
	case errors.Is(err, tsdb.ErrInvalidSample):
		written.Malformed++
	default:
		return err
	}
	return nil
}
