package azurefiles

import (
	"maps"
	"slices"
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// apply keeps what a reading found: points that were not known are fresh. It returns why a metric is missing, in which
// case the window is read again.
func (s *Source) apply(sub *subscription, a *account, g *group, j job, f *found, m mode) error {
	for _, metric := range f.full {
		s.opts.Logger.Warn("an answer of Azure Monitor has as many series as were asked for: some are missing",
			"subscription", sub.id, "account", j.details.name, "metric", metric, "series", s.top)
	}
	errs := slices.Clone(j.refused)
	for _, metric := range slices.Sorted(maps.Keys(f.failed)) {
		errs = append(errs, f.failed[metric])
	}
	sub.note(string(g.tier), f.odd)
	sub.mu.Lock()
	defer sub.mu.Unlock()
	state := a.state(g)
	state.mode = m
	s.keep(sub, a, g, f)
	state.partial = false
	for metric, err := range f.failed {
		if azureapi.TooMuch(err) {
			state.refused[metric] = refusal{err, s.opts.Clock().Add(refusedFor)}
		} else {
			state.partial = true
		}
	}
	if !state.partial {
		s.advance(sub, a, g, j.window)
	}
	return azureapi.Join(errs...)
}

// keep takes over the points of wanted shares; the caller holds the lock. A share that the inventory does not have is
// new: its points are kept, and the account is asked for it soon.
func (s *Source) keep(sub *subscription, a *account, g *group, f *found) {
	state, now := a.state(g), s.opts.Clock()
	for k, points := range f.points {
		if k.share != "" {
			if !s.wanted.share(sub.id, a.details.name, k.share) {
				continue
			}
			if a.files.shares[k.share] == nil && a.files.deleted[k.share] == nil && len(points) > 0 {
				a.unknown = true
			}
		}
		known := state.series[k]
		if known == nil {
			known = azureapi.NewTrack()
			state.series[k] = known
		}
		for _, p := range points {
			if !known.Has(p.End) && !state.late.holds(g, k, p.End, state.cursor, now) && known.Insert(p) {
				state.fresh[k] = append(state.fresh[k], p)
			}
		}
	}
}

// advance moves on after a complete reading; the caller holds the lock. What was read last may not be in history yet: the
// memory keeps the beginning of the window, so that a crash before it is stored loses nothing. What is missing before the window
// is left to the back-fill; until it is filled in the memory keeps the beginning of that.
func (s *Source) advance(sub *subscription, a *account, g *group, w azureapi.Window) {
	state := a.state(g)
	if gap := (azureapi.Window{Start: azureapi.Since(s.cursor(sub, a, g), w.End, s.reach(g)), End: w.Start}); gap.Start.Before(gap.End) {
		state.gap.Widen(gap)
	}
	state.cursor = w.End
	for _, known := range state.series {
		known.Forget(w.Start.Add(-g.overlap()).UnixMilli())
	}
	if !state.gap.Open() {
		s.remember(sub, a, g, w.Start)
	}
}

// remember notes that everything up to a moment is in history.
func (s *Source) remember(sub *subscription, a *account, g *group, through time.Time) {
	if s.opts.Memory != nil {
		s.opts.Memory.Store(storedKey(sub, a, g), float64(through.Unix()))
	}
}

// cursor is the end of the last complete window of a group, over restarts; the caller holds the lock.
func (s *Source) cursor(sub *subscription, a *account, g *group) time.Time {
	if state := a.state(g); !state.cursor.IsZero() || s.opts.Memory == nil {
		return state.cursor
	}
	seconds, ok := s.opts.Memory.Load(storedKey(sub, a, g))
	if !ok || !(seconds > 0) {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC().Truncate(g.grain)
}

func storedKey(sub *subscription, a *account, g *group) string {
	return "azurefiles/stored/" + sub.id + "/" + a.details.name + "/" + g.name
}
