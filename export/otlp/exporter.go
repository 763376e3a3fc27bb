package otlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Options are what an Exporter is made of.
type Options struct {
	Config   Config                // has to be enabled
	Sources  []prometheus.Gatherer // what is pushed; their families differ by name
	Identity Identity
	Health   *Health      // nil for one of its own
	Began    time.Time    // since when the process counts; zero for now
	Logger   *slog.Logger // nil for none

	FirstPause time.Duration // before the first repetition, then ever longer up to the interval; 0 for 1 s
	Flush      time.Duration // most time to push what is left at the end; 0 for 5 s
}

const (
	defaultFirstPause = time.Second
	defaultFlush      = 5 * time.Second
	scopeName         = "github.com/nasight/nasight/export/otlp"
)

// Exporter pushes to one receiver. Make it with New and call Run once, which closes it.
type Exporter struct {
	opts      Options
	transport *transport
	metrics   metricExporter
	spans     *spans                   // nil where spans are not pushed
	tracers   *sdktrace.TracerProvider // likewise
	converter *converter
	resource  *resource.Resource
	scope     instrumentation.Scope
}

// metricExporter is the SDK's exporter of metrics.
type metricExporter interface {
	Export(ctx context.Context, metrics *metricdata.ResourceMetrics) error
	Shutdown(ctx context.Context) error
}

// New makes an Exporter. It does not connect. An error is about files of the configuration, and holds no secret.
func New(ctx context.Context, opts Options) (*Exporter, error) {
	opts = opts.withDefaults()
	if err := opts.Config.Validate(); err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	t, err := newTransport(opts.Config, opts.Identity.agent())
	if err != nil {
		return nil, fmt.Errorf("otlp to %s: %w", opts.Config.Endpoint, err)
	}
	e := &Exporter{
		opts: opts, transport: t, resource: opts.Identity.resource(opts.Config.Resource),
		scope: instrumentation.Scope{Name: scopeName, Version: opts.Identity.Version},
	}
	temporality := metricdata.CumulativeTemporality
	if opts.Config.Temporality == Delta {
		temporality = metricdata.DeltaTemporality
	}
	e.converter = newConverter(temporality, opts.Began)
	if e.metrics, err = t.metrics(ctx, opts.Config); err != nil {
		return nil, errors.Join(fmt.Errorf("otlp to %s: %w", opts.Config.Endpoint, err), t.close())
	}
	opts.Health.expect(metricsSignal)
	if opts.Config.Traces {
		if err := e.trace(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("otlp to %s: %w", opts.Config.Endpoint, err), t.close())
		}
	}
	return e, nil
}

// trace makes what spans need.
func (e *Exporter) trace(ctx context.Context) error {
	exporter, err := e.transport.traces(ctx, e.opts.Config)
	if err != nil {
		return err
	}
	e.opts.Health.expect(tracesSignal)
	e.spans = &spans{
		exporter: exporter, resource: e.resource, health: e.opts.Health, timeout: e.opts.Config.Timeout, first: e.opts.FirstPause,
		log: e.opts.Logger, full: make(chan struct{}, 1),
	}
	e.tracers = newTracers(e.spans)
	return nil
}

func (o Options) withDefaults() Options {
	if o.Health == nil {
		o.Health = &Health{}
	}
	if o.Began.IsZero() {
		o.Began = time.Now()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Logger = o.Logger.With("endpoint", o.Config.Endpoint)
	if o.FirstPause <= 0 {
		o.FirstPause = defaultFirstPause
	}
	if o.Flush <= 0 {
		o.Flush = defaultFlush
	}
	return o
}

// Tracers makes the tracers whose spans are pushed; none are where the configuration has no traces.
func (e *Exporter) Tracers() trace.TracerProvider {
	if e.tracers == nil {
		return noop.NewTracerProvider()
	}
	return e.tracers
}

// Run pushes every interval until the context ends, then once more, as far as the flush time allows.
func (e *Exporter) Run(ctx context.Context) {
	requests, cancel := linger(ctx, e.opts.Flush)
	defer cancel()
	var spans sync.WaitGroup
	if e.spans != nil {
		spans.Go(func() { e.spans.run(ctx, requests) })
	}
	e.loop(ctx, requests)
	_ = e.push(requests) // counted and logged
	spans.Wait()
	if err := e.Close(context.WithoutCancel(requests)); err != nil {
		e.opts.Logger.Warn("OTLP push ended badly", "err", err)
	}
}

// Push sends what there is now, beside the pace of Run, and not at the same time as it. The failure is counted and logged.
func (e *Exporter) Push(ctx context.Context) error {
	if failed := e.push(ctx); failed != nil {
		return failed
	}
	return nil
}

// loop pushes every interval until the context ends. The requests have a context of their own.
func (e *Exporter) loop(ctx, requests context.Context) {
	pace := newPace(e.opts)
	timer := time.NewTimer(pace.start())
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			begin := time.Now()
			timer.Reset(pace.next(e.push(requests), time.Since(begin)))
		case <-ctx.Done():
			return
		}
	}
}

// Close gives up what New has opened, where Run is not called. What waits is lost.
func (e *Exporter) Close(ctx context.Context) error {
	errs := []error{e.metrics.Shutdown(ctx)}
	if e.spans != nil {
		errs = append(errs, e.tracers.Shutdown(ctx), e.spans.exporter.Shutdown(ctx))
	}
	return errors.Join(append(errs, e.transport.close())...)
}

// linger returns a context that ends some time after its parent: a request that is cut off halfway may have been taken.
func linger(parent context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		timer := time.AfterFunc(after, cancel)
		context.AfterFunc(ctx, func() { timer.Stop() })
	})
	return ctx, func() { stop(); cancel() }
}

// push sends what there is now. After a failure the next push has what there is then: nothing queues, whatever time the receiver is
// away. A request that is refused keeps no other one back.
func (e *Exporter) push(ctx context.Context) *failure {
	ctx, cancel := context.WithTimeout(ctx, max(e.opts.Config.Interval, e.opts.Config.Timeout))
	defer cancel()
	var all outcome
	now := time.Now()
	e.converter.look(e.gather(), now, func(p *piece) bool {
		one := e.send(ctx, p)
		all.rejected += one.rejected
		if one.message != "" {
			all.message = one.message
		}
		if one.failure == nil {
			for _, series := range p.sums {
				series.taken(now)
			}
			return true
		}
		all.failure = one.failure
		return !one.failure.again()
	})
	e.opts.Health.note(metricsSignal, all, e.opts.Logger)
	return all.failure
}

func (e *Exporter) send(ctx context.Context, p *piece) outcome {
	ctx, cancel := context.WithTimeout(ctx, e.opts.Config.Timeout)
	defer cancel()
	ctx, said := listen(ctx)
	err := e.metrics.Export(ctx, &metricdata.ResourceMetrics{
		Resource: e.resource, ScopeMetrics: []metricdata.ScopeMetrics{{Scope: e.scope, Metrics: p.metrics}},
	})
	return outcome{failureOf(err, said), said.rejected, said.message}
}

func (e *Exporter) gather() []*dto.MetricFamily {
	var all []*dto.MetricFamily
	for _, source := range e.opts.Sources {
		families, err := source.Gather() // has what could be gathered, after an error as well
		if err != nil {
			e.opts.Logger.Warn("cannot gather all metrics", "err", err)
		}
		all = append(all, families...)
	}
	return all
}

// pace says when the next push is due.
type pace struct{ interval, first, pause time.Duration }

func newPace(opts Options) *pace {
	return &pace{interval: opts.Config.Interval, first: opts.FirstPause, pause: opts.FirstPause}
}

// start is a part of the interval that differs from process to process.
func (p *pace) start() time.Duration { return p.interval/10 + rand.N(p.interval/10) }

// next is the time to the push after one that took some time: what is left of the interval, or a pause that doubles with every
// failure until it is as long, or longer where the receiver asks for that.
func (p *pace) next(failed *failure, took time.Duration) time.Duration {
	if failed == nil || !failed.again() {
		p.pause = p.first
		return max(p.interval-took, 0)
	}
	pause := min(p.pause, p.interval)
	p.pause = 2 * pause
	return max(pause+rand.N(pause/10+1), failed.after)
}
