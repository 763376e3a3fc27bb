package export

import (
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nasight/nasight/schema"
)

// Field numbers of io.prometheus.write.v2.Request, its TimeSeries and Metadata.
const (
	v2Symbols  = 4
	v2Series   = 5
	v2Labels   = 1
	v2Samples  = 2
	v2Metadata = 5
	v2Type     = 1
	v2Help     = 3
)

// addV2 adds a series with one sample, in remote write 2.0: labels by number into a table of symbols, and type and help with every
// series.
func (e *encoder) addV2(sample *schema.Sample) {
	f := e.family(sample.Family, e.familyV2)
	e.encodeLabels(f.layout, sample, e.symbols.appendLabel)
	labels := len(f.head) + len(e.labels)
	b := appendLength(e.series, v2Series, sizeOfField(labels)+sizeOfField(sizeOfSample(sample))+len(f.tail))
	b = append(append(appendLength(b, v2Labels, labels), f.head...), e.labels...)
	e.series = append(appendSample(b, v2Samples, sample), f.tail...)
}

func (e *encoder) familyV2(f *schema.Family) *encodedFamily {
	metadata := protowire.AppendVarint(protowire.AppendTag(nil, v2Type, protowire.VarintType), uint64(typeV2(f)))
	metadata = protowire.AppendVarint(protowire.AppendTag(metadata, v2Help, protowire.VarintType), e.symbols.number(f.Help))
	return &encodedFamily{
		layout: layoutOf(f), head: e.symbols.appendLabel(nil, nameLabel, f.Name),
		tail: append(appendLength(nil, v2Metadata, len(metadata)), metadata...),
	}
}

func typeV2(f *schema.Family) writev2.Metadata_MetricType {
	if f.Type == schema.Counter {
		return writev2.Metadata_METRIC_TYPE_COUNTER
	}
	return writev2.Metadata_METRIC_TYPE_GAUGE
}

// symbols is the table of a request. It is written before the series that refer to it: there are receivers that read in order.
type symbols struct {
	numbers map[string]uint64
	encoded []byte
}

func (s *symbols) reset() {
	if s.numbers == nil {
		s.numbers = map[string]uint64{}
	}
	clear(s.numbers)
	s.encoded = s.encoded[:0]
	s.number("") // comes first, as the specification asks for
}

func (s *symbols) number(text string) uint64 {
	number, known := s.numbers[text]
	if !known {
		number = uint64(len(s.numbers))
		s.numbers[text] = number
		s.encoded = appendText(s.encoded, v2Symbols, text)
	}
	return number
}

func (s *symbols) appendLabel(b []byte, name, value string) []byte {
	return protowire.AppendVarint(protowire.AppendVarint(b, s.number(name)), s.number(value))
}
