package azurenetapp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

const (
	concurrency = 8         // resources that are read at a time
	refusedFor  = time.Hour // how long a metric that is refused by itself is not asked for again
)

// readTier reads what is due of a tier in a subscription.
func (s *Source) readTier(ctx context.Context, sub *subscription, t tier) error {
	if !sub.known() {
		if err := s.refresh(ctx, sub); err != nil && !sub.known() {
			return err
		}
	}
	session, err := s.clients.Use()
	if err != nil {
		return azureapi.Join(err)
	}
	client, err := session.Metrics()
	if err != nil {
		return azureapi.Join(fmt.Errorf("client of Azure Monitor: %w", err))
	}
	now := s.opts.Clock()
	var mu sync.Mutex
	var errs []error
	for _, g := range s.groups {
		if g.tier != t {
			continue
		}
		var everyone errgroup.Group
		everyone.SetLimit(concurrency)
		for _, one := range sub.targets(g) {
			everyone.Go(func() error {
				err := s.readTarget(ctx, client, sub, one, g, now)
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
				return nil
			})
		}
		_ = everyone.Wait() // the errors are noted
	}
	if sub.lacks() { // told at the end, so that the past of all that was read is filled in at once
		s.past.Wake()
	}
	err = azureapi.Join(errs...)
	s.clients.Blame(err)
	return err
}

// readTarget reads a group of a target up to the newest settled bucket. One that is gone is no failure.
func (s *Source) readTarget(ctx context.Context, client *azquery.MetricsClient, sub *subscription, t *target, g *group, now time.Time) error {
	if !s.turn(sub, t, g, now) {
		return nil
	}
	for ctx.Err() == nil {
		j, ok := s.job(sub, t, g, now)
		if !ok {
			return nil
		}
		f, err := ask(ctx, client, g, j)
		if gone(err) {
			sub.lose(t, string(g.tier))
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.apply(sub, t, g, j, f); err != nil {
			return err
		}
	}
	return nil
}

// lose notes that a resource is not there any more, which the inventory does not know yet.
func (sub *subscription) lose(t *target, what string) {
	sub.note(what, map[string]int{oddGone: 1})
	sub.mu.Lock()
	defer sub.mu.Unlock()
	t.gone, sub.stale = true, true
}

// turn says whether it is time to read a group: the collector of space runs more often than space is read.
func (s *Source) turn(sub *subscription, t *target, g *group, now time.Time) bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	age := now.Sub(t.state(g).read)
	return g.tier != capacity || age < 0 || age >= s.cfg.Tiers.Capacity-renewalSlack
}

// job is what is to be read of a group of a target now.
type job struct {
	id      string
	volume  *volume
	rows    []*row
	refused []error // of metrics that are left out
	window  azureapi.Window
}

// job finds it; ok is false where nothing is due.
func (s *Source) job(sub *subscription, t *target, g *group, now time.Time) (j job, ok bool) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	w, ok := g.pace.Window(s.cursor(sub, t, g), t.state(g).partial, now, s.delay(g))
	if !ok {
		return j, false
	}
	return s.jobOf(t, g, w, now), true
}

// jobOf is the job of reading a window; the caller holds the lock.
func (s *Source) jobOf(t *target, g *group, w azureapi.Window, now time.Time) job {
	state := t.state(g)
	j := job{id: t.id(), volume: t.volume, window: w}
	for _, r := range g.rows {
		if no, is := state.refused[r.metric]; is && now.Before(no.until) {
			j.refused = append(j.refused, no.err)
			continue
		}
		j.rows = append(j.rows, r)
	}
	return j
}

// delay is after what time a bucket is settled.
func (s *Source) delay(g *group) time.Duration {
	if g.tier == performance && s.cfg.Tiers.Delay > 0 {
		return s.cfg.Tiers.Delay
	}
	return g.delay
}

// ask asks for all metrics at once, and for each by itself where the service refuses that: then the refusal is one metric's.
func ask(ctx context.Context, client *azquery.MetricsClient, g *group, j job) (*found, error) {
	f := newFound()
	err := askFor(ctx, client, g, j, j.rows, f)
	if !azureapi.TooMuch(err) || len(j.rows) < 2 {
		return f, err
	}
	f = newFound()
	for _, r := range j.rows {
		switch one := askFor(ctx, client, g, j, []*row{r}, f); {
		case azureapi.TooMuch(one):
			f.failed[r.metric] = one
		case one != nil:
			return nil, one
		}
	}
	if len(f.failed) == len(j.rows) {
		return nil, err // it is not the metrics that are to blame
	}
	return f, nil
}

func askFor(ctx context.Context, client *azquery.MetricsClient, g *group, j job, rows []*row, f *found) error {
	if len(rows) == 0 {
		return nil
	}
	answers, err := azureapi.Ask(ctx, client, azureapi.Question{
		Resource: j.id, Namespace: g.namespace, Metrics: metricsOf(rows), Aggregations: []azureapi.Aggregation{azureapi.Average},
		Interval: g.interval(), Window: j.window,
	})
	if err != nil {
		return fmt.Errorf("metrics (%s) of %s: %w", g.name, shortOf(j.id), err)
	}
	f.convert(g, rows, j.window, answers)
	return nil
}

// shortOf names a resource in a message: ACCOUNT/POOL or ACCOUNT/POOL/VOLUME.
func shortOf(id string) string {
	name := azureapi.PartOf(id, "netAppAccounts") + "/" + azureapi.PartOf(id, "capacityPools")
	if volume := azureapi.PartOf(id, "volumes"); volume != "" {
		name += "/" + volume
	}
	return name
}

// apply keeps what a reading found: points that were not known are fresh. It returns why a metric is missing, in which
// case the window is read again.
func (s *Source) apply(sub *subscription, t *target, g *group, j job, f *found) error {
	errs := slices.Clone(j.refused)
	for _, metric := range slices.Sorted(maps.Keys(f.failed)) {
		errs = append(errs, f.failed[metric])
	}
	if g.derive != nil {
		g.derive(f, j.volume)
	}
	sub.note(string(g.tier), f.odd)
	sub.mu.Lock()
	defer sub.mu.Unlock()
	state := t.state(g)
	for r, points := range f.points {
		if state.series[r] == nil {
			state.series[r] = azureapi.NewTrack()
		}
		for _, p := range points {
			if state.series[r].Insert(p) {
				state.fresh[r] = append(state.fresh[r], p)
			}
		}
	}
	state.partial = false
	for metric, err := range f.failed {
		if azureapi.TooMuch(err) {
			state.refused[metric] = refusal{err, s.opts.Clock().Add(refusedFor)}
		} else {
			state.partial = true
		}
	}
	if !state.partial {
		s.advance(sub, t, g, j.window)
	}
	return azureapi.Join(errs...)
}

// advance moves on after a complete reading; the caller holds the lock. What was read last may not be in history yet: the
// memory keeps the beginning of the window, so that a crash before it is stored loses nothing. What is missing before the window
// is left to the back-fill; until it is filled in the memory keeps the beginning of that.
func (s *Source) advance(sub *subscription, t *target, g *group, w azureapi.Window) {
	state, reach := t.state(g), time.Duration(s.cfg.BackfillDays)*24*time.Hour
	if gap := (azureapi.Window{Start: azureapi.Since(s.cursor(sub, t, g), w.End, reach), End: w.Start}); gap.Start.Before(gap.End) {
		state.gap.Widen(gap)
	}
	state.cursor, state.read = w.End, s.opts.Clock()
	for _, known := range state.series {
		known.Forget(w.Start.Add(-g.pace.Overlap).UnixMilli())
	}
	if !state.gap.Open() {
		s.remember(sub, t, g, w.Start)
	}
}

// remember notes that everything up to a moment is in history.
func (s *Source) remember(sub *subscription, t *target, g *group, through time.Time) {
	if s.opts.Memory != nil {
		s.opts.Memory.Store(storedKey(sub, t, g), float64(through.Unix()))
	}
}

// cursor is the end of the last complete window of a group, over restarts; the caller holds the lock.
func (s *Source) cursor(sub *subscription, t *target, g *group) time.Time {
	if state := t.state(g); !state.cursor.IsZero() || s.opts.Memory == nil {
		return state.cursor
	}
	seconds, ok := s.opts.Memory.Load(storedKey(sub, t, g))
	if !ok || !(seconds > 0) {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC().Truncate(g.pace.Grain)
}

func storedKey(sub *subscription, t *target, g *group) string {
	key := "azurenetapp/stored/" + sub.id + "/" + t.pool.name
	if t.volume != nil {
		key += "/" + t.volume.name
	}
	return key + "/" + g.name
}
