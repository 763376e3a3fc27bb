package azureapi

import (
	"iter"
	"time"
)

// Gap is what is to be read yet of the past of one group of metrics. The zero value is none.
type Gap struct {
	Window
	longest time.Duration // that it ever was
}

// Open says whether there is one.
func (g Gap) Open() bool { return !g.End.IsZero() }

// Widen adds a span, which ends later than what is there.
func (g *Gap) Widen(span Window) {
	if !g.Open() {
		g.Start = span.Start
	}
	g.End = span.End
	g.longest = max(g.longest, g.End.Sub(g.Start))
}

// Rest is what is left of it from a moment on; ok is false where nothing is.
func (g Gap) Rest(from time.Time) (w Window, ok bool) {
	w = g.Window
	if from.After(w.Start) {
		w.Start = from
	}
	return w, w.Start.Before(w.End)
}

// Fill says that everything up to a moment is stored, and returns whether that moved its beginning.
func (g *Gap) Fill(to time.Time) bool {
	if !g.Open() || to.Before(g.Start) {
		return false
	}
	if g.Start = to; !to.Before(g.End) {
		g.Window = Window{}
	}
	return true
}

// Filled is the share of some gaps that is closed, 0 to 1.
func Filled(gaps iter.Seq[Gap]) float64 {
	var left, whole time.Duration
	for gap := range gaps {
		missing := gap.End.Sub(gap.Start)
		left, whole = left+missing, whole+gap.longest
	}
	if whole == 0 {
		return 1
	}
	return 1 - left.Seconds()/whole.Seconds()
}

// Since is from when on a group is to be in history: from where it is already, or from so far back as the past is wanted.
func Since(cursor, end time.Time, reach time.Duration) time.Time {
	if oldest := end.Add(-reach); cursor.Before(oldest) {
		return oldest
	}
	return cursor
}

// Lasting says whether nothing went wrong but that something was refused, which time does not cure.
func Lasting(err error) bool {
	for reason := range ReasonsOf(err) {
		switch reason {
		case ReasonPermission, ReasonAuthentication, ReasonNotFound, ReasonInvalid, ReasonIncomplete:
		default:
			return false
		}
	}
	return true
}
