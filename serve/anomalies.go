package serve

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
)

const (
	anomaliesName  = "anomalies"       // of the batch of their metrics
	anomaliesFile  = "baselines.state" // beside the checkpoint
	anomaliesKept  = time.Hour         // how often the state is kept: what came since is read from history again
	anomaliesWait  = 20 * time.Second  // after the end of a grain
	anomaliesAgain = time.Minute       // after a failure
)

// anomalies keeps the baselines: it feeds them from history once a grain and keeps their state in a file.
type anomalies struct {
	path      string
	evaluator *evaluator // whose history and outputs they are
	debt      *debt      // the past that was filled in and is not learnt yet

	filled  chan struct{} // history was filled with the cloud's past
	changed chan struct{} // the terms are others

	current atomic.Pointer[judge.Baselines] // nil until the state is read

	mu      sync.Mutex // held while the state is written or the terms change
	terms   judge.AnomalyTerms
	used    judge.AnomalyTerms // by the current baselines
	damaged bool
	failing bool
	keepAt  time.Time // when the state is written next
	savedAt time.Time
	full    bool // that there is no room was said
}

func newAnomalies(cfg config.Config, e *evaluator, owed *debt) *anomalies {
	return &anomalies{
		path: filepath.Join(cfg.History.Path, anomaliesFile), evaluator: e, debt: owed, terms: judge.Configured(cfg).Anomalies,
		filled: make(chan struct{}, 1), changed: make(chan struct{}, 1),
	}
}

// configure changes the terms at run time. Baselines go on as after a restart.
func (a *anomalies) configure(cfg config.Config) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.terms = judge.Configured(cfg).Anomalies
	nudge(a.changed)
}

// look puts into a view what the baselines see. Without an answer nobody knows, and what goes on stays as it is.
func (a *anomalies) look(ctx context.Context, view *fleet.Fleet, findings []detectors.Finding) {
	if a == nil {
		return
	}
	baselines := a.current.Load()
	if baselines == nil {
		return
	}
	if err := baselines.Look(ctx, a.evaluator.history, view, findings); err != nil {
		a.evaluator.log.Debug("cannot tell what changed at the time of an anomaly", "err", err)
	}
}

// usual is how long operations usually take, as the baselines have it. Until they have caught up with history nobody knows.
func (a *anomalies) usual(of fleet.Resource, at time.Time) fleet.Value {
	if a == nil {
		return fleet.Unknown
	}
	if baselines := a.current.Load(); baselines != nil && baselines.Ready() {
		return baselines.Usual(of, at)
	}
	return fleet.Unknown
}

// run learns until the context ends: the past first, or what is new since the last run, then grain after grain. It begins once
// the detection has caught up, so that it holds nothing up.
func (a *anomalies) run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-a.evaluator.caughtUp:
	}
	_, _, relearn := a.debt.owed()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.changed:
		case <-a.filled:
			_, _, relearn = a.debt.owed()
			timer.Reset(a.evaluator.visible())
			continue
		case <-timer.C:
		}
		a.open()
		next := untilGrain(time.Now())
		switch err := a.feed(ctx, relearn); {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			next = anomaliesAgain
		default:
			relearn = false
		}
		timer.Reset(next)
	}
}

// untilGrain is how long to wait until the next grain has ended and settled.
func untilGrain(now time.Time) time.Duration {
	next := now.Truncate(schema.BaselineGrain).Add(anomaliesWait)
	if !next.After(now) {
		next = next.Add(schema.BaselineGrain)
	}
	return next.Sub(now)
}

// open reads the state, at the start and when the terms are others.
func (a *anomalies) open() {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.current.Load()
	if before != nil && reflect.DeepEqual(a.terms, a.used) {
		return
	}
	if before != nil && a.used.On {
		a.current.Store(nil)
		a.keep(before)
	}
	a.used, a.full = a.terms, false
	if !a.terms.On {
		a.current.Store(judge.NewBaselines(a.terms))
		return
	}
	opened, err := judge.OpenBaselines(a.path, a.terms)
	if damaged := (*baseline.DamagedError)(nil); errors.As(err, &damaged) {
		a.evaluator.log.Error("the state of the baselines was set aside; they are learnt from history anew", "err", err)
	} else if err != nil {
		a.evaluator.log.Error("the state of the baselines cannot be read; they are learnt from history anew, and it is replaced", "err", err)
		opened = judge.NewBaselines(a.terms)
	}
	a.damaged = err != nil
	if a.damaged { // the metrics tell of it until then
		a.keepAt = time.Now().Add(anomaliesKept)
	}
	a.current.Store(opened)
}

// feed takes in what history got, and tells how the baselines fare.
func (a *anomalies) feed(ctx context.Context, relearn bool) error {
	baselines, log := a.current.Load(), a.evaluator.log
	if !a.used.On {
		return nil
	}
	if relearn {
		baselines.Relearn()
	}
	_, owed, _ := a.debt.owed()
	began, first := time.Now(), !baselines.Ready()
	err := baselines.Feed(ctx, a.evaluator.history, began)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch failedBefore := a.failing; {
	case err != nil && !failedBefore:
		log.Warn("the baselines cannot read history; no anomaly begins or ends", "err", err)
	case err == nil && first:
		_, series := baselines.Refused()
		log.Info("the baselines have learnt what history holds", "series", series, "took", time.Since(began).Round(time.Millisecond))
	case err == nil && failedBefore:
		log.Info("the baselines read history again")
	}
	a.failing = err != nil
	if err == nil && first {
		debug.FreeOSMemory() // what the past took while it was read
	}
	if err == nil && relearn {
		a.debt.settle(owed)
	}
	a.conclude(ctx, baselines)
	return err
}

// conclude keeps the state where it is time, and publishes how the baselines fare.
func (a *anomalies) conclude(ctx context.Context, baselines *judge.Baselines) {
	a.mu.Lock()
	if !time.Now().Before(a.keepAt) && baselines.Ready() {
		a.keep(baselines)
	}
	if refused, series := baselines.Refused(); refused > 0 && !a.full {
		a.full = true
		a.evaluator.log.Warn("there is no room for more baselines; raise detection.anomalies.series", "series", series)
	}
	a.mu.Unlock()
	var view *fleet.Fleet
	if latest := a.evaluator.latest.Load(); latest != nil {
		view = latest.Fleet
	}
	now := time.Now()
	batch := collectors.Batch{
		Host: a.evaluator.host, Collector: anomaliesName, Time: now, Interval: schema.BaselineGrain,
		Samples: append(baselines.Samples(view, a.evaluator.host, now), a.stateSamples(now)...),
	}
	a.evaluator.record(ctx, batch.Samples)
	if err := a.evaluator.output.Publish(ctx, batch); err != nil {
		a.evaluator.log.Warn("cannot publish the baselines", "err", err)
	}
}

func (a *anomalies) stateSamples(now time.Time) []schema.Sample {
	a.mu.Lock()
	defer a.mu.Unlock()
	healthy, labels := 1.0, []string{a.evaluator.host}
	if a.damaged {
		healthy = 0
	}
	samples := []schema.Sample{{Family: schema.BaselineStateHealthy, Labels: labels, Value: healthy, Time: now}}
	if !a.savedAt.IsZero() {
		samples = append(samples, schema.Sample{Family: schema.BaselineStateSaved, Labels: labels, Value: float64(a.savedAt.Unix()), Time: now})
	}
	return samples
}

// keep writes the state.
func (a *anomalies) keep(baselines *judge.Baselines) {
	a.keepAt = time.Now().Add(anomaliesKept)
	err := baselines.Save(a.path)
	if err != nil {
		a.evaluator.log.Error("the state of the baselines cannot be kept; a restart reads more of history again", "err", err)
	}
	a.damaged = err != nil
	if err == nil {
		a.savedAt = time.Now()
	}
}

// save keeps the state at the end.
func (a *anomalies) save() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	baselines := a.current.Load()
	if baselines == nil || !a.used.On || !baselines.Ready() {
		return nil
	}
	return baselines.Save(a.path)
}
