//go:build unix

package serve

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export/otlp"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/schema"
)

// BenchmarkMinute is a minute of serve with 100 recorded hosts at the usual pace, with nothing pushed and with every way of export on:
// four collections, an evaluation, and at the pace of each way what it sends, to receivers that take it unread. The processor time is
// that of all threads; the receivers' part of it is in the figures.
func BenchmarkMinute(b *testing.B) {
	for _, ways := range []string{"none", "otlp", "victoriametrics", "remote_write", "all"} {
		b.Run(ways, func(b *testing.B) { benchmarkMinute(b, ways) })
	}
}

const benchedHosts = 100

func benchmarkMinute(b *testing.B, ways string) {
	var pushes atomic.Int64 // of VictoriaMetrics
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/vm" {
			pushes.Add(1)
		}
		if r.URL.Path != "/v1/metrics" {
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	b.Cleanup(receiver.Close)
	cfg := config.Default()
	cfg.Web.ListenAddress, cfg.Hosts, cfg.History.Path = "127.0.0.1:0", nil, b.TempDir()
	if ways == "victoriametrics" || ways == "all" {
		cfg.Export.VictoriaMetrics = []config.VictoriaMetrics{{URL: receiver.URL + "/vm", Interval: config.Duration(time.Second)}} // awaited, not paced
	}
	if ways == "remote_write" || ways == "all" {
		cfg.Export.RemoteWrite = []config.RemoteWrite{{URL: receiver.URL + "/write", Protocol: "1.0"}}
	}
	if ways == "otlp" || ways == "all" {
		cfg.Export.OTLP.Endpoint, cfg.Export.OTLP.Protocol = receiver.URL, otlp.HTTP
	}
	server, err := New(b.Context(), Options{Config: cfg, Build: testBuild})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.release() })
	server.pushing.start(b.Context(), server.pushers)
	b.Cleanup(server.pushing.stop)
	hosts := recordedHosts(b, benchedHosts)
	at := time.Now().Add(-time.Hour)
	b.ResetTimer()
	begin := spent(b)
	for b.Loop() {
		for range time.Minute / schema.HostGrain {
			at = at.Add(schema.HostGrain)
			for _, one := range hosts {
				one.collect(b, server, at)
			}
			awaitPush(b, server, &pushes)
		}
		found, err := server.evaluator.evaluate(b.Context(), at)
		server.evaluator.conclude(b.Context(), found, err, time.Second)
		pushOTLP(b, server, cfg)
	}
	b.ReportMetric(float64((spent(b)-begin).Microseconds())/1e3/float64(b.N), "cpu-ms/op")
}

// awaitPush waits until VictoriaMetrics has been pushed to after this, and remote write has nothing left to send.
func awaitPush(b *testing.B, server *Server, pushes *atomic.Int64) {
	b.Helper()
	before := pushes.Load()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for len(server.pushers.victoria) > 0 && pushes.Load() == before || waiting(b, server) {
		<-poll.C
	}
}

// waiting tells whether remote write has samples to send.
func waiting(b *testing.B, server *Server) bool {
	b.Helper()
	for _, one := range server.pushers.remote {
		health, err := one.Entry().New(collectors.Root{Host: "here"}, collectors.Settings{})
		if err != nil {
			b.Fatal(err)
		}
		for _, sample := range collectors.Once(b.Context(), health, time.Now()).Samples {
			if sample.Family == schema.RemoteWritePending && sample.Value > 0 {
				return true
			}
		}
	}
	return false
}

// pushOTLP makes one push, as the end of one is.
func pushOTLP(b *testing.B, server *Server, cfg config.Config) {
	b.Helper()
	run, err := server.otlp.make(b.Context(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	if run == nil {
		return
	}
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	run.exporter.Run(ctx)
}

// benchedHost is a host with its collectors.
type benchedHost struct {
	name       string
	collectors map[string]collectors.Collector
}

func recordedHosts(b *testing.B, count int) []benchedHost {
	b.Helper()
	host := &recorded{directory: capture(b, saturated)}
	host.show(b, "t0")
	hosts := make([]benchedHost, count)
	for i := range hosts {
		hosts[i] = benchedHost{name: fmt.Sprint("client", i), collectors: map[string]collectors.Collector{}}
		for _, entry := range list.Entries() {
			following := collectors.Follow(entry, pathsOf(host.host(hosts[i].name)), func(f *collectors.Following) { b.Cleanup(func() { _ = f.Close() }) })
			collector, err := following.New(collectors.Root{Host: hosts[i].name}, collectors.Settings{})
			if err != nil {
				b.Fatal(err)
			}
			hosts[i].collectors[entry.Name] = collector
		}
	}
	return hosts
}

func (h benchedHost) collect(b *testing.B, server *Server, at time.Time) {
	b.Helper()
	for name, collector := range h.collectors {
		result := collectors.Once(b.Context(), collector, at)
		if !result.Success() {
			b.Fatal(result.Err)
		}
		batch := collectors.Batch{Host: h.name, Collector: name, Time: at, Interval: time.Hour, Samples: result.Samples}
		if err := server.output.Publish(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}

func spent(b *testing.B) time.Duration {
	b.Helper()
	time, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	return time
}
