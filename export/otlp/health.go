package otlp

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// Collector is the name of the collector of how the pushing goes.
const Collector = "otlp"

// The signals, as the label of the metrics says them.
const (
	metricsSignal = "metrics"
	tracesSignal  = "traces"
)

// Health counts how pushes go. It outlives an Exporter, so that a changed configuration resets no counter. The zero value is ready;
// it is safe for concurrent use.
type Health struct {
	mu      sync.Mutex
	signals map[string]*signal
}

// signal is how the pushes of one signal went.
type signal struct {
	accepted, rejected, dropped int64
	failed                      map[string]int64 // by reason
	last                        time.Time        // success; zero before the first
	failing, rejecting          bool             // logged already
}

// of finds a signal; the caller holds the lock.
func (h *Health) of(name string) *signal {
	if h.signals == nil {
		h.signals = map[string]*signal{}
	}
	if h.signals[name] == nil {
		h.signals[name] = &signal{failed: map[string]int64{}}
	}
	return h.signals[name]
}

// expect has a signal in the metrics before its first push.
func (h *Health) expect(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of(name)
}

// outcome is how one push ended.
type outcome struct {
	failure  *failure // nil for none
	rejected int64    // of what was accepted otherwise
	message  string   // why, in the receiver's words
}

// note counts a push. What lasts is logged once, when it begins and when it ends.
func (h *Health) note(name string, o outcome, log *slog.Logger) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.of(name)
	s.rejected += o.rejected
	if o.failure != nil {
		s.failed[o.failure.reason]++
		if !s.failing {
			log.Warn("OTLP push failed; it goes on trying", "signal", name, "reason", o.failure.reason, "err", o.failure.text())
		}
		s.failing = true
		return
	}
	if s.failing {
		log.Info("OTLP push works again", "signal", name)
	}
	rejecting := o.rejected > 0 || o.message != ""
	if rejecting && !s.rejecting {
		log.Warn("the OTLP receiver does not take everything", "signal", name, "rejected", o.rejected, "message", oneLine(o.message))
	}
	s.accepted, s.last, s.failing, s.rejecting = s.accepted+1, time.Now(), false, rejecting
}

// drop counts what was given up.
func (h *Health) drop(name string, count int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of(name).dropped += int64(count)
}

// Entry is a collector of how the pushing goes. Select it for one root only: it tells of this process.
func (h *Health) Entry() collectors.Entry {
	return collectors.Entry{
		Name: Collector, Default: true, Interval: schema.HostGrain, Help: "Pushes by OTLP, how they ended.",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return healthCollector{health: h, host: root.Host}, nil
		},
	}
}

type healthCollector struct {
	health *Health
	host   string
}

// Collect implements collectors.Collector.
func (c healthCollector) Collect(_ context.Context, sink collectors.Sink) error {
	c.health.mu.Lock()
	defer c.health.mu.Unlock()
	for name, s := range c.health.signals {
		sink.Add(schema.OTLPPushes, float64(s.accepted), c.host, name)
		for _, reason := range reasons() { // from the start, at zero: a counter that appears at one shows no increase
			sink.Add(schema.OTLPFailures, float64(s.failed[reason]), c.host, name, reason)
		}
		sink.Add(schema.OTLPRejected, float64(s.rejected), c.host, name)
		if name == tracesSignal {
			sink.Add(schema.OTLPDroppedSpans, float64(s.dropped), c.host)
		}
		if !s.last.IsZero() {
			sink.Add(schema.OTLPLastSuccess, float64(s.last.UnixMilli())/1e3, c.host, name)
		}
	}
	return nil
}
