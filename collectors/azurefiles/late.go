package azurefiles

import (
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// lateness is the points of a group that came after their minute had been read: Azure fills a minute up for a while after it has
// shown it first, and history takes the first number for good.
type lateness map[seriesKey]map[int64]time.Time // by the end of the bucket: when it was first seen

// holds says whether a late point is too fresh to be taken. What comes with its minute has been waited for already, and what
// is told by the hour is computed once.
func (late lateness) holds(g *group, k seriesKey, end int64, cursor, now time.Time) bool {
	if cursor.IsZero() || end > cursor.UnixMilli() || g.grain == time.Hour {
		return false
	}
	first, seen := late[k][end]
	switch {
	case !seen:
		if late[k] == nil {
			late[k] = map[int64]time.Time{}
		}
		late[k][end] = now
		return true
	case now.Sub(first).Abs() < schema.AzureDelay:
		return true
	}
	delete(late[k], end)
	return false
}

// oldest is the end of the oldest point that is held; 0 for none. Those before a moment are given up: no window reaches them.
func (late lateness) oldest(before int64) (oldest int64) {
	for k, ends := range late {
		for end := range ends {
			if end <= before {
				delete(ends, end)
			} else if oldest == 0 || end < oldest {
				oldest = end
			}
		}
		if len(ends) == 0 {
			delete(late, k)
		}
	}
	return oldest
}

// reaching is a window that reaches back as far as one request may, where points are late: the newest one that came ends before
// the window begins, or some are held. A minute in which nothing happened looks the same as one that is late; asking for both
// makes no request more, and no batch smaller, since all such windows are one.
func (state *groupState) reaching(g *group, w azureapi.Window) azureapi.Window {
	oldest := w.End.Add(-g.first())
	var newest int64
	for _, known := range state.series {
		newest = max(newest, known.Newest.End)
	}
	held := state.late.oldest(oldest.UnixMilli())
	begin := w.Start.UnixMilli()
	if (newest != 0 && newest < begin || held != 0 && held <= begin) && oldest.Before(w.Start) {
		w.Start = oldest
	}
	return w
}
