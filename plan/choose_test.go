package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// TestStepsThatAreWorthIt: raises of volumes that lack something, and the cuts that pay for them; what changes nothing for anybody is
// left out, whatever surplus and floors would have it.
func TestStepsThatAreWorthIt(t *testing.T) {
	floor := func(o *Options) { o.FloorMiBps = 64 }
	for name, row := range map[string]struct {
		sharing
		want   []float64
		brings string
		why    []string // the first reason of each volume that has one to tell
	}{
		"of a pool with enough left, those that lack": {
			sharing{pool: 1000, needs: []float64{43, 9, 100, 76}, current: []float64{40, 30, 130, 90}, change: floor},
			[]float64{176, 30, 130, 90}, "1 step to give 1 volume the 3 MiB/s that it lacks",
			[]string{"its floor of 64, and 112 of the surplus", "88 would give it nothing that it needs", "361 would give it nothing that it needs", "275 would give it nothing that it needs"},
		},
		"no more cuts than the raise has to have": {
			sharing{pool: 1490, needs: []float64{200, 100, 100, 1000}, current: []float64{190, 160, 140, 1000}, change: func(o *Options) { o.Reserve, o.MinChangeMiBps, o.MinChangeShare = 0, 8, 0.1 }},
			[]float64{213, 107, 140, 1000}, "2 steps to give 1 volume the 10 MiB/s that it lacks, and free 30 MiB/s that no volume needs",
			[]string{"need, and 13 of the surplus", "need, and 6 of the surplus", "106 would do, but nobody lacks the rest", "1064 would be too small a change, less than 10 % of its limit"},
		},
		"much is freed, for nobody": {
			sharing{pool: 512, needs: []float64{37, 24}, current: []float64{300, 200}, volume: func(i int, v *Volume) {
				if i == 1 {
					v.Peak = 173.2
				}
			}},
			[]float64{199, 200}, "1 step to free 101 MiB/s that no volume needs",
			[]string{"its floor of 64, and 135 of the surplus", "262 would give it nothing that it needs"},
		},
		"little is freed, for nobody": {
			sharing{pool: 1280, needs: []float64{505, 484}, current: []float64{700, 550}},
			[]float64{700, 550}, "", []string{"588 would do, but nobody lacks the rest", "564 would give it nothing that it needs"},
		},
	} {
		p := row.build(t)
		mustVerify(t, p)
		if got := proposed(p); !slices.Equal(got, row.want) || p.Brings != row.brings {
			t.Errorf("%s: %v, %q, want %v, %q", name, got, p.Brings, row.want, row.brings)
		}
		for i, why := range row.why {
			if got := p.Volumes[i].Why[0]; got != why {
				t.Errorf("%s: volume %d: %q, want %q", name, i, got, why)
			}
		}
	}
}

// The reasons of limits that stay say what is the case.
func TestWhyNothingIsMoved(t *testing.T) {
	for name, row := range map[string]struct {
		sharing
		reason string
	}{
		"nobody lacks anything": {sharing{pool: 300, needs: []float64{150, 120}, current: []float64{150, 120}}, "every volume has what it needs"},
		"what could be freed is little": {
			sharing{pool: 1280, needs: []float64{505, 484}, current: []float64{700, 550}},
			"every volume has what it needs, and the 112 MiB/s that could be taken from some are less than 10 % of the pool: no limit is changed for them",
		},
		"what is lacked cannot be had": {
			sharing{pool: 1000, needs: []float64{500, 100}, current: []float64{200, 100}, volume: func(i int, v *Volume) { v.CapMiBps = []float64{200, 0}[i] }},
			"volume v0 has 200 of the 500 MiB/s that it needs, which is its maximum",
		},
		"what is lacked is little, of two": {
			sharing{pool: 1000, needs: []float64{52, 104}, current: []float64{50, 100}, change: func(o *Options) { o.MinChangeMiBps, o.MinChangeShare, o.Reserve, o.FloorMiBps = 8, 0.1, 0.9, 1 }},
			"volume v1 has 100 of the 104 MiB/s that it needs: the 4 that it lacks are less than 10 % of its limit, and so small a change is left out; 1 other volume lacks less still",
		},
		"by a number of MiB/s": {
			sharing{pool: 500, needs: []float64{52}, current: []float64{50}, change: func(o *Options) { o.MinChangeMiBps, o.MinChangeShare, o.Reserve, o.FloorMiBps = 8, 0.1, 0.9, 1 }},
			"volume v0 has 50 of the 52 MiB/s that it needs: the 2 that it lacks are less than 8 MiB/s, and so small a change is left out",
		},
	} {
		p := row.build(t)
		mustVerify(t, p)
		if p.Status != Unchanged || p.Reason != row.reason {
			t.Errorf("%s: %s, %q, want %q", name, p.Status, p.Reason, row.reason)
		}
	}
}

// In a short pool whose limits stay, each volume's reason is about the limit that it keeps: the part of its need that this is, and
// that it is below what the volume was seen to use. The sharing that is not proposed is not spoken of.
func TestReasonsBelongToWhatIsProposed(t *testing.T) {
	p := sharing{pool: 384, needs: []float64{230.4, 264.2}, current: []float64{128, 256}, volume: func(i int, v *Volume) {
		v.Peak, v.PeakDays = []fleet.Value{133.1, 220.3}[i], 14
	}}.build(t)
	mustVerify(t, p)
	if p.Status != Unchanged || p.Volumes[0].Propose >= p.Volumes[0].Lower || p.Certificate.Lambda > 0.71 {
		t.Fatalf("%s: %+v", p.Status, p.Volumes[0])
	}
	for i, want := range []string{"55 % of its need; below its observed peak of 133.1 in 14 days: what it is given another lacks; p99", "96 % of its need; p99"} {
		if got := strings.Join(p.Volumes[i].Why, "; "); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", p.Volumes[i].Name, got, want)
		}
	}
}
