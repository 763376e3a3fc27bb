package queue

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/envelope"
)

// curveShares is the number of intervals between the published shares of reads.
const curveShares = 4

// curveBlocks is the number of powers of two from one byte to envelope.MaxBlockBytes.
const curveBlocks = 25

// Curve is a volume's time per operation by the published measurements, for Volume.OpTime: seconds by block in bytes and
// share of reads, 1/IOPS of the volume's ceiling. It is read from the table once, at every power of two of a block and every
// published share; the envelope is linear between those, so between them nothing is lost. A block outside 1 byte to
// 16 MiB takes the time of the nearest one.
func Curve(t *envelope.Table, protocol, level string) (func(block, readShare float64) float64, error) {
	var times [curveBlocks][curveShares + 1]float64
	for b := range times {
		for r := range times[b] {
			q := envelope.Query{Protocol: protocol, Level: level, BlockBytes: math.Ldexp(1, b), ReadShare: float64(r) / curveShares}
			c, err := t.Ceiling(q)
			if err != nil {
				return nil, fmt.Errorf("time per operation of a volume: %w", err)
			}
			times[b][r] = 1 / c.IOPS
		}
	}
	return func(block, readShare float64) float64 {
		block = min(max(block, 1), math.Ldexp(1, curveBlocks-1))
		_, exponent := math.Frexp(block)
		b := min(exponent-1, curveBlocks-2)
		part := block/math.Ldexp(1, b) - 1
		share := min(max(readShare, 0), 1) * curveShares
		r := min(int(share), curveShares-1)
		share -= float64(r)
		at := func(b int) float64 { return times[b][r] + share*(times[b][r+1]-times[b][r]) }
		return at(b) + part*(at(b+1)-at(b))
	}, nil
}
