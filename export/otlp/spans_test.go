package otlp

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace/noop"
	rpccodes "google.golang.org/grpc/codes"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// Spans arrive by each protocol, also those that end before the end of the program.
func TestSpansArrive(t *testing.T) {
	for _, protocol := range protocols {
		r := newReceiver(t, protocol)
		cfg := configFor(r.endpoint, protocol)
		cfg.Traces = true
		e, err := New(t.Context(), Options{Config: cfg, Sources: one(), Identity: Identity{Version: "1.2.3"}})
		if err != nil {
			t.Fatal(err)
		}
		tracer := NewTracer()
		tracer.Use(e.Tracers())
		ctx, ended := Cycles(tracer)(t.Context(), "client1", "nfs")
		_, child := tracer.Start(ctx, "child")
		child.End()
		ended(collectors.Result{Samples: make([]schema.Sample, 3)})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		e.Run(ctx)
		var names []string
		for _, resource := range r.spans {
			if got := attributesOf(resource.GetResource().GetAttributes()); got["service.version"] != "1.2.3" {
				t.Errorf("%s: resource %v", protocol, got)
			}
			for _, scope := range resource.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					names = append(names, span.GetName())
				}
			}
		}
		if diff := cmp.Diff([]string{"child", "collect nfs"}, names); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", protocol, diff)
		}
		if got := counts(t, e.opts.Health); got[`nasight_otlp_pushes_total{signal="traces"}`] != 1 || got["nasight_otlp_dropped_spans_total{}"] != 0 {
			t.Errorf("%s: counted %v", protocol, got)
		}
	}
}

// A failing receiver gets the spans again; one that does not want them does not, and they are counted.
func TestSpansAreTriedAgain(t *testing.T) {
	for _, protocol := range protocols {
		r := newReceiver(t, protocol,
			behaviour{status: 503, rpc: rpc(t, rpccodes.Unavailable, 0)}, behaviour{rejected: 1}, behaviour{status: 400, rpc: rpc(t, rpccodes.InvalidArgument, 0)})
		cfg := configFor(r.endpoint, protocol)
		cfg.Traces = true
		e := newExporter(t, Options{Config: cfg, Sources: one(), FirstPause: time.Millisecond, Logger: testLog(t)})
		for range 2 {
			_, span := e.Tracers().Tracer("test").Start(t.Context(), "one")
			span.End()
			if !e.spans.pushNext(t.Context(), t.Context()) {
				t.Fatalf("%s: nothing waited", protocol)
			}
		}
		got := counts(t, e.opts.Health)
		for series, want := range map[string]float64{
			`nasight_otlp_pushes_total{signal="traces"}`: 1, `nasight_otlp_rejected_total{signal="traces"}`: 1, "nasight_otlp_dropped_spans_total{}": 1,
			`nasight_otlp_failures_total{reason="refused",signal="traces"}`: 1,
		} {
			if got[series] != want {
				t.Errorf("%s: %s is %v, want %v; all: %v", protocol, series, got[series], want, got)
			}
		}
	}
}

// What waits is bounded, and what is more is counted.
func TestSpansThatWaitAreBounded(t *testing.T) {
	s := &spans{health: &Health{}, full: make(chan struct{}, 1)}
	tracer := newTracers(s).Tracer("test")
	for range mostSpans + 5 {
		_, span := tracer.Start(t.Context(), "one")
		span.End()
	}
	if got := counts(t, s.health)["nasight_otlp_dropped_spans_total{}"]; got != 5 || len(s.waiting) != mostSpans {
		t.Errorf("%d wait, %v dropped", len(s.waiting), got)
	}
	select {
	case <-s.full:
	default:
		t.Error("nobody is told that there is enough for a request")
	}
}

func TestCycles(t *testing.T) {
	for name, test := range map[string]struct {
		result  collectors.Result
		outcome string
		failed  bool
	}{
		"good":     {collectors.Result{Samples: make([]schema.Sample, 2)}, "success", false},
		"not here": {collectors.Result{Err: collectors.ErrNoData}, "no_data", false},
		"refused":  {collectors.Result{Samples: make([]schema.Sample, 1), Err: fs.ErrPermission}, "permission", true},
		"odd":      {collectors.Result{Err: errors.New("no\nidea")}, "other", true},
	} {
		memory := tracetest.NewInMemoryExporter()
		_, ended := Cycles(sdktrace.NewTracerProvider(sdktrace.WithSyncer(memory)).Tracer("test"))(t.Context(), "client1", "nfs")
		ended(test.result)
		span := memory.GetSpans()[0]
		got := map[string]any{}
		for _, pair := range span.Attributes {
			got[string(pair.Key)] = pair.Value.AsInterface()
		}
		want := map[string]any{
			"nasight.collector": "nfs", "nasight.host": "client1", "nasight.samples": int64(len(test.result.Samples)), "nasight.outcome": test.outcome,
		}
		if diff := cmp.Diff(want, got); diff != "" || span.Name != "collect nfs" || (span.Status.Code == codes.Error) != test.failed {
			t.Errorf("%s: %s, status %v (-want +got):\n%s", name, span.Name, span.Status, diff)
		}
	}
}

// Without a configuration nothing is recorded; a tracer that was put in later records, and none after it was taken out.
func TestTracerIsExchanged(t *testing.T) {
	memory := tracetest.NewInMemoryExporter()
	tracer := NewTracer()
	spanned := func() {
		_, span := tracer.Start(t.Context(), "one")
		span.End()
	}
	spanned()
	tracer.Use(sdktrace.NewTracerProvider(sdktrace.WithSyncer(memory)))
	spanned()
	tracer.Use(noop.NewTracerProvider())
	spanned()
	if got := len(memory.GetSpans()); got != 1 {
		t.Errorf("%d spans", got)
	}
}
