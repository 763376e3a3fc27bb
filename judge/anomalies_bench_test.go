package judge

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/schema"
)

const benchSeries = 49_998 // three of each volume

// benched is a fleet of 16,667 volumes with three series each, two weeks old, and a view of it.
type benched struct {
	b     *testing.B
	of    *Baselines
	view  *fleet.Fleet
	names []map[string]string
	noise []float64
	next  int
}

func newBenched(b *testing.B) *benched {
	terms := learning
	terms.Series, terms.Bands = benchSeries, 1000
	f := &benched{b: b, of: NewBaselines(terms), view: &fleet.Fleet{}, noise: make([]float64, 4099)}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range f.noise {
		f.noise[i] = 100 + 5*random.NormFloat64()
	}
	var pool *fleet.Pool
	for i := range benchSeries / 3 {
		if i%50 == 0 {
			pool = unknownPool(fmt.Sprintf("pool-%d", i/50), "manual", "premium")
			f.view.Pools = append(f.view.Pools, pool)
		}
		id := aVolume(pool, fmt.Sprintf("volume-%d", i)).Identity
		f.names = append(f.names, map[string]string{"cloud": id.Cloud, "service": id.Service, "project": id.Project, "location": id.Location, "pool": id.Pool, "volume": id.Volume})
	}
	return f
}

// portion are samples of all series of a source, from a moment to another.
func (f *benched) portion(from, to time.Time) grains {
	g := grains{from: from, to: to, until: to}
	var times []time.Time
	for at := from; !at.After(to); at = at.Add(seriesGrain) {
		times = append(times, at)
	}
	for _, labels := range f.names {
		line := history.Series{Labels: labels, Times: times, Values: make([]float64, len(times))}
		for i := range line.Values {
			f.next++
			line.Values[i] = f.noise[f.next%len(f.noise)]
		}
		g.lines = append(g.lines, line)
	}
	return g
}

// take feeds it to the first sources of the table, and tells what that took of the processor.
func (f *benched) take(g grains) time.Duration {
	before := f.processor()
	for i := range 3 {
		if err := f.of.take(i, &g, f.of.generation); err != nil {
			f.b.Fatal(err)
		}
	}
	return f.processor() - before
}

// report has one grain of all series put into history.
func (f *benched) report(kept *history.Memory, at time.Time) {
	var samples []schema.Sample
	for _, labels := range f.names {
		id := []string{labels["cloud"], labels["service"], labels["project"], labels["location"], labels["pool"], labels["volume"]}
		for _, family := range []*schema.Family{schema.VolumeMeanLatency, schema.VolumeTotalThroughput, schema.VolumeTotalOperations} {
			f.next++
			samples = append(samples, schema.Sample{Family: family, Labels: id, Value: f.noise[f.next%len(f.noise)], Time: at})
		}
	}
	if err := kept.Append(f.b.Context(), samples); err != nil {
		f.b.Fatal(err)
	}
}

// round reads a grain of the first sources of the table as Feed does, with those before it that may have come late, and feeds
// it. It tells what either took of the processor.
func (f *benched) round(kept *history.Memory, at time.Time) (queries, taken time.Duration) {
	for i := range 3 {
		start := f.processor()
		read, err := f.of.sources[i].read(f.b.Context(), kept, at.Add(-lateness), at)
		if err != nil {
			f.b.Fatal(err)
		}
		read.until = at
		queries += f.processor() - start
		runtime.GC() // of what the query left behind: the baselines' part is not to pay for it
		start = f.processor()
		if err := f.of.take(i, &read, f.of.generation); err != nil {
			f.b.Fatal(err)
		}
		taken += f.processor() - start
	}
	return queries, taken
}

func (f *benched) processor() time.Duration {
	used, err := measure.Processor()
	if err != nil {
		f.b.Skip(err)
	}
	return used
}

// learn teaches two weeks up to midday, a portion of one series after the other, and tells what that took.
func (f *benched) learn() time.Duration {
	var learnt time.Duration
	for from := midday.Add(-fortnight); from.Before(midday); from = from.Add(portion) {
		learnt += f.take(f.portion(from, from.Add(portion-seriesGrain)))
	}
	return learnt
}

// BenchmarkBaselines is what 50,000 series cost: to learn two weeks of the past, a portion of one series after the other; then
// one grain after the other, each read with those before it that may have come late; and a look at what goes on. The memory is
// what two weeks of all of them leave. Of a grain there are two figures: cpu-ns/sample-live is from what history answers to what
// the baselines have learnt of it, cpu-ns/sample-query what history takes to answer. The queries leave nothing of the baselines in the
// processor's caches.
func BenchmarkBaselines(b *testing.B) {
	f := newBenched(b)
	debug.FreeOSMemory()
	before, err := measure.Memory("RssAnon")
	if err != nil {
		b.Skip(err)
	}
	learnt := f.learn()
	debug.FreeOSMemory()
	after, err := measure.Memory("RssAnon")
	if err != nil {
		b.Fatal(err)
	}
	kept, at, looks := history.NewMemory(history.MemoryOptions{MaxSamples: 1 << 30}), midday, 0
	for from := at.Add(-lateness); !from.After(at); from = from.Add(seriesGrain) {
		f.report(kept, from)
	}
	f.round(kept, at) // the first forms every name
	var live, queried, looked time.Duration
	for b.Loop() {
		at, looks = at.Add(seriesGrain), looks+1
		f.report(kept, at)
		queries, taken := f.round(kept, at)
		live, queried = live+taken, queried+queries
		f.of.fedAt, f.view.At, f.view.Anomalies = at, at, nil
		start := f.processor()
		merged := f.of.incidents(f.view)
		looked += f.processor() - start
		if len(merged) > benchSeries/100 {
			b.Fatalf("%d incidents of nothing", len(merged))
		}
	}
	if series := f.of.set.Len(); series != benchSeries {
		b.Fatalf("%d series, want %d", series, benchSeries)
	}
	b.ReportMetric(float64(learnt.Nanoseconds())/float64(fortnight/seriesGrain)/benchSeries, "cpu-ns/sample-learnt")
	b.ReportMetric(float64(live.Nanoseconds())/float64(looks)/benchSeries, "cpu-ns/sample-live")
	b.ReportMetric(float64(queried.Nanoseconds())/float64(looks)/benchSeries, "cpu-ns/sample-query")
	b.ReportMetric(float64(looked.Milliseconds())/float64(looks), "cpu-ms/look")
	b.ReportMetric(float64(after-before)/1e6, "MB")
	runtime.KeepAlive(f)
}

// BenchmarkBaselinesSave is what the state of 50,000 series takes to write.
func BenchmarkBaselinesSave(b *testing.B) {
	f := newBenched(b)
	f.take(f.portion(midday.Add(-time.Hour), midday))
	file := b.TempDir() + "/state"
	for b.Loop() {
		if err := f.of.Save(file); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := baseline.Open(file, f.of.signals(), benchSeries); err != nil {
		b.Fatal(err)
	}
}
