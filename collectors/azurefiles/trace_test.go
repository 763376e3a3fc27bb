package azurefiles

import (
	"context"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/collectors/internal/apitrace"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
)

// ofBudget is what the metrics say of a budget.
type ofBudget struct{ budget *budget.Budget }

func (c ofBudget) Collect(_ context.Context, sink collectors.Sink) error {
	c.budget.Collect(sink)
	return nil
}

// Every request has a span, failed ones too, and the spans add up to what the metrics say. Answers of Azure Monitor have series, one
// by one and in batches; no request has a price that nobody knows.
func TestSpansAddUpToTheMetrics(t *testing.T) {
	for name, batch := range map[string]bool{"metrics.get": false, "metrics.batch": true} {
		l := newLab(t, fleetOf(2, 3), func(c *Config, _ *azure.Options) { c.Batch = batch })
		memory := tracetest.NewInMemoryExporter()
		l.opts.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSyncer(memory)).Tracer("test")
		l.restart()
		l.inject(faults.Fault{Kind: faults.Unavailable, Times: 1})
		l.good("inventory")
		l.tiers()
		requests, series := map[string]float64{}, 0
		for _, span := range memory.GetSpans() {
			var api, code string
			hasSeries := false
			for _, pair := range span.Attributes {
				switch pair.Key {
				case apitrace.API:
					api = pair.Value.AsString()
				case apitrace.Code:
					code = pair.Value.AsString()
				case apitrace.SeriesReturned:
					hasSeries, series = true, series+int(pair.Value.AsInt64())
				case apitrace.CostUSD:
					t.Errorf("%s: %s costs %v", name, span.Name, pair.Value)
				}
			}
			if hasSeries != (strings.HasPrefix(api, "metrics.") && code == "200") {
				t.Errorf("%s: %s answered with %s tells of series: %v", name, api, code, hasSeries)
			}
			requests[api+" "+code]++
		}
		if series == 0 {
			t.Errorf("%s: no series", name)
		}
		counted := map[string]float64{}
		for _, sample := range collectors.Once(t.Context(), ofBudget{l.source.budget}, noon).Samples {
			if sample.Family == schema.CloudRequests {
				counted[sample.Labels[3]+" "+sample.Labels[4]] += sample.Value
			}
		}
		for key, want := range counted {
			if requests[key] != want {
				t.Errorf("%s: %s has %v spans, %v requests", name, key, requests[key], want)
			}
		}
		if len(counted) < 3 || len(counted) != len(requests) {
			t.Errorf("%s: counted %v, spans %v", name, counted, requests)
		}
	}
}
