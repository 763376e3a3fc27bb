package azure_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/storage/armstorage/v2"
	"go.uber.org/goleak"

	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// epoch is a Monday at noon, and now is on no boundary of anything.
var (
	epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	now   = epoch.Add(7*time.Minute + 11*time.Second)
)

const (
	production = "00000000-0000-4000-8000-000000000001"
	archive    = "00000000-0000-4000-8000-000000000002"
	ssd        = "/subscriptions/" + production + "/resourceGroups/files/providers/Microsoft.Storage/storageAccounts/examplessdv2/fileServices/default"
	payg       = "/subscriptions/" + archive + "/resourceGroups/archive/providers/Microsoft.Storage/storageAccounts/examplepayg/fileServices/default"
)

// fleet is a running emulator with the real clients and a clock that stands still until it is moved.
type fleet struct {
	*azure.Server
	t     *testing.T
	clock *atomic.Pointer[time.Time]
}

func start(t *testing.T, options azure.Options) fleet {
	t.Helper()
	return startFleet(t, nil, options)
}

// startFleet serves a fleet, or the example.
func startFleet(t *testing.T, served *model.Fleet, options azure.Options) fleet {
	t.Helper()
	f := fleet{t: t, clock: &atomic.Pointer[time.Time]{}}
	f.move(now)
	options.Clock, options.Epoch, options.Seed = func() time.Time { return *f.clock.Load() }, epoch, 1
	var err error
	if f.Server, err = azure.Start(t.Context(), served, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f fleet) move(to time.Time) { f.clock.Store(&to) }

// once are ClientOptions for clients that do not try again.
func (f fleet) once() azcore.ClientOptions {
	options := f.ClientOptions()
	options.Retry = policy.RetryOptions{MaxRetries: -1}
	return options
}

func (f fleet) metrics(options azcore.ClientOptions) *azquery.MetricsClient {
	f.t.Helper()
	client, err := azquery.NewMetricsClient(f.Credential(""), &azquery.MetricsClientOptions{ClientOptions: options})
	if err != nil {
		f.t.Fatal(err)
	}
	return client
}

// storage is the factory of the clients of Microsoft.Storage, which do not try again.
func (f fleet) storage(subscription, token string) *armstorage.ClientFactory {
	f.t.Helper()
	options := f.ARMOptions()
	options.Retry.MaxRetries = -1
	factory, err := armstorage.NewClientFactory(subscription, f.Credential(token), options)
	if err != nil {
		f.t.Fatal(err)
	}
	return factory
}

// ask is a query over the ten minutes that end five minutes ago.
func ask(names, filter string, aggregation azquery.AggregationType) *azquery.MetricsClientQueryResourceOptions {
	span := azquery.NewTimeInterval(now.Add(-15*time.Minute).Truncate(time.Minute), now.Add(-5*time.Minute).Truncate(time.Minute))
	options := &azquery.MetricsClientQueryResourceOptions{
		MetricNames: &names, Interval: ptr("PT1M"), Timespan: &span, Aggregation: []*azquery.AggregationType{&aggregation},
	}
	if filter != "" {
		options.Filter = &filter
	}
	return options
}

func ptr[T any](v T) *T { return &v }

// query fails the test on any error; try gives it.
func (f fleet) query(resource string, options *azquery.MetricsClientQueryResourceOptions) []*azquery.Metric {
	f.t.Helper()
	metrics, err := f.try(f.t.Context(), resource, options)
	if err != nil {
		f.t.Fatal(err)
	}
	return metrics
}

func (f fleet) try(ctx context.Context, resource string, options *azquery.MetricsClientQueryResourceOptions) ([]*azquery.Metric, error) {
	answer, err := f.metrics(f.once()).QueryResource(ctx, resource, options)
	return answer.Value, err
}

// status is the HTTP status and code of an error of the clients, 0 where it is none of theirs.
func status(err error) (int, string) {
	var refused *azcore.ResponseError
	if errors.As(err, &refused) {
		return refused.StatusCode, refused.ErrorCode
	}
	return 0, ""
}

// sum is the total of all points of a series.
func sum(series *azquery.TimeSeriesElement) (total float64) {
	for _, p := range series.Data {
		if p.Total != nil {
			total += *p.Total
		}
	}
	return total
}

// label is a series' value of a dimension.
func label(series *azquery.TimeSeriesElement, dimension string) string {
	for _, m := range series.MetadataValues {
		if *m.Name.Value == dimension {
			return *m.Value
		}
	}
	return ""
}
