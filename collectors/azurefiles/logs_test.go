package azurefiles

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// logFleet is one account: a share with clients of all kinds, one with a hot file, one that nobody uses.
func logFleet() *model.Fleet {
	fleet := fleetOf(1, 3)
	shares := fleet.Subscriptions[0].Accounts[0].Shares
	shares[0].Clients = []model.ShareClient{
		{Address: "192.0.2.31", Channels: 4, Files: 5}, {Address: "2001:db8::31", Channels: 2}, {Address: "100.64.0.7", Files: 3, Portless: true},
		{Address: "2001:db8::1", Portless: true},
	}
	shares[1].IOPS, shares[1].MiBps = 20_000, 500
	shares[1].Load = model.Workload{ReadMiBps: 30, WriteMiBps: 5, BlockKiB: 4, LatencyMS: 1.5}
	shares[1].Clients = []model.ShareClient{{Address: "192.0.2.32", Channels: 4, Files: 1}}
	return fleet
}

// logLab is a lab that samples the log of its subscription's workspace.
func logLab(t *testing.T, fleet *model.Fleet) *lab {
	t.Helper()
	l := newLab(t, fleet, func(c *Config, _ *azure.Options) { c.Logs.Workspaces = c.Subscriptions[:1] })
	l.config.Endpoints.Logs = l.server.URL() + "/v1"
	l.restart()
	return l
}

const logWindow = 5 // minutes

// A sample that is taken while the first inventory is read waits for the shares: the next one is far away.
func TestLogOfTheFirstRunIsThatOfAllShares(t *testing.T) {
	t.Parallel()
	l := logLab(t, logFleet())
	l.inject(faults.Fault{Kind: faults.Latency, Method: "shares.list", Delay: 300 * time.Millisecond})
	ended := make(chan collectors.Result, 1)
	go func() { ended <- once(t, l.source, "inventory", l.clock.Now()) }()
	for _, sub := range l.source.subscriptions {
		eventually(t, "the accounts are listed", sub.known)
	}
	result := l.good("logs")
	if inventory := <-ended; inventory.Err != nil {
		t.Fatal(inventory.Err)
	}
	l.checkLog(result, "share01")
}

// What could not be told of a span, since not all shares are known, the next sample tells.
func TestLogOfUnknownSharesIsReadAgain(t *testing.T) {
	t.Parallel()
	l := logLab(t, logFleet())
	for _, sub := range l.source.subscriptions {
		sub.mu.Lock()
		sub.listed = l.clock.Now()
		sub.accounts["beyond"] = &account{details: &details{}} // listed and not asked for its shares
		sub.mu.Unlock()
	}
	l.good("logs")
	if end := newLogCollector(l.source).until(l.config.Logs.Workspaces[0]); !end.IsZero() {
		t.Errorf("the log counts as read until %s", end)
	}
}

// What the log tells of clients is what they did: channels and files where they can be known, and requests under way.
func TestClientsOfTheLog(t *testing.T) {
	t.Parallel()
	l := logLab(t, logFleet())
	result := l.good("logs")
	prefix := "examplefiles00,share00,"
	want := map[string]float64{prefix + "192.0.2.31": 4, prefix + "2001:db8::31": 2, "examplefiles00,share01,192.0.2.32": 4}
	if diff := cmp.Diff(want, of(result.Samples, schema.ShareClientChannels)); diff != "" {
		t.Errorf("channels (-want +got):\n%s", diff)
	}
	want = map[string]float64{
		prefix + "192.0.2.31": 5, prefix + "2001:db8::31": 1, prefix + "100.64.0.7": 3, prefix + "2001:db8::1": 1, "examplefiles00,share01,192.0.2.32": 1,
	}
	if diff := cmp.Diff(want, of(result.Samples, schema.ShareClientFiles)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	infos := of(result.Samples, schema.ShareClientInfo)
	for _, key := range []string{prefix + "192.0.2.31,smb,known", prefix + "100.64.0.7,smb,unknown", prefix + "2001:db8::1,smb,unknown"} {
		if infos[key] != 1 {
			t.Errorf("no %s in %v", key, infos)
		}
	}
	l.checkLog(result, "share01")
	if n := l.server.Usage().Of("logs.query"); n != 2 {
		t.Errorf("%d queries", n)
	}
	requests := 0.0
	for _, sample := range l.good("performance").Samples {
		if sample.Family == schema.CloudRequests && sample.Labels[3] == "logs.query" && sample.Labels[4] == "200" {
			requests = sample.Value
		}
	}
	if requests != 2 {
		t.Errorf("%g queries are counted", requests)
	}
}

// checkLog compares a share's only client, and its only file, with what the fleet did in the sampled minutes.
func (l *lab) checkLog(result collectors.Result, share string) {
	l.t.Helper()
	checked := map[*schema.Family]int{}
	for _, sample := range append(result.Past, result.Samples...) {
		if len(sample.Labels) < 6 || sample.Labels[5] != share {
			continue
		}
		m := l.server.Model().ShareMinute(placement(l.t, l, "examplefiles00", share), sample.Time.Add(-time.Minute))
		var data, busy, bytes float64
		for _, calls := range m.Calls {
			data += calls.Operations()
			busy += calls.Operations() * calls.ClientMS
			bytes += calls.Ingress + calls.Egress
		}
		want, known := map[*schema.Family]float64{
			schema.ShareClientConcurrency: busy / 60_000, schema.ShareFileOperations: data / 60, schema.ShareFileThroughput: bytes / 60,
		}[sample.Family]
		if !known {
			continue
		}
		checked[sample.Family]++
		if !near(sample.Value, want) {
			l.t.Errorf("%s at %s is %g, want %g", seriesOf(sample), sample.Time, sample.Value, want)
		}
		if age := l.clock.Now().Sub(sample.Time); age < schema.AzureLogDelay || age > schema.AzureLogDelay+(logWindow+1)*time.Minute {
			l.t.Errorf("a minute that ended %s ago", age)
		}
	}
	for family, n := range checked {
		if n < logWindow {
			l.t.Errorf("%d minutes of %s", n, family.Name)
		}
	}
	if len(checked) != 3 {
		l.t.Errorf("checked %v", slicesOf(checked))
	}
}

func slicesOf(checked map[*schema.Family]int) (names []string) {
	for family := range maps.Keys(checked) {
		names = append(names, family.Name)
	}
	return names
}

// A minute is sampled once, also over a restart; what lies between two samples is not read.
func TestMinutesOfTheLogAreSampledOnce(t *testing.T) {
	t.Parallel()
	l := logLab(t, logFleet())
	l.good("logs")
	l.clock.add(2 * time.Minute)
	l.restart()
	l.good("logs")
	l.good("logs")
	if n := l.server.Usage().Of("logs.query"); n != 4 {
		t.Errorf("%d queries for two spans", n)
	}
	l.clock.add(15 * time.Minute)
	l.good("logs")
	minutes := l.minutes("nasight_share_busiest_file_operations_per_second{azure,azurefiles," + testSubscription + ",westeurope,examplefiles00,share01}")
	if diff := cmp.Diff([]int{-7, -6, -5, -4, -3, -2, -1, 10, 11, 12, 13, 14}, minutes); diff != "" {
		t.Errorf("minutes (-want +got):\n%s", diff)
	}
}

// Only so many clients of a share have series; how many more there are is told.
func TestClientsAreBounded(t *testing.T) {
	t.Parallel()
	l := logLab(t, logFleet())
	l.config.Logs.Clients = 2
	l.restart()
	result := l.good("logs")
	count := 0
	for key := range of(result.Samples, schema.ShareClientConcurrency) {
		if strings.HasPrefix(key, "examplefiles00,share00,") {
			count++
		}
	}
	if count != 2 || result.Skipped[oddClients] != 2 {
		t.Errorf("%d clients, skipped %v", count, result.Skipped)
	}
}

// What goes wrong with the log shows why, gives no number, and leaves the rest alone; the span is read when it goes well again.
func TestFaultsOfTheLog(t *testing.T) {
	t.Parallel()
	kinds := callFaults()
	kinds[faults.PartialError] = azureapi.ReasonIncomplete
	kinds[faults.MetricError] = ""
	kinds[faults.WrongType] = ""
	for kind, reason := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			l := logLab(t, logFleet())
			l.good("inventory")
			fault := injectedFault(kind, "logs.query")
			fault.Times = 0
			remove := l.inject(fault)
			result := l.run("logs")
			want := map[string]bool{}
			if reason != "" {
				want["5 logs "+reason] = true
			}
			if diff := cmp.Diff(want, reasons(result)); diff != "" || (result.Err != nil) != (reason != "") {
				t.Errorf("%v (-want +got):\n%s", result.Err, diff)
			}
			clients := of(result.Samples, schema.ShareClientConcurrency)
			if empty := reason != "" || kind == faults.EmptyPage; (len(clients) == 0) != empty {
				t.Errorf("%d clients", len(clients))
			}
			l.good("performance")
			remove()
			if kind != faults.EmptyPage && reason != "" {
				l.checkLog(l.good("logs"), "share01")
			}
		})
	}
}

// An empty table is 0 operations, which is told: the log may not be there at all.
func TestEmptyLogIsTold(t *testing.T) {
	t.Parallel()
	l := logLab(t, logFleet())
	l.inject(faults.Fault{Kind: faults.EmptyPage, Method: "logs.query"})
	for _, sample := range l.good("logs").Samples {
		if sample.Family == schema.ShareLogOperations && sample.Value == 0 && sample.Labels[2] == testSubscription {
			return
		}
	}
	t.Error("an empty log is not told")
}

// A workspace that is not there is told; one that has the log of other accounts has rows of shares that are not known.
func TestWrongWorkspace(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil, func(c *Config, _ *azure.Options) {
		c.Subscriptions = c.Subscriptions[:1]
		c.Logs.Workspaces = []string{"99999999-0000-4000-8000-000000000009", "00000000-0000-4000-8000-000000000002"}
	})
	l.config.Endpoints.Logs = l.server.URL() + "/v1"
	l.restart()
	result := l.run("logs")
	if diff := cmp.Diff(map[string]bool{"9 logs " + azureapi.ReasonNotFound: true}, reasons(result)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if result.Skipped[oddShare] == 0 || len(of(result.Samples, schema.ShareClientConcurrency)) != 0 {
		t.Errorf("skipped %v", result.Skipped)
	}
}

// A pause that is longer than the run is not waited for, and a query that takes too long ends with the run.
func TestLogQueriesEnd(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faults.Fault{
		azureapi.ReasonRateLimited: {Kind: faults.TooManyRequests, RetryAfter: 309 * time.Second}, azureapi.ReasonTimeout: {Kind: faults.Latency, Delay: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := logLab(t, logFleet())
			l.good("inventory")
			fault.Method = "logs.query"
			l.inject(fault)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			c := newLogCollector(l.source)
			begun := time.Now()
			result := collectors.Once(ctx, c, l.clock.Now())
			if diff := cmp.Diff(map[string]bool{"5 logs " + name: true}, reasons(result)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", result.Err, diff)
			}
			if took := time.Since(begun); took > 40*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// Rows that make no sense cost themselves and are counted.
func TestOddRowsOfTheLog(t *testing.T) {
	t.Parallel()
	name := func(s string) *azquery.Column { return &azquery.Column{Name: &s} }
	columns := []*azquery.Column{nil}
	for _, c := range strings.Fields("account share protocol host session minute operations data busy written read files channels portless") {
		columns = append(columns, name(c))
	}
	row := func(change map[int]any) azquery.Row {
		r := azquery.Row{nil, "a", "s", "smb", "192.0.2.1", "7", noon.Format(time.RFC3339Nano), 60., 30., 60_000., 1., 2., 1., 2., 0.}
		for at, value := range change {
			r[at] = value
		}
		return r
	}
	odd := map[string]int{}
	w := azureapi.Window{Start: noon, End: noon.Add(time.Minute)}
	found := clientsOf(&azquery.Table{Columns: columns, Rows: []azquery.Row{
		row(nil), row(map[int]any{5: "8"}), row(map[int]any{4: "host"}), row(map[int]any{6: "noon"}), row(map[int]any{6: noon.Add(time.Hour).Format(time.RFC3339)}),
		row(map[int]any{7: "many"}), row(map[int]any{7: -1.}), row(map[int]any{1: nil}), nil, {1},
	}}, w, odd)
	c := found[logShareKey{"a", "s"}]["192.0.2.1"]
	if len(found) != 1 || odd[oddItem] != 8 || c == nil || c.total != 120 {
		t.Fatalf("found %v, odd %v", found, odd)
	}
	m := c.minutes[noon.Add(time.Minute).UnixMilli()]
	if m.channels != 2 || m.sessions != 2 || m.filesKnown() || m.busy != 120_000 {
		t.Errorf("two sessions are %+v: that both are on one file is not known", m)
	}
}

func TestLogSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Logs){
		"logs.workspaces[0]": func(l *Logs) { l.Workspaces = []string{"workspace"} },
		"logs.workspaces[1]": func(l *Logs) { l.Workspaces = []string{testSubscription, testSubscription} },
		"logs.window":        func(l *Logs) { l.Window = 90 * time.Second },
		"logs.period":        func(l *Logs) { l.Period = time.Hour },
		"longer":             func(l *Logs) { l.Window, l.Period = 10*time.Minute, 5*time.Minute },
		"logs.clients":       func(l *Logs) { l.Clients = 0 },
	} {
		c := DefaultConfig()
		change(&c.Logs)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
