package gcnv

import (
	"context"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/simulator"
)

// BenchmarkBackfill reads seven days of 10,000 series (1,000 volumes of ten each) through the emulator, in the same
// process, into the embedded history. The bar is five minutes.
func BenchmarkBackfill(b *testing.B) {
	for b.Loop() {
		backfillOnce(b)
	}
}

// benchVolumes have ten series each.
const benchVolumes = 1000

func backfillOnce(b *testing.B) {
	fleet := manyVolumes(benchVolumes)
	if err := fleet.Complete(); err != nil {
		b.Fatal(err)
	}
	at := &clock{now: epoch}
	server, err := simulator.Start(b.Context(), simulator.Options{Fleet: fleet, Epoch: epoch, Clock: at.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	database, err := history.OpenEmbedded(b.Context(), history.EmbeddedOptions{
		Path: b.TempDir(), Retention: 15 * 24 * time.Hour, OutOfOrderWindow: 6 * time.Hour,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = database.Close() }()
	config := DefaultConfig()
	config.Projects, config.BackfillDays = []string{"alpha"}, 7
	config.Endpoints = Endpoints{Monitoring: server.GRPCAddress(), NetApp: server.URL(), ResourceManager: server.URL(), Insecure: true}
	source, err := New(config, Options{Clock: at.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer source.Close()
	live := collectors.Once(b.Context(), &tierCollector{source, performance}, at.Now())
	if live.Err != nil {
		b.Fatal(live.Err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	if err := source.Backfill(ctx, database, cancel); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(server.Usage().SeriesReturned), "series")
	b.ReportMetric(float64(server.Usage().Of("ListTimeSeries")), "calls")
}
