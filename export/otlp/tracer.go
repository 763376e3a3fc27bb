package otlp

import (
	"context"
	"errors"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/nasight/nasight/collectors"
)

// The attributes of a cycle's span.
const (
	collectorKey = attribute.Key("nasight.collector")
	hostKey      = attribute.Key("nasight.host")
	samplesKey   = attribute.Key("nasight.samples")
	outcomeKey   = attribute.Key("nasight.outcome") // success, no_data, or the reason that the failure is counted under
)

// Tracer makes spans with the tracer that was put into it last, and none before. So who traces keeps one tracer while the
// configuration changes. It is safe for concurrent use.
type Tracer struct {
	embedded.Tracer
	current atomic.Pointer[trace.Tracer]
}

// NewTracer makes a Tracer that makes no spans yet.
func NewTracer() *Tracer {
	t := &Tracer{}
	t.Use(noop.NewTracerProvider())
	return t
}

// Use takes the tracers that are to make the spans from now on.
func (t *Tracer) Use(tracers trace.TracerProvider) {
	next := tracers.Tracer(scopeName)
	t.current.Store(&next)
}

// Start implements trace.Tracer.
func (t *Tracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	return (*t.current.Load()).Start(ctx, name, options...)
}

// Cycles makes a span of every run of a collector: how many samples it gave and how it ended.
func Cycles(tracer trace.Tracer) collectors.Watch {
	return func(ctx context.Context, host, collector string) (context.Context, func(collectors.Result)) {
		ctx, span := tracer.Start(ctx, "collect "+collector)
		return ctx, func(result collectors.Result) {
			defer span.End()
			if !span.IsRecording() {
				return
			}
			span.SetAttributes(collectorKey.String(collector), hostKey.String(host), samplesKey.Int(len(result.Samples)), outcomeKey.String(outcomeOf(result.Err)))
			if !result.Success() {
				span.SetStatus(codes.Error, oneLine(result.Err.Error()))
			}
		}
	}
}

func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "success"
	case errors.Is(err, collectors.ErrNoData):
		return "no_data"
	}
	return string(collectors.ReasonOf(err))
}

// newTracers makes tracers whose every span goes to a processor. What they could take from environment variables is set.
func newTracers(processor sdktrace.SpanProcessor) *sdktrace.TracerProvider {
	limits := sdktrace.SpanLimits{
		AttributeValueLengthLimit: 4096, AttributeCountLimit: sdktrace.DefaultAttributeCountLimit, EventCountLimit: sdktrace.DefaultEventCountLimit,
		LinkCountLimit: sdktrace.DefaultLinkCountLimit, AttributePerEventCountLimit: sdktrace.DefaultAttributePerEventCountLimit,
		AttributePerLinkCountLimit: sdktrace.DefaultAttributePerLinkCountLimit,
	}
	return sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sdktrace.AlwaysSample()), sdktrace.WithRawSpanLimits(limits), sdktrace.WithSpanProcessor(processor))
}
