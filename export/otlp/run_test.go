package otlp

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A receiver that is broken at first gets the data of the moment when it works again, without waiting for the interval.
func TestRunTriesAgain(t *testing.T) {
	for _, protocol := range protocols {
		r := newReceiver(t, protocol, behaviour{status: 503, rpc: rpc(t, 14, 0)}, behaviour{status: 500, rpc: rpc(t, 13, 0)})
		cfg := configFor(r.endpoint, protocol)
		cfg.Interval = shortestInterval
		gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "example", Help: "An example."})
		registry := prometheus.NewRegistry()
		registry.MustRegister(gauge)
		health := &Health{}
		stop := running(t, Options{Config: cfg, Sources: []prometheus.Gatherer{registry}, Health: health, FirstPause: time.Millisecond})
		await(t, "a push that is taken", r.accepted)
		gauge.Set(42)
		stop()
		if got := r.points()["example{}"]; got != 42 {
			t.Errorf("%s: the last push has %v, want what there was at the end", protocol, got)
		}
		got := counts(t, health)
		if failed := got[`nasight_otlp_failures_total{reason="server_error",signal="metrics"}`] + got[`nasight_otlp_failures_total{reason="unreachable",signal="metrics"}`]; failed != 2 {
			t.Errorf("%s: counted %v", protocol, got)
		}
	}
}

// A receiver that hangs does not keep the end of the program.
func TestEndIsBounded(t *testing.T) {
	for _, protocol := range protocols {
		hanging := make([]behaviour, 100)
		for i := range hanging {
			hanging[i].hang = true
		}
		r := newReceiver(t, protocol, hanging...)
		cfg := configFor(r.endpoint, protocol)
		cfg.Timeout, cfg.Traces = longestTimeout, true
		e, err := New(t.Context(), Options{Config: cfg, Sources: one(), Flush: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		_, span := e.Tracers().Tracer("test").Start(t.Context(), "one")
		span.End()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		begin := time.Now()
		e.Run(ctx)
		if took := time.Since(begin); took > patience {
			t.Errorf("%s: took %s", protocol, took)
		}
		if got := counts(t, e.opts.Health); got["nasight_otlp_dropped_spans_total{}"] != 1 {
			t.Errorf("%s: counted %v", protocol, got)
		}
	}
}
