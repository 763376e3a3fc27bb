package model_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/simulator/model"
)

var epoch = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC) // a Monday

// drawFleet is a fleet of one pool with up to four volumes of any load.
func drawFleet(t *rapid.T) *model.Fleet {
	pool := &model.Pool{Name: "pool", Location: "europe-west3", CapacityGiB: 4096}
	pool.ServiceLevel = rapid.SampledFrom([]string{"STANDARD", "PREMIUM", "EXTREME", "FLEX"}).Draw(t, "level")
	switch {
	case pool.ServiceLevel == model.Flex && rapid.Bool().Draw(t, "custom"):
		pool.CustomPerformance = true
		pool.TotalThroughputMiBps = rapid.Int64Range(64, 5120).Draw(t, "throughput")
		pool.TotalIOPS = rapid.Int64Range(1024, 160_000).Draw(t, "iops")
	case pool.ServiceLevel != model.Flex && rapid.Bool().Draw(t, "manual"):
		pool.QoS = model.Manual
	}
	mibps := rapid.Float64Range(0, 400)
	for i := range rapid.IntRange(1, 4).Draw(t, "volumes") {
		volume := &model.Volume{
			Name: fmt.Sprintf("volume-%d", i), CapacityGiB: 1024, Protocols: []string{"NFSV3"},
			UsedGiB: rapid.Float64Range(0, 1024).Draw(t, "used"), GrowthGiBPerDay: rapid.Float64Range(0, 50).Draw(t, "growth"),
			Load: model.Workload{
				Pattern:   rapid.SampledFrom([]model.Pattern{"constant", "daily", "bursty", "growing", "step"}).Draw(t, "pattern"),
				ReadMiBps: mibps.Draw(t, "read"), WriteMiBps: mibps.Draw(t, "write"), MetadataMiBps: mibps.Draw(t, "metadata") / 1000,
				BlockKiB: rapid.SampledFrom([]float64{4, 64, 256}).Draw(t, "block"), Noise: 0.2, PerWeek: 0.5, At: model.Span(time.Hour),
			},
		}
		if pool.QoS == model.Manual {
			volume.ThroughputMiBps = rapid.Float64Range(1, 500).Draw(t, "assigned")
		}
		pool.Volumes = append(pool.Volumes, volume)
	}
	fleet := &model.Fleet{Projects: []*model.Project{{ID: "example", Number: 1, Pools: []*model.Pool{pool}}}}
	if err := fleet.Complete(); err != nil {
		t.Fatal(err)
	}
	return fleet
}

func drawTime(t *rapid.T, name string) time.Time {
	return epoch.Add(time.Duration(rapid.Int64Range(-60*24*3600, 60*24*3600).Draw(t, name)) * time.Second)
}

// Neither a volume nor a pool that volumes share passes its limits, but for the burst that storage QoS lets through.
func TestNothingPassesItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := model.New(drawFleet(t), rapid.Uint64().Draw(t, "seed"), epoch)
		from := drawTime(t, "from")
		pool := m.Fleet().Projects[0].Pools[0]
		var poolBytes, poolOperations float64
		for _, p := range m.Volumes() {
			var bytes float64
			for _, op := range model.Ops() {
				traffic := m.Traffic(p, op, from, from.Add(model.Grain))
				bytes += traffic.Bytes
				poolOperations += traffic.Operations
				if !(traffic.Bytes >= 0 && traffic.LatencyMS >= 0 && !math.IsInf(traffic.LatencyMS, 0)) {
					t.Fatalf("%s %s: %+v", p.Path, op, traffic)
				}
			}
			if most := p.Limit() * (1 << 20) * model.Grain.Seconds() * (1 + model.Burst); bytes > most {
				t.Fatalf("%s moved %g bytes, at most %g are possible", p.Path, bytes, most)
			}
			poolBytes += bytes
		}
		if most := pool.Throughput() * (1 << 20) * model.Grain.Seconds() * (1 + model.Burst); pool.Shared() && poolBytes > most {
			t.Fatalf("the pool moved %g bytes, at most %g are possible", poolBytes, most)
		}
		if most := pool.IOPS() * model.Grain.Seconds() * (1 + 1e-9); most > 0 && poolOperations > most {
			t.Fatalf("the pool did %g operations, at most %g are possible", poolOperations, most)
		}
	})
}

// Bytes and operations of two intervals that touch are those of both together, and bytes are operations times their size.
func TestTrafficAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := model.New(drawFleet(t), rapid.Uint64().Draw(t, "seed"), epoch)
		p := m.Volumes()[0]
		op := rapid.SampledFrom(model.Ops()).Draw(t, "op")
		from := drawTime(t, "from")
		middle := from.Add(time.Duration(rapid.Int64Range(0, 7200).Draw(t, "first")) * time.Second)
		to := middle.Add(time.Duration(rapid.Int64Range(0, 7200).Draw(t, "second")) * time.Second)
		first, second, both := m.Traffic(p, op, from, middle), m.Traffic(p, op, middle, to), m.Traffic(p, op, from, to)
		if !near(first.Bytes+second.Bytes, both.Bytes) || !near(first.Operations+second.Operations, both.Operations) {
			t.Fatalf("%+v and %+v are not %+v", first, second, both)
		}
		size := p.Volume.Load.BlockKiB * 1024
		if op == model.Metadata {
			size = p.Volume.Load.MetadataBytes
		}
		if !near(both.Operations*size, both.Bytes) {
			t.Fatalf("%g operations of %g bytes are not %g", both.Operations, size, both.Bytes)
		}
	})
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// Two models of one description, seed and epoch agree whatever was asked before; another seed gives other noise.
func TestSameSeedSameData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fleet, seed := drawFleet(t), rapid.Uint64().Draw(t, "seed")
		one, two := model.New(fleet, seed, epoch), model.New(fleet, seed, epoch)
		var times []time.Time
		for range 5 {
			times = append(times, drawTime(t, "at"))
		}
		answers := func(m *model.Model, order []time.Time) map[time.Time][]model.Traffic {
			out := map[time.Time][]model.Traffic{}
			for _, at := range order {
				out[at] = nil
				for _, p := range m.Volumes() {
					out[at] = append(out[at], m.Traffic(p, model.Read, at, at.Add(time.Hour)))
				}
			}
			return out
		}
		backwards := []time.Time{times[4], times[3], times[2], times[1], times[0]}
		if diff := cmp.Diff(answers(one, times), answers(two, backwards)); diff != "" {
			t.Fatal(diff)
		}
	})
	m := one(t, model.Workload{ReadMiBps: 10})
	other := model.New(m.Fleet(), 2, epoch)
	hour := epoch.Add(time.Hour)
	if m.Traffic(m.Volumes()[0], model.Read, epoch, hour) == other.Traffic(other.Volumes()[0], model.Read, epoch, hour) {
		t.Error("two seeds gave the same noise")
	}
}

// one is a model of one volume with a limit of 64 MiB/s.
func one(t *testing.T, load model.Workload) *model.Model {
	t.Helper()
	fleet := &model.Fleet{Projects: []*model.Project{{ID: "example", Number: 1, Pools: []*model.Pool{{
		Name: "pool", Location: "europe-west3", ServiceLevel: model.Premium, CapacityGiB: 2048,
		Volumes: []*model.Volume{{
			Name: "volume", CapacityGiB: 1024, Protocols: []string{"NFSV3"}, UsedGiB: 500, GrowthGiBPerDay: 10, SnapshotGiB: 50,
			InodesUsed: 1000, InodesPerDay: 24, Load: load,
			Replication: &model.Replication{Name: "copy", Schedule: "HOURLY", TransferGiB: 1},
		}},
	}}}}}
	if err := fleet.Complete(); err != nil {
		t.Fatal(err)
	}
	return model.New(fleet, 1, epoch)
}

// rate is the MiB/s of the reads of the only volume at a time.
func rate(m *model.Model, at time.Time) float64 {
	return m.Traffic(m.Volumes()[0], model.Read, at, at.Add(model.Grain)).Bytes / (1 << 20) / model.Grain.Seconds()
}

func TestPatterns(t *testing.T) {
	midnight, noon := epoch.Truncate(24*time.Hour), epoch.Truncate(24*time.Hour).Add(12*time.Hour)
	sunday := noon.Add(-24 * time.Hour)
	for _, row := range []struct {
		name string
		load model.Workload
		at   time.Time
		want float64
	}{
		{"constant", model.Workload{}, noon, 10},
		{"daily at midnight", model.Workload{Pattern: model.Daily}, midnight, 3},
		{"daily at noon", model.Workload{Pattern: model.Daily}, noon, 17},
		{"daily on a Sunday", model.Workload{Pattern: model.Daily}, sunday, 3},
		{"growing at the epoch", model.Workload{Pattern: model.Growing, PerWeek: 0.1}, epoch, 10},
		{"growing two weeks later", model.Workload{Pattern: model.Growing, PerWeek: 0.1}, epoch.Add(14 * 24 * time.Hour), 12},
		{"growing long before", model.Workload{Pattern: model.Growing, PerWeek: 0.1}, epoch.Add(-100 * 7 * 24 * time.Hour), 0},
		{"before the step", model.Workload{Pattern: model.Step, Factor: 3, At: model.Span(-time.Hour)}, epoch.Add(-65 * time.Minute), 10},
		{"after the step", model.Workload{Pattern: model.Step, Factor: 3, At: model.Span(-time.Hour)}, epoch.Add(-time.Hour), 30},
		{"at the limit", model.Workload{Pattern: model.Step, Factor: 1}, noon, 10},
	} {
		row.load.ReadMiBps, row.load.Noise = 10, -1
		if got := rate(one(t, row.load), row.at); math.Abs(got-row.want) > 0.01 {
			t.Errorf("%s: %g MiB/s, want %g", row.name, got, row.want)
		}
	}
}

// A burst is as long as it says, once in each span, at a place that the seed chooses.
func TestBursts(t *testing.T) {
	m := one(t, model.Workload{Pattern: model.Bursty, ReadMiBps: 2, Factor: 10, Every: model.Span(6 * time.Hour), Length: model.Span(30 * time.Minute), Noise: -1})
	places := map[time.Duration]bool{}
	for span := range 40 {
		start := epoch.Truncate(6 * time.Hour).Add(time.Duration(span-20) * 6 * time.Hour)
		high := 0
		for at := start; at.Before(start.Add(6 * time.Hour)); at = at.Add(model.Grain) {
			switch got := rate(m, at); {
			case math.Abs(got-20) < 1e-6:
				if high == 0 {
					places[at.Sub(start)] = true
				}
				high++
			case math.Abs(got-2) > 1e-6:
				t.Fatalf("%g MiB/s is neither the mean nor the burst", got)
			}
		}
		if high != 6 {
			t.Errorf("the span at %s has %d windows of burst, want 6", start, high)
		}
	}
	if len(places) < 10 {
		t.Errorf("40 bursts began at %d places only", len(places))
	}
}

// A burst that is told when to begin does so in every span.
func TestBurstsAtAnHour(t *testing.T) {
	m := one(t, model.Workload{
		Pattern: model.Bursty, ReadMiBps: 2, Factor: 10, Every: model.Span(24 * time.Hour), Length: model.Span(time.Hour), Begins: model.Span(2 * time.Hour), Noise: -1,
	})
	midnight := epoch.Truncate(24 * time.Hour)
	for window := range 10 * 24 * 12 {
		at := midnight.Add(time.Duration(window) * model.Grain)
		want := 2.0
		if at.Hour() == 2 {
			want = 20
		}
		if got := rate(m, at); math.Abs(got-want) > 1e-6 {
			t.Fatalf("at %s: %g MiB/s, want %g", at, got, want)
		}
	}
}

// A step ends where it is told to, and a volume of which nothing or the same is measured is so from its time on.
func TestStepsAndMeasurementsThatEnd(t *testing.T) {
	hour := func(n float64) model.Span { return model.Span(time.Duration(n * float64(time.Hour))) }
	m := one(t, model.Workload{Pattern: model.Step, ReadMiBps: 10, Factor: 3, At: hour(-2), Until: hour(-1), Noise: -1})
	for hours, want := range map[float64]float64{-3: 10, -2: 30, -1.25: 30, -1: 10, 4: 10} {
		if got := rate(m, epoch.Add(time.Duration(hour(hours)))); math.Abs(got-want) > 1e-6 {
			t.Errorf("at %g h: %g MiB/s, want %g", hours, got, want)
		}
	}
	for name, row := range map[string]struct {
		volume      model.Volume
		before, now time.Duration // of what is told, relative to what is asked; -1 for nothing
	}{
		"silent":          {model.Volume{Silent: true, Since: hour(-1)}, 0, -1},
		"frozen":          {model.Volume{Frozen: true, Since: hour(-1)}, 0, time.Hour + model.Grain},
		"always silent":   {model.Volume{Silent: true}, -1, -1},
		"always the same": {model.Volume{Frozen: true}, -2 * time.Hour, 0},
		"neither":         {model.Volume{Since: hour(-1)}, 0, 0},
	} {
		m := one(t, model.Workload{ReadMiBps: 10})
		p := m.Volumes()[0]
		p.Volume.Silent, p.Volume.Frozen, p.Volume.Since = row.volume.Silent, row.volume.Frozen, row.volume.Since
		for asked, back := range map[time.Time]time.Duration{epoch.Add(-2 * time.Hour): row.before, epoch: row.now} {
			told, ok := m.Measured(p, asked)
			if ok != (back != -1) || ok && !told.Equal(asked.Add(-back)) {
				t.Errorf("%s: asked for %s told %s, %t", name, asked, told, ok)
			}
		}
	}
}

// Noise stays within its bound, and is there.
func TestNoiseIsBounded(t *testing.T) {
	m := one(t, model.Workload{ReadMiBps: 10, Noise: 0.05})
	low, high := math.Inf(1), math.Inf(-1)
	for i := range 2000 {
		got := rate(m, epoch.Add(time.Duration(i)*model.Grain))
		low, high = min(low, got), max(high, got)
	}
	if low < 9.5 || high > 10.5 || low > 9.55 || high < 10.45 {
		t.Errorf("noise of 5 %% on 10 gave %g to %g", low, high)
	}
}

// At its limit a volume moves what the limit lets through, on a plateau, and its requests take longer the more is asked.
func TestThrottling(t *testing.T) {
	latency := map[float64]float64{}
	for _, asked := range []float64{6.4, 57.6, 70, 90, 6400} {
		m := one(t, model.Workload{ReadMiBps: asked, LatencyMS: 1, Noise: -1})
		low, high := math.Inf(1), math.Inf(-1)
		for i := range 500 {
			got := rate(m, epoch.Add(time.Duration(i)*model.Grain))
			low, high = min(low, got), max(high, got)
		}
		if asked > 64 && (low < 64 || high > 64*(1+model.Burst) || high < 64*1.01) {
			t.Errorf("%g MiB/s asked of 64: %g to %g", asked, low, high)
		}
		if asked < 64 && (math.Abs(low-asked) > 1e-6 || math.Abs(high-asked) > 1e-6) {
			t.Errorf("%g MiB/s asked of 64: %g to %g", asked, low, high)
		}
		latency[asked] = m.Traffic(m.Volumes()[0], model.Read, epoch, epoch.Add(time.Hour)).LatencyMS
	}
	if !(latency[6.4] < latency[57.6] && latency[57.6] < 1.3 && latency[70] > 1.5 && latency[90] > 2.4 && latency[6400] == 20) {
		t.Errorf("latency by what is asked: %v", latency)
	}
}

// Requests that come in clusters wait while more than the limit is asked for, and are through before the window ends: the means
// of a window show a longer latency and nothing else.
func TestClustersWait(t *testing.T) {
	of := func(asked, within float64) model.Traffic {
		m := one(t, model.Workload{ReadMiBps: asked, Within: within, LatencyMS: 1, Noise: -1})
		return m.Traffic(m.Volumes()[0], model.Read, epoch, epoch.Add(model.Grain))
	}
	even, clustered, roomy, over := of(57.6, 0), of(57.6, 0.5), of(25.6, 0.5), of(128, 0.5)
	if even.Bytes != clustered.Bytes || even.Operations != clustered.Operations {
		t.Errorf("90 %% of the limit: %+v evenly, %+v in clusters", even, clustered)
	}
	// 0.9 of the limit within half of the time is 1.8 of it: 1.3 + 3 × 0.8.
	if math.Abs(clustered.LatencyMS-3.7) > 1e-9 || even.LatencyMS > 1.3 {
		t.Errorf("90 %% of the limit takes %g ms evenly, %g ms in clusters", even.LatencyMS, clustered.LatencyMS)
	}
	if roomy.LatencyMS > 1.3 {
		t.Errorf("clusters below the limit take %g ms", roomy.LatencyMS)
	}
	// Twice the limit is asked for over the whole window: what is let through is the limit, and the wait no less than evenly.
	if all := of(128, 0); over.Bytes != all.Bytes || over.LatencyMS < all.LatencyMS {
		t.Errorf("200 %% of the limit: %+v in clusters, %+v evenly", over, all)
	}
}

func TestSpaceGrowsToItsBounds(t *testing.T) {
	m := one(t, model.Workload{})
	p := m.Volumes()[0]
	const gib = 1 << 30
	for _, row := range []struct {
		days         int
		used, inodes int64
	}{{0, 500 * gib, 1000}, {10, 600 * gib, 1240}, {-50, 0, 0}, {-40, 100 * gib, 40}, {1000, 1024 * gib, 25000}} {
		got := m.Space(p, epoch.Add(time.Duration(row.days)*24*time.Hour))
		want := model.Space{Allocated: 1024 * gib, Used: row.used, Snapshot: min(row.used, 50*gib), InodeLimit: 31_876_710, Inodes: row.inodes}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %d days (-want +got):\n%s", row.days, diff)
		}
	}
}

func TestReplication(t *testing.T) {
	m := one(t, model.Workload{})
	p := m.Volumes()[0]
	at := epoch.Add(30 * time.Minute)
	got, ok := m.Transfer(p, at)
	if !ok || !got.Healthy || got.Transferring || got.Lag != 30*time.Minute || got.LastDuration != 6*time.Minute || !got.LastEnd.Equal(epoch.Add(6*time.Minute)) {
		t.Errorf("half an hour after a transfer: %+v", got)
	}
	if got, _ = m.Transfer(p, epoch.Add(2*time.Minute)); !got.Transferring || got.Lag != 62*time.Minute {
		t.Errorf("during a transfer: %+v", got)
	}
	p.Volume.Replication.Unhealthy = true
	if got, _ = m.Transfer(p, epoch.Add(50*time.Hour)); got.Healthy || got.Lag != 50*time.Hour {
		t.Errorf("a broken replication: %+v", got)
	}
	p.Volume.Replication = nil
	if _, ok = m.Transfer(p, at); ok {
		t.Error("a volume without replication has one")
	}
}
