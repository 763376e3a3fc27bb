// Package agent is the program nasight-agent: the collectors of one host, /metrics and remote write.
package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/prometheus/exporter-toolkit/web"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
)

// Config says what an agent does.
type Config struct {
	Host      string
	Build     export.Build
	Paths     collectors.Paths
	Entries   []collectors.Entry  // the selected collectors
	Settings  collectors.Settings // Memory is set by StateFile
	Interval  time.Duration       // of the collectors; 0 for each one's own
	Listen    string              // address of the HTTP server
	WebConfig string              // exporter-toolkit file; "" for plain HTTP
	StateFile string              // "" to forget at the end
	Push      export.PusherConfig // nothing is pushed without a URL
	Logger    *slog.Logger
	Listening func(net.Addr) // called once the server listens; may be nil
}

const saveInterval = time.Minute // of the state file

// agent is what Run puts together.
type agent struct {
	Config
	store  *export.Store
	pusher *export.Pusher         // nil without remote write
	memory *collectors.FileMemory // nil without a state file
	runner *collectors.Runner

	sources []*collectors.Following // the collectors' directories
}

// Run runs an agent until the context ends and returns nil then. At the end it stops the collectors, then pushes what
// is left and saves the state.
func Run(ctx context.Context, cfg Config) error {
	if err := web.Validate(cfg.WebConfig); err != nil {
		return usageError{fmt.Errorf("web configuration %s: %w", cfg.WebConfig, err)}
	}
	if err := checkAddress(cfg.Listen); err != nil {
		return usageError{err}
	}
	a, err := newAgent(cfg)
	if err != nil {
		return usageError{err}
	}
	defer func() {
		if err := a.close(); err != nil {
			cfg.Logger.Warn("cannot close the sources", "err", err)
		}
	}()
	listener, err := listen(ctx, cfg.Listen)
	if err != nil {
		return err
	}
	return a.run(ctx, listener)
}

func newAgent(cfg Config) (a *agent, err error) {
	a = &agent{Config: cfg, store: &export.Store{}}
	a.Entries = a.follow()
	output := collectors.Fanout{a.store}
	if cfg.Push.URL != "" {
		cfg.Push.Logger, cfg.Push.UserAgent = cfg.Logger, cfg.Build.Agent("nasight-agent")
		if a.pusher, err = export.NewPusher(cfg.Push); err != nil {
			return nil, err
		}
		output = append(output, a.pusher)
		a.Entries = append(a.Entries, a.pusher.Entry())
	}
	a.remember()
	if err := readable(cfg.Host, cfg.Paths); err != nil {
		return nil, err
	}
	a.runner, err = collectors.NewRunner(collectors.RunnerConfig{
		Roots: []collectors.Root{{Host: cfg.Host}}, Entries: a.Entries, Settings: a.Settings,
		Output: output, Interval: cfg.Interval, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// readable tells at the start what is wrong with the paths.
func readable(host string, paths collectors.Paths) error {
	_, closeRoot, err := collectors.OpenRoot(host, paths)
	if err != nil {
		return err
	}
	return closeRoot()
}

// follow makes the entries' collectors open the directories anew when the paths lead elsewhere.
func (a *agent) follow() []collectors.Entry {
	following := make([]collectors.Entry, len(a.Entries))
	for i, entry := range a.Entries {
		following[i] = collectors.Follow(entry, a.Paths, func(f *collectors.Following) { a.sources = append(a.sources, f) })
	}
	return following
}

func (a *agent) close() error {
	errs := make([]error, len(a.sources))
	for i, source := range a.sources {
		errs[i] = source.Close()
	}
	return errors.Join(errs...)
}

// remember opens the state file. One that cannot be read costs what was in it and nothing else; one that cannot be
// written is told at once, and not only when the first save fails.
func (a *agent) remember() {
	if a.StateFile == "" {
		return
	}
	memory, err := collectors.OpenFileMemory(a.StateFile)
	if err != nil {
		a.Logger.Warn("starting without the saved state", "err", err)
	}
	if err := replaceable(a.StateFile); err != nil {
		a.Logger.Warn("the state cannot be kept over a restart", "file", a.StateFile, "err", err)
	}
	a.memory, a.Settings.Memory = memory, memory
}

// replaceable tries what a save does: making a file beside the old one.
func replaceable(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// run runs the parts until the context ends or the server fails.
func (a *agent) run(ctx context.Context, listener net.Listener) error {
	handler, err := a.handler()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serve(ctx, listener, handler, a.WebConfig, a.Logger) })
	group.Go(func() error { return a.collect(ctx) })
	if a.Listening != nil {
		a.Listening(listener.Addr())
	}
	return group.Wait()
}

// collect runs the collectors, and the pusher and the state until after them, as they keep what the last runs gave.
func (a *agent) collect(ctx context.Context) error {
	after, stop := context.WithCancel(context.WithoutCancel(ctx))
	var keepers errgroup.Group
	if a.pusher != nil {
		keepers.Go(func() error { return a.pusher.Run(after) })
	}
	if a.memory != nil {
		keepers.Go(func() error {
			a.memory.Run(after, saveInterval, func(err error) { a.Logger.Warn("cannot save the state", "err", err) })
			return nil
		})
	}
	err := a.runner.Run(ctx)
	stop()
	return errors.Join(err, keepers.Wait())
}
