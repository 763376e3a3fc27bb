package fleet

import (
	"testing"
	"time"
)

// While the past is being filled in, hours have throughput and no operations yet: none of them is picked then.
func TestWhole(t *testing.T) {
	begin := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		both, bytes int // hours of which both are known, and bytes alone
		covered     Value
		want        bool
	}{
		"a whole week":                 {168, 0, 1, true},
		"half a week, both of it":      {84, 0, 0.5, true},
		"an hour lacks":                {167, 1, 1, true},
		"operations come later":        {20, 148, 1, false},
		"both come later":              {1, 0, 1, false},
		"nothing is known of the week": {168, 0, Unknown, false},
		"operations of no hour":        {0, 168, 1, false},
	} {
		h := &hourly{hours: map[time.Time]*traffic{}}
		for i := range row.both + row.bytes {
			known := &traffic{bytes: 4096, reads: Unknown, writes: Unknown}
			if i < row.both {
				known.writes = 1
			}
			h.hours[begin.Add(time.Duration(i)*time.Hour)] = known
		}
		if got := h.whole(row.covered); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
