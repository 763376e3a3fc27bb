package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/collectors/promhost"
	"github.com/nasight/nasight/collectors/windows"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/export/otlp"
	"github.com/nasight/nasight/export/vmpush"
)

// collecting runs the collectors of the configured hosts, and replaces them when the configuration changes.
type collecting struct {
	cloud  *cloud // nil for none
	output collectors.Output
	memory collectors.Memory
	watch  collectors.Watch                       // told of every run; nil for nobody
	own    func(config.Config) []collectors.Entry // collectors of this process itself
	agent  string                                 // what requests say who they are of
	log    *slog.Logger

	mu      sync.Mutex
	running *crew // nil before the first start and after the stop
	ended   bool  // stopped for good
}

// crew is one set of runners. Collectors with a timeout of their own are in a runner of their own.
type crew struct {
	shift
	runners []*collectors.Runner
	sources []*collectors.Following
	reader  *reader // nil where no cloud is read

	exporters []*promhost.Source
}

// newCrew makes the runners that a configuration asks for.
func (c *collecting) newCrew(cfg config.Config) (*crew, error) {
	next := &crew{}
	entries, err := selected(cfg)
	if err != nil {
		return nil, err
	}
	here, err := hostName(config.Host{})
	if err != nil {
		here = "localhost"
	}
	if next.reader, err = c.cloud.newReader(cfg, here, c.output, c.watch); err != nil {
		return nil, err
	}
	if next.reader != nil {
		next.runners = append(next.runners, next.reader.runner)
	}
	if own := c.own(cfg); len(own) > 0 {
		runner, err := collectors.NewRunner(collectors.RunnerConfig{Roots: []collectors.Root{{Host: here}}, Entries: own, Output: c.output, Logger: c.log})
		if err != nil {
			return nil, err
		}
		next.runners = append(next.runners, runner)
	}
	if err := next.readExporters(cfg, here, c); err != nil {
		return nil, err
	}
	if cfg.Windows.Directory != "" {
		runner, err := c.recordings(cfg, here)
		if err != nil {
			return nil, err
		}
		next.runners = append(next.runners, runner)
	}
	settings := collectors.Settings{
		Ports: cfg.Session.Ports, SessionCap: cfg.Session.Cap, NetworkCaps: cfg.NetworkCap.Caps(), Memory: c.memory,
	}
	for _, host := range cfg.Hosts {
		name, err := hostName(host)
		if err != nil {
			return nil, err
		}
		for timeout, group := range byTimeout(entries, cfg) {
			runner, err := collectors.NewRunner(collectors.RunnerConfig{
				Roots: []collectors.Root{{Host: name}}, Entries: next.following(group, pathsOf(host)), Settings: settings,
				Output: c.output, Intervals: intervals(cfg), Timeout: timeout, Watch: c.watch, Logger: c.log,
			})
			if err != nil {
				return nil, err
			}
			next.runners = append(next.runners, runner)
		}
	}
	return next, nil
}

// recordings makes the runner that reads what Windows hosts record into a directory.
func (c *collecting) recordings(cfg config.Config, here string) (*collectors.Runner, error) {
	directory := windows.DirectoryConfig{Path: cfg.Windows.Directory, Interval: time.Duration(cfg.Windows.Interval)}
	return collectors.NewRunner(collectors.RunnerConfig{
		Roots: []collectors.Root{{Host: here}}, Entries: []collectors.Entry{windows.Directory(directory)}, Output: c.output, Watch: c.watch, Logger: c.log,
	})
}

func (c *crew) following(entries []collectors.Entry, paths collectors.Paths) []collectors.Entry {
	following := make([]collectors.Entry, len(entries))
	for i, entry := range entries {
		following[i] = collectors.Follow(entry, paths, func(s *collectors.Following) { c.sources = append(c.sources, s) })
	}
	return following
}

// selected are the collectors that run. None may be left where a nasight serves agents alone.
func selected(cfg config.Config) ([]collectors.Entry, error) {
	if len(cfg.Hosts) == 0 {
		return nil, nil
	}
	set := map[string]bool{}
	for name, collector := range cfg.Collectors {
		if collector.Enabled != nil {
			set[name] = *collector.Enabled
		}
	}
	return collectors.Select(list.Entries(), collectors.Selection{Set: set})
}

func byTimeout(entries []collectors.Entry, cfg config.Config) map[time.Duration][]collectors.Entry {
	groups := map[time.Duration][]collectors.Entry{}
	for _, entry := range entries {
		timeout := time.Duration(cfg.Collectors[entry.Name].Timeout)
		groups[timeout] = append(groups[timeout], entry)
	}
	return groups
}

func intervals(cfg config.Config) map[string]time.Duration {
	intervals := map[string]time.Duration{}
	for name, collector := range cfg.Collectors {
		if collector.Interval > 0 {
			intervals[name] = time.Duration(collector.Interval)
		}
	}
	return intervals
}

// hostName is the value of the host label.
func hostName(host config.Host) (string, error) {
	if host.Name != "" {
		return host.Name, nil
	}
	name, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("cannot tell this host's name, set hosts[].name: %w", err)
	}
	return name, nil
}

// start runs a crew in the place of the one that runs now, which has ended before the new one starts: no collector of
// a host runs twice at a time. The crew runs until the stop, not until the context ends; after the stop nothing starts.
func (c *collecting) start(ctx context.Context, next *crew) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	before := c.running.stopped(c.log)
	ctx = next.begin(ctx)
	for _, runner := range next.runners {
		next.done.Go(func() {
			if err := runner.Run(ctx); err != nil {
				c.log.Error("collectors ended", "err", err)
			}
		})
	}
	if next.reader != nil {
		next.done.Go(func() { next.reader.backfill(ctx) })
	}
	c.running = next
	c.clear(ctx, before, next.keys())
}

// clear takes what does not run any more out of the outputs, rather than leaving it there until it is stale.
func (c *collecting) clear(ctx context.Context, before, now []collectorKey) {
	for _, key := range before {
		if slices.Contains(now, key) {
			continue
		}
		gone := collectors.Batch{Host: key.host, Collector: key.name, Time: time.Now()}
		if err := c.output.Publish(ctx, gone); err != nil {
			c.log.Warn("cannot withdraw the samples of a collector that was switched off", "host", key.host, "collector", key.name, "err", err)
		}
	}
}

// stop ends the collectors and waits for them.
func (c *collecting) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running.stopped(c.log)
	c.running, c.ended = nil, true
}

// stopped ends a crew, which may be nil, and lists its collectors.
func (c *crew) stopped(log *slog.Logger) []collectorKey {
	if c == nil {
		return nil
	}
	c.end()
	if err := c.release(); err != nil {
		log.Warn("cannot close the sources", "err", err)
	}
	return c.keys()
}

// release closes what a crew that does not run has open.
func (c *crew) release() error {
	if c.reader != nil {
		c.reader.close()
	}
	errs := make([]error, 0, len(c.sources)+len(c.exporters))
	for _, source := range c.exporters {
		errs = append(errs, source.Close())
	}
	for _, source := range c.sources {
		errs = append(errs, source.Close())
	}
	return errors.Join(errs...)
}

func (c *crew) keys() []collectorKey {
	statuses := c.status()
	keys := make([]collectorKey, len(statuses))
	for i, status := range statuses {
		keys[i] = collectorKey{status.Host, status.Collector}
	}
	return keys
}

func (c *crew) status() []collectors.Status {
	if c == nil {
		return nil
	}
	var all []collectors.Status
	for _, runner := range c.runners {
		all = append(all, runner.Status()...)
	}
	return all
}

// status lists how the collectors that run fare.
func (c *collecting) status() []collectors.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running.status()
}

// names are the names that collect[] of /metrics may ask for: those of the collectors that run, whatever they read, the
// detection's, the pushes', and those of a host's collectors, which may be switched off or not there yet.
func (c *collecting) names() []string {
	known := map[string]bool{detectionName: true, anomaliesName: true, otlp.Collector: true, export.PushCollector: true, vmpush.Collector: true}
	for _, entry := range list.Entries() {
		known[entry.Name] = true
	}
	for _, status := range c.status() {
		known[status.Collector] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// pathsOf are the directories of a configured host.
func pathsOf(host config.Host) collectors.Paths {
	return collectors.Paths{Procfs: host.Procfs, Sysfs: host.Sysfs, Modprobe: host.Modprobe, Netlink: host.Netlink}
}
