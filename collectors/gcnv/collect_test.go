package gcnv

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/model"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-3*max(math.Abs(a), math.Abs(b)) }

// What is read agrees with what the fleet did: a DELTA is a rate over its interval, a limit of KiB/s is in bytes, a
// latency of milliseconds in seconds, and the mean is weighted by operations.
func TestPerformanceIsWhatTheFleetDid(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	result := l.good("gcnv_performance")
	truth := l.server.Model()
	placement := truth.Find("projects/alpha/locations/europe-west3/volumes/data")
	checked := 0
	for _, sample := range append(result.Past, result.Samples...) {
		if len(sample.Labels) < 6 || sample.Labels[5] != "data" {
			continue
		}
		from := sample.Time.Add(-model.Grain)
		want, ok := expected(truth, placement, sample, from)
		if !ok {
			continue
		}
		checked++
		if !near(sample.Value, want) {
			t.Errorf("%s at %s is %g, want %g", seriesOf(sample), sample.Time, sample.Value, want)
		}
	}
	if checked < 5*12 { // points of 12 series
		t.Errorf("only %d points were there to check", checked)
	}
}

func expected(truth *model.Model, p *model.Placement, sample schema.Sample, from time.Time) (float64, bool) {
	seconds := sample.Time.Sub(from).Seconds()
	var bytes, operations, weighted float64
	for _, op := range model.Ops() {
		traffic := truth.Traffic(p, op, from, sample.Time)
		bytes, operations = bytes+traffic.Bytes, operations+traffic.Operations
		weighted += traffic.LatencyMS * traffic.Operations
		if sample.Labels[len(sample.Labels)-1] != string(op) {
			continue
		}
		switch sample.Family {
		case schema.VolumeThroughput:
			return traffic.Bytes / seconds, true
		case schema.VolumeOperations:
			return traffic.Operations / seconds, true
		case schema.VolumeLatency:
			return traffic.LatencyMS / 1e3, true
		}
	}
	switch sample.Family {
	case schema.VolumeTotalThroughput:
		return bytes / seconds, true
	case schema.VolumeTotalOperations:
		return operations / seconds, true
	case schema.VolumeMeanLatency:
		return weighted / operations / 1e3, true
	case schema.VolumeThroughputLimit:
		return p.Limit() * mib, true
	}
	return 0, false
}

// Every point of a day is in history once, whatever the time of the runs, and nothing younger than the ingest delay.
func TestEveryPointIsReadOnce(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	start := l.clock.Now()
	for i := range 40 {
		result := l.good("gcnv_performance")
		for _, sample := range result.Samples {
			if sample.Family == schema.VolumeThroughput && l.clock.Now().Sub(sample.Time) < 8*time.Minute {
				t.Fatalf("a point at %s was taken at %s, before it settled", sample.Time, l.clock.Now())
			}
		}
		l.clock.add(time.Duration(4+i%3) * time.Minute) // 4 to 6 minutes: jitter
	}
	times := l.moments("nasight_volume_throughput_bytes_per_second{gcp,gcnv,alpha,europe-west3,pool1,data,read}")
	if len(times) < 38 {
		t.Fatalf("%d points in %s", len(times), l.clock.Now().Sub(start))
	}
	for i := 1; i < len(times); i++ {
		if gap := times[i].Sub(times[i-1]); gap != model.Grain {
			t.Errorf("%s from %s to %s", gap, times[i-1], times[i])
		}
	}
}

func TestInventory(t *testing.T) {
	fleet := fleetOf("alpha")
	available, none := 12.5, 0.0
	fleet.Projects[0].Pools = append(fleet.Projects[0].Pools,
		&model.Pool{Name: "empty", Location: "us-central1", ServiceLevel: model.Extreme, CapacityGiB: 2048, QoS: model.Manual, AvailableThroughputMiBps: &available},
		&model.Pool{Name: "given", Location: "us-central1", ServiceLevel: model.Extreme, CapacityGiB: 2048, QoS: model.Manual, AvailableThroughputMiBps: &none},
		&model.Pool{
			Name: "flex", Location: "us-central1-a", ServiceLevel: model.Flex, Type: model.Unified, CapacityGiB: 2048,
			CustomPerformance: true, TotalThroughputMiBps: 256, TotalIOPS: 5000,
		},
		&model.Pool{Name: "inside", Location: "us-central1", ServiceLevel: model.Flex, Type: model.Unified, Mode: model.ONTAP, CapacityGiB: 2048})
	l := newLab(t, fleet, nil)
	result := l.good("gcnv_inventory")
	want := map[string]float64{
		"alpha,europe-west3,pool1,premium,auto,,default,,false,false,ready,":                 1,
		"alpha,us-central1,empty,extreme,manual,,default,,false,false,ready,":                1,
		"alpha,us-central1,given,extreme,manual,,default,,false,false,ready,":                1,
		"alpha,us-central1-a,flex,flex,auto,unified,default,,true,false,ready,us-central1-a": 1,
		"alpha,us-central1,inside,flex,auto,unified,ontap,,false,false,ready,":               1,
	}
	if diff := cmp.Diff(want, of(result.Samples, schema.PoolInfo)); diff != "" {
		t.Errorf("pools (-want +got):\n%s", diff)
	}
	want = map[string]float64{"alpha,us-central1,empty": available * mib, "alpha,us-central1,given": 0}
	if diff := cmp.Diff(want, of(result.Samples, schema.PoolAvailableThroughput)); diff != "" {
		t.Errorf("available throughput, which an answer leaves out where it is zero (-want +got):\n%s", diff)
	}
	if got := of(result.Samples, schema.PoolTotalIOPS)["alpha,us-central1-a,flex"]; got != 5000 {
		t.Errorf("total IOPS is %g", got)
	}
	want = map[string]float64{
		"alpha,europe-west3,pool1,data,192.0.2.10,/data,nfsv3": 1,
		"alpha,europe-west3,pool1,logs,192.0.2.10,/logs,nfsv3": 1,
	}
	if diff := cmp.Diff(want, of(result.Samples, schema.VolumeEndpointInfo)); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
}

// Two volumes of one name in two locations are two volumes, and one in a zone keeps its zone.
func TestSameNameInTwoLocations(t *testing.T) {
	fleet := fleetOf("alpha")
	fleet.Projects[0].Pools = append(fleet.Projects[0].Pools, &model.Pool{
		Name: "pool1", Location: "us-central1-a", ServiceLevel: model.Flex, CapacityGiB: 4096,
		Volumes: []*model.Volume{volumeOf("data", 5)},
	})
	l := newLab(t, fleet, nil)
	got := of(l.good("gcnv_performance").Samples, schema.VolumeTotalThroughput)
	first, second := got["alpha,europe-west3,pool1,data"], got["alpha,us-central1-a,pool1,data"]
	if !(first > 6*second && second > 0) {
		t.Errorf("throughputs are %g and %g of %v", first, second, sortedKeys(got))
	}
	limit := of(l.good("gcnv_performance").Samples, schema.VolumeThroughputLimit)["alpha,us-central1-a,pool1,data"]
	if limit != 64*mib { // 4096 GiB at 16 KiB/s: the pool's
		t.Errorf("the limit on Flex is %g", limit)
	}
}

func TestCapacity(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	result := l.good("gcnv_capacity")
	got := of(result.Samples, schema.VolumeCapacity)
	if got["alpha,europe-west3,pool1,data"] != 1024*gib {
		t.Errorf("capacity is %v", got)
	}
	if used := of(result.Samples, schema.VolumeUsed)["alpha,europe-west3,pool1,data"]; !near(used, 500*gib) {
		t.Errorf("used is %g GiB", used/gib)
	}
	for range 5 {
		l.clock.add(time.Hour)
		l.good("gcnv_capacity")
	}
	if n := len(l.moments("nasight_volume_capacity_bytes{gcp,gcnv,alpha,europe-west3,pool1,data}")); n < 6 || n > 13 {
		t.Errorf("%d points in five hours, want one or two an hour", n)
	}
}

// A volume may pass its limit for a while: the value stays what it is.
func TestThroughputAboveItsLimitIsNotClamped(t *testing.T) {
	fleet := fleetOf("alpha")
	fleet.Projects[0].Pools[0].Volumes[0].Load = model.Workload{ReadMiBps: 500} // of 64
	l := newLab(t, fleet, nil)
	result := l.good("gcnv_performance")
	const volume = "alpha,europe-west3,pool1,data"
	moved, limit := of(result.Samples, schema.VolumeTotalThroughput)[volume], of(result.Samples, schema.VolumeThroughputLimit)[volume]
	if !(moved > limit) {
		t.Errorf("moved %g of %g", moved, limit)
	}
}

func TestExcludedIsLeftOut(t *testing.T) {
	l := newLab(t, fleetOf("alpha", "beta", "gamma"), nil)
	l.config.Include = []string{"alpha/.*", "beta/europe-west3/pool1/logs"}
	l.config.Exclude = []string{"gamma", ".*/alpha-nothing", "alpha/europe-west3/pool1/logs"}
	l.restart()
	got := sortedKeys(of(l.good("gcnv_performance").Samples, schema.VolumeTotalThroughput))
	want := []string{"alpha,europe-west3,pool1,data", "beta,europe-west3,pool1,logs"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
	if pools := sortedKeys(of(l.good("gcnv_inventory").Samples, schema.PoolCapacity)); len(pools) != 2 {
		t.Errorf("pools are %v", pools)
	}
	for _, calls := range l.server.Usage().Calls {
		if calls.Project == "gamma" {
			t.Errorf("an excluded project was called: %+v", calls)
		}
	}
}

// With totals alone the service adds the types up: a third of the series, the same sums.
func TestTotalsOnly(t *testing.T) {
	split := newLab(t, fleetOf("alpha"), nil)
	totals := newLab(t, fleetOf("alpha"), func(c *Config, _ *simulator.Options) { c.Tiers.TotalsOnly = true })
	a, b := split.good("gcnv_performance"), totals.good("gcnv_performance")
	for series, want := range of(a.Samples, schema.VolumeTotalThroughput) {
		if got := of(b.Samples, schema.VolumeTotalThroughput)[series]; !(math.Abs(got-want) < 0.1*want) {
			t.Errorf("%s is %g, want about %g", series, got, want)
		}
	}
	if more, less := split.server.Usage().SeriesReturned, totals.server.Usage().SeriesReturned; less*3 > more {
		t.Errorf("%d series were billed, %d with totals only", more, less)
	}
}
