package serve

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/azurefiles"
	"github.com/nasight/nasight/collectors/azurenetapp"
	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/collectors/gcnv"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export/otlp"
)

// cloud is what the readers of cloud services share over reloads: the budget goes on counting, and history is filled
// with the past that it lacks.
type cloud struct {
	history collectors.Backfiller // nil where history takes no past
	memory  collectors.Memory
	budget  *budget.Budget // nil before the first configuration that reads Google's
	azure   *budget.Budget // nil before the first configuration that reads Azure Files
	netapp  *budget.Budget // nil before the first configuration that reads Azure NetApp Files
	filled  func()         // told when the past is in history
	tracer  *otlp.Tracer   // gets a span for every request
	agent   string         // what requests say who they are of
	log     *slog.Logger
}

// reader is one configuration's reader of cloud services.
type reader struct {
	source *gcnv.Source        // nil where Google's is not read
	azure  *azurefiles.Source  // nil where Azure Files is not read
	netapp *azurenetapp.Source // nil where Azure NetApp Files is not read
	runner *collectors.Runner
	cloud  *cloud
}

// newReader makes the reader that a configuration asks for; nil where it reads no cloud.
func (c *cloud) newReader(cfg config.Config, host string, output collectors.Output, watch collectors.Watch) (*reader, error) {
	if c == nil || !cfg.GCNV.Enabled() && !cfg.AzureFiles.Enabled() && !cfg.AzureNetApp.Enabled() {
		return nil, nil
	}
	r := &reader{cloud: c}
	entries, err := r.sources(cfg)
	if err == nil {
		r.runner, err = collectors.NewRunner(collectors.RunnerConfig{
			Roots: []collectors.Root{{Host: host}}, Entries: entries, Output: output, Intervals: intervals(cfg), Watch: watch, Logger: c.log,
		})
	}
	if err != nil {
		r.close()
		return nil, fmt.Errorf("cloud: %w", err)
	}
	return r, nil
}

// sources makes what the configuration asks for and lists its collectors.
func (r *reader) sources(cfg config.Config) (entries []collectors.Entry, err error) {
	c := r.cloud
	if cfg.GCNV.Enabled() {
		if c.budget == nil {
			c.budget = gcnv.NewBudget(cfg.GCNV, c.memory, nil)
		}
		if r.source, err = gcnv.New(cfg.GCNV, gcnv.Options{Memory: c.memory, Budget: c.budget, Tracer: c.tracer, Agent: c.agent, Logger: c.log}); err != nil {
			return nil, err
		}
		entries = append(entries, r.source.Entries()...)
	}
	if cfg.AzureFiles.Enabled() {
		if c.azure == nil {
			c.azure = azurefiles.NewBudget(c.memory, nil)
		}
		if c.history == nil {
			cfg.AzureFiles.BackfillDays = 0
		}
		if r.azure, err = azurefiles.New(cfg.AzureFiles, azurefiles.Options{Memory: c.memory, Budget: c.azure, Tracer: c.tracer, Agent: c.agent, Logger: c.log}); err != nil {
			return nil, err
		}
		entries = append(entries, r.azure.Entries()...)
	}
	if cfg.AzureNetApp.Enabled() {
		if c.netapp == nil {
			c.netapp = azurenetapp.NewBudget(c.memory, nil)
		}
		if c.history == nil {
			cfg.AzureNetApp.BackfillDays = 0
		}
		if r.netapp, err = azurenetapp.New(cfg.AzureNetApp, azurenetapp.Options{Memory: c.memory, Budget: c.netapp, Tracer: c.tracer, Agent: c.agent, Logger: c.log}); err != nil {
			return nil, err
		}
		entries = append(entries, r.netapp.Entries()...)
	}
	return entries, nil
}

// close gives the connections up.
func (r *reader) close() {
	if r.source != nil {
		r.source.Close()
	}
	if r.azure != nil {
		r.azure.Close()
	}
	if r.netapp != nil {
		r.netapp.Close()
	}
}

// backfill fills history until the context ends, each cloud by itself.
func (r *reader) backfill(ctx context.Context) {
	if r.cloud.history == nil {
		return
	}
	type fill func(ctx context.Context, into collectors.Backfiller, done func()) error
	var fills []fill
	if r.source != nil {
		fills = append(fills, r.source.Backfill)
	}
	if r.azure != nil {
		fills = append(fills, r.azure.Backfill)
	}
	if r.netapp != nil {
		fills = append(fills, r.netapp.Backfill)
	}
	var all sync.WaitGroup
	for _, one := range fills {
		all.Go(func() {
			if err := one(ctx, r.cloud.history, r.cloud.filled); err != nil {
				r.cloud.log.Error("back-fill ended", "err", err)
			}
		})
	}
	all.Wait()
}
