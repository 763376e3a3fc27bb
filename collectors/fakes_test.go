package collectors

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nasight/nasight/schema"
)

// collect is a function as a Collector.
type collect func(ctx context.Context, sink Sink) error

func (c collect) Collect(ctx context.Context, sink Sink) error { return c(ctx, sink) }

// entry is a row of the list that always makes the same collector.
func entry(name string, interval time.Duration, c Collector) Entry {
	return Entry{
		Name: name, Default: true, Interval: interval,
		New: func(Root, Settings) (Collector, error) { return c, nil },
	}
}

// recorder keeps the batches that are published.
type recorder struct {
	mu      sync.Mutex
	batches []Batch
}

func (r *recorder) Publish(_ context.Context, batch Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches = append(r.batches, batch)
	return nil
}

func (r *recorder) of(collector string) []Batch {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.batches), func(b Batch) bool { return b.Collector != collector })
}

// value returns the value of a series in a batch.
func value(batch Batch, family *schema.Family, labels ...string) (float64, bool) {
	for _, sample := range batch.Samples {
		if sample.Family == family && slices.Equal(sample.Labels, labels) {
			return sample.Value, true
		}
	}
	return 0, false
}
