package gcnv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/schema"
)

const (
	mostPoints  = 12_500_000 // points of one reading that are held in memory, 16 bytes each
	mostSamples = 1_000_000  // samples that are stored at a time
)

// Backfill reads what history lacks of the past, in one pass a metric, and stores it oldest first; the live collectors
// find out what that is and go on meanwhile. It remembers how far it came, so that it resumes where a restart broke it
// off. done is called each time when nothing is left to read, but for projects that refuse to be read: others do not wait for
// them. It may be nil. Backfill returns when the context ends.
func (s *Source) Backfill(ctx context.Context, into collectors.Backfiller, done func()) error {
	return s.past.Run(ctx, into, done)
}

// onlyRefused says whether nothing went wrong but that credentials were refused.
func onlyRefused(err error) bool {
	for reason := range reasonsOf(err) {
		if reason != reasonPermission && reason != reasonAuthentication {
			return false
		}
	}
	return true
}

// fill closes the gaps that are known. A project that cannot be read keeps no other one from it.
func (s *Source) fill(ctx context.Context, into collectors.Backfiller) (filled bool, err error) {
	var errs []error
	for _, p := range s.all() {
		for _, group := range groups(s.rows) {
			some, err := s.fillGroup(ctx, p, group, into)
			filled = filled || some
			if err != nil {
				errs = append(errs, failure("back-fill", p.id, err))
				if ctx.Err() != nil || !errors.Is(err, errIncomplete) {
					break
				}
			}
		}
	}
	return filled, join(errs...)
}

// groups puts rows together that a total needs at the same time.
func groups(rows []*row) [][]*row {
	var grouped [][]*row
	var weighted []*row
	for _, r := range rows {
		if r.total != nil && (r.metric == latencyMetric || r.metric == operationsMetric) {
			weighted = append(weighted, r)
			continue
		}
		grouped = append(grouped, []*row{r})
	}
	if weighted != nil {
		grouped = append(grouped, weighted)
	}
	return grouped
}

// fillGroup closes the gap of some rows of a project, in as few spans as memory allows.
func (s *Source) fillGroup(ctx context.Context, p *project, group []*row, into collectors.Backfiller) (filled bool, err error) {
	gap, rows := p.gap(s.readable(group))
	if gap.end.IsZero() {
		return false, nil
	}
	for gap.start.Before(gap.end) {
		span := window{gap.start, gap.end}
		if most := s.longestSpan(p, rows); span.end.Sub(span.start) > most {
			span.end = span.start.Add(most)
		}
		if err := s.fillSpan(ctx, p, rows, span, into); err != nil {
			return false, fmt.Errorf("from %s: %w", span.start.UTC().Format(time.RFC3339), err)
		}
		gap.start = span.end
	}
	return true, nil
}

// readable are the rows whose metrics the service has.
func (s *Source) readable(group []*row) []*row {
	var rows []*row
	for _, r := range group {
		if m := s.descriptors.of(r.metric); m != nil && m.odd == nil {
			rows = append(rows, r)
		}
	}
	return rows
}

// gap is what rows lack together. There is none before each was read live, as a total needs all of them.
func (p *project) gap(group []*row) (gap window, rows []*row) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range group {
		if p.rows[r.metric].cursor.IsZero() {
			return window{}, nil
		}
		own := p.rows[r.metric].gap
		if own.end.IsZero() {
			continue
		}
		if gap.end.IsZero() || own.start.Before(gap.start) {
			gap.start = own.start
		}
		if own.end.After(gap.end) {
			gap.end = own.end
		}
	}
	return gap, group
}

// longestSpan is how much of the past fits into memory at once.
func (s *Source) longestSpan(p *project, rows []*row) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	series := 0
	for _, r := range rows {
		series += max(len(p.rows[r.metric].series), 1)
	}
	steps := max(mostPoints/series, 12)
	return time.Duration(steps) * schema.GCNVGrain
}

// fillSpan reads a span of some rows and stores it.
func (s *Source) fillSpan(ctx context.Context, p *project, rows []*row, span window, into collectors.Backfiller) error {
	past := newProject(p.id, rows)
	past.past = true
	p.mu.Lock()
	past.inv = p.inv
	p.mu.Unlock()
	for _, r := range rows {
		if err := s.readPast(ctx, past, r, span); err != nil {
			return err
		}
	}
	for _, r := range rows {
		past.addUp(r)
	}
	series := past.collect(s)
	for from := span.start; from.Before(span.end); {
		to := chunkEnd(series, window{from, span.end})
		if err := into.Backfill(ctx, samples(series, to)); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		s.filledTo(p, rows, to)
		from = to
	}
	return nil
}

// readPast reads a span of one row into the tracks of a project.
func (s *Source) readPast(ctx context.Context, past *project, r *row, span window) error {
	m := s.descriptors.of(r.metric)
	if s.budget.State() == budget.Hard {
		return errBudget
	}
	return s.connection(ctx, func(conns *connections) error {
		found, err := reading{client: conns.metrics, project: past.id, foreign: s.foreign(past), row: r, meta: m, window: span}.do(ctx)
		if err != nil {
			return err
		}
		state := past.rows[r.metric]
		for k, points := range found.series {
			if _, canonical, known, want := past.resource(r, k.key, past.inv, s.wanted); known && want {
				k.key = canonical
				state.series[k] = &track{points: thinned(points, r.thin())}
			}
		}
		state.cursor = span.end.Add(time.Hour) // all of it is settled
		return nil
	})
}

// filledTo moves the beginning of the gap. The live readings move on what is remembered once it is closed.
func (s *Source) filledTo(p *project, rows []*row, to time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range rows {
		state := p.rows[r.metric]
		if state.gap.end.IsZero() || to.Before(state.gap.start) {
			continue
		}
		state.gap.start = to
		if !to.Before(state.gap.end) {
			state.gap = window{}
		}
		s.remember(p, r, to)
	}
}

// emitProgress shows how much of the past is stored: by project.
func emitProgress(sink collectors.Sink, projects []*project) {
	for _, p := range projects {
		if share, ok := p.progress(); ok {
			sink.Add(schema.CloudBackfill, share, Cloud, Service, p.id)
		}
	}
}
