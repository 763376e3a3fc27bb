package baseline

import (
	"slices"
	"time"
)

// Incidents are the incidents of all series that go on, merged; place says where a series is, and false for one that is to be left
// out. What is over stays a member of an incident that goes on elsewhere, so that an incident is the same from its beginning to its
// end. It is a pure function of the set: nothing is kept between two calls.
func (s *Set) Incidents(now time.Time, place func(Key) (Place, bool)) []Merged {
	var members []Member
	totals := Totals{}
	for key, series := range s.series {
		at, ok := place(key)
		if !ok {
			continue
		}
		totals.count(at, series.signal)
		for _, incident := range [...]Incident{series.Departure(), series.Silence()} {
			// Older ones that are over can belong to nothing that goes on.
			if !incident.Start.IsZero() && now.Sub(incident.Start) <= newNormal*time.Second+mergeWithin {
				members = append(members, Member{Key: key, Place: at, Signal: series.signal, Incident: incident, History: series.History()})
			}
		}
	}
	slices.SortFunc(members, func(a, b Member) int { return a.Key.Compare(b.Key) }) // what Merge takes for equal stays in this order
	var open []Merged
	for _, merged := range Merge(members, totals) {
		if merged.Open() {
			open = append(open, merged)
		}
	}
	return open
}

// count adds one series. What may be absent without being silent does not keep a service from being silent as a whole, nor does what
// hosts see of it.
func (t Totals) count(place Place, signal *Signal) {
	t[place.region()]++
	if !signal.Sporadic && !signal.GapIsZero && place.Host == "" {
		t[place.provider()]++
	}
}

// Open says whether the incident goes on in any of its series.
func (m Merged) Open() bool {
	for _, other := range m.Others {
		if other.Incident.Open() {
			return true
		}
	}
	return m.Root.Incident.Open()
}
