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
	_, err := e.append(ctx, series, odd)
	return err
}

// AppendSeries stores samples of any series, under the same promise as Append.
func (e *Embedded) AppendSeries(ctx context.Context, samples []SeriesSample) (Written, error) {
	return e.append(ctx, samples, Written{})
}

// AppendNew is AppendSeries, and returns the samples that were not stored before.
func (e *Embedded) AppendNew(ctx context.Context, samples []SeriesSample) (fresh []SeriesSample, written Written, err error) {
	samples = e.refuseAhead(admit(samples, &written), &written)
	written, err = e.store(ctx, len(samples), written, func(database *generation, written *Written) error {
		return e.write(ctx, database, samples, written, func(s SeriesSample) { fresh = append(fresh, s) })
	})
	if err != nil {
		return nil, Written{}, err
	}
	return fresh, written, nil
}

// nobody does not want to know which samples are new.
func nobody(SeriesSample) {}

func (e *Embedded) append(ctx context.Context, samples []SeriesSample, written Written) (Written, error) {
	samples = e.refuseAhead(admit(samples, &written), &written)
	return e.store(ctx, len(samples), written, func(database *generation, written *Written) error {
		return e.write(ctx, database, samples, written, nobody)
	})
}

// writeFunc puts a batch into a database and adds up what became of its samples.
type writeFunc func(database *generation, written *Written) error

// store runs one write of so many samples at a time and keeps account of its outcome.
func (e *Embedded) store(ctx context.Context, count int, written Written, write writeFunc) (Written, error) {
	e.appending.Lock()
	defer e.appending.Unlock()
	if e.closed.Load() {
		return Written{}, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return Written{}, fmt.Errorf("append %d samples to %s: %w", count, e.opts.Path, err)
	}
	database, err := e.fit()
	if err == nil {
		err = write(database, &written)
	}
	if err != nil {
		err = fmt.Errorf("append %d samples to %s: %w; free space on the disk or make it writable, nasight then goes on by itself",
			count, e.opts.Path, err)
		e.health.appendFailed(err)
		return Written{}, err
	}
	e.health.appendWorked()
	e.tally.add(written)
	e.wakeWhenLarge()
	return written, nil
}

// write puts a batch into the database and tells of each sample that was not there. After any error the database is not trusted
// with another batch, and nothing that was told holds.
func (e *Embedded) write(ctx context.Context, database *generation, samples []SeriesSample, written *Written, isNew func(SeriesSample)) error {
	release, err := database.acquire()
	if err != nil {
		return err
	}
	defer release()
	lostBefore := database.events.lostLate()
	err = guard("write", func() error { return e.commit(ctx, database, samples, written, isNew) })
	if err == nil && database.events.lostLate() != lostBefore {
		err = errors.New("late samples could not be written to the log")
	}
	if err != nil {
		database.broken.Store(true)
		database.poisoned = errors.Is(err, errPanic)
	}
	return err
}

func (e *Embedded) commit(ctx context.Context, database *generation, samples []SeriesSample, written *Written, isNew func(SeriesSample)) error {
	appender := database.db.AppenderV2(ctx)
	err := e.appendTo(ctx, database, appender, samples, written, isNew)
	if err != nil {
		return errors.Join(err, appender.Rollback())
	}
	return appender.Commit()
}

func (e *Embedded) appendTo(ctx context.Context, database *generation, appender storage.AppenderV2, samples []SeriesSample, written *Written, isNew func(SeriesSample)) error {
	db := database.db
	var late []SeriesSample
	for _, sample := range samples {
		if e.refused(db, appender, sample.Labels) {
			written.Refused++
			continue
		}
		ref, err := appendOne(appender, sample, storage.AOptions{RejectOutOfOrder: true})
		if errors.Is(err, storage.ErrOutOfOrderSample) {
			late = append(late, sample)
			continue
		}
		if err == nil && database.newer(ref, sample.Time) {
			isNew(sample)
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
		_, err := appendOne(appender, sample, storage.AOptions{})
		if err == nil {
			isNew(sample)
		}
		if err = count(err, written); err != nil {
			return err
		}
	}
	return nil
}

func appendOne(appender storage.AppenderV2, sample SeriesSample, opts storage.AOptions) (storage.SeriesRef, error) {
	return appender.Append(0, sample.Labels, 0, sample.Time, sample.Value, nil, nil, opts)
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
