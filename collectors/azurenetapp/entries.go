package azurenetapp

import (
	"context"
	"errors"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

const (
	runTimeout    = 4 * time.Minute // most time of one run; what it does not get to is read by the next one
	missedPeriods = 3               // after which something is not shown any more
	inventoryName = "inventory"

	// Runs of the collectors of inventory and space for each renewal: what a run could not read, and volumes that come and
	// go, need not wait for the next one.
	ticks        = 5
	shortestTick = time.Minute
)

// Entries are the collectors of the source. They do not belong to a host: run them under one root, whose files they do
// not read.
func (s *Source) Entries() []collectors.Entry {
	entry := func(name, help string, interval time.Duration, c collectors.Collector) collectors.Entry {
		return collectors.Entry{
			Name: Service + "_" + name, Default: true, Interval: interval, Timeout: min(runTimeout, interval), Help: help,
			New: func(collectors.Root, collectors.Settings) (collectors.Collector, error) { return c, nil },
		}
	}
	tick := func(renewal time.Duration) time.Duration { return max(renewal/ticks, shortestTick) }
	return []collectors.Entry{
		entry(inventoryName, "Azure NetApp Files: capacity pools, volumes, what they have", tick(s.cfg.Tiers.Inventory), &inventoryCollector{s}),
		entry(string(performance), "Azure NetApp Files: throughput, operations, latency, limits", s.cfg.Tiers.Performance, &tierCollector{s, performance}),
		entry(string(capacity), "Azure NetApp Files: space, inodes", tick(s.cfg.Tiers.Capacity), &tierCollector{s, capacity}),
	}
}

// each reads all subscriptions at once.
func (s *Source) each(ctx context.Context, read func(context.Context, *subscription) error) ([]error, error) {
	return azureapi.Each(ctx, s.subscriptions, read)
}

// inventoryCollector reads the configuration of all subscriptions.
type inventoryCollector struct{ source *Source }

// Collect implements collectors.Collector. What is known of a subscription that cannot be read is shown with the time
// when it was read, until it is three renewals old.
func (c *inventoryCollector) Collect(ctx context.Context, sink collectors.Sink) error {
	s := c.source
	oldest := s.opts.Clock().Add(-missedPeriods * s.cfg.Tiers.Inventory)
	return s.collect(ctx, sink, inventoryName, s.refresh, func(timed collectors.TimedSink, sub *subscription) {
		sub.mu.Lock()
		defer sub.mu.Unlock()
		s.emitInventory(timed, sub, oldest)
	})
}

// tierCollector reads one tier of all subscriptions.
type tierCollector struct {
	source *Source
	tier   tier
}

// Collect implements collectors.Collector: it reads what is due and shows the newest point of every series.
func (c *tierCollector) Collect(ctx context.Context, sink collectors.Sink) error {
	s := c.source
	err := s.collect(ctx, sink, string(c.tier),
		func(ctx context.Context, sub *subscription) error { return s.readTier(ctx, sub, c.tier) },
		func(timed collectors.TimedSink, sub *subscription) { s.emit(timed, sub, c.tier) })
	if c.tier == performance {
		s.budget.Collect(azureapi.RequestsOnly{Sink: sink})
		s.emitProgress(sink)
	}
	return err
}

// collect reads all subscriptions and puts out each, with what was wrong.
func (s *Source) collect(ctx context.Context, sink collectors.Sink, what string,
	read func(context.Context, *subscription) error, emit func(collectors.TimedSink, *subscription),
) error {
	timed, ok := sink.(collectors.TimedSink)
	if !ok {
		return azureapi.ErrUntimed
	}
	errs, err := s.each(ctx, read)
	if err != nil {
		return err
	}
	for i, sub := range s.subscriptions {
		emit(timed, sub)
		sub.emitTrouble(sink, what, errs[i])
		if errs[i] != nil {
			errs[i] = azureapi.Failure(what, sub.id, errs[i])
		}
	}
	return errors.Join(errs...)
}
