package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/schema"
)

// BenchmarkBuild makes the report of a thousand volumes in fifty pools over one week of history.
func BenchmarkBuild(b *testing.B) {
	kept, err := history.OpenEmbedded(b.Context(), history.EmbeddedOptions{Path: b.TempDir(), Retention: 10 * 365 * 24 * time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	defer kept.Close()
	for n := range 50 {
		if err := kept.Backfill(b.Context(), largePool(n)); err != nil {
			b.Fatal(err)
		}
	}
	options := report.Options{Week: week, Terms: judge.HostTerms(time.Minute), Now: now}
	b.ResetTimer()
	before, told := measure.Processor()
	for b.Loop() {
		made, err := report.Build(b.Context(), kept, options)
		if err != nil {
			b.Fatal(err)
		}
		if len(made.Efficiency) < 1000 {
			b.Fatalf("%d rows", len(made.Efficiency))
		}
	}
	if after, err := measure.Processor(); told == nil && err == nil {
		b.ReportMetric((after-before).Seconds()/float64(b.N), "CPU-s/op")
	}
}

func largePool(n int) []schema.Sample {
	p := pool{name: fmt.Sprintf("pool-%02d", n), location: "europe-west3", level: "premium", qos: "manual", capacity: 40960, total: 2560, custom: "false"}
	s := store{}
	for v := range 20 {
		p.volumes = append(p.volumes, volume{fmt.Sprintf("volume-%d", v), 128, 2048, steady(float64(v + 10))})
	}
	labels := map[string][]string{}
	for _, v := range p.volumes {
		labels[v.name] = identity(p, v.name)
	}
	for at := week.From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		for _, v := range p.volumes {
			s.add(schema.VolumeTotalThroughput, at, v.use(at)*mebi, labels[v.name]...)
			s.add(schema.VolumeThroughputLimit, at, v.limit*mebi, labels[v.name]...)
			s.add(schema.VolumeMeanLatency, at, 0.001, labels[v.name]...)
		}
	}
	for at := week.To().Add(-3 * time.Hour); !at.After(week.To()); at = at.Add(time.Hour) {
		s.inventory(p, at)
	}
	return s.samples
}
