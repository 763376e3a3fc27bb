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

	"github.com/prometheus/client_golang/prometheus"
	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/nasight/nasight/alerting"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/export/otlp"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promapi"
)

// Options are what a server is made of.
type Options struct {
	Config     config.Config
	ConfigFile string // read again on reload; empty where there is none
	// Override puts the command line's flags over a configuration that a reload has read; nil for nothing. Config has
	// them already.
	Override func(*config.Config)
	Build    export.Build
	// Simulated says that the data are simulated, and is shown with all of it: on the page, in every answer, in /metrics.
	// Empty where they are real.
	Simulated string
	Logger    *slog.Logger   // nil for none
	Listening func(net.Addr) // told once the server listens; may be nil

	openHistory opener // nil for the embedded history
}

// database is what a server needs of a history.
type database interface {
	history.History
	history.SeriesWriter
	Degraded() error
	Stats() history.Written
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
	notice     string
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
	anomalies  *anomalies
	alerting   *alerting.Engine
	handler    http.Handler
	own        *prometheus.Registry // what the process tells of itself
	otlp       *otlpPush
	firstOTLP  *otlpRun // what Run starts to push with; nil for none
	first      *crew    // the collectors that Run starts with

	queries http.Handler // the query API below /api/v1/
	via     via          // marks what this process asks of others
	pushing *pushing
	pushers *pushers // that Run starts with

	reported reportState
	making   sync.Mutex // one report at a time

	reloading sync.Mutex // one reload at a time
	reloaded  reloads
	stopping  atomic.Bool
}

// New opens the history and the port. An error is one line that says what to do; it is a *ConfigError where the
// configuration is to blame. After an error nothing is left open.
func New(ctx context.Context, options Options) (*Server, error) {
	s := &Server{
		configFile: options.ConfigFile, override: options.Override, build: options.Build, notice: options.Simulated, log: options.Logger, listening: options.Listening,
		store: &export.Store{}, health: newHealth(), via: newVia(agentOf(options.Build)),
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
	if err := cfg.CheckLoops(); err != nil {
		return nil, &ConfigError{err}
	}
	if err := Claim(cfg.History.Path, options.Simulated != ""); err != nil {
		return nil, err
	}
	if options.openHistory == nil {
		options.openHistory = s.via.openHistory
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
	s.pushing = &pushing{log: s.log, via: s.via, gather: gathering}
	s.history = outgoing{opened, s.pushing}
	s.pushing.past, _ = opened.(export.Past)
	if far, ok := opened.(*remoteDatabase); ok { // before the collectors, one of which tells of it
		s.pushing.always = []*export.Pusher{far.pusher}
	}
	s.memory, err = collectors.OpenFileMemory(filepath.Join(cfg.History.Path, "memory.json"))
	if err != nil {
		s.log.Warn("starting without what was remembered", "err", err)
	}
	s.pushing.memory = s.memory
	s.output = collectors.Fanout{s.store, &keeper{history: s.history, log: s.log}, s.health}
	s.cloud = &cloud{memory: s.memory, tracer: otlp.NewTracer(), agent: s.via.agent, log: s.log, filled: func() {
		nudge(s.evaluator.filled)
		nudge(s.anomalies.filled)
	}}
	past, unlearnt := &debt{memory: s.memory, key: unfoldedKey}, &debt{memory: s.memory, key: unlearntKey}
	if backfiller, ok := opened.(collectors.Backfiller); ok {
		s.cloud.history = owing{backfiller, []*debt{past, unlearnt}}
	}
	s.collecting = &collecting{
		cloud: s.cloud, output: s.output, memory: s.memory, watch: otlp.Cycles(s.cloud.tracer), own: s.pushing.entries, agent: s.via.agent, log: s.log,
	}
	if s.first, err = s.collecting.newCrew(cfg); err != nil {
		return &ConfigError{err}
	}
	host, err := hostName(config.Host{})
	if err != nil {
		host = "localhost"
	}
	s.evaluator = newEvaluator(cfg, host, s.history, s.store, s.log)
	s.evaluator.debt = past
	s.anomalies = newAnomalies(cfg, s.evaluator, unlearnt)
	s.evaluator.anomalies = s.anomalies
	s.health.first = func() { nudge(s.evaluator.fresh) }
	registry, err := s.processMetrics()
	if err != nil {
		return err
	}
	if s.alerting, err = s.newAlerting(cfg, host, opened, registry); err != nil {
		return err
	}
	if s.queries, err = s.queryHandler(cfg.History, opened); err != nil {
		return err
	}
	if s.handler, err = s.routes(registry); err != nil {
		return err
	}
	if s.listener, err = listen(ctx, cfg.Web.ListenAddress); err != nil {
		return err
	}
	return s.newPushes(ctx, cfg, host)
}

// newPushes makes what a configuration pushes to.
func (s *Server) newPushes(ctx context.Context, cfg config.Config, host string) (err error) {
	s.otlp = s.newOTLPPush(host)
	if s.firstOTLP, err = s.otlp.make(ctx, cfg); err != nil {
		return &ConfigError{err}
	}
	if s.pushers, err = s.pushing.newPushers(cfg.Export); err != nil {
		return &ConfigError{err}
	}
	return nil
}

// queryHandler answers queries from the history that was opened.
func (s *Server) queryHandler(cfg config.History, opened database) (http.Handler, error) {
	if far, ok := opened.(*remoteDatabase); ok {
		return far.proxy(cfg.URL, proxyTimeout, s.log)
	}
	querier, ok := opened.(history.Querier)
	if !ok {
		return nil, fmt.Errorf("history of type %T answers no queries", opened)
	}
	return promapi.NewHandler(querier, promapi.Options{Logger: s.log, Rules: s.alerting}), nil
}

func (v via) openHistory(ctx context.Context, cfg config.History, log *slog.Logger) (database, error) {
	if cfg.Remote() {
		opened, err := openRemote(cfg, log, v)
		if err != nil {
			return nil, &ConfigError{err}
		}
		return opened, nil
	}
	return history.OpenEmbedded(ctx, history.EmbeddedOptions{
		Path: cfg.Path, Retention: time.Duration(cfg.Retention), MaxBytes: int64(cfg.MaxBytes),
		OutOfOrderWindow: time.Duration(cfg.OutOfOrder), Now: time.Now, Logger: log,
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
	s.otlp.start(ctx, s.firstOTLP) // before the collectors, whose first runs are traced as well
	stopWriting := s.writeHistory(ctx)
	s.pushing.start(ctx, s.pushers)
	s.collecting.start(ctx, s.first)
	group.Go(func() error { return s.serve(ctx) })
	group.Go(func() error { return s.evaluator.run(ctx) })
	group.Go(func() error { return s.evaluator.daily(ctx) })
	group.Go(func() error { return s.anomalies.run(ctx) })
	group.Go(func() error { return s.evaluateRules(ctx) })
	group.Go(func() error { return s.reports(ctx) })
	group.Go(func() error { return s.reloadOn(ctx, hangups) })
	group.Go(func() error {
		s.memory.Run(ctx, time.Minute, func(err error) { s.log.Warn("cannot keep what is to be remembered", "err", err) })
		return nil
	})
	err := group.Wait()
	s.collecting.stop()
	s.otlp.stop()
	s.pushing.stop()
	stopWriting()
	return errors.Join(err, s.finish())
}

// writeHistory runs what a remote history is written by until the returned function is called, which sends what is left.
func (s *Server) writeHistory(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var writers errgroup.Group
	for _, one := range s.pushing.always {
		writers.Go(func() error { return one.Run(ctx) })
	}
	return func() {
		cancel()
		if err := writers.Wait(); err != nil {
			s.log.Error("the writing of history ended", "err", err)
		}
	}
}

// finish keeps the last state and closes what New opened.
func (s *Server) finish() error {
	return errors.Join(s.evaluator.save(), s.anomalies.save(), s.memory.Save(), s.release())
}

func (s *Server) release() error {
	var errs []error
	if s.listener != nil {
		if err := s.listener.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if s.alerting != nil {
		s.alerting.Close()
	}
	if s.history != nil {
		errs = append(errs, s.history.Close())
	}
	return errors.Join(errs...)
}
