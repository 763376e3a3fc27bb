package gcp

import (
	"math"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	metricpb "google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/genproto/googleapis/api/monitoredres"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/nasight/nasight/simulator/faults"
)

// reading is one checked ListTimeSeries request: which series, over which time, how joined.
type reading struct {
	cloud     *Cloud
	metric    *metric
	filter    filter
	from, to  time.Time // (from, to]
	now       time.Time // what is visible is what was visible then
	data      []faults.Active
	alignment alignment
	reduction reduction
}

// newReading checks everything in a request but its page.
func (c *Cloud) newReading(request *monitoringpb.ListTimeSeriesRequest, now time.Time) (*reading, *failure) {
	filter, err := parseFilter(request.GetFilter())
	if err != nil {
		return nil, failed(codes.InvalidArgument, "Field filter had an invalid value: %v.", err)
	}
	name, err := filter.metricType()
	if err != nil {
		return nil, failed(codes.InvalidArgument, "Field filter had an invalid value: %v.", err)
	}
	at := slices.IndexFunc(c.metrics, func(m *metric) bool { return m.kindType() == name })
	switch {
	case at < 0:
		return nil, failed(codes.NotFound, "Cannot find metric(s) that match type = %q.", name)
	case request.GetOrderBy() != "":
		return nil, failed(codes.InvalidArgument, "Field orderBy is not supported.")
	case request.GetSecondaryAggregation() != nil:
		return nil, failed(codes.Unimplemented, "secondary_aggregation is not part of the emulator")
	}
	r := &reading{cloud: c, metric: c.metrics[at], filter: filter, now: now, data: c.faults.Data()}
	var failure *failure
	if r.alignment, failure = checkAlignment(request.GetAggregation(), r.metric); failure != nil {
		return nil, failure
	}
	if r.reduction, failure = checkReduction(request.GetAggregation(), r.alignment, r.metric); failure != nil {
		return nil, failure
	}
	return r, r.setInterval(request.GetInterval())
}

// setInterval reads the interval. One without a start is the single moment of its end.
func (r *reading) setInterval(interval *monitoringpb.TimeInterval) *failure {
	if interval.GetEndTime().CheckValid() != nil {
		return failed(codes.InvalidArgument, "Field interval.endTime is required.")
	}
	r.to = interval.GetEndTime().AsTime()
	r.from = r.to.Add(-time.Nanosecond)
	if start := interval.GetStartTime(); start != nil {
		if start.CheckValid() != nil || start.AsTime().After(r.to) {
			return failed(codes.InvalidArgument, "Field interval.startTime had an invalid value: it must be before the end time.")
		}
		r.from = earlier(r.from, start.AsTime())
	}
	// Nothing is kept longer, and nothing is later than now: without these bounds a request could ask for endless work.
	r.from = later(r.from, r.now.Add(-retention))
	if ahead := r.to.Sub(r.now); ahead > 0 {
		step := max(r.alignment.period, time.Nanosecond)
		r.to = r.to.Add(-ahead.Truncate(step)) // by whole periods, so that they end where they did
	}
	return nil
}

// output is one time series of the answer: what names it, and its points once they are asked for.
type output struct {
	header *monitoringpb.TimeSeries
	points func() []point // oldest first
}

func (r *reading) outputs(all []*series) []output {
	k, v := r.metric.kind, r.metric.value
	if r.alignment.period > 0 {
		k, v = r.alignment.outputs(r.metric)
	}
	var out []output
	if r.reduction.join == nil {
		for _, s := range all {
			out = append(out, output{r.header(k, v, s.labels, s.resource), func() []point { return r.read(s) }})
		}
		return out
	}
	if r.reduction.outValue != 0 {
		v = r.reduction.outValue
	}
	for _, g := range r.reduction.groups(all) {
		out = append(out, output{r.groupHeader(k, v, g.members[0]), func() []point { return r.readGroup(g) }})
	}
	return out
}

func (r *reading) header(k kind, v valueType, labels, resource map[string]string) *monitoringpb.TimeSeries {
	return &monitoringpb.TimeSeries{
		Metric:     &metricpb.Metric{Type: r.metric.kindType(), Labels: labels},
		Resource:   &monitoredres.MonitoredResource{Type: r.metric.resourceType(), Labels: resource},
		MetricKind: k, ValueType: v, Unit: r.metric.unit,
	}
}

// groupHeader keeps what the group's members have in common: the fields that they were grouped by.
func (r *reading) groupHeader(k kind, v valueType, member *series) *monitoringpb.TimeSeries {
	labels, resource, system, user := map[string]string{}, map[string]string{}, map[string]any{}, map[string]string{}
	for _, field := range r.reduction.groupBy {
		at := strings.LastIndexByte(field, '.')
		name, value := field[at+1:], member.field(field)
		switch field[:at] {
		case "metric.label":
			labels[name] = value
		case "resource.label":
			resource[name] = value
		case "metadata.system_labels":
			system[name] = value
		case "metadata.user_labels":
			user[name] = value
		}
	}
	header := r.header(k, v, labels, resource)
	if len(system)+len(user) > 0 {
		known, err := structpb.NewStruct(system)
		if err != nil {
			known = nil // only text that is no UTF-8 fails, and names are checked
		}
		header.Metadata = &monitoredres.MonitoredResourceMetadata{SystemLabels: known, UserLabels: user}
	}
	return header
}

// protoPoints writes points newest first, with the value type of the series.
func protoPoints(points []point, v valueType, wrong bool) []*monitoringpb.Point {
	out := make([]*monitoringpb.Point, len(points))
	for i, p := range points {
		out[len(points)-1-i] = &monitoringpb.Point{
			Interval: &monitoringpb.TimeInterval{StartTime: timestamppb.New(p.start), EndTime: timestamppb.New(p.end)},
			Value:    protoValue(p.value, v, wrong),
		}
	}
	return out
}

func protoValue(value float64, v valueType, wrong bool) *monitoringpb.TypedValue {
	switch {
	case wrong:
		return &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_StringValue{StringValue: "many"}}
	case v == boolean:
		return &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_BoolValue{BoolValue: value != 0}}
	case v == integer:
		return &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_Int64Value{Int64Value: int64(math.Round(value))}}
	}
	return &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_DoubleValue{DoubleValue: value}}
}
