package gcnv

import (
	"time"
)

// stored is the moment up to which history has a metric of a project, as far as the memory tells: what was stored before
// the last restart, or the beginning of what is to be read of the past.
func (s *Source) stored(p *project, r *row, end time.Time) time.Time {
	oldest := end.Add(-time.Duration(s.cfg.BackfillDays) * 24 * time.Hour)
	if s.opts.Memory == nil {
		return oldest
	}
	seconds, ok := s.opts.Memory.Load(storedKey(p, r))
	if !ok || !(seconds > 0) {
		return oldest
	}
	through := time.Unix(int64(seconds), 0)
	if through.After(end) || through.Before(oldest) {
		return oldest
	}
	return through
}

// remember notes that everything up to a moment is in history. What was read last may not be there yet: it is left out,
// so that a crash before it is stored loses nothing.
func (s *Source) remember(p *project, r *row, through time.Time) {
	if s.opts.Memory != nil {
		s.opts.Memory.Store(storedKey(p, r), float64(through.Unix()))
	}
}

// storedKey tells apart what is stored with and without the split by type.
func storedKey(p *project, r *row) string {
	return "gcnv/stored/" + p.id + "/" + r.family.Name
}
