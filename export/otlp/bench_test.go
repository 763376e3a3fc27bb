//go:build unix

package otlp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	"google.golang.org/grpc"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/internal/measure"
	"github.com/nasight/nasight/schema"
)

// BenchmarkPush is one push of 10,000 samples of 10 hosts, all of them new, as every push finds them, to a receiver in the same
// process that takes them from the wire and does not decode them. The clock on the wall is of little use on a busy machine, so the processor time is reported as well.
func BenchmarkPush(b *testing.B) {
	for _, protocol := range protocols {
		for _, compression := range []string{Gzip, None} {
			b.Run(protocol+"-"+compression, func(b *testing.B) { benchmarkPush(b, protocol, compression) })
		}
	}
}

func benchmarkPush(b *testing.B, protocol, compression string) {
	cfg := configFor(discarding(b, protocol), protocol)
	cfg.Compression = compression
	store := &export.Store{}
	batches := batchesOf(10, 100)
	e := newExporter(b, Options{Config: cfg, Sources: []prometheus.Gatherer{store}})
	b.ReportAllocs()
	begin := processorTime(b)
	for b.Loop() {
		for _, batch := range batches {
			if err := store.Publish(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
		}
		if failed := e.push(b.Context()); failed != nil {
			b.Fatal(failed)
		}
	}
	b.ReportMetric(float64((processorTime(b)-begin).Microseconds())/1e3/float64(b.N), "cpu-ms/op")
}

// discarding starts a receiver that takes everything unread.
func discarding(b *testing.B, protocol string) (endpoint string) {
	b.Helper()
	if protocol == HTTP {
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
		b.Cleanup(server.Close)
		return server.URL
	}
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := grpc.NewServer(grpc.ForceServerCodec(unread{}))
	metrics.RegisterMetricsServiceServer(server, takesAll{})
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	b.Cleanup(func() {
		server.Stop()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

// unread is a codec that reads nothing.
type unread struct{}

func (unread) Name() string                { return "proto" }
func (unread) Marshal(any) ([]byte, error) { return nil, nil }
func (unread) Unmarshal([]byte, any) error { return nil }

// takesAll answers every push.
type takesAll struct {
	metrics.UnimplementedMetricsServiceServer
}

func (takesAll) Export(context.Context, *metrics.ExportMetricsServiceRequest) (*metrics.ExportMetricsServiceResponse, error) {
	return &metrics.ExportMetricsServiceResponse{}, nil
}

// batchesOf makes ten samples of every mount of some hosts, like those of the nfs collector.
func batchesOf(hosts, mounts int) []collectors.Batch {
	var batches []collectors.Batch
	for h := range hosts {
		host := fmt.Sprint("client", h)
		batch := collectors.Batch{Host: host, Collector: "nfs", Time: noon, Interval: time.Hour}
		for i := range mounts {
			identity := []string{host, fmt.Sprintf("192.0.2.%d", i%256), fmt.Sprintf("/export/%d", i), "nfs", fmt.Sprintf("0:%d", i)}
			for _, family := range []*schema.Family{schema.NFSReadBytes, schema.NFSWriteBytes, schema.NFSRetransmissions, schema.NFSTimeouts} {
				batch.Samples = append(batch.Samples, sample(family, float64(i)*12345678, identity...))
			}
			for _, class := range []string{"read", "write", "commit", "attr", "dir", "other"} {
				batch.Samples = append(batch.Samples, sample(schema.NFSOperations, float64(i)*1234, append(identity[:5:5], class)...))
			}
		}
		batches = append(batches, batch)
	}
	return batches
}

// BenchmarkCycleUntraced is what a collection cycle and a request of it cost more while nothing is traced.
func BenchmarkCycleUntraced(b *testing.B) {
	tracer := NewTracer()
	watch := Cycles(tracer)
	b.ReportAllocs()
	for b.Loop() {
		ctx, ended := watch(b.Context(), "client1", "nfs")
		_, span := tracer.Start(ctx, "request")
		span.End()
		ended(collectors.Result{})
	}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	spent, err := measure.Processor()
	if err != nil {
		b.Fatal(err)
	}
	return spent
}
