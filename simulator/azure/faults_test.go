package azure_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
)

func (f fleet) inject(fault faults.Fault) {
	f.t.Helper()
	if _, err := f.Inject(fault); err != nil {
		f.t.Fatal(err)
	}
}

func TestCallsFail(t *testing.T) {
	f := start(t, azure.Options{})
	for _, row := range []struct {
		fault  faults.Fault
		status int
		code   string
		after  string
	}{
		{faults.Fault{Kind: faults.TooManyRequests}, 429, "TooManyRequests", "0"},
		{faults.Fault{Kind: faults.TooManyRequests, RetryAfter: 309 * time.Second}, 429, "TooManyRequests", "309"},
		{faults.Fault{Kind: faults.Unavailable, RetryAfter: time.Second}, 503, "ServiceUnavailable", "1"},
		{faults.Fault{Kind: faults.Overloaded}, 529, "TooManyRequests", ""},
		{faults.Fault{Kind: faults.Unauthenticated}, 401, "InvalidAuthenticationToken", ""},
		{faults.Fault{Kind: faults.Forbidden}, 403, "AuthorizationFailed", ""},
		{faults.Fault{Kind: faults.ServiceDisabled}, 409, "MissingSubscriptionRegistration", ""},
		{faults.Fault{Kind: faults.Refused}, 400, "BadRequest", ""},
	} {
		row.fault.Method, row.fault.Times = "metrics.query", 1
		f.inject(row.fault)
		_, err := f.try(t.Context(), ssd, ask("Transactions", "", azquery.AggregationTypeTotal))
		var refused *azcore.ResponseError
		if !errors.As(err, &refused) || refused.StatusCode != row.status || refused.ErrorCode != row.code || refused.RawResponse.Header.Get("Retry-After") != row.after {
			t.Errorf("%s: %v", row.fault.Kind, err)
		}
		f.query(ssd, ask("Transactions", "", azquery.AggregationTypeTotal)) // the next call is served
	}
}

func TestConnectionsAndBodiesBreak(t *testing.T) {
	f := start(t, azure.Options{})
	for _, kind := range []faults.Kind{faults.Cut, faults.HalfPage, faults.WrongType} {
		f.Heal()
		f.inject(faults.Fault{Kind: kind, Method: "metrics.query"})
		if _, err := f.try(t.Context(), ssd, ask("Transactions", "", azquery.AggregationTypeTotal)); err == nil {
			t.Errorf("%s: no error", kind)
		} else if code, _ := status(err); code != 0 {
			t.Errorf("%s: %v", kind, err)
		}
	}
	f.Heal()
	f.inject(faults.Fault{Kind: faults.WrongType, Method: "shares.list"})
	if _, _, err := f.shareNames(nil); err == nil {
		t.Error("shares with a text for a size: no error")
	}
	for _, kind := range []faults.Kind{faults.UnknownField, faults.UnknownEnum} {
		f.Heal()
		f.inject(faults.Fault{Kind: kind, Method: "shares.list"})
		if names, _, err := f.shareNames(nil); err != nil || len(names) != 14 {
			t.Errorf("%s: %d shares, %v", kind, len(names), err)
		}
	}
}

func TestLatencyEndsWithTheClient(t *testing.T) {
	f := start(t, azure.Options{})
	f.inject(faults.Fault{Kind: faults.Latency, Delay: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := f.try(ctx, ssd, ask("Transactions", "", azquery.AggregationTypeTotal)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that waits an hour: %v", err)
	}
}

// azcore knows nothing of 529, and tries again only when it is told to.
func TestOverloadedIsRetriedOnlyOnRequest(t *testing.T) {
	f := start(t, azure.Options{})
	for _, row := range []struct {
		codes []int
		calls int64
	}{{nil, 1}, {[]int{http.StatusTooManyRequests, 529}, 3}} {
		before := f.Usage().Of("metrics.query")
		f.Heal()
		f.inject(faults.Fault{Kind: faults.Overloaded, Method: "metrics.query", Times: 2})
		options := f.ClientOptions()
		options.Retry = policy.RetryOptions{StatusCodes: row.codes, RetryDelay: time.Millisecond}
		_, err := f.metrics(options).QueryResource(t.Context(), ssd, ask("Transactions", "", azquery.AggregationTypeTotal))
		if calls := f.Usage().Of("metrics.query") - before; calls != row.calls || (err == nil) != (row.calls == 3) {
			t.Errorf("codes %v: %d calls, %v", row.codes, calls, err)
		}
	}
}

func TestOneMetricFailsInAnAnswer(t *testing.T) {
	f := start(t, azure.Options{})
	f.inject(faults.Fault{Kind: faults.MetricError, Metric: "Egress"})
	for _, metric := range f.query(ssd, ask("Egress,Ingress", "", azquery.AggregationTypeTotal)) {
		failed := *metric.Name.Value == "Egress"
		if (*metric.ErrorCode == "Throttled") != failed || (len(metric.TimeSeries) == 0) != failed || (metric.ErrorMessage != nil) != failed {
			t.Errorf("%s: %s, %d series", *metric.Name.Value, *metric.ErrorCode, len(metric.TimeSeries))
		}
	}
}

func TestDataFaults(t *testing.T) {
	f := start(t, azure.Options{})
	options := ask("Transactions", "FileShare eq 'projects'", azquery.AggregationTypeTotal)
	whole := sum(f.query(ssd, options)[0].TimeSeries[0])
	for _, row := range []struct {
		fault faults.Fault
		part  float64
	}{
		{faults.Fault{Kind: faults.Revised, Delay: time.Hour}, 0.5},
		{faults.Fault{Kind: faults.Missing}, 0},
		{faults.Fault{Kind: faults.Late, Delay: time.Hour}, 0},
		{faults.Fault{Kind: faults.Missing, Volume: "documents"}, 1},
		{faults.Fault{Kind: faults.Missing, Metric: "Egress"}, 1},
	} {
		f.Heal()
		f.inject(row.fault)
		got := 0.0
		for _, series := range f.query(ssd, options)[0].TimeSeries {
			got += sum(series)
		}
		if got != row.part*whole {
			t.Errorf("%+v: %g of %g", row.fault, got, whole)
		}
	}
	f.Heal()
	f.inject(faults.Fault{Kind: faults.Truncated})
	options = ask("Transactions", "FileShare eq 'projects' and ApiName eq '*'", azquery.AggregationTypeTotal)
	if got := len(f.query(ssd, options)[0].TimeSeries); got != 3 {
		t.Errorf("%d of 5 series are left of a truncated answer, want 3", got)
	}
}

// A share that vanishes is in no list, cannot be read, and has the points from before alone.
func TestAShareVanishes(t *testing.T) {
	f := start(t, azure.Options{})
	f.inject(faults.Fault{Kind: faults.Vanished, Volume: "projects"})
	names, _, err := f.shareNames(nil)
	if err != nil || slices.Contains(names, "projects") || len(names) != 13 {
		t.Errorf("shares %v, %v", names, err)
	}
	_, err = f.storage(production, "").NewFileSharesClient().Get(t.Context(), "files", "examplessdv2", "projects", nil)
	if code, name := status(err); code != 404 || name != "ShareNotFound" {
		t.Errorf("get: %v", err)
	}
	f.move(now.Add(20 * time.Minute))
	options := ask("Transactions", "FileShare eq 'projects'", azquery.AggregationTypeTotal)
	options.Timespan = ptr(azquery.NewTimeInterval(epoch, epoch.Add(20*time.Minute)))
	for _, p := range f.query(ssd, options)[0].TimeSeries[0].Data {
		if before := p.TimeStamp.Before(epoch.Add(7 * time.Minute)); before != (p.Total != nil) {
			t.Errorf("at %s: %v", p.TimeStamp, p.Total)
		}
	}
}

// A clock that is wrong moves what is there by as much.
func TestClockSkew(t *testing.T) {
	f := start(t, azure.Options{})
	f.inject(faults.Fault{Kind: faults.ClockSkew, Delay: -10 * time.Minute})
	options := ask("Transactions", "FileShare eq 'projects'", azquery.AggregationTypeTotal)
	for _, p := range f.query(ssd, options)[0].TimeSeries[0].Data {
		old, future := p.TimeStamp.Before(now.Add(-14*time.Minute)), p.TimeStamp.After(now.Add(-11*time.Minute))
		if (old && p.Total == nil) || (future && p.Total != nil) {
			t.Errorf("at %s: %v", p.TimeStamp, p.Total)
		}
	}
	if got := f.Now(); !got.Equal(now.Add(-10 * time.Minute)) {
		t.Errorf("now %s", got)
	}
}
