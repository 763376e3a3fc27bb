package otlp

import (
	"hash/maphash"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// counters remembers of every series of a counter what its next point needs: since when it is known, and what was told of it last.
type counters struct {
	seed   maphash.Seed
	series map[uint64]*counter
	round  int
}

// counter is one series.
type counter struct {
	start  time.Time // since when it counts: where that is not known, when it was first seen
	seen   float64   // value at the last look
	round  int       // the last look
	base   float64   // value that the receiver has taken last
	carry  float64   // counted between that and a reset which came before the next point
	baseAt time.Time // when the receiver took it
}

func newCounters() *counters {
	return &counters{seed: maphash.MakeSeed(), series: map[uint64]*counter{}}
}

// begin opens a look at all series.
func (c *counters) begin() { c.round++ }

// end forgets the series that the look did not see: one that comes again is a new one.
func (c *counters) end() {
	for key, one := range c.series {
		if one.round != c.round {
			delete(c.series, key)
		}
	}
}

// look takes the value of a series at a moment. Since is when it began to count; zero where that is not known. A value below the one
// before says that the count began anew.
func (c *counters) look(name string, labels []*dto.LabelPair, value float64, now, since time.Time) *counter {
	key := c.key(name, labels)
	one, known := c.series[key]
	if !known {
		one = &counter{start: since, baseAt: since}
		if since.IsZero() {
			one.start, one.base, one.baseAt = now, value, now
		}
		c.series[key] = one
	} else if value < one.seen {
		one.start = now
		one.carry += one.seen - one.base
		one.base = 0
	}
	one.seen, one.round = value, c.round
	return one
}

// key identifies a series. Two of a million share a key once in 10^7 times.
func (c *counters) key(name string, labels []*dto.LabelPair) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	_, _ = h.WriteString(name)
	for _, label := range labels {
		_ = h.WriteByte(0xff) // no byte of valid UTF-8: "a", "bc" differs from "ab", "c"
		_, _ = h.WriteString(label.GetName())
		_ = h.WriteByte(0xff)
		_, _ = h.WriteString(label.GetValue())
	}
	return h.Sum64()
}

// increase is what was counted since the receiver took the last point.
func (c *counter) increase() float64 { return c.carry + c.seen - c.base }

// taken says that the receiver took the point of the last look, which was at a moment.
func (c *counter) taken(at time.Time) { c.base, c.carry, c.baseAt = c.seen, 0, at }
