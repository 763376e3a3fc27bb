package history

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// maintainEvery is how often the files are tidied, as Prometheus does it.
const maintainEvery = time.Minute

// maintain writes finished chunks and blocks out of memory and deletes what is beyond the retention, until it is
// stopped.
func (e *Embedded) maintain(ctx context.Context) {
	defer close(e.done)
	ticker := time.NewTicker(maintainEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-e.wake:
		}
		e.health.maintained(e.tidy(ctx))
	}
}

// tidy does one round of maintenance. On a full disk it does nothing, as a failure half-way would break the database.
func (e *Embedded) tidy(ctx context.Context) error {
	e.tidying.Lock()
	defer e.tidying.Unlock()
	if free, known := freeBytes(e.opts.Path); known && free < e.opts.MinFreeBytes {
		return nil // appends say so
	}
	database := e.current.Load()
	release, err := database.acquire()
	if err != nil {
		return nil // it is being opened again
	}
	defer release()
	if database.broken.Load() {
		return fmt.Errorf("the files of %s stay as they are until an append gets through", e.opts.Path)
	}
	err = guard("tidy", func() error {
		database.db.ForceHeadMMap()
		return database.db.Compact(ctx)
	})
	if err == nil || ctx.Err() != nil {
		return nil
	}
	if errors.Is(err, errPanic) {
		database.broken.Store(true)
	}
	err = fmt.Errorf("tidy the files of %s: %w; free space on the disk or make it writable", e.opts.Path, err)
	e.opts.Logger.Error("history cannot tidy its files", "error", err)
	return err
}

// wakeWhenLarge starts maintenance early when a back-fill has filled memory faster than the clock.
func (e *Embedded) wakeWhenLarge() {
	head := e.current.Load().db.Head() // after a write it is open, and only writers replace it
	if head.MaxTime()-head.MinTime() < blockSpan.Milliseconds()*3/2 {
		return
	}
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// blockSpan is what one block of the newest kind covers.
const blockSpan = 2 * time.Hour
