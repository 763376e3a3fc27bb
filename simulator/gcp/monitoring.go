package gcp

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	labelpb "google.golang.org/genproto/googleapis/api/label"
	metricpb "google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// maxPage is the largest page of points, or of series where only headers are asked for.
const maxPage = 100_000

// ListTimeSeries lists the series of one metric type.
func (c *Cloud) ListTimeSeries(ctx context.Context, request *monitoringpb.ListTimeSeriesRequest) (*monitoringpb.ListTimeSeriesResponse, error) {
	var response *monitoringpb.ListTimeSeriesResponse
	err := c.serve(ctx, "ListTimeSeries", request.GetName(), func(call call) (failure *failure) {
		response, failure = c.listTimeSeries(call, request)
		return failure
	})
	return response, err
}

// ListMetricDescriptors lists what the service measures.
func (c *Cloud) ListMetricDescriptors(ctx context.Context, request *monitoringpb.ListMetricDescriptorsRequest) (*monitoringpb.ListMetricDescriptorsResponse, error) {
	var response *monitoringpb.ListMetricDescriptorsResponse
	err := c.serve(ctx, "ListMetricDescriptors", request.GetName(), func(call call) (failure *failure) {
		response, failure = c.listDescriptors(call, request)
		return failure
	})
	return response, err
}

// GetMetricDescriptor describes one metric type.
func (c *Cloud) GetMetricDescriptor(ctx context.Context, request *monitoringpb.GetMetricDescriptorRequest) (*metricpb.MetricDescriptor, error) {
	var response *metricpb.MetricDescriptor
	project, name, _ := strings.Cut(request.GetName(), "/metricDescriptors/")
	err := c.serve(ctx, "GetMetricDescriptor", project, func(call call) *failure {
		at := slices.IndexFunc(c.metrics, func(m *metric) bool { return m.kindType() == name })
		if at < 0 {
			return failed(codes.NotFound, "Cannot find metric descriptor %q.", name)
		}
		response = c.metrics[at].descriptor(call.project)
		return nil
	})
	return response, err
}

// sent is the value of a header of a call; empty where it has none.
func sent(ctx context.Context, header string) string {
	if values := metadata.ValueFromIncomingContext(ctx, header); len(values) > 0 {
		return values[0]
	}
	return ""
}

// serve runs one call: faults, access, the answer, and the count of it.
func (c *Cloud) serve(ctx context.Context, method, name string, answer func(call) *failure) error {
	project, ok := strings.CutPrefix(name, "projects/")
	if !ok || strings.Contains(project, "/") {
		c.usage.call(method, "", sent(ctx, "user-agent"), true)
		return status.Errorf(codes.InvalidArgument, "Field name had an invalid value of %q: use projects/ID.", name)
	}
	call, failure := c.begin(ctx, method, project, sent(ctx, "authorization"))
	if failure == nil {
		failure = answer(call)
	}
	c.usage.call(method, project, sent(ctx, "user-agent"), failure != nil)
	if failure == nil {
		return nil
	}
	if from, ok := peer.FromContext(ctx); ok && failure.cut {
		c.conns.cut(from.Addr.String())
	}
	return failure.grpc()
}

// grpc is the failure as gRPC tells it; a wait before the next try is a detail of it.
func (f *failure) grpc() error {
	s := status.New(f.code, f.message)
	if f.retryAfter > 0 {
		if with, err := s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(f.retryAfter)}); err == nil {
			s = with
		}
	}
	if f.info != nil {
		if with, err := s.WithDetails(f.info); err == nil {
			s = with
		}
	}
	return s.Err()
}

func (c *Cloud) listTimeSeries(call call, request *monitoringpb.ListTimeSeriesRequest) (*monitoringpb.ListTimeSeriesResponse, *failure) {
	identity, _ := proto.Clone(request).(*monitoringpb.ListTimeSeriesRequest)
	identity.PageToken, identity.PageSize = "", 0
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(identity)
	if err != nil {
		return nil, failed(codes.InvalidArgument, "the request cannot be read: %v", err)
	}
	at, failure := begin(request.GetPageToken(), hashOf(string(data)), c.clock())
	if failure != nil {
		return nil, failure
	}
	r, failure := c.newReading(request, at.time())
	if failure != nil {
		return nil, failure
	}
	size := int(request.GetPageSize())
	if size < 0 {
		return nil, failed(codes.InvalidArgument, "Field pageSize had an invalid value of %d.", size)
	}
	if size == 0 || size > maxPage {
		size = maxPage
	}
	if call.hit(faults.HalfPage) {
		size = max(1, size/2)
	}
	all := slices.DeleteFunc(c.allSeries(r.metric, call.project), func(s *series) bool { return !r.filter.match(s.field) })
	response := &monitoringpb.ListTimeSeriesResponse{Unit: r.metric.unit}
	if call.hit(faults.EmptyPage) {
		response.NextPageToken = at.token()
		return response, nil
	}
	if call.hit(faults.ExecutionErrors) {
		all = everyOther(all)
		response.ExecutionErrors = []*rpcstatus.Status{{Code: int32(codes.DeadlineExceeded), Message: "Some of the time series could not be read in time."}}
	}
	page := page{size: size, at: at, headers: request.GetView() == monitoringpb.ListTimeSeriesRequest_HEADERS, wrong: call.hit(faults.WrongType)}
	response.TimeSeries, response.NextPageToken = page.fill(r.outputs(all))
	c.usage.returned(len(response.GetTimeSeries()))
	return response, nil
}

func everyOther(all []*series) []*series {
	var kept []*series
	for i := 0; i < len(all); i += 2 {
		kept = append(kept, all[i])
	}
	return kept
}

// page is what one page may hold and where it begins.
type page struct {
	size    int // points, or series where only headers are asked for
	at      position
	headers bool
	wrong   bool // points of a wrong type
}

// fill takes series until the page is full. A series that does not fit goes on, with the same header, on the next page.
func (p page) fill(outputs []output) ([]*monitoringpb.TimeSeries, string) {
	var out []*monitoringpb.TimeSeries
	for left := p.size; p.at.Item < len(outputs); p.at.Item, p.at.Point = p.at.Item+1, 0 {
		output := outputs[p.at.Item]
		points := output.points()
		rest := len(points) - p.at.Point
		if rest <= 0 {
			continue // only series with points in the interval are in the answer
		}
		if left == 0 {
			return out, p.at.token()
		}
		if p.headers {
			out, left = append(out, output.header), left-1
			continue
		}
		taken := min(rest, left)
		newest := len(points) - p.at.Point
		output.header.Points = protoPoints(points[newest-taken:newest], output.header.GetValueType(), p.wrong)
		out, left = append(out, output.header), left-taken
		if taken < rest {
			p.at.Point += taken
			return out, p.at.token()
		}
	}
	return out, ""
}

func (c *Cloud) listDescriptors(call call, request *monitoringpb.ListMetricDescriptorsRequest) (*monitoringpb.ListMetricDescriptorsResponse, *failure) {
	filter, err := parseFilter(request.GetFilter())
	if err != nil {
		return nil, failed(codes.InvalidArgument, "Field filter had an invalid value: %v.", err)
	}
	at, failure := begin(request.GetPageToken(), hashOf(request.GetName(), request.GetFilter()), c.clock())
	if failure != nil {
		return nil, failure
	}
	size := int(request.GetPageSize())
	if size <= 0 || size > maxPage {
		size = maxPage
	}
	if call.hit(faults.HalfPage) {
		size = max(1, min(size, len(c.metrics))/2)
	}
	response := &monitoringpb.ListMetricDescriptorsResponse{}
	if call.hit(faults.EmptyPage) {
		response.NextPageToken = at.token()
		return response, nil
	}
	for ; at.Item < len(c.metrics); at.Item++ {
		metric := c.metrics[at.Item]
		if !filter.match((&series{metric: metric, project: call.project}).field) {
			continue
		}
		if len(response.GetMetricDescriptors()) == size {
			response.NextPageToken = at.token()
			break
		}
		response.MetricDescriptors = append(response.MetricDescriptors, metric.descriptor(call.project))
	}
	return response, nil
}

func (m *metric) descriptor(project *model.Project) *metricpb.MetricDescriptor {
	descriptor := &metricpb.MetricDescriptor{
		Name: "projects/" + project.ID + "/metricDescriptors/" + m.kindType(), Type: m.kindType(), MetricKind: m.kind,
		ValueType: m.value, Unit: m.unit, Description: m.help, DisplayName: m.help,
		MonitoredResourceTypes: []string{m.resourceType()},
		Metadata: &metricpb.MetricDescriptor_MetricDescriptorMetadata{
			SamplePeriod: durationpb.New(model.Grain), IngestDelay: durationpb.New(ingestDelay),
		},
	}
	if m.label != "" {
		descriptor.Labels = []*labelpb.LabelDescriptor{{Key: m.label, ValueType: labelpb.LabelDescriptor_STRING}}
	}
	return descriptor
}
