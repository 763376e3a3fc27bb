package judge

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/schema"
)

// backtestVolumes have three series with a baseline each: 2,001.
const backtestVolumes = 667

// backtested is an embedded history of volumes and of two weeks before midday.
func backtested(b *testing.B) *history.Embedded {
	b.Helper()
	kept, err := history.OpenEmbedded(b.Context(), history.EmbeddedOptions{Path: b.TempDir(), Retention: 60 * 24 * time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = kept.Close() })
	random := rand.New(rand.NewPCG(1, 1))
	var samples []schema.Sample
	flush := func() {
		if err := kept.Backfill(b.Context(), samples); err != nil {
			b.Fatal(err)
		}
		samples = samples[:0]
	}
	for i := range backtestVolumes {
		pool := unknownPool(fmt.Sprintf("pool-%d", i/50), "manual", "premium")
		labels := identity(aVolume(pool, fmt.Sprintf("volume-%d", i)).Identity)
		for at := midday.Add(-fortnight - Before); !at.After(midday); at = at.Add(schema.GCNVGrain) {
			for family, value := range map[*schema.Family]float64{
				schema.VolumeMeanLatency: 0.002, schema.VolumeTotalOperations: 2000, schema.VolumeTotalThroughput: 100 * mib,
			} {
				samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: value * (1 + 0.03*random.NormFloat64()), Time: at})
			}
		}
		if len(samples) > 500_000 {
			flush()
		}
	}
	flush()
	return kept
}

// BenchmarkBacktest is what "nasight detect" takes for the last hour of a history, with what the baselines learn first: by default,
// of the least that they may learn, and without them.
func BenchmarkBacktest(b *testing.B) {
	kept := backtested(b)
	for _, learn := range []time.Duration{fortnight, 24 * time.Hour, 0} {
		b.Run("learn="+learn.String(), func(b *testing.B) {
			terms := HostTerms(time.Minute)
			terms.Anomalies = AnomalyTerms{On: learn > 0, Series: benchSeries, Learn: learn, Activity: 50}
			var spent time.Duration
			for b.Loop() {
				before, err := measure.Processor()
				if err != nil {
					b.Skip(err)
				}
				if _, judged, err := Replay(b.Context(), kept, terms, midday.Add(-time.Hour), midday, time.Minute, nil); err != nil || judged < 50 {
					b.Fatalf("%d moments judged, %v", judged, err)
				}
				after, err := measure.Processor()
				if err != nil {
					b.Fatal(err)
				}
				spent += after - before
			}
			b.ReportMetric(spent.Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}
