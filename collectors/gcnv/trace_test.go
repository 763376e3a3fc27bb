package gcnv

import (
	"context"
	"math"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/collectors/internal/apitrace"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/faults"
)

// ofBudget is what the metrics say of a budget.
type ofBudget struct{ budget *budget.Budget }

func (c ofBudget) Collect(_ context.Context, sink collectors.Sink) error {
	c.budget.Collect(sink)
	return nil
}

// Every request has a span, failed ones too, and the spans add up to what the metrics say: requests by answer, series and money.
func TestSpansAddUpToTheMetrics(t *testing.T) {
	l := newLab(t, manyVolumes(60), nil)
	memory := tracetest.NewInMemoryExporter()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(memory))
	l.source.clients.gate.tracer = tracers.Tracer("test")
	l.inject(faults.Fault{Kind: faults.Unavailable, Method: "ListTimeSeries", Times: 2})
	for _, name := range []string{"gcnv_inventory", "gcnv_performance", "gcnv_capacity"} {
		l.good(name)
	}
	requests, series, usd := map[string]float64{}, 0.0, 0.0
	for _, span := range memory.GetSpans() {
		var api, code string
		for _, pair := range span.Attributes {
			switch pair.Key {
			case apitrace.API:
				api = pair.Value.AsString()
			case apitrace.Code:
				code = pair.Value.AsString()
			case apitrace.SeriesReturned:
				series += float64(pair.Value.AsInt64())
			case apitrace.CostUSD:
				usd += pair.Value.AsFloat64()
			}
		}
		requests[api+" "+code]++
	}
	counted := map[string]float64{}
	for _, sample := range collectors.Once(t.Context(), ofBudget{l.source.budget}, epoch).Samples {
		switch sample.Family {
		case schema.CloudRequests:
			counted[sample.Labels[3]+" "+sample.Labels[4]] += sample.Value
		case schema.CloudSeriesReturned:
			if sample.Value != series || series == 0 {
				t.Errorf("the spans have %v series, the metrics %v", series, sample.Value)
			}
		case schema.CloudCost:
			if math.Abs(sample.Value-usd) > 1e-9 || usd == 0 {
				t.Errorf("the spans have %v USD, the metrics %v", usd, sample.Value)
			}
		}
	}
	if counted["ListTimeSeries Unavailable"] != 2 || len(counted) != len(requests) {
		t.Errorf("counted %v, spans %v", counted, requests)
	}
	for key, want := range counted {
		if requests[key] != want {
			t.Errorf("%s: %v spans, %v requests", key, requests[key], want)
		}
	}
}
