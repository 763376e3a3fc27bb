package azure_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/model"
)

// truth is what the model says a share did in the minutes of ask.
func (f fleet) truth(share string, of func(model.ShareCalls, model.ShareResponses) float64) (total float64) {
	f.t.Helper()
	for _, p := range f.Model().Shares() {
		if p.Share.Name != share {
			continue
		}
		for at := now.Add(-15 * time.Minute).Truncate(time.Minute); at.Before(now.Add(-5 * time.Minute).Truncate(time.Minute)); at = at.Add(time.Minute) {
			for _, c := range f.Model().ShareMinute(p, at).Calls {
				for _, r := range c.Responses {
					total += of(c, r)
				}
			}
		}
		return total
	}
	f.t.Fatalf("no share %s", share)
	return 0
}

func every(_ model.ShareCalls, r model.ShareResponses) float64 { return r.Count }

func TestTransactionsSplit(t *testing.T) {
	f := start(t, azure.Options{})
	options := ask("Transactions", "FileShare eq 'projects' and ApiName eq '*' and ResponseType eq '*'", azquery.AggregationTypeTotal)
	metric := f.query(ssd, options)[0]
	if *metric.ErrorCode != "Success" || *metric.Unit != azquery.MetricUnitCount {
		t.Errorf("error code %s, unit %s", *metric.ErrorCode, *metric.Unit)
	}
	var total float64
	for _, series := range metric.TimeSeries {
		api, response := label(series, "apiname"), label(series, "responsetype")
		want := f.truth("projects", func(c model.ShareCalls, r model.ShareResponses) float64 {
			if c.API == api && r.Type == response {
				return r.Count
			}
			return 0
		})
		if got := sum(series); got != want || want == 0 || len(series.Data) != 10 || label(series, "fileshare") != "projects" {
			t.Errorf("%s %s: %g in %d points, want %g in 10", api, response, got, len(series.Data), want)
		}
		total += sum(series)
	}
	if want := f.truth("projects", every); total != want || len(metric.TimeSeries) != 6 {
		t.Errorf("%g in %d series, want %g in 6", total, len(metric.TimeSeries), want)
	}
	unsplit := f.query(ssd, ask("Transactions", "", azquery.AggregationTypeTotal))[0].TimeSeries
	if len(unsplit) != 1 || len(unsplit[0].MetadataValues) != 0 || sum(unsplit[0]) <= total {
		t.Errorf("without a split %d series", len(unsplit))
	}
}

func TestTopCutsSilently(t *testing.T) {
	f := start(t, azure.Options{})
	options := ask("Transactions", "FileShare eq '*' and ApiName eq '*'", azquery.AggregationTypeTotal)
	if got := len(f.query(ssd, options)[0].TimeSeries); got != 10 {
		t.Errorf("%d series, want the default of 10", got)
	}
	options.Top = ptr(int32(1000))
	all := len(f.query(ssd, options)[0].TimeSeries)
	if all <= 20 {
		t.Errorf("%d series with a large top", all)
	}
	options.Top = ptr(int32(3))
	if got := len(f.query(ssd, options)[0].TimeSeries); got != 3 {
		t.Errorf("%d series, want 3", got)
	}
	options.Filter = nil
	if _, err := f.try(t.Context(), ssd, options); !strings.Contains(err.Error(), "top is valid only with $filter") {
		t.Errorf("top without filter: %v", err)
	}
}

// A share that nobody uses has no series; one that rests has points without a value.
func TestNothingIsNotZero(t *testing.T) {
	f := start(t, azure.Options{})
	if got := f.query(ssd, ask("Transactions", "FileShare eq 'unused'", azquery.AggregationTypeTotal))[0].TimeSeries; got == nil || len(got) != 0 {
		t.Errorf("an unused share has %d series (nil %v)", len(got), got == nil)
	}
	f.move(epoch.Add(45 * time.Minute))
	options := ask("Transactions", "FileShare eq 'hourly'", azquery.AggregationTypeTotal)
	options.Timespan = ptr(azquery.NewTimeInterval(epoch.Add(25*time.Minute), epoch.Add(35*time.Minute)))
	series := f.query(ssd, options)[0].TimeSeries
	if len(series) != 1 {
		t.Fatalf("%d series", len(series))
	}
	for i, p := range series[0].Data {
		if (p.Total == nil) != (i < 5) || !p.TimeStamp.Equal(epoch.Add(time.Duration(25+i)*time.Minute)) {
			t.Errorf("point %d at %s: %v", i, p.TimeStamp, p.Total)
		}
	}
}

func TestMeansAreOfOperations(t *testing.T) {
	f := start(t, azure.Options{})
	options := ask("Egress,Ingress", "FileShare eq 'database' and ApiName eq '*'", azquery.AggregationTypeAverage)
	for _, metric := range f.query(ssd, options) {
		for _, series := range metric.TimeSeries {
			want := 0.0
			if (*metric.Name.Value == "Egress") == (label(series, "apiname") == "Read") {
				want = 4096
			}
			for _, p := range series.Data {
				if p.Average == nil || math.Abs(*p.Average-want) > 1e-6 || p.Total != nil {
					t.Fatalf("%s of %s: %v", *metric.Name.Value, label(series, "apiname"), p.Average)
				}
			}
		}
	}
}

func TestCapacityIsHourly(t *testing.T) {
	f := start(t, azure.Options{})
	options := ask("FileCapacity,FileShareCapacityQuota,FileShareProvisionedIOPS", "FileShare eq '*'", azquery.AggregationTypeAverage)
	options.Top = ptr(int32(100))
	if _, err := f.try(t.Context(), ssd, options); err == nil || !strings.Contains(err.Error(), "does not support the requested time grain PT1M") {
		t.Errorf("minutes of capacity: %v", err)
	}
	span := azquery.NewTimeInterval(epoch.Add(-6*time.Hour), epoch)
	options.Timespan, options.Interval = &span, ptr("PT1H")
	for _, metric := range f.query(ssd, options) {
		if len(metric.TimeSeries) != 14 {
			t.Errorf("%s has %d series", *metric.Name.Value, len(metric.TimeSeries))
		}
		for _, series := range metric.TimeSeries {
			if label(series, "fileshare") != "homes" || *metric.Name.Value != "FileCapacity" {
				continue
			}
			used := *series.Data[0].Average / (4096 << 30)
			if math.Abs(used-0.85) > 0.001 {
				t.Errorf("homes is %g full", used)
			}
		}
	}
	options.Interval, options.AutoAdjustTimegrain = ptr("PT1M"), ptr(true)
	answer, err := f.metrics(f.once()).QueryResource(t.Context(), ssd, options)
	if err != nil || *answer.Interval != "PT1H" {
		t.Errorf("adjusted: %v, %v", answer.Interval, err)
	}
}

// The account of shares that are paid by use is known as a whole, and has neither a provision nor credits.
func TestPayAsYouGoHasTotalsOnly(t *testing.T) {
	f := start(t, azure.Options{})
	if got := f.query(payg, ask("Transactions", "FileShare eq '*'", azquery.AggregationTypeTotal))[0].TimeSeries; len(got) != 0 {
		t.Errorf("%d series by share", len(got))
	}
	got := f.query(payg, ask("Transactions", "", azquery.AggregationTypeTotal))[0].TimeSeries
	if want := f.truth("office", every) + f.truth("records", every); len(got) != 1 || sum(got[0]) != want {
		t.Errorf("%d series, want one of %g", len(got), want)
	}
	for _, metric := range f.query(payg, ask("FileShareMaxUsedIOPS,FileShareAvailableBurstCredits", "", azquery.AggregationTypeMaximum)) {
		if len(metric.TimeSeries) != 0 {
			t.Errorf("%s has %d series", *metric.Name.Value, len(metric.TimeSeries))
		}
	}
}

// The youngest minutes are missing, then there in part, then whole, and never change again.
func TestPointsSettle(t *testing.T) {
	f := start(t, azure.Options{})
	minute := now.Truncate(time.Minute)
	options := ask("Transactions", "FileShare eq 'projects'", azquery.AggregationTypeTotal)
	options.Timespan = ptr(azquery.NewTimeInterval(minute, minute.Add(time.Minute)))
	seen := []float64{}
	for after := time.Duration(0); after <= 5*time.Minute; after += 5 * time.Second {
		f.move(minute.Add(after))
		for _, series := range f.query(ssd, options)[0].TimeSeries {
			if v := sum(series); len(seen) == 0 || seen[len(seen)-1] != v {
				seen = append(seen, v)
			}
			if after < time.Minute+20*time.Second {
				t.Errorf("visible %s after the minute began", after)
			}
		}
	}
	if len(seen) != 2 || math.Abs(seen[0]/seen[1]-0.6) > 1e-9 {
		t.Errorf("values %g", seen)
	}
}

func TestQueriesAreRefused(t *testing.T) {
	f := start(t, azure.Options{})
	for says, change := range map[string]func(*azquery.MetricsClientQueryResourceOptions){
		"metric: Nothing":             func(o *azquery.MetricsClientQueryResourceOptions) { o.MetricNames = ptr("Nothing") },
		"invalid time grain":          func(o *azquery.MetricsClientQueryResourceOptions) { o.Interval = ptr("PT7M") },
		"or cannot separate":          func(o *azquery.MetricsClientQueryResourceOptions) { o.Filter = ptr("ApiName eq 'a' or GeoType eq 'b'") },
		"not support the requested d": func(o *azquery.MetricsClientQueryResourceOptions) { o.Filter = ptr("Tier eq '*'") },
		"namespace": func(o *azquery.MetricsClientQueryResourceOptions) {
			o.MetricNamespace = ptr("Microsoft.Compute/virtualMachines")
		},
		"timespan": func(o *azquery.MetricsClientQueryResourceOptions) { o.Timespan = ptr(azquery.TimeInterval("a/b")) },
		"too many": func(o *azquery.MetricsClientQueryResourceOptions) {
			o.Timespan = ptr(azquery.NewTimeInterval(epoch.AddDate(-1, 0, 0), epoch))
		},
	} {
		options := ask("Transactions", "", azquery.AggregationTypeTotal)
		change(options)
		_, err := f.try(t.Context(), ssd, options)
		if code, name := status(err); code != 400 || name != "BadRequest" || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	_, err := f.try(t.Context(), strings.Replace(ssd, "examplessdv2", "nothing", 1), ask("Transactions", "", azquery.AggregationTypeTotal))
	if code, name := status(err); code != 404 || name != "ResourceNotFound" {
		t.Errorf("an account that is not there: %v", err)
	}
}

func TestDefinitions(t *testing.T) {
	f := start(t, azure.Options{})
	pager := f.metrics(f.once()).NewListDefinitionsPager(ssd, nil)
	page, err := pager.NextPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	grains := map[string]string{}
	for _, d := range page.Value {
		grains[*d.Name.Value] = *d.MetricAvailabilities[0].TimeGrain
	}
	if len(grains) != 20 || grains["FileCapacity"] != "PT1H" || grains["Transactions"] != "PT1M" {
		t.Errorf("definitions: %v", grains)
	}
}

// Every metric is there for every account with traffic and a provision, carries what its definition promises, and says nothing
// where the account's kind has none.
func TestEveryMetric(t *testing.T) {
	f := start(t, azure.Options{})
	page, err := f.metrics(f.once()).NewListDefinitionsPager(ssd, nil).NextPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	span := azquery.NewTimeInterval(epoch.Add(-4*time.Hour), epoch.Add(-2*time.Hour))
	for _, d := range page.Value {
		options := ask(*d.Name.Value, "", *d.PrimaryAggregationType)
		options.Timespan, options.Interval, options.Aggregation = &span, ptr("PT1H"), d.SupportedAggregationTypes
		for resource, provisioned := range map[string]bool{ssd: true, payg: false} {
			want := 1
			if name := *d.Name.Value; !provisioned && (strings.Contains(name, "Provisioned") || strings.Contains(name, "MaxUsed") ||
				strings.Contains(name, "Paid") || strings.Contains(name, "Burst") || strings.HasPrefix(name, "Percent")) {
				want = 0
			}
			series := f.query(resource, options)[0].TimeSeries
			if len(series) != want {
				t.Errorf("%s of %s: %d series, want %d", *d.Name.Value, resource, len(series), want)
				continue
			}
			for _, s := range series {
				for _, p := range s.Data {
					values := map[azquery.AggregationType]*float64{
						azquery.AggregationTypeTotal: p.Total, azquery.AggregationTypeAverage: p.Average,
						azquery.AggregationTypeMinimum: p.Minimum, azquery.AggregationTypeMaximum: p.Maximum,
					}
					for _, aggregation := range d.SupportedAggregationTypes {
						if values[*aggregation] == nil {
							t.Errorf("%s at %s has no %s", *d.Name.Value, p.TimeStamp, *aggregation)
						}
						delete(values, *aggregation)
					}
					for aggregation, value := range values {
						if value != nil {
							t.Errorf("%s has a %s", *d.Name.Value, aggregation)
						}
					}
				}
			}
		}
	}
}

// The service's part of a latency is the smaller one, the rest is the network, and throttling makes both longer.
func TestLatencies(t *testing.T) {
	f := start(t, azure.Options{})
	mean := func(share string) map[string]float64 {
		got := map[string]float64{}
		for _, metric := range f.query(ssd, ask("SuccessE2ELatency,SuccessServerLatency", "FileShare eq '"+share+"' and ApiName eq 'Read'", azquery.AggregationTypeAverage)) {
			got[*metric.Name.Value] = *metric.TimeSeries[0].Data[0].Average
		}
		return got
	}
	calm, throttled := mean("warehouse"), mean("database")
	if network := calm["SuccessE2ELatency"] - calm["SuccessServerLatency"]; math.Abs(network-0.3) > 1e-9 {
		t.Errorf("the network takes %g ms", network)
	}
	if throttled["SuccessServerLatency"] < 3*calm["SuccessServerLatency"] {
		t.Errorf("throttled %v, calm %v", throttled, calm)
	}
}

// Capacities come six to seventy minutes after their hour.
func TestCapacityIsLate(t *testing.T) {
	f := start(t, azure.Options{})
	options := ask("FileCapacity", "", azquery.AggregationTypeAverage)
	options.Interval, options.Timespan = ptr("PT1H"), ptr(azquery.NewTimeInterval(epoch, epoch.Add(time.Hour)))
	var came time.Duration
	for after := time.Duration(0); after <= 70*time.Minute && came == 0; after += time.Minute {
		f.move(epoch.Add(time.Hour + after))
		if len(f.query(ssd, options)[0].TimeSeries) > 0 {
			came = after
		}
	}
	if came < 6*time.Minute {
		t.Errorf("the capacity came %s after its hour", came)
	}
}

// An order that the emulator does not have is refused, not ignored.
func TestOrderIsRefused(t *testing.T) {
	f := start(t, azure.Options{})
	options := ask("Transactions", "ApiName eq '*'", azquery.AggregationTypeTotal)
	options.OrderBy = ptr("total desc")
	_, err := f.try(t.Context(), ssd, options)
	if code, name := status(err); code != 501 || name != "NotImplemented" {
		t.Errorf("orderby: %v", err)
	}
}

// A dimension that is rolled up filters without splitting.
func TestRollUp(t *testing.T) {
	f := start(t, azure.Options{})
	options := ask("Transactions", "FileShare eq 'projects' or FileShare eq 'documents' and ApiName eq '*'", azquery.AggregationTypeTotal)
	options.RollUpBy = ptr("FileShare")
	var total float64
	for _, series := range f.query(ssd, options)[0].TimeSeries {
		if label(series, "fileshare") != "" {
			t.Error("split by what is rolled up")
		}
		total += sum(series)
	}
	if want := f.truth("projects", every) + f.truth("documents", every); total != want {
		t.Errorf("%g, want %g", total, want)
	}
}

// How operations ended names the limit that they waited for; clients of Kerberos are told by a prefix.
func TestResponseTypes(t *testing.T) {
	f := start(t, azure.Options{})
	for share, want := range map[string][]string{
		"database": {"KerberosSuccessWithShareIopsThrottling", "Success"},
		"projects": {"ClientOtherError", "Success"},
		"build":    {"Success"},
	} {
		var got []string
		for _, series := range f.query(ssd, ask("Transactions", "FileShare eq '"+share+"' and ResponseType eq '*'", azquery.AggregationTypeTotal))[0].TimeSeries {
			got = append(got, label(series, "responsetype"))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", share, diff)
		}
	}
}
