package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// debt is the past that was filled into history and that somebody has not taken in yet. It is
// remembered beside how far the back-fill came, in one file: a restart loses neither without the other.
type debt struct {
	memory collectors.Memory // nil: there is none
	key    string            // under which it is remembered

	mu   sync.Mutex
	adds int
}

// Who owes what: the minute's findings a fold over the past, the baselines its samples.
const (
	unfoldedKey = "serve/unfolded_since"
	unlearntKey = "serve/unlearnt_since"
)

// add notes that something was filled in that begins at a moment.
func (d *debt) add(from time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.adds++
	if since, owed := d.load(); !owed || from.Before(since) {
		d.memory.Store(d.key, float64(from.Unix()))
	}
}

func (d *debt) load() (since time.Time, owed bool) {
	if d.memory == nil {
		return time.Time{}, false
	}
	seconds, ok := d.memory.Load(d.key)
	return time.Unix(int64(seconds), 0), ok && seconds > 0
}

// owed tells since when the past has to be folded, and which state of the debt that is.
func (d *debt) owed() (since time.Time, state int, owed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	since, owed = d.load()
	return since, d.adds, owed
}

// settle notes that a debt is paid, unless more was added since that state of it.
func (d *debt) settle(state int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.adds == state {
		d.memory.Store(d.key, 0)
	}
}

// owing is a history that notes what is filled in.
type owing struct {
	collectors.Backfiller
	debts []*debt
}

// Backfill implements collectors.Backfiller.
func (o owing) Backfill(ctx context.Context, samples []schema.Sample) error {
	if len(samples) > 0 {
		earliest := samples[0].Time
		for _, sample := range samples {
			if sample.Time.Before(earliest) {
				earliest = sample.Time
			}
		}
		for _, debt := range o.debts {
			debt.add(earliest)
		}
	}
	if err := o.Backfiller.Backfill(ctx, samples); err != nil {
		return fmt.Errorf("fill history: %w", err)
	}
	return nil
}

// foldPast folds the minute rules over the past that was filled in, as far as it can matter now: over the last replayMost, less
// where that takes longer than replayTime. It tells since when what is true now has been so, and what has only just ended.
// It runs beside the evaluations of the minute, which keep their findings of hosts and take over what it found of
// pools and volumes.
func (e *evaluator) foldPast(ctx context.Context, now time.Time) error {
	since, state, owed := e.debt.owed()
	if !owed {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, 2*replayTime)
	defer cancel()
	fold := e.newFold(now, since)
	err := fold.run(limited)
	switch {
	case ctx.Err() != nil:
		return nil // owed until the next start
	case errors.Is(err, context.DeadlineExceeded):
		e.log.Warn("judging the past took too long and was given up: findings begin with the present", "limit", 2*replayTime)
	case err != nil:
		return err
	default:
		e.mu.Lock()
		e.lifecycle.TakeOver(fold.cycle, max(schema.GCNVGrain, fold.interval))
		e.mu.Unlock()
		e.log.Info("judged the past that was filled in", "from", fold.first, "took", time.Since(now).Round(time.Millisecond))
	}
	if err := e.save(); err != nil {
		return err
	}
	e.debt.settle(state)
	nudge(e.fresh) // shows it at once
	return nil
}

// fold is one fold of the minute rules over the past, on what the cloud alone tells.
type fold struct {
	e           *evaluator
	reader      *inventoryReader
	profile     fleet.Profile
	settings    detectors.Settings
	interval    time.Duration
	first, last time.Time
	cycle       *detectors.Lifecycle
}

func (e *evaluator) newFold(now, since time.Time) *fold {
	f := &fold{e: e, interval: e.interval(), first: since}
	terms := e.dailyTerms()
	f.profile, f.settings = terms.Profile, terms.Settings
	f.profile.Inventory, f.profile.Peaks, f.profile.CloudOnly = now, &fleet.Peaks{}, true
	f.reader = &inventoryReader{Reader: e.history, at: now, answers: map[string][]history.Point{}}
	f.last = now.Truncate(f.interval)
	return f
}

func (f *fold) run(ctx context.Context) error {
	began := time.Now()
	if _, err := f.judge(ctx, f.last); err != nil {
		return err
	}
	earliest := f.last.Add(-reach(time.Since(began)))
	if earliest.After(f.last.Add(-replayMost)) && f.first.Before(earliest) {
		f.e.log.Warn("the past is large: only a part of it is judged, and findings may have begun before", "part", f.last.Sub(earliest))
	}
	if f.first.Before(earliest) {
		f.first = earliest
	}
	f.first = f.first.Truncate(max(f.interval, schema.GCNVGrain))
	f.e.mu.Lock()
	f.cycle = f.e.lifecycle.Before(f.first)
	f.e.mu.Unlock()
	return f.steps(ctx)
}

// steps takes the life cycle through every moment of the grid, as its timings count evaluations. The view changes with the
// cloud's samples only.
func (f *fold) steps(ctx context.Context) error {
	var round detectors.Round
	for at := f.first; !at.After(f.last); at = at.Add(f.interval) {
		if round.At.IsZero() || !at.Before(round.At.Truncate(schema.GCNVGrain).Add(schema.GCNVGrain)) {
			var err error
			if round, err = f.judge(ctx, at); err != nil {
				return err
			}
		}
		round.At = at
		f.cycle.Step(round)
	}
	return nil
}

func (f *fold) judge(ctx context.Context, at time.Time) (detectors.Round, error) {
	view, err := fleet.Build(ctx, f.reader, at, f.profile)
	if err != nil {
		return detectors.Round{}, fmt.Errorf("judge the past at %s: %w", at.UTC().Format(time.RFC3339), err)
	}
	return detectors.Judge(view, f.settings), nil
}

// reach is how far back a fold can go in replayTime if a view takes so long; an hour in any case.
func reach(view time.Duration) time.Duration {
	views := max(int(replayTime/max(view, time.Millisecond)), int(time.Hour/schema.GCNVGrain))
	return min(time.Duration(views)*schema.GCNVGrain, replayMost)
}

// inventoryReader remembers what history answered about one moment: every view of a fold asks for the same inventory.
type inventoryReader struct {
	history.Reader
	at      time.Time
	answers map[string][]history.Point
}

// Instant implements history.Reader.
func (r *inventoryReader) Instant(ctx context.Context, query string, at time.Time) ([]history.Point, error) {
	if known, ok := r.answers[query]; ok && at.Equal(r.at) {
		return known, nil
	}
	points, err := r.Reader.Instant(ctx, query, at)
	if err != nil {
		return nil, fmt.Errorf("ask history: %w", err)
	}
	if at.Equal(r.at) {
		r.answers[query] = points
	}
	return points, nil
}
