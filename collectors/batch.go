package collectors

import (
	"context"
	"errors"
	"time"

	"github.com/nasight/nasight/schema"
)

// Batch is what one run of one collector of one host gave: the collector's samples and those of its own health.
type Batch struct {
	Host      string
	Collector string
	Time      time.Time // start of the run; every sample carries it unless its source gave it one of its own
	Samples   []schema.Sample
	// Past are earlier values of the series in Samples, which a cloud tells with the newest ones, each with a time of its
	// own. They belong into history and not into an exposition. Nil for most collectors.
	Past []schema.Sample
	// Interval is how often such a batch is to be expected; without a successor it is stale after three of them.
	// 0 leaves that to the output.
	Interval time.Duration
	// Failed says that the run failed: the samples are the health and whatever was found before the failure. They
	// do not say that what is missing from them is gone.
	Failed bool
}

// Output takes finished batches. Publish must not keep its caller waiting for a network: a slow output queues.
// A batch is immutable once published, so that every output may keep it.
type Output interface {
	Publish(ctx context.Context, batch Batch) error
}

// Fanout publishes every batch to each of its outputs in turn. An output that fails does not keep the batch from the
// others; the errors are joined.
type Fanout []Output

// Publish implements Output.
func (f Fanout) Publish(ctx context.Context, batch Batch) error {
	errs := make([]error, 0, len(f))
	for _, output := range f {
		errs = append(errs, output.Publish(ctx, batch))
	}
	return errors.Join(errs...)
}
