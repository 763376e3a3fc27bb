package azuretrial

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"golang.org/x/sync/errgroup"

	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// A trial repeats a request once and waits for no answer for long: somebody waits for the whole of it.
const (
	trialRetries = 1
	trialAttempt = 20 * time.Second
	concurrency  = 8 // subscriptions at a time
)

// Trial is one try of everything that a source needs.
type Trial struct {
	Section   string // of the configuration, such as azurefiles
	Identity  string // the configured kind
	Anonymous bool   // no credentials are sent
	assignee  string // who is to be granted what lacks, as the command line tool takes it
}

// New makes a trial of a section of the configuration. given are credentials beside those that it names; nil for none.
func New(section string, identity azureapi.Identity, given azcore.TokenCredential) Trial {
	return Trial{Section: section, Identity: identity.Kind, Anonymous: identity.Kind == azureapi.IdentityNone && given == nil}
}

// Step is a need and how it is tried.
type Step struct {
	Need
	Part string // of the subscription that it is tried on; empty for all of it
	Try  func(ctx context.Context) Outcome
}

// Explained is an error that says by itself what is wrong and what to do.
type Explained interface {
	error
	Explain() (cause, says, do string)
}

// Outcome is what a need gave when it was tried.
type Outcome struct {
	Part   string   // what it was tried on, where only trying showed that
	Found  string   // what is there
	Odd    []string // what has to be known about it
	Do     string   // about what is odd
	Absent string   // why there was nothing to try it on
	Err    error
}

// Run gets a token and then tries the subscriptions, some at a time, by their numbers. It puts into the section who asked, the
// checks and the cost, and says whether there was a token.
func (t *Trial) Run(ctx context.Context, section *connect.Section, clients *azureapi.Clients, counted *budget.Budget, subscriptions int,
	try func(ctx context.Context, asks *azureapi.Session, number int) []connect.Check,
) (admitted bool) {
	t.assignee = anyAssignee
	clients.Retries, clients.Attempt = trialRetries, trialAttempt
	asks, who, check := t.Authenticate(ctx, clients)
	section.As, section.Checks = who, []connect.Check{check}
	if asks != nil {
		section.Checks = append(section.Checks, each(subscriptions, func(number int) []connect.Check { return try(ctx, asks, number) })...)
	}
	if slices.ContainsFunc(section.Checks, func(c connect.Check) bool { return strings.Contains(c.Do, anyAssignee) }) {
		section.Notes = append(section.Notes, anyAssignee+" stands for who nasight runs as: an object id, an application id or a user name.")
	}
	section.Cost = connect.CostOf(counted)
	section.Cost.Bill = nil // no dated price of the requests is known
	return asks != nil
}

// Notes are about the configuration of a trial: elsewhere says that it names other addresses than Azure's.
func Notes(section string, elsewhere bool, subscriptions int) []string {
	var notes []string
	if elsewhere {
		notes = append(notes, section+".endpoints names other addresses than Azure's: the answers hold for what is behind them.")
	}
	if subscriptions == 0 {
		notes = append(notes, "No subscription is left to read: look at "+section+".exclude.")
	}
	return notes
}

// each makes checks side by side, and gives them in order.
func each(count int, try func(number int) []connect.Check) []connect.Check {
	checks := make([][]connect.Check, count)
	var group errgroup.Group
	group.SetLimit(concurrency)
	for number := range count {
		group.Go(func() error {
			checks[number] = try(number)
			return nil
		})
	}
	_ = group.Wait() // failures are in the checks
	return slices.Concat(checks...)
}

// Take takes all steps in a subscription, also after one that failed: each failure has a cause of its own.
func (t *Trial) Take(ctx context.Context, subscription string, steps []Step) []connect.Check {
	var checks []connect.Check
	for _, step := range steps {
		on := Target{subscription, step.Part}
		if ctx.Err() != nil {
			checks = append(checks, connect.Untried(ctx, step.Name, on.String()))
			continue
		}
		checks = append(checks, t.judge(step.Need, on, step.Try(ctx)))
	}
	return checks
}

// judge says what an outcome means.
func (t *Trial) judge(wants Need, on Target, got Outcome) connect.Check {
	if got.Part != "" {
		on.Part = got.Part
	}
	check := connect.Check{Name: wants.Name, On: on.String(), Status: connect.OK, Says: got.Found}
	switch {
	case got.Err != nil:
		return t.Refusal(wants, on, got.Err)
	case got.Absent != "":
		check.Status, check.Says = connect.Skipped, got.Absent
	case len(got.Odd) > 0:
		check.Status, check.Do = connect.Warning, got.Do
		check.Says = strings.TrimPrefix(strings.Join(append([]string{got.Found}, got.Odd...), "; "), "; ")
	}
	return check
}
