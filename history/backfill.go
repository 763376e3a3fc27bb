package history

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"

	"github.com/nasight/nasight/schema"
)

// Backfiller stores samples of any age: what a cloud still knows from before nasight was started.
type Backfiller interface {
	// Backfill stores samples under the promise of Writer.Append, those too old for it included. Call it with large
	// batches, best with all series of a span: each call writes files and pauses queries for a moment.
	Backfill(ctx context.Context, samples []schema.Sample) error
}

// Backfill is Append: a memory history takes samples of any age.
func (m *Memory) Backfill(ctx context.Context, samples []schema.Sample) error {
	return m.Append(ctx, samples)
}

// Backfill stores samples of any age within the retention. Old ones become finished blocks beside those that are there.
func (e *Embedded) Backfill(ctx context.Context, samples []schema.Sample) error {
	past, written := bySeries(samples)
	past = e.refusePastAhead(past, &written)
	_, err := e.store(ctx, len(samples), written, func(database *generation, written *Written) error {
		return e.backfill(ctx, database, past, written)
	})
	return err
}

func (e *Embedded) backfill(ctx context.Context, database *generation, past []pastSeries, written *Written) error {
	if err := e.tidy(ctx); err != nil { // so that little is in memory, and most of the past is open to blocks
		return err
	}
	if len(past) == 0 {
		return nil
	}
	head := database.db.Head()
	oldest, newest := head.MinTime(), head.MaxTime()
	if oldest > newest { // nothing is in memory
		_, newest = bounds(past)
		oldest = newest
	}
	// No block may reach into what is in memory: the next start would take that for stored and drop it from the log.
	old, recent := cut(past, min(oldest, newest-e.opts.OutOfOrderWindow.Milliseconds()))
	if err := e.write(ctx, database, byTime(recent), written, nobody); err != nil || len(old) == 0 {
		return err
	}
	beyond, old := cut(old, newest-e.opts.Retention.Milliseconds())
	written.TooOld += uint64(countOf(beyond))
	fresh, err := e.notYetStored(ctx, database, old, written)
	if err != nil || len(fresh) == 0 {
		return err
	}
	if err := e.writeBlocks(ctx, fresh); err != nil {
		return err
	}
	written.Stored += uint64(countOf(fresh))
	_, err = e.replace(database, func() error { return nil })
	return err
}

// notYetStored leaves out what the database has already.
func (e *Embedded) notYetStored(ctx context.Context, database *generation, past []pastSeries, written *Written) (fresh []pastSeries, err error) {
	if len(past) == 0 {
		return nil, nil
	}
	release, err := database.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	querier, err := database.db.Querier(bounds(past))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, querier.Close()) }()
	for _, series := range past {
		stored, err := readStored(ctx, querier, series.labels)
		if err != nil {
			return nil, err
		}
		if left := series.without(stored.values, written); len(left.moments) > 0 {
			fresh = append(fresh, left)
		}
	}
	return fresh, nil
}

// writeBlocks cuts the past into blocks of the longest kind that the retention allows, as few as possible.
func (e *Embedded) writeBlocks(ctx context.Context, past []pastSeries) error {
	span := blockSpan
	for span*3 <= e.opts.Retention/10 {
		span *= 3
	}
	for len(past) > 0 {
		length := span.Milliseconds()
		start, _ := bounds(past)
		var block []pastSeries
		block, past = cut(past, (start/length+1)*length)
		err := guard("write block", func() error { return e.writeBlock(ctx, block, span) })
		if err != nil {
			return fmt.Errorf("back-fill from %s: %w", time.UnixMilli(start).UTC().Format(time.RFC3339), err)
		}
	}
	return nil
}

func (e *Embedded) writeBlock(ctx context.Context, block []pastSeries, span time.Duration) (err error) {
	events := newEventHandler(e.opts.Logger.Handler())
	writer, err := tsdb.NewBlockWriter(events.logger(), e.opts.Path, span.Milliseconds())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	appender := writer.AppenderV2(ctx)
	if err := appendPast(appender, block); err != nil {
		return errors.Join(err, appender.Rollback())
	}
	if err := appender.Commit(); err != nil {
		return err
	}
	_, err = writer.Flush(ctx)
	return err
}

// appendPast appends series after series, so that each is looked up once. The one that begins first comes first: what is
// appended first says how far back the others may reach.
func appendPast(appender storage.AppenderV2, block []pastSeries) error {
	first := 0
	for i := range block {
		if block[i].moments[0].time < block[first].moments[0].time {
			first = i
		}
	}
	block[0], block[first] = block[first], block[0]
	for _, series := range block {
		ref := storage.SeriesRef(0)
		for _, sample := range series.moments {
			var err error
			if ref, err = appender.Append(ref, series.labels, 0, sample.time, sample.value, nil, nil, storage.AOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}
