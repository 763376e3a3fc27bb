package envelope

import (
	"math"
	"slices"
	"testing"
)

// spread is what a set of relative errors says, in per cent.
type spread struct{ n, mape, median, p90, max, bias float64 }

func spreadOf(errors []float64) spread {
	n := len(errors)
	sizes := make([]float64, n)
	s := spread{n: float64(n)}
	for i, e := range errors {
		sizes[i] = 100 * math.Abs(e)
		s.mape += sizes[i] / s.n
		s.bias += 100 * e / s.n
	}
	slices.Sort(sizes)
	s.median = (sizes[(n-1)/2] + sizes[n/2]) / 2
	s.p90, s.max = sizes[n*9/10], sizes[n-1]
	return s
}

// hold compares with the published error table, which has one decimal; NaN is a field it does not give.
func hold(t *testing.T, name string, got, want spread) {
	t.Helper()
	t.Logf("%s: n %.0f, MAPE %.2f %%, median %.2f, p90 %.2f, max %.2f, bias %+.2f", name, got.n, got.mape, got.median, got.p90, got.max, got.bias)
	for i, pair := range [][2]float64{{got.n, want.n}, {got.mape, want.mape}, {got.median, want.median}, {got.p90, want.p90}, {got.max, want.max}, {got.bias, want.bias}} {
		if !math.IsNaN(pair[1]) && math.Abs(pair[0]-pair[1]) > 0.0501 {
			t.Errorf("%s: %s is %.3f, want %.1f", name, []string{"n", "MAPE", "median", "p90", "max", "bias"}[i], pair[0], pair[1])
		}
	}
}

var none = math.NaN()

// without predicts the i-th knot from the others, with the model's own interpolation.
func without(xs, ys []float64, i int) float64 {
	return interpolate(slices.Delete(slices.Clone(xs), i, i+1), slices.Delete(slices.Clone(ys), i, i+1), xs[i])
}

// extended continues the line through two knots, which the model itself never does.
func extended(x, x0, y0, x1, y1 float64) float64 { return y0 + (x-x0)*(y1-y0)/(x1-x0) }

// column is op time over the block sizes at one read share.
func (c curve) column(share int) []float64 {
	times := make([]float64, len(c.blocks))
	for i := range c.blocks {
		times[i] = c.times[i][share]
	}
	return times
}

// relative is the error in rate of a predicted time per operation.
func relative(predicted, measured float64) float64 { return measured/predicted - 1 }

// TestReadShareError leaves out one mix at a time: the interior ones interpolated, the ends extrapolated.
func TestReadShareError(t *testing.T) {
	var interior, ends []float64
	xs := shares()
	for _, c := range load(t).curves {
		for _, times := range c.times {
			for i := 1; i <= 3; i++ {
				interior = append(interior, relative(without(xs, times, i), times[i]))
			}
			ends = append(ends, relative(extended(0, xs[1], times[1], xs[2], times[2]), times[0]),
				relative(extended(1, xs[3], times[3], xs[2], times[2]), times[4]))
		}
	}
	hold(t, "read share, interior", spreadOf(interior), spread{42, 5.0, 3.1, 13.2, 20.6, -1.0})
	hold(t, "read share, ends", spreadOf(ends), spread{28, 12.3, 5.4, 37.0, 73.1, none})
	if p90 := spreadOf(interior).p90; math.Abs(p90-100*bandInside) > 0.5 {
		t.Errorf("the band inside a table is %g, the error's p90 %.1f %%", bandInside, p90)
	}
}

// TestBlockError leaves out one of the two inner block sizes at a time, and then both ways of predicting one cell.
func TestBlockError(t *testing.T) {
	var blocks, both []float64
	for _, c := range load(t).curves {
		if len(c.blocks) < 3 {
			continue
		}
		for i := 1; i < len(c.blocks)-1; i++ {
			for share := range shares() {
				measured := c.times[i][share]
				byBlock := relative(without(c.blocks, c.column(share), i), measured)
				blocks = append(blocks, byBlock)
				if share > 0 && share < 4 {
					byMix := relative(without(shares(), c.times[i], share), measured)
					both = append(both, math.Sqrt((1+byBlock)*(1+byMix))-1)
				}
			}
		}
	}
	hold(t, "block, piecewise linear", spreadOf(blocks), spread{30, 8.7, 7.0, 19.2, 22.0, -4.5})
	hold(t, "both directions averaged", spreadOf(both), spread{18, 5.5, 4.5, 10.3, 16.6, -2.6})
	if p90 := spreadOf(blocks).p90; math.Abs(p90-100*bandBlocks) > 0.5 {
		t.Errorf("the band between blocks is %g, the error's p90 %.1f %%", bandBlocks, p90)
	}
}

// TestHeldError predicts the outermost block from its neighbour and the neighbour from it, as holding does.
func TestHeldError(t *testing.T) {
	var iops, mibps []float64
	for _, c := range load(t).curves {
		if len(c.blocks) < 4 {
			continue
		}
		last := len(c.blocks) - 1
		ratio := c.blocks[last] / c.blocks[last-1]
		for share := range shares() {
			times := c.column(share)
			iops = append(iops, relative(times[0], times[1]), relative(times[1], times[0]))
			mibps = append(mibps, relative(times[last-1]*ratio, times[last]), relative(times[last]/ratio, times[last-1]))
		}
	}
	hold(t, "same IOPS", spreadOf(iops), spread{30, 15.8, none, 30.5, 43.8, none})
	hold(t, "same MiB/s", spreadOf(mibps), spread{30, 9.2, none, 22.4, 29.4, none})
	if math.Abs(spreadOf(iops).p90-100*bandHeldIOPS) > 0.5 || math.Abs(spreadOf(mibps).p90-100*bandHeldMiBps) > 0.5 {
		t.Errorf("the bands of held blocks are %g and %g", bandHeldIOPS, bandHeldMiBps)
	}
}

// TestFamilyError puts one family's cells for another's. The error is relative to the prediction, as a band around
// the prediction needs it.
func TestFamilyError(t *testing.T) {
	cells := map[[2]string][]Cell{}
	for _, cell := range load(t).Cells() {
		family := [2]string{cell.Protocol, cell.Level}
		cells[family] = append(cells[family], cell)
	}
	compare := func(measured, standIn [2]string) []float64 {
		var errors []float64
		for _, a := range cells[measured] {
			for _, b := range cells[standIn] {
				if a.BlockBytes == b.BlockBytes && a.ReadShare == b.ReadShare {
					errors = append(errors, a.IOPS()/b.IOPS()-1)
				}
			}
		}
		return errors
	}
	nfs := [2]string{NFSv3, Extreme}
	protocol := spreadOf(compare([2]string{SMB, Extreme}, nfs))
	level := spreadOf(compare([2]string{NFSv3, FlexFileCustom}, nfs))
	hold(t, "SMB by NFSv3", protocol, spread{20, 8.1, 6.4, 18.0, 25.2, none})
	hold(t, "Flex File by Extreme", level, spread{10, 24.5, 23.6, 52.3, none, none})
	if protocol.p90 > 100*bandProtocol || math.Abs(level.p90-100*bandLevel) > 0.5 {
		t.Errorf("the bands of stand-ins are %g and %g", bandProtocol, bandLevel)
	}
}
