package baseline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// filledTail holds the distances 1 to n.
func filledTail(n int) (*tail, *ranks) {
	t, r := &tail{}, &ranks{}
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
		t.add(r, float32(i+1), period)
	}
	return t, r
}

func TestRarity(t *testing.T) {
	full, ranks := filledTail(999)
	rows := []struct {
		distance float32
		want     float64
	}{
		{0, 0},
		{871, 0},                            // below the 128 kept
		{872, 0},                            // the smallest kept: it stands for all below
		{990, math.Log10(1000. / 11)},       // ten are as large
		{999, math.Log10(1000. / 2)},        // the record itself
		{998.5, math.Log10(1000. / 2)},      // one is larger
		{1998, 3 + hillMost*math.Log10(2)},  // twice the record, with the lightest tail there is
		{1e30, mostRare},                    // bounded
		{math.MaxFloat32, mostRare},         //
		{float32(math.Inf(1)), mostRare},    // a distance is finite, and this is no worse
		{999.001, 3 + hillMost*0.000000435}, // hardly beyond the record: one in a thousand
	}
	for _, row := range rows {
		if got := full.rarity(ranks, row.distance); math.Abs(got-row.want) > 1e-3 {
			t.Errorf("%v: %v, want %v", row.distance, got, row.want)
		}
	}
	var empty tail
	if got := empty.rarity(ranks, 5); got != 0 {
		t.Errorf("nothing is rare before the first: %v", got)
	}
}

// TestRarityIsCalibrated: of samples like those before, one in 10^q is as rare as q, whatever their distribution.
func TestRarityIsCalibrated(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"normal":      func() float64 { return math.Abs(random.NormFloat64()) },
		"exponential": random.ExpFloat64,
		"heavy":       func() float64 { return math.Pow(random.Float64(), -1./3) },
	} {
		var tail tail
		var ranks ranks
		const n = 200000
		counts := [4]int{}
		for i := range n {
			x := float32(draw())
			q := tail.rarity(&ranks, x)
			for power := range counts {
				if q >= float64(power) {
					counts[power]++
				}
			}
			tail.add(&ranks, x, uint8(period+i%ageing/stampSize))
			if i%ageing == ageing-1 {
				tail.age(&ranks)
			}
		}
		for power, want := range map[int]float64{2: n / 100, 3: n / 1000} {
			if got := float64(counts[power]); got < want/3 || got > want*3 {
				t.Errorf("%s: %v of %d samples as rare as %d, want about %v", name, got, n, power, want)
			}
		}
	}
}

// TestDistance: the distance of a rarity has that rarity, as far as ranks go.
func TestDistance(t *testing.T) {
	full, ranks := filledTail(999)
	for _, rarity := range []float64{1.5, 2, 2.5, 3, 3.5, 4} {
		distance := full.distance(ranks, rarity)
		at, behind := full.rarity(ranks, float32(distance)), full.rarity(ranks, float32(distance*1.001))
		if at > rarity+0.1 || behind < rarity-0.1 {
			t.Errorf("rarity %v is at %v, which has %v, and %v right behind it", rarity, distance, at, behind)
		}
	}
	var empty tail
	if got := empty.distance(ranks, 3); !math.IsInf(got, 1) {
		t.Errorf("before the first sample %v is off", got)
	}
}

func TestTailKeepsTheLargest(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	var tail tail
	var ranks ranks
	var all []float32
	for range 1000 {
		x := float32(random.IntN(300)) // with ties
		tail.add(&ranks, x, period)
		all = append(all, x)
	}
	slices.Sort(all)
	if !slices.Equal(ranks.values[:], all[len(all)-tailSize:]) || tail.least != ranks.values[0] || tail.total != 1000 {
		t.Errorf("kept %v", ranks.values)
	}
}

// TestAge: the older half goes, whatever its size, and the younger becomes the older.
func TestAge(t *testing.T) {
	var tail tail
	var ranks ranks
	for i := range 100 {
		tail.add(&ranks, float32(i%10)+float32(i)/1000, uint8(period+i)) // young and old mixed by size
	}
	tail.age(&ranks)
	if tail.kept != 50 || tail.total != 50 || tail.least != ranks.values[0] || !slices.IsSorted(ranks.values[:50]) {
		t.Errorf("%+v, %v", tail, ranks.values[:tail.kept])
	}
	for i := range tail.kept {
		if stamp := ranks.stamps[i]; stamp < 50 || stamp >= 100 {
			t.Errorf("stamp %d is left, want those of 50 to 99", stamp)
		}
	}
	for range 20 {
		tail.age(&ranks)
	}
	if tail.kept != 1 || tail.total > 0.001 {
		t.Errorf("after 20 periods %d are kept of %v", tail.kept, tail.total)
	}
}

func TestAgeOfTies(t *testing.T) {
	var tail tail
	var ranks ranks
	for i := range tailSize {
		tail.add(&ranks, float32(i), period) // all of one age
	}
	tail.age(&ranks)
	if tail.kept != tailSize/2 || ranks.values[0] != tailSize/2 {
		t.Errorf("%d kept from %v; of one age the larger half stays", tail.kept, ranks.values[0])
	}
}

func TestForgetTail(t *testing.T) {
	var tail tail
	var ranks ranks
	for i := range 20 {
		tail.add(&ranks, float32(i), uint8(period+i))
	}
	tail.forget(&ranks, period+15)
	if tail.kept != 15 || tail.total != 15 || ranks.values[14] != 14 {
		t.Errorf("%+v %v", tail, ranks.values[:20])
	}
}
