// Package azurenetapp reads Azure NetApp Files: capacity pools and volumes from Resource Manager, performance and space
// from Azure Monitor. It reads on clocks of its own; what is rendered or queried never makes a request.
package azurenetapp

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"go.opentelemetry.io/otel/trace"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// The labels of everything that this package reads.
const (
	Cloud   = "azure"
	Service = "azurenetapp"
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
}

// Source reads the configured subscriptions. Its collectors share credentials, pace and what is known of each
// subscription. It is safe for concurrent use.
type Source struct {
	cfg           Config
	opts          Options
	wanted        azureapi.Selection
	groups        []*group
	clients       *azureapi.Clients
	budget        *budget.Budget
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
		return nil, fmt.Errorf("azurenetapp: %w", err)
	}
	wanted, err := azureapi.NewSelection(cfg.Include, cfg.Exclude)
	if err != nil {
		return nil, fmt.Errorf("azurenetapp: %w", err)
	}
	opts = opts.withDefaults()
	s := &Source{
		cfg: cfg, opts: opts, wanted: wanted, groups: groups(), budget: opts.Budget,
		clients: azureapi.NewClients(azureapi.ClientOptions{
			Access: cfg.access(), Budget: opts.Budget, API: apiOf, FirstRetry: opts.FirstRetry, Given: opts.Credential, Clock: opts.Clock,
			Service: Service, Tracer: opts.Tracer, Agent: opts.Agent,
		}),
	}
	s.past = collectors.NewPast(collectors.PastOptions{Fill: s.fill, Minor: azureapi.Lasting, Pause: opts.BackfillPause, Logger: opts.Logger})
	for _, id := range cfg.Subscriptions {
		if id = strings.ToLower(id); !wanted.LeavesOut(id) {
			s.subscriptions = append(s.subscriptions, newSubscription(id))
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

// apiOf names what a request asks for, for the counters.
func apiOf(path string) string {
	switch lower := strings.ToLower(strings.TrimSuffix(path, "/")); {
	case strings.HasSuffix(lower, "microsoft.insights/metrics"):
		return "metrics.get"
	case strings.HasSuffix(lower, "/netappaccounts"):
		return "netAppAccounts.read"
	case strings.HasSuffix(lower, "/capacitypools"):
		return "capacityPools.read"
	case strings.HasSuffix(lower, "/volumes"):
		return "volumes.read"
	}
	return "other"
}
