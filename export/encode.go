package export

import (
	"math"
	"slices"

	"github.com/prometheus/client_golang/exp/api/remote"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nasight/nasight/schema"
)

const nameLabel = "__name__"

// encoder writes requests of remote write, one after the other: it keeps its buffers. The bytes are written here rather than by
// generated types, as those of 1.0 would bring in the Prometheus server's packages, and as most of the samples of a request have
// the labels of the sample before, which are then written once. It is for one goroutine at a time.
type encoder struct {
	families map[*schema.Family]*encodedFamily // of this request
	series   []byte
	symbols  symbols // of 2.0

	labels      []byte // of the last sample, without its name
	names, last []string
}

// encodedFamily is what all samples of a family have alike.
type encodedFamily struct {
	layout
	head []byte // the name, before the labels
	tail []byte // type and help, behind the sample, in 2.0
}

// message is an encoded request. It has the two methods by which the client library asks for the bytes, and is valid until the
// encoder's next request.
type message struct{ symbols, series []byte }

// Size implements what the client library expects of a message.
func (m message) Size() int { return len(m.symbols) + len(m.series) }

// MarshalToSizedBuffer implements what the client library expects of a message.
func (m message) MarshalToSizedBuffer(buffer []byte) (int, error) {
	n := copy(buffer, m.symbols)
	return n + copy(buffer[n:], m.series), nil
}

// encode makes a request in one of the protocols.
func (e *encoder) encode(protocol string, samples []schema.Sample) (remote.WriteMessageType, message) {
	e.reset()
	if protocol == ProtocolV1 {
		for i := range samples {
			e.addV1(&samples[i])
		}
		return remote.WriteV1MessageType, message{series: e.series}
	}
	e.symbols.reset()
	for i := range samples {
		e.addV2(&samples[i])
	}
	return remote.WriteV2MessageType, message{symbols: e.symbols.encoded, series: e.series}
}

// reset forgets the request before, and with it the families, which a sender of other samples makes anew each time.
func (e *encoder) reset() {
	if e.families == nil {
		e.families = map[*schema.Family]*encodedFamily{}
	}
	clear(e.families)
	e.series, e.labels, e.names, e.last = e.series[:0], e.labels[:0], nil, nil
}

// family finds what was encoded of a family, or has it made.
func (e *encoder) family(f *schema.Family, encode func(*schema.Family) *encodedFamily) *encodedFamily {
	known, ok := e.families[f]
	if !ok {
		known = encode(f)
		e.families[f] = known
	}
	return known
}

// label appends one label as a protocol writes it.
type label func(b []byte, name, value string) []byte

// encodeLabels has the labels of a sample in e.labels, in the order that the specification asks for, empty values left out.
func (e *encoder) encodeLabels(l layout, sample *schema.Sample, encode label) {
	if slices.Equal(e.names, sample.Family.Labels) && slices.Equal(e.last, sample.Labels) {
		return
	}
	e.labels, e.names, e.last = e.labels[:0], sample.Family.Labels, sample.Labels
	for i, place := range l.place {
		if place < len(sample.Labels) && sample.Labels[place] != "" {
			e.labels = encode(e.labels, l.names[i], valid(sample.Labels[place]))
		}
	}
}

// Field numbers and sizes of both protocols' sample, a value and a time.
const (
	sampleValue = 1
	sampleTime  = 2
	sizeOfTag   = 1 // of any field below 16
	sizeOfValue = sizeOfTag + 8
)

func sizeOfSample(sample *schema.Sample) int {
	return sizeOfValue + sizeOfTag + protowire.SizeVarint(uint64(sample.Time.UnixMilli()))
}

// appendSample appends a sample as a field of its series.
func appendSample(b []byte, field protowire.Number, sample *schema.Sample) []byte {
	b = appendLength(b, field, sizeOfSample(sample))
	b = protowire.AppendTag(b, sampleValue, protowire.Fixed64Type)
	b = protowire.AppendFixed64(b, math.Float64bits(sample.Value))
	b = protowire.AppendTag(b, sampleTime, protowire.VarintType)
	return protowire.AppendVarint(b, uint64(sample.Time.UnixMilli()))
}

// appendLength begins a field of so many bytes.
func appendLength(b []byte, field protowire.Number, size int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(size))
}

// sizeOfField is the size of a field with so many bytes, its number and length included.
func sizeOfField(size int) int { return sizeOfTag + protowire.SizeBytes(size) }

func appendText(b []byte, field protowire.Number, text string) []byte {
	return append(appendLength(b, field, len(text)), text...)
}
