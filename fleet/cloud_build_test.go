package fleet_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// hour records a volume's samples of the last hour: i counts them, the newest is 11 and settled just now.
func (r *recorder) hour(p place, throughput, limit, operations, latency func(i int) float64) {
	now := r.now
	for i := range 12 {
		r.now = now.Add(-schema.GCNVDelay - time.Duration(11-i)*schema.GCNVGrain)
		r.add(schema.VolumeTotalThroughput, throughput(i), p.labels()...)
		r.add(schema.VolumeThroughputLimit, limit(i), p.labels()...)
		r.add(schema.VolumeTotalOperations, operations(i), p.labels()...)
		r.add(schema.VolumeMeanLatency, latency(i), p.labels()...)
	}
	r.now = now
}

func constant(value float64) func(int) float64 { return func(int) float64 { return value } }

func rising(i int) float64 { return float64(i + 1) }

func TestBuildOfTheCloud(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	p := home()
	r.pool(p, "premium", "manual")
	for family, value := range map[*schema.Family]float64{
		schema.PoolCapacity: 2e12, schema.PoolAllocated: 1e12, schema.PoolTotalThroughput: 1e8, schema.PoolAvailableThroughput: 4e7, schema.PoolTotalIOPS: 9e3,
	} {
		r.add(family, value, p.poolLabels()...)
	}
	r.volume(p, [3]string{"192.0.2.10", "/home", "nfsv3"})
	r.add(schema.VolumeAssignedThroughput, 6e7, p.labels()...)
	r.hour(p, rising, constant(24), rising, constant(0.002))
	r.now = r.now.Add(-schema.GCNVDelay)
	for family, value := range map[*schema.Family]float64{
		schema.VolumeCapacity: 1e12, schema.VolumeUsed: 8e11, schema.VolumeInodeLimit: 2e7, schema.VolumeInodeUsed: 1e6,
	} {
		r.add(family, value, p.labels()...)
	}
	r.now = r.now.Add(schema.GCNVDelay)
	copied := append(p.labels(), "copy")
	r.add(schema.ReplicationInfo, 1, append(copied, "source", "ready", "mirrored", "hourly", "projects/a", "projects/b")...)
	r.add(schema.ReplicationHealthy, 1, copied...)
	r.add(schema.ReplicationLag, 600, copied...)
	r.mountOf("h", "192.0.2.10", "", "/home", "nfs")

	view := r.build(fleet.Moments(r.times))
	if len(view.Pools) != 1 || len(view.Pools[0].Volumes) != 1 || len(view.Replications) != 1 {
		t.Fatalf("%d pools, %d replications: %+v", len(view.Pools), len(view.Replications), view.Pools)
	}
	pool := view.Pools[0]
	volume := pool.Volumes[0]
	if pool.ServiceLevel != "premium" || !pool.Manual() || pool.Flex() || pool.ONTAP() || pool.Custom || volume.Of != pool {
		t.Errorf("pool %+v", pool)
	}
	for what, row := range map[string]struct {
		got  fleet.Value
		want float64
	}{
		"pool capacity": {pool.Capacity, 2e12}, "allocated": {pool.Allocated, 1e12}, "total": {pool.Total, 1e8}, "available": {pool.Available, 4e7},
		"least available": {pool.AvailableLow, 4e7}, "IOPS": {pool.IOPS, 9e3}, "assigned": {pool.Assigned(), 6e7},
		"capacity": {volume.Capacity, 1e12}, "used": {volume.Used, 8e11}, "inodes": {volume.InodeUsed, 1e6}, "most inodes": {volume.InodeLimit, 2e7},
		"throughput, mean of the last four": {volume.Throughput, 10.5}, "limit": {volume.Limit, 24}, "latency": {volume.Latency, 0.002},
		"newest sample": {volume.Recent[11].Throughput, 12}, "oldest sample": {volume.Recent[0].Throughput, 1},
		"utilisation": {volume.Utilisation(), 0.5}, "of the endpoint": {view.Clients[0].Endpoints[0].VolumeUtilisation, 0.5},
		"healthy": {volume.Replications[0].Healthy, 1}, "lag": {view.Replications[0].Lag, 600},
	} {
		within(t, what, row.got, row.want)
	}
	unknown(t, "available a day ago", pool.AvailableThen)
	unknown(t, "hot tier", pool.HotTier)
	unknown(t, "percentile", volume.Days.P99)
	if at := volume.Recent[11].At; !at.Equal(view.At.Add(-schema.GCNVDelay)) {
		t.Errorf("newest sample at %s, want %s: the watermark", at, view.At.Add(-schema.GCNVDelay))
	}
	if resource := view.Clients[0].Endpoints[0].Mounts[0].Resource(); resource.Volume != "home" || resource.Pool != "pool-a" || resource.Host != "h" {
		t.Errorf("resource of the mount %+v, want both identities", resource)
	}
}

// A sample that has not settled is not looked at: the service may still correct it.
func TestNothingAfterTheWatermarkCounts(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.volume(home())
	r.hour(home(), constant(1), constant(2), constant(3), constant(4))
	now := r.now
	r.now = now.Add(-schema.GCNVDelay + time.Second)
	r.add(schema.VolumeTotalThroughput, 99, home().labels()...)
	r.now = now
	volume := r.build(fleet.Moments(r.times)).Pools[0].Volumes[0]
	within(t, "newest sample", volume.Recent[11].Throughput, 1)
}

// A gap is a gap in its place, and no value moves into it.
func TestMissingSamplesStayMissing(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.volume(home())
	now := r.now
	for _, i := range []int{0, 5, 10} {
		r.now = now.Add(-schema.GCNVDelay - time.Duration(11-i)*schema.GCNVGrain)
		r.add(schema.VolumeTotalThroughput, float64(i), home().labels()...)
	}
	r.now = now
	volume := r.build(fleet.Moments(r.times)).Pools[0].Volumes[0]
	for i, moment := range volume.Recent {
		if moment.Throughput.Known() != (i%5 == 0) || moment.Throughput.Known() && moment.Throughput != fleet.Value(i) {
			t.Errorf("sample %d is %v", i, moment.Throughput)
		}
	}
	unknown(t, "latency", volume.Latency)
	unknown(t, "utilisation", volume.Utilisation())
}

// After a change both sets of labels are in the window: the newer one counts.
func TestChangedConfigurationCountsAtOnce(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	now := r.now
	r.now = now.Add(-time.Hour)
	r.pool(home(), "standard", "auto")
	r.volume(place{"files-example", "europe-west3", "old-pool", "home"})
	r.now = now
	r.pool(home(), "premium", "manual")
	r.volume(home())
	view := r.build(fleet.Moments(r.times))
	if len(view.Pools) != 1 || view.Pools[0].ServiceLevel != "premium" || len(view.Pools[0].Volumes) != 1 {
		t.Fatalf("pools %+v, want the new level and the volume in its new pool", view.Pools)
	}
}

// What a reading of the inventory lists no more is gone, where it lists anything else of the place. A place of which nothing
// was read lately is as it was last known, for four hours.
func TestWhatIsNotListedAnyMoreIsGone(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	far := place{"other-example", "us-east4", "pool-b", "far"}
	kept := home()
	kept.volume = "kept"
	for _, p := range []place{home(), kept, far} {
		r.pool(p, "premium", "auto")
		r.volume(p)
	}
	listed := r.now
	r.now = listed.Add(time.Hour)
	r.pool(home(), "premium", "auto")
	r.volume(kept)
	for after, want := range map[time.Duration]string{
		64 * time.Minute: "home kept far", 66 * time.Minute: "kept far", 2 * time.Hour: "kept far", 4*time.Hour + time.Minute: "kept",
	} {
		view, err := fleet.Build(context.Background(), r.memory, listed.Add(after), fleet.Moments(r.times))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, pool := range view.Pools {
			for _, volume := range pool.Volumes {
				names = append(names, volume.Identity.Volume)
			}
		}
		slices.Sort(names)
		wanted := strings.Fields(want)
		if slices.Sort(wanted); !slices.Equal(names, wanted) {
			t.Errorf("%s after the first reading: %v, want %v", after, names, wanted)
		}
	}
}

// On Flex the limit is the pool's, repeated on each volume.
func TestFlexMomentsAreSums(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.pool(home(), "flex", "auto")
	for _, name := range []string{"0-no-samples", "a", "b", "c"} {
		p := home()
		p.volume = name
		r.volume(p)
		if name == "0-no-samples" {
			continue
		}
		r.hour(p, constant(10), constant(40), constant(5), constant(0.001))
	}
	pool := r.build(fleet.Moments(r.times)).Pools[0]
	within(t, "throughput of the pool", pool.Recent[11].Throughput, 30)
	within(t, "its limit, once", pool.Recent[11].Limit, 40)
	within(t, "operations", pool.Recent[11].Operations, 15)
	within(t, "utilisation of a volume", pool.Volumes[0].Utilisation(), 0.75)
}

// The inventory has no past: a view of an earlier moment takes the first one.
func TestInventoryForEarlierMoments(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.hour(home(), rising, constant(24), rising, constant(0.002))
	earlier := r.now
	r.at(24 * time.Hour)
	r.pool(home(), "premium", "manual")
	r.volume(home())
	profile := fleet.Moments(r.times)
	for _, inventory := range []time.Time{{}, r.now} {
		profile.Inventory = inventory
		view, err := fleet.Build(context.Background(), r.memory, earlier, profile)
		if err != nil {
			t.Fatal(err)
		}
		if known := len(view.Pools) == 1 && view.Pools[0].Volumes[0].Throughput.Known(); known != !inventory.IsZero() {
			t.Errorf("inventory of %v: %d pools", inventory, len(view.Pools))
		}
	}
}

// Every number that evidence may name can be asked for again by hand.
func TestCloudQueriesGiveTheNumbersAgain(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.pool(home(), "premium", "manual")
	r.add(schema.PoolAvailableThroughput, 4e7, home().poolLabels()...)
	r.volume(home())
	r.hour(home(), rising, constant(24), rising, constant(0.002))
	view := r.build(fleet.Moments(r.times))
	volume := view.Pools[0].Volumes[0]
	for feature, want := range map[string]fleet.Value{
		fleet.FeatureVolumeThroughput: volume.Recent[11].Throughput, fleet.FeatureVolumeLimit: volume.Limit,
		fleet.FeatureVolumeLatency: volume.Recent[11].Latency, fleet.FeaturePoolThroughput: volume.Recent[11].Throughput,
	} {
		resource := volume.Identity
		if strings.HasPrefix(feature, "pool") {
			resource = volume.Of.Identity
		}
		points, err := r.memory.Instant(context.Background(), view.Query(feature, resource), view.At)
		if err != nil || len(points) != 1 {
			t.Errorf("%s: %d points, %v", feature, len(points), err)
			continue
		}
		within(t, feature, fleet.Value(points[0].Value), float64(want))
	}
}
