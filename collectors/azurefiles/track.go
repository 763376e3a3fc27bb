package azurefiles

import (
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// seriesKey is one series of an account's metrics.
type seriesKey struct {
	row   *row
	share string // empty for the account as a whole
	kind  string // operation or response type, or empty
}

const (
	overlapMinutes = 4  // buckets that are read again, for points that come late
	overlapHours   = 6  // of hourly metrics, whose points come hours late
	firstMinutes   = 60 // buckets that are read at the first start, and at most by one request
	firstHours     = 24
)

// windowOf is what is to be read next of a group; ok is false where nothing is. cursor is the end of the last complete
// window, partial says that it lacked something.
func windowOf(g *group, cursor time.Time, partial bool, now time.Time, delay time.Duration) (w azureapi.Window, ok bool) {
	return azureapi.Pace{Grain: g.grain, Overlap: g.overlap(), First: g.first()}.Window(cursor, partial, now, delay)
}

// overlap is how far before the last complete window's end the next one begins.
func (g *group) overlap() time.Duration {
	if g.grain == time.Hour {
		return overlapHours * time.Hour
	}
	return max(overlapMinutes*time.Minute, g.grain)
}

// first is the span that is read at the first start, and at most by one request.
func (g *group) first() time.Duration {
	if g.grain == time.Hour {
		return firstHours * time.Hour
	}
	return firstMinutes * time.Minute
}
