package collectors

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/nasight/nasight/collectors/internal/winfs"
)

// Following is one collector of one host whose directories may be replaced while it runs: a mirror of another machine, a
// recording that is swapped for the next one. Before every run it looks whether the paths still lead to the
// directories that are open, and opens them anew if not. Within one run the directories stay the same.
type Following struct {
	host     string
	paths    Paths
	entry    Entry
	settings Settings

	mu        sync.Mutex    // a run that missed its deadline may still be at work when the directories are given back
	closed    bool          // no run opens anything any more
	opened    []os.FileInfo // the directories that the collector reads; nil before the first run
	collector Collector
	release   func() error
}

// Collect implements Collector.
func (s *Following) Collect(ctx context.Context, sink Sink) error {
	collector, err := s.refresh()
	if err != nil {
		return err
	}
	return collector.Collect(ctx, sink)
}

// refresh gives the collector of the directories that the paths lead to now.
func (s *Following) refresh() (Collector, error) {
	found, err := directories(s.paths)
	if err != nil {
		return nil, fmt.Errorf("host %s: %w", s.host, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("host %s: %w", s.host, fs.ErrClosed)
	}
	if s.collector != nil && same(found, s.opened) {
		return s.collector, nil
	}
	root, release, err := OpenRoot(s.host, s.paths)
	if err != nil {
		return nil, err
	}
	collector, err := s.entry.New(root, s.settings)
	if err != nil {
		_ = release()
		return nil, fmt.Errorf("host %s: %w", s.host, err)
	}
	if s.release != nil {
		_ = s.release() // only directories were open: nothing is lost if closing one fails
	}
	s.opened, s.collector, s.release = found, collector, release
	return collector, nil
}

// Close gives the directories back. A run that is still under way finds them closed, and none begins any more.
func (s *Following) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.release == nil {
		return nil
	}
	return s.release()
}

// directories finds what the paths lead to now; a path that is not set or does not have to exist is nil.
func directories(paths Paths) ([]os.FileInfo, error) {
	if winfs.Live() != nil && paths.Procfs == liveProcfs {
		return nil, nil // Windows itself is always the same
	}
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

// Follow makes an entry whose collectors follow the directories of a host: they are opened anew when the paths lead
// elsewhere. opened is told of each collector that is made, to close it in the end.
func Follow(entry Entry, paths Paths, opened func(*Following)) Entry {
	wrapped := entry
	wrapped.New = func(root Root, settings Settings) (Collector, error) {
		s := &Following{host: root.Host, paths: paths, entry: entry, settings: settings}
		opened(s)
		return s, nil
	}
	return wrapped
}
