// Package diagnose takes a few moments of one host, live or recorded, and says what binds each mount: the one-shot use
// of the same way that serve goes continuously, collectors to history to fleet to detectors.
package diagnose

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
)

// Options are what a diagnosis may be told; the zero value is the default.
type Options struct {
	Entries    []collectors.Entry // the collectors to run; required
	Collectors collectors.Settings
	Detectors  detectors.Settings                             // thresholds; Snapshot is set by Run
	Provider   func(server, serverName string) fleet.Provider // nil: by the server's name
	Cloud      string                                         // gce, azure or empty
	Deadline   time.Duration                                  // of one run of one collector; 0 for 5 s
	Progress   func(moment int, at time.Time)                 // told of every moment taken; may be nil
}

// ErrNoMoment says that not even one moment could be taken.
var ErrNoMoment = errors.New("no moment could be read")

// Run takes the moments one by one and judges what they show.
func Run(ctx context.Context, moments iter.Seq[bundle.Moment], options Options) (*Report, error) {
	taker := newTaker(options)
	defer func() { _ = taker.memory.Close() }()
	return taker.run(ctx, moments)
}

type taker struct {
	options Options
	memory  *history.Memory
	times   []time.Time
	host    string
	order   []string
	states  map[string]*CollectorState
	stage   *collectors.Stage
	cast    map[string]collectors.Collector
}

func newTaker(options Options) *taker {
	options.Collectors.Memory = inProcess{}
	return &taker{
		options: options, memory: history.NewMemory(history.MemoryOptions{}),
		states: map[string]*CollectorState{}, cast: map[string]collectors.Collector{},
	}
}

func (t *taker) run(ctx context.Context, moments iter.Seq[bundle.Moment]) (*Report, error) {
	for moment := range moments {
		if err := t.take(ctx, moment); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(t.times) == 0 {
		return nil, ErrNoMoment
	}
	return t.judge(ctx)
}

func (t *taker) take(ctx context.Context, moment bundle.Moment) error {
	t.host = moment.Root.Host
	if t.stage == nil {
		t.stage = collectors.NewStage(moment.Root)
	}
	t.stage.Set(moment.Root)
	t.times = append(t.times, moment.Time)
	for _, entry := range t.options.Entries {
		result := t.collect(ctx, entry, moment)
		t.note(entry.Name, result)
		if err := t.memory.Append(ctx, result.Samples); err != nil {
			return fmt.Errorf("keep samples of %s: %w", entry.Name, err)
		}
	}
	if t.options.Progress != nil {
		t.options.Progress(len(t.times), moment.Time)
	}
	return ctx.Err()
}

func (t *taker) collect(ctx context.Context, entry collectors.Entry, moment bundle.Moment) collectors.Result {
	deadline := t.options.Deadline
	if deadline <= 0 {
		deadline = 5 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	collector, ok := t.cast[entry.Name]
	if !ok {
		var err error
		if collector, err = entry.New(t.stage.Root, t.options.Collectors); err != nil {
			return collectors.Result{Err: err}
		}
		t.cast[entry.Name] = collector
	}
	return collectors.Once(ctx, collector, moment.Time)
}

// note keeps what a collector's runs came to: one failed run makes it unsuccessful, the last reason is told.
func (t *taker) note(name string, result collectors.Result) {
	state, ok := t.states[name]
	if !ok {
		state = &CollectorState{Name: name, Success: true, Skipped: map[string]int{}}
		t.states[name] = state
		t.order = append(t.order, name)
	}
	for reason, count := range result.Skipped {
		state.Skipped[reason] += count
	}
	switch {
	case errors.Is(result.Err, collectors.ErrNoData):
		state.Reason = result.Err.Error()
	case result.Err != nil:
		state.Success, state.Reason = false, result.Err.Error()
	}
}

func (t *taker) judge(ctx context.Context) (*Report, error) {
	profile := fleet.Moments(t.times)
	profile.Provider, profile.Cloud = t.options.Provider, t.options.Cloud
	view, err := fleet.Build(ctx, t.memory, t.times[len(t.times)-1], profile)
	if err != nil {
		return nil, fmt.Errorf("build the view of host %s: %w", t.host, err)
	}
	settings := t.options.Detectors
	settings.Snapshot = true
	report := &Report{
		Host:     t.host,
		Window:   Window{From: t.times[0], To: t.times[len(t.times)-1], Moments: len(t.times)},
		Mounts:   []Mount{},
		Findings: detectors.Evaluate(view, settings),
	}
	report.Window.Seconds = report.Window.To.Sub(report.Window.From).Seconds()
	for _, client := range view.Clients {
		for _, endpoint := range client.Endpoints {
			for _, mount := range endpoint.Mounts {
				report.Mounts = append(report.Mounts, describe(mount, endpoint, client, report.Findings, settings))
			}
		}
	}
	for _, name := range t.order {
		report.Collectors = append(report.Collectors, *t.states[name])
	}
	return report, nil
}

// inProcess is a memory that lasts as long as the diagnosis.
type inProcess map[string]float64

func (m inProcess) Load(key string) (float64, bool) { v, ok := m[key]; return v, ok }
func (m inProcess) Store(key string, value float64) { m[key] = value }

// Recorded gives the moments of a bundle.
func Recorded(b *bundle.Bundle) iter.Seq[bundle.Moment] { return slices.Values(b.Moments) }

// Live takes count moments of a host, an interval apart, until the context ends.
func Live(ctx context.Context, root collectors.Root, count int, interval time.Duration) iter.Seq[bundle.Moment] {
	return func(yield func(bundle.Moment) bool) {
		start := time.Now()
		for i := range count {
			if i > 0 && !sleep(ctx, time.Until(start.Add(time.Duration(i)*interval))) {
				return
			}
			// Time by the monotonic clock since the start, so that a stepping wall clock changes no rate.
			at := start.Round(0).Add(time.Since(start))
			if !yield(bundle.Moment{Name: fmt.Sprintf("t%d", i), Time: at, Root: root}) {
				return
			}
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
