package azurefiles

import (
	"context"
	"slices"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// The bounds of one request of the past. How many points Azure Monitor answers with is not documented: those of a day of
// minutes are.
const (
	mostSteps  = 24 * 60
	mostPoints = 400_000 // of all series together: an answer of some 30 MB
	leastSteps = 12
)

// Backfill reads what history lacks of the past and stores it, some accounts at a time; the live collectors find out what that
// is and go on meanwhile, under the same pace. It remembers how far it came, so that it resumes where a restart broke it off.
// done is called each time when nothing is left to read, but for what the service refuses: others do not wait for that. It may
// be nil. Backfill returns when the context ends.
func (s *Source) Backfill(ctx context.Context, into collectors.Backfiller, done func()) error {
	return s.past.Run(ctx, into, done)
}

// reach is how far back a group is wanted.
func (s *Source) reach(g *group) time.Duration {
	reach := time.Duration(s.cfg.BackfillDays) * 24 * time.Hour
	if g.past > 0 {
		reach = min(reach, g.past)
	}
	return reach
}

// lacks says whether there are gaps.
func (sub *subscription) lacks() bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	for _, a := range sub.accounts {
		for _, state := range a.groups {
			if state.gap.Open() {
				return true
			}
		}
	}
	return false
}

// fill closes the gaps that are known. An account that cannot be read keeps no other one from it.
func (s *Source) fill(ctx context.Context, into collectors.Backfiller) (filled bool, err error) {
	session, err := s.clients.use()
	if err != nil {
		return false, err
	}
	var errs []error
	for _, sub := range s.subscriptions {
		f := &filling{source: s, session: session, sub: sub, chunks: &collectors.InChunks{Into: into}}
		err := f.all(ctx)
		s.clients.Blame(err)
		if filled = filled || f.filled; err != nil {
			errs = append(errs, err)
		}
	}
	return filled, azureapi.Join(errs...)
}

// filling is one closing of the gaps of a subscription.
type filling struct {
	source  *Source
	session *session
	sub     *subscription
	chunks  *collectors.InChunks
	filled  bool
}

func (f *filling) all(ctx context.Context) error {
	var errs []error
	for _, g := range f.source.groups {
		for _, a := range f.sub.readable(g) {
			err := f.group(ctx, a, g)
			errs = append(errs, err)
			if ctx.Err() != nil || azureapi.Refused(err) {
				return azureapi.Join(append(errs, f.chunks.Flush(ctx))...) // the others would fare alike
			}
		}
	}
	return azureapi.Join(append(errs, f.chunks.Flush(ctx))...)
}

// group closes the gap of a group of an account, in as few requests as the service and memory allow.
func (f *filling) group(ctx context.Context, a *account, g *group) error {
	client, err := f.session.Metrics()
	if err != nil {
		return err
	}
	for from := (time.Time{}); ; {
		j, ok := f.job(a, g, from)
		if !ok {
			return nil
		}
		q := query{client: client, resource: j.details.service(), group: g, window: j.window, top: f.source.top}
		answer, _, err := f.source.ask(ctx, q, j)
		if err == nil {
			err = azureapi.Unanswered(answer.failed)
		}
		if err != nil {
			return err
		}
		from = j.window.End
		if err := f.chunks.Add(ctx, f.samples(a, j, answer), func() { f.stored(a, g, j.window.End) }); err != nil {
			return err
		}
	}
}

// job is the next part of a gap, from a moment on; ok is false where none is left.
func (f *filling) job(a *account, g *group, from time.Time) (j job, ok bool) {
	f.sub.mu.Lock()
	defer f.sub.mu.Unlock()
	w, ok := a.state(g).gap.Rest(from)
	if a.files == nil || !ok {
		return job{}, false
	}
	j = f.source.jobOf(f.sub, a, g, w, f.source.opts.Clock())
	series := max(len(a.state(g).series), len(j.rows)*len(j.shares), 1)
	steps := min(max(mostPoints/series, leastSteps), mostSteps)
	if end := w.Start.Add(time.Duration(steps) * g.grain); end.Before(w.End) {
		j.window.End = end
	}
	return j, len(j.rows) > 0
}

// samples are the points of the shares that are there and wanted.
func (f *filling) samples(a *account, j job, answer *found) []schema.Sample {
	f.sub.mu.Lock()
	defer f.sub.mu.Unlock()
	var all []schema.Sample
	for k, points := range answer.points {
		if k.share != "" && (!a.has(k.share) || !f.source.wanted.share(f.sub.id, j.details.name, k.share)) {
			continue
		}
		labels := k.labels(f.sub.id, j.details)
		for _, p := range points {
			all = append(all, schema.Sample{Family: k.row.family, Labels: labels, Value: p.Value, Time: time.UnixMilli(p.End)})
		}
	}
	return all
}

// stored moves the beginning of a gap. The live readings move on what is remembered once it is closed.
func (f *filling) stored(a *account, g *group, to time.Time) {
	f.sub.mu.Lock()
	defer f.sub.mu.Unlock()
	f.filled = true
	if a.state(g).gap.Fill(to) {
		f.source.remember(f.sub, a, g, to)
	}
}

// emitProgress shows how much of the past is stored, by subscription, once something is known of it.
func (s *Source) emitProgress(sink collectors.Sink) {
	for _, sub := range s.subscriptions {
		if share, ok := sub.progress(); ok {
			sink.Add(schema.CloudBackfill, share, Cloud, Service, sub.id)
		}
	}
}

// progress is the share of the past that is stored; ok is false while nothing was read.
func (sub *subscription) progress() (share float64, ok bool) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	var gaps []azureapi.Gap
	for _, a := range sub.accounts {
		for _, state := range a.groups {
			ok = ok || !state.cursor.IsZero()
			gaps = append(gaps, state.gap)
		}
	}
	return azureapi.Filled(slices.Values(gaps)), ok
}
