package azurenetapp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/netapp/armnetapp/v8"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
)

const netappProvider = "Microsoft.NetApp"

// trial is one try of everything that the collector needs.
type trial struct {
	*Source
	azuretrial.Trial
}

// outcome is what a need gave when it was tried.
type outcome = azuretrial.Outcome

// Connect tries with the configuration's own clients and credentials what the collector needs of each subscription. Checks that
// fail are in the section; an error is one of the configuration. When ctx ends, what is not done yet is told as failed.
func Connect(ctx context.Context, cfg Config, opts Options) (*connect.Section, error) {
	if !cfg.Enabled() {
		return nil, errors.New("azurenetapp: no subscriptions: there is nothing to connect to")
	}
	opts.Budget = NewBudget(nil, opts.Clock) // the trial's own, so that it knows what it called
	s, err := New(cfg, opts)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	t := &trial{s, azuretrial.New("azurenetapp", cfg.Identity, opts.Credential)}
	e := cfg.Endpoints
	section := &connect.Section{
		Title: "Azure NetApp Files", Cloud: Cloud, Service: Service,
		Notes: azuretrial.Notes(t.Section, e.ResourceManager+e.Metrics+e.Batch+e.Logs != "", len(t.subscriptions)),
	}
	t.Run(ctx, section, s.clients, opts.Budget, len(t.subscriptions), func(ctx context.Context, asks *azureapi.Session, number int) []connect.Check {
		v := &visit{trial: t, asks: asks, sub: t.subscriptions[number], at: t.opts.Clock()}
		return t.Take(ctx, v.sub.id, v.steps())
	})
	return section, nil
}

// visit is a trial of one subscription, and what it saw.
type visit struct {
	*trial
	asks *azureapi.Session
	sub  *subscription
	at   time.Time

	accounts []place
	pools    []*pool // of the first account that has some
	pool     *pool   // that has the volume, else the first one; nil for none
	volume   *volume // nil for none
}

// steps are what the collector needs. Inventory comes first: the others look at what is in it.
func (v *visit) steps() []azuretrial.Step {
	const (
		accounts = "Microsoft.NetApp/netAppAccounts/read"
		pools    = "Microsoft.NetApp/netAppAccounts/capacityPools/read"
		volumes  = "Microsoft.NetApp/netAppAccounts/capacityPools/volumes/read"
		metrics  = "Microsoft.Insights/metrics/read"
	)
	inventory := func(name string, try func(context.Context) outcome) azuretrial.Step {
		return azuretrial.Step{Need: azuretrial.Need{Name: name, Provider: netappProvider, Role: azuretrial.ReaderRole}, Try: try}
	}
	return []azuretrial.Step{
		azuretrial.Provider(v.asks, v.sub.id, netappProvider), azuretrial.Provider(v.asks, v.sub.id, azuretrial.InsightsProvider),
		inventory(accounts, v.tryAccounts), inventory(pools, v.tryPools), inventory(volumes, v.tryVolumes),
		{Need: azuretrial.Need{Name: metrics, Provider: azuretrial.InsightsProvider, Role: azuretrial.MonitoringRole}, Try: v.tryMetrics},
	}
}

func (v *visit) factory() (*armnetapp.ClientFactory, error) {
	factory, err := armnetapp.NewClientFactory(v.sub.id, v.asks.Credential, v.asks.ARM())
	if err != nil {
		return nil, fmt.Errorf("client of Azure NetApp Files: %w", err)
	}
	return factory, nil
}
