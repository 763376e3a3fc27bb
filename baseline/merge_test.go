package baseline

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// off is a member that began some minutes after noon.
func off(place Place, minutes int, factor, rarity float64) Member {
	signal := Throughput()
	return Member{Place: place, Signal: &signal, Incident: Incident{
		Kind: Level, Start: monday.Add(12*time.Hour + time.Duration(minutes)*time.Minute), Value: factor * 1e9, Base: 1e9, Rarity: rarity,
	}}
}

func volume(pool, name string) Place {
	return Place{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "europe-west3", Pool: pool, Volume: name}
}

func client(host, pool, name string) Place {
	place := volume(pool, name)
	place.Host = host
	return place
}

// watched is a region with many series, so that a few are not regional.
func watched() Totals {
	totals := Totals{}
	for i := range 200 {
		totals.Count(volume("pool", fmt.Sprint(i)))
	}
	return totals
}

func TestMerge(t *testing.T) {
	rows := []struct {
		name    string
		members []Member
		sizes   []int // in the order of the beginnings
	}{
		{"two volumes of one pool at once", []Member{off(volume("a", "1"), 0, 2, 4), off(volume("a", "2"), 5, 2, 4)}, []int{2}},
		{"16 minutes apart", []Member{off(volume("a", "1"), 0, 2, 4), off(volume("a", "2"), 16, 2, 4)}, []int{1, 1}},
		{"a chain of ten minutes each does not go on for ever", []Member{
			off(volume("a", "1"), 0, 2, 4), off(volume("a", "2"), 10, 2, 4), off(volume("a", "3"), 20, 2, 4)}, []int{2, 1}},
		{"two pools", []Member{off(volume("a", "1"), 0, 2, 4), off(volume("b", "2"), 0, 2, 4)}, []int{1, 1}},
		{"two pools of one name in two projects", []Member{
			off(volume("a", "1"), 0, 2, 4), off(Place{Cloud: "gcp", Service: "gcnv", Project: "q", Location: "europe-west3", Pool: "a", Volume: "1"}, 0, 2, 4)}, []int{1, 1}},
		{"a client and its volume", []Member{off(volume("a", "1"), 0, 2, 4), off(client("h", "a", "1"), 5, 2, 4)}, []int{2}},
		{"two mounts of one client", []Member{off(client("h", "a", "1"), 0, 2, 4), off(client("h", "b", "2"), 5, 2, 4)}, []int{2}},
		{"two hosts of which no pool is known", []Member{off(Place{Host: "g"}, 0, 2, 4), off(Place{Host: "h"}, 0, 2, 4)}, []int{1, 1}},
		{"nothing", nil, nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var sizes []int
			for _, merged := range Merge(row.members, watched()) {
				sizes = append(sizes, 1+len(merged.Others))
				if merged.Scope != ScopeChain {
					t.Errorf("scope %q", merged.Scope)
				}
			}
			if !reflect.DeepEqual(sizes, row.sizes) {
				t.Errorf("incidents of %v members, want %v", sizes, row.sizes)
			}
		})
	}
}

// TestMergeRoot: the root is the largest product of rarity and effect, a drop counts as a rise does.
func TestMergeRoot(t *testing.T) {
	members := []Member{
		off(volume("a", "first"), 0, 1.5, 5),   // 5 × 0.58
		off(volume("a", "rare"), 5, 1.5, 8),    // 8 × 0.58
		off(volume("a", "dropped"), 10, .1, 4), // 4 × 3.3
	}
	merged := Merge(members, watched())
	if len(merged) != 1 || merged[0].Root.Place.Volume != "dropped" || merged[0].Others[0].Place.Volume != "rare" ||
		merged[0].Others[1].Place.Volume != "first" || !merged[0].Start.Equal(members[0].Incident.Start) {
		t.Errorf("%+v", merged)
	}
}

func TestMergeRegional(t *testing.T) {
	var members []Member
	for i := range 20 {
		members = append(members, off(volume(fmt.Sprint("pool", i), "v"), i%15, 2, 4))
	}
	if merged := Merge(members, watched()); len(merged) != 1 || merged[0].Scope != ScopeRegion || len(merged[0].Others) != 19 {
		t.Errorf("a tenth of the region at once: %d incidents, %+v", len(merged), merged[0].Scope)
	}
	if merged := Merge(members[:19], watched()); len(merged) != 19 {
		t.Errorf("less than a tenth: %d incidents, want 19", len(merged))
	}
	few := Totals{}
	for _, member := range members[:4] {
		few.Count(member.Place)
	}
	if merged := Merge(members[:4], few); len(merged) != 4 {
		t.Errorf("four of four: %d incidents, want 4: too few to speak of a region", len(merged))
	}
}

func TestMergeProvider(t *testing.T) {
	totals := Totals{}
	var members []Member
	for i := range 6 {
		member := off(volume(fmt.Sprint("pool", i), "v"), 20*i, 1, 0)
		member.Incident.Kind = Stale
		members = append(members, member)
		totals.Count(member.Place)
	}
	if merged := Merge(members, totals); len(merged) != 1 || merged[0].Scope != ScopeProvider || len(merged[0].Others) != 5 {
		t.Errorf("all are silent: %+v", merged)
	}
	if merged := Merge(members[1:], totals); len(merged) != 5 {
		t.Errorf("all but one are silent: %d incidents, want 5", len(merged))
	}
}

// TestMergeProperties: whatever the members and their order, each is in one incident, and the same ones come out.
func TestMergeProperties(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		var members []Member
		totals := Totals{}
		for i := range 1 + random.IntN(40) {
			place := volume(fmt.Sprint("pool", random.IntN(4)), fmt.Sprint(i))
			if random.IntN(3) == 0 {
				place.Host = fmt.Sprint("host", random.IntN(3))
			}
			members = append(members, off(place, random.IntN(120), 0.1+3*random.Float64(), 3+5*random.Float64()))
			totals.Count(place)
		}
		merged := Merge(members, totals)
		count := 0
		for _, m := range merged {
			count += 1 + len(m.Others)
			for _, other := range m.Others {
				if other.Weight() > m.Root.Weight() || m.Scope == ScopeChain && other.Incident.Start.Sub(m.Start).Abs() > mergeWithin {
					t.Errorf("seed %d: %+v in %+v", seed, other, m)
				}
			}
		}
		if count != len(members) {
			t.Errorf("seed %d: %d members, %d in incidents", seed, len(members), count)
		}
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		for i, m := range Merge(members, totals) {
			if !reflect.DeepEqual(m.Root.Place, merged[i].Root.Place) || len(m.Others) != len(merged[i].Others) {
				t.Errorf("seed %d: another order, another incident", seed)
			}
		}
	}
}
