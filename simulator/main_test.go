package simulator_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	monitoring "cloud.google.com/go/monitoring/apiv3/v2"
	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"go.uber.org/goleak"
	"google.golang.org/api/iterator"
	netapp "google.golang.org/api/netapp/v1"
	"google.golang.org/api/option"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/nasight/nasight/simulator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// epoch is a Monday at noon, and now is on no boundary of anything.
var (
	epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	now   = epoch.Add(2*time.Hour + 7*time.Minute + 11*time.Second)
)

const prod, files = "projects/example-prod", "projects/example-files"

// fleet is a running emulator with the real clients and a clock that stands still until it is moved.
type fleet struct {
	*simulator.Server
	t       *testing.T
	clock   *atomic.Pointer[time.Time]
	metrics *monitoring.MetricClient
	netapp  *netapp.Service
}

func start(t *testing.T, options simulator.Options) fleet {
	t.Helper()
	f := fleet{t: t, clock: &atomic.Pointer[time.Time]{}}
	f.move(now)
	options.Clock, options.Epoch, options.Seed = func() time.Time { return *f.clock.Load() }, epoch, 1
	var err error
	if f.Server, err = simulator.Start(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	f.metrics = metricClient(t, f.ClientOptions())
	if f.netapp, err = netapp.NewService(t.Context(), f.RESTOptions()...); err != nil {
		t.Fatal(err)
	}
	return f
}

func metricClient(t *testing.T, options []option.ClientOption) *monitoring.MetricClient {
	t.Helper()
	client, err := monitoring.NewMetricClient(t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

func (f fleet) move(to time.Time) { f.clock.Store(&to) }

// ask is a request for a metric over the last half hour, with more of a filter after it.
func ask(project, metric, more string) *monitoringpb.ListTimeSeriesRequest {
	return &monitoringpb.ListTimeSeriesRequest{
		Name: project, Filter: `metric.type = "netapp.googleapis.com/` + metric + `"` + more, Interval: interval(now.Add(-30*time.Minute), now),
	}
}

func interval(from, to time.Time) *monitoringpb.TimeInterval {
	return &monitoringpb.TimeInterval{StartTime: timestamppb.New(from), EndTime: timestamppb.New(to)}
}

func aggregation(period time.Duration, aligner monitoringpb.Aggregation_Aligner, reducer monitoringpb.Aggregation_Reducer, by ...string) *monitoringpb.Aggregation {
	return &monitoringpb.Aggregation{
		AlignmentPeriod: durationpb.New(period), PerSeriesAligner: aligner, CrossSeriesReducer: reducer, GroupByFields: by,
	}
}

// try reads all pages.
func (f fleet) try(ctx context.Context, request *monitoringpb.ListTimeSeriesRequest) ([]*monitoringpb.TimeSeries, error) {
	var all []*monitoringpb.TimeSeries
	series := f.metrics.ListTimeSeries(ctx, request)
	for {
		one, err := series.Next()
		if errors.Is(err, iterator.Done) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, one)
	}
}

func (f fleet) list(request *monitoringpb.ListTimeSeriesRequest) []*monitoringpb.TimeSeries {
	f.t.Helper()
	all, err := f.try(f.t.Context(), request)
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}
