package gcnv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/budget"
)

// tierCollector reads one tier of all projects.
type tierCollector struct {
	source *Source
	tier   tier
}

const (
	overlap       = 6             // periods that are read again, for points that come late
	longestCatch  = 5 * time.Hour // a longer gap is for the back-fill: history takes such points as blocks only
	emitReserve   = 10 * time.Second
	missedPeriods = 3 // after which a series is not shown any more
)

// Collect implements collectors.Collector: it reads what is due and shows the newest point of every series. A project
// that cannot be read keeps no other one waiting.
func (c *tierCollector) Collect(ctx context.Context, sink collectors.Sink) error {
	timed, ok := sink.(collectors.TimedSink)
	if !ok {
		return errUntimed
	}
	s := c.source
	reading, cancel := reserve(ctx)
	defer cancel()
	projects := s.projectsNow(reading)
	errs := make([]error, len(projects), len(projects)+1)
	var group errgroup.Group
	group.SetLimit(s.cfg.Pacing.Concurrency)
	for i, p := range projects {
		group.Go(func() error {
			errs[i] = s.read(reading, p, c.tier)
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	if ctx.Err() != nil {
		return ctx.Err() // nobody takes what would be emitted now; it is kept for the next run
	}
	for i, p := range projects {
		p.emit(timed, c.tier, s, errs[i])
		if errs[i] != nil {
			errs[i] = failure(string(c.tier), p.id, errs[i])
		}
	}
	if c.tier == performance {
		s.budget.Collect(sink)
		emitProgress(sink, projects)
		errs = append(errs, s.foldersError())
	}
	return errors.Join(errs...)
}

// reserve leaves some time before the deadline for putting out what was read.
func reserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(emitReserve, time.Until(deadline)/10)))
}

// interval is how often a tier is read within the budget.
func (s *Source) interval(t tier) time.Duration {
	if t == capacity {
		return s.cfg.Tiers.Capacity
	}
	return s.cfg.Tiers.Performance
}

// read reads a tier of a project if it is due, and returns how that went, or how it went the last time.
func (s *Source) read(ctx context.Context, p *project, t tier) error {
	now := s.opts.Clock()
	due := time.Duration(float64(s.interval(t))*s.budget.Stretch()) - s.interval(t)/2
	p.mu.Lock()
	last, err := p.lastly[t], p.errs[t]
	p.mu.Unlock()
	if !last.IsZero() && now.Sub(last) < due && now.Sub(last) >= 0 && billed(err) {
		return err
	}
	if t == performance && s.budget.State() == budget.Hard {
		err = errBudget
	} else {
		err = s.readRows(ctx, p, t)
	}
	s.blame(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastly[t], p.errs[t] = now, err
	return err
}

// billed says whether a reading that ended so was answered, if in part: the answer was paid for, and the next one waits
// its turn. A refusal costs nothing and is asked about again with every run.
func billed(err error) bool {
	return err == nil || errors.Is(err, errIncomplete) || errors.Is(err, errInvalid)
}

func (s *Source) readRows(ctx context.Context, p *project, t tier) error {
	inv, err := s.inventory(ctx, p, time.Time{})
	if inv == nil && err != nil && retryable(err) {
		return fmt.Errorf("the inventory is not known yet: %w", err)
	}
	return s.connection(ctx, func(conns *connections) error {
		if err := s.descriptors.load(ctx, conns.metrics, p.id, s.cfg.Tiers.Delay); err != nil {
			return err
		}
		var errs []error
		for _, r := range s.rows {
			if r.tier != t {
				continue
			}
			err := s.readRow(ctx, conns, p, r)
			errs = append(errs, err)
			if err != nil && !errors.Is(err, errIncomplete) && !errors.Is(err, errInvalid) {
				break // the others would fare alike
			}
		}
		s.plan(p, t)
		return join(errs...)
	})
}

// readRow reads one metric of a project and keeps what it found.
func (s *Source) readRow(ctx context.Context, conns *connections, p *project, r *row) error {
	m := s.descriptors.of(r.metric)
	if m == nil {
		return nil // the service does not have it
	}
	if m.odd != nil {
		return m.odd
	}
	span := s.window(p, r, m)
	found, err := reading{client: conns.metrics, project: p.id, foreign: s.foreign(p), row: r, meta: m, window: span}.do(ctx)
	s.learn(p, r, found)
	unknown := s.apply(p, r, found, span, err == nil)
	if unknown == 0 {
		return err
	}
	// Something is new since the inventory was read.
	if _, inventoryErr := s.inventory(ctx, p, s.opts.Clock().Add(-oftenestInventory)); inventoryErr != nil {
		return join(err, inventoryErr)
	}
	s.note(p, r, s.apply(p, r, found, span, err == nil))
	return err
}

// window is what is to be read of a metric now: to the youngest settled point, from some periods before it or from where
// the last reading ended. A gap that is too long for that, as at the first start, is left to the back-fill.
func (s *Source) window(p *project, r *row, m *meta) window {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := p.rows[r.metric]
	end := s.opts.Clock().Add(-m.delay).Truncate(time.Millisecond)
	if r.reduced {
		end = end.Truncate(m.period)
	}
	start := end.Add(-overlap * m.period)
	if r.tier == capacity {
		start = start.Add(-s.interval(r.tier))
	}
	since := state.cursor
	if since.IsZero() {
		since = s.stored(p, r, end)
	}
	if since.Before(start) {
		if end.Sub(since) <= longestCatch {
			start = since
		} else {
			state.widen(window{since, start})
		}
	}
	return window{start, end}
}

// widen adds a span to what is to be read of the past.
func (state *rowState) widen(gap window) {
	if state.gap.end.IsZero() {
		state.gap = gap
	}
	state.gap.end = gap.end
	state.asked = max(state.asked, state.gap.end.Sub(state.gap.start).Seconds())
}

// plan tells the budget what the tier costs at its own pace.
func (s *Source) plan(p *project, t tier) {
	p.mu.Lock()
	billed := 0
	for _, state := range p.rows {
		if state.row.tier == t {
			billed += state.billed
		}
	}
	p.mu.Unlock()
	s.budget.Plan(p.id, string(t), float64(billed)/s.interval(t).Seconds())
}
