package azurenetapp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// mostSteps bounds one request of the past. How many points Azure Monitor answers with is not documented: 1,440 buckets of a
// metric are.
const mostSteps = 24 * 60

// Backfill reads what history lacks of the past and stores it, one pool or volume after the other; the live collectors find out
// what that is and go on meanwhile, under the same pace. It remembers how far it came, so that it resumes where a restart broke
// it off. done is called each time when nothing is left to read, but for what the service refuses: others do not wait for that.
// It may be nil. Backfill returns when the context ends.
func (s *Source) Backfill(ctx context.Context, into collectors.Backfiller, done func()) error {
	return s.past.Run(ctx, into, done)
}

// lacks says whether there are gaps.
func (sub *subscription) lacks() bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	for _, t := range sub.all() {
		for _, state := range t.groups {
			if state.gap.Open() {
				return true
			}
		}
	}
	return false
}

// fill closes the gaps that are known. A resource that cannot be read keeps no other one from it.
func (s *Source) fill(ctx context.Context, into collectors.Backfiller) (filled bool, err error) {
	session, err := s.clients.Use()
	if err != nil {
		return false, azureapi.Join(err)
	}
	client, err := session.Metrics()
	if err != nil {
		return false, azureapi.Join(fmt.Errorf("client of Azure Monitor: %w", err))
	}
	var errs []error
	for _, sub := range s.subscriptions {
		f := &filling{source: s, client: client, sub: sub, chunks: &collectors.InChunks{Into: into}}
		err := f.all(ctx)
		s.clients.Blame(err)
		errs, filled = append(errs, err), filled || f.filled
	}
	return filled, azureapi.Join(errs...)
}

// filling is one closing of the gaps of a subscription.
type filling struct {
	source *Source
	client *azquery.MetricsClient
	sub    *subscription
	chunks *collectors.InChunks
	filled bool
}

func (f *filling) all(ctx context.Context) error {
	var errs []error
	for _, g := range f.source.groups {
		for _, t := range f.sub.targets(g) {
			err := f.group(ctx, t, g)
			if gone(err) {
				f.sub.lose(t, string(g.tier))
				continue
			}
			errs = append(errs, err)
			if ctx.Err() != nil || azureapi.Refused(err) {
				return azureapi.Join(append(errs, f.chunks.Flush(ctx))...) // the others would fare alike
			}
		}
	}
	return azureapi.Join(append(errs, f.chunks.Flush(ctx))...)
}

// group closes the gap of a group of a target.
func (f *filling) group(ctx context.Context, t *target, g *group) error {
	for from := (time.Time{}); ; {
		j, ok := f.job(t, g, from)
		if !ok {
			return nil
		}
		answer, err := ask(ctx, f.client, g, j)
		if err == nil {
			err = azureapi.Unanswered(answer.failed)
		}
		if err != nil {
			return err
		}
		from = j.window.End
		if err := f.chunks.Add(ctx, f.samples(t, g, j, answer), func() { f.stored(t, g, j.window.End) }); err != nil {
			return err
		}
	}
}

// job is the next part of a gap, from a moment on; ok is false where none is left.
func (f *filling) job(t *target, g *group, from time.Time) (j job, ok bool) {
	f.sub.mu.Lock()
	defer f.sub.mu.Unlock()
	w, ok := t.state(g).gap.Rest(from)
	if !ok || t.gone {
		return job{}, false
	}
	if end := w.Start.Add(mostSteps * g.pace.Grain); end.Before(w.End) {
		w.End = end
	}
	j = f.source.jobOf(t, g, w, f.source.opts.Clock())
	return j, len(j.rows) > 0
}

// samples are the points of an answer. What follows from the inventory (limits, numbers of files) follows from the present one:
// of the past there is none.
func (f *filling) samples(t *target, g *group, j job, answer *found) []schema.Sample {
	if g.derive != nil {
		g.derive(answer, j.volume)
	}
	f.sub.note(string(g.tier), answer.odd)
	f.sub.mu.Lock()
	defer f.sub.mu.Unlock()
	labels := f.sub.labels(t)
	var all []schema.Sample
	for r, points := range answer.points {
		for _, p := range points {
			all = append(all, schema.Sample{Family: r.family, Labels: slices.Concat(labels, r.labels), Value: p.Value, Time: time.UnixMilli(p.End)})
		}
	}
	return all
}

// stored moves the beginning of a gap. The live readings move on what is remembered once it is closed.
func (f *filling) stored(t *target, g *group, to time.Time) {
	f.sub.mu.Lock()
	defer f.sub.mu.Unlock()
	f.filled = true
	if t.state(g).gap.Fill(to) {
		f.source.remember(f.sub, t, g, to)
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
	for _, t := range sub.all() {
		for _, state := range t.groups {
			ok = ok || !state.cursor.IsZero()
			gaps = append(gaps, state.gap)
		}
	}
	return azureapi.Filled(slices.Values(gaps)), ok
}
