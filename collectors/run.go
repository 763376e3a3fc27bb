package collectors

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/nasight/nasight/schema"
)

// Result is what one run of a collector gave.
type Result struct {
	Samples  []schema.Sample // checked, each with the time that the run was given or one of its own
	Past     []schema.Sample // earlier values of series in Samples; see Batch.Past
	Skipped  map[string]int  // odd input by reason; nil for none
	Err      error           // nil, ErrNoData or why the run failed
	Duration time.Duration
}

// Success says whether the run did what it could: it had no error, or the host does not have the source.
func (r Result) Success() bool {
	return r.Err == nil || errors.Is(r.Err, ErrNoData)
}

// Once runs a collector one time and gives its samples the time at. It returns by the context's deadline even if the
// collector hangs: the collector's goroutine is then left behind with a closed sink, where late values go nowhere. A
// panic of the collector becomes an error. Values with a wrong number of labels, values that are no numbers, negative
// counters and the second value of a series are dropped and counted in Skipped.
func Once(ctx context.Context, c Collector, at time.Time) Result {
	return start(ctx, c, at, 0).wait(ctx)
}

// run is one run of a collector in a goroutine of its own.
type run struct {
	sink    *sink
	started time.Time
	done    chan struct{} // closed when the collector has returned
	err     error         // valid once done is closed
}

func start(ctx context.Context, c Collector, at time.Time, expected int) *run {
	r := &run{sink: newSink(at, expected), started: time.Now(), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = guarded(ctx, c, r.sink)
	}()
	return r
}

// guarded turns a panic into an error. The stack goes into the error's text, as nothing else shows where it was.
func guarded(ctx context.Context, c Collector, s Sink) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, p, debug.Stack())
		}
	}()
	return c.Collect(ctx, s)
}

// wait returns what the run gave when it ends or the context does, whichever is first.
func (r *run) wait(ctx context.Context) Result {
	var err error
	select {
	case <-r.done:
		err = r.err
	case <-ctx.Done():
		err = fmt.Errorf("did not return in time: %w", ctx.Err())
	}
	samples, past, skipped := r.sink.close()
	return Result{Samples: samples, Past: past, Skipped: skipped, Err: err, Duration: time.Since(r.started)}
}

// returned says whether the collector has come back.
func (r *run) returned() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}
