package detectors

import (
	"slices"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// A condition whose numbers are missing is neither true nor false; where all of a volume's are missing none is.
func TestUnknownConditions(t *testing.T) {
	fullOf := func(change func(*fleet.Volume)) *fleet.Pool {
		volume := full(aVolume("busy"))
		volume.Used, volume.Capacity = 900*gibibyte, 1000*gibibyte
		volume.InodeUsed, volume.InodeLimit = 95, 100
		change(volume)
		pool := aPool(levelPremium, "manual", volume)
		return pool
	}
	capacity, inodes := Name{HardLimit, VariantCapacity}, Name{HardLimit, VariantInodes}
	for _, row := range []struct {
		name     string
		change   func(*fleet.Volume)
		unknown  []Name
		unjudged bool
	}{
		{"all is known", func(*fleet.Volume) {}, nil, false},
		{"no space", func(v *fleet.Volume) { v.Used = fleet.Unknown }, []Name{capacity}, false},
		{"no size", func(v *fleet.Volume) { v.Capacity = fleet.Unknown }, []Name{capacity}, false},
		{"no inodes", func(v *fleet.Volume) { v.InodeLimit = fleet.Unknown }, []Name{inodes}, false},
		{"the newest sample is missing", func(v *fleet.Volume) { v.Recent[len(v.Recent)-1].Throughput = fleet.Unknown }, nil, true},
		{"an older sample is missing", func(v *fleet.Volume) { v.Recent[0].Throughput = fleet.Unknown }, nil, false},
		{"no samples", func(v *fleet.Volume) { v.Recent = nil }, nil, true},
	} {
		pool := fullOf(row.change)
		round := Judge(cloudView(pool), DefaultSettings())
		var want []string
		for _, name := range row.unknown {
			want = append(want, id(name, pool.Volumes[0].Resource()))
		}
		if !slices.Equal(round.Unknown, want) || slices.Contains(round.Unjudged, pool.Volumes[0].Resource()) != row.unjudged {
			t.Errorf("%s: unknown %v, unjudged %v; want %v, %v", row.name, round.Unknown, round.Unjudged, want, row.unjudged)
		}
		if daily := Judge(cloudView(pool), DefaultSettings(), Daily); len(daily.Unknown) != 0 {
			t.Errorf("%s: unknown by the rules of every day: %v", row.name, daily.Unknown)
		}
	}
}

// On Flex it is the pool whose limit is not known, once no volume's newest sample is.
func TestUnknownLimitOfAFlexPool(t *testing.T) {
	pool := aPool("flex", "auto", full(aVolume("busy")))
	pool.Recent = pool.Moments()
	name := Name{LimitReached, VariantThroughput}
	if round := Judge(cloudView(pool), DefaultSettings()); slices.Contains(round.Unknown, id(name, pool.Resource())) {
		t.Errorf("unknown %v, want the pool judged", round.Unknown)
	}
	pool.Recent[len(pool.Recent)-1].Throughput = fleet.Unknown
	if round := Judge(cloudView(pool), DefaultSettings()); !slices.Contains(round.Unknown, id(name, pool.Resource())) {
		t.Errorf("unknown %v, want the pool's limit", round.Unknown)
	}
}
