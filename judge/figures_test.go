package judge

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// told are the figures by name and the labels that are not empty.
func told(t *testing.T, samples []schema.Sample) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for _, sample := range samples {
		if len(sample.Labels) != len(sample.Family.Labels) {
			t.Fatalf("%s has %d labels, want %d", sample.Family.Name, len(sample.Labels), len(sample.Family.Labels))
		}
		key := strings.TrimPrefix(sample.Family.Name, "nasight_")
		for i, label := range sample.Family.Labels {
			if value := sample.Labels[i]; value != "" && label != "cloud" && label != "service" && label != "project" && label != "location" {
				key += " " + value
			}
		}
		if _, twice := values[key]; twice {
			t.Errorf("%s is there twice", key)
		}
		values[key] = sample.Value
	}
	return values
}

func unknownPool(name, qos, level string) *fleet.Pool {
	u := fleet.Unknown
	return &fleet.Pool{
		Identity:     fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Pool: name},
		ServiceLevel: level, QoS: qos, Capacity: u, Allocated: u, HotTier: u, Total: u, Available: u, AvailableLow: u, AvailableThen: u, IOPS: u,
		Days: fleet.PoolDays{P99: u, Max: u, IOPSP99: u, IOPSMax: u},
	}
}

func aVolume(pool *fleet.Pool, name string) *fleet.Volume {
	u, id := fleet.Unknown, pool.Identity
	id.Volume = name
	volume := &fleet.Volume{
		Identity: id, Of: pool, Capacity: u, Used: u, InodeLimit: u, InodeUsed: u, Assigned: u, Limit: u, Throughput: u, Operations: u, Latency: u, ClientUse: u,
		Days: fleet.VolumeDays{Coverage: u, P99: u, P95: u, Max: u, Peak: u, PeakDays: u, Before: u, Latency: u},
	}
	pool.Volumes = append(pool.Volumes, volume)
	return volume
}

const mib = 1 << 20

// What pools are granted is told where it is known, in one of three ways, and not made up elsewhere.
func TestGranted(t *testing.T) {
	custom := unknownPool("custom", "auto", "flex")
	custom.Total = 100 * mib
	manual := unknownPool("manual", "manual", "premium")
	manual.Available = 10 * mib
	aVolume(manual, "a").Assigned, aVolume(manual, "b").Assigned = 20*mib, 30*mib
	part := unknownPool("part", "manual", "premium")
	part.Available = 10 * mib
	aVolume(part, "a")
	auto := unknownPool("auto", "auto", "extreme")
	auto.Capacity = 2 << 40
	flex := unknownPool("flex", "auto", "flex")
	aVolume(flex, "a").Limit, aVolume(flex, "b").Limit = 64*mib, 64*mib
	bare := unknownPool("bare", "auto", "flex")
	for pool, want := range map[*fleet.Pool]fleet.Value{
		custom: 100 * mib, manual: 60 * mib, part: fleet.Unknown, auto: 256 * mib, flex: 64 * mib, bare: fleet.Unknown,
	} {
		if got := Granted(pool); got.Known() != want.Known() || got.Known() && got != want {
			t.Errorf("%s: %v, want %v", pool.Identity.Pool, got, want)
		}
	}
}

func TestFigures(t *testing.T) {
	at := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	pool := unknownPool("pool", "manual", "premium")
	pool.Available = 100 * mib
	quiet, busy := aVolume(pool, "quiet"), aVolume(pool, "busy")
	week := func(v *fleet.Volume, assigned, p99, peak fleet.Value) {
		v.Assigned, v.Limit = assigned, assigned
		v.Days = fleet.VolumeDays{Coverage: 1, Full: true, P99: p99, P95: p99, Max: peak, Peak: peak, PeakDays: 14, Before: p99, Latency: fleet.Unknown}
	}
	week(quiet, 500*mib, 10*mib, 20*mib)
	week(busy, 100*mib, 99*mib, 100*mib)
	share := &fleet.Share{
		Identity: fleet.Resource{Cloud: "azure", Service: "azurefiles", Project: "s", Location: "w", Pool: "account", Volume: "share"}, Protocol: "smb",
		Days: fleet.ShareDays{Throughput: fleet.ShareUse{P99: 5, Max: 7, Before: fleet.Unknown, Peak: 9}},
	}
	account := &fleet.Account{Identity: fleet.Resource{Cloud: "azure", Service: "azurefiles"}, Shares: []*fleet.Share{share}}
	share.Of = account
	view := &fleet.Fleet{At: at, DaysAt: at, Pools: []*fleet.Pool{pool}, Accounts: []*fleet.Account{account}}
	settings := detectors.DefaultSettings()
	got := told(t, Figures(view, nil, settings))
	planned := map[string]float64{}
	for _, name := range []string{"quiet", "busy"} {
		key := "volume_planned_throughput_bytes_per_second pool " + name
		planned[name] = got[key]
		delete(got, key)
	}
	want := map[string]float64{
		"pool_granted_throughput_bytes_per_second pool":              700 * mib,
		"volume_week_p99_throughput_bytes_per_second pool quiet":     10 * mib,
		"volume_week_p99_throughput_bytes_per_second pool busy":      99 * mib,
		"volume_peak_throughput_bytes_per_second pool quiet":         20 * mib,
		"volume_peak_throughput_bytes_per_second pool busy":          100 * mib,
		"volume_week_p99_throughput_bytes_per_second account share":  5,
		"volume_peak_throughput_bytes_per_second account share":      9,
		"share_metadata_ceiling_operations_per_second account share": settings.Metadata.Ceiling,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if planned["busy"] <= 100*mib || planned["quiet"] >= 500*mib || planned["quiet"] < 20*mib || planned["busy"]+planned["quiet"] > 700*mib {
		t.Errorf("planned %v: busy needs more, quiet less, no less than its peak, together what the pool has", planned)
	}
	view.DaysAt = time.Time{}
	for key := range told(t, Figures(view, nil, settings)) {
		if strings.HasPrefix(key, "volume_planned") {
			t.Errorf("%s before a look over days", key)
		}
	}
}

// A ladder is told of an active mount, step by step, and once where mounts have the same names.
func TestLadders(t *testing.T) {
	u := fleet.Unknown
	mount := func(device string) *fleet.Mount {
		return &fleet.Mount{Host: "h", Server: "192.0.2.1", Export: "/a", Protocol: "nfs", Device: device}
	}
	client := &fleet.Client{
		Host: "h", CPU: fleet.CPU{BusiestBusy: 0.25, Cores: u, BusiestSoftirq: u, Busy: u, Steal: u},
		NIC: fleet.NIC{Receive: 500, ReceiveCap: 1000, Transmit: u, TransmitCap: u, Speed: u},
	}
	active := &fleet.Endpoint{
		Host: "h", Server: "192.0.2.1", Protocol: "nfs", Ceiling: 40e6,
		Sessions: []*fleet.Session{{Rate: 30e6}}, Mounts: []*fleet.Mount{mount("0:1"), mount("0:2")},
	}
	idle := &fleet.Endpoint{Host: "h", Server: "192.0.2.2", Protocol: "nfs", Ceiling: u, Sessions: []*fleet.Session{{Rate: 0}}, Mounts: []*fleet.Mount{mount("0:3")}}
	client.Endpoints = []*fleet.Endpoint{active, idle}
	view := &fleet.Fleet{Clients: []*fleet.Client{client}}
	const of = "mount_step_utilisation_ratio h 192.0.2.1 /a nfs "
	want := map[string]float64{of + "sessions": 0.75, of + "cpu": 0.25, of + "network": 0.5}
	if diff := cmp.Diff(want, told(t, ladders(view, detectors.DefaultSettings()))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What follows from days goes to history every five minutes, the ladder with each look.
func TestSlowFiguresAreRecordedSlowly(t *testing.T) {
	pool := unknownPool("pool", "auto", "extreme")
	pool.Capacity = 1 << 40
	base := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	recorded := 0
	for minute := range 10 {
		view := &fleet.Fleet{At: base.Add(time.Duration(minute)*time.Minute + 3*time.Second), Pools: []*fleet.Pool{pool}}
		recorded += len(Terms{Settings: detectors.DefaultSettings()}.Record(view, nil))
	}
	if recorded != 2 {
		t.Errorf("recorded %d times in ten minutes, want 2", recorded)
	}
}
