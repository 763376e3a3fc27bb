package azurefiles

import (
	"context"
	"strings"
	"time"

	"github.com/nasight/nasight/collectors/connect"
)

// visit is what a trial saw of one subscription.
type visit struct {
	sub     *subscription
	at      time.Time
	samples []*sample    // accounts that were looked at, the one first that metrics are asked of
	read    []groupTrial // of the samples
	batch   batchTrial
	checks  []connect.Check

	defined    []definition // of the first sample's metrics
	definedErr error
}

// sample is an account that stands for the others.
type sample struct {
	details *details
	files   *fileConfig // nil where its shares could not be read
	shares  []string    // wanted ones
}

// has says whether one of the wanted shares is of a protocol.
func (s *sample) has(protocol string) bool {
	for _, name := range s.shares {
		if protocolOf(s.files.shares[name].properties) == protocol {
			return true
		}
	}
	return false
}

// part names the sample for a target.
func (s *sample) part() string { return "account " + s.details.name }

// outcome is what a need gave when it was tried.
type outcome struct {
	part   string   // what it was tried on, where only trying showed that
	found  string   // what is there
	odd    []string // what has to be known about it
	do     string   // about what is odd
	absent string   // why there was nothing to try it on
	err    error
}

// step is a need and how it is tried.
type step struct {
	need
	part string // of the subscription that it is tried on; empty for all of it
	try  func(ctx context.Context, asks *session, v *visit) outcome
}

// steps are what the collector needs of a subscription. Inventory comes first: the others look at what is in it.
func (t *trial) steps() []step {
	const (
		providers = "Microsoft.Resources/subscriptions/providers/read"
		accounts  = "Microsoft.Storage/storageAccounts/read"
		service   = "Microsoft.Storage/storageAccounts/fileServices/read"
		shares    = "Microsoft.Storage/storageAccounts/fileServices/shares/read"
		usages    = "Microsoft.Storage/storageAccounts/fileServices/usages/read"
		features  = "Microsoft.Features/providers/features/read"
		metrics   = "Microsoft.Insights/metrics/read"
		logs      = "Microsoft.Insights/logs/" + logTable + "/read"
	)
	var all []step
	for _, name := range []string{storageProvider, insightsProvider} {
		all = append(all, step{need{providers, "", readerRole, true}, "provider " + name, tryProvider(name)})
	}
	all = append(all,
		step{need{accounts, storageProvider, readerRole, false}, "", t.tryAccounts},
		step{need{shares, storageProvider, readerRole, false}, "", t.tryShares},
		step{need{service, storageProvider, readerRole, false}, "", tryService},
		step{need{usages, storageProvider, readerRole, false}, "", tryUsages})
	for _, name := range featureNames() {
		all = append(all, step{need{features, "", readerRole, false}, "feature " + name, tryFeature(name)})
	}
	all = append(all, step{need{metrics, insightsProvider, monitoringRole, false}, "", t.tryMetrics})
	if t.cfg.Batch {
		all = append(all, step{need{metrics + " by getBatch", insightsProvider, monitoringRole, false}, "", t.tryBatch})
	}
	if t.cfg.Endpoints.Logs != "" || len(t.cfg.Logs.Workspaces) > 0 {
		all = append(all, step{need{logs, insightsProvider, logsRole, false}, "", tryLogs})
	}
	return all
}

// trySubscription takes all steps, also after one that failed: each failure has a cause of its own.
func (t *trial) trySubscription(ctx context.Context, asks *session, v *visit) {
	for _, s := range t.steps() {
		if ctx.Err() != nil {
			v.checks = append(v.checks, connect.Untried(ctx, s.name, target{v.sub.id, s.part}.String()))
			continue
		}
		v.checks = append(v.checks, t.judge(s, v, s.try(ctx, asks, v)))
	}
	if ctx.Err() == nil {
		t.askBatch(ctx, asks, v)
		askDefinitions(ctx, asks, v)
	}
}

// judge says what an outcome means.
func (t *trial) judge(s step, v *visit, got outcome) connect.Check {
	on := target{v.sub.id, s.part}
	if got.part != "" {
		on.part = got.part
	}
	check := connect.Check{Name: s.name, On: on.String(), Status: connect.OK, Says: got.found}
	switch {
	case got.err != nil:
		return t.refusal(s.need, on, got.err)
	case got.absent != "":
		check.Status, check.Says = connect.Skipped, got.absent
	case len(got.odd) > 0:
		check.Status, check.Do = connect.Warning, got.do
		check.Says = strings.TrimPrefix(strings.Join(append([]string{got.found}, got.odd...), "; "), "; ")
	}
	return check
}

// oddities tells how much of what was read last made no sense, and forgets it.
func (v *visit) oddities() []string {
	v.sub.mu.Lock()
	defer v.sub.mu.Unlock()
	count := 0
	for _, n := range v.sub.odd[inventoryName] {
		count += n
	}
	clear(v.sub.odd)
	if count == 0 {
		return nil
	}
	return []string{connect.Count(count, "item") + " of the list made no sense"}
}
