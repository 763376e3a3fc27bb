package fleet_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// Azure NetApp Files has two pools of one account with a volume of one name in each.

func anf(pool string, more ...string) []string {
	return append([]string{"azure", "azurenetapp", "subscription-1", "westeurope", "account/" + pool}, more...)
}

// netapp records a pool with its volume data: the address, and the samples of an hour of which the last are held back.
func (r *recorder) netapp(pool, address string, throughput float64, held int) {
	r.add(schema.PoolInfo, 1, anf(pool, "premium", "manual", "", "default", "", "false", "false", "ready", "")...)
	r.add(schema.PoolResourceInfo, 1, anf(pool, "group-of-"+pool)...)
	r.add(schema.PoolTotalThroughput, 640, anf(pool)...)
	r.add(schema.PoolAvailableThroughput, 200, anf(pool)...)
	r.add(schema.VolumeInfo, 1, anf(pool, "data", "premium", "manual", "nfsv3", "ready", "false", "false", "1", "volume")...)
	r.add(schema.VolumeEndpointInfo, 1, anf(pool, "data", address, "/data", "nfsv3")...)
	now := r.now
	for i := range 12 {
		r.now = now.Add(-schema.GCNVDelay - time.Duration(11-i)*schema.GCNVGrain)
		r.add(schema.VolumeTotalThroughput, throughput, anf(pool, "data")...)
		r.add(schema.VolumeThroughputLimit, 400, anf(pool, "data")...)
		reached := 0.0
		if i >= 12-held {
			reached = 1
		}
		r.add(schema.VolumeLimitReached, reached, anf(pool, "data")...)
	}
	r.now = now
}

func TestBuildOfAzureNetApp(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	r.netapp("fast", "192.0.2.40", 390, 3)
	r.netapp("slow", "192.0.2.41", 100, 0)
	r.mountOf("h", "192.0.2.40", "", "/data", "nfs")
	r.mountOf("h", "192.0.2.41", "", "/data/sub", "nfs")
	view := r.build(fleet.Moments(r.times))
	if len(view.Pools) != 2 || len(view.Pools[0].Volumes) != 1 || len(view.Pools[1].Volumes) != 1 {
		t.Fatalf("%d pools", len(view.Pools))
	}
	fast, slow := view.Pools[0].Volumes[0], view.Pools[1].Volumes[0]
	if pool := fast.Of; pool.Identity.Pool != "account/fast" || pool.ResourceGroup != "group-of-fast" || !pool.Manual() || pool.Flex() {
		t.Errorf("the pool is %+v", pool)
	}
	within(t, "throughput of the fast one", fast.Throughput, 390)
	within(t, "throughput of the slow one", slow.Throughput, 100)
	var held []fleet.Held
	for _, moment := range fast.Recent[8:] {
		held = append(held, moment.Held)
	}
	if held[0] != fleet.HeldNot || held[1] != fleet.HeldBack || held[3] != fleet.HeldBack || slow.Recent[11].Held != fleet.HeldNot {
		t.Errorf("held are %v, the slow one %v", held, slow.Recent[11].Held)
	}
	if len(fast.Mounts) != 1 || len(slow.Mounts) != 1 || slow.Mounts[0].Server != "192.0.2.41" {
		t.Errorf("the mounts are not joined: %v", view.Unjoined)
	}
	for _, endpoint := range view.Clients[0].Endpoints {
		if endpoint.Provider != fleet.ProviderAzureNetApp {
			t.Errorf("the provider of %s is %q", endpoint.Server, endpoint.Provider)
		}
	}
	within(t, "utilisation of the fast one's endpoint", view.Clients[0].Endpoints[0].VolumeUtilisation, 390.0/400)
}

// What looks over days tells keeps volumes of one name apart, and so does the query behind the evidence.
func TestDaysOfAzureNetApp(t *testing.T) {
	r := newRecorder(t)
	r.at(8 * 24 * time.Hour)
	r.netapp("fast", "192.0.2.40", 390, 0)
	r.netapp("slow", "192.0.2.41", 100, 0)
	days := r.learn()
	profile := fleet.Moments(r.times)
	profile.Days = days
	view := r.build(profile)
	for i, want := range []float64{390, 100} {
		volume := view.Pools[i].Volumes[0]
		within(t, "highest of "+volume.Identity.Pool, volume.Days.Max, want)
		within(t, "peak of "+volume.Identity.Pool, volume.Days.Highest(), want)
		for _, feature := range fleet.Features() {
			if feature.Name == fleet.FeatureVolumePeak && !strings.Contains(feature.Promql(profile, volume.Identity), volume.Identity.Pool) {
				t.Errorf("the query is of any pool: %s", feature.Promql(profile, volume.Identity))
			}
		}
	}
}
