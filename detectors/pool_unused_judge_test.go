package detectors

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
)

// The truth tables of detectors.md §2, by their row numbers.

func TestDemandTable(t *testing.T) {
	for _, row := range []struct {
		number                 int
		has, p99, before, high fleet.Value
		coverage               fleet.Value
		need, slack            float64
		state                  string
	}{
		{1, 1000, 100, 100, 180, 1, 120, 880, DemandFires},
		{2, 1000, 300, 200, 350, 1, 480, 520, DemandFires},
		{3, 1000, 100, 100, 900, 1, 120, 880, DemandBursty},
		{4, 480, 200, 200, 240, 1, 240, 240, DemandFires}, // exactly half
		{5, 478, 200, 200, 240, 1, 240, 238, DemandUsed},
		{6, 40, 5, 5, 8, 1, 6, 34, DemandFires},
		{7, 1000, 100, 100, 180, 0.7, 0, 0, DemandInsufficient},
	} {
		t.Run(fmt.Sprintf("2b row %d", row.number), func(t *testing.T) {
			v := JudgeDemand(VolumeDemand{
				Has: row.has * mebibyte, P99: row.p99 * mebibyte, Before: row.before * mebibyte, Max: row.high * mebibyte,
				Coverage: row.coverage, Full: true, Bound: fleet.Unknown,
			}, 0.8, DefaultSettings().Pool)
			if v.State != row.state {
				t.Errorf("state %s, want %s", v.State, row.state)
			}
			if row.state != DemandInsufficient {
				closeTo(t, "need", v.Need/mebibyte, row.need)
				closeTo(t, "slack", v.Slack/mebibyte, row.slack)
			}
		})
	}
}

// What hides demand raises the forecast: a client's own bound, a limit that cuts it off, growth up to a half.
func TestDemandThatIsNotSeen(t *testing.T) {
	base := VolumeDemand{Has: 1000, P99: 100, Before: 100, Max: 180, Coverage: 1, Full: true, Bound: fleet.Unknown}
	for name, row := range map[string]struct {
		change   func(*VolumeDemand)
		forecast float64
	}{
		"as it is":               {func(*VolumeDemand) {}, 100},
		"no week before":         {func(d *VolumeDemand) { d.Before = fleet.Unknown }, 100},
		"shrinking":              {func(d *VolumeDemand) { d.Before = 180 }, 100},
		"growing":                {func(d *VolumeDemand) { d.Before = 70 }, 130},
		"new: growth is bounded": {func(d *VolumeDemand) { d.Before = 0 }, 150},
		"client-bound":           {func(d *VolumeDemand) { d.Bound = 1.5 }, 150},
		"client-bound, bounded":  {func(d *VolumeDemand) { d.Bound = 5 }, 200},
		"at its limit":           {func(d *VolumeDemand) { d.AtLimit = true }, 1500},
	} {
		demand := base
		row.change(&demand)
		closeTo(t, name, JudgeDemand(demand, 0.8, DefaultSettings().Pool).Forecast, row.forecast)
	}
	for name, change := range map[string]func(*VolumeDemand){
		"less than a week":  func(d *VolumeDemand) { d.Full = false },
		"no percentile":     func(d *VolumeDemand) { d.P99 = fleet.Unknown },
		"no coverage known": func(d *VolumeDemand) { d.Coverage = fleet.Unknown },
		"limit not known":   func(d *VolumeDemand) { d.Has = fleet.Unknown },
	} {
		demand := base
		change(&demand)
		if v := JudgeDemand(demand, 0.8, DefaultSettings().Pool); v.State != DemandInsufficient {
			t.Errorf("%s: %s, want insufficient data", name, v.State)
		}
	}
}

func TestCashTable(t *testing.T) {
	limits := DefaultSettings().Pool
	for _, row := range []struct {
		number               int
		level                string
		gib, volumes, need   fleet.Value
		price                fleet.Value
		least, stranded, usd float64
		fires                bool
	}{
		{1, levelPremium, 40_960, 16_384, 900, 0.30, 16_384, 24_576, 7_372.80, true},
		{2, levelPremium, 40_960, 10_240, 2_500, 0.30, 40_000, 960, 288, false},
		{3, levelPremium, 40_960, 40_000, 300, 0.30, 40_000, 960, 288, false},
		{4, levelExtreme, 204_800, 102_400, 6_400, 0.30, 102_400, 102_400, 30_720, true},
		{5, levelPremium, 10_240, 9_216, 100, 0.30, 9_216, 1_024, 307.20, true},
		{6, levelPremium, 10_240, 9_217, 100, 0.30, 9_217, 1_023, 306.90, false},
	} {
		t.Run(fmt.Sprintf("2d row %d", row.number), func(t *testing.T) {
			v := JudgeCapacity(CapacityCase{row.gib, row.volumes, row.need * mebibyte, rateOf(row.level), row.price}, limits)
			closeTo(t, "least", v.Least, row.least)
			closeTo(t, "stranded", v.Stranded, row.stranded)
			closeTo(t, "USD", v.USD, row.usd)
			if v.Fires != row.fires {
				t.Errorf("fires %v, want %v", v.Fires, row.fires)
			}
		})
	}
	for need, fires := range map[fleet.Value]bool{2_560: true, 2_561: false} {
		t.Run(fmt.Sprintf("2d row 7: need %v", need), func(t *testing.T) {
			usd, got := JudgeLevel(LevelCase{40_960, need * mebibyte, rateOf(levelPremium), 0.452, 0.338}, limits)
			closeTo(t, "USD", usd, 4_669.44)
			if got != fires {
				t.Errorf("fires %v, want %v", got, fires)
			}
		})
	}
	for _, row := range []struct {
		number                         int
		throughput, iops, needT, needI fleet.Value
		mibps, keep, usd               float64
		fires                          bool
	}{
		{8, 5_120, 160_000, 600, 20_000, 600, 20_000, 9_584, true},
		{9, 64, 1_024, 20, 300, 64, 1_024, 0, false},
		{10, 1_000, 60_000, 200, 55_000, 200, 55_000, 1_364, true},
		{11, 100, 1_600, 90, 900, 90, 1_440, 18.69, false},
	} {
		t.Run(fmt.Sprintf("2e row %d", row.number), func(t *testing.T) {
			v := JudgeFlex(FlexCase{row.throughput * mebibyte, row.iops, row.needT * mebibyte, row.needI, 1.60, 0.0168}, limits)
			closeTo(t, "throughput", fleet.Value(v.MiBps), row.mibps)
			closeTo(t, "IOPS", fleet.Value(v.IOPS), row.keep)
			closeTo(t, "USD", v.USD, row.usd)
			if v.Fires != row.fires {
				t.Errorf("fires %v, want %v", v.Fires, row.fires)
			}
		})
	}
}

// Without a price only throughput speaks, and there is no number of dollars.
func TestCashWithoutAPrice(t *testing.T) {
	limits := DefaultSettings().Pool
	if v := JudgeCapacity(CapacityCase{40_960, 16_384, 900 * mebibyte, rateOf(levelPremium), fleet.Unknown}, limits); !v.Fires || v.USD.Known() {
		t.Errorf("stranded capacity: %+v, want it to fire without USD", v)
	}
	if usd, fires := JudgeLevel(LevelCase{40_960, 2_560 * mebibyte, rateOf(levelPremium), 0.452, fleet.Unknown}, limits); !fires || usd.Known() {
		t.Errorf("level: %v USD, fires %v; want it to fire without", usd, fires)
	}
	for idle, want := range map[fleet.Value]bool{64: true, 63: false} {
		v := JudgeFlex(FlexCase{(600 + idle) * mebibyte, 160_000, 600 * mebibyte, 20_000, fleet.Unknown, fleet.Unknown}, limits)
		if v.Fires != want || v.USD.Known() {
			t.Errorf("flex with %v MiB/s idle: %+v, want fires %v without USD", idle, v, want)
		}
	}
	if v := JudgeFlex(FlexCase{5_120 * mebibyte, 160_000, fleet.Unknown, 20_000, 1.60, 0.0168}, limits); v.Fires {
		t.Errorf("need not known: %+v", v)
	}
}

func TestShareBoundaries(t *testing.T) {
	for _, row := range []struct {
		name                       string
		available, assigned, total fleet.Value
		fires, mismatch            bool
	}{
		{"a tenth", 256, 2_304, 2_560, true, false},
		{"less than a tenth", 255, 2_305, 2_560, false, false},
		{"64 MiB/s of 640", 64, 576, 640, true, false},
		{"63 of 630", 63, 567, 630, false, false},
		{"parts that do not add up", 300, 2_000, 2_560, true, true},
		{"1 % apart is not apart", 256, 2_278.4, 2_560, true, false},
		{"assigned not known", 256, fleet.Unknown, 2_560, true, false},
		{"total not known", 256, 2_304, fleet.Unknown, true, false},
		{"available not known", fleet.Unknown, 2_304, 2_560, false, false},
		{"nothing known but that it is free", 256, fleet.Unknown, fleet.Unknown, false, false},
	} {
		v := JudgeShare(PoolShare{row.available * mebibyte, row.assigned * mebibyte, row.total * mebibyte}, DefaultSettings().Pool)
		if v.Fires != row.fires || v.Mismatch != row.mismatch {
			t.Errorf("%s: fires %v, mismatch %v; want %v, %v", row.name, v.Fires, v.Mismatch, row.fires, row.mismatch)
		}
	}
}

// What a plan takes away never cuts into what was needed, and more demand never frees more.
func TestDemandProperties(t *testing.T) {
	limits := DefaultSettings().Pool
	amount := rapid.Float64Range(0, 5_000)
	rapid.Check(t, func(t *rapid.T) {
		d := VolumeDemand{
			Has: fleet.Value(amount.Draw(t, "has")), P99: fleet.Value(amount.Draw(t, "p99")), Before: fleet.Value(amount.Draw(t, "before")),
			Max: fleet.Value(amount.Draw(t, "max")), Coverage: 1, Full: true, Bound: fleet.Unknown,
		}
		v := JudgeDemand(d, 0.8, limits)
		if v.State == DemandInsufficient {
			return
		}
		if v.Need < d.P99 || v.Need > 1.2*1.5*d.P99+1e-6 {
			t.Fatalf("need %v for a percentile of %v", v.Need, d.P99)
		}
		more := d
		more.P99 *= 1.1
		if other := JudgeDemand(more, 0.8, limits); other.State == DemandFires && v.State == DemandUsed {
			t.Fatalf("more demand frees what less did not: %+v then %+v", v, other)
		}
	})
}

func TestFlexNeverAdvisesLessThanWhatIsFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := func(name string, most float64) fleet.Value {
			return fleet.Value(rapid.Float64Range(0, most).Draw(t, name))
		}
		c := FlexCase{
			value("throughput", 5_120) * mebibyte, value("iops", 160_000), value("need", 6_000) * mebibyte, value("need iops", 200_000),
			value("price", 5), value("price iops", 0.1),
		}
		v := JudgeFlex(c, DefaultSettings().Pool)
		if c.Throughput > 0 && (v.MiBps < 64 || v.IOPS < 16*v.MiBps || fleet.Value(v.MiBps*mebibyte)+1 < c.NeedThroughput) {
			t.Fatalf("%+v: %+v", c, v)
		}
	})
}
