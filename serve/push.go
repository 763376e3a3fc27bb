package serve

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/export/otlp"
	"github.com/nasight/nasight/export/vmpush"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// pushing runs what pushes results to others, and replaces it when the configuration changes.
type pushing struct {
	past   export.Past // reads samples back; nil where history cannot
	memory collectors.Memory
	log    *slog.Logger
	via    via
	always []*export.Pusher // beside those of the configuration: what a remote history is written by
	source prometheus.Gatherer
	otlp   otlp.Health   // of the push by OTLP, which is told of with the others
	gather time.Duration // how long samples wait for those that go with them

	set atomic.Pointer[pushers] // samples go to these

	mu      sync.Mutex // held while pushers are replaced
	running *pushers   // nil before the start and after the stop
	ended   bool       // stopped for good
}

// gathering is how long samples wait for those of other collectors: as long as in a Prometheus server. A request costs as much as a
// thousand samples, and the hosts' clocks are spread over their interval.
const gathering = 5 * time.Second

// pushers are those of one configuration.
type pushers struct {
	shift
	remote   []*export.Pusher
	victoria []*vmpush.Pusher
}

// newPushers makes what a configuration asks for.
func (p *pushing) newPushers(cfg config.Export) (*pushers, error) {
	made := &pushers{}
	for i, one := range cfg.RemoteWrite {
		options := pusherOf(one)
		options.Past, options.Memory, options.Gather, options.Logger = p.past, p.memory, p.gather, p.log
		options.UserAgent, options.Wrap = p.via.agent, p.via.wrap
		pusher, err := export.NewPusher(options)
		if err != nil {
			return nil, fmt.Errorf("export.remote_write[%d]: %w", i, err)
		}
		made.remote = append(made.remote, pusher)
	}
	for i, one := range cfg.VictoriaMetrics {
		pusher, err := vmpush.New(vmpush.Config{
			Name: one.ReceiverName(), URL: one.URL, Interval: time.Duration(one.Interval), ExtraLabels: one.ExtraLabels, Headers: one.Headers,
			AuthorizationFile: one.AuthorizationFile, DisableCompression: one.DisableCompression, Source: p.source, UserAgent: p.via.agent, Logger: p.log,
		})
		if err != nil {
			return nil, fmt.Errorf("export.victoriametrics[%d]: %w", i, err)
		}
		made.victoria = append(made.victoria, pusher)
	}
	return made, nil
}

// pusherOf is a receiver in the words of the pusher.
func pusherOf(r config.RemoteWrite) export.PusherConfig {
	return export.PusherConfig{
		Name: r.ReceiverName(), URL: r.URL, Protocol: r.Protocol, Timeout: time.Duration(r.Timeout), Headers: r.Headers,
		User: r.BasicAuth.Username, PasswordFile: r.BasicAuth.PasswordFile, BearerTokenFile: r.BearerTokenFile, CAFile: r.CAFile,
	}
}

// start runs pushers in the place of those that run now. Samples go to the new ones at once; what the old ones have not sent
// when they end is remembered, and the new ones of the same name read it from history.
func (p *pushing) start(ctx context.Context, next *pushers) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.set.Store(next)
	if p.running != nil {
		p.running.end()
	}
	ctx = next.begin(ctx)
	run := func(name string, one func(context.Context) error) {
		next.done.Go(func() {
			if err := one(ctx); err != nil {
				p.log.Error("a push ended", "receiver", name, "err", err)
			}
		})
	}
	for _, one := range next.remote {
		run(one.Name(), one.Run)
	}
	for _, one := range next.victoria {
		run(one.Name(), one.Run)
	}
	p.running = next
}

// stop sends what is left, as far as the time allows, and ends.
func (p *pushing) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		p.running.end()
	}
	p.running, p.ended = nil, true
}

// push hands samples to every receiver. Stored says that history has them.
func (p *pushing) push(samples []schema.Sample, stored bool) {
	if set := p.set.Load(); set != nil {
		for _, one := range set.remote {
			one.Push(samples, stored)
		}
	}
}

// entries are the collectors of how the pushes go.
func (p *pushing) entries(cfg config.Config) []collectors.Entry {
	var entries []collectors.Entry
	if len(cfg.Export.RemoteWrite)+len(p.always) > 0 {
		entries = append(entries, export.PushEntry(func() []*export.Pusher {
			if set := p.set.Load(); set != nil {
				return append(p.always[:len(p.always):len(p.always)], set.remote...)
			}
			return p.always
		}))
	}
	if len(cfg.Export.VictoriaMetrics) > 0 {
		entries = append(entries, vmpush.Entry(func() []*vmpush.Pusher {
			if set := p.set.Load(); set != nil {
				return set.victoria
			}
			return nil
		}))
	}
	if cfg.Export.OTLP.Enabled() {
		entries = append(entries, p.otlp.Entry())
	}
	return entries
}

// toldOtherwise tells whether other collectors of how the pushes go are due. What they tell of changes without that.
func toldOtherwise(a, b config.Export) bool {
	told := func(e config.Export) [3]bool {
		return [3]bool{len(e.RemoteWrite) > 0, len(e.VictoriaMetrics) > 0, e.OTLP.Enabled()}
	}
	return told(a) != told(b)
}

// outgoing is a history whose samples go to the receivers as well: what this process collects and finds, and what agents
// send. The past of clouds that history is filled with does not: receivers take samples in their order, or within a window
// that is shorter.
type outgoing struct {
	database
	pushing *pushing
}

// Append implements history.Writer. What history could not store may reach the receivers all the same.
func (o outgoing) Append(ctx context.Context, samples []schema.Sample) error {
	err := o.database.Append(ctx, samples)
	o.pushing.push(samples, err == nil)
	return err
}

// AppendSeries implements history.SeriesWriter. After an error the sender comes again. What history had already goes nowhere:
// two nasights that write to each other would send it for ever. A history in another server cannot tell what it had; there
// it is what comes from another nasight that goes no further.
func (o outgoing) AppendSeries(ctx context.Context, samples []history.SeriesSample) (written history.Written, err error) {
	fresh := samples
	if telling, ok := o.database.(newAppender); ok {
		fresh, written, err = telling.AppendNew(ctx, samples)
	} else if written, err = o.database.AppendSeries(ctx, samples); len(hopsOf(ctx)) > 0 {
		fresh = nil
	}
	if set := o.pushing.set.Load(); err == nil && set != nil && len(set.remote) > 0 && len(fresh) > 0 {
		o.pushing.push(history.Samples(fresh), true)
	}
	return written, err
}

// newAppender is a history that can tell what it did not have.
type newAppender interface {
	AppendNew(ctx context.Context, samples []history.SeriesSample) ([]history.SeriesSample, history.Written, error)
}

// Warnings are those of a history in another server.
func (o outgoing) Warnings() (count uint64, remote bool) {
	if far, ok := o.database.(*remoteDatabase); ok {
		return far.Warnings(), true
	}
	return 0, false
}
