package export

import (
	"context"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// PushCollector is the name of the collector of a Pusher's own health.
const PushCollector = "remote_write"

// Entry is a collector of how the pushing itself goes. Select it for one root only: it tells of this process.
func (p *Pusher) Entry() collectors.Entry {
	return PushEntry(func() []*Pusher { return []*Pusher{p} })
}

// PushEntry is a collector of how the pushers that there are then go, each with a name of its own.
func PushEntry(pushers func() []*Pusher) collectors.Entry {
	return collectors.Entry{
		Name: PushCollector, Default: true, Interval: schema.HostGrain,
		Help: "Samples pushed by remote write, dropped and waiting.",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return pushHealth{pushers: pushers, host: root.Host}, nil
		},
	}
}

type pushHealth struct {
	pushers func() []*Pusher
	host    string
}

// Collect implements collectors.Collector.
func (h pushHealth) Collect(_ context.Context, sink collectors.Sink) error {
	for _, pusher := range h.pushers() {
		pusher.tell(sink, h.host)
	}
	return nil
}

// tell adds the pusher's counts as a host's samples.
func (p *Pusher) tell(sink collectors.Sink, host string) {
	pending, overflow := p.queue.counts()
	receiver := p.cfg.Name
	sink.Add(schema.RemoteWriteSent, float64(p.sent.Load()), host, receiver)
	sink.Add(schema.RemoteWriteRetries, float64(p.retries.Load()), host, receiver)
	sink.Add(schema.RemoteWritePending, float64(pending), host, receiver)
	sink.Add(schema.RemoteWriteBehind, p.behind(time.Now()).Seconds(), host, receiver)
	sink.Add(schema.RemoteWriteDropped, float64(overflow), host, receiver, "queue_full")
	sink.Add(schema.RemoteWriteDropped, float64(p.rejected.Load()), host, receiver, "rejected")
	sink.Add(schema.RemoteWriteDropped, float64(p.atShutdown.Load()), host, receiver, "shutdown")
}
