package azurenetapp

import (
	"context"
	"encoding/pem"
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
)

// An outage costs no five minutes: what is missing is read when the service answers again.
func TestOutageLeavesNoGap(t *testing.T) {
	for kind, reason := range map[faults.Kind]string{
		faults.Overloaded: azureapi.ReasonRateLimited, faults.TooManyRequests: azureapi.ReasonRateLimited, faults.Forbidden: azureapi.ReasonPermission,
		faults.Unavailable: azureapi.ReasonUnavailable, faults.Cut: azureapi.ReasonUnavailable, faults.HalfPage: azureapi.ReasonUnavailable,
	} {
		t.Run(string(kind), func(t *testing.T) {
			l := newLab(t, smallFleet(1), nil)
			l.good("performance")
			remove := l.inject(faults.Fault{Kind: kind, Method: "metrics.query"})
			l.clock.add(20 * time.Minute)
			result := l.run("performance")
			if diff := cmp.Diff(map[string]bool{"1 performance " + reason: true}, reasons(result)); diff != "" || result.Err == nil {
				t.Errorf("%v (-want +got):\n%s", result.Err, diff)
			}
			remove()
			l.clock.add(5 * time.Minute)
			if result := l.good("performance"); len(reasons(result)) > 0 {
				t.Errorf("still failing: %v", reasons(result))
			}
			l.whole(firstTotal)
		})
	}
}

// A pause that the service asks for is kept; one that is longer than the run is told at once, and the next run reads on.
func TestRetryAfterIsKept(t *testing.T) {
	l := newLab(t, smallFleet(2), nil)
	l.good("inventory")
	l.inject(faults.Fault{Kind: faults.TooManyRequests, Method: "metrics.query", RetryAfter: 10 * time.Minute, Times: 1})
	begun := time.Now()
	result := l.run("performance")
	if diff := cmp.Diff(map[string]bool{"1 performance rate_limited": true}, reasons(result)); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	if n := l.server.Usage().Of("metrics.query"); n > 2 {
		t.Errorf("%d requests during the pause", n)
	}
}

// No point is no zero: a series without any, and points without a value, leave nothing behind.
func TestEmptyAndMissingPoints(t *testing.T) {
	l := newLab(t, smallFleet(2), nil)
	l.inject(faults.Fault{Kind: faults.Missing, Volume: "volume00"})
	l.inject(faults.Fault{Kind: faults.Missing, Volume: "volume01", Metric: "WriteThroughput"})
	result := l.good("performance")
	totals := of(result.Samples, schema.VolumeTotalThroughput)
	if _, there := totals[firstVolume]; there || totals["account/pool,volume01"] <= 0 {
		t.Errorf("totals are %v", totals)
	}
	if written, there := of(result.Samples, schema.VolumeThroughput)["account/pool,volume01,write"]; there {
		t.Errorf("what is missing is %g", written)
	}
	if _, there := of(result.Samples, schema.VolumeThroughputLimit)[firstVolume]; there {
		t.Error("a limit stands beside no throughput")
	}
}

// Points that are late are read when they are there.
func TestLatePoints(t *testing.T) {
	l := newLab(t, smallFleet(1), nil)
	l.inject(faults.Fault{Kind: faults.Late, Delay: 9 * time.Minute, Share: 0.5})
	for range 12 {
		l.good("performance")
		l.clock.add(5 * time.Minute)
	}
	minutes := l.minutes(firstTotal)
	for i := 1; i < len(minutes)-3; i++ {
		if minutes[i] != minutes[i-1]+5 {
			t.Errorf("nothing from minute %d to %d", minutes[i-1], minutes[i])
		}
	}
}

// A metric that a good answer does not have is a failure, no zero; the others are read, and its points come later.
func TestMetricOfAGoodAnswerFails(t *testing.T) {
	l := newLab(t, smallFleet(1), nil)
	l.good("performance")
	remove := l.inject(faults.Fault{Kind: faults.MetricError, Metric: "ReadThroughput"})
	for range 3 {
		l.clock.add(5 * time.Minute)
		if result := l.run("performance"); !reasons(result)["1 performance rate_limited"] || result.Err == nil {
			t.Errorf("reasons are %v, the error %v", reasons(result), result.Err)
		}
	}
	l.whole(firstTotal)
	reads := strings.Replace(firstTotal, "total_throughput_bytes_per_second", "throughput_bytes_per_second", 1)
	reads = strings.Replace(reads, "volume00}", "volume00,read}", 1)
	if got := l.minutes(reads); len(got) != 12 {
		t.Errorf("%d points while it fails", len(got))
	}
	remove()
	l.clock.add(5 * time.Minute)
	l.good("performance")
	l.whole(reads)
}

// A volume that is gone is no failure: it is not asked for again, and the inventory is read anew.
func TestVolumeVanishes(t *testing.T) {
	l := newLab(t, smallFleet(2), nil)
	l.good("inventory")
	l.good("performance")
	listed := l.server.Usage().Of("volumes.list")
	remove := l.inject(faults.Fault{Kind: faults.Vanished, Volume: "volume00"})
	l.clock.add(5 * time.Minute)
	result := l.good("performance")
	if result.Skipped[oddGone] != 1 {
		t.Errorf("skipped are %v", result.Skipped)
	}
	samples := l.good("inventory").Samples
	if l.server.Usage().Of("volumes.list") != listed+1 {
		t.Error("the inventory was not read anew")
	}
	if _, there := of(samples, schema.VolumeAssignedThroughput)[firstVolume]; there {
		t.Error("the volume is in the inventory still")
	}
	if got := of(samples, schema.PoolVolumes)["account/pool"]; got != 1 {
		t.Errorf("the pool has %g volumes", got)
	}
	l.clock.add(5 * time.Minute)
	if _, there := of(l.good("performance").Samples, schema.VolumeTotalThroughput)[firstVolume]; there {
		t.Error("its points are shown still")
	}
	remove()
	l.clock.add(15 * time.Minute)
	l.good("inventory")
	if _, there := of(l.good("performance").Samples, schema.VolumeTotalThroughput)[firstVolume]; !there {
		t.Error("it is back and not read")
	}
}

// Words that are not known stay, and are counted; nothing is inferred from them.
func TestUnknownWords(t *testing.T) {
	l := newLab(t, smallFleet(1), nil)
	l.inject(faults.Fault{Kind: faults.UnknownEnum})
	result := l.good("inventory")
	if result.Skipped[oddLevel] == 0 || result.Skipped[oddQoS] == 0 {
		t.Errorf("skipped are %v", result.Skipped)
	}
	if got := of(result.Samples, schema.PoolInfo); got["account/pool,hyper,telepathic,,default,,false,false,ready,"] != 1 {
		t.Errorf("pools are %v", got)
	}
	if got := of(result.Samples, schema.PoolAvailableThroughput); len(got) > 0 {
		t.Errorf("throughput to give out is %v", got)
	}
}

// Text where a number is expected costs the answer, with a reason, and what was known stays.
func TestWrongTypes(t *testing.T) {
	l := newLab(t, smallFleet(1), nil)
	l.good("inventory")
	l.inject(faults.Fault{Kind: faults.WrongType, Method: "volumes.list"})
	l.clock.add(15 * time.Minute)
	result := l.run("inventory")
	if diff := cmp.Diff(map[string]bool{"1 inventory invalid": true}, reasons(result)); diff != "" || result.Err == nil {
		t.Errorf("%v (-want +got):\n%s", result.Err, diff)
	}
	if _, there := of(result.Samples, schema.VolumeAssignedThroughput)[firstVolume]; !there {
		t.Error("the volume is forgotten")
	}
}

// A subscription that is forbidden says so; the other one is read, and what was known of the first stays for a while.
func TestForbiddenSubscriptionKeepsItsInventory(t *testing.T) {
	l := newLab(t, nil, nil)
	pools := len(of(l.good("inventory").Samples, schema.PoolInfo))
	l.inject(faults.Fault{Kind: faults.Forbidden, Project: testSubscription})
	l.clock.add(15 * time.Minute)
	result := l.run("inventory")
	if diff := cmp.Diff(map[string]bool{"1 inventory permission": true}, reasons(result)); diff != "" || result.Err == nil {
		t.Errorf("%v (-want +got):\n%s", result.Err, diff)
	}
	if got := len(of(result.Samples, schema.PoolInfo)); got != pools || got == 0 {
		t.Errorf("%d pools of %d", got, pools)
	}
	l.clock.add(time.Hour)
	if got := len(of(l.run("inventory").Samples, schema.PoolInfo)); got != 0 {
		t.Errorf("%d pools after three renewals", got)
	}
}

// token is a credential whose token can be replaced.
type token struct{ current atomic.Pointer[string] }

func (t *token) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: *t.current.Load(), ExpiresOn: time.Now().Add(time.Hour)}, nil
}

func TestRefusedCredentials(t *testing.T) {
	l := newLab(t, smallFleet(1), func(_ *Config, options *azure.Options) { options.Access = map[string][]string{"good": nil} })
	shown := &token{}
	for name, want := range map[string]map[string]bool{"bad": {"1 performance authentication": true}, "good": {}} {
		shown.current.Store(&name)
		l.opts.Credential = shown
		l.restart()
		if diff := cmp.Diff(want, reasons(l.run("performance"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
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
			http.Error(w, `{"code":"BadRequest","message":"no such metric"}`, http.StatusBadRequest)
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

// A metric that the service does not have costs itself, not its group, and is asked for once an hour.
func TestRefusedMetricCostsItself(t *testing.T) {
	l := newLab(t, smallFleet(1), nil)
	refused := l.before(func(query url.Values) bool { return strings.Contains(query.Get("metricnames"), "OtherIops") })
	for range 3 {
		result := l.run("performance")
		if !reasons(result)["1 performance "+azureapi.ReasonInvalid] {
			t.Errorf("reasons are %v", reasons(result))
		}
		if _, there := of(result.Samples, schema.VolumeOperations)[firstVolume+",metadata"]; there {
			t.Error("the refused metric has values")
		}
		l.whole(firstTotal)
		l.clock.add(5 * time.Minute)
	}
	if n := refused.Load(); n != 2 { // the group, then the metric
		t.Errorf("%d requests were refused", n)
	}
}
