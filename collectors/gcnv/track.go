package gcnv

import (
	"cmp"
	"slices"
	"time"
)

// track is what is remembered of one series: the points of the last windows, so that one that comes again is known, and
// the newest one.
type track struct {
	points []point // oldest first
	newest point   // also after its point is forgotten
}

// insert adds a point unless its moment is known, and says whether it did.
func (t *track) insert(p point) bool {
	at, known := slices.BinarySearchFunc(t.points, p, func(a, b point) int { return cmp.Compare(a.end, b.end) })
	if known {
		return false
	}
	t.points = slices.Insert(t.points, at, p)
	if p.end > t.newest.end {
		t.newest = p
	}
	return true
}

// at is the value at a moment.
func (t *track) at(end int64) (float64, bool) {
	i, known := slices.BinarySearchFunc(t.points, end, func(p point, end int64) int { return cmp.Compare(p.end, end) })
	if !known {
		return 0, false
	}
	return t.points[i].value, true
}

// forget drops the points up to a moment.
func (t *track) forget(until int64) {
	n := 0
	for n < len(t.points) && t.points[n].end <= until {
		n++
	}
	t.points = slices.Delete(t.points, 0, n)
}

// thinned keeps the last point of each span, such as an hour. Points must be sorted.
func thinned(points []point, span time.Duration) []point {
	if span <= 0 {
		return points
	}
	var kept []point
	for i, p := range points {
		if i+1 == len(points) || bucket(points[i+1].end, span) != bucket(p.end, span) {
			kept = append(kept, p)
		}
	}
	return kept
}

func bucket(end int64, span time.Duration) int64 { return (end - 1) / span.Milliseconds() }
