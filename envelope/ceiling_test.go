package envelope

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var errTest = errors.New("broken on purpose")

func ceiling(t testing.TB, q Query) Ceiling {
	t.Helper()
	got, err := load(t).Ceiling(q)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestTruthTable is the specification's: ceilings, and whether a limit counts as beyond them with which waste.
func TestTruthTable(t *testing.T) {
	for row, c := range []struct {
		q           Query
		iops, mibps float64
		limit       float64 // MiB/s
		fire        bool
		waste       float64
		confidence  float64
	}{
		{Query{Protocol: NFSv3, Level: Extreme, BlockBytes: 64 * kib, ReadShare: 1}, 83_792, 5_237.0, 9_600, true, 4_363, 1},
		{Query{Protocol: NFSv3, Level: Extreme, BlockBytes: 64 * kib, ReadShare: .5}, 45_296, 2_831.0, 4_608, true, 1_777, 1},
		{Query{Protocol: NFSv3, Level: Extreme, BlockBytes: 8 * kib, ReadShare: .875}, 211_591, 1_653.1, 1_500, false, 0, 1},
		{Query{Protocol: NFSv3, Level: Extreme, BlockBytes: 16 * kib, ReadShare: 1}, 202_454, 3_163.3, 4_608, true, 1_444.7, 1},
		{Query{Protocol: SMB, Level: Extreme, BlockBytes: 4 * kib, ReadShare: 0}, 109_300, 427.0, 600, true, 173, 1},
		{Query{Protocol: ISCSI, Level: FlexUnifiedCustom, BlockBytes: mib, ReadShare: 1}, 4_954, 4_954.0, 5_120, false, 0, .7},
		{Query{Protocol: NFSv3, Level: Extreme, BlockBytes: 2 * kib, ReadShare: 1}, 380_000, 742.2, 500, false, 0, .7},
		{Query{Protocol: NFSv3, Level: FlexFileCustom, BlockBytes: 8 * kib, ReadShare: .5}, 114_440, 894.1, 1_000, false, 0, 1},
	} {
		got := ceiling(t, c.q)
		mibps := got.BytesPerSecond / mib
		if math.Abs(got.IOPS-c.iops) > 0.5 || math.Abs(mibps-c.mibps) > 0.051 {
			t.Errorf("row %d: %.1f op/s, %.2f MiB/s; want %.0f, %.1f", row+1, got.IOPS, mibps, c.iops, c.mibps)
		}
		if got.Confidence != c.confidence {
			t.Errorf("row %d: confidence %g, want %g", row+1, got.Confidence, c.confidence)
		}
		if fire := Beyond(c.limit, mibps); fire != c.fire || fire && math.Abs(c.limit-mibps-c.waste) > 0.06 {
			t.Errorf("row %d: limit %g is beyond: %t, waste %.1f; want %t, %g", row+1, c.limit, fire, c.limit-mibps, c.fire, c.waste)
		}
	}
}

func TestBeyond(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		limit, ceiling float64
		want           bool
	}{
		{1250, 1000, false}, {1250.1, 1000, true}, {1000, 1000, false}, {math.Inf(1), 1000, true},
		{nan, 1000, false}, {1000, nan, false}, {1000, 0, false}, {1000, -1, false}, // what is missing proves nothing
	} {
		if got := Beyond(c.limit, c.ceiling); got != c.want {
			t.Errorf("Beyond(%g, %g) = %t", c.limit, c.ceiling, got)
		}
	}
}

// TestFamilies: what stands in for what, at which confidence and band.
func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		protocol, level string
		family          string
		confidence      float64
		band            float64
		note            string
	}{
		{NFSv3, Extreme, "nfsv3/extreme", 1, .13, ""},
		{NFSv3, Premium, "nfsv3/extreme", .8, .52, "nfsv3 was not measured on premium: extreme stands in"},
		{NFSv3, Standard, "nfsv3/extreme", .8, .52, "extreme stands in"},
		{NFSv3, FlexFile, "nfsv3/flex_file_custom", .8, .52, "flex_file_custom stands in"},
		{NFSv3, FlexUnifiedCustom, "nfsv3/flex_file_custom", .8, .52, "flex_file_custom stands in"},
		{NFSv41, Extreme, "nfsv3/extreme", .8, .19, "NFSv4.1 was not measured: NFSv3 stands in"},
		{NFSv41, FlexFileCustom, "nfsv3/flex_file_custom", .8, .19, "NFSv4.1 was not measured"},
		{NFSv41, Premium, "nfsv3/extreme", .64, .52, "NFSv4.1 was not measured"},
		{SMB, Extreme, "smb/extreme", 1, .13, ""},
		{SMB, Standard, "smb/extreme", .8, .52, "smb was not measured on standard"},
		{SMB, FlexUnifiedCustom, "smb/extreme", .8, .52, "smb was not measured on flex_unified_custom"},
		{ISCSI, FlexUnifiedCustom, "iscsi/flex_unified_custom", 1, .13, "measured on a pool of six volumes"},
		{ISCSI, Extreme, "iscsi/flex_unified_custom", .8, .52, "iscsi was not measured on extreme"},
	} {
		got := ceiling(t, Query{Protocol: c.protocol, Level: c.level, BlockBytes: 8 * kib, ReadShare: .5})
		if got.Family != c.family || math.Abs(got.Confidence-c.confidence) > 1e-12 || got.Band != c.band {
			t.Errorf("%s on %s: %s, confidence %g, band %g; want %+v", c.protocol, c.level, got.Family, got.Confidence, got.Band, c)
		}
		if got.ExactFamily != (c.confidence == 1) || !strings.Contains(strings.Join(got.Notes, "\n"), c.note) {
			t.Errorf("%s on %s: exact %t, notes %q; want %q", c.protocol, c.level, got.ExactFamily, got.Notes, c.note)
		}
	}
}

// TestLastResort: a table without a protocol answers with NFSv3 on Extreme, one without that with an error.
func TestLastResort(t *testing.T) {
	q := Query{Protocol: SMB, Level: Premium, BlockBytes: 8 * kib, ReadShare: .5}
	table, err := Parse(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.Ceiling(q)
	if err != nil || got.IOPS != 1024 || math.Abs(got.Confidence-.64) > 1e-12 || got.Family != "nfsv3/extreme" {
		t.Errorf("%+v, %v; want NFSv3 on Extreme at 0.64", got, err)
	}
	table, err = Parse(strings.NewReader(strings.ReplaceAll(small, "nfsv3,extreme", "iscsi,extreme")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = table.Ceiling(q); err == nil || !strings.Contains(err.Error(), "no table for protocol smb on service level premium") {
		t.Errorf("error %v", err)
	}
	if _, err := table.Plot(q); err == nil {
		t.Error("a plot of nothing")
	}
	if got := table.Alternatives(q); got != nil {
		t.Errorf("alternatives %v to nothing", got)
	}
	q.LargeCapacity = true
	if _, err := table.Ceiling(q); err == nil || !strings.Contains(err.Error(), "no published maximum") {
		t.Errorf("error %v", err)
	}
}

// TestMeasuredBeatsStandIn: a table that has NFSv4.1 of its own is used as it is.
func TestMeasuredBeatsStandIn(t *testing.T) {
	table, err := Parse(strings.NewReader(strings.ReplaceAll(small, "nfsv3,", "nfsv4.1,")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.Ceiling(Query{Protocol: NFSv41, Level: Extreme, BlockBytes: 8 * kib, ReadShare: 1})
	if err != nil || got.Family != "nfsv4.1/extreme" || !got.ExactFamily {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestBandsAndHolding: outside the blocks the lower cost per operation or per byte is not known, so it is held.
func TestBandsAndHolding(t *testing.T) {
	for _, c := range []struct {
		block, band, confidence float64
		inside                  bool
		pages                   []string
	}{
		{1 * kib, .30, .7, false, []string{"gcnv-benchmarks/smb-extreme-4k-rand"}},
		{4 * kib, .13, 1, true, []string{"gcnv-benchmarks/smb-extreme-4k-rand"}},
		{16 * kib, .19, 1, true, []string{"gcnv-benchmarks/smb-extreme-8k-rand", "gcnv-benchmarks/smb-extreme-64k-seq"}},
		{256 * kib, .13, 1, true, []string{"gcnv-benchmarks/smb-extreme-256k-seq"}},
		{512 * kib, .22, .7, false, []string{"gcnv-benchmarks/smb-extreme-256k-seq"}},
	} {
		got := ceiling(t, Query{Protocol: SMB, Level: Extreme, BlockBytes: c.block, ReadShare: .6})
		if got.Band != c.band || got.Confidence != c.confidence || got.BlockInside != c.inside {
			t.Errorf("%g KiB: %+v, want %+v", c.block/kib, got, c)
		}
		if diff := cmp.Diff(c.pages, got.Pages); diff != "" {
			t.Errorf("%g KiB: %s", c.block/kib, diff)
		}
		if low, high := got.BytesPerSecond*(1-c.band), got.BytesPerSecond*(1+c.band); got.Low != low || got.High != high {
			t.Errorf("%g KiB: band %g to %g, want %g to %g", c.block/kib, got.Low, got.High, low, high)
		}
	}
}

// TestCaps: an entitlement below the envelope decides, one inside the band cuts it, one above changes nothing.
func TestCaps(t *testing.T) {
	const envelope = 2831 // NFSv3 on Extreme, 64 KiB, half reads, MiB/s
	for _, c := range []struct {
		level           string
		gib             float64
		want, low, high float64
		capped          bool
		note            string
	}{
		{Standard, 10 << 10, 160, 160, 160, true, "capped by 10 TiB of volume capacity x 16 KiB/s per GiB"},
		{Premium, 1500, 93.75, 93.75, 93.75, true, "capped by 1.465 TiB of volume capacity x 64 KiB/s per GiB"},
		{Premium, 40 << 10, 2560, envelope * .48, 2560, true, "capped by 40 TiB"},
		{Premium, 50 << 10, envelope, envelope * .48, 3200, false, ""},
		{Premium, 100 << 10, envelope, envelope * .48, envelope * 1.52, false, ""},
		{Premium, 0, envelope, envelope * .48, envelope * 1.52, false, "the volume's capacity is not given"},
		{Extreme, 1 << 10, 128, 128, 128, true, "capped by 1 TiB"},
		{Extreme, 75 << 10, envelope, envelope * .87, envelope * 1.13, false, ""},
		{Extreme, 0, envelope, envelope * .87, envelope * 1.13, false, ""},
		{FlexFile, 4 << 10, 64, 64, 64, true, "capped by 4 TiB of pool capacity x 16 KiB/s per GiB"},
	} {
		got := ceiling(t, Query{Protocol: NFSv3, Level: c.level, BlockBytes: 64 * kib, ReadShare: .5, CapacityGiB: c.gib})
		near := func(a, b float64) bool { return math.Abs(a/mib-b) < 1e-6 }
		if !near(got.BytesPerSecond, c.want) || !near(got.Low, c.low) || !near(got.High, c.high) || got.Capped != c.capped {
			t.Errorf("%s, %g GiB: %+v, want %+v", c.level, c.gib, got, c)
		}
		if !near(got.IOPS*64*kib, c.want) {
			t.Errorf("%s, %g GiB: %g op/s do not fit %g MiB/s", c.level, c.gib, got.IOPS, c.want)
		}
		if !strings.Contains(strings.Join(got.Notes, "\n"), c.note) {
			t.Errorf("%s, %g GiB: notes %q, want %q", c.level, c.gib, got.Notes, c.note)
		}
	}
}

// TestPoolMaximum: where Extreme stands in for Flex, the pool's published maximum bounds it; the measured cells of
// Flex itself stay as they are, also the one of 160,087.
func TestPoolMaximum(t *testing.T) {
	q := Query{Protocol: SMB, Level: FlexUnifiedCustom, BlockBytes: 4 * kib, ReadShare: 1}
	if got := ceiling(t, q); got.IOPS != 160_000 || !got.Capped {
		t.Errorf("SMB on Flex Unified: %+v, want a pool's 160,000", got)
	}
	q.BlockBytes = 64 * kib
	if got := ceiling(t, q); got.BytesPerSecond != 5_120*mib || !got.Capped {
		t.Errorf("SMB on Flex Unified: %+v, want a pool's 5,120 MiB/s", got)
	}
	measured := Query{Protocol: ISCSI, Level: FlexUnifiedCustom, BlockBytes: 4 * kib, ReadShare: .25}
	if got := ceiling(t, measured); math.Round(got.IOPS) != 160_087 || got.Capped {
		t.Errorf("iSCSI on Flex Unified: %+v, want the measured 160,087", got)
	}
}

// TestLargeCapacity: the one published maximum, bounded by whichever of its two figures comes first.
func TestLargeCapacity(t *testing.T) {
	q := Query{Protocol: NFSv3, Level: Extreme, BlockBytes: 64 * kib, ReadShare: .5, LargeCapacity: true}
	got := ceiling(t, q)
	if got.BytesPerSecond != 22_016*mib || got.High != got.BytesPerSecond || got.Band != .52 || got.Confidence != .8 || !got.ExactFamily {
		t.Errorf("64 KiB: %+v, want 22,016 MiB/s", got)
	}
	q.BlockBytes = 4 * kib
	if got := ceiling(t, q); got.IOPS != 1_350_000 {
		t.Errorf("4 KiB: %+v, want 1,350,000 op/s", got)
	}
	q.Protocol, q.Level, q.CapacityGiB = SMB, Premium, 15<<10
	got = ceiling(t, q)
	if got.BytesPerSecond != 960*mib || !got.Capped || math.Abs(got.Confidence-.512) > 1e-12 || got.ExactFamily {
		t.Errorf("SMB on Premium, 15 TiB: %+v, want 960 MiB/s at 0.51", got)
	}
}

func TestAlternatives(t *testing.T) {
	q := Query{Protocol: NFSv3, Level: Extreme, BlockBytes: 8 * kib, ReadShare: .5}
	got := load(t).Alternatives(q)
	var points [][2]float64
	for _, other := range got {
		points = append(points, [2]float64{other.BlockBytes / kib, other.ReadShare})
	}
	want := [][2]float64{{4, .5}, {64, .5}, {256, .5}, {8, 0}, {8, .25}, {8, .75}, {8, 1}}
	if diff := cmp.Diff(want, points); diff != "" {
		t.Fatal(diff)
	}
	if sixtyFour := got[1]; math.Abs(sixtyFour.Ratio-2831/1045.3125) > 1e-9 || math.Abs(sixtyFour.Ceiling.BytesPerSecond-2831*mib) > 1 {
		t.Errorf("64 KiB blocks: %+v, want 2,831 MiB/s, 2.71 x", sixtyFour)
	}
	q.LargeCapacity = true
	if got := load(t).Alternatives(q); len(got) != 3 {
		t.Errorf("large capacity: %d alternatives, want the three other blocks: reads and writes are not told apart", len(got))
	}
	if got := load(t).Alternatives(Query{}); got != nil {
		t.Errorf("alternatives %v to an empty query", got)
	}
}
