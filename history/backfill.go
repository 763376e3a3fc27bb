package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	series, odd := fromSchema(samples)
	_, err := e.store(ctx, series, odd, e.backfill)
	return err
}

func (e *Embedded) backfill(ctx context.Context, database *generation, samples []SeriesSample, written *Written) error {
	if err := e.tidy(ctx); err != nil { // so that little is in memory, and most of the past is open to blocks
		return err
	}
	if len(samples) == 0 {
		return nil
	}
	head := database.db.Head()
	oldest, newest := head.MinTime(), head.MaxTime()
	if oldest > newest { // nothing is in memory
		newest = samples[len(samples)-1].Time
		oldest = newest
	}
	// No block may reach into what is in memory: the next start would take that for stored and drop it from the log.
	old, recent := split(samples, min(oldest, newest-e.opts.OutOfOrderWindow.Milliseconds()))
	if err := e.write(ctx, database, recent, written); err != nil || len(old) == 0 {
		return err
	}
	beyond, old := split(old, newest-e.opts.Retention.Milliseconds())
	written.TooOld += uint64(len(beyond))
	fresh, err := e.notYetStored(ctx, database, old, written)
	if err != nil || len(fresh) == 0 {
		return err
	}
	if err := e.writeBlocks(ctx, fresh); err != nil {
		return err
	}
	written.Stored += uint64(len(fresh))
	_, err = e.replace(database, func() error { return nil })
	return err
}

// split divides sorted samples into those before a moment and the others.
func split(samples []SeriesSample, when int64) (before, after []SeriesSample) {
	at, _ := slices.BinarySearchFunc(samples, when, func(s SeriesSample, t int64) int { return cmp.Compare(s.Time, t) })
	return samples[:at], samples[at:]
}

func (e *Embedded) notYetStored(ctx context.Context, database *generation, samples []SeriesSample, written *Written) ([]SeriesSample, error) {
	release, err := database.acquire()
	if err != nil {
		return nil, err
	}
	defer release()
	return newSamples(ctx, database.db, samples, written)
}

// writeBlocks cuts samples into blocks of the longest kind that the retention allows, as few as possible.
func (e *Embedded) writeBlocks(ctx context.Context, samples []SeriesSample) error {
	span := blockSpan
	for span*3 <= e.opts.Retention/10 {
		span *= 3
	}
	for len(samples) > 0 {
		length := span.Milliseconds()
		end := (samples[0].Time/length + 1) * length
		var block []SeriesSample
		block, samples = split(samples, end)
		err := guard("write block", func() error { return e.writeBlock(ctx, block, span) })
		if err != nil {
			return fmt.Errorf("back-fill from %s: %w", time.UnixMilli(block[0].Time).UTC().Format(time.RFC3339), err)
		}
	}
	return nil
}

func (e *Embedded) writeBlock(ctx context.Context, samples []SeriesSample, span time.Duration) (err error) {
	events := newEventHandler(e.opts.Logger.Handler())
	writer, err := tsdb.NewBlockWriter(events.logger(), e.opts.Path, span.Milliseconds())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	appender := writer.AppenderV2(ctx)
	for _, sample := range samples {
		if err := appendOne(appender, sample, storage.AOptions{}); err != nil {
			return errors.Join(err, appender.Rollback())
		}
	}
	if err := appender.Commit(); err != nil {
		return err
	}
	_, err = writer.Flush(ctx)
	return err
}
