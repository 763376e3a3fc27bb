package export

import (
	"context"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// PushCollector is the name of the collector of a Pusher's own health.
const PushCollector = "remote_write"

// Entry is a collector of how the pushing itself goes. Select it for one root only: it tells of this process.
func (p *Pusher) Entry() collectors.Entry {
	return collectors.Entry{
		Name: PushCollector, Default: true, Interval: schema.HostGrain,
		Help: "Samples pushed by remote write, dropped and waiting.",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return pushHealth{pusher: p, host: root.Host}, nil
		},
	}
}

type pushHealth struct {
	pusher *Pusher
	host   string
}

// Collect implements collectors.Collector.
func (h pushHealth) Collect(_ context.Context, sink collectors.Sink) error {
	p := h.pusher
	pending, overflow := p.queue.counts()
	sink.Add(schema.RemoteWriteSent, float64(p.sent.Load()), h.host)
	sink.Add(schema.RemoteWriteRetries, float64(p.retries.Load()), h.host)
	sink.Add(schema.RemoteWritePending, float64(pending), h.host)
	sink.Add(schema.RemoteWriteDropped, float64(overflow), h.host, "queue_full")
	sink.Add(schema.RemoteWriteDropped, float64(p.rejected.Load()), h.host, "rejected")
	sink.Add(schema.RemoteWriteDropped, float64(p.atShutdown.Load()), h.host, "shutdown")
	return nil
}
