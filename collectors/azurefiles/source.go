// Package azurefiles reads Azure Files: accounts, shares and what they have from Resource Manager, performance and space
// from Azure Monitor. It reads on clocks of its own; what is rendered or queried never makes a request.
package azurefiles

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"go.opentelemetry.io/otel/trace"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// Options are what a Source is made of beside its configuration. The zero value is for production.
type Options struct {
	Memory     collectors.Memory      // keeps what is stored already over restarts; nil to keep it in the process only
	Budget     *budget.Budget         // shared over reloads, so that its counters go on; nil for one of its own
	Credential azcore.TokenCredential // nil for what the configuration says
	Clock      func() time.Time       // nil for time.Now
	Tracer     trace.Tracer           // gets a span for every request; nil for none
	Logger     *slog.Logger           // nil for none
	Agent      string                 // what requests say who they are of; empty for nasight

	FirstRetry time.Duration // pause before the first repetition of a request; 0 for the SDK's
	// BackfillPause is how long the back-fill waits after a failure, and ever longer after the next ones; 0 for 5 min.
	BackfillPause time.Duration
	// Unpaced is for an emulator whose time passes faster than this machine's: requests do not wait for their turn.
	Unpaced bool
}

// Source reads the configured subscriptions. Its collectors share credentials, pace and what is known of each
// subscription. It is safe for concurrent use.
type Source struct {
	cfg           Config
	opts          Options
	wanted        selection
	words         *vocabulary
	groups        []*group
	clients       *clients
	budget        *budget.Budget
	top           int32
	subscriptions []*subscription
	past          *collectors.Past
}

// NewBudget makes the counter of the requests. It has no price: what Azure Monitor asks for them is in no dated source
// that we know.
func NewBudget(memory collectors.Memory, clock func() time.Time) *budget.Budget {
	return budget.New(budget.Options{
		Cloud: Cloud, Service: Service, Memory: memory, Clock: clock, Price: budget.Price{Item: "requests"},
	})
}

// New makes a source. It connects to nothing.
func New(cfg Config, opts Options) (*Source, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("azurefiles: %w", err)
	}
	kept, err := azureapi.NewSelection(cfg.Include, cfg.Exclude)
	if err != nil {
		return nil, fmt.Errorf("azurefiles: %w", err)
	}
	opts, wanted := opts.withDefaults(), selection{kept}
	s := &Source{
		cfg: cfg, opts: opts, wanted: wanted, words: newVocabulary(cfg.APINames), groups: groups(), budget: opts.Budget, top: azureapi.MostSeries,
		clients: &clients{azureapi.NewClients(azureapi.ClientOptions{
			Access: cfg.access(), Budget: opts.Budget, API: apiOf, FirstRetry: opts.FirstRetry, Given: opts.Credential, Clock: opts.Clock,
			Unpaced: opts.Unpaced, Service: Service, Tracer: opts.Tracer, Agent: opts.Agent,
		})},
	}
	s.past = collectors.NewPast(collectors.PastOptions{Fill: s.fill, Minor: azureapi.Lasting, Pause: opts.BackfillPause, Logger: opts.Logger})
	for _, id := range cfg.Subscriptions {
		if sub := newSubscription(id); !wanted.LeavesOut(sub.id) {
			s.subscriptions = append(s.subscriptions, sub)
		}
	}
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Budget == nil {
		o.Budget = NewBudget(o.Memory, o.Clock)
	}
	return o
}

// Close gives idle connections up.
func (s *Source) Close() { s.clients.Close() }
