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

	mu         sync.Mutex // held for a whole evaluation, and while settings change
	detection  config.Detection
	profile    fleet.Profile
	lifecycle  *detectors.Lifecycle
	started    time.Time // absent hosts are not judged until a window has passed since then
	learntAt   time.Time
	dailyCycle *detectors.Lifecycle // of the findings that are judged once a day; nil before the first time
	judgedAt   time.Time            // the last moment that the life cycle has taken in

	every     atomic.Int64               // the interval between evaluations
	latest    atomic.Pointer[evaluation] // nil before the first
	failure   atomic.Pointer[error]      // why the last evaluation failed; nil or a nil error if it did not
	replaying atomic.Bool
	changed   chan struct{} // the interval may have changed
	fresh     chan struct{} // a collector's first run has ended
	filled    chan struct{} // history was filled with the cloud's past
}

func newEvaluator(cfg config.Config, host string, history store, output collectors.Output, log *slog.Logger) *evaluator {
	e := &evaluator{
		host: host, directory: cfg.History.Path, history: history, output: output, log: log,
		changed: make(chan struct{}, 1), fresh: make(chan struct{}, 1), filled: make(chan struct{}, 1), started: time.Now(),
	}
	e.lifecycle = detectors.NewLifecycle(cfg.Detection.Settings())
	e.set(cfg)
	return e
}

func (e *evaluator) set(cfg config.Config) {
	learnt, days := e.profile.Learnt, e.profile.Days
	if window, spacing := time.Duration(cfg.Detection.Window), collectionInterval(cfg); window < 2*spacing {
		e.log.Warn("detection.window is shorter than two collections: rates will be missing; make it longer or collect more often",
			"window", window, "collection_interval", spacing)
	}
	e.detection = cfg.Detection
	e.every.Store(int64(cfg.Detection.Interval))
	e.profile = fleet.Spacing(time.Duration(cfg.Detection.Window), collectionInterval(cfg))
	e.profile.Cloud, e.profile.Learnt, e.profile.Days = cfg.Cloud, learnt, days
	e.profile.Provider = providers(cfg)
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
	e.learn(ctx, at)
	view, err := e.view(ctx, at)
	if err != nil {
		return nil, err
	}
	round := detectors.Judge(view, e.detection.Settings())
	round.Unjudged = append(round.Unjudged, e.absent(view)...)
	stepped := e.lifecycle.Step(round)
	result := e.result(ctx, view)
	if stepped {
		e.judgedAt = at
		e.record(ctx, result)
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

func (e *evaluator) view(ctx context.Context, at time.Time) (*fleet.Fleet, error) {
	view, err := fleet.Build(ctx, e.history, at, e.profile)
	if err != nil {
		return nil, fmt.Errorf("evaluate at %s: %w", at.UTC().Format(time.RFC3339), err)
	}
	return view, nil
}

// glance renews the view between two moments of the grid, so that mounts show as soon as they have been seen. It judges
// nothing.
func (e *evaluator) glance(ctx context.Context, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	view, err := e.view(ctx, at)
	if err != nil {
		e.log.Debug("cannot glance at the fleet", "err", err)
		return
	}
	e.latest.Store(e.result(ctx, view))
}

// absent are the hosts that findings are about and that history says nothing of. While it is replayed, and in the first
// window after a start, nobody was there to collect: that shows nothing of the host. Later a host that is gone lets
// its findings end.
func (e *evaluator) absent(view *fleet.Fleet) []fleet.Resource {
	if time.Since(e.started) > 2*time.Duration(e.detection.Window) && !e.replaying.Load() {
		return nil
	}
	present := map[string]bool{}
	for _, client := range view.Clients {
		present[client.Host] = true
	}
	var absent []fleet.Resource
	for _, finding := range e.lifecycle.Active() {
		if host := finding.Resource.Host; host != "" && !present[host] {
			absent = append(absent, fleet.Resource{Host: host})
		}
	}
	return absent
}

const (
	learnEvery = time.Hour
	learnAgain = 5 * time.Minute // after a failure
)

// learn takes the long looks once an hour. Without them the views lack the learnt values; nothing else depends on it.
func (e *evaluator) learn(ctx context.Context, at time.Time) {
	if since := at.Sub(e.learntAt); since >= 0 && since < learnEvery {
		return
	}
	learnt, err := fleet.Learn(ctx, e.history, at, e.profile)
	if err != nil {
		e.log.Warn("cannot take the long look over history", "err", err)
		e.learntAt = at.Add(learnAgain - learnEvery)
		return
	}
	e.profile.Learnt, e.learntAt = learnt, at
}

// record writes back to history what later looks need: roll-ups of busy endpoints, and the findings that fire.
func (e *evaluator) record(ctx context.Context, result *evaluation) {
	samples := result.Fleet.RollUps(func(endpoint *fleet.Endpoint) bool {
		return !detectors.EndpointIdle(endpoint, result.Settings)
	})
	samples = append(samples, findingSamples(result)...)
	if len(samples) == 0 {
		return
	}
	if err := e.history.Append(ctx, samples); err != nil {
		e.log.Debug("cannot keep the findings in history", "err", err)
	}
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
		e.latest.Store(result)
		batch.Samples = findingSamples(result)
	}
	batch.Samples = append(batch.Samples, e.healthSamples(err, took)...)
	if err := e.output.Publish(ctx, batch); err != nil {
		e.log.Warn("cannot publish findings", "err", err)
	}
	if err := e.save(); err != nil {
		e.log.Warn("cannot keep the state of the findings; a restart would lose what changed since", "err", err)
	}
}

const detectionName = "findings"

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
	var samples []schema.Sample
	for _, row := range []struct {
		result string
		count  uint64
	}{
		{"stored", written.Stored}, {"too_old", written.TooOld}, {"duplicate", written.Duplicate},
		{"not_finite", written.NotFinite}, {"malformed", written.Malformed}, {"refused", written.Refused},
	} {
		samples = append(samples, schema.Sample{
			Family: schema.HistorySamples, Labels: []string{e.host, row.result}, Value: float64(row.count), Time: now,
		})
	}
	return samples
}

// save writes the checkpoint, once something was judged.
func (e *evaluator) save() error {
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
