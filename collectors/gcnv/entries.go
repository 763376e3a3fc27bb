package gcnv

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// runTimeout is the most time that one run may take. What a run does not get to is read by the next one.
const runTimeout = 4 * time.Minute

// Entries are the collectors of the source, one a tier. They do not belong to a host: run them under one root, whose
// files they do not read.
func (s *Source) Entries() []collectors.Entry {
	entry := func(name, help string, interval time.Duration, c collectors.Collector) collectors.Entry {
		return collectors.Entry{
			Name: name, Default: true, Interval: interval, Timeout: min(runTimeout, interval), Help: help,
			New: func(collectors.Root, collectors.Settings) (collectors.Collector, error) { return c, nil },
		}
	}
	return []collectors.Entry{
		entry("gcnv_inventory", "Google Cloud NetApp Volumes: pools, volumes, replications", s.cfg.Tiers.Inventory, &inventoryCollector{s}),
		entry("gcnv_performance", "Google Cloud NetApp Volumes: throughput, operations, latency, limits", s.cfg.Tiers.Performance, &tierCollector{s, performance}),
		entry("gcnv_capacity", "Google Cloud NetApp Volumes: space, inodes, tiers, backups", s.cfg.Tiers.Capacity, &tierCollector{s, capacity}),
	}
}

// inventoryCollector reads the configuration of all projects.
type inventoryCollector struct{ source *Source }

// Collect implements collectors.Collector. What is known of a project that cannot be read is shown with the time when it
// was read, until it is three intervals old.
func (c *inventoryCollector) Collect(ctx context.Context, sink collectors.Sink) error {
	timed, ok := sink.(collectors.TimedSink)
	if !ok {
		return errUntimed
	}
	s := c.source
	reading, cancel := reserve(ctx)
	defer cancel()
	projects := s.projectsNow(reading)
	now := s.opts.Clock()
	invs, errs := make([]*inventory, len(projects)), make([]error, len(projects), len(projects)+1)
	var all sync.WaitGroup
	for i, p := range projects {
		all.Go(func() { invs[i], errs[i] = s.inventory(reading, p, now) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, p := range projects {
		if inv := invs[i]; inv != nil && now.Sub(inv.at) <= missedPeriods*s.cfg.Tiers.Inventory {
			emitInventory(timed, p.id, inv)
			emitOdd(timed, p.id, inv, now)
		}
		p.emitFailure(sink, "inventory", errs[i])
		if errs[i] != nil {
			errs[i] = failure("inventory", p.id, errs[i])
		}
	}
	s.emitFolders(sink)
	return errors.Join(append(errs, s.foldersError())...)
}

// emitOdd tells what of a fresh inventory made no sense and which locations are missing.
func emitOdd(sink collectors.Sink, project string, inv *inventory, now time.Time) {
	seen := map[string]bool{}
	for _, location := range inv.unreachable {
		if name := lastOf(location); !seen[name] {
			seen[name] = true
			sink.Add(schema.CloudUnreachable, 1, Cloud, Service, project, name, "inventory", reasonUnavailable)
		}
	}
	if !inv.at.Before(now) {
		for reason, count := range inv.odd {
			sink.Skip(reason, count)
		}
	}
}
