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
	if command := found.Remedy[1].Command; !strings.Contains(command, "--throughput-mibps=120\n") || !strings.Contains(command, `"throughputMibps": 120`) {
		t.Errorf("command %q, want both forms with 120", command)
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
		pool.Capacity, pool.Allocated, pool.Days.P99 = 40_960*gibibyte, 10_000*gibibyte, 500*mebibyte
		return pool
	}
	flex := func() *fleet.Pool {
		pool := aPool("flex", "auto", idleVolume("home"))
		pool.Custom, pool.Total, pool.IOPS, pool.Days = true, 5_120*mebibyte, 160_000, fleet.PoolDays{P99: 500 * mebibyte, IOPSP99: 10_000}
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

// With auto-tiering throughput comes with the hot tier: nothing is said of capacity.
func TestAutoTieringIsLeftAlone(t *testing.T) {
	volume := idleVolume("home")
	volume.Capacity = 10_000 * gibibyte
	pool := aPool(levelExtreme, "auto", volume)
	pool.Capacity, pool.Days.P99, pool.AutoTiering = 40_960*gibibyte, 500*mebibyte, true
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
