package detectors_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// estate is a history of a cloud's side, written as the collector writes it.
type estate struct {
	memory *history.Memory
	now    time.Time
	batch  []schema.Sample
}

func newEstate(tb testing.TB) *estate {
	tb.Helper()
	memory := history.NewMemory(history.MemoryOptions{MaxSamples: 50_000_000})
	tb.Cleanup(func() { _ = memory.Close() })
	return &estate{memory: memory, now: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)}
}

func (e *estate) add(back time.Duration, family *schema.Family, value float64, labels ...string) {
	e.batch = append(e.batch, schema.Sample{Family: family, Labels: labels, Value: value, Time: e.now.Add(-back)})
}

func (e *estate) store(tb testing.TB) {
	tb.Helper()
	if err := e.memory.Append(context.Background(), e.batch); err != nil {
		tb.Fatal(err)
	}
	e.batch = nil
}

const mib = 1 << 20

func poolOf(pool string) []string {
	return []string{"gcp", "gcnv", "files-example", "europe-west3", pool}
}

func (e *estate) pool(pool, level, qos string, gib, available float64) {
	id := poolOf(pool)
	e.add(0, schema.PoolInfo, 1, append(slices.Clone(id), level, qos, "file", "default", "default", "false", "false", "ready", "")...)
	e.add(0, schema.PoolCapacity, gib*(1<<30), id...)
	e.add(0, schema.PoolAvailableThroughput, available*mib, id...)
}

// volume adds a volume that moves what throughput says, so many samples ago, by 64 KiB reads.
func (e *estate) volume(pool, name string, assigned float64, samples int, throughput, latency func(ago int) float64) {
	id := append(poolOf(pool), name)
	with := func(more ...string) []string { return append(slices.Clone(id), more...) }
	e.add(0, schema.VolumeInfo, 1, with("premium", "manual", "nfsv3", "ready", "false", "false", "", "volume")...)
	e.add(0, schema.VolumeAssignedThroughput, assigned*mib, id...)
	e.add(schema.GCNVDelay, schema.VolumeCapacity, 1<<40, id...)
	e.add(schema.GCNVDelay, schema.VolumeUsed, 0.9*(1<<40), id...)
	for ago := range samples {
		back := schema.GCNVDelay + time.Duration(ago)*schema.GCNVGrain
		moved := throughput(ago) * mib
		e.add(back, schema.VolumeTotalThroughput, moved, id...)
		e.add(back, schema.VolumeThroughputLimit, assigned*mib, id...)
		e.add(back, schema.VolumeTotalOperations, moved/65536, id...)
		e.add(back, schema.VolumeMeanLatency, latency(ago), id...)
		e.add(back, schema.VolumeThroughput, moved, with("read")...)
		e.add(back, schema.VolumeOperations, moved/65536, with("read")...)
	}
}

func always(value float64) func(int) float64 { return func(int) float64 { return value } }

func (e *estate) view(tb testing.TB) *fleet.Fleet {
	tb.Helper()
	profile := fleet.Spacing(time.Minute, 15*time.Second)
	days, err := fleet.LearnDays(context.Background(), e.memory, e.now, profile)
	if err != nil {
		tb.Fatal(err)
	}
	profile.Days = days
	view, err := fleet.Build(context.Background(), e.memory, e.now, profile)
	if err != nil {
		tb.Fatal(err)
	}
	return view
}

// From the samples of two weeks to the findings, and back: every number of the evidence that has a query is what the
// query gives.
func TestFromSamplesToFindingsAndBack(t *testing.T) {
	const fortnight = 2 * 7 * 24 * 12
	e := newEstate(t)
	e.pool("pool-a", "premium", "manual", 40_960, 700)
	e.volume("pool-a", "idle", 5_000, fortnight, always(100), always(0.001))
	e.volume("pool-a", "busy", 512, fortnight, func(ago int) float64 {
		if ago < 4 {
			return 500
		}
		return 300
	}, func(ago int) float64 {
		if ago < 4 {
			return 0.006
		}
		return 0.0015
	})
	e.store(t)
	view := e.view(t)
	found := detectors.Judge(view, detectors.DefaultSettings(), detectors.Minute, detectors.Daily).Found
	got := map[string]int{}
	for _, finding := range found {
		got[finding.Name().String()+" "+finding.Resource.Volume]++
		for _, evidence := range finding.Evidence {
			if evidence.Query == "" {
				continue
			}
			points, err := e.memory.Instant(context.Background(), evidence.Query, view.At)
			if err != nil || len(points) != 1 || math.Abs(points[0].Value-float64(evidence.Value)) > 1e-6*math.Abs(points[0].Value) {
				t.Errorf("%s, %s: %v; the query %s gives %+v, %v", finding.Name(), evidence.Name, evidence.Value, evidence.Query, points, err)
			}
		}
	}
	for _, want := range []string{
		"limit_reached/throughput busy", "hard_limit/capacity idle", "hard_limit/capacity busy", "pool_throughput_unused/unallocated ",
		"pool_throughput_unused/allocated_unused idle", "pool_throughput_unused/stranded_capacity ", "beyond_envelope/volume_maximum idle",
	} {
		if got[want] != 1 {
			t.Errorf("%s is found %d times, want once", want, got[want])
		}
		delete(got, want)
	}
	if len(got) != 0 {
		t.Errorf("findings that nothing was planted for: %v", got)
	}
}

// An estate where all is well has no findings.
func TestHealthyEstateFindsNothing(t *testing.T) {
	e := newEstate(t)
	e.pool("pool-a", "premium", "manual", 8_192, 0)
	e.volume("pool-a", "home", 512, 2*2016, always(300), always(0.0015))
	for i := range e.batch {
		if e.batch[i].Family == schema.VolumeUsed {
			e.batch[i].Value = 0.5 * (1 << 40)
		}
		if e.batch[i].Family == schema.VolumeCapacity {
			e.batch[i].Value = 8_000 * (1 << 30)
		}
	}
	e.store(t)
	for _, finding := range detectors.Evaluate(e.view(t), detectors.DefaultSettings()) {
		t.Errorf("%s: %s", finding.Name(), finding.Summary)
	}
}

// BenchmarkCloudRound judges a view of volumes of which every tenth is at its limit, by both clocks.
func BenchmarkCloudRound(b *testing.B) {
	const volumes = 10_000
	e := newEstate(b)
	for i := range volumes {
		pool := fmt.Sprintf("pool-%d", i/10)
		if i%10 == 0 {
			e.pool(pool, "premium", "manual", 8_192, 0)
		}
		moved := 300.0
		if i%10 == 0 {
			moved = 511
		}
		e.volume(pool, fmt.Sprintf("volume-%d", i), 512, 14, always(moved), always(0.0015))
		e.store(b)
	}
	view, settings := e.view(b), detectors.DefaultSettings()
	lifecycle := detectors.NewLifecycle(settings)
	b.ReportAllocs()
	for b.Loop() {
		view.At = view.At.Add(time.Minute)
		lifecycle.Step(detectors.Judge(view, settings, detectors.Minute, detectors.Daily))
		lifecycle.Active()
	}
}
