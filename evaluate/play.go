package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/model"
)

const (
	tick     = schema.HostGrain // of the simulated clock
	interval = time.Minute      // between evaluations
	window   = time.Minute      // of the rules of the minute, as serve's default

	// longest is what is kept in memory: of twenty hosts, what a memory history holds. A longer scenario has its history in files.
	longest = 6 * time.Hour

	leastLearnt = 12 * time.Hour // of the past, below which no baseline can say anything in a scenario's time
	seriesMost  = 50_000         // that have a baseline, as serve's default
)

// played is one scenario as it was judged, and what that took.
type played struct {
	Case
	looks  int
	told   Notices
	spent  time.Duration // of the processor, in all looks together; 0 where it is not known
	series float64       // that history held at the end
}

// play takes a scenario through its time and judges it every minute, as serve does.
func play(ctx context.Context, s *Scenario, open Opening) (_ *played, err error) {
	world, err := s.open(ctx, s.Fleet, open)
	if err != nil {
		return nil, err
	}
	defer closing(world, &err)
	kept, err := storeOf(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	defer closing(kept, &err)
	p := &player{
		scenario: s, world: world, store: kept, changes: s.Changes,
		watch: judge.NewWatch(kept, kept, s.terms()),
	}
	if err := p.run(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	result := &played{Case: Case{Name: s.Name, Episodes: p.observer.Episodes()}, looks: p.looks, told: p.noticed.notices(), spent: p.spent}
	if result.series, err = p.series(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	for _, promise := range s.Truths {
		truth := promise.Truth
		if truth.Achieved, err = achieve(ctx, s, promise, open); err != nil {
			return nil, fmt.Errorf("try the remedy of %s: %w", truth.Name, err)
		}
		result.Truths = append(result.Truths, truth)
	}
	return result, nil
}

// terms are those of a scenario. Its baselines learn from its past; no past, nothing to learn from.
func (s *Scenario) terms() judge.Terms {
	terms := judge.HostTerms(window)
	terms.Anomalies.On = s.Past >= leastLearnt
	terms.Anomalies.Series, terms.Anomalies.Learn = seriesMost, s.Past
	terms.Anomalies.Interval, terms.Anomalies.Activity = schema.HostGrain, terms.Settings.Activity.Operations
	return terms
}

// ImpossibleError says that the simulator cannot play what a scenario describes.
type ImpossibleError struct {
	File string
	Line int
	Err  error
}

// Error is one line with the file and the line in it.
func (e *ImpossibleError) Error() string {
	return fmt.Sprintf("%s:%d: fleet: %v", e.File, e.Line, e.Err)
}

// Unwrap is why.
func (e *ImpossibleError) Unwrap() error { return e.Err }

// open makes a world of the scenario with one of its fleets.
func (s *Scenario) open(ctx context.Context, fleet *model.Fleet, open Opening) (World, error) {
	world, err := open(ctx, s.setting(fleet))
	if err == nil || ctx.Err() != nil {
		return world, err
	}
	var at keyed
	key := "fleet"
	if errors.As(err, &at) {
		key += "." + at.Key()
	}
	return nil, &ImpossibleError{s.File, s.line(key), err}
}

// closing closes what can be closed, and keeps the first error.
func closing(what any, err *error) {
	if closer, ok := what.(io.Closer); ok {
		*err = errors.Join(*err, closer.Close())
	}
}

// store is a history that can be filled with the past.
type store interface {
	history.History
	Backfill(ctx context.Context, samples []schema.Sample) error
}

// storeOf makes the history of a scenario. One in files is deleted when it is closed.
func storeOf(ctx context.Context, s *Scenario) (store, error) {
	if s.Duration+s.Past <= longest {
		return history.NewMemory(history.MemoryOptions{}), nil
	}
	directory, err := os.MkdirTemp("", "nasight-evaluate-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the history: %w", err)
	}
	embedded, err := history.OpenEmbedded(ctx, history.EmbeddedOptions{Path: directory, Retention: maxDuration + maxPast + judge.Daily})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(directory))
	}
	return temporary{embedded, directory}, nil
}

// temporary is a history in files that nobody wants to keep.
type temporary struct {
	*history.Embedded
	directory string
}

// Close deletes the files.
func (t temporary) Close() error { return errors.Join(t.Embedded.Close(), os.RemoveAll(t.directory)) }

// player takes one scenario through its time.
type player struct {
	scenario *Scenario
	world    World
	store    store
	changes  []Change // that are still to come
	watch    *judge.Watch
	observer Observer
	noticed  noticed
	looks    int
	spent    time.Duration
}

func (p *player) run(ctx context.Context) error {
	if err := p.remember(ctx); err != nil {
		return err
	}
	for since := time.Duration(0); since <= p.scenario.Duration; since += tick {
		if err := p.collect(ctx, since); err != nil {
			return fmt.Errorf("after %s: %w", since, err)
		}
		if since == 0 || since%interval != 0 {
			continue
		}
		if since+interval > p.scenario.Duration {
			p.watch.Refill() // the last look over days is over all of them
		}
		if err := p.look(ctx, since); err != nil {
			return fmt.Errorf("after %s: %w", since, err)
		}
	}
	return nil
}

// remember fills history with what the clouds know of the time before the start.
func (p *player) remember(ctx context.Context) error {
	s := p.scenario
	if s.Past == 0 {
		return nil
	}
	world, ok := p.world.(Rememberer)
	if !ok {
		return errors.New("past: this world knows none")
	}
	samples, err := world.Past(ctx, s.Start.Add(-s.Past), s.Start)
	if err != nil {
		return fmt.Errorf("read the past: %w", err)
	}
	return p.store.Backfill(ctx, samples)
}

func (p *player) collect(ctx context.Context, since time.Duration) error {
	at := p.scenario.Start.Add(since)
	var err error
	if p.changes, err = change(p.world, p.changes, since); err != nil {
		return err
	}
	p.world.Advance(at)
	samples, err := p.world.Collect(ctx, at)
	if err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	return p.store.Append(ctx, samples)
}

// change makes the changes of the moment at which the world stands, before it is advanced to another one. It returns those that
// are still to come.
func change(world World, changes []Change, next time.Duration) ([]Change, error) {
	for len(changes) > 0 && changes[0].At < next {
		changer, ok := world.(Changer)
		if !ok {
			return nil, errors.New("changes: this world knows none")
		}
		if err := changer.Change(changes[0].Fleet); err != nil {
			return nil, fmt.Errorf("change of %s: %w", changes[0].At, err)
		}
		changes = changes[1:]
	}
	return changes, nil
}

// look judges one moment, and counts what that takes of the processor.
func (p *player) look(ctx context.Context, since time.Duration) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, told := measure.Thread()
	findings, err := p.watch.Step(ctx, p.scenario.Start.Add(since))
	if err != nil {
		return err
	}
	if after, err := measure.Thread(); told == nil && err == nil {
		p.spent += after - before
	}
	p.looks++
	p.observer.Observe(since, findings)
	p.noticed.observe(findings, p.watch.Baselines(), interval)
	return nil
}

// series counts the series that history holds at the end.
func (p *player) series(ctx context.Context) (float64, error) {
	query := fmt.Sprintf(`count(last_over_time({__name__=~"nasight_.+"}[%ds]))`, int(schema.ConfigGrain.Seconds()))
	points, err := p.store.Instant(ctx, query, p.scenario.Start.Add(p.scenario.Duration))
	if err != nil || len(points) == 0 {
		return 0, err
	}
	return points[0].Value, nil
}

// cost is the processor time of a look for a thousand series.
func cost(all []*played) fleet.Value {
	var spent, load float64
	for _, p := range all {
		spent += p.spent.Seconds()
		load += float64(p.looks) * p.series / 1000
	}
	if spent == 0 {
		return fleet.Unknown
	}
	return fleet.Value(spent).Over(fleet.Value(load))
}
