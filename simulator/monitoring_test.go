package simulator_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/iterator"
	metricpb "google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/model"
)

func descriptors(t *testing.T, f fleet, filter string, size int32) map[string]*metricpb.MetricDescriptor {
	t.Helper()
	found := map[string]*metricpb.MetricDescriptor{}
	all := f.metrics.ListMetricDescriptors(t.Context(), &monitoringpb.ListMetricDescriptorsRequest{Name: prod, Filter: filter, PageSize: size})
	for {
		one, err := all.Next()
		if errors.Is(err, iterator.Done) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		found[one.GetType()] = one
	}
}

func TestDescriptors(t *testing.T) {
	f := start(t, simulator.Options{})
	all := descriptors(t, f, `metric.type = starts_with("netapp.googleapis.com/")`, 4)
	throughput := all["netapp.googleapis.com/volume/throughput"]
	if len(all) < 20 || throughput == nil {
		t.Fatalf("%d descriptors", len(all))
	}
	got := []any{
		throughput.GetMetricKind().String(), throughput.GetValueType().String(), throughput.GetUnit(), throughput.GetLabels()[0].GetKey(),
		throughput.GetMetadata().GetSamplePeriod().AsDuration(), throughput.GetMetadata().GetIngestDelay().AsDuration(),
		throughput.GetMonitoredResourceTypes()[0], all["netapp.googleapis.com/volume/average_latency"].GetLabels()[0].GetKey(),
		all["netapp.googleapis.com/volume/throughput_limit"].GetUnit(),
	}
	want := []any{"DELTA", "INT64", "By", "type", 5 * time.Minute, 8 * time.Minute, "netapp.googleapis.com/Volume", "method", "KiBy/s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if few := descriptors(t, f, `metric.type = "netapp.googleapis.com/storage_pool/capacity"`, 0); len(few) != 1 {
		t.Errorf("%d descriptors of one type", len(few))
	}
	one, err := f.metrics.GetMetricDescriptor(t.Context(), &monitoringpb.GetMetricDescriptorRequest{Name: prod + "/metricDescriptors/netapp.googleapis.com/volume/inode_used"})
	if err != nil || one.GetMetricKind() != metricpb.MetricDescriptor_GAUGE {
		t.Errorf("one descriptor: %v, %v", one, err)
	}
}

// Raw points are the model's bytes of each window, newest first, complete up to the delay of their delivery.
func TestRawPointsAreTheModel(t *testing.T) {
	f := start(t, simulator.Options{})
	all := f.list(ask(prod, "volume/throughput", ` AND resource.labels.name = "media" AND metric.labels.type = "read"`))
	if len(all) != 1 {
		t.Fatalf("%d series, want 1", len(all))
	}
	if all[0].GetResource().GetLabels()["resource_container"] != "projects/100000000001" || all[0].GetMetricKind() != metricpb.MetricDescriptor_DELTA {
		t.Errorf("series %v", all[0])
	}
	p := f.Model().Find(prod + "/locations/europe-west3/volumes/media")
	last := now
	for _, point := range all[0].GetPoints() {
		from, to := point.GetInterval().GetStartTime().AsTime(), point.GetInterval().GetEndTime().AsTime()
		if to.Sub(from) != 5*time.Minute || !to.Before(last) || now.Sub(to) < 4*time.Minute || !to.After(now.Add(-30*time.Minute)) {
			t.Errorf("point over %s to %s after one of %s", from, to, last)
		}
		last = to
		if want := f.Model().Traffic(p, model.Read, from, to).Bytes; math.Abs(want-float64(point.GetValue().GetInt64Value())) > 0.5 || want < 1 {
			t.Errorf("%d bytes, the model has %g", point.GetValue().GetInt64Value(), want)
		}
	}
	if n := len(all[0].GetPoints()); n != 4 && n != 5 {
		t.Errorf("%d points in half an hour less the delay", n)
	}
	// At the same time later the newest points have arrived, and those that were there are the same.
	f.move(now.Add(time.Hour))
	later := f.list(ask(prod, "volume/throughput", ` AND resource.labels.name = "media" AND metric.labels.type = "read"`))
	if got := len(later[0].GetPoints()); got != 6 {
		t.Errorf("%d points in half an hour, want 6", got)
	}
}

// A gauge's interval is a moment; the limit is in KiB/s, and on Flex it is the pool's on each of its volumes.
func TestGauges(t *testing.T) {
	f := start(t, simulator.Options{})
	limits := map[string]int64{}
	for _, series := range f.list(ask(files, "volume/throughput_limit", "")) {
		point := series.GetPoints()[0]
		if !point.GetInterval().GetStartTime().AsTime().Equal(point.GetInterval().GetEndTime().AsTime()) {
			t.Errorf("a gauge over %v", point.GetInterval())
		}
		limits[series.GetResource().GetLabels()["location"]+"/"+series.GetResource().GetLabels()["name"]] = point.GetValue().GetInt64Value()
	}
	for name, mibps := range map[string]int64{
		"us-central1-a/scratch": 1024, "us-central1-a/staging": 1024, "us-central1/wiki": 64, "us-central1/full": 64, "us-central1/chip-design": 1280,
	} {
		if limits[name] != mibps*1024 {
			t.Errorf("limit of %s: %d KiB/s, want %d MiB/s", name, limits[name], mibps)
		}
	}
	pools := f.list(ask(files, "storage_pool/capacity", ""))
	if !slices.ContainsFunc(pools, func(s *monitoringpb.TimeSeries) bool { return s.GetResource().GetLabels()["name"] == "flex-ontap" }) {
		t.Error("the pool in ONTAP mode has no capacity")
	}
	if _, shown := limits["us-central1-c/inside"]; shown {
		t.Error("a volume inside ONTAP has a limit")
	}
	healthy := f.list(ask(prod, "replication/healthy", ""))
	if len(healthy) != 1 || !healthy[0].GetPoints()[0].GetValue().GetBoolValue() {
		t.Errorf("replication health: %v", healthy)
	}
	if tiered := f.list(ask(prod, "volume/auto_tiering/tiered_bytes", "")); len(tiered) != 0 {
		t.Errorf("%d series of tiers in a fleet without", len(tiered))
	}
}

// Rates are the model's bytes per second, and sums over types and volumes are what the parts sum to.
func TestAlignedAndReduced(t *testing.T) {
	f := start(t, simulator.Options{})
	p := f.Model().Find(prod + "/locations/europe-west3/volumes/media")
	request := ask(prod, "volume/throughput", ` AND resource.labels.name = "media"`)
	end := epoch.Add(90 * time.Minute)
	request.Interval = interval(end.Add(-time.Hour), end)
	request.Aggregation = aggregation(10*time.Minute, monitoringpb.Aggregation_ALIGN_RATE, monitoringpb.Aggregation_REDUCE_SUM, "resource.labels.location", "resource.label.name", "metadata.system_labels.storage_pool")
	all := f.list(request)
	if len(all) != 1 || len(all[0].GetPoints()) != 6 {
		t.Fatalf("series %v", all)
	}
	if all[0].GetMetadata().GetSystemLabels().GetFields()["storage_pool"].GetStringValue() != "extreme-idle" || len(all[0].GetMetric().GetLabels()) != 0 {
		t.Errorf("labels of a sum: %v", all[0])
	}
	for i, point := range all[0].GetPoints() {
		to := end.Add(time.Duration(-i) * 10 * time.Minute)
		var want float64
		for _, op := range model.Ops() {
			want += f.Model().Traffic(p, op, to.Add(-10*time.Minute), to).Bytes / 600
		}
		if got := point.GetValue().GetDoubleValue(); !point.GetInterval().GetEndTime().AsTime().Equal(to) || got < want-1 || got > want+1 {
			t.Errorf("at %s: %g bytes/s, want %g at %s", point.GetInterval().GetEndTime().AsTime(), got, want, to)
		}
	}
	request = ask(prod, "volume/average_latency", "")
	request.Aggregation = aggregation(5*time.Minute, monitoringpb.Aggregation_ALIGN_MEAN, monitoringpb.Aggregation_REDUCE_MAX, "metric.labels.method")
	if got := f.list(request); len(got) != 3 || got[0].GetMetric().GetLabels()["method"] == "" || got[0].GetValueType() != metricpb.MetricDescriptor_DOUBLE {
		t.Errorf("largest latency by method: %v", got)
	}
}

// What is refused is refused with the code that the service uses.
func TestRefusals(t *testing.T) {
	f := start(t, simulator.Options{})
	for name, row := range map[string]struct {
		change func(*monitoringpb.ListTimeSeriesRequest)
		want   codes.Code
	}{
		"no metric type":       {func(r *monitoringpb.ListTimeSeriesRequest) { r.Filter = `resource.type = "x"` }, codes.InvalidArgument},
		"a prefix of types":    {func(r *monitoringpb.ListTimeSeriesRequest) { r.Filter = `metric.type = starts_with("netapp")` }, codes.InvalidArgument},
		"unknown metric type":  {func(r *monitoringpb.ListTimeSeriesRequest) { r.Filter = `metric.type = "example.com/x"` }, codes.NotFound},
		"no end":               {func(r *monitoringpb.ListTimeSeriesRequest) { r.Interval = nil }, codes.InvalidArgument},
		"end before start":     {func(r *monitoringpb.ListTimeSeriesRequest) { r.Interval = interval(now, now.Add(-time.Hour)) }, codes.InvalidArgument},
		"an order":             {func(r *monitoringpb.ListTimeSeriesRequest) { r.OrderBy = "time" }, codes.InvalidArgument},
		"a made up page token": {func(r *monitoringpb.ListTimeSeriesRequest) { r.PageToken = "next" }, codes.InvalidArgument},
		"a foreign page token": {func(r *monitoringpb.ListTimeSeriesRequest) { r.PageToken = foreignToken(t, f) }, codes.InvalidArgument},
		"an unknown project":   {func(r *monitoringpb.ListTimeSeriesRequest) { r.Name = "projects/another" }, codes.PermissionDenied},
		"no project":           {func(r *monitoringpb.ListTimeSeriesRequest) { r.Name = "example-prod" }, codes.InvalidArgument},
		"a reducer alone": {func(r *monitoringpb.ListTimeSeriesRequest) {
			r.Aggregation = aggregation(time.Minute, 0, monitoringpb.Aggregation_REDUCE_SUM)
		}, codes.InvalidArgument},
		"too short a period": {func(r *monitoringpb.ListTimeSeriesRequest) {
			r.Aggregation = aggregation(30*time.Second, monitoringpb.Aggregation_ALIGN_RATE, 0)
		}, codes.InvalidArgument},
		"next older of changes": {func(r *monitoringpb.ListTimeSeriesRequest) {
			r.Aggregation = aggregation(time.Hour, monitoringpb.Aggregation_ALIGN_NEXT_OLDER, 0)
		}, codes.InvalidArgument},
		"rate of a gauge": {func(r *monitoringpb.ListTimeSeriesRequest) {
			r.Filter, r.Aggregation = `metric.type = "netapp.googleapis.com/volume/bytes_used"`, aggregation(time.Hour, monitoringpb.Aggregation_ALIGN_RATE, 0)
		}, codes.InvalidArgument},
		"mean of booleans": {func(r *monitoringpb.ListTimeSeriesRequest) {
			r.Filter, r.Aggregation = `metric.type = "netapp.googleapis.com/replication/healthy"`, aggregation(time.Hour, monitoringpb.Aggregation_ALIGN_MEAN, 0)
		}, codes.InvalidArgument},
		"an unknown group": {func(r *monitoringpb.ListTimeSeriesRequest) {
			r.Aggregation = aggregation(time.Hour, monitoringpb.Aggregation_ALIGN_RATE, monitoringpb.Aggregation_REDUCE_SUM, "volume")
		}, codes.InvalidArgument},
	} {
		request := ask(prod, "volume/throughput", "")
		row.change(request)
		if all, err := f.try(t.Context(), request); status.Code(err) != row.want || len(all) != 0 {
			t.Errorf("%s: %d series and %v, want %s", name, len(all), err, row.want)
		}
	}
}

func foreignToken(t *testing.T, f fleet) string {
	t.Helper()
	request := ask(prod, "volume/inode_used", "")
	request.PageSize = 1
	page, token, err := firstPage(t, f, request)
	if err != nil || len(page) != 1 || token == "" {
		t.Fatalf("first page: %v, %q, %v", page, token, err)
	}
	return token
}

func firstPage(t *testing.T, f fleet, request *monitoringpb.ListTimeSeriesRequest) ([]*monitoringpb.TimeSeries, string, error) {
	t.Helper()
	series := f.metrics.ListTimeSeries(t.Context(), request)
	var page []*monitoringpb.TimeSeries
	token, err := iterator.NewPager(series, int(request.GetPageSize()), request.GetPageToken()).NextPage(&page)
	return page, token, err
}

// Whatever the page size, all pages together hold each point once, newest first within a series.
func TestPages(t *testing.T) {
	f := start(t, simulator.Options{})
	request := ask(files, "volume/operation_count", ` resource.labels.location = starts_with("us-central1-")`)
	whole := flatten(f.list(request))
	if len(whole) < 100 {
		t.Fatalf("only %d points", len(whole))
	}
	for _, size := range []int32{1, 7, 50, 100_000} {
		request.PageSize, request.PageToken = size, ""
		calls := f.Usage().Of("ListTimeSeries")
		if diff := cmp.Diff(whole, flatten(f.list(request))); diff != "" {
			t.Errorf("pages of %d points: -whole +pages\n%s", size, diff)
		}
		if got, want := f.Usage().Of("ListTimeSeries")-calls, (int64(len(whole))+int64(size)-1)/int64(size); got != want {
			t.Errorf("%d pages of %d points for %d", got, size, len(whole))
		}
	}
	// What arrives between two pages is on neither: both show the moment of the first.
	request.PageSize = 50
	pages := f.metrics.ListTimeSeries(t.Context(), request)
	first, err := pages.Next()
	if err != nil {
		t.Fatal(err)
	}
	f.move(now.Add(time.Hour))
	rest := []*monitoringpb.TimeSeries{first}
	for one, err := pages.Next(); !errors.Is(err, iterator.Done); one, err = pages.Next() {
		if err != nil {
			t.Fatal(err)
		}
		rest = append(rest, one)
	}
	if diff := cmp.Diff(whole, flatten(rest)); diff != "" {
		t.Errorf("pages over time: -whole +pages\n%s", diff)
	}
}

func flatten(all []*monitoringpb.TimeSeries) (points []string) {
	for _, series := range all {
		for _, point := range series.GetPoints() {
			points = append(points, fmt.Sprint(series.GetResource().GetLabels()["name"], series.GetMetric().GetLabels()["type"],
				point.GetInterval().GetEndTime().AsTime().Unix(), " ", point.GetValue().GetInt64Value()))
		}
	}
	return points
}

// Headers have no points; each counts as one result of a page, and is billed like a series with points.
func TestHeadersAndTheBill(t *testing.T) {
	f := start(t, simulator.Options{})
	request := ask(prod, "volume/throughput", "")
	request.View, request.PageSize = monitoringpb.ListTimeSeriesRequest_HEADERS, 10
	all := f.list(request)
	volumes := 0
	for _, p := range f.Model().Volumes() {
		if p.Project.ID == "example-prod" {
			volumes++
		}
	}
	if len(all) != 3*volumes || len(all[0].GetPoints()) != 0 {
		t.Errorf("%d headers for %d volumes", len(all), volumes)
	}
	usage := f.Usage()
	if usage.SeriesReturned != int64(len(all)) || usage.USD != 0 || usage.Of("ListTimeSeries") != int64((len(all)+9)/10) {
		t.Errorf("usage %+v", usage)
	}
}

// A project whose metrics scope names another returns the series of both, and a number names a project as its id does.
func TestMetricsScope(t *testing.T) {
	description, err := simulator.Example()
	if err != nil {
		t.Fatal(err)
	}
	description.Projects[1].MetricsScope = []string{"example-prod"}
	f := start(t, simulator.Options{Fleet: description})
	containers := map[string]bool{}
	for _, series := range f.list(ask("projects/100000000002", "storage_pool/capacity", "")) {
		containers[series.GetResource().GetLabels()["resource_container"]] = true
	}
	if want := map[string]bool{"projects/100000000001": true, "projects/100000000002": true}; !cmp.Equal(want, containers) {
		t.Errorf("projects %v, want %v", containers, want)
	}
	only := f.list(ask("projects/100000000002", "storage_pool/capacity", ` AND project = "example-prod"`))
	for _, series := range only {
		if series.GetResource().GetLabels()["resource_container"] != "projects/100000000001" {
			t.Errorf("series %v", series.GetResource())
		}
	}
	if len(only) == 0 {
		t.Error("no series of the other project")
	}
}
