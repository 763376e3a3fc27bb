package baseline

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	mergeWithin   = 15 * time.Minute // of the first opening
	regionalShare = 0.1              // of a region's series …
	regionalLeast = 5                // … and at least so many
)

// Place is where a series is on the way from client to pool; what does not apply is empty. Pool is the account of an Azure
// share, Volume the share.
type Place struct {
	Cloud, Service, Project, Location, Pool, Volume, Host string
}

// Member is one incident of one series.
type Member struct {
	Key      Key
	Place    Place
	Signal   *Signal
	Incident Incident
	History  time.Duration // how long the series is known
}

// Weight says which of several members is the root: the rarest departure of the largest effect.
func (m Member) Weight() float64 {
	if m.Incident.Kind == Flatline || m.Incident.Kind == Stale {
		return mostRare
	}
	return m.Incident.Rarity * math.Log2(m.Incident.Effect(m.Signal.Offset))
}

// Scope is how far an incident reaches.
type Scope string

// The scopes.
const (
	ScopeChain    Scope = ""         // one client, or one pool and its volumes
	ScopeRegion   Scope = "regional" // a tenth of a region's series at once
	ScopeProvider Scope = "provider" // nothing of one service is reported any more: the collector, or the service
)

// Merged is one incident with all series that it shows in.
type Merged struct {
	Scope  Scope
	Start  time.Time // of the first opening
	Root   Member
	Others []Member // in the order of their weight
}

// Totals counts all series that are watched, by the place's cloud, service and location, and by cloud and service alone.
type Totals map[Place]int

// Count adds one series.
func (t Totals) Count(place Place) {
	t[place.region()]++
	t[place.provider()]++
}

func (p Place) region() Place {
	return Place{Cloud: p.Cloud, Service: p.Service, Location: p.Location}
}
func (p Place) provider() Place { return Place{Cloud: p.Cloud, Service: p.Service} }

// chains are the places whose incidents belong together: the pool, and the client.
func (p Place) chains() []Place {
	var chains []Place
	if p.Pool != "" {
		chains = append(chains, Place{Cloud: p.Cloud, Service: p.Service, Project: p.Project, Location: p.Location, Pool: p.Pool})
	}
	if p.Host != "" {
		chains = append(chains, Place{Host: p.Host})
	}
	return chains
}

// Merge puts incidents together that began within 15 minutes on one chain of client, volume and pool; before that, those of a
// whole service that fell silent, and those of a tenth of a region. It is a pure function of its input: the order of the
// members does not matter.
func Merge(members []Member, totals Totals) []Merged {
	members = slices.Clone(members)
	slices.SortStableFunc(members, compareMembers)
	silent, members := split(members, silentProviders(members, totals))
	regional, members := split(members, regions(members, totals))
	merged := append(together(silent, Place.provider, ScopeProvider), together(regional, Place.region, ScopeRegion)...)
	merged = append(merged, alongChains(members)...)
	slices.SortStableFunc(merged, func(a, b Merged) int { return compareMembers(a.Root, b.Root) })
	return merged
}

// compareMembers orders by beginning, then by place, so that the result never depends on the order of the input.
func compareMembers(a, b Member) int {
	x, y := a.Place, b.Place
	return cmp.Or(a.Incident.Start.Compare(b.Incident.Start), cmp.Compare(x.Cloud, y.Cloud), cmp.Compare(x.Service, y.Service),
		cmp.Compare(x.Project, y.Project), cmp.Compare(x.Location, y.Location), cmp.Compare(x.Pool, y.Pool), cmp.Compare(x.Volume, y.Volume),
		cmp.Compare(x.Host, y.Host), cmp.Compare(a.Signal.Name, b.Signal.Name), cmp.Compare(a.Incident.Kind, b.Incident.Kind))
}

// split takes out the members that are chosen.
func split(members []Member, chosen func(Member) bool) (out, rest []Member) {
	for _, member := range members {
		if chosen(member) {
			out = append(out, member)
		} else {
			rest = append(rest, member)
		}
	}
	return out, rest
}

// silentProviders chooses what is stale where all of a service is, more than one series of it.
func silentProviders(members []Member, totals Totals) func(Member) bool {
	stale := map[Place]int{}
	for _, member := range members {
		if member.Incident.Kind == Stale && member.Place.Host == "" {
			stale[member.Place.provider()]++
		}
	}
	return func(m Member) bool {
		count := stale[m.Place.provider()]
		return m.Incident.Kind == Stale && m.Place.Host == "" && count > 1 && count >= totals[m.Place.provider()]
	}
}

// regions chooses what began within 15 minutes in a tenth of a region's series. A host without a location is in none.
func regions(members []Member, totals Totals) func(Member) bool {
	starts := map[Place][]time.Time{} // ascending, as the members are
	for _, member := range members {
		if region := member.Place.region(); region.Location != "" {
			starts[region] = append(starts[region], member.Incident.Start)
		}
	}
	return func(m Member) bool {
		region := m.Place.region()
		most := crowd(starts[region], m.Incident.Start)
		return most >= regionalLeast && float64(most) >= regionalShare*float64(totals[region])
	}
}

// crowd is the largest number of times within 15 minutes that one of them belongs to.
func crowd(times []time.Time, at time.Time) int {
	most, first := 0, 0
	for last, end := range times {
		for end.Sub(times[first]) > mergeWithin {
			first++
		}
		if !at.Before(times[first]) && !at.After(end) {
			most = max(most, last-first+1)
		}
	}
	return most
}

// together merges all members of one place that began within 15 minutes of the first.
func together(members []Member, of func(Place) Place, scope Scope) []Merged {
	var merged []Merged
	open := map[Place]int{}
	for _, member := range members {
		place := of(member.Place)
		at, ok := open[place]
		// Series fall silent one after another as their grains and delays differ: all of a silent service are one.
		if !ok || scope != ScopeProvider && member.Incident.Start.Sub(merged[at].Start) > mergeWithin {
			open[place] = len(merged)
			merged = append(merged, Merged{Scope: scope, Start: member.Incident.Start, Root: member})
			continue
		}
		merged[at].add(member)
	}
	return merged
}

// alongChains merges the members that share a pool or a client. One that shares both with different incidents joins the older.
func alongChains(members []Member) []Merged {
	var merged []Merged
	open := map[Place]int{}
	for _, member := range members {
		chains, at := member.Place.chains(), -1
		for _, chain := range chains {
			candidate, ok := open[chain]
			if ok && member.Incident.Start.Sub(merged[candidate].Start) <= mergeWithin && (at < 0 || candidate < at) {
				at = candidate
			}
		}
		if at < 0 {
			at = len(merged)
			merged = append(merged, Merged{Start: member.Incident.Start, Root: member})
		} else {
			merged[at].add(member)
		}
		for _, chain := range chains {
			open[chain] = at
		}
	}
	return merged
}

// add puts a member where its weight belongs.
func (m *Merged) add(member Member) {
	if member.Weight() > m.Root.Weight() {
		m.Root, member = member, m.Root
	}
	place, _ := slices.BinarySearchFunc(m.Others, member, func(a, b Member) int {
		return cmp.Or(cmp.Compare(b.Weight(), a.Weight()), compareMembers(a, b))
	})
	m.Others = slices.Insert(m.Others, place, member)
}
