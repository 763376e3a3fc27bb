package fleet_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// weeks records two volumes of a pool over two weeks, the newest sample as late as the service is. The first moves 100 in
// the first week and 200 in the second but for one sample in fifty, which moves 400; the second moves 300 just then.
func weeks(t *testing.T, level string) *recorder {
	r := newRecorder(t)
	r.at(14 * 24 * time.Hour)
	now := r.now
	a, b := home(), home()
	b.volume = "other"
	r.pool(a, level, "auto")
	r.volume(a)
	r.volume(b)
	samples := int(7 * 24 * time.Hour / schema.GCNVGrain)
	for i := range 2 * samples {
		r.now = now.Add(-schema.GCNVDelay - time.Duration(2*samples-1-i)*schema.GCNVGrain)
		first, second := 100.0, 0.0
		if i >= samples {
			first = 200
			if i%50 == 0 {
				first, second = 400, 300
			}
			if i == 2100 {
				second = 350 // once: the highest sum, and no percentile
			}
		}
		r.add(schema.VolumeTotalThroughput, first, a.labels()...)
		r.add(schema.VolumeTotalThroughput, second, b.labels()...)
		r.add(schema.VolumeTotalOperations, first/10, a.labels()...)
		r.add(schema.VolumeMeanLatency, 0.001, a.labels()...)
	}
	r.now = now
	return r
}

func (r *recorder) learn() *fleet.Days {
	r.t.Helper()
	days, err := fleet.LearnDays(context.Background(), r.memory, r.now, fleet.Profile{Window: time.Minute})
	if err != nil {
		r.t.Fatal(err)
	}
	return days
}

func (r *recorder) withDays() *fleet.Fleet {
	r.t.Helper()
	profile := fleet.Moments(r.times)
	profile.Days = r.learn()
	return r.build(profile)
}

func TestDays(t *testing.T) {
	r := weeks(t, "flex")
	view := r.withDays()
	pool := view.Pools[0]
	days := pool.Volumes[0].Days
	for what, row := range map[string]struct {
		got  fleet.Value
		want float64
	}{
		"p99": {days.P99, 400}, "p95": {days.P95, 200}, "max": {days.Max, 400}, "p99 before": {days.Before, 100},
		"coverage": {days.Coverage, 1}, "latency": {days.Latency, 0.001},
		// Both are high at the same moments: the percentile of the sum.
		"p99 of the pool": {pool.Days.P99, 700}, "operations of the pool": {pool.Days.IOPSP99, 40},
		"max of the pool": {pool.Days.Max, 750}, "most operations of the pool": {pool.Days.IOPSMax, 40},
	} {
		within(t, what, row.got, row.want)
	}
	if !days.Full || !view.DaysAt.Equal(r.now) {
		t.Errorf("full %v, taken at %s; want true, %s", days.Full, view.DaysAt, r.now)
	}
	// The engine says the same of what the view has counted by itself.
	for feature, want := range map[string]fleet.Value{
		fleet.FeatureVolumeP99: days.P99, fleet.FeatureVolumeP95: days.P95, fleet.FeatureVolumeMax: days.Max, fleet.FeatureVolumeBefore: days.Before,
		fleet.FeatureVolumeCoverage: days.Coverage, fleet.FeatureVolumeBaseline: days.Latency,
		fleet.FeaturePoolP99: pool.Days.P99, fleet.FeaturePoolIOPSP99: pool.Days.IOPSP99,
	} {
		resource := pool.Volumes[0].Identity
		if feature == fleet.FeaturePoolP99 || feature == fleet.FeaturePoolIOPSP99 {
			resource = pool.Identity
		}
		points, err := r.memory.Instant(context.Background(), view.Query(feature, resource), view.At)
		if err != nil || len(points) != 1 {
			t.Errorf("%s: %d points, %v", feature, len(points), err)
			continue
		}
		within(t, feature, fleet.Value(points[0].Value), float64(want))
	}
}

// Only Flex pools have a limit on operations; of others nobody asks.
func TestOperationsOfFlexPoolsOnly(t *testing.T) {
	unknown(t, "operations of a premium pool", weeks(t, "premium").withDays().Pools[0].Days.IOPSP99)
}

// Six days are no week, however complete, and neither is a week with holes.
func TestDaysThatAreNotThere(t *testing.T) {
	for name, row := range map[string]struct {
		back     time.Duration
		each     int
		full     bool
		coverage float64
	}{
		"six days": {6 * 24 * time.Hour, 1, false, 6.0 / 7}, "every second sample": {7 * 24 * time.Hour, 2, true, 0.5}, "an hour": {time.Hour, 1, false, 1.0 / 168},
	} {
		r := newRecorder(t)
		r.at(0)
		now := r.now
		r.pool(home(), "premium", "auto")
		r.volume(home())
		for i := 0; i < int(row.back/schema.GCNVGrain); i += row.each {
			r.now = now.Add(-schema.GCNVDelay - time.Duration(i)*schema.GCNVGrain)
			r.add(schema.VolumeTotalThroughput, 1, home().labels()...)
		}
		r.now = now
		days := r.withDays().Pools[0].Volumes[0].Days
		if days.Full != row.full {
			t.Errorf("%s: full %v, want %v", name, days.Full, row.full)
		}
		within(t, name, days.Coverage, row.coverage)
		unknown(t, name+": week before", days.Before)
	}
}

// Of the hours that count, those with the largest blocks are kept, one for each twentieth of the share of reads.
func TestHours(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	now := r.now
	r.pool(home(), "premium", "auto")
	r.volume(home())
	for i, hour := range []struct{ readBytes, readOps, writeBytes, writeOps float64 }{
		{1 << 30, 1 << 15, 0, 0},             // 32 KiB reads
		{1 << 30, 1 << 14, 0, 0},             // 64 KiB reads: more favourable
		{1 << 29, 1 << 16, 1 << 29, 1 << 16}, // 8 KiB, half of them reads
		{1 << 20, 1, 0, 0},                   // 1 MiB reads, but next to nothing
		{0, 0, 0, 0},                         // nothing
	} {
		for sample := range 12 {
			r.now = now.Add(-schema.GCNVDelay - time.Duration(i)*time.Hour - time.Duration(sample)*schema.GCNVGrain)
			r.add(schema.VolumeTotalThroughput, hour.readBytes+hour.writeBytes+1e12, home().labels()...)
			for kind, values := range map[string][2]float64{"read": {hour.readBytes, hour.readOps}, "write": {hour.writeBytes, hour.writeOps}, "metadata": {1e12, 1e6}} {
				r.add(schema.VolumeThroughput, values[0], home().labels(kind)...)
				r.add(schema.VolumeOperations, values[1], home().labels(kind)...)
			}
		}
	}
	r.now = now
	hours := r.withDays().Pools[0].Volumes[0].Days.Hours
	if len(hours) != 2 {
		t.Fatalf("hours %+v, want two", hours)
	}
	within(t, "block of the mixed hour", hours[0].Block, 8192)
	within(t, "its reads", hours[0].ReadShare, 0.5)
	within(t, "block of the read hour", hours[1].Block, 65536)
	within(t, "its throughput", hours[1].Throughput, 1<<30)
}

func TestDaysOfNothing(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	days := r.learn()
	if !days.At().Equal(r.now) || !(*fleet.Days)(nil).At().IsZero() {
		t.Errorf("taken at %s; a look that was never taken at %s", days.At(), (*fleet.Days)(nil).At())
	}
	r.volume(home())
	unknown(t, "percentile", r.withDays().Pools[0].Volumes[0].Days.P99)
}

// BenchmarkCloudView is the cloud's part of the view of every minute.
func BenchmarkCloudView(b *testing.B) {
	for _, volumes := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("volumes=%d", volumes), func(b *testing.B) {
			memory, at := manyVolumes(b, volumes, 14)
			profile := fleet.Spacing(time.Minute, 15*time.Second)
			b.ReportAllocs()
			for b.Loop() {
				if view, err := fleet.Build(context.Background(), memory, at, profile); err != nil || len(view.Pools) != volumes/10 {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLearnDays is the look of every day over two weeks.
func BenchmarkLearnDays(b *testing.B) {
	const volumes = 200
	memory, at := manyVolumes(b, volumes, 2*2016)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fleet.LearnDays(context.Background(), memory, at, fleet.Profile{Window: time.Minute}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/volumes, "µs/volume")
}

// Pools are read together and told apart: by name, not by pattern, and Flex ones on their own.
func TestPoolsAreToldApart(t *testing.T) {
	r := newRecorder(t)
	r.at(0)
	now := r.now
	for i, name := range []string{"pool.1", "poolx1", "flex"} {
		p := place{"files-example", "europe-west3", name, "volume-" + name}
		r.pool(p, map[bool]string{true: "flex", false: "premium"}[name == "flex"], "auto")
		r.volume(p)
		for sample := range 24 {
			r.now = now.Add(-schema.GCNVDelay - time.Duration(sample)*schema.GCNVGrain)
			r.add(schema.VolumeTotalThroughput, float64(i+1), p.labels()...)
			r.add(schema.VolumeTotalOperations, float64(10*(i+1)), p.labels()...)
		}
		r.now = now
	}
	view := r.withDays()
	for i, want := range []struct {
		pool           string
		p99, operation float64
	}{{"flex", 3, 30}, {"pool.1", 1, 0}, {"poolx1", 2, 0}} {
		pool := view.Pools[i]
		within(t, pool.Identity.Pool, pool.Days.P99, want.p99)
		if pool.Identity.Pool != want.pool || pool.Days.IOPSP99.Known() != (want.operation > 0) {
			t.Errorf("%s: %+v, want %+v", pool.Identity.Pool, pool.Days, want)
		}
	}
	if pools := r.learn().Pools(); pools != 3 {
		t.Errorf("%d pools, want 3", pools)
	}
}
