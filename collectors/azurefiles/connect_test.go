package azurefiles

import (
	"context"
	"encoding/pem"
	"errors"
	"flag"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/connect/connecttest"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The operations, as the checks name them.
const (
	onProviders = "Microsoft.Resources/subscriptions/providers/read"
	onAccounts  = "Microsoft.Storage/storageAccounts/read"
	onShares    = "Microsoft.Storage/storageAccounts/fileServices/shares/read"
	onService   = "Microsoft.Storage/storageAccounts/fileServices/read"
	onUsages    = "Microsoft.Storage/storageAccounts/fileServices/usages/read"
	onFeatures  = "Microsoft.Features/providers/features/read"
	onMetrics   = "Microsoft.Insights/metrics/read"
	onBatch     = "Microsoft.Insights/metrics/read by getBatch"
	onLogs      = "Microsoft.Insights/logs/StorageFileLogs/read"
)

// connected is the section that a trial of the lab's subscriptions gives, logs included.
func (l *lab) connected(ctx context.Context) *connect.Section {
	l.t.Helper()
	cfg := l.config
	if cfg.Endpoints.Logs == "" {
		cfg.Endpoints.Logs = l.server.LogsURL()
	}
	section, err := Connect(ctx, cfg, l.opts)
	if err != nil {
		l.t.Fatal(err)
	}
	return section
}

// oneLine checks that every text of a section is one line of bounded length.
func oneLine(t *testing.T, section *connect.Section) {
	t.Helper()
	for _, check := range section.Checks {
		for _, text := range []string{check.Name, check.On, check.Says, check.Lacks, check.Do, check.Heard} {
			if len(text) > 1000 || strings.ContainsAny(text, "\n\r\t") {
				t.Errorf("%s: %q", check.Name, text)
			}
		}
	}
}

// The whole report on the example fleet.
func TestConnectGolden(t *testing.T) {
	l := newLab(t, nil, nil)
	report := &connect.Report{File: "nasight.yml", Clouds: []*connect.Section{l.connected(t.Context())}}
	var text, object strings.Builder
	if err := errors.Join(report.Text(&text), report.WriteJSON(&object)); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"connect.txt": text.String(), "connect.json": object.String()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v; make it with go test ./collectors/azurefiles -run Connect -update", err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	calls, failed := 0, 0
	for _, one := range l.server.Usage().Calls {
		calls, failed = calls+int(one.Count), failed+int(one.Failed)
	}
	if cost := report.Clouds[0].Cost; cost.Calls != calls || cost.Failed != failed || cost.Bill != nil {
		t.Errorf("the report counts %+v, the emulator %d calls and %d failures", cost, calls, failed)
	}
}

// The subscriptions of the example fleet, the first of which is fine in what follows.
const (
	fine = "00000000-0000-4000-8000-000000000001"
	odd  = "00000000-0000-4000-8000-000000000002"
)

// Each refusal is one check with its own cause, what lacks and a command; the other subscription and the other operations
// work.
func TestConnectRefusals(t *testing.T) {
	grant := func(role string) string {
		return `az role assignment create --assignee ASSIGNEE --role "` + role + `" --scope /subscriptions/` + odd
	}
	for _, row := range []struct {
		fault                         faults.Fault
		name, cause, lacks, do, other string // other is a check that works
		failures                      int
	}{
		{faults.Fault{Kind: faults.Forbidden, Method: "storageAccounts.list"}, onAccounts, azureapi.ReasonPermission, "the role Reader", grant("Reader"), onProviders, 1},
		{faults.Fault{Kind: faults.Forbidden, Method: "shares.list"}, onShares, azureapi.ReasonPermission, "the role Reader", grant("Reader"), onMetrics, 1},
		{faults.Fault{Kind: faults.Forbidden, Method: "fileServices.get"}, onService, azureapi.ReasonPermission, "the role Reader", grant("Reader"), onShares, 1},
		{faults.Fault{Kind: faults.Forbidden, Method: "usages.get"}, onUsages, azureapi.ReasonPermission, "the role Reader", grant("Reader"), onService, 1},
		{faults.Fault{Kind: faults.Forbidden, Method: "features.get"}, onFeatures, azureapi.ReasonPermission, "the role Reader", grant("Reader"), onMetrics, 2},
		{faults.Fault{Kind: faults.Forbidden, Method: "metrics.query"}, onMetrics, azureapi.ReasonPermission, "the role Monitoring Reader", grant("Monitoring Reader"), onLogs, 1},
		{faults.Fault{Kind: faults.Forbidden, Method: "logs.query"}, onLogs, azureapi.ReasonPermission, "the role Log Analytics Reader", grant("Log Analytics Reader"), onMetrics, 1},
		{faults.Fault{Kind: faults.ServiceDisabled, Method: "metrics.query"}, onMetrics, azuretrial.CauseUnregistered, "the resource provider Microsoft.Insights",
			"az provider register --namespace Microsoft.Insights --subscription " + odd, onShares, 1},
		{faults.Fault{Kind: faults.ServiceDisabled, Method: "usages.get"}, onUsages, azuretrial.CauseUnregistered, "the resource provider Microsoft.Storage",
			"az provider register --namespace Microsoft.Storage --subscription " + odd, onMetrics, 1},
		{faults.Fault{Kind: faults.Unauthenticated, Method: "shares.list"}, onShares, azureapi.ReasonAuthentication, "", "azurefiles.identity", onMetrics, 1},
		{faults.Fault{Kind: faults.TooManyRequests, Method: "fileServices.get"}, onService, azureapi.ReasonRateLimited, "", "try again in five minutes", onMetrics, 1},
		{faults.Fault{Kind: faults.Overloaded, Method: "metrics.query"}, onMetrics, azureapi.ReasonRateLimited, "", "try again in five minutes", onShares, 1},
		{faults.Fault{Kind: faults.Unavailable, Method: "features.get"}, onFeatures, azureapi.ReasonUnavailable, "", "firewall", onMetrics, 2},
		{faults.Fault{Kind: faults.Cut, Method: "shares.list"}, onShares, azureapi.ReasonUnavailable, "", "firewall", onService, 1},
		{faults.Fault{Kind: faults.Refused, Method: "metrics.query"}, onMetrics, azureapi.ReasonInvalid, "", "azurefiles.endpoints", onShares, 1},
		{faults.Fault{Kind: faults.WrongType, Method: "shares.list"}, onShares, azureapi.ReasonInvalid, "", "azurefiles.endpoints", onMetrics, 1},
	} {
		t.Run(string(row.fault.Kind)+" "+row.fault.Method, func(t *testing.T) {
			l := newLab(t, nil, nil)
			row.fault.Project = odd
			l.inject(row.fault)
			section := l.connected(t.Context())
			got := connecttest.Checked(t, section, row.name, odd)
			if got.Status != connect.Failed || got.Cause != row.cause || got.Lacks != row.lacks || !strings.Contains(got.Do, row.do) || got.Says == "" {
				t.Errorf("%+v", got)
			}
			if counts := connecttest.Statuses(section); counts[connect.Failed] != row.failures {
				t.Errorf("%v of %+v", counts, section.Checks)
			}
			if other := connecttest.Checked(t, section, row.other, odd); other.Status != connect.OK {
				t.Errorf("%+v", other)
			}
			if same := connecttest.Checked(t, section, row.name, fine); same.Status != connect.OK {
				t.Errorf("%+v", same)
			}
			oneLine(t, section)
		})
	}
}

// A subscription that is not registered for a resource provider: its state says so, and so does what the provider refuses.
func TestConnectUnregistered(t *testing.T) {
	for provider, failed := range map[string]map[string]bool{
		"Microsoft.Insights": {onProviders: true, onMetrics: true},
		"Microsoft.Storage":  {onProviders: true, onAccounts: true},
	} {
		fleet := fleetOf(1, 1)
		fleet.Subscriptions[0].Unregistered = []string{provider}
		section := newLab(t, fleet, nil).connected(t.Context())
		for _, check := range section.Checks {
			bad := failed[check.Name] && (check.Name != onProviders || strings.HasPrefix(check.On, "provider "+provider))
			if bad != (check.Status == connect.Failed) {
				t.Errorf("%s: %+v", provider, check)
			}
			if bad && (check.Cause != azuretrial.CauseUnregistered || check.Do != "az provider register --namespace "+provider+" --subscription "+testSubscription) {
				t.Errorf("%s: %+v", provider, check)
			}
		}
	}
}

// Nothing but a trial reads the states of resource providers: without that permission everything works.
func TestConnectProvidersMayNotBeRead(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), nil)
	l.inject(faults.Fault{Kind: faults.Forbidden, Method: "providers.get"})
	section := l.connected(t.Context())
	if got := connecttest.Statuses(section); got[connect.Failed] != 0 || got[connect.Warning] != 2 {
		t.Errorf("%v of %+v", got, section.Checks)
	}
	if got := connecttest.Checked(t, section, onProviders, testSubscription); got.Lacks != "the role Reader" || got.Do == "" {
		t.Errorf("%+v", got)
	}
}

// The batch API is asked in any case. What it refuses is a failure only where the configuration uses it.
func TestConnectBatch(t *testing.T) {
	for name, row := range map[string]struct {
		kind        faults.Kind
		known       bool
		says        string
		cause, does string
	}{
		"taken":     {"", true, "Yes: in westeurope.", "", ""},
		"refused":   {faults.Refused, true, "No: not in westeurope.", causeBatch, "set azurefiles.batch to false"},
		"forbidden": {faults.Forbidden, false, "the role Monitoring Reader on the subscription", azureapi.ReasonPermission, `--role "Monitoring Reader"`},
		"cut":       {faults.Cut, false, "it could not be asked", azureapi.ReasonUnavailable, "firewall"},
	} {
		for _, configured := range []bool{false, true} {
			l := newLab(t, fleetOf(1, 1), func(c *Config, _ *azure.Options) { c.Batch = configured })
			if row.kind != "" {
				l.inject(faults.Fault{Kind: row.kind, Method: "metrics.batch"})
			}
			section := l.connected(t.Context())
			if got := connecttest.Answered(t, section, "batch"); got.Known != row.known || !strings.Contains(got.Says, row.says) {
				t.Errorf("%s: %+v", name, got)
			}
			failed := map[bool]int{true: 1}[configured && row.kind != ""]
			if got := connecttest.Statuses(section); got[connect.Failed] != failed {
				t.Errorf("%s: %v of %+v", name, got, section.Checks)
			}
			if !configured {
				continue
			}
			if got := connecttest.Checked(t, section, onBatch, testSubscription); got.Cause != row.cause || !strings.Contains(got.Do, row.does) {
				t.Errorf("%s: %+v", name, got)
			}
			if row.kind != faults.Cut && l.server.Usage().Of("metrics.batch") != 1 {
				t.Errorf("%s: asked %d times", name, l.server.Usage().Of("metrics.batch"))
			}
		}
	}
}

// What is missing or new is said, and is no failure.
func TestConnectWarnings(t *testing.T) {
	for name, row := range map[string]struct {
		fault faults.Fault
		check string
		says  string
	}{
		"metric fails":   {faults.Fault{Kind: faults.MetricError, Metric: "Egress"}, onMetrics, "12 of 13 metrics can be read; the service leaves out Egress (rate_limited)"},
		"no points":      {faults.Fault{Kind: faults.Missing}, onMetrics, "no metric has a point"},
		"no shares":      {faults.Fault{Kind: faults.Vanished}, onShares, "0 shares; there is no share to read"},
		"later accounts": {faults.Fault{Kind: faults.UnknownEnum, Method: "storageAccounts.list"}, onAccounts, "0 accounts that can have file shares; there is nothing to read"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, fleetOf(1, 1), nil)
			l.inject(row.fault)
			section := l.connected(t.Context())
			got := connecttest.Checked(t, section, row.check, testSubscription)
			if got.Status != connect.Warning || !strings.Contains(got.Says, row.says) {
				t.Errorf("%+v", got)
			}
			if counts := connecttest.Statuses(section); counts[connect.Failed] != 0 {
				t.Errorf("%+v", section.Checks)
			}
		})
	}
}

// Where only one wildcard is taken, or one metric is refused, the trial finds the way that the collector finds.
func TestConnectFindsTheMode(t *testing.T) {
	for name, row := range map[string]struct {
		refuse    func(url.Values) bool
		wildcards string
		metrics   string
	}{
		"one wildcard": {func(q url.Values) bool { return strings.Count(q.Get("$filter"), "'*'") > 1 }, "No: it is asked for 40 shares", "13 of 13"},
		"one metric":   {func(q url.Values) bool { return strings.Contains(q.Get("metricnames"), "MaxUsedIOPS") }, "Yes.", "12 of 13 metrics can be read; the service leaves out FileShareMaxUsedIOPS (invalid)"},
	} {
		l := newLab(t, fleetOf(1, 3), nil)
		l.before(row.refuse)
		section := l.connected(t.Context())
		if got := connecttest.Answered(t, section, "wildcards"); !strings.HasPrefix(got.Says, row.wildcards) {
			t.Errorf("%s: %+v", name, got)
		}
		if got := connecttest.Checked(t, section, onMetrics, testSubscription); !strings.Contains(got.Says, row.metrics) || got.Status == connect.Failed {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// An end of time or an interruption leaves failures that say so, and no hanging.
func TestConnectEnds(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), nil)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	for says, ctx := range map[string]context.Context{"not tried: interrupted": canceled, "not tried: out of time": expired} {
		section := l.connected(ctx)
		if got := connecttest.Statuses(section); got[connect.Failed] != len(section.Checks)-1 {
			t.Errorf("%v of %+v", got, section.Checks)
		}
		if got := connecttest.Checked(t, section, onMetrics, testSubscription); got.Says != says || got.Cause != connect.CauseUntried {
			t.Errorf("%+v", got)
		}
		for _, answer := range section.Answers {
			if answer.Known || answer.Says == "" {
				t.Errorf("%+v", answer)
			}
		}
	}
	l.inject(faults.Fault{Kind: faults.Latency, Delay: time.Hour, Method: "providers.get"})
	// Long enough for what is tried before, on a machine with a hundred things to do.
	short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if got := connecttest.Checked(t, l.connected(short), onProviders, testSubscription); got.Cause != azureapi.ReasonTimeout || got.Status != connect.Failed {
		t.Errorf("%+v", got)
	}
}

// Nobody listens, or somebody whose certificate nobody vouches for.
func TestConnectUnreachable(t *testing.T) {
	stranger := quiet(t, http.NotFoundHandler())
	other := filepath.Join(t.TempDir(), "other.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: stranger.Certificate().Raw}
	if err := os.WriteFile(other, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		change    func(*Endpoints)
		cause, do string
	}{
		"nobody":       {func(e *Endpoints) { e.ResourceManager = "https://127.0.0.1:1" }, azureapi.ReasonUnavailable, "azurefiles.endpoints"},
		"other CA":     {func(e *Endpoints) { e.CAFile = other }, azuretrial.CauseCertificate, "azurefiles.endpoints.ca_file"},
		"other server": {func(e *Endpoints) { e.ResourceManager = stranger.URL }, azuretrial.CauseCertificate, "azurefiles.endpoints.ca_file"},
	} {
		l := newLab(t, fleetOf(1, 1), nil)
		row.change(&l.config.Endpoints)
		section := l.connected(t.Context())
		for _, check := range section.Checks {
			if check.Status != connect.Skipped && (check.Cause != row.cause || !strings.Contains(check.Do, row.do) || !strings.Contains(check.Heard, "127.0.0.1:")) {
				t.Errorf("%s: %+v", name, check)
			}
		}
		if got := connecttest.Statuses(section); got[connect.Failed] != 5 {
			t.Errorf("%s: %v of %+v", name, got, section.Checks)
		}
		oneLine(t, section)
	}
}

// A server that is no Azure is told from one that refuses.
func TestConnectOtherService(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), nil)
	l.config.Endpoints.ResourceManager = l.server.URL() + "/elsewhere"
	section := l.connected(t.Context())
	if got := connecttest.Checked(t, section, onAccounts, testSubscription); got.Cause != azureapi.ReasonNotFound || !strings.Contains(got.Do, "azurefiles.endpoints") {
		t.Errorf("%+v", got)
	}
}

// A pause that Azure asks for and that is longer than the trial ends it at once, and says so.
func TestConnectIsToldToWait(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), nil)
	l.inject(faults.Fault{Kind: faults.TooManyRequests, RetryAfter: time.Hour, Method: "shares.list"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	section := l.connected(ctx)
	for _, name := range []string{onShares, onService, onMetrics} {
		if got := connecttest.Checked(t, section, name, testSubscription); got.Cause != azureapi.ReasonRateLimited || got.Do == "" {
			t.Errorf("%+v", got)
		}
	}
	if ctx.Err() != nil {
		t.Error("it waited")
	}
}

func TestConnectNeedsASubscription(t *testing.T) {
	if _, err := Connect(t.Context(), DefaultConfig(), Options{}); err == nil {
		t.Error("no error without subscriptions")
	}
	bad := DefaultConfig()
	bad.Subscriptions = []string{"none"}
	if _, err := Connect(t.Context(), bad, Options{}); err == nil {
		t.Error("no error with a bad subscription")
	}
	l := newLab(t, fleetOf(1, 1), func(c *Config, _ *azure.Options) { c.Exclude = []string{".*"} })
	if section := l.connected(t.Context()); !slices.ContainsFunc(section.Notes, func(n string) bool { return strings.Contains(n, "azurefiles.exclude") }) {
		t.Errorf("%+v", section)
	}
}

// A subscription that is not there, or of which nothing may be seen.
func TestConnectUnknownSubscription(t *testing.T) {
	const unknown = "00000000-0000-4000-8000-00000000ffff"
	l := newLab(t, fleetOf(1, 1), func(c *Config, _ *azure.Options) { c.Subscriptions = append(c.Subscriptions, unknown) })
	section := l.connected(t.Context())
	if got := connecttest.Checked(t, section, onAccounts, unknown); got.Cause != azuretrial.CauseSubscription || got.Do != "az account show --subscription "+unknown {
		t.Errorf("%+v", got)
	}
	if got := connecttest.Checked(t, section, onAccounts, testSubscription); got.Status != connect.OK {
		t.Errorf("%+v", got)
	}
}
