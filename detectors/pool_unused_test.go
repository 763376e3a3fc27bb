package detectors

import (
	"math"
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// idleVolume has 1,000 MiB/s assigned and needs 120.
func idleVolume(name string) *fleet.Volume {
	volume := quiet(name)
	volume.Assigned, volume.Limit = 1_000*mebibyte, 1_000*mebibyte
	d := &volume.Days
	d.P99, d.Before, d.P95, d.Max = 100*mebibyte, 100*mebibyte, 90*mebibyte, 180*mebibyte
	return volume
}

func prices() []PriceRow {
	row := func(level, item string, usd float64, unit string) PriceRow {
		return PriceRow{Cloud: "gcp", Service: "gcnv", Level: level, Item: item, Region: "europe-west3", USD: usd, Unit: unit, Date: "2026-09-21"}
	}
	return []PriceRow{
		row("premium", "capacity", 0.338, "GiB-month"), row("extreme", "capacity", 0.452, "GiB-month"),
		row("flex", "throughput", 1.60, "MiB/s-month"), row("flex", "iops", 0.0168, "IOPS-month"),
	}
}

func TestUnusedVolumeFinding(t *testing.T) {
	found := only(t, Evaluate(cloudView(aPool(levelPremium, "manual", idleVolume("home"))), DefaultSettings()), "pool_throughput_unused/allocated_unused")
	if want := "Volume home has 1000 MiB/s assigned and needs 120 MiB/s: 99 % of a week's samples are below 100 MiB/s, the highest is 180 MiB/s."; found.Summary != want {
		t.Errorf("summary %q, want %q", found.Summary, want)
	}
	// (0.6 + 0.4 × 1.9/2.2) × 1: the clients' own measurements are not there.
	if found.Severity != Info || found.Confidence != 0.95 || found.WasteUSDPerMonth != nil || found.Gain.High != 880*mebibyte {
		t.Errorf("%s, confidence %v, waste %v, gain %+v: want info, 0.95, no money, 880 MiB/s", found.Severity, found.Confidence, found.WasteUSDPerMonth, found.Gain)
	}
	if command := found.Remedy[1].Command; !strings.Contains(command, "--throughput-mibps=180\n") || !strings.Contains(command, `"throughputMibps": 180`) {
		t.Errorf("command %q, want both forms with 180: its need is 120, its peak more", command)
	}
}

// A peak at the end of the last month counts as one of the week does: what needs it for a day is not idle.
func TestMonthEndPeakIsNotIdle(t *testing.T) {
	const name = "pool_throughput_unused/allocated_unused"
	for peak, fires := range map[fleet.Value]bool{800: true, 801: false} {
		volume := idleVolume("home")
		volume.Days.Peak, volume.Days.PeakDays = peak*mebibyte, 35
		found := Evaluate(cloudView(aPool(levelPremium, "manual", volume)), DefaultSettings())
		if without(found, name) == fires {
			t.Fatalf("a peak of %v MiB/s: %v, want it to fire: %v", peak, names(found), fires)
		}
		if !fires {
			continue
		}
		finding := only(t, found, name)
		if !strings.Contains(finding.Summary, "the highest of 35 days is 800 MiB/s") || !strings.Contains(finding.Remedy[1].Command, "--throughput-mibps=800\n") {
			t.Errorf("%q, %q", finding.Summary, finding.Remedy[1].Command)
		}
		windows := map[string]string{}
		for _, evidence := range finding.Evidence {
			windows[evidence.Name] = evidence.Window
		}
		if windows["highest sample"] != "35 days, as far as history reaches back" || windows["highest sample of the week"] != "7 days" || windows["99th percentile of its samples"] != "7 days" {
			t.Errorf("windows %v", windows)
		}
	}
}

// A volume of an ONTAP-mode pool, or one that is not ready, thin or young, is not called idle.
func TestNotKnownIsNotIdle(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*fleet.Pool, *fleet.Volume)
	}{
		{"ONTAP mode", func(p *fleet.Pool, _ *fleet.Volume) { p.Mode = "ontap" }},
		{"no samples", func(_ *fleet.Pool, v *fleet.Volume) { v.Days = *unknown(&fleet.VolumeDays{}) }},
		{"thin", func(_ *fleet.Pool, v *fleet.Volume) { v.Days.Coverage = 0.7 }},
		{"young", func(_ *fleet.Pool, v *fleet.Volume) { v.Days.Full = false }},
		{"in error", func(_ *fleet.Pool, v *fleet.Volume) { v.State = "error" }},
		{"Flex: the pool's throughput", func(p *fleet.Pool, _ *fleet.Volume) { p.ServiceLevel = "flex" }},
	} {
		volume := idleVolume("home")
		pool := aPool(levelPremium, "manual", volume)
		row.change(pool, volume)
		if found := Evaluate(cloudView(pool), DefaultSettings()); len(found) != 0 {
			t.Errorf("%s: %v", row.name, names(found))
		}
	}
}

func TestAutoQoSFinding(t *testing.T) {
	found := only(t, Evaluate(cloudView(aPool(levelPremium, "auto", idleVolume("home"))), DefaultSettings()), "pool_throughput_unused/auto_qos")
	if !strings.Contains(found.Remedy[0].Command, "--qos-type=manual") || !strings.Contains(found.Remedy[0].Caveat, "One way") {
		t.Errorf("remedy %+v, want the way to manual QoS and that it is one way", found.Remedy[0])
	}
}

// Idle throughput beside a starved volume is a warning: the cure is free.
func TestIdleBesideStarved(t *testing.T) {
	pool := aPool(levelPremium, "manual", idleVolume("home"), full(aVolume("busy")))
	pool.Volumes[1].Assigned = 512 * mebibyte
	pool.Available, pool.AvailableLow, pool.AvailableThen = 400*mebibyte, 300*mebibyte, 400*mebibyte
	found := Evaluate(cloudView(pool), DefaultSettings())
	for _, name := range []string{"pool_throughput_unused/allocated_unused", "pool_throughput_unused/unallocated"} {
		if f := only(t, found, name); f.Severity != Warning || len(f.BlockedBy) != 0 {
			t.Errorf("%s: %s, blocked by %v; want a warning that competes with nothing", name, f.Severity, f.BlockedBy)
		}
	}
	free := only(t, found, "pool_throughput_unused/unallocated")
	if free.Gain.High != 300*mebibyte || free.Confidence != 1 || len(free.Remedy) != 2 {
		t.Errorf("gain %+v, confidence %v, remedies %d; want the least of a day, 1, and the volume that wants it", free.Gain, free.Confidence, len(free.Remedy))
	}
}

// What the inventory says has no past: on first sight it fires at once, with less confidence.
func TestUnallocatedOnFirstSight(t *testing.T) {
	pool := aPool(levelPremium, "manual", idleVolume("home"))
	pool.Available, pool.AvailableLow = 300*mebibyte, 300*mebibyte
	round := Judge(cloudView(pool), DefaultSettings(), Daily)
	lifecycle := NewLifecycle(DefaultSettings())
	lifecycle.Step(round)
	found := only(t, lifecycle.Active(), "pool_throughput_unused/unallocated")
	if found.State != Firing || !found.Since.Equal(noon) || found.Confidence != 0.7 || !strings.Contains(found.Summary, "does not reach back a day") {
		t.Errorf("%s since %s, confidence %v, %q; want firing, now, 0.7 and why", found.State, found.Since, found.Confidence, found.Summary)
	}
}

func TestCashFindings(t *testing.T) {
	priced := DefaultSettings()
	priced.Prices = prices()
	extreme := func() *fleet.Pool {
		volume := idleVolume("home")
		volume.Capacity = 10_000 * gibibyte
		pool := aPool(levelExtreme, "auto", volume)
		pool.Capacity, pool.Allocated = 40_960*gibibyte, 10_000*gibibyte
		pool.Days.P99, pool.Days.Max = 500*mebibyte, 600*mebibyte
		return pool
	}
	flex := func() *fleet.Pool {
		pool := aPool("flex", "auto", idleVolume("home"))
		pool.Custom, pool.Total, pool.IOPS, pool.Days = true, 5_120*mebibyte, 160_000, fleet.PoolDays{
			P99: 500 * mebibyte, Max: 600 * mebibyte, IOPSP99: 10_000, IOPSMax: 12_000,
		}
		return pool
	}
	for _, row := range []struct {
		name, variant string
		pool          *fleet.Pool
		usd           float64
	}{
		{"stranded capacity", "stranded_capacity", extreme(), 30_960 * 0.452},
		{"level", "level_change", extreme(), 40_960 * (0.452 - 0.338)},
		{"flex", "flex_custom", flex(), 4_520*1.60 + 148_000*0.0168},
	} {
		name := "pool_throughput_unused/" + row.variant
		found := only(t, Evaluate(cloudView(row.pool), priced), name)
		if found.WasteUSDPerMonth == nil || math.Abs(*found.WasteUSDPerMonth-row.usd) > 0.01 || found.Severity != Info {
			t.Errorf("%s: waste %v, %s; want %.2f USD, info", row.name, found.WasteUSDPerMonth, found.Severity, row.usd)
		}
		plain := only(t, Evaluate(cloudView(row.pool), DefaultSettings()), name)
		if plain.WasteUSDPerMonth != nil || !strings.Contains(plain.Summary, "no price was given") || !strings.Contains(plain.Summary, "MiB/s") {
			t.Errorf("%s without a price: waste %v, %q; want MiB/s only", row.name, plain.WasteUSDPerMonth, plain.Summary)
		}
		row.pool.Volumes[0].Days.Coverage = 0.7
		if found := Evaluate(cloudView(row.pool), priced); !without(found, name) {
			t.Errorf("%s: a sum over some of the volumes was taken for the sum", row.name)
		}
	}
}

// No pool is made smaller than what one of its volumes was seen to use within the last 35 days.
func TestPoolBearsTheMonthsEnd(t *testing.T) {
	for peak, want := range map[fleet.Value]struct {
		stranded float64
		level    bool
	}{
		600: {30_960, true}, 2_560: {40_960 - 20_480, true}, 2_561: {40_960 - 20_488, false}, 5_000: {0, false},
	} {
		volume := idleVolume("home")
		volume.Capacity, volume.Days.Peak, volume.Days.PeakDays = 10_000*gibibyte, peak*mebibyte, 35
		pool := aPool(levelExtreme, "auto", volume)
		pool.Capacity, pool.Allocated = 40_960*gibibyte, 10_000*gibibyte
		pool.Days.P99, pool.Days.Max = 500*mebibyte, 600*mebibyte
		found := Evaluate(cloudView(pool), DefaultSettings())
		if got := !without(found, "pool_throughput_unused/level_change"); got != want.level {
			t.Errorf("a peak of %v MiB/s: lower level %v, want %v", peak, got, want.level)
		}
		if want.stranded == 0 {
			if !without(found, "pool_throughput_unused/stranded_capacity") {
				t.Errorf("a peak of %v MiB/s: %v", peak, names(found))
			}
			continue
		}
		for _, evidence := range only(t, found, "pool_throughput_unused/stranded_capacity").Evidence {
			if evidence.Name == "capacity not needed" && float64(evidence.Value) != want.stranded*gibibyte {
				t.Errorf("a peak of %v MiB/s: %v GiB are not needed, want %v", peak, evidence.Value/gibibyte, want.stranded)
			}
		}
	}
}

// Volumes whose jobs meet more rarely than one sample in a hundred need what they use then: no pool is made smaller.
func TestPoolBearsWhatMeets(t *testing.T) {
	for _, row := range []struct {
		sum, operations fleet.Value // the highest of the week, MiB/s and operations per second
		command         string
	}{
		{600, 12_000, "--total-throughput=600 --total-iops=12000"}, // 1.2 × the 99th percentiles
		{601, 12_000, "--total-throughput=601 --total-iops=12000"},
		{600, 20_000, "--total-throughput=600 --total-iops=20000"},
	} {
		pool := aPool("flex", "auto", idleVolume("home"))
		pool.Custom, pool.Total, pool.IOPS = true, 5_120*mebibyte, 160_000
		pool.Days = fleet.PoolDays{P99: 500 * mebibyte, Max: row.sum * mebibyte, IOPSP99: 10_000, IOPSMax: row.operations}
		found := only(t, Evaluate(cloudView(pool), DefaultSettings()), "pool_throughput_unused/flex_custom")
		if got := found.Remedy[0].Command; !strings.Contains(got, row.command) {
			t.Errorf("sums up to %v MiB/s and %v op/s: %q, want %s", row.sum, row.operations, got, row.command)
		}
	}
}

// A manual pool takes no capacity that its volumes do not leave: what they have is lowered first.
func TestSmallerManualPool(t *testing.T) {
	volume := idleVolume("home")
	volume.Capacity = 10_000 * gibibyte
	for assigned, want := range map[fleet.Value]bool{700: true, 600: false} {
		volume.Assigned = assigned * mebibyte
		pool := aPool(levelPremium, "manual", volume)
		pool.Capacity, pool.Allocated, pool.Available = 40_960*gibibyte, 10_000*gibibyte, 0
		pool.Days.P99, pool.Days.Max = 500*mebibyte, 600*mebibyte
		found := only(t, Evaluate(cloudView(pool), DefaultSettings()), "pool_throughput_unused/stranded_capacity")
		if got := strings.Contains(found.Remedy[0].Caveat, "First lower what its volumes have from 700 MiB/s to at most 625 MiB/s"); got != want {
			t.Errorf("%v MiB/s assigned of 10,000 GiB: %q", assigned, found.Remedy[0].Caveat)
		}
	}
}

// With auto-tiering throughput comes with the hot tier: nothing is said of capacity.
func TestAutoTieringIsLeftAlone(t *testing.T) {
	volume := idleVolume("home")
	volume.Capacity = 10_000 * gibibyte
	pool := aPool(levelExtreme, "auto", volume)
	pool.Capacity, pool.Days.P99, pool.Days.Max, pool.AutoTiering = 40_960*gibibyte, 500*mebibyte, 600*mebibyte, true
	if found := Evaluate(cloudView(pool), DefaultSettings()); !without(found, "pool_throughput_unused/stranded_capacity") {
		t.Errorf("%v", names(found))
	}
}

// What a client's own bound holds back counts as wanted, up to twice what was seen.
func TestSuppressedDemand(t *testing.T) {
	volume := idleVolume("home")
	view := cloudView(aPool(levelPremium, "manual", volume))
	client, endpoint, transport := slowFlow()
	endpoint.Provider, endpoint.BaseLatency, transport.Count = fleet.ProviderGCNV, 0.5*ms, 1
	mountOn(volume, endpoint.Mounts[0])
	view.Clients = []*fleet.Client{client}
	found := Evaluate(view, DefaultSettings())
	unused := only(t, found, "pool_throughput_unused/allocated_unused")
	if !strings.Contains(unused.Summary, "needs 240 MiB/s") || !strings.Contains(unused.Summary, "holds it back") {
		t.Errorf("findings %v, summary %q; want a need of 1.2 × 2 × 100 MiB/s and why", names(found), unused.Summary)
	}
}

func TestReplicationDestination(t *testing.T) {
	source, copied := idleVolume("home"), idleVolume("copy")
	source.Days.P99, source.Days.Before, source.Days.Max = 500*mebibyte, 500*mebibyte, 700*mebibyte
	pool := aPool(levelPremium, "manual", source, copied)
	copied.Replications = []*fleet.Replication{{Role: "destination", Source: "projects/files-example/locations/europe-west3/volumes/home"}}
	found := only(t, Evaluate(cloudView(pool), DefaultSettings()), "pool_throughput_unused/allocated_unused")
	if found.Resource.Volume != "copy" || !strings.Contains(found.Summary, "after a failover it needs the 600 MiB/s of its source") {
		t.Errorf("%s: %q", found.Resource.Volume, found.Summary)
	}
}
