package export

import (
	"math"
	"slices"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nasight/nasight/schema"
)

const nameLabel = "__name__"

func (p *Pusher) encode(samples []schema.Sample) (remote.WriteMessageType, any) {
	if p.cfg.Protocol == ProtocolV1 {
		return remote.WriteV1MessageType, encodeV1(samples)
	}
	return remote.WriteV2MessageType, encodeV2(samples)
}

// encodeV2 makes a request of remote write 2.0: labels by number into a table of symbols, and type and help with every
// series.
func encodeV2(samples []schema.Sample) *writev2.Request {
	symbols := writev2.NewSymbolTable()
	layouts := make(map[*schema.Family]layout)
	series := make([]writev2.TimeSeries, len(samples))
	points := make([]writev2.Sample, len(samples))
	request := &writev2.Request{Timeseries: make([]*writev2.TimeSeries, len(samples))}
	var labels []string
	for i, sample := range samples {
		labels = appendLabels(labels[:0], layouts, sample)
		points[i].Value, points[i].Timestamp = sample.Value, sample.Time.UnixMilli()
		series[i].LabelsRefs = symbols.SymbolizeLabels(labels, nil)
		series[i].Samples = []*writev2.Sample{&points[i]}
		help := symbols.Symbolize(sample.Family.Help)
		series[i].Metadata = &writev2.Metadata{Type: typeV2(sample.Family), HelpRef: help}
		request.Timeseries[i] = &series[i]
	}
	request.Symbols = symbols.Symbols()
	return request
}

func typeV2(f *schema.Family) writev2.Metadata_MetricType {
	if f.Type == schema.Counter {
		return writev2.Metadata_METRIC_TYPE_COUNTER
	}
	return writev2.Metadata_METRIC_TYPE_GAUGE
}

// appendLabels appends names and values in turn, in the order that the specification asks for, empty values left out.
func appendLabels(labels []string, layouts map[*schema.Family]layout, sample schema.Sample) []string {
	l, known := layouts[sample.Family]
	if !known {
		l = layoutOf(sample.Family)
		layouts[sample.Family] = l
	}
	labels = append(labels, nameLabel, sample.Family.Name)
	for i, place := range l.place {
		if place < len(sample.Labels) && sample.Labels[place] != "" {
			labels = append(labels, l.names[i], valid(sample.Labels[place]))
		}
	}
	return labels
}

// requestV1 is an encoded prometheus.WriteRequest of remote write 1.0. It has the two methods by which the client
// library asks for the bytes; the generated type would bring in the Prometheus server's packages.
type requestV1 []byte

// Size implements what the client library expects of a message.
func (r requestV1) Size() int { return len(r) }

// MarshalToSizedBuffer implements what the client library expects of a message.
func (r requestV1) MarshalToSizedBuffer(buffer []byte) (int, error) { return copy(buffer, r), nil }

// Field numbers of prometheus.WriteRequest, TimeSeries, Label and Sample.
const (
	v1Series      = 1
	v1Labels      = 1
	v1Samples     = 2
	v1Name        = 1
	v1Value       = 2
	v1SampleValue = 1
	v1SampleTime  = 2
)

func encodeV1(samples []schema.Sample) requestV1 {
	layouts := make(map[*schema.Family]layout)
	var labels []string
	var request, series, inner []byte
	for _, sample := range samples {
		series = series[:0]
		labels = appendLabels(labels[:0], layouts, sample)
		for pair := range slices.Chunk(labels, 2) {
			inner = protowire.AppendString(protowire.AppendTag(inner[:0], v1Name, protowire.BytesType), pair[0])
			inner = protowire.AppendString(protowire.AppendTag(inner, v1Value, protowire.BytesType), pair[1])
			series = protowire.AppendBytes(protowire.AppendTag(series, v1Labels, protowire.BytesType), inner)
		}
		inner = appendSampleV1(inner[:0], sample)
		series = protowire.AppendBytes(protowire.AppendTag(series, v1Samples, protowire.BytesType), inner)
		request = protowire.AppendBytes(protowire.AppendTag(request, v1Series, protowire.BytesType), series)
	}
	return request
}

func appendSampleV1(b []byte, sample schema.Sample) []byte {
	b = protowire.AppendTag(b, v1SampleValue, protowire.Fixed64Type)
	b = protowire.AppendFixed64(b, math.Float64bits(sample.Value))
	b = protowire.AppendTag(b, v1SampleTime, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(sample.Time.UnixMilli()))
}
