//go:build unix

package detectors_test

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/schema"
)

const (
	estateWeek    = 7 * 24 * time.Hour
	recentEstate  = 2 * time.Hour
	estateSamples = 20_000_000 // that are stored at a time
	volumesAPool  = 10
	volumesAHost  = 10 // so many volumes for each host
)

// largeEstate is the embedded history of volumes and of the hosts that mount some of them.
type largeEstate struct {
	database *history.Embedded
	now      time.Time
	volumes  int
}

// newLargeEstate fills a history as serve does: what is recent by appending it, the past before it by the back-fill.
func newLargeEstate(b *testing.B, volumes int, past time.Duration) *largeEstate {
	b.Helper()
	begin := processor(b)
	defer func() { b.Logf("filled in %s of processor time", processor(b)-begin) }()
	database, err := history.OpenEmbedded(b.Context(), history.EmbeddedOptions{
		Path: b.TempDir(), Retention: 30 * 24 * time.Hour, MaxSeries: 2_000_000,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = database.Close() })
	e := &largeEstate{database: database, now: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC), volumes: volumes}
	e.appendInventory(b)
	e.appendHosts(b)
	recent := e.now.Add(-recentEstate)
	e.fill(b, estateSeries(), recent, e.now, database.Append)
	from := e.now.Add(-past - schema.GCNVDelay)
	if past == estateWeek {
		e.backfill(b, estateSeries()[:1], from.Add(-past), from) // of the week before, only throughput is read
	}
	e.backfill(b, estateSeries()[:readOverDays], from, recent)
	if err := database.Backfill(b.Context(), nil); err != nil { // has the files tidied, as they are a minute later
		b.Fatal(err)
	}
	debug.FreeOSMemory() // the passes are not to pay for what filling has left behind
	return e
}

func (e *largeEstate) backfill(b *testing.B, families []estateFamily, from, to time.Time) {
	b.Helper()
	steps := max(estateSamples/(e.volumes*len(families)), 1)
	for from.Before(to) {
		end := from.Add(time.Duration(steps) * schema.GCNVGrain)
		if end.After(to) {
			end = to
		}
		e.fill(b, families, from, end, e.database.Backfill)
		from = end
	}
}

func (e *largeEstate) labels(i int) []string {
	return append(poolOf(fmt.Sprintf("pool-%d", i/volumesAPool)), fmt.Sprintf("volume-%d", i))
}

// appendInventory writes the last day of the inventory, hour by hour.
func (e *largeEstate) appendInventory(b *testing.B) {
	b.Helper()
	for hour := 23; hour >= 0; hour-- {
		at := e.now.Add(-time.Duration(hour) * time.Hour)
		var batch []schema.Sample
		add := func(family *schema.Family, value float64, labels ...string) {
			batch = append(batch, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
		}
		for i := range e.volumes {
			id := e.labels(i)
			with := func(more ...string) []string { return append(slices.Clone(id), more...) }
			if pool := id[:5]; i%volumesAPool == 0 {
				add(schema.PoolInfo, 1, append(slices.Clone(pool), "premium", "manual", "file", "default", "default", "false", "false", "ready", "")...)
				add(schema.PoolCapacity, 8_192*(1<<30), pool...)
				add(schema.PoolAvailableThroughput, 0, pool...)
			}
			server, export := address(i)
			add(schema.VolumeInfo, 1, with("premium", "manual", "nfsv3", "ready", "false", "false", "", "volume")...)
			add(schema.VolumeEndpointInfo, 1, with(server, export, "nfsv3")...)
			add(schema.VolumeAssignedThroughput, 64*mib, id...)
			add(schema.VolumeCapacity, 1<<40, id...)
			add(schema.VolumeUsed, 1<<39, id...)
			add(schema.VolumeInodeLimit, 1e9, id...)
			add(schema.VolumeInodeUsed, 1e8, id...)
		}
		e.append(b, batch)
	}
}

func (e *largeEstate) appendHosts(b *testing.B) {
	b.Helper()
	for moment := range 5 {
		seconds := 15 * moment
		at := e.now.Add(time.Duration(seconds-60) * time.Second)
		for host := range e.volumes / volumesAHost {
			e.append(b, hostSamples(host, float64(seconds), at))
		}
	}
}

func (e *largeEstate) append(b *testing.B, batch []schema.Sample) {
	b.Helper()
	if err := e.database.Append(b.Context(), batch); err != nil {
		b.Fatal(err)
	}
}

// readOverDays is how many of the series are read over days; the others are read over the last hour alone.
const readOverDays = 6

// estateSeries are the series of a volume that the looks read.
func estateSeries() []estateFamily {
	return []estateFamily{
		{family: schema.VolumeTotalThroughput, part: 1},
		{family: schema.VolumeThroughput, kind: "read", part: 0.75},
		{family: schema.VolumeThroughput, kind: "write", part: 0.25},
		{family: schema.VolumeOperations, kind: "read", part: 0.75 / 65536},
		{family: schema.VolumeOperations, kind: "write", part: 0.25 / 65536},
		{family: schema.VolumeMeanLatency, part: 0.002 / (64 * mib)},
		{family: schema.VolumeTotalOperations, part: 1. / 65536},
		{family: schema.VolumeThroughputLimit, more: 64 * mib},
	}
}

type estateFamily struct {
	family *schema.Family
	kind   string
	part   float64 // of the volume's bytes per second
	more   float64 // that is added
}

// moved is what a volume does: a day's curve, with the noise of a cloud's measurements. Every tenth is at its limit.
func moved(volume int, step int64) float64 {
	if volume%10 == 0 {
		return 63.9 * mib
	}
	noise := uint64(step+int64(volume)) * 0x9e3779b97f4a7c15 >> 44 // up to 1 MiB
	return float64(20*mib + 10*mib*min(step%288, 288-step%288)/144 + int64(noise))
}

// fill stores all samples after one moment up to another.
func (e *largeEstate) fill(b *testing.B, families []estateFamily, from, to time.Time, store func(context.Context, []schema.Sample) error) {
	b.Helper()
	grain := int64(schema.GCNVGrain / time.Second)
	first, last := from.Unix()/grain+1, to.Unix()/grain
	times := make([]time.Time, 0, last-first+1)
	for step := first; step <= last; step++ {
		times = append(times, time.Unix(step*grain, 0))
	}
	batch := make([]schema.Sample, 0, e.volumes*len(families)*len(times))
	for i := range e.volumes {
		id := e.labels(i)
		for _, one := range families {
			labels := id
			if one.kind != "" {
				labels = append(slices.Clone(id), one.kind)
			}
			for j, at := range times {
				batch = append(batch, schema.Sample{Family: one.family, Labels: labels, Value: moved(i, first+int64(j))*one.part + one.more, Time: at})
			}
		}
	}
	if err := store(b.Context(), batch); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkEstateMinute is what serve does each minute over a large fleet: the view, and every rule of the minute. The
// history is the one in files, with a day of samples.
func BenchmarkEstateMinute(b *testing.B) {
	for _, volumes := range []int{1_000, 3_000, 10_000} {
		b.Run(fmt.Sprintf("volumes=%d", volumes), func(b *testing.B) {
			e := newLargeEstate(b, volumes, 24*time.Hour)
			profile := fleet.Spacing(time.Minute, 15*time.Second)
			days, err := fleet.LearnDays(b.Context(), e.database, e.now, profile) // for what is usual
			if err != nil {
				b.Fatal(err)
			}
			profile.Days = days
			b.ResetTimer()
			e.minute(b, profile)
		})
	}
}

// BenchmarkEstateDay is what serve does for each day: the looks over the week before it, the view and every rule of the
// day. The history is the one in files, with a week of samples at 5 minutes, and the week before of what is read of it.
func BenchmarkEstateDay(b *testing.B) {
	for _, volumes := range []int{1_000, 3_000, 10_000} {
		b.Run(fmt.Sprintf("volumes=%d", volumes), func(b *testing.B) {
			e := newLargeEstate(b, volumes, estateWeek)
			b.ResetTimer()
			e.day(b, fleet.Spacing(time.Minute, 15*time.Second))
		})
	}
}

func (e *largeEstate) day(b *testing.B, profile fleet.Profile) {
	var look, judging time.Duration
	for b.Loop() {
		begin := processor(b)
		days, err := fleet.LearnDays(b.Context(), e.database, e.now, profile)
		if err != nil || days.Pools() != e.volumes/volumesAPool {
			b.Fatalf("%d pools, %v", days.Pools(), err)
		}
		profile.Days = days
		looked := processor(b)
		view := e.view(b, profile)
		detectors.Judge(view, detectors.DefaultSettings(), detectors.Daily)
		look, judging = look+looked-begin, judging+processor(b)-looked
	}
	e.report(b, "look", look)
	e.report(b, "view+judge", judging)
}

func (e *largeEstate) minute(b *testing.B, profile fleet.Profile) {
	var building, judging time.Duration
	limited := 0
	for b.Loop() {
		begin := processor(b)
		view := e.view(b, profile)
		built := processor(b)
		limited = 0
		for _, finding := range detectors.Judge(view, detectors.DefaultSettings(), detectors.Minute).Found {
			if finding.Detector == detectors.LimitReached {
				limited++
			}
		}
		building, judging = building+built-begin, judging+processor(b)-built
	}
	if limited < e.volumes/10 {
		b.Errorf("%d volumes at their limit, want %d", limited, e.volumes/10)
	}
	e.report(b, "view", building)
	e.report(b, "judge", judging)
}

func (e *largeEstate) view(b *testing.B, profile fleet.Profile) *fleet.Fleet {
	view, err := fleet.Build(b.Context(), e.database, e.now, profile)
	if err != nil || len(view.Clients) != e.volumes/volumesAHost || len(view.Pools) != e.volumes/volumesAPool {
		b.Fatalf("%d clients, %d pools, %v", len(view.Clients), len(view.Pools), err)
	}
	return view
}

func (e *largeEstate) report(b *testing.B, what string, spent time.Duration) {
	b.ReportMetric(spent.Seconds()/float64(b.N), what+"-cpu-s/op")
	b.ReportMetric(float64(spent.Microseconds())/float64(b.N*e.volumes), what+"-cpu-µs/volume")
}

func processor(b *testing.B) time.Duration {
	b.Helper()
	spent, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	return spent
}
