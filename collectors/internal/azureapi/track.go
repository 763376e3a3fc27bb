package azureapi

import (
	"math"
	"time"

	"github.com/nasight/nasight/schema"
)

// Point is a value at the end of its bucket, in milliseconds since 1970.
type Point struct {
	End   int64
	Value float64
}

// Track is what is remembered of one series: which buckets of the last windows it has, and its newest point.
type Track struct {
	Known  map[int64]struct{}
	Newest Point
}

// NewTrack knows of no bucket.
func NewTrack() *Track { return &Track{Known: map[int64]struct{}{}} }

// Insert adds a point unless its bucket is known, and says whether it did. The first value that was read of a bucket
// stays: no history takes another one.
func (t *Track) Insert(p Point) bool {
	if t.Has(p.End) {
		return false
	}
	t.Known[p.End] = struct{}{}
	if p.End > t.Newest.End {
		t.Newest = p
	}
	return true
}

// Has says whether a bucket is known by its end.
func (t *Track) Has(end int64) bool {
	_, known := t.Known[end]
	return known
}

// Forget drops the buckets up to a moment, which no window reaches any more.
func (t *Track) Forget(until int64) {
	for end := range t.Known {
		if end <= until {
			delete(t.Known, end)
		}
	}
}

// Window is the half-open span of buckets [Start, End) that is read; both are multiples of the grain.
type Window struct{ Start, End time.Time }

// Pace is how metrics of one grain are read.
type Pace struct {
	Grain   time.Duration
	Overlap time.Duration // read again before the last complete window's end, for points that come late
	First   time.Duration // read at the first start, and at most by one request
}

// longestCatch is how far back a gap is made up for: history takes nothing that is older.
const longestCatch = 5 * time.Hour

// Window is what is to be read next; ok is false where nothing is. cursor is the end of the last complete window, partial
// says that it lacked something. A gap of up to five hours is made up for in steps.
func (p Pace) Window(cursor time.Time, partial bool, now time.Time, delay time.Duration) (w Window, ok bool) {
	end := now.Add(-delay).Truncate(p.Grain)
	if !cursor.Before(end) {
		return Window{}, false
	}
	start := end.Add(-p.First)
	if !cursor.IsZero() {
		start = cursor.Add(-p.Overlap)
	}
	if oldest := now.Add(-longestCatch).Truncate(p.Grain).Add(p.Grain); start.Before(oldest) && oldest.Before(end) {
		start = oldest
	}
	if end.Sub(start) > p.First {
		if partial {
			return Window{end.Add(-p.First), end}, true
		}
		end = start.Add(p.First)
	}
	return Window{start, end}, true
}

// largest is the largest value of a unit that can be true; anything beyond is a broken answer.
func largest(unit schema.Unit) float64 {
	switch unit {
	case schema.BytesPerSecond:
		return 1e13
	case schema.OperationsPerSecond:
		return 1e10
	case schema.Seconds:
		return 366 * 86400
	}
	return 1e18
}

// Sane says whether a value of a unit can be true.
func Sane(value float64, unit schema.Unit) bool {
	return !math.IsNaN(value) && value >= 0 && value <= largest(unit)
}
