package detectors

import (
	"time"

	"github.com/nasight/nasight/fleet"
)

// beginning is since when something has been so.
type beginning struct {
	since   time.Time
	atLeast bool // it was so already when it was first looked at
}

func beginningOf(f Finding) beginning { return beginning{f.Since, f.SinceAtLeast} }

func (b beginning) of(f *Finding) { f.Since, f.SinceAtLeast = b.since, b.atLeast }

// couldBe tells whether it may be that it began within so much of a moment.
func (b beginning) couldBe(at time.Time, within time.Duration) bool {
	return b.since.Sub(at).Abs() <= within || b.atLeast && b.since.After(at)
}

// gap is the time between two rounds after which nobody knows since when what is found has been so: that of rules of every
// minute, where some are due.
func (r Round) gap(minute time.Duration) time.Duration {
	if r.due(Minute) {
		return minute
	}
	return dailyGap
}

// blind is what a round did not look at.
type blind struct {
	Unjudged []fleet.Resource `json:"unjudged,omitempty"`
	Unknown  []string         `json:"unknown,omitempty"`

	resources unjudged
	ids       map[string]bool
}

func (r Round) blind() blind {
	return blind{r.Unjudged, r.Unknown, r.unjudged(), setOf(r.Unknown)}
}

func (u blind) has(finding Finding) bool { return u.ids[finding.ID] || u.resources.has(finding) }

// Recorded is a finding as history has it: serve leaves there since when each that fires has been so.
type Recorded struct {
	Finding           // its name, resource and beginning alone
	At      time.Time // when it was recorded last
}

// Recall tells the life cycle what was recorded before it began. What it finds to be so from its first rounds on goes on from there,
// where it was recorded until then; so does what began at the same time but for the pace of its rounds.
func (l *Lifecycle) Recall(recorded []Recorded) {
	l.recorded = make(map[string]Recorded, len(recorded))
	for _, r := range recorded {
		l.recorded[r.ID] = r
	}
}

// paceOf is how far apart two life cycles may see one beginning, by when in the day they look.
func paceOf(name Name) time.Duration {
	if clockOf(name) == Daily {
		return dailyPace
	}
	return 0
}

const dailyPace = 24 * time.Hour

// recall is the beginning of a finding that begins to fire here, as it was recorded if it was the same.
func (l *Lifecycle) recall(finding Finding, seen beginning) beginning {
	r, known := l.recorded[finding.ID]
	pace := paceOf(finding.Name())
	switch {
	case !known || r.At.Before(seen.since.Add(-max(pace, l.gap))): // nothing tells what was in between
		return seen
	case seen.since.Sub(r.Since).Abs() <= pace, seen.atLeast && r.Since.Before(seen.since):
		return beginningOf(r.Finding)
	}
	return seen
}

// forgetRecorded drops what this life cycle found to be over after it was recorded to have begun.
func (l *Lifecycle) forgetRecorded(found map[string]Finding, now blind) {
	for id, r := range l.recorded {
		_, again := found[id]
		if !again && !now.has(r.Finding) && l.at.Sub(r.Since) > paceOf(r.Name()) {
			delete(l.recorded, id)
		}
	}
}
