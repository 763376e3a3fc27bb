package azurefiles

import (
	"bytes"
	"context"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

const (
	firstShare  = "examplefiles00,share00"
	firstEgress = "nasight_share_throughput_bytes_per_second{azure,azurefiles," + testSubscription + ",westeurope,examplefiles00,share00,egress}"
)

// whole checks that a series has every minute from its first one to the last settled one.
func (l *lab) whole(series string) {
	l.t.Helper()
	minutes := l.minutes(series)
	for i := 1; i < len(minutes); i++ {
		if minutes[i] != minutes[i-1]+1 {
			l.t.Errorf("%s has nothing from minute %d to %d", series, minutes[i-1], minutes[i])
		}
	}
	last := int(l.clock.Now().Add(-schema.AzureDelay).Sub(noon) / time.Minute)
	if len(minutes) == 0 || minutes[len(minutes)-1] != last {
		l.t.Errorf("%s has %v, want up to %d", series, minutes, last)
	}
}

// What the SDK would not repeat by itself is repeated.
func TestOverloadedIsAskedAgain(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), nil)
	l.good("inventory")
	l.inject(faults.Fault{Kind: faults.Overloaded, Method: "metrics.query", Times: 2})
	if got := of(l.good("performance").Samples, schema.ShareBurstCredits)[firstShare]; !(got > 0) {
		t.Errorf("the credits are %g", got)
	}
	if n := l.server.Usage().Of("metrics.query"); n != 4+2 {
		t.Errorf("%d requests", n)
	}
}

// An outage costs no minute: what is missing is read when the service answers again.
func TestOutageLeavesNoGap(t *testing.T) {
	for _, kind := range []faults.Kind{faults.Overloaded, faults.Unavailable, faults.Cut, faults.HalfPage} {
		t.Run(string(kind), func(t *testing.T) {
			l := newLab(t, fleetOf(1, 1), nil)
			l.good("performance")
			remove := l.inject(faults.Fault{Kind: kind, Method: "metrics.query"})
			l.clock.add(20 * time.Minute)
			result := l.run("performance")
			want := map[string]bool{"5 performance " + map[bool]string{true: azureapi.ReasonRateLimited, false: azureapi.ReasonUnavailable}[kind == faults.Overloaded]: true}
			if diff := cmp.Diff(want, reasons(result)); diff != "" || result.Err == nil {
				t.Errorf("%v (-want +got):\n%s", result.Err, diff)
			}
			if age := agesOf(result.Samples)["Egress"]; age < 20*60 {
				t.Errorf("the newest point is %g s old", age)
			}
			remove()
			l.clock.add(time.Minute)
			if result := l.good("performance"); len(reasons(result)) > 0 {
				t.Errorf("still failing: %v", reasons(result))
			}
			l.whole(firstEgress)
		})
	}
}

func agesOf(samples []schema.Sample) map[string]float64 {
	ages := map[string]float64{}
	for _, sample := range samples {
		if sample.Family == schema.CloudSampleAge {
			ages[sample.Labels[4]] = sample.Value
		}
	}
	return ages
}

// A metric that a good answer does not have is a failure, no zero; the others are read, and its minutes come later.
func TestMetricOfAGoodAnswerFails(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), nil)
	l.good("performance")
	remove := l.inject(faults.Fault{Kind: faults.MetricError, Metric: "Egress"})
	for range 8 {
		l.clock.add(time.Minute)
		result := l.run("performance")
		if !reasons(result)["5 performance "+azureapi.ReasonRateLimited] || result.Err == nil {
			t.Errorf("reasons are %v, the error %v", reasons(result), result.Err)
		}
	}
	if minutes := l.minutes(firstEgress); len(minutes) != 60 {
		t.Errorf("%d minutes while it fails", len(minutes))
	}
	l.whole(strings.Replace(firstEgress, "egress", "ingress", 1))
	remove()
	l.clock.add(time.Minute)
	l.good("performance")
	l.whole(firstEgress)
}

// Points that are late are read when they are there; what never comes is no zero.
func TestLateAndMissingPoints(t *testing.T) {
	l := newLab(t, fleetOf(1, 2), nil)
	l.inject(faults.Fault{Kind: faults.Late, Volume: "share00", Delay: 2 * time.Minute, Share: 0.5})
	l.inject(faults.Fault{Kind: faults.Missing, Volume: "share01"})
	for range 12 {
		l.good("performance")
		l.clock.add(time.Minute)
	}
	minutes := l.minutes(firstEgress)
	for i := 1; i < len(minutes)-4; i++ {
		if minutes[i] != minutes[i-1]+1 {
			t.Errorf("nothing from minute %d to %d", minutes[i-1], minutes[i])
		}
	}
	if got := l.minutes(strings.Replace(firstEgress, "share00", "share01", 1)); len(got) > 0 {
		t.Errorf("what is missing has %v", got)
	}
}

// A subscription that is forbidden says so; the other one is read, and what was known of the first stays for a while.
func TestForbiddenSubscriptionKeepsItsInventory(t *testing.T) {
	l := newLab(t, nil, nil)
	accounts := len(of(l.good("inventory").Samples, schema.AccountInfo))
	l.inject(faults.Fault{Kind: faults.Forbidden, Project: "00000000-0000-4000-8000-000000000002"})
	l.clock.add(time.Hour)
	result := l.run("inventory")
	if diff := cmp.Diff(map[string]bool{"2 inventory permission": true}, reasons(result)); diff != "" || result.Err == nil {
		t.Errorf("%v (-want +got):\n%s", result.Err, diff)
	}
	if got := len(of(result.Samples, schema.AccountInfo)); got != accounts {
		t.Errorf("%d accounts of %d", got, accounts)
	}
	if result := l.run("performance"); !reasons(result)["2 performance permission"] || len(of(result.Samples, schema.ShareBurstCredits)) == 0 {
		t.Errorf("reasons are %v", reasons(result))
	}
	l.clock.add(3 * time.Hour)
	if got := len(of(l.run("inventory").Samples, schema.AccountInfo)); got != 3 {
		t.Errorf("%d accounts after three renewals without the other subscription", got)
	}
}

// token is a credential whose token can be replaced.
type token struct{ current atomic.Pointer[string] }

func (t *token) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: *t.current.Load(), ExpiresOn: time.Now().Add(time.Hour)}, nil
}

func TestRefusedCredentialsAreReplaced(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), func(_ *Config, options *azure.Options) { options.Access = map[string][]string{"good": nil} })
	shown := &token{}
	for name, want := range map[string]map[string]bool{"bad": {"5 performance authentication": true}, "good": {}} {
		shown.current.Store(&name)
		l.opts.Credential = shown
		l.restart()
		if diff := cmp.Diff(want, reasons(l.run("performance"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// As many series as were asked for mean that some are missing: it is counted and logged.
func TestSeriesLimitIsToldOf(t *testing.T) {
	l := newLab(t, fleetOf(1, 2), nil)
	var text bytes.Buffer
	l.opts.Logger = slog.New(slog.NewTextHandler(&text, nil))
	l.restart()
	l.source.top = 2
	if result := l.good("performance"); result.Skipped[oddTop] == 0 {
		t.Errorf("skipped are %v", result.Skipped)
	}
	if !strings.Contains(text.String(), "metric=Transactions") {
		t.Errorf("logged is %s", &text)
	}
}

// A share that is new is read before the inventory knows of it, and one that is gone is shown no more.
func TestSharesComeAndGo(t *testing.T) {
	l := newLab(t, fleetOf(1, 2), nil)
	remove := l.inject(faults.Fault{Kind: faults.Vanished, Volume: "share00"})
	l.good("inventory")
	l.clock.add(time.Minute)
	l.good("performance")
	remove()
	l.clock.add(10 * time.Minute)
	if _, shown := of(l.good("performance").Samples, schema.ShareBurstCredits)[firstShare]; !shown {
		t.Error("the new share is not shown")
	}
	if _, shown := of(l.good("inventory").Samples, schema.ShareQuota)[firstShare]; !shown {
		t.Error("the new share is not in the inventory after ten minutes")
	}
	l.inject(faults.Fault{Kind: faults.Vanished, Volume: "share00"})
	l.clock.add(time.Hour)
	l.good("inventory")
	l.good("performance")
	l.clock.add(time.Minute)
	if _, shown := of(l.good("performance").Samples, schema.ShareBurstCredits)[firstShare]; shown {
		t.Error("a share that is gone is shown")
	}
}

// By batches the same is read with a request a region and group.
func TestBatchesReadTheSame(t *testing.T) {
	fleet := func() *model.Fleet {
		f := fleetOf(4, 1)
		f.Subscriptions[0].Accounts[3].Location = "northeurope"
		return f
	}
	one, many := newLab(t, fleet(), nil), newLab(t, fleet(), func(c *Config, _ *azure.Options) { c.Batch = true })
	one.good("performance")
	many.good("performance")
	if n := many.server.Usage().Of("metrics.batch"); n != 2*4 || many.server.Usage().Of("metrics.query") != 0 {
		t.Errorf("%d batches, %d single requests", n, many.server.Usage().Of("metrics.query"))
	}
	counted := func(series string) bool { return strings.Contains(series, "nasight_cloud_api") }
	for series, want := range one.past {
		if got, there := many.past[series]; !counted(series) && (!there || !near(got, want)) {
			t.Errorf("%s is %g, %t; want %g", series, got, there, want)
		}
	}
}

func TestRefusedBatchesAreReadOneByOne(t *testing.T) {
	l := newLab(t, fleetOf(3, 1), func(c *Config, _ *azure.Options) { c.Batch = true })
	l.inject(faults.Fault{Kind: faults.Forbidden, Method: "metrics.batch"})
	for range 2 {
		if got := len(of(l.good("performance").Samples, schema.ShareBurstCredits)); got != 3 {
			t.Errorf("%d shares", got)
		}
		l.clock.add(time.Minute)
	}
	if n := l.server.Usage().Of("metrics.batch"); n != 1 {
		t.Errorf("a batch that is refused was asked for %d times", n)
	}
}

// before puts a server before the emulator's metrics that refuses some requests.
func (l *lab) before(refuse func(url.Values) bool) *atomic.Int64 {
	l.t.Helper()
	target, err := url.Parse(l.server.URL())
	if err != nil {
		l.t.Fatal(err)
	}
	refused := &atomic.Int64{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: l.server.Client().Transport}
	front := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuse(r.URL.Query()) {
			refused.Add(1)
			http.Error(w, `{"code":"BadRequest","message":"not in this form"}`, http.StatusBadRequest)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	l.t.Cleanup(front.Close)
	own, err := os.ReadFile(l.server.CAFile())
	if err != nil {
		l.t.Fatal(err)
	}
	l.config.Endpoints.Metrics, l.config.Endpoints.CAFile = front.URL, filepath.Join(l.t.TempDir(), "ca.pem")
	both := append(own, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw})...)
	if err := os.WriteFile(l.config.Endpoints.CAFile, both, 0o600); err != nil {
		l.t.Fatal(err)
	}
	l.restart()
	return refused
}

// Where only one wildcard is allowed the shares are named, from then on without trying again.
func TestOneWildcardAtATime(t *testing.T) {
	l := newLab(t, fleetOf(1, 50), nil)
	refused := l.before(func(query url.Values) bool { return strings.Count(query.Get("$filter"), "'*'") > 1 })
	result := l.good("performance")
	if got := of(result.Samples, schema.ShareOperations)[firstShare+",Read"]; !(got > 0) {
		t.Errorf("reads are %g", got)
	}
	l.clock.add(time.Minute)
	l.good("performance")
	if n := refused.Load(); n != 2 { // operations and responses, once
		t.Errorf("%d requests were refused", n)
	}
}

// A metric that is refused costs itself, not its group, and is not asked for each minute.
func TestRefusedMetricCostsItself(t *testing.T) {
	l := newLab(t, fleetOf(1, 1), nil)
	refused := l.before(func(query url.Values) bool { return strings.Contains(query.Get("metricnames"), "MaxUsedIOPS") })
	for range 3 {
		result := l.run("performance")
		if !reasons(result)["5 performance "+azureapi.ReasonInvalid] {
			t.Errorf("reasons are %v", reasons(result))
		}
		if got := of(result.Samples, schema.SharePeakThroughput)[firstShare]; !(got > 0) {
			t.Errorf("the peak throughput is %g", got)
		}
		if len(of(result.Samples, schema.SharePeakOperations)) > 0 {
			t.Error("the refused metric has values")
		}
		l.whole(firstEgress)
		l.clock.add(time.Minute)
	}
	if n := refused.Load(); n != 2*2 { // each of two groups, then the metric
		t.Errorf("%d requests were refused", n)
	}
}
