package azurefiles

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/collectors/connect"
)

// A trial repeats a request once and waits for no answer for long: somebody waits for the whole of it.
const (
	trialRetries = 1
	trialAttempt = 20 * time.Second
)

// trial is one try of everything that the collector needs.
type trial struct {
	*Source
	assignee string // who is to be granted what lacks, as the command line tool takes it
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
	s.clients.Retries, s.clients.Attempt = trialRetries, trialAttempt
	t := &trial{Source: s, assignee: anyAssignee}
	section := &connect.Section{Title: "Azure Files", Cloud: Cloud, Service: Service, Notes: t.notes()}
	asks, who, check := t.authenticate(ctx)
	section.As, section.Checks = who, []connect.Check{check}
	if asks != nil {
		t.run(ctx, asks, section)
	}
	if slices.ContainsFunc(section.Checks, func(c connect.Check) bool { return strings.Contains(c.Do, anyAssignee) }) {
		section.Notes = append(section.Notes, anyAssignee+" stands for who nasight runs as: an object id, an application id or a user name.")
	}
	section.Cost = connect.CostOf(opts.Budget)
	section.Cost.Bill = nil // no dated price of the requests is known
	return section, nil
}

func (t *trial) notes() []string {
	e := t.cfg.Endpoints
	var notes []string
	if e.ResourceManager+e.Metrics+e.Batch+e.Logs != "" {
		notes = append(notes, "azurefiles.endpoints names other addresses than Azure's: the answers hold for what is behind them.")
	}
	if len(t.subscriptions) == 0 {
		notes = append(notes, "No subscription is left to read: look at azurefiles.exclude.")
	}
	return notes
}

// run tries the subscriptions, some at a time, and asks.
func (t *trial) run(ctx context.Context, asks *session, section *connect.Section) {
	visits := make([]*visit, len(t.subscriptions))
	var group errgroup.Group
	group.SetLimit(concurrency)
	for i, sub := range t.subscriptions {
		visits[i] = &visit{sub: sub, at: t.opts.Clock()}
		group.Go(func() error {
			t.trySubscription(ctx, asks, visits[i])
			return nil
		})
	}
	_ = group.Wait() // failures are in the visits
	for _, v := range visits {
		section.Checks = append(section.Checks, v.checks...)
	}
	section.Answers = answers(visits, t.groups, t.words)
}
