package detectors

import (
	"time"

	"github.com/nasight/nasight/fleet"
)

// Before is a life cycle for a fold over a part of the past that became known late: it begins with what has been firing since
// before first and is about a pool or a volume. Such a finding goes on where the past shows nothing else.
func (l *Lifecycle) Before(first time.Time) *Lifecycle {
	past := &Lifecycle{timing: l.timing, gap: l.gap, ration: l.ration, tracks: map[string]*track{}}
	for id, t := range l.tracks {
		if t.fires() && t.Finding.ofCloud() && t.Finding.Since.Before(first) {
			begun := &track{Finding: t.Finding, Judged: first}
			begun.Finding.State = Firing
			past.tracks[id] = begun
		}
	}
	return past
}

// TakeOver lets a fold over the past, up to about now, say since when the findings of pools and volumes have been so, and
// which of them this life cycle could not know. The two see a condition begin at most a grain apart without meaning another
// moment by it. Nothing else changes: what is about hosts, and what the fold knows nothing of.
func (l *Lifecycle) TakeOver(past *Lifecycle, grain time.Duration) {
	for id, then := range past.tracks {
		now, known := l.tracks[id]
		switch {
		case then.Finding.State == Resolved || !then.Finding.ofCloud():
		case !known:
			l.tracks[id] = then
		case now.fires() && then.fires():
			if apart := now.Finding.Since.Sub(then.Finding.Since).Abs(); apart > grain {
				beginningOf(then.Finding).of(&now.Finding)
			}
			now.Finding.SinceAtLeast = now.Finding.SinceAtLeast && then.Finding.SinceAtLeast
		case now.Finding.State == Pending && then.fires():
			now.Finding.State, now.Window = Firing, nil
			beginningOf(then.Finding).of(&now.Finding)
		case now.Finding.State == Pending:
			now.Window = then.Window
			beginningOf(then.Finding).of(&now.Finding)
		}
	}
}

// Carry keeps what another life cycle of the rules of every day knew of resources that this one, folded anew, could not look
// at; for three days, over which two of their evaluations may lie apart.
func (l *Lifecycle) Carry(before *Lifecycle, unread []fleet.Resource) {
	index := Round{Unjudged: unread}.unjudged()
	for id, t := range before.tracks {
		if _, known := l.tracks[id]; !known && t.fires() && index.has(t.Finding) && l.at.Sub(t.Judged) <= dailyGap {
			l.tracks[id] = t
		}
	}
}

func (t *track) fires() bool { return t.Finding.State == Firing || t.Finding.State == Keep }

// ofCloud tells a finding about a pool or a volume from one about what a host sees.
func (f Finding) ofCloud() bool { return f.Resource.Pool != "" && f.Resource.Host == "" }
