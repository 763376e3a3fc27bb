// Package envelope answers what one storage volume can do at most: at a protocol, a service level, a block size and a
// share of reads. The answer is interpolated in the vendor's published benchmark table, with the error that leaving
// known cells out and predicting them has shown.
package envelope

import (
	_ "embed" // the table is part of the binary
	"slices"
	"strings"
	"sync"
)

// PublishedAt is the page the table was taken from.
const PublishedAt = "https://docs.cloud.google.com/netapp/volumes/docs/performance/performance-benchmarks"

const (
	kib = 1 << 10
	mib = 1 << 20
)

//go:embed envelopes.csv
var published string

// Cell is one measured point: six clients driving one volume (iSCSI: one pool of six volumes).
type Cell struct {
	Protocol, Level string
	Pattern         string  // rand or seq
	BlockBytes      float64 // bytes of one operation
	ReadShare       float64 // of the operations, 0 to 1

	ReadIOPS, WriteIOPS   float64 // op/s
	ReadMiBps, WriteMiBps float64 // MiB/s
	Clients               string  // how many hosts drove it
	Source                string  // the page, and which of the two units was measured
}

// IOPS is reads and writes together, op/s.
func (c Cell) IOPS() float64 { return c.ReadIOPS + c.WriteIOPS }

// Page names the chart of the benchmark page that the cell was read from.
func (c Cell) Page() string { return page(c.Source) }

// Large is the published maximum of a large-capacity volume: one mixed benchmark, given as "up to".
type Large struct {
	IOPS           float64 // op/s
	BytesPerSecond float64 // need not be reached together with IOPS
	Clients        string
	Source         string
}

// Table is the benchmark table. It is read-only after parsing and safe for concurrent use.
type Table struct {
	cells  []Cell
	curves []curve
	large  *Large // nil when the table has none
}

// Load gives the table that is part of the program. It is parsed once, at the first call.
func Load() (*Table, error) { return embedded() }

var embedded = sync.OnceValues(func() (*Table, error) { return Parse(strings.NewReader(published)) })

// Cells are the measured points in the table's order.
func (t *Table) Cells() []Cell { return slices.Clone(t.cells) }

// Large is the maximum of a large-capacity volume; false when the table has none.
func (t *Table) Large() (Large, bool) {
	if t.large == nil {
		return Large{}, false
	}
	return *t.large, true
}

func page(source string) string {
	if end := strings.IndexAny(source, ":("); end >= 0 {
		source = source[:end]
	}
	return strings.TrimSpace(source)
}

// shares are the read shares every table was measured at.
func shares() []float64 { return []float64{0, 0.25, 0.5, 0.75, 1} }

// curve is one family, (protocol, level): aggregate time per operation over block size and read share. Random and
// sequential tables form one curve.
type curve struct {
	protocol, level string
	blocks          []float64   // bytes, ascending
	times           [][]float64 // µs per operation of the whole volume, by block, by shares()
	pages           []string    // by block
	patterns        []string    // by block
	clients         string
}

func (c curve) name() string { return c.protocol + "/" + c.level }

// opTime is piecewise linear in both directions: an operation costs a fixed time plus its transfer, and a mix costs
// the mean of its parts. The block must lie between the first and the last of the curve.
func (c curve) opTime(block, share float64) float64 {
	times := make([]float64, len(c.blocks))
	for i := range c.blocks {
		times[i] = interpolate(shares(), c.times[i], share)
	}
	return interpolate(c.blocks, times, block)
}

// pattern is how the block was accessed when it was measured; empty for a block that was not.
func (c curve) pattern(block float64) string {
	if i, found := slices.BinarySearch(c.blocks, block); found {
		return c.patterns[i]
	}
	return ""
}

// near names the pages of the blocks on both sides of a block.
func (c curve) near(block float64) []string {
	i, found := slices.BinarySearch(c.blocks, block)
	switch {
	case found || i == 0:
		return []string{c.pages[i]}
	case i == len(c.blocks):
		return []string{c.pages[i-1]}
	}
	return []string{c.pages[i-1], c.pages[i]}
}

// interpolate is piecewise linear through (xs, ys), exact at the knots, and holds the end values outside.
func interpolate(xs, ys []float64, x float64) float64 {
	i, found := slices.BinarySearch(xs, x)
	switch {
	case found || i == 0:
		return ys[i]
	case i == len(xs):
		return ys[i-1]
	}
	part := (x - xs[i-1]) / (xs[i] - xs[i-1])
	return ys[i-1]*(1-part) + ys[i]*part
}
