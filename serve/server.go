// Package serve is the long-running nasight: collectors, history, detection on a grid, and HTTP, in one process.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/gcnv"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/history"
)

// Options are what a server is made of.
type Options struct {
	Config     config.Config
	ConfigFile string // read again on reload; empty where there is none
	// Override puts the command line's flags over a configuration that a reload has read; nil for nothing. Config has
	// them already.
	Override  func(*config.Config)
	Build     export.Build
	Logger    *slog.Logger   // nil for none
	Listening func(net.Addr) // told once the server listens; may be nil

	openHistory opener // nil for the embedded history
}

// database is what a server needs of the embedded history.
type database interface {
	history.History
	history.Querier
	history.SeriesWriter
	Degraded() error
}

// ConfigError says that the configuration cannot be used, in contrast to a disk or a port that cannot.
type ConfigError struct{ Err error }

// Error is the cause.
func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// Server is nasight serve. Make it with New, then call Run once.
type Server struct {
	configFile string
	override   func(*config.Config)
	build      export.Build
	log        *slog.Logger
	listening  func(net.Addr)
	config     atomic.Pointer[config.Config] // in force

	listener   net.Listener
	history    database
	store      *export.Store
	memory     *collectors.FileMemory
	health     *health
	output     collectors.Output
	collecting *collecting
	cloud      *cloud
	evaluator  *evaluator
	handler    http.Handler
	first      *crew // the collectors that Run starts with

	reloading sync.Mutex // one reload at a time
	reloaded  reloads
	stopping  atomic.Bool
}

// New opens the history and the port. An error is one line that says what to do; it is a *ConfigError where the
// configuration is to blame. After an error nothing is left open.
func New(ctx context.Context, options Options) (*Server, error) {
	s := &Server{
		configFile: options.ConfigFile, override: options.Override, build: options.Build, log: options.Logger, listening: options.Listening,
		store: &export.Store{}, health: newHealth(),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	cfg := options.Config
	s.config.Store(&cfg)
	s.reloaded.note(nil, time.Now())
	if err := toolkit.Validate(cfg.Web.ConfigFile); err != nil {
		return nil, &ConfigError{fmt.Errorf("web.config_file %s: %s", cfg.Web.ConfigFile, strings.Join(strings.Fields(err.Error()), " "))}
	}
	if err := config.CheckListenAddress(cfg.Web.ListenAddress); err != nil {
		return nil, &ConfigError{fmt.Errorf("web.listen_address: %w", err)}
	}
	if options.openHistory == nil {
		options.openHistory = openHistory
	}
	if err := s.open(ctx, cfg, options.openHistory); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

type opener func(context.Context, config.History, *slog.Logger) (database, error)

func (s *Server) open(ctx context.Context, cfg config.Config, openHistory opener) error {
	opened, err := openHistory(ctx, cfg.History, s.log)
	if err != nil {
		return err
	}
	s.history = opened
	s.memory, err = collectors.OpenFileMemory(filepath.Join(cfg.History.Path, "memory.json"))
	if err != nil {
		s.log.Warn("starting without what was remembered", "err", err)
	}
	s.output = collectors.Fanout{s.store, &keeper{history: s.history, log: s.log}, s.health}
	s.cloud = &cloud{memory: s.memory, log: s.log, filled: func() { nudge(s.evaluator.filled) }}
	s.cloud.history, _ = opened.(gcnv.Backfiller)
	s.collecting = &collecting{cloud: s.cloud, output: s.output, memory: s.memory, log: s.log}
	if s.first, err = newCrew(cfg, s.output, s.memory, s.cloud, s.log); err != nil {
		return &ConfigError{err}
	}
	host, err := hostName(config.Host{})
	if err != nil {
		host = "localhost"
	}
	s.evaluator = newEvaluator(cfg, host, s.history, s.store, s.log)
	s.health.first = func() { nudge(s.evaluator.fresh) }
	if s.handler, err = s.routes(); err != nil {
		return err
	}
	s.listener, err = listen(ctx, cfg.Web.ListenAddress)
	return err
}

func openHistory(ctx context.Context, cfg config.History, log *slog.Logger) (database, error) {
	return history.OpenEmbedded(ctx, history.EmbeddedOptions{
		Path: cfg.Path, Retention: time.Duration(cfg.Retention), MaxBytes: int64(cfg.MaxBytes),
		OutOfOrderWindow: time.Duration(cfg.OutOfOrder), Logger: log,
	})
}

// current is the configuration in force.
func (s *Server) current() config.Config { return *s.config.Load() }

// Run serves until the context ends and returns nil then. At the end it stops listening, then the collectors and the
// detection, keeps their state and closes the history.
func (s *Server) Run(ctx context.Context) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	if s.listening != nil {
		s.listening(s.listener.Addr())
	}
	group, ctx := errgroup.WithContext(ctx)
	s.collecting.start(ctx, s.first)
	group.Go(func() error { return s.serve(ctx) })
	group.Go(func() error { return s.evaluator.run(ctx) })
	group.Go(func() error { return s.evaluator.daily(ctx) })
	group.Go(func() error { return s.reloadOn(ctx, hangups) })
	group.Go(func() error {
		s.memory.Run(ctx, time.Minute, func(err error) { s.log.Warn("cannot keep what is to be remembered", "err", err) })
		return nil
	})
	err := group.Wait()
	s.collecting.stop()
	return errors.Join(err, s.finish())
}

// finish keeps the last state and closes what New opened.
func (s *Server) finish() error {
	return errors.Join(s.evaluator.save(), s.memory.Save(), s.release())
}

func (s *Server) release() error {
	var errs []error
	if s.listener != nil {
		if err := s.listener.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if s.history != nil {
		errs = append(errs, s.history.Close())
	}
	return errors.Join(errs...)
}
