package serve

import (
	"context"
	"fmt"
	"os"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/config"
)

// source is one collector of one host whose directories may be replaced while it runs: a mirror of another machine, a
// recording that is swapped for the next one. Before every run it looks whether the paths still lead to the
// directories that are open, and opens them anew if not. Within one run the directories stay the same.
type source struct {
	host     string
	paths    collectors.Paths
	entry    collectors.Entry
	settings collectors.Settings

	opened    []os.FileInfo // the directories that the collector reads; nil before the first run
	collector collectors.Collector
	release   func() error
}

// Collect implements collectors.Collector.
func (s *source) Collect(ctx context.Context, sink collectors.Sink) error {
	if err := s.refresh(); err != nil {
		return err
	}
	return s.collector.Collect(ctx, sink)
}

func (s *source) refresh() error {
	found, err := directories(s.paths)
	if err != nil {
		return fmt.Errorf("host %s: %w", s.host, err)
	}
	if s.collector != nil && same(found, s.opened) {
		return nil
	}
	root, release, err := collectors.OpenRoot(s.host, s.paths)
	if err != nil {
		return err
	}
	collector, err := s.entry.New(root, s.settings)
	if err != nil {
		_ = release()
		return fmt.Errorf("host %s: %w", s.host, err)
	}
	if s.release != nil {
		_ = s.release() // only directories were open: nothing is lost if closing one fails
	}
	s.opened, s.collector, s.release = found, collector, release
	return nil
}

// close gives the directories back. Call it when no run is under way any more.
func (s *source) close() error {
	if s.release == nil {
		return nil
	}
	return s.release()
}

// directories finds what the paths lead to now; a path that is not set or does not have to exist is nil.
func directories(paths collectors.Paths) ([]os.FileInfo, error) {
	var found []os.FileInfo
	for _, directory := range []string{paths.Procfs, paths.Sysfs, paths.Netlink} {
		if directory == "" {
			found = append(found, nil)
			continue
		}
		info, err := os.Stat(directory)
		if err != nil {
			return nil, err
		}
		found = append(found, info)
	}
	optional, err := os.Stat(paths.Modprobe)
	if err != nil {
		optional = nil
	}
	return append(found, optional), nil
}

func same(a, b []os.FileInfo) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) || a[i] != nil && !os.SameFile(a[i], b[i]) {
			return false
		}
	}
	return true
}

// pathsOf are the directories of a configured host.
func pathsOf(host config.Host) collectors.Paths {
	return collectors.Paths{Procfs: host.Procfs, Sysfs: host.Sysfs, Modprobe: host.Modprobe, Netlink: host.Netlink}
}

// follow makes an entry whose collectors follow the directories of a host; opened is told of each of them.
func follow(entry collectors.Entry, paths collectors.Paths, opened func(*source)) collectors.Entry {
	wrapped := entry
	wrapped.New = func(root collectors.Root, settings collectors.Settings) (collectors.Collector, error) {
		s := &source{host: root.Host, paths: paths, entry: entry, settings: settings}
		opened(s)
		return s, nil
	}
	return wrapped
}
