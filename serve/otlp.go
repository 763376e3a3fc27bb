package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export/otlp"
)

// otlpPush pushes by OTLP what /metrics shows, and replaces what does so when the configuration changes. Who traces keeps its tracer.
type otlpPush struct {
	sources []prometheus.Gatherer
	began   time.Time
	version string
	host    string
	log     *slog.Logger
	tracer  *otlp.Tracer
	health  *otlp.Health

	mu      sync.Mutex
	port    string // on which this process listens
	running *otlpRun
	ended   bool // stopped for good
}

// otlpRun is one configuration's push.
type otlpRun struct {
	shift
	exporter *otlp.Exporter
}

// newOTLPPush makes what pushes; it knows the port.
func (s *Server) newOTLPPush(host string) *otlpPush {
	p := &otlpPush{
		sources: []prometheus.Gatherer{s.store, s.own}, began: s.evaluator.started, version: s.build.Version, host: host,
		tracer: s.cloud.tracer, health: &s.pushing.otlp, log: s.log,
	}
	if address, ok := s.listener.Addr().(*net.TCPAddr); ok {
		p.port = strconv.Itoa(address.Port)
	}
	return p
}

// make prepares the push that a configuration asks for; nil for none. What can fail fails here.
func (p *otlpPush) make(ctx context.Context, cfg config.Config) (*otlpRun, error) {
	if !cfg.Export.OTLP.Enabled() {
		return nil, nil
	}
	exporter, err := otlp.New(ctx, otlp.Options{
		Config: cfg.Export.OTLP, Sources: p.sources, Health: p.health, Began: p.began, Logger: p.log,
		Identity: otlp.Identity{Version: p.version, Host: p.host, Instance: net.JoinHostPort(p.host, p.port), Cloud: cfg.Cloud},
	})
	if err != nil {
		return nil, fmt.Errorf("export.otlp: %w", err)
	}
	return &otlpRun{exporter: exporter}, nil
}

// start runs a push, which may be nil, in the place of the one that runs now. It runs until the stop, not until the context ends.
func (p *otlpPush) start(ctx context.Context, next *otlpRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.tracer.Use(next.tracers())
	if p.running != nil {
		p.running.end() // after a last push
	}
	p.running = next
	if next != nil {
		ctx = next.begin(ctx)
		next.done.Go(func() { next.exporter.Run(ctx) })
	}
}

// tracers are the push's, which may be nil.
func (r *otlpRun) tracers() trace.TracerProvider {
	if r == nil {
		return noop.NewTracerProvider()
	}
	return r.exporter.Tracers()
}

// discard gives a push up that was not started, which may be nil.
func (r *otlpRun) discard(ctx context.Context) error {
	if r == nil {
		return nil
	}
	return r.exporter.Close(ctx)
}

// stop ends the push for good.
func (p *otlpPush) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		p.running.end()
	}
	p.running, p.ended = nil, true
}

// pushesOtherwise tells whether the push has to be replaced.
func pushesOtherwise(a, b config.Config) bool {
	return !reflect.DeepEqual(a.Export.OTLP, b.Export.OTLP) || a.Cloud != b.Cloud
}
