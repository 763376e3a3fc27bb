package evaluate

import (
	"time"

	"github.com/nasight/nasight/detectors"
)

// Case is one scenario or recording as it was judged.
type Case struct {
	Name     string
	Snapshot bool // judged once: nothing can be said of times
	Truths   []Truth
	Episodes []Episode
}

// match says which episodes of a case are true.
type match struct {
	first   []*Episode      // of each truth: the first episode that names it; nil where none does
	seen    []time.Duration // of each truth: when it was first named
	changes []int           // of each truth: state changes of the episodes that name it
	extra   []int           // of each truth: episodes that name it beside the first
	truth   []int           // of each episode: the first truth that it names; -1 where it names none
}

// match pairs truths and episodes of one name whose resources fit and that share an evaluation. One episode may name several
// truths, one after the other; it counts for all of them as found, and for the first in what it repeats.
func (c Case) match() match {
	m := match{
		first: make([]*Episode, len(c.Truths)), seen: make([]time.Duration, len(c.Truths)),
		changes: make([]int, len(c.Truths)), extra: make([]int, len(c.Truths)), truth: make([]int, len(c.Episodes)),
	}
	for i := range c.Episodes {
		m.truth[i] = -1
		for j, truth := range c.Truths {
			m.pair(&c.Episodes[i], i, truth, j)
		}
	}
	return m
}

func (m *match) pair(episode *Episode, i int, truth Truth, j int) {
	at, overlaps := truth.overlap(*episode)
	if episode.Name != truth.Name || !truth.fits(episode.Resource) || !overlaps {
		return
	}
	again := m.first[j] != nil
	if !again || at < m.seen[j] {
		m.first[j], m.seen[j] = episode, at
	}
	if m.truth[i] >= 0 {
		return
	}
	m.truth[i] = j
	m.changes[j] += episode.changes()
	if again {
		m.extra[j]++
	}
}

// mistaken lists, for a truth that nothing names, the names of what was found in its place: false episodes of the same path
// and time.
func (c Case) mistaken(m match, truth Truth) []detectors.Name {
	var names []detectors.Name
	for i, episode := range c.Episodes {
		if _, overlaps := truth.overlap(episode); overlaps && m.truth[i] < 0 && truth.agrees(episode.Resource) {
			names = append(names, episode.Name)
		}
	}
	return names
}
