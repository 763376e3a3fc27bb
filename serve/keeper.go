package serve

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/history"
)

// keeper is the output that writes batches to history. While history cannot store, batches are lost to it and go on to
// /metrics; that is logged once when it begins and once when it ends, and readiness says why meanwhile.
type keeper struct {
	history history.Writer
	log     *slog.Logger
	failing atomic.Bool
}

// Publish implements collectors.Output.
func (k *keeper) Publish(ctx context.Context, batch collectors.Batch) error {
	samples := batch.Samples
	if len(batch.Past) > 0 {
		samples = slices.Concat(batch.Past, batch.Samples)
	}
	if len(samples) == 0 {
		return nil
	}
	err := k.history.Append(ctx, samples)
	switch failedBefore := k.failing.Swap(err != nil); {
	case err != nil && !failedBefore:
		k.log.Error("history cannot store samples; collecting and /metrics go on", "err", err)
	case err == nil && failedBefore:
		k.log.Info("history stores samples again")
	}
	return nil
}
