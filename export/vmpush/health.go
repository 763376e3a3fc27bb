package vmpush

import (
	"context"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// Collector is the name of the collector of how pushes go.
const Collector = "victoriametrics"

// Entry is a collector of how the pushers that there are then go, each with a name of its own.
func Entry(pushers func() []*Pusher) collectors.Entry {
	return collectors.Entry{
		Name: Collector, Default: true, Interval: schema.HostGrain, Help: "Pushes to VictoriaMetrics.",
		New: func(root collectors.Root, _ collectors.Settings) (collectors.Collector, error) {
			return health{pushers: pushers, host: root.Host}, nil
		},
	}
}

type health struct {
	pushers func() []*Pusher
	host    string
}

// Collect implements collectors.Collector.
func (h health) Collect(_ context.Context, sink collectors.Sink) error {
	for _, one := range h.pushers() {
		succeeded, failed, last := one.Counts()
		sink.Add(schema.VictoriaMetricsPushes, float64(succeeded), h.host, one.Name(), "success")
		sink.Add(schema.VictoriaMetricsPushes, float64(failed), h.host, one.Name(), "failure")
		if !last.IsZero() {
			sink.Add(schema.VictoriaMetricsLastSuccess, float64(last.UnixMilli())/1e3, h.host, one.Name())
		}
	}
	return nil
}
