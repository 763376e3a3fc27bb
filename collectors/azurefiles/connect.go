package azurefiles

import (
	"context"
	"errors"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
)

// trial is one try of everything that the collector needs.
type trial struct {
	*Source
	azuretrial.Trial
}

// Connect tries with the configuration's own clients and credentials what the collector needs of each subscription, and
// asks the cloud what its documentation leaves open. Checks that fail are in the section; an error is one of the
// configuration. When ctx ends, what is not done yet is told as failed.
func Connect(ctx context.Context, cfg Config, opts Options) (*connect.Section, error) {
	if !cfg.Enabled() {
		return nil, errors.New("azurefiles: no subscriptions: there is nothing to connect to")
	}
	opts.Budget = NewBudget(nil, opts.Clock) // the trial's own, so that it knows what it called
	s, err := New(cfg, opts)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	t := &trial{s, azuretrial.New("azurefiles", cfg.Identity, opts.Credential)}
	section := &connect.Section{Title: "Azure Files", Cloud: Cloud, Service: Service, Notes: t.notes()}
	visits := make([]*visit, len(t.subscriptions))
	for i, sub := range t.subscriptions {
		visits[i] = &visit{sub: sub, at: t.opts.Clock()}
	}
	if t.Run(ctx, section, s.clients.Clients, opts.Budget, len(visits), func(ctx context.Context, asks *azureapi.Session, number int) []connect.Check {
		return t.trySubscription(ctx, &session{asks}, visits[number])
	}) {
		section.Answers = answers(visits, t.groups, t.words)
	}
	return section, nil
}

func (t *trial) notes() []string {
	e := t.cfg.Endpoints
	return azuretrial.Notes("azurefiles", e.ResourceManager+e.Metrics+e.Batch+e.Logs != "", len(t.subscriptions))
}
