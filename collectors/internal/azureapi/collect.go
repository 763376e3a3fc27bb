package azureapi

import (
	"context"
	"sync"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// emitReserve is the time before a run's deadline that is left for putting out what was read.
const emitReserve = 10 * time.Second

// Reserve leaves some of a run's time for putting out what was read.
func Reserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(emitReserve, time.Until(deadline)/10)))
}

// Each reads all at once: one that cannot be read keeps no other one waiting. The errors are in the order of the input. After
// the deadline nobody takes what would be put out, which is the last error; it is kept for the next run.
func Each[T any](ctx context.Context, all []T, read func(context.Context, T) error) ([]error, error) {
	reading, cancel := Reserve(ctx)
	defer cancel()
	errs := make([]error, len(all))
	var running sync.WaitGroup
	for i, one := range all {
		running.Go(func() { errs[i] = read(reading, one) })
	}
	running.Wait()
	return errs, ctx.Err()
}

// RequestsOnly lets through how many requests there were. What they cost is not known, which is not 0 USD.
type RequestsOnly struct{ collectors.Sink }

// Add implements collectors.Sink.
func (s RequestsOnly) Add(family *schema.Family, value float64, labels ...string) {
	if family == schema.CloudRequests {
		s.Sink.Add(family, value, labels...)
	}
}

// Turn lets one reader in at a time. Others wait, as long as they may.
type Turn chan struct{}

// NewTurn is free.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits for the turn. An error is the context's.
func (t Turn) Take(ctx context.Context) (leave func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Odd counts what made no sense until it is told, by what was read. Its user holds a lock.
type Odd map[string]map[string]int

// Note adds counts by reason.
func (o Odd) Note(what string, counts map[string]int) {
	if o[what] == nil {
		o[what] = map[string]int{}
	}
	for reason, count := range counts {
		o[what][reason] += count
	}
}

// Tell puts the counts of one reading into the sink and forgets them.
func (o Odd) Tell(sink collectors.Sink, what string) {
	for reason, count := range o[what] {
		sink.Skip(reason, count)
	}
	clear(o[what])
}
