package detectors

import (
	"testing"

	"github.com/nasight/nasight/envelope"
	"github.com/nasight/nasight/fleet"
)

// What a volume can reach is its limit, or the ceiling of its most favourable hour where that is lower.
func TestReachable(t *testing.T) {
	table, err := envelope.Load()
	if err != nil {
		t.Fatal(err)
	}
	reach := func(limit fleet.Value, change func(*fleet.Pool, *fleet.Volume)) fleet.Value {
		volume := quiet("analytics")
		volume.Assigned, volume.Days.Hours = limit, []fleet.Hour{anHour(8<<10, 1)}
		pool := aPool(levelExtreme, "manual", volume)
		if change != nil {
			change(pool, volume)
		}
		return Reachable(volume, table, DefaultSettings())
	}
	if got := reach(300*mebibyte, nil); got != 300*mebibyte {
		t.Errorf("with a limit of 300 MiB/s: %v", got)
	}
	ceiling := reach(4_000*mebibyte, nil)
	if !ceiling.Above(300*mebibyte) || !ceiling.Below(4_000*mebibyte) {
		t.Errorf("with a limit beyond the ceiling: %v", ceiling)
	}
	if got := reach(fleet.Unknown, func(_ *fleet.Pool, v *fleet.Volume) { v.Limit = fleet.Unknown }); got != ceiling {
		t.Errorf("without a limit: %v, want the ceiling %v", got, ceiling)
	}
	for name, change := range map[string]func(*fleet.Pool, *fleet.Volume){
		"no busy hour":  func(_ *fleet.Pool, v *fleet.Volume) { v.Days.Hours = nil },
		"ONTAP mode":    func(p *fleet.Pool, _ *fleet.Volume) { p.Mode = "ontap" },
		"being made":    func(_ *fleet.Pool, v *fleet.Volume) { v.State = "creating" },
		"no pool known": func(_ *fleet.Pool, v *fleet.Volume) { v.Of = nil },
	} {
		if got := reach(300*mebibyte, change); got.Known() {
			t.Errorf("%s: %v, want not known", name, got)
		}
	}
}

func TestCapacityPrice(t *testing.T) {
	settings := DefaultSettings()
	of := fleet.Resource{Cloud: "gcp", Service: "gcnv", Location: "europe-west3"}
	if usd, row := settings.Capacity(of, "premium"); usd.Known() || row != (PriceRow{}) {
		t.Errorf("without prices: %v, %+v", usd, row)
	}
	settings.Prices = []PriceRow{{Cloud: "gcp", Service: "gcnv", Level: "premium", Item: itemCapacity, USD: 0.001, Unit: "GiB-hour", Date: "2026-09-21"}}
	if usd, row := settings.Capacity(of, "premium"); usd != 0.73 || row.Unit != "GiB-hour" {
		t.Errorf("%v, %+v", usd, row)
	}
}

// Names and ids are those of the rules.
func TestNamesForReports(t *testing.T) {
	name := Name{PoolThroughputUnused, VariantLevelChange}
	if ClockOf(name) != Daily || ClockOf(Name{SessionSaturated, VariantFlow}) != Minute {
		t.Error("the clocks are mixed up")
	}
	of := fleet.Resource{Cloud: "gcp", Service: "gcnv", Pool: "p"}
	if ID(name, of) != id(name, of) {
		t.Error("the ids differ")
	}
}
