package detectors

import (
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

// A cloud's side for tests: every number starts as missing.

const tebibyte = 1 << 40

func aPool(level, qos string, volumes ...*fleet.Volume) *fleet.Pool {
	pool := unknown(&fleet.Pool{})
	pool.Identity = fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "files-example", Location: "europe-west3", Pool: "pool-a"}
	pool.ServiceLevel, pool.QoS, pool.State, pool.Mode, pool.Capacity = level, qos, "ready", "default", 20*tebibyte
	for _, volume := range volumes {
		addTo(pool, volume)
	}
	return pool
}

func addTo(pool *fleet.Pool, volume *fleet.Volume) {
	name := volume.Identity.Volume
	volume.Identity, volume.Of = pool.Identity, pool
	volume.Identity.Volume, volume.QoS, volume.ServiceLevel = name, pool.QoS, pool.ServiceLevel
	pool.Volumes = append(pool.Volumes, volume)
	pool.Recent = pool.Moments()
}

func aVolume(name string) *fleet.Volume {
	volume := unknown(&fleet.Volume{})
	volume.Identity.Volume, volume.State, volume.Kind, volume.Protocols = name, "ready", "volume", []string{"nfsv3"}
	volume.Days.Full, volume.Days.Coverage, volume.Days.Hours = true, 1, nil
	return volume
}

// quiet is a volume with a limit of 512 MiB/s that it does not use, and nothing else to say about it.
func quiet(name string) *fleet.Volume {
	volume := aVolume(name)
	volume.Recent = steady(12, 100*mebibyte, 512*mebibyte, 1.5*ms)
	volume.Throughput, volume.Limit, volume.Days.Latency = 100*mebibyte, 512*mebibyte, 1.5*ms
	return volume
}

// steady makes n samples that are all alike.
func steady(n int, throughput, limit, latency fleet.Value) []fleet.Moment {
	moments := make([]fleet.Moment, n)
	for i := range moments {
		moments[i] = fleet.Moment{
			At: noon.Add(time.Duration(i-n) * 5 * time.Minute), Throughput: throughput, Limit: limit, Latency: latency, Operations: fleet.Unknown,
		}
	}
	return moments
}

// full puts the newest samples of a volume at its limit, with the latency up as well.
func full(volume *fleet.Volume) *fleet.Volume {
	volume.Recent = steady(12, 500*mebibyte, 512*mebibyte, 6*ms)
	volume.Limit, volume.Throughput, volume.Days.Latency = 512*mebibyte, 500*mebibyte, 1.5*ms
	return volume
}

func cloudView(pools ...*fleet.Pool) *fleet.Fleet {
	view := aView()
	view.Pools = pools
	view.Query = func(feature string, r fleet.Resource) string { return feature + "/" + r.Pool + "/" + r.Volume }
	return view
}

// mountOn joins a mount to a volume.
func mountOn(volume *fleet.Volume, mount *fleet.Mount) {
	mount.Volume = volume
	volume.Mounts = append(volume.Mounts, mount)
}

func without(findings []Finding, name string) bool {
	for _, finding := range findings {
		if finding.Name().String() == name {
			return false
		}
	}
	return true
}

func closeTo(t *testing.T, what string, got fleet.Value, want float64) {
	t.Helper()
	if off := float64(got) - want; !got.Known() || off > 0.005 || off < -0.005 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
