package azurefiles

import (
	"context"
	"time"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
)

// visit is what a trial saw of one subscription.
type visit struct {
	sub     *subscription
	at      time.Time
	samples []*sample    // accounts that were looked at, the one first that metrics are asked of
	read    []groupTrial // of the samples
	batch   batchTrial

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
type outcome = azuretrial.Outcome

// steps are what the collector needs of a subscription. Inventory comes first: the others look at what is in it.
func (t *trial) steps(asks *session, v *visit) []azuretrial.Step {
	const (
		accounts = "Microsoft.Storage/storageAccounts/read"
		service  = "Microsoft.Storage/storageAccounts/fileServices/read"
		shares   = "Microsoft.Storage/storageAccounts/fileServices/shares/read"
		usages   = "Microsoft.Storage/storageAccounts/fileServices/usages/read"
		features = "Microsoft.Features/providers/features/read"
		metrics  = "Microsoft.Insights/metrics/read"
		logs     = "Microsoft.Insights/logs/" + logTable + "/read"
	)
	step := func(name, provider, role, part string, try func(context.Context, *session, *visit) outcome) azuretrial.Step {
		return azuretrial.Step{
			Need: azuretrial.Need{Name: name, Provider: provider, Role: role}, Part: part,
			Try: func(ctx context.Context) outcome { return try(ctx, asks, v) },
		}
	}
	all := []azuretrial.Step{
		azuretrial.Provider(asks.Session, v.sub.id, storageProvider), azuretrial.Provider(asks.Session, v.sub.id, azuretrial.InsightsProvider),
		step(accounts, storageProvider, azuretrial.ReaderRole, "", t.tryAccounts),
		step(shares, storageProvider, azuretrial.ReaderRole, "", t.tryShares),
		step(service, storageProvider, azuretrial.ReaderRole, "", tryService),
		step(usages, storageProvider, azuretrial.ReaderRole, "", tryUsages),
	}
	for _, name := range featureNames() {
		all = append(all, step(features, "", azuretrial.ReaderRole, "feature "+name, tryFeature(name)))
	}
	all = append(all, step(metrics, azuretrial.InsightsProvider, azuretrial.MonitoringRole, "", t.tryMetrics))
	if t.cfg.Batch {
		all = append(all, step(metrics+" by getBatch", azuretrial.InsightsProvider, azuretrial.MonitoringRole, "", t.tryBatch))
	}
	if t.cfg.Endpoints.Logs != "" || len(t.cfg.Logs.Workspaces) > 0 {
		all = append(all, step(logs, azuretrial.InsightsProvider, azuretrial.LogsRole, "", tryLogs))
	}
	return all
}

// trySubscription takes all steps, and asks what no document tells.
func (t *trial) trySubscription(ctx context.Context, asks *session, v *visit) []connect.Check {
	checks := t.Take(ctx, v.sub.id, t.steps(asks, v))
	if ctx.Err() == nil {
		t.askBatch(ctx, asks, v)
		askDefinitions(ctx, asks, v)
	}
	return checks
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
