package azurefiles

import (
	"context"
	"errors"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// runTimeout is the most time that one run may take. What a run does not get to is read by the next one.
const (
	runTimeout    = 4 * time.Minute
	missedPeriods = 3 // after which something is not shown any more
)

// Entries are the collectors of the source. They do not belong to a host: run them under one root, whose files they do
// not read. Those of the inventory and of space run more often than what they read is renewed: what the pace of requests
// leaves over, what the metrics have shown to be new, and the space of accounts that the inventory has only just read, need
// not wait for the next renewal.
func (s *Source) Entries() []collectors.Entry {
	entry := func(name, help string, interval time.Duration, c collectors.Collector) collectors.Entry {
		return collectors.Entry{
			Name: name, Default: true, Interval: interval, Timeout: min(runTimeout, interval), Help: help,
			New: func(collectors.Root, collectors.Settings) (collectors.Collector, error) { return c, nil },
		}
	}
	tick := func(renewal time.Duration) time.Duration { return max(renewal/ticks, shortestTick) }
	entries := []collectors.Entry{
		entry("azurefiles_inventory", "Azure Files: accounts, shares, what they have", tick(s.cfg.Tiers.Inventory), &inventoryCollector{s}),
		entry("azurefiles_performance", "Azure Files: throughput, operations, latency, throttling", s.cfg.Tiers.Performance, &tierCollector{s, performance}),
		entry("azurefiles_capacity", "Azure Files: space, files, snapshots", tick(s.cfg.Tiers.Capacity), &tierCollector{s, capacity}),
	}
	if len(s.cfg.Logs.Workspaces) > 0 {
		entries = append(entries, entry("azurefiles_logs", "Azure Files: clients and the busiest file, from samples of the log of operations", s.cfg.Logs.Period, newLogCollector(s)))
	}
	return entries
}

// each reads all subscriptions at once.
func (s *Source) each(ctx context.Context, read func(context.Context, *subscription) error) ([]error, error) {
	return azureapi.Each(ctx, s.subscriptions, read)
}

// inventoryName is what failures and odd input of the inventory are told under.
const inventoryName = "inventory"

// inventoryCollector reads the configuration of all subscriptions.
type inventoryCollector struct{ source *Source }

// Collect implements collectors.Collector. What is known of a subscription that cannot be read is shown with the time
// when it was read, until it is three renewals old.
func (c *inventoryCollector) Collect(ctx context.Context, sink collectors.Sink) error {
	timed, ok := sink.(collectors.TimedSink)
	if !ok {
		return azureapi.ErrUntimed
	}
	s := c.source
	errs, err := s.each(ctx, s.refresh)
	if err != nil {
		return err
	}
	oldest := s.opts.Clock().Add(-missedPeriods * s.cfg.Tiers.Inventory)
	for i, sub := range s.subscriptions {
		sub.mu.Lock()
		sub.emitInventory(timed, s.wanted, oldest)
		sub.emitFailure(sink, inventoryName, errs[i])
		sub.emitOdd(sink, inventoryName)
		sub.mu.Unlock()
		if errs[i] != nil {
			errs[i] = azureapi.Failure(inventoryName, sub.id, errs[i])
		}
	}
	return errors.Join(errs...)
}

// tierCollector reads one tier of all subscriptions.
type tierCollector struct {
	source *Source
	tier   tier
}

// Collect implements collectors.Collector: it reads what is due and shows the newest point of every series.
func (c *tierCollector) Collect(ctx context.Context, sink collectors.Sink) error {
	timed, ok := sink.(collectors.TimedSink)
	if !ok {
		return azureapi.ErrUntimed
	}
	s := c.source
	errs, err := s.each(ctx, func(ctx context.Context, sub *subscription) error { return s.readTier(ctx, sub, c.tier) })
	if err != nil {
		return err
	}
	for i, sub := range s.subscriptions {
		sub.emit(timed, c.tier, s)
		sub.mu.Lock()
		sub.emitFailure(sink, string(c.tier), errs[i])
		sub.emitOdd(sink, string(c.tier))
		sub.mu.Unlock()
		if errs[i] != nil {
			errs[i] = azureapi.Failure(string(c.tier), sub.id, errs[i])
		}
	}
	if c.tier == performance {
		s.budget.Collect(azureapi.RequestsOnly{Sink: sink})
		s.emitProgress(sink)
	}
	return errors.Join(errs...)
}
