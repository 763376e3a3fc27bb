package report_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/schema"
)

// BenchmarkBuild makes the report of pools of twenty volumes over two weeks of history, and its page.
func BenchmarkBuild(b *testing.B) {
	for _, volumes := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("volumes=%d", volumes), func(b *testing.B) { benchmarkBuild(b, volumes) })
	}
}

func benchmarkBuild(b *testing.B, volumes int) {
	kept := largeHistory(b, volumes/20)
	options := report.Options{Week: week, Terms: judge.HostTerms(time.Minute), Now: now}
	options.Terms.Cloud = true
	options.Terms.Settings.Prices = prices()
	var page bytes.Buffer
	b.ResetTimer()
	before, told := measure.Processor()
	for b.Loop() {
		made, err := report.Build(b.Context(), kept, options)
		if err != nil {
			b.Fatal(err)
		}
		page.Reset()
		if err := made.HTML(&page); err != nil {
			b.Fatal(err)
		}
		if len(made.Efficiency) < volumes || len(made.Plans) != volumes/20 {
			b.Fatalf("%d rows, %d plans", len(made.Efficiency), len(made.Plans))
		}
	}
	b.ReportMetric(float64(page.Len()), "HTML-bytes")
	if after, err := measure.Processor(); told == nil && err == nil {
		b.ReportMetric((after-before).Seconds()/float64(b.N), "CPU-s/op")
	}
}

// largeHistory holds two weeks of so many pools, some of which are written at once.
func largeHistory(b *testing.B, pools int) *history.Embedded {
	b.Helper()
	kept, err := history.OpenEmbedded(b.Context(), history.EmbeddedOptions{Path: b.TempDir(), Retention: 10 * 365 * 24 * time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := kept.Close(); err != nil {
			b.Error(err)
		}
	})
	const together = 25
	for first := 0; first < pools; first += together {
		var samples []schema.Sample
		for n := first; n < min(first+together, pools); n++ {
			samples = append(samples, largePool(n)...)
		}
		if err := kept.Backfill(b.Context(), samples); err != nil {
			b.Fatal(err)
		}
	}
	return kept
}

func largePool(n int) []schema.Sample {
	p := pool{name: fmt.Sprintf("pool-%03d", n), location: "europe-west3", level: "premium", qos: "manual", capacity: 40960, total: 2560, custom: "false"}
	s := store{}
	for v := range 20 {
		p.volumes = append(p.volumes, volume{fmt.Sprintf("volume-%03d-%02d", n, v), 128, 2048, steady(float64(v + 10))})
	}
	labels := map[string][]string{}
	for _, v := range p.volumes {
		labels[v.name] = identity(p, v.name)
	}
	for at := week.Back(1).From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		for _, v := range p.volumes {
			s.add(schema.VolumeTotalThroughput, at, v.use(at)*mebi, labels[v.name]...)
			s.add(schema.VolumeTotalOperations, at, v.use(at)*16, labels[v.name]...)
			s.add(schema.VolumeThroughputLimit, at, v.limit*mebi, labels[v.name]...)
			s.add(schema.VolumeMeanLatency, at, 0.001, labels[v.name]...)
		}
	}
	for at := week.To().Add(-3 * time.Hour); !at.After(week.To()); at = at.Add(time.Hour) {
		s.inventory(p, at)
	}
	return s.samples
}
