package envelope

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawQuery(t *rapid.T) Query {
	q := Query{
		Protocol:   rapid.SampledFrom(Protocols()).Draw(t, "protocol"),
		Level:      rapid.SampledFrom(Levels()).Draw(t, "level"),
		BlockBytes: math.Exp2(rapid.Float64Range(0, 24).Draw(t, "log2 of the block")),
		ReadShare:  rapid.Float64Range(0, 1).Draw(t, "read share"),
	}
	if rapid.Bool().Draw(t, "capacity known") {
		q.CapacityGiB = math.Exp2(rapid.Float64Range(0, 23).Draw(t, "log2 of the capacity"))
	}
	q.LargeCapacity = levelNamed(q.Level).large && rapid.Bool().Draw(t, "large")
	return q
}

// TestEveryAnswerIsWhole: for any query in range every figure is finite, above 0 and fits the others.
func TestEveryAnswerIsWhole(t *testing.T) {
	table := load(t)
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuery(t)
		got, err := table.Ceiling(q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		whole(t, q, got)
		for _, other := range table.Alternatives(q) {
			whole(t, q, other.Ceiling)
			if want := other.Ceiling.BytesPerSecond / got.BytesPerSecond; other.Ratio != want {
				t.Fatalf("%+v: ratio %g, want %g", q, other.Ratio, want)
			}
		}
	})
}

func whole(t *rapid.T, q Query, c Ceiling) {
	for _, v := range []float64{c.IOPS, c.BytesPerSecond, c.Low, c.High} {
		if !(v > 0) || math.IsInf(v, 0) {
			t.Fatalf("%+v: %+v has a figure that is none", q, c)
		}
	}
	if c.Low > c.BytesPerSecond || c.High < c.BytesPerSecond {
		t.Fatalf("%+v: %g is outside its band %g to %g", q, c.BytesPerSecond, c.Low, c.High)
	}
	if c.Confidence <= 0 || c.Confidence > 1 || c.Band < bandInside || c.Band > bandLevel {
		t.Fatalf("%+v: confidence %g, band %g", q, c.Confidence, c.Band)
	}
	if len(c.Pages) == 0 || c.Family == "" || c.Clients == "" {
		t.Fatalf("%+v: %+v does not say where it comes from", q, c)
	}
	l := levelNamed(q.Level)
	if limit := q.CapacityGiB * l.rate * kib; limit > 0 && c.BytesPerSecond > limit {
		t.Fatalf("%+v: %g is above the entitlement %g", q, c.BytesPerSecond, limit)
	}
}

// TestBetweenNeighbours: between knots the rates lie between those of the knots around, in both directions.
func TestBetweenNeighbours(t *testing.T) {
	table := load(t)
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(table.curves).Draw(t, "family")
		i := rapid.IntRange(0, len(c.blocks)-2).Draw(t, "block")
		k := rapid.IntRange(0, len(shares())-2).Draw(t, "share")
		part := rapid.Float64Range(0, 1).Draw(t, "part")
		lower, upper, left, right := c.blocks[i], c.blocks[i+1], shares()[k], shares()[k+1]
		at := func(block, share float64) Ceiling {
			got, err := table.Ceiling(Query{Protocol: c.protocol, Level: c.level, BlockBytes: block, ReadShare: share})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		share := left + part*(right-left)
		between(t, "IOPS over the share", at(lower, left).IOPS, at(lower, share).IOPS, at(lower, right).IOPS)
		block := lower + part*(upper-lower)
		between(t, "IOPS over the block", at(lower, share).IOPS, at(block, share).IOPS, at(upper, share).IOPS)
		between(t, "bytes over the block", at(lower, share).BytesPerSecond, at(block, share).BytesPerSecond, at(upper, share).BytesPerSecond)
	})
}

func between(t *rapid.T, what string, a, v, b float64) {
	const rounding = 1e-9
	if v < min(a, b)*(1-rounding) || v > max(a, b)*(1+rounding) {
		t.Fatalf("%s: %g is not between %g and %g", what, v, a, b)
	}
}

// TestContinuous: a small step over any knot, and over the ends of the measured blocks, is a small step in the rates.
func TestContinuous(t *testing.T) {
	table := load(t)
	const step, largest = 1e-9, 1e-6
	rate := func(c curve, block, share float64) float64 {
		got, err := table.Ceiling(Query{Protocol: c.protocol, Level: c.level, BlockBytes: block, ReadShare: share})
		if err != nil {
			t.Fatal(err)
		}
		return got.BytesPerSecond
	}
	for _, c := range table.curves {
		for _, block := range c.blocks {
			for _, share := range shares() {
				at := rate(c, block, share)
				for _, near := range []float64{rate(c, block*(1-step), share), rate(c, block*(1+step), share),
					rate(c, block, max(share-step, 0)), rate(c, block, min(share+step, 1))} {
					if math.Abs(near/at-1) > largest {
						t.Errorf("%s, %s, %g reads: a jump from %g to %g", c.name(), blockText(block), share, at, near)
					}
				}
			}
		}
	}
}

// TestHeldOutside: below the measured blocks IOPS stay, above them bytes stay.
func TestHeldOutside(t *testing.T) {
	table := load(t)
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(table.curves).Draw(t, "family")
		share := rapid.Float64Range(0, 1).Draw(t, "read share")
		first, last := c.blocks[0], c.blocks[len(c.blocks)-1]
		at := func(block float64) Ceiling {
			got, err := table.Ceiling(Query{Protocol: c.protocol, Level: c.level, BlockBytes: block, ReadShare: share})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		below := at(rapid.Float64Range(1, first).Draw(t, "below"))
		above := at(rapid.Float64Range(last, MaxBlockBytes).Draw(t, "above"))
		between(t, "IOPS below", at(first).IOPS, below.IOPS, at(first).IOPS)
		between(t, "bytes above", at(last).BytesPerSecond, above.BytesPerSecond, at(last).BytesPerSecond)
	})
}

// TestMoreCapacityIsNeverLess: the entitlement only grows.
func TestMoreCapacityIsNeverLess(t *testing.T) {
	table := load(t)
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuery(t)
		q.CapacityGiB = rapid.Float64Range(1, 1<<20).Draw(t, "capacity")
		more := q
		more.CapacityGiB *= rapid.Float64Range(1, 8).Draw(t, "times")
		small, err := table.Ceiling(q)
		if err != nil {
			t.Fatal(err)
		}
		large, err := table.Ceiling(more)
		if err != nil {
			t.Fatal(err)
		}
		if large.BytesPerSecond < small.BytesPerSecond {
			t.Fatalf("%g GiB give %g, %g GiB give %g", q.CapacityGiB, small.BytesPerSecond, more.CapacityGiB, large.BytesPerSecond)
		}
	})
}
