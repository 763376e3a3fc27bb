package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/judge"
)

// The bounds of a replay at start.
const (
	replayWithout = time.Hour       // how far back without a checkpoint
	replayMost    = 24 * time.Hour  // how far back with one
	replaySteps   = 1500            // evaluations
	replayTime    = 2 * time.Minute // of the clock; then the present matters more
)

// run evaluates until the context ends: first the moments that were missed since the last run, then every moment of
// the grid, settle after it.
func (e *evaluator) run(ctx context.Context) error {
	e.catchUp(ctx, time.Now())
	close(e.caughtUp)
	for {
		interval := e.interval()
		at := time.Now().Add(-settle(interval)).Truncate(interval).Add(interval)
		timer := time.NewTimer(time.Until(at.Add(settle(interval))))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-e.changed:
			timer.Stop()
		case <-e.fresh:
			timer.Stop()
			e.glance(ctx, time.Now())
		case <-timer.C:
			e.once(ctx, at)
		}
	}
}

// catchUp goes on from the last run: from its checkpoint, or else from what it left in history.
func (e *evaluator) catchUp(ctx context.Context, now time.Time) {
	after := e.restore(now)
	if e.judgedAt.IsZero() { // there is no checkpoint
		e.recall(ctx, e.lifecycle, after.Add(-e.interval()), now, e.interval())
	}
	e.replay(ctx, after)
}

// settle is how long after a moment it is judged: samples that were taken just before it arrive meanwhile.
func settle(interval time.Duration) time.Duration { return min(interval/10, 5*time.Second) }

// once evaluates one moment with a deadline, so that a history that hangs does not stop the grid for good.
func (e *evaluator) once(ctx context.Context, at time.Time) {
	limited, cancel := context.WithTimeout(ctx, max(e.interval(), 30*time.Second))
	defer cancel()
	start := time.Now()
	result, err := e.evaluate(limited, at)
	if ctx.Err() != nil {
		return
	}
	e.conclude(ctx, result, err, time.Since(start))
}

// restore loads the checkpoint and returns the moment after which history has not been judged yet.
func (e *evaluator) restore(now time.Time) time.Time {
	saved, err := readCheckpoint(e.directory)
	if err == nil && !saved.EvaluatedAt.IsZero() {
		err = json.Unmarshal(saved.State, e.lifecycle)
	}
	if err != nil {
		e.setAside(err)
		return now.Add(-replayWithout)
	}
	e.judgedAt = saved.EvaluatedAt
	switch since := now.Sub(saved.EvaluatedAt); {
	case saved.EvaluatedAt.IsZero():
		return now.Add(-replayWithout)
	case since > replayMost:
		e.log.Warn("long since the last evaluation; only the last part is caught up with", "since", since.Round(time.Second), "part", replayMost)
		return now.Add(-replayMost)
	}
	return saved.EvaluatedAt
}

// setAside renames a checkpoint that cannot be used. The findings are then made out anew from history.
func (e *evaluator) setAside(cause error) {
	e.lifecycle = detectors.NewLifecycle(e.detection.Settings())
	aside, err := setAside(e.directory)
	if err != nil {
		e.log.Error("the state of the findings cannot be read nor set aside; it is replaced", "err", errors.Join(cause, err))
		return
	}
	e.log.Error("the state of the findings cannot be read; it was set aside and the last hour is judged anew", "file", aside, "err", cause)
}

// replay evaluates the moments of the grid from after to now of which history knows something; of the others there is
// nothing to judge. Its last evaluation is the first that is visible.
func (e *evaluator) replay(ctx context.Context, after time.Time) {
	e.replaying.Store(true)
	defer e.replaying.Store(false)
	interval := e.interval()
	start := time.Now()
	last := start.Truncate(interval)
	first := after.Truncate(interval).Add(interval)
	if earliest := last.Add(-(replaySteps - 1) * interval); first.Before(earliest) {
		first = earliest
	}
	moments, err := judge.Known(ctx, e.history, first, last.Add(-interval), interval, time.Duration(e.detection.Window))
	if err != nil {
		e.giveUp(ctx, first, err)
	}
	for i, at := range moments {
		_, err := e.evaluate(ctx, at)
		if err == nil && time.Since(start) > replayTime {
			err = fmt.Errorf("took longer than %s", replayTime)
		}
		if err != nil {
			e.giveUp(ctx, at, err)
			break
		}
		if i == len(moments)-1 {
			e.log.Info("caught up with history", "evaluations", len(moments), "from", moments[0], "to", at, "took", time.Since(start).Round(time.Millisecond))
		}
	}
	e.once(ctx, last)
}

func (e *evaluator) giveUp(ctx context.Context, at time.Time, err error) {
	if ctx.Err() == nil {
		e.log.Warn("cannot catch up with history any further; going on with the present", "reached", at, "err", err)
	}
}
