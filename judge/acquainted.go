package judge

import (
	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/history"
)

// acquainted remembers which baselines the lines of a source's answers were, so that the names of those that were there before
// are neither formed nor looked up. Answers have the same lines in the same order most of the time: the next one is expected to be the one
// that followed the last time, and is looked for where it is not.
type acquainted struct {
	lines []acquaintance // in the order in which they came first
	place map[history.Identity]int
	next  int // the place of the line that is expected
}

type acquaintance struct {
	identity history.Identity
	series   *baseline.Series
}

// recall gives the baseline of a line, nil where it is not known yet.
func (a *acquainted) recall(line history.Identity) *baseline.Series {
	if a.next >= len(a.lines) || a.lines[a.next].identity != line {
		place, ok := a.place[line]
		if !ok {
			return nil
		}
		a.next = place
	}
	a.next++
	return a.lines[a.next-1].series
}

// meet remembers the baseline of a line that recall does not know.
func (a *acquainted) meet(line history.Identity, series *baseline.Series) {
	if !line.Known() {
		return
	}
	if a.place == nil {
		a.place = map[history.Identity]int{}
	}
	a.place[line] = len(a.lines)
	a.lines = append(a.lines, acquaintance{identity: line, series: series})
	a.next = len(a.lines)
}
