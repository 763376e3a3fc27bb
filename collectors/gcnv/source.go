// Package gcnv reads Google Cloud NetApp Volumes: the inventory by the service's own API, performance and space by Cloud
// Monitoring. It reads on clocks of its own; what is rendered or queried never makes a request.
package gcnv

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/budget"
)

// Options are what a Source is made of beside its configuration. The zero value is for production.
type Options struct {
	Memory collectors.Memory // keeps what is stored already over restarts; nil to keep it in the process only
	Budget *budget.Budget    // shared over reloads, so that its counters go on; nil for one of its own
	Dial   Dial              // makes client options; nil for what the configuration says
	Clock  func() time.Time  // nil for time.Now
	Tracer trace.Tracer      // gets a span for every request; nil for none
	Logger *slog.Logger      // nil for none
	Agent  string            // what requests say who they are of; empty for nasight

	FirstRetry time.Duration // pause before the first repetition of a request; 0 for 1 s
	Patience   time.Duration // time after which a request is not repeated any more; 0 for 90 s
	// BackfillPause is how long the back-fill waits after a failure, and ever longer after the next ones; 0 for 5 min.
	BackfillPause time.Duration
}

// Source reads the configured projects. Its collectors share connections, budget and what is known of each project. It is
// safe for concurrent use.
type Source struct {
	cfg         Config
	opts        Options
	wanted      selection
	rows        []*row
	clients     *clients
	budget      *budget.Budget
	descriptors descriptors
	past        *collectors.Past

	mu       sync.Mutex
	projects []*project        // configured, then those of the folders
	foldered time.Time         // when the folders were last read
	folders  error             // why they could not be
	numbers  map[string]string // id of a project by its number, as far as known
}

// NewBudget makes the budget that a configuration asks for.
func NewBudget(cfg Config, memory collectors.Memory, clock func() time.Time) *budget.Budget {
	price := cfg.Budget.Price
	return budget.New(budget.Options{
		Cloud: Cloud, Service: Service, SoftUSD: cfg.Budget.SoftUSD, HardUSD: cfg.Budget.HardUSD, Memory: memory, Clock: clock,
		Price: budget.Price{
			Item: "time series returned", USDPerMillion: price.USDPerMillion, FreePerMonth: price.FreePerMonth,
			Date: price.Date, Source: price.Source,
		},
	})
}

// New makes a source. It connects to nothing.
func New(cfg Config, opts Options) (*Source, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("gcnv: %w", err)
	}
	wanted, err := newSelection(cfg.Include, cfg.Exclude)
	if err != nil {
		return nil, fmt.Errorf("gcnv: %w", err)
	}
	opts = opts.withDefaults(cfg)
	s := &Source{
		cfg: cfg, opts: opts, wanted: wanted, rows: chosen(cfg.Tiers), budget: opts.Budget,
		numbers: map[string]string{},
		clients: &clients{dial: opts.Dial, agent: opts.Agent, gate: newGate(cfg.Pacing, opts)},
	}
	s.past = collectors.NewPast(collectors.PastOptions{Fill: s.fill, Minor: onlyRefused, Pause: opts.BackfillPause, Logger: opts.Logger})
	for _, id := range cfg.Projects {
		s.addProject(id)
	}
	return s, nil
}

func (o Options) withDefaults(cfg Config) Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Tracer == nil {
		o.Tracer = noop.Tracer{}
	}
	o.Agent = cmp.Or(o.Agent, "nasight")
	if o.Dial == nil {
		o.Dial = cfg.dial
	}
	if o.Budget == nil {
		o.Budget = NewBudget(cfg, o.Memory, o.Clock)
	}
	if o.FirstRetry <= 0 {
		o.FirstRetry = defaultFirstRetry
	}
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	return o
}

// Close gives the connections up. Requests under way end first.
func (s *Source) Close() { s.clients.close() }

// addProject begins to read a project unless the configuration excludes it; the caller holds the lock or is alone.
func (s *Source) addProject(id string) {
	if s.wanted.project(id) {
		s.projects = append(s.projects, newProject(id, s.rows))
	}
}

// all lists the projects that are read.
func (s *Source) all() []*project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*project(nil), s.projects...)
}

// blame looks whether new credentials may help against an error.
func (s *Source) blame(err error) {
	if refused(err) {
		s.clients.blame()
	}
}

// connection runs a function with the connections.
func (s *Source) connection(ctx context.Context, do func(*connections) error) error {
	conns, done, err := s.clients.use(ctx, s.opts.Clock())
	if err != nil {
		return err
	}
	defer done()
	return do(conns)
}
