package iscsi

import "slices"

// sums keeps counters that go on rising while disks come and go: a plain sum over the disks of the moment falls when one
// is removed, which a rate takes for a reset and adds the rest once more. The first update starts at the plain sum, so that
// separate moments of one host can be compared as well. The zero value is ready for use.
type sums struct {
	last   map[diskKey]*seen
	totals map[string]*totals // by target, and by target and session
	round  uint64
}

// diskKey is a disk for as long as it lives: a session that logs in anew has another number.
type diskKey struct{ session, disk string }

type seen struct {
	counters [counters]number
	round    uint64 // of the last update that had the disk
}

// totals are the sums of a target or a session.
type totals struct {
	values [counters]float64
	known  [counters]bool
	round  uint64
}

// maxRemembered bounds what is remembered of disks and targets that are not there now.
const maxRemembered = 16384

// update adds what every disk has gained since the last update. A disk that is not in the statistics is counted.
func (s *sums) update(targets []*target, now map[string]*statistics, skip skipFunc) {
	if s.last == nil {
		s.last, s.totals = map[diskKey]*seen{}, map[string]*totals{}
	}
	s.round++
	for _, t := range targets {
		whole := s.open(t.key())
		for i := range t.sessions {
			part := s.open(t.sessionKey(i))
			for _, d := range t.sessions[i].disks {
				gained := s.gain(diskKey{t.sessions[i].name, d.name}, now[d.name])
				whole.add(gained)
				part.add(gained)
				if now[d.name] == nil {
					skip("disk_without_statistics", 1)
				}
			}
		}
	}
	s.forget()
}

// sessionKey identifies a session in the sums.
func (t *target) sessionKey(i int) string { return t.key() + " " + t.sessions[i].name }

// of returns the sums under a key that has been part of an update.
func (s *sums) of(key string) *totals { return s.totals[key] }

func (s *sums) open(key string) *totals {
	if s.totals[key] == nil {
		s.totals[key] = &totals{}
	}
	s.totals[key].round = s.round
	return s.totals[key]
}

func (t *totals) add(gained [counters]number) {
	for c, g := range gained {
		if g.known {
			t.values[c] += float64(g.value)
			t.known[c] = true
		}
	}
}

// gain is the increase of a disk's counters since it was last seen. A disk that has appeared since then has gained all it
// has. One that was there without statistics begins at what it shows first: how old that is nobody can tell.
func (s *sums) gain(key diskKey, now *statistics) (gained [counters]number) {
	before := s.last[key]
	isNew := before == nil
	if isNew {
		before = &seen{}
		s.last[key] = before
	}
	before.round = s.round
	if now == nil {
		return gained
	}
	restarted := isNew || hasRestarted(before.counters, now.counters)
	for c, value := range now.counters {
		if !value.known {
			continue
		}
		gained[c] = number{known: true}
		switch last := before.counters[c]; {
		case restarted:
			gained[c].value = value.value
		case last.known:
			gained[c].value = increase(counter(c), last.value, value.value)
		}
		before.counters[c] = value
	}
	return gained
}

// hasRestarted tells whether the numbers are of another disk under the same name: requests and sectors never fall.
func hasRestarted(last, now [counters]number) bool {
	return slices.ContainsFunc([]counter{readsDone, readSectors, writesDone, writtenSectors}, func(c counter) bool {
		return last[c].known && now[c].known && now[c].value < last[c].value
	})
}

// increase of a counter of one disk. Times are 32 bits wide in the kernel's output and wrap every 49 days of one request
// outstanding, every three days of 16. What falls otherwise gains nothing.
func increase(c counter, last, now uint64) uint64 {
	const width = 1 << 32
	switch {
	case now >= last:
		return now - last
	case c.isTime() && last < width && last >= width/2 && now < width/2:
		return now + width - last
	}
	return 0
}

// forget drops what is not there any more, once that is much: what was out of sight for one run only must not come back as
// something new.
func (s *sums) forget() {
	if len(s.last) > maxRemembered {
		for key, one := range s.last {
			if one.round != s.round {
				delete(s.last, key)
			}
		}
	}
	if len(s.totals) > maxRemembered {
		for key, one := range s.totals {
			if one.round != s.round {
				delete(s.totals, key)
			}
		}
	}
}
