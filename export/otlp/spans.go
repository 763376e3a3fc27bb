package otlp

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

const (
	mostSpans    = 2048 // that wait
	spansAtOnce  = 512
	spansEvery   = 5 * time.Second
	spanPatience = time.Minute // after which a request is not repeated any more
)

// spans pushes the spans that end. Some wait; what is more than that is dropped and counted, as is what the receiver does not take
// in a minute. The SDK's own batching drops spans that nobody counts and tells its failures to the process's global error handler.
// It implements sdktrace.SpanProcessor.
type spans struct {
	exporter sdktrace.SpanExporter
	resource *resource.Resource
	health   *Health
	timeout  time.Duration // of one request
	first    time.Duration // pause before the first repetition
	log      *slog.Logger
	full     chan struct{} // holds one element while there is enough for a request

	mu      sync.Mutex
	waiting []sdktrace.ReadOnlySpan
	ended   bool
}

// OnStart implements sdktrace.SpanProcessor.
func (*spans) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements sdktrace.SpanProcessor: it queues and never waits.
func (s *spans) OnEnd(span sdktrace.ReadOnlySpan) {
	if !span.SpanContext().IsSampled() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || len(s.waiting) >= mostSpans {
		s.health.drop(tracesSignal, 1)
		return
	}
	s.waiting = append(s.waiting, described{span, s.resource})
	if len(s.waiting) >= spansAtOnce {
		select {
		case s.full <- struct{}{}:
		default:
		}
	}
}

// described is a span of this process. The SDK would add what environment variables say of it.
type described struct {
	sdktrace.ReadOnlySpan
	resource *resource.Resource
}

// Resource implements sdktrace.ReadOnlySpan.
func (d described) Resource() *resource.Resource { return d.resource }

// ForceFlush implements sdktrace.SpanProcessor. Nobody needs it.
func (*spans) ForceFlush(context.Context) error { return nil }

// Shutdown implements sdktrace.SpanProcessor. Run pushes what is left.
func (*spans) Shutdown(context.Context) error { return nil }

// run pushes until the context ends, then what is left. The requests have a context of their own.
func (s *spans) run(ctx, requests context.Context) {
	clock := time.NewTicker(spansEvery)
	defer clock.Stop()
	for ctx.Err() == nil {
		select {
		case <-clock.C:
		case <-s.full:
		case <-ctx.Done():
		}
		for s.pushNext(ctx, requests) {
		}
	}
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	for s.pushNext(ctx, requests) {
	}
}

// pushNext pushes some of what waits, and says whether there may be more.
func (s *spans) pushNext(ctx, requests context.Context) bool {
	s.mu.Lock()
	batch := s.waiting[:min(len(s.waiting), spansAtOnce)]
	s.waiting = s.waiting[len(batch):]
	s.mu.Unlock()
	if len(batch) == 0 {
		return false
	}
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = s.first
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, s.push(ctx, requests, batch) },
		backoff.WithBackOff(pause), backoff.WithMaxElapsedTime(spanPatience))
	if err != nil {
		s.health.drop(tracesSignal, len(batch))
	}
	return true
}

// push makes one request. Its error says whether another one makes sense.
func (s *spans) push(ctx, requests context.Context, batch []sdktrace.ReadOnlySpan) error {
	requests, cancel := context.WithTimeout(requests, s.timeout)
	defer cancel()
	requests, said := listen(requests)
	failed := failureOf(s.exporter.ExportSpans(requests, batch), said)
	s.health.note(tracesSignal, outcome{failed, said.rejected, said.message}, s.log)
	switch {
	case failed == nil:
		return nil
	case !failed.again() || ctx.Err() != nil:
		return backoff.Permanent(failed)
	case failed.after > 0:
		return &backoff.RetryAfterError{Duration: failed.after}
	}
	return failed
}
