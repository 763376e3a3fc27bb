package azurenetapp

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/connect/connecttest"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The operations, as the checks name them.
const (
	onProviders = "Microsoft.Resources/subscriptions/providers/read"
	onAccounts  = "Microsoft.NetApp/netAppAccounts/read"
	onPools     = "Microsoft.NetApp/netAppAccounts/capacityPools/read"
	onVolumes   = "Microsoft.NetApp/netAppAccounts/capacityPools/volumes/read"
	onMetrics   = "Microsoft.Insights/metrics/read"
)

// connected is the section that a trial of the lab's subscriptions gives.
func (l *lab) connected(ctx context.Context) *connect.Section {
	l.t.Helper()
	section, err := Connect(ctx, l.config, l.opts)
	if err != nil {
		l.t.Fatal(err)
	}
	return section
}

// The whole report on the example fleet, whose second subscription has no account.
func TestConnectGolden(t *testing.T) {
	l := newLab(t, nil, nil)
	report := &connect.Report{File: "nasight.yml", Clouds: []*connect.Section{l.connected(t.Context())}}
	var text strings.Builder
	if err := report.Text(&text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "connect.txt")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(text.String()), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with go test ./collectors/azurenetapp -run Connect -update", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text.String(), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
	calls := 0
	for _, one := range l.server.Usage().Calls {
		calls += int(one.Count)
	}
	if cost := report.Clouds[0].Cost; cost.Calls != calls || cost.Bill != nil {
		t.Errorf("the report counts %+v, the emulator %d calls", cost, calls)
	}
}

// Each refusal is one check with its own cause, what lacks and a command; the other subscription and the other operations work.
func TestConnectRefusals(t *testing.T) {
	const other = "00000000-0000-4000-8000-000000000002"
	grant := func(role string) string {
		return `az role assignment create --assignee ASSIGNEE --role "` + role + `" --scope /subscriptions/` + other
	}
	for _, row := range []struct {
		fault                  faults.Fault
		name, cause, lacks, do string
		skipped                int // what cannot be tried then
	}{
		{faults.Fault{Kind: faults.Forbidden, Method: "netAppAccounts.list"}, onAccounts, azureapi.ReasonPermission, "the role Reader", grant("Reader"), 3},
		{faults.Fault{Kind: faults.Forbidden, Method: "capacityPools.list"}, onPools, azureapi.ReasonPermission, "the role Reader", grant("Reader"), 2},
		{faults.Fault{Kind: faults.Forbidden, Method: "volumes.list"}, onVolumes, azureapi.ReasonPermission, "the role Reader", grant("Reader"), 0},
		{faults.Fault{Kind: faults.Forbidden, Method: "metrics.query"}, onMetrics, azureapi.ReasonPermission, "the role Monitoring Reader", grant("Monitoring Reader"), 0},
		{faults.Fault{Kind: faults.ServiceDisabled, Method: "capacityPools.list"}, onPools, azuretrial.CauseUnregistered, "the resource provider Microsoft.NetApp",
			"az provider register --namespace Microsoft.NetApp --subscription " + other, 2},
		{faults.Fault{Kind: faults.Unauthenticated, Method: "volumes.list"}, onVolumes, azureapi.ReasonAuthentication, "", "azurenetapp.identity", 0},
		{faults.Fault{Kind: faults.TooManyRequests, Method: "metrics.query"}, onMetrics, azureapi.ReasonRateLimited, "", "try again in five minutes", 0},
		{faults.Fault{Kind: faults.Cut, Method: "volumes.list"}, onVolumes, azureapi.ReasonUnavailable, "", "azurenetapp.endpoints", 0},
		{faults.Fault{Kind: faults.WrongType, Method: "capacityPools.list"}, onPools, azureapi.ReasonInvalid, "", "azurenetapp.endpoints", 2},
	} {
		t.Run(string(row.fault.Kind)+" "+row.fault.Method, func(t *testing.T) {
			fleet, second := smallFleet(1), smallFleet(1).Subscriptions[0]
			second.ID, second.NetAppAccounts[0].Name = other, "other"
			fleet.Subscriptions = append(fleet.Subscriptions, second)
			l := newLab(t, fleet, nil)
			row.fault.Project = other
			l.inject(row.fault)
			section := l.connected(t.Context())
			got := connecttest.Checked(t, section, row.name, other)
			if got.Status != connect.Failed || got.Cause != row.cause || got.Lacks != row.lacks || !strings.Contains(got.Do, row.do) || got.Says == "" {
				t.Errorf("%+v", got)
			}
			if counts := connecttest.Statuses(section); counts[connect.Failed] != 1 || counts[connect.Skipped] != 1+row.skipped { // one is that of the credentials
				t.Errorf("%v of %+v", counts, section.Checks)
			}
			if same := connecttest.Checked(t, section, row.name, testSubscription); same.Status != connect.OK {
				t.Errorf("%+v", same)
			}
		})
	}
}

// What is empty is said, and is no failure: no account, a pool without volumes, nothing wanted, a metric that is left out.
func TestConnectFindsLittle(t *testing.T) {
	empty := smallFleet(1)
	empty.Subscriptions[0].NetAppAccounts[0].Pools[0].Volumes = nil
	for name, row := range map[string]struct {
		fleet  *model.Fleet
		lab    func(*lab)
		check  string
		status connect.Status
		says   string
	}{
		"no account":       {&model.Fleet{Subscriptions: []*model.Subscription{{ID: testSubscription, Name: "example"}}}, nil, onAccounts, connect.Warning, "there is nothing to read"},
		"no pool":          {&model.Fleet{Subscriptions: []*model.Subscription{{ID: testSubscription, Name: "example"}}}, nil, onPools, connect.Skipped, "no account is known"},
		"no volume":        {empty, nil, onVolumes, connect.Warning, "there is no volume to read"},
		"no volume wanted": {smallFleet(1), func(l *lab) { l.config.Exclude = []string{".*/volume00"} }, onVolumes, connect.Warning, "there is no volume to read"},
		"a metric less": {smallFleet(1), func(l *lab) { l.inject(faults.Fault{Kind: faults.MetricError, Metric: "TotalIops"}) },
			onMetrics, connect.Warning, "TotalIops"},
		"providers": {smallFleet(1), func(l *lab) { l.inject(faults.Fault{Kind: faults.Forbidden, Method: "providers.get"}) }, onProviders, connect.Warning, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, row.fleet, nil)
			if row.lab != nil {
				row.lab(l)
			}
			section := l.connected(t.Context())
			if got := connecttest.Checked(t, section, row.check, testSubscription); got.Status != row.status || !strings.Contains(got.Says, row.says) {
				t.Errorf("%+v", got)
			}
			if connecttest.Statuses(section)[connect.Failed] > 0 {
				t.Errorf("%+v", section.Checks)
			}
		})
	}
}

// What is not reached in time counts as failed; without subscriptions there is nothing to try.
func TestConnectEnds(t *testing.T) {
	l := newLab(t, smallFleet(1), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if counts := connecttest.Statuses(l.connected(ctx)); counts[connect.OK] != 0 || counts[connect.Failed] < 6 {
		t.Errorf("%v", counts)
	}
	if _, err := Connect(t.Context(), DefaultConfig(), Options{}); err == nil || !strings.Contains(err.Error(), "no subscriptions") {
		t.Errorf("%v", err)
	}
}
