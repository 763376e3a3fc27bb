package gcnv

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	monitoring "cloud.google.com/go/monitoring/apiv3/v2"
	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/api/iterator"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// reading is one pass over one metric of one project.
type reading struct {
	client  *monitoring.MetricClient
	project string
	foreign func(number string) bool // says that a project number is another project's
	row     *row
	meta    *meta
	window  window
	names   []string // resources that are asked for; nil for all
}

// answer is what a reading gave.
type answer struct {
	series map[seriesKey][]point
	owners map[seriesKey]string // project or number that the series say they belong to
	billed int                  // time series that the monitoring API returned
	odd    map[string]int
}

// do reads the metric. What it found is good also where there is an error; errIncomplete says that the service left
// something out.
func (r reading) do(ctx context.Context) (*answer, error) {
	a := &answer{series: map[seriesKey][]point{}, owners: map[seriesKey]string{}, odd: map[string]int{}}
	said := &note{}
	ctx = context.WithValue(ctx, noteKey{}, said)
	c := &conversion{row: r.row, meta: r.meta, window: r.window, odd: a.odd}
	several := map[seriesKey]bool{}
	all := r.client.ListTimeSeries(ctx, r.request())
	for {
		series, err := all.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			return a, fmt.Errorf("list the time series of %s: %w", r.row.metric, err)
		}
		a.billed++
		k, owner, ok := r.identify(series, a.odd)
		if !ok {
			continue
		}
		if before, known := a.owners[k]; known && before != owner {
			several[k] = true
		}
		a.owners[k] = owner
		a.series[k] = merge(a.series[k], c.points(series))
	}
	maps.DeleteFunc(a.series, func(k seriesKey, _ []point) bool { return several[k] })
	maps.DeleteFunc(a.owners, func(k seriesKey, _ string) bool { return several[k] })
	if len(several) > 0 {
		a.odd[oddAmbiguous] += len(several)
	}
	if said.errors > 0 {
		return a, fmt.Errorf("list the time series of %s: %w: %d execution errors", r.row.metric, errIncomplete, said.errors)
	}
	return a, nil
}

func (r reading) request() *monitoringpb.ListTimeSeriesRequest {
	filter := fmt.Sprintf("metric.type = %q AND resource.type = %q", metricPrefix+r.row.metric, metricPrefix+r.row.resource)
	if len(r.names) > 0 {
		quoted := make([]string, len(r.names))
		for i, name := range r.names {
			quoted[i] = strconv.Quote(name)
		}
		filter += " AND resource.labels.name = one_of(" + strings.Join(quoted, ", ") + ")"
	}
	request := &monitoringpb.ListTimeSeriesRequest{
		Name:   "projects/" + r.project,
		Filter: filter,
		Interval: &monitoringpb.TimeInterval{
			StartTime: timestamppb.New(r.window.start), EndTime: timestamppb.New(r.window.end),
		},
		View: monitoringpb.ListTimeSeriesRequest_FULL, PageSize: 100_000,
	}
	if r.row.reduced {
		request.Aggregation = &monitoringpb.Aggregation{
			AlignmentPeriod: durationpb.New(max(r.meta.period, time.Minute)), PerSeriesAligner: monitoringpb.Aggregation_ALIGN_RATE,
			CrossSeriesReducer: monitoringpb.Aggregation_REDUCE_SUM,
			GroupByFields:      []string{"resource.label.resource_container", "resource.label.location", "resource.label.name"},
		}
	}
	return request
}

// identify finds out whose series it is. A project whose metrics scope has others in it answers with theirs as well.
func (r reading) identify(series *monitoringpb.TimeSeries, odd map[string]int) (k seriesKey, owner string, ok bool) {
	labels := series.GetResource().GetLabels()
	k.key = key{location: labels["location"], name: labels["name"]}
	if k.location == "" || k.name == "" {
		odd[oddLabels]++
		return k, "", false
	}
	if r.row.typed {
		if k.kind, ok = kindOf(series.GetMetric().GetLabels()); !ok || k.kind == "" {
			odd[oddLabels]++
			return k, "", false
		}
	}
	for _, owner = range []string{labels["project_id"], lastOf(labels["resource_container"])} {
		if owner != "" && owner != r.project && (!isNumber(owner) || r.foreign(owner)) {
			odd[oddProject]++
			return k, owner, false
		}
	}
	return k, owner, true
}

// merge adds the points of a series that goes on on another page.
func merge(a, b []point) []point {
	if len(a) == 0 {
		return b
	}
	t := &track{points: a}
	for _, p := range b {
		t.insert(p)
	}
	return t.points
}
