package azurefiles

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// concurrency is how many accounts are read at a time.
const concurrency = 8

// refusedFor is how long a metric that is refused by itself is not asked for again.
const refusedFor = time.Hour

// readTier reads what is due of a tier in all accounts of a subscription.
func (s *Source) readTier(ctx context.Context, sub *subscription, t tier) error {
	if !sub.known() {
		if err := s.refresh(ctx, sub); err != nil && !sub.known() {
			return err
		}
	}
	sub.await(ctx)
	session, err := s.clients.use()
	if err != nil {
		return err
	}
	now := s.opts.Clock()
	var mu sync.Mutex
	var errs []error
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err)
	}
	for _, g := range s.groups {
		if g.tier != t {
			continue
		}
		if s.cfg.Batch {
			note(s.readBatches(ctx, session, sub, g, now))
		}
		var all errgroup.Group
		all.SetLimit(concurrency)
		for _, a := range sub.readable(g) {
			all.Go(func() error {
				note(s.readGroup(ctx, session, sub, a, g, now))
				return nil
			})
		}
		_ = all.Wait() // the errors are noted
	}
	if sub.lacks() { // told at the end, so that the past of all that was read is filled in at once
		s.past.Wake()
	}
	err = azureapi.Join(errs...)
	s.clients.Blame(err)
	return err
}

// readGroup reads a group of an account up to the newest settled bucket.
func (s *Source) readGroup(ctx context.Context, session *session, sub *subscription, a *account, g *group, now time.Time) error {
	client, err := session.Metrics()
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		j, ok := s.job(sub, a, g, now)
		if !ok {
			return nil
		}
		q := query{client: client, resource: j.details.service(), group: g, window: j.window, top: s.top}
		f, m, err := s.ask(ctx, q, j)
		if err != nil {
			return err
		}
		if err := s.apply(sub, a, g, j, f, m); err != nil {
			return err
		}
	}
	return nil
}

// job is what is to be read of a group of an account.
type job struct {
	details *details
	rows    []*row
	refused []error // of metrics that are left out
	mode    mode
	shares  []string
	window  azureapi.Window
}

// job finds what is to be read now; ok is false where nothing is due.
func (s *Source) job(sub *subscription, a *account, g *group, now time.Time) (j job, ok bool) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	state, cursor := a.state(g), s.cursor(sub, a, g)
	if !s.turn(g, cursor, state.partial, now) {
		return j, false
	}
	w, ok := windowOf(g, cursor, state.partial, now, s.delay(g))
	if !ok {
		return j, false
	}
	return s.jobOf(sub, a, g, state.reaching(g, w), now), true
}

// jobOf is the job of reading a window; the caller holds the lock.
func (s *Source) jobOf(sub *subscription, a *account, g *group, w azureapi.Window, now time.Time) job {
	state := a.state(g)
	j := job{details: a.details, mode: state.mode, window: w}
	for _, r := range g.rowsOf(a.details.class) {
		if no, is := state.refused[r.metric]; is && now.Before(no.until) {
			j.refused = append(j.refused, no.err)
			continue
		}
		j.rows = append(j.rows, r)
	}
	for _, name := range slices.Sorted(maps.Keys(a.files.shares)) {
		if s.wanted.share(sub.id, a.details.name, name) {
			j.shares = append(j.shares, name)
		}
	}
	return j
}

// turn says whether it is a group's turn: the collector of space runs more often than what it reads is renewed.
func (s *Source) turn(g *group, cursor time.Time, partial bool, now time.Time) bool {
	if g.tier != capacity || cursor.IsZero() || partial {
		return true
	}
	return now.Add(-s.delay(g)).Truncate(g.grain).Sub(cursor) >= s.cfg.Tiers.Capacity.Truncate(g.grain)
}

// delay is after what time a bucket is settled.
func (s *Source) delay(g *group) time.Duration {
	switch {
	case g.grain == schema.AzureCapacityGrain:
		return schema.AzureCapacityDelay
	case s.cfg.Tiers.Delay > 0:
		return s.cfg.Tiers.Delay
	}
	return schema.AzureDelay
}

// ask asks in the mode that is known to work, and in others where the service refuses it. It returns the mode that
// worked.
func (s *Source) ask(ctx context.Context, q query, j job) (*found, mode, error) {
	for m := j.mode; ; {
		f, err := s.askIn(ctx, q, j, m)
		if err == nil || !azureapi.TooMuch(err) {
			return f, m, err
		}
		next, ok := m.next(q.group, j.details.class, j.rows)
		if !ok {
			return nil, j.mode, err
		}
		m = next
	}
}

// askIn asks in one mode. Metric by metric, a refusal is one metric's.
func (s *Source) askIn(ctx context.Context, q query, j job, m mode) (*found, error) {
	all := newFound()
	var last error
	for _, one := range requests(q.group, j.details.class, m, j.rows, j.shares) {
		answers, err := q.ask(ctx, one)
		if m == single && azureapi.TooMuch(err) {
			all.failed[one.rows[0].metric], last = err, err
			continue
		}
		if err != nil {
			return nil, err
		}
		c := &conversion{
			group: q.group, rows: one.rows, split: j.details.class.split(), window: q.window, words: s.words, top: int(q.top),
		}
		if one.filter == "" {
			c.top = azureapi.MostSeries
		}
		all.add(c.convert(answers))
	}
	if len(all.failed) == len(j.rows) && m == single && last != nil {
		return nil, last
	}
	return all, nil
}

func (f *found) add(more *found) {
	maps.Copy(f.points, more.points)
	maps.Copy(f.failed, more.failed)
	for reason, count := range more.odd {
		f.odd[reason] += count
	}
	f.full = append(f.full, more.full...)
}
