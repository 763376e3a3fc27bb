package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/web"
)

// store is what the evaluator needs of history.
type store interface {
	history.Reader
	history.Writer
}

// evaluation is what one look at the fleet gave. Immutable.
type evaluation struct {
	At       time.Time
	Fleet    *fleet.Fleet
	Findings []detectors.Finding // in every state, the most severe first
	Settings detectors.Settings
	// Collectors are those that history knows of, agents' included, as of the window.
	Collectors []web.Collector
}

// evaluator judges the fleet on a fixed grid of moments and takes the findings through their life cycle.
type evaluator struct {
	host      string // this machine: the findings' batch and the health of the detection carry it
	directory string // of the checkpoint
	history   store
	output    collectors.Output
	log       *slog.Logger

	saving sync.Mutex // held while the checkpoint is written, so that the newest state is written last

	mu            sync.Mutex // held for a whole evaluation, and while settings change
	detection     config.Detection
	profile       fleet.Profile
	lifecycle     *detectors.Lifecycle
	started       time.Time // absent hosts are not judged until a window has passed since then
	learner       judge.Learner
	dailyCycle    *detectors.Lifecycle // of the findings that are judged once a day; nil before the first time
	dailyAt       time.Time            // when they were judged
	dailySettings detectors.Settings   // by which
	judgedAt      time.Time            // the last moment that the life cycle has taken in
	debt          *debt                // the past that was filled in and is not folded yet
	anomalies     *anomalies           // nil: nobody looks for any

	every      atomic.Int64               // the interval between evaluations
	latest     atomic.Pointer[evaluation] // nil before the first
	failure    atomic.Pointer[error]      // why the last evaluation failed; nil or a nil error if it did not
	replaying  atomic.Bool
	readsCloud atomic.Bool   // a cloud is configured
	changed    chan struct{} // the interval may have changed
	fresh      chan struct{} // a collector's first run has ended
	filled     chan struct{} // history was filled with the cloud's past
	caughtUp   chan struct{} // closed after the replay at the start
}

func newEvaluator(cfg config.Config, host string, history store, output collectors.Output, log *slog.Logger) *evaluator {
	e := &evaluator{
		host: host, directory: cfg.History.Path, history: history, output: output, log: log,
		changed: make(chan struct{}, 1), fresh: make(chan struct{}, 1), filled: make(chan struct{}, 1), started: time.Now(),
		debt: &debt{}, caughtUp: make(chan struct{}),
	}
	e.lifecycle = detectors.NewLifecycle(cfg.Detection.Settings())
	e.set(cfg)
	return e
}

func (e *evaluator) set(cfg config.Config) {
	learnt, days := e.profile.Learnt, e.profile.Days
	for _, warning := range cfg.Warnings() {
		e.log.Warn("this configuration is hardly meant", "note", warning)
	}
	e.detection = cfg.Detection
	e.every.Store(int64(cfg.Detection.Interval))
	terms := judge.Configured(cfg)
	e.profile = terms.Profile
	e.profile.Learnt, e.profile.Days = learnt, days
	e.readsCloud.Store(terms.Cloud)
}

// configure changes thresholds, providers and clocks at run time. Every finding keeps its state and since.
func (e *evaluator) configure(cfg config.Config) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	state, err := json.Marshal(e.lifecycle)
	if err != nil {
		return fmt.Errorf("carry the findings over: %w", err)
	}
	lifecycle := detectors.NewLifecycle(cfg.Detection.Settings())
	if err := json.Unmarshal(state, lifecycle); err != nil {
		return fmt.Errorf("carry the findings over: %w", err)
	}
	e.lifecycle = lifecycle
	e.set(cfg)
	nudge(e.changed)
	return nil
}

// nudge sends a sign unless one is waiting already.
func nudge(signs chan<- struct{}) {
	select {
	case signs <- struct{}{}:
	default:
	}
}

// interval is the time between evaluations.
func (e *evaluator) interval() time.Duration { return time.Duration(e.every.Load()) }

// evaluate looks at the fleet at one moment and takes the life cycle one step.
func (e *evaluator) evaluate(ctx context.Context, at time.Time) (*evaluation, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.learner.Learn(ctx, e.history, at, &e.profile); err != nil {
		e.log.Warn("cannot take the long look over history", "err", err)
	}
	terms := e.terms()
	view, err := terms.View(ctx, e.history, at)
	if err != nil {
		return nil, err
	}
	e.anomalies.look(ctx, view, e.active())
	stepped, err := terms.Minute(ctx, e.history, view, e.lifecycle, e.unwatched())
	if err != nil {
		return nil, err
	}
	result := e.result(ctx, view)
	if stepped {
		e.judgedAt = at
		e.record(ctx, append(terms.Record(view, result.Findings), judge.States(view, e.host)...))
	}
	return result, nil
}

// result puts a view together with where the findings stand.
func (e *evaluator) result(ctx context.Context, view *fleet.Fleet) *evaluation {
	return &evaluation{
		At: view.At, Fleet: view, Findings: e.active(), Settings: e.detection.Settings(),
		Collectors: collectorsIn(ctx, e.history, view.At, view.Window),
	}
}

// glance renews the view between two moments of the grid, so that mounts show as soon as they have been seen. It judges
// nothing.
func (e *evaluator) glance(ctx context.Context, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	view, err := e.terms().View(ctx, e.history, at)
	if err != nil {
		e.log.Debug("cannot glance at the fleet", "err", err)
		return
	}
	e.anomalies.look(ctx, view, e.active())
	e.latest.Store(e.result(ctx, view))
}

// record writes back to history what later looks need, and what others read there.
func (e *evaluator) record(ctx context.Context, samples []schema.Sample) {
	if len(samples) == 0 {
		return
	}
	if err := e.history.Append(ctx, samples); err != nil {
		e.log.Debug("cannot keep in history what was judged", "err", err)
	}
}

// onto keeps the view of a glance that was taken at a later moment of the same interval: what has been seen does not disappear
// again. A moment that is later by more is one from before the clock was set back.
func (r *evaluation) onto(before *evaluation, interval time.Duration) *evaluation {
	if before == nil || !before.At.After(r.At) || before.At.Sub(r.At) > 2*interval {
		return r
	}
	shown := *r
	shown.At, shown.Fleet, shown.Collectors = before.At, before.Fleet, before.Collectors
	return &shown
}

// conclude makes an evaluation's outcome visible: to the API and the page, in /metrics, and to the next start.
func (e *evaluator) conclude(ctx context.Context, result *evaluation, err error, took time.Duration) {
	before := e.failure.Swap(&err)
	switch failedBefore := before != nil && *before != nil; {
	case err != nil && !failedBefore:
		e.log.Warn("evaluation failed; the findings stay as they are", "err", err)
	case err == nil && failedBefore:
		e.log.Info("evaluations work again")
	}
	batch := collectors.Batch{
		Host: e.host, Collector: detectionName, Time: time.Now(), Interval: e.interval(), Failed: err != nil,
	}
	if result != nil {
		e.latest.Store(result.onto(e.latest.Load(), e.interval()))
		batch.Samples = append(findingSamples(result), judge.States(result.Fleet, e.host)...)
	}
	own := e.healthSamples(err, took)
	e.record(ctx, own) // whoever reads history, or is written it, has to see that the detection runs
	batch.Samples = append(batch.Samples, own...)
	if err := e.output.Publish(ctx, batch); err != nil {
		e.log.Warn("cannot publish findings", "err", err)
	}
	if err := e.save(); err != nil {
		e.log.Warn("cannot keep the state of the findings; a restart would lose what changed since", "err", err)
	}
}

const detectionName = judge.Own

func (e *evaluator) healthSamples(err error, took time.Duration) []schema.Sample {
	success, now := 1.0, time.Now()
	if err != nil {
		success = 0
	}
	labels := []string{e.host, detectionName}
	samples := []schema.Sample{
		{Family: schema.CollectorSuccess, Labels: labels, Value: success, Time: now},
		{Family: schema.CollectorDuration, Labels: labels, Value: took.Seconds(), Time: now},
	}
	samples = append(samples, e.historySamples(now)...)
	if latest := e.latest.Load(); latest != nil {
		last := float64(latest.At.UnixMilli()) / 1e3
		samples = append(samples, schema.Sample{Family: schema.CollectorLastSuccess, Labels: labels, Value: last, Time: now})
	}
	return samples
}

// historySamples count what became of the samples that the history was given, where it counts them.
func (e *evaluator) historySamples(now time.Time) []schema.Sample {
	counting, ok := e.history.(interface{ Stats() history.Written })
	if !ok {
		return nil
	}
	written := counting.Stats()
	samples := e.warningSamples(now)
	for _, row := range []struct {
		result string
		count  uint64
	}{
		{"stored", written.Stored}, {"too_old", written.TooOld}, {"too_new", written.TooNew}, {"duplicate", written.Duplicate},
		{"not_finite", written.NotFinite}, {"malformed", written.Malformed}, {"refused", written.Refused},
	} {
		samples = append(samples, schema.Sample{
			Family: schema.HistorySamples, Labels: []string{e.host, row.result}, Value: float64(row.count), Time: now,
		})
	}
	return samples
}

// warningSamples count what a history in another server warns of.
func (e *evaluator) warningSamples(now time.Time) []schema.Sample {
	warned, ok := e.history.(interface{ Warnings() (uint64, bool) })
	if !ok {
		return nil
	}
	count, remote := warned.Warnings()
	if !remote {
		return nil
	}
	return []schema.Sample{{Family: schema.HistoryWarnings, Labels: []string{e.host}, Value: float64(count), Time: now}}
}

// save writes the checkpoint, once something was judged.
func (e *evaluator) save() error {
	e.saving.Lock()
	defer e.saving.Unlock()
	e.mu.Lock()
	at := e.judgedAt
	state, err := json.Marshal(e.lifecycle)
	e.mu.Unlock()
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	if at.IsZero() {
		return nil
	}
	return checkpoint{EvaluatedAt: at, State: state}.write(e.directory)
}

// failed says why the last evaluation failed, or nil.
func (e *evaluator) failed() error {
	if failure := e.failure.Load(); failure != nil && !errors.Is(*failure, context.Canceled) {
		return *failure
	}
	return nil
}
