package serve

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/collectors/gcnv"
	"github.com/nasight/nasight/config"
)

// cloud is what the readers of cloud services share over reloads: the budget goes on counting, and history is filled
// with the past that it lacks.
type cloud struct {
	history gcnv.Backfiller // nil where history takes no past
	memory  collectors.Memory
	budget  *budget.Budget // nil before the first configuration that reads a cloud
	filled  func()         // told when the past is in history
	log     *slog.Logger
}

// reader is one configuration's reader of a cloud service.
type reader struct {
	source *gcnv.Source
	runner *collectors.Runner
	cloud  *cloud
}

// newReader makes the reader that a configuration asks for; nil where it reads no cloud.
func (c *cloud) newReader(cfg config.Config, host string, output collectors.Output) (*reader, error) {
	if c == nil || !cfg.GCNV.Enabled() {
		return nil, nil
	}
	if c.budget == nil {
		c.budget = gcnv.NewBudget(cfg.GCNV, c.memory, nil)
	}
	source, err := gcnv.New(cfg.GCNV, gcnv.Options{Memory: c.memory, Budget: c.budget, Logger: c.log})
	if err != nil {
		return nil, fmt.Errorf("gcnv: %w", err)
	}
	runner, err := collectors.NewRunner(collectors.RunnerConfig{
		Roots: []collectors.Root{{Host: host}}, Entries: source.Entries(), Output: output, Intervals: intervals(cfg), Logger: c.log,
	})
	if err != nil {
		source.Close()
		return nil, fmt.Errorf("gcnv: %w", err)
	}
	return &reader{source: source, runner: runner, cloud: c}, nil
}

// backfill fills history until the context ends.
func (r *reader) backfill(ctx context.Context) {
	if r.cloud.history == nil {
		return
	}
	if err := r.source.Backfill(ctx, r.cloud.history, r.cloud.filled); err != nil {
		r.cloud.log.Error("back-fill ended", "err", err)
	}
}
