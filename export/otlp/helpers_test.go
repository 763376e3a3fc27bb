package otlp

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var protocols = []string{GRPC, HTTP}

// configFor pushes to a receiver, once an hour unless told to.
func configFor(endpoint, protocol string) Config {
	cfg := DefaultConfig()
	cfg.Endpoint, cfg.Protocol, cfg.Interval, cfg.Timeout = endpoint, protocol, time.Hour, patience
	return cfg
}

func newExporter(t testing.TB, opts Options) *Exporter {
	t.Helper()
	if opts.Health == nil {
		opts.Health = &Health{}
	}
	e, err := New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return e
}

// running runs an exporter until stop is called.
func running(t testing.TB, opts Options) (stop func()) {
	t.Helper()
	e, err := New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var done sync.WaitGroup
	done.Go(func() { e.Run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); done.Wait() })
	t.Cleanup(stop)
	return stop
}

func publish(t testing.TB, store *export.Store, samples ...schema.Sample) {
	t.Helper()
	err := store.Publish(t.Context(), collectors.Batch{Host: "client1", Collector: "nfs", Time: noon, Interval: time.Hour, Samples: samples})
	if err != nil {
		t.Fatal(err)
	}
}

func sample(family *schema.Family, value float64, labels ...string) schema.Sample {
	return schema.Sample{Family: family, Labels: labels, Value: value, Time: noon}
}

// one is a source of a single gauge.
func one() []prometheus.Gatherer {
	registry := prometheus.NewRegistry()
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "example", Help: "An example."})
	gauge.Set(7)
	registry.MustRegister(gauge)
	return []prometheus.Gatherer{registry}
}

// counts reads what a health tells, as name{labels of the series without host}.
func counts(t testing.TB, health *Health) map[string]float64 {
	t.Helper()
	c, err := health.Entry().New(collectors.Root{Host: "here"}, collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	result := collectors.Once(t.Context(), c, noon)
	if result.Err != nil || result.Skipped != nil {
		t.Fatalf("%v, skipped %v", result.Err, result.Skipped)
	}
	all := map[string]float64{}
	for _, s := range result.Samples {
		labels := map[string]string{}
		for i, name := range s.Family.Labels[1:] {
			labels[name] = s.Labels[i+1]
		}
		all[s.Family.Name+labelText(labels)] = s.Value
	}
	return all
}

// logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// families gathers from a store, for the converter.
func gathered(t testing.TB, sources ...prometheus.Gatherer) []*dto.MetricFamily {
	t.Helper()
	var all []*dto.MetricFamily
	for _, source := range sources {
		families, err := source.Gather()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, families...)
	}
	return all
}
