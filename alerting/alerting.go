// Package alerting evaluates rules on a history and notifies Alertmanagers, without a Prometheus and with its parts: the
// rule manager and the notifier. Rules read what a Prometheus that scrapes /metrics would have, and what agents have sent;
// what they record goes into the same history, so that alerts keep their beginnings over a restart.
package alerting

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/notifier"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/internal/trust"
)

// History is what rules are evaluated on and what they record into.
type History interface {
	history.SeriesWriter
	Queryable() storage.Queryable
}

// Options are what does not change while nasight runs.
type Options struct {
	History     History               // nil for none: then there must be no rules
	Metrics     []prometheus.Gatherer // what /metrics shows
	Instance    string                // names this process where a metric names no host and no cloud
	ExternalURL *url.URL              // where people reach nasight: the source of alerts leads there
	ResendDelay time.Duration         // how often an Alertmanager is told again of an alert that goes on; 0 for a minute
	UserAgent   string                // tells Alertmanagers who asks; "nasight" if empty
	Logger      *slog.Logger          // nil for none
}

const (
	queryTimeout  = 30 * time.Second
	queryPoints   = 10_000_000 // held in memory at once by one rule, about 160 MB
	lookback      = 5 * time.Minute
	subqueryStep  = time.Minute
	outageMost    = time.Hour // a longer absence begins an alert's waiting anew
	defaultResend = time.Minute
	queueCapacity = 10_000 // alerts for one Alertmanager, some 10 MB; the oldest go first
	drainTime     = 5 * time.Second
)

// Engine evaluates rules and sends alerts. Make it with New, give it rules with Use, then call Run once.
type Engine struct {
	options  Options
	log      *slog.Logger
	registry *prometheus.Registry // of the two managers
	loader   *loader
	scraper  *scraper
	manager  *rules.Manager
	notifier *notifier.Manager
	patience *patience
	targets  chan map[string][]*targetgroup.Group
	cancel   context.CancelFunc // of queries
	evaluate rules.GroupEvalIterationFunc

	using    sync.Mutex // one change at a time
	used     Settings
	started  bool
	waiting  *Loaded // to be used at the start
	running  sync.Once
	active   atomic.Bool // there are rules
	rejected atomic.Bool // the last rules that were to be used had a mistake
}

// New makes an engine without rules and without Alertmanagers.
func New(options Options) *Engine {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.ResendDelay <= 0 {
		options.ResendDelay = defaultResend
	}
	if options.UserAgent == "" {
		options.UserAgent = "nasight"
	}
	if options.ExternalURL == nil {
		options.ExternalURL = &url.URL{}
	}
	if options.History == nil {
		options.History = emptiness{}
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &Engine{
		options: options, log: options.Logger, registry: prometheus.NewRegistry(), loader: newLoader(), patience: newPatience(),
		scraper: newScraper(options), targets: make(chan map[string][]*targetgroup.Group, 1), cancel: cancel,
	}
	e.evaluate = e.iterate
	trusted := trust.Keys{Address: "url", Authority: "ca_file"}
	managers := slog.New(quiet{e.log.Handler()})
	told := newTeller(e.log)
	e.notifier = notifier.NewManager(&notifier.Options{
		QueueCapacity: queueCapacity, DrainOnShutdown: true, Registerer: e.registry,
		Do: func(ctx context.Context, client *http.Client, request *http.Request) (*http.Response, error) {
			request.Header.Set("User-Agent", options.UserAgent)
			response, err := e.patience.do(ctx, client, request)
			err = trusted.Explained(err)
			told.note(request, response, err)
			return response, err
		},
	}, model.UTF8Validation, managers)
	e.manager = rules.NewManager(&rules.ManagerOptions{
		ExternalURL: options.ExternalURL, QueryFunc: queryFunc(view{options.History.Queryable()}), NotifyFunc: e.notify,
		Context: ctx, AppendableV2: appendable{options.History}, Queryable: options.History.Queryable(), Logger: managers,
		Registerer: e.registry, ResendDelay: options.ResendDelay, GroupLoader: e.loader, Parser: e.loader.parser,
		OutageTolerance: outageMost, // no grace period: what a restart interrupted goes on where it was
	})
	return e
}

// emptiness is a history that has nothing and takes nothing.
type emptiness struct{}

// Queryable implements History.
func (emptiness) Queryable() storage.Queryable {
	return storage.QueryableFunc(func(int64, int64) (storage.Querier, error) { return storage.NoopQuerier(), nil })
}

// AppendSeries implements history.SeriesWriter.
func (emptiness) AppendSeries(context.Context, []history.SeriesSample) (history.Written, error) {
	return history.Written{}, errors.New("there is no history to record into")
}

func queryFunc(queryable storage.Queryable) rules.QueryFunc {
	return rules.EngineQueryFunc(promql.NewEngine(promql.EngineOpts{
		Timeout: queryTimeout, MaxSamples: queryPoints, LookbackDelta: lookback,
		NoStepSubqueryIntervalFn: func(int64) int64 { return subqueryStep.Milliseconds() },
		EnableAtModifier:         true, EnableNegativeOffset: true, Parser: parser.NewParser(parser.Options{}),
	}), queryable)
}

// Use takes over rules and Alertmanagers. A group that has not changed goes on; one that has keeps its alerts.
func (e *Engine) Use(loaded *Loaded) error {
	e.using.Lock()
	defer e.using.Unlock()
	if err := e.address(loaded.settings); err != nil {
		return err
	}
	e.used, e.waiting = loaded.settings, loaded
	e.active.Store(len(loaded.names) > 0)
	e.rejected.Store(false)
	if !e.started { // the rule manager cannot replace groups that have not begun to run
		return nil
	}
	return e.update()
}

// update hands the rules over to the rule manager; the caller holds the lock.
func (e *Engine) update() error {
	loaded := e.waiting
	if e.waiting = nil; loaded == nil {
		return nil
	}
	e.loader.set(loaded)
	external := labels.FromMap(loaded.settings.ExternalLabels)
	err := e.manager.Update(loaded.settings.Interval, loaded.names, external, e.options.ExternalURL.String(), e.evaluate)
	if err != nil {
		return fmt.Errorf("take over the rules: %w", err)
	}
	e.scraper.forget(e.manager.RuleGroups())
	return nil
}

// begin gives the rule manager its first rules.
func (e *Engine) begin() {
	e.using.Lock()
	defer e.using.Unlock()
	e.started = true
	if err := e.update(); err != nil {
		e.log.Error("no rules are evaluated", "err", err)
	}
}

// Reject notes that rules were not taken over for a mistake. The old ones go on.
func (e *Engine) Reject() { e.rejected.Store(true) }

// address tells the notifier where to send, unless it knows.
func (e *Engine) address(settings Settings) error {
	if reflect.DeepEqual(e.used.Alertmanagers, settings.Alertmanagers) && reflect.DeepEqual(e.used.ExternalLabels, settings.ExternalLabels) {
		return nil
	}
	known, targets := settings.notifier()
	err := error(nil)
	e.patience.within(drainTime, func() { err = e.notifier.ApplyConfig(known) })
	if err != nil {
		return fmt.Errorf("take over the Alertmanagers: %w", err)
	}
	select { // what was not taken yet is replaced
	case <-e.targets:
	default:
	}
	e.targets <- targets
	return nil
}

// iterate is one evaluation of a group at its moment.
func (e *Engine) iterate(ctx context.Context, group *rules.Group, at time.Time) {
	if err := e.scraper.scrape(ctx, group, at); err != nil {
		e.log.Debug("rules do not see what /metrics shows now", "group", group.Name(), "err", err)
	}
	rules.DefaultEvalIterationFunc(ctx, group, at)
}

// notify hands alerts to the notifier. Their source is nasight's page, which has the evidence.
func (e *Engine) notify(_ context.Context, _ string, alerts ...*rules.Alert) {
	if len(alerts) == 0 {
		return
	}
	sent := make([]*notifier.Alert, len(alerts))
	for i, alert := range alerts {
		sent[i] = &notifier.Alert{
			Labels: alert.Labels, Annotations: alert.Annotations, StartsAt: alert.FiredAt, EndsAt: alert.ValidUntil,
			GeneratorURL: e.options.ExternalURL.String(),
		}
		if !alert.ResolvedAt.IsZero() {
			sent[i].EndsAt = alert.ResolvedAt
		}
	}
	e.notifier.Send(sent...)
}

// Run evaluates and sends until the context ends; then it sends what still waits, for a few seconds at most.
func (e *Engine) Run(ctx context.Context) error {
	err := errors.New("alerting: run twice")
	e.running.Do(func() {
		e.run(ctx.Done())
		err = nil
	})
	return err
}

func (e *Engine) run(done <-chan struct{}) {
	var managers sync.WaitGroup
	e.begin()
	managers.Go(func() { e.notifier.Run(e.targets) })
	managers.Go(e.manager.Run)
	<-done
	e.cancel()
	e.manager.Stop()
	e.patience.within(drainTime, func() {
		e.notifier.Stop()
		managers.Wait()
	})
}

// Close lets go of an engine that was never run.
func (e *Engine) Close() {
	done := make(chan struct{})
	close(done)
	e.running.Do(func() { e.run(done) })
}

// RuleGroups are the groups of rules as they stand, ordered by file and name.
func (e *Engine) RuleGroups() []*rules.Group { return e.manager.RuleGroups() }
