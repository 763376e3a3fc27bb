package azurefiles

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// callFaults are all faults that hit calls, each with the reason that it shows as; empty for what has to be read all the same.
func callFaults() map[faults.Kind]string {
	return map[faults.Kind]string{
		faults.Latency:         "",
		faults.TooManyRequests: azureapi.ReasonRateLimited,
		faults.Unavailable:     azureapi.ReasonUnavailable,
		faults.Unauthenticated: azureapi.ReasonAuthentication,
		faults.Forbidden:       azureapi.ReasonPermission,
		faults.ServiceDisabled: azureapi.ReasonUnregistered,
		faults.Cut:             azureapi.ReasonUnavailable,
		faults.HalfPage:        azureapi.ReasonUnavailable,
		faults.EmptyPage:       "",
		faults.WrongType:       azureapi.ReasonInvalid,
		faults.UnknownEnum:     "",
		faults.UnknownField:    "",
		faults.Overloaded:      azureapi.ReasonRateLimited,
		faults.MetricError:     azureapi.ReasonRateLimited,
		faults.PartialError:    "", // of logs
		faults.Refused:         azureapi.ReasonInvalid,
		faults.Truncated:       "",
	}
}

// of other clouds, and of data, which have tests of their own below
func otherFaults() []faults.Kind {
	return []faults.Kind{faults.Unreachable, faults.ExecutionErrors, faults.Late, faults.Revised, faults.Missing, faults.Vanished, faults.ClockSkew}
}

func TestEveryFaultIsTried(t *testing.T) {
	t.Parallel()
	for _, kind := range faults.Kinds() {
		if _, tried := callFaults()[kind]; !tried && !slices.Contains(otherFaults(), kind) {
			t.Errorf("fault %s is tried by no test", kind)
		}
	}
}

func injectedFault(kind faults.Kind, method string) faults.Fault {
	fault := faults.Fault{Kind: kind, Method: method}
	if kind == faults.Latency {
		fault.Delay = 20 * time.Millisecond
	}
	if kind == faults.EmptyPage { // one after the other would be a list without an end
		fault.Times = 1
	}
	return fault
}

// A metrics call that goes wrong shows why, shows no value that is not true, and costs no minute once it goes well again.
func TestFaultsOfMetrics(t *testing.T) {
	t.Parallel()
	for kind, reason := range callFaults() {
		for method, batch := range map[string]bool{"metrics.query": false, "metrics.batch": true} {
			t.Run(string(kind)+" of "+method, func(t *testing.T) {
				t.Parallel()
				l := newLab(t, fleetOf(2, 2), func(c *Config, _ *azure.Options) { c.Batch = batch })
				l.good("inventory")
				l.good("performance")
				remove := l.inject(injectedFault(kind, method))
				l.clock.add(2 * time.Minute)
				result := l.run("performance")
				want := map[string]bool{}
				if reason != "" && (!batch || reason != azureapi.ReasonPermission && kind != faults.Refused) { // a batch that is refused is asked one by one
					want["5 performance "+reason] = true
				}
				if diff := cmp.Diff(want, reasons(result)); diff != "" {
					t.Errorf("%v (-want +got):\n%s", result.Err, diff)
				}
				l.checkTruth()
				remove()
				l.clock.add(2 * time.Minute)
				l.good("performance")
				l.checkTruth()
				if kind != faults.Truncated { // which nobody can see
					l.whole(firstEgress)
				}
			})
		}
	}
}

// checkTruth compares what history has of the busy shares' throughput with what they did.
func (l *lab) checkTruth() {
	l.t.Helper()
	for id, value := range l.past {
		if !strings.HasPrefix(id, schema.ShareThroughput.Name+"{") {
			continue
		}
		labels := strings.Split(id[strings.IndexByte(id, '{')+1:strings.IndexByte(id, '}')], ",")
		var at int64
		if _, err := fmt.Sscan(id[strings.IndexByte(id, '@')+1:], &at); err != nil {
			l.t.Fatal(err)
		}
		m := l.server.Model().ShareMinute(placement(l.t, l, labels[4], labels[5]), time.UnixMilli(at).Add(-time.Minute))
		if want := expected(m, labels, schema.ShareThroughput); !near(value, want) {
			l.t.Errorf("%s is %g, want %g", id, value, want)
		}
	}
}

// What goes wrong with the inventory shows why, and what was known of it stays.
func TestFaultsOfTheInventory(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"storageAccounts.list", "shares.list", "fileServices.get", "usages.get", "features.get"} {
		for kind, reason := range callFaults() {
			t.Run(string(kind)+" of "+method, func(t *testing.T) {
				t.Parallel()
				l := newLab(t, fleetOf(2, 2), nil)
				before := configurationOf(l.good("inventory").Samples)
				remove := l.inject(injectedFault(kind, method))
				l.clock.add(time.Hour)
				result := l.run("inventory")
				want := map[string]bool{}
				if reason != "" && touches(kind, method) {
					want["5 inventory "+reason] = true
				}
				if diff := cmp.Diff(want, reasons(result)); diff != "" {
					t.Errorf("%v (-want +got):\n%s", result.Err, diff)
				}
				after := configurationOf(result.Samples)
				if kind == faults.WrongType || kind == faults.UnknownEnum {
					after = before // what these change is what is compared
				}
				if diff := cmp.Diff(before, after); diff != "" && method != "fileServices.get" && method != "usages.get" {
					t.Errorf("what was known is lost (-before +after):\n%s", diff)
				}
				remove()
				l.clock.add(time.Hour)
				if diff := cmp.Diff(before, configurationOf(l.good("inventory").Samples)); diff != "" {
					t.Errorf("after the fault (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// touches says whether a fault of content has anything in a call's answer to change.
func touches(kind faults.Kind, method string) bool {
	switch kind {
	case faults.WrongType:
		return method == "shares.list"
	case faults.MetricError:
		return false
	}
	return true
}

// configurationOf is what the inventory tells, without times.
func configurationOf(samples []schema.Sample) map[string]float64 {
	found := map[string]float64{}
	for _, sample := range samples {
		switch sample.Family {
		case schema.AccountInfo, schema.ShareInfo, schema.ShareQuota, schema.ShareProvisionedOperations, schema.AccountLimit, schema.SubscriptionFeatureInfo:
			found[seriesOf(sample)] = sample.Value
		}
	}
	return found
}

// A subscription that was never registered for Azure Monitor has its inventory, and says what it lacks; the other one is read.
func TestSubscriptionWithoutMonitor(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil, nil)
	const unregistered = "00000000-0000-4000-8000-000000000002"
	l.inject(faults.Fault{Kind: faults.ServiceDisabled, Method: "metrics.query", Project: unregistered})
	if accounts := of(l.good("inventory").Samples, schema.AccountInfo); len(accounts) != 5 {
		t.Errorf("%d accounts", len(accounts))
	}
	result := l.run("performance")
	if diff := cmp.Diff(map[string]bool{"2 performance " + azureapi.ReasonUnregistered: true}, reasons(result)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if result.Err == nil || !strings.Contains(result.Err.Error(), "az provider register --namespace Microsoft.Insights") {
		t.Errorf("the error is %v", result.Err)
	}
	if len(of(result.Samples, schema.ShareBurstCredits)) == 0 {
		t.Error("the other subscription is not read")
	}
}

// The kind FileStorage says nothing of the media: HDD has it as well.
func TestHDDAccountOfKindFileStorage(t *testing.T) {
	t.Parallel()
	l := newLab(t, nil, nil)
	result := l.good("inventory")
	for key := range of(result.Samples, schema.AccountInfo) {
		if strings.HasPrefix(key, "examplehddv2,") && !strings.HasPrefix(key, "examplehddv2,archive,FileStorage,StandardV2_LRS,hdd,v2,false,") {
			t.Errorf("the HDD account is %s", key)
		}
	}
	if got := of(result.Samples, schema.ShareBurstOperations)["examplehddv2,scans"]; got != 9000 {
		t.Errorf("it bursts to %g, want 3 times 3,000", got)
	}
	if got := of(l.good("performance").Samples, schema.SharePeakOperations)["examplehddv2,scans"]; !(got > 0) {
		t.Errorf("its peak is %g: shares of provisioned HDD have their own", got)
	}
}

// An account that is paid by use is throttled as a whole, by one share; the idle one beside it has no number of its own.
func TestAccountIsThrottledWhileAShareIsIdle(t *testing.T) {
	t.Parallel()
	fleet := &model.Fleet{Subscriptions: []*model.Subscription{{ID: testSubscription, Name: "example", Accounts: []*model.Account{{
		Name: "examplepayg", ResourceGroup: "files", Location: "westeurope", Kind: model.StorageV2, SKU: "Standard_LRS", Created: noon.AddDate(-1, 0, 0),
		Shares: []*model.Share{
			{Name: "busy", QuotaGiB: 5120, UsedGiB: 100, Load: model.Workload{ReadMiBps: 90, BlockKiB: 4}},
			{Name: "idle", QuotaGiB: 5120, UsedGiB: 100},
		},
	}}}}}
	l := newLab(t, fleet, nil)
	responses := of(l.good("performance").Samples, schema.ShareResponses)
	if got := responses["examplepayg,,ClientAccountRequestThrottlingError"]; !(got > 0) {
		t.Errorf("responses are %v", responses)
	}
	for key := range responses {
		if !strings.HasPrefix(key, "examplepayg,,") {
			t.Errorf("a share that is paid by use has responses of its own: %s", key)
		}
	}
}

// A number that Azure raises within the time after which a minute is taken for settled is read as it ends up.
func TestRevisedPointsAreReadWhenTheyHaveSettled(t *testing.T) {
	t.Parallel()
	l := newLab(t, fleetOf(1, 1), func(c *Config, _ *azure.Options) { c.Tiers.Delay = 12 * time.Minute })
	l.inject(faults.Fault{Kind: faults.Revised, Delay: 8 * time.Minute})
	for range 10 {
		l.good("performance")
		l.clock.add(time.Minute)
	}
	l.checkTruth()
}

// One that it raises later is in history once, as it was first: lab.keep fails the test on a second value.
func TestLateRevisionsChangeNoPast(t *testing.T) {
	t.Parallel()
	l := newLab(t, fleetOf(1, 1), nil)
	l.inject(faults.Fault{Kind: faults.Revised, Delay: 5 * time.Minute})
	for range 12 {
		l.good("performance")
		l.clock.add(time.Minute)
	}
	if minutes := l.minutes(firstEgress); len(minutes) != firstMinutes+11 {
		t.Errorf("%d minutes", len(minutes))
	}
}

// Points that all come half an hour late leave no gap: the reading goes back to the newest one that came.
func TestAllPointsLate(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]faults.Fault{
		"late": {Kind: faults.Late, Delay: 30 * time.Minute}, "clock": {Kind: faults.ClockSkew, Delay: -30 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, fleetOf(1, 1), nil)
			l.good("performance")
			remove := l.inject(fault)
			for range 25 {
				l.clock.add(time.Minute)
				l.good("performance")
			}
			if age := agesOf(l.good("performance").Samples)["Egress"]; age < 20*60 {
				t.Errorf("the newest point is %g s old", age)
			}
			l.clock.add(20 * time.Minute)
			l.good("performance")
			remove()
			for range 5 { // what was late is waited for as long as what was not
				l.clock.add(time.Minute)
				l.good("performance")
			}
			l.whole(firstEgress)
			l.checkTruth()
		})
	}
}

// A clock that is ahead makes no point of the future.
func TestServiceWhoseClockIsAhead(t *testing.T) {
	t.Parallel()
	l := newLab(t, fleetOf(1, 1), nil)
	l.inject(faults.Fault{Kind: faults.ClockSkew, Delay: 30 * time.Minute})
	for range 3 {
		l.clock.add(time.Minute)
		for _, sample := range l.good("performance").Samples {
			if sample.Time.After(l.clock.Now()) {
				t.Fatalf("%s at %s, which is to come", seriesOf(sample), sample.Time)
			}
		}
	}
	l.whole(firstEgress)
	l.checkTruth()
}

// Nothing to tell is an empty list of series, and points without numbers: neither is a zero, nor a failure.
func TestNothingIsNoZero(t *testing.T) {
	t.Parallel()
	l := newLab(t, fleetOf(1, 3), nil) // the third share has nothing to do
	result := l.good("performance")
	for _, family := range []*schema.Family{schema.ShareOperations, schema.ShareThroughput, schema.ShareLatency, schema.ShareResponses} {
		for key := range of(result.Samples, family) {
			if strings.HasPrefix(key, "examplefiles00,share02") {
				t.Errorf("the idle share has %s of %s", key, family.Name)
			}
		}
	}
	l.inject(faults.Fault{Kind: faults.Missing})
	l.clock.add(time.Minute)
	if result := l.good("performance"); len(reasons(result)) > 0 {
		t.Errorf("reasons are %v", reasons(result))
	}
	l.checkTruth()
}

// Of 500 shares none is missing. With a limit of series that they reach it is told, and nothing else is wrong.
func TestFiveHundredShares(t *testing.T) {
	t.Parallel()
	const shares = 500
	l := newLab(t, fleetOf(1, shares), nil)
	if result := l.good("performance"); len(of(result.Samples, schema.ShareBurstCredits)) != shares || result.Skipped[oddTop] != 0 {
		t.Errorf("%d shares, skipped %v", len(of(result.Samples, schema.ShareBurstCredits)), result.Skipped)
	}
	l.source.top = shares
	l.clock.add(time.Minute)
	if result := l.good("performance"); result.Skipped[oddTop] == 0 {
		t.Errorf("the limit is reached and nothing is told: %v", result.Skipped)
	}
	l.checkTruth()
}

// A pause of 0 s is none: the request is sent again at once, as often as the SDK does. One of 309 s holds everything, and the
// run that does not wait for it says so.
func TestPausesThatAnswersAskFor(t *testing.T) {
	t.Parallel()
	l := newLab(t, fleetOf(1, 1), nil)
	l.good("inventory")
	l.inject(faults.Fault{Kind: faults.TooManyRequests, Method: "metrics.query", Times: 2})
	if result := l.good("performance"); len(of(result.Samples, schema.ShareBurstCredits)) != 1 {
		t.Error("nothing is read after a pause of 0 s")
	}
	l.inject(faults.Fault{Kind: faults.TooManyRequests, Method: "metrics.query", Times: 1, RetryAfter: 309 * time.Second})
	l.clock.add(time.Minute)
	before := l.server.Usage().Of("metrics.query")
	begun := time.Now()
	result := l.run("performance")
	if !reasons(result)["5 performance "+azureapi.ReasonRateLimited] || result.Err == nil {
		t.Errorf("reasons are %v, the error %v", reasons(result), result.Err)
	}
	l.clock.add(time.Minute)
	l.run("performance")
	if n := l.server.Usage().Of("metrics.query") - before; n != 1 {
		t.Errorf("%d requests within a pause of 309 s", n)
	}
	if took := time.Since(begun); took > 50*time.Second {
		t.Errorf("two runs waited %s for a pause that they do not outlast", took)
	}
	if minutes := l.minutes(firstEgress); len(minutes) != firstMinutes {
		t.Errorf("%d minutes are left of what was read before the pause", len(minutes))
	}
}

// What is read while the inventory is being read for the first time waits for it: an account whose shares are not known yet would be
// passed over, and its space asked for an hour later.
func TestTiersWaitForTheFirstInventory(t *testing.T) {
	t.Parallel()
	l := newLab(t, fleetOf(3, 2), nil)
	l.inject(faults.Fault{Kind: faults.Latency, Method: "shares.list", Delay: 300 * time.Millisecond})
	ended := make(chan error, 1)
	go func() { ended <- l.source.refresh(t.Context(), l.source.subscriptions[0]) }()
	listed := func() bool {
		sub := l.source.subscriptions[0]
		sub.mu.Lock()
		defer sub.mu.Unlock()
		return !sub.listed.IsZero()
	}
	for !listed() {
		select {
		case err := <-ended:
			t.Fatalf("the inventory ended before it was seen to begin: %v", err)
		default:
			runtime.Gosched()
		}
	}
	if n := len(of(l.good("capacity").Samples, schema.ShareUsed)); n != 6 {
		t.Errorf("%d shares of 6", n)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
