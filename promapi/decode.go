package promapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nasight/nasight/history"
)

// Bounds of one request beyond its size in bytes: what takes two bytes on the wire may take a hundred in memory, and a
// symbol of version 2 may be used by any number of series.
const (
	maxElements    = 2_000_000 // series, labels, samples and symbols
	maxLabelBytes  = 128 << 20 // of the labels of all series, written out
	maxSeriesBytes = 1 << 20   // of the labels of one series
)

// batch is what one request asks to store.
type batch struct {
	samples []history.SeriesSample
	odd     error // why some series were left out
}

// keep leaves out the samples of metrics whose names do not begin with a prefix.
func (b *batch) keep(prefix string) {
	refused := ""
	b.samples = slices.DeleteFunc(b.samples, func(s history.SeriesSample) bool {
		name := s.Labels.Get(model.MetricNameLabel)
		if name == "" || strings.HasPrefix(name, prefix) { // one without a name is malformed
			return false
		}
		refused = name
		return true
	})
	if refused != "" {
		b.odd = errors.Join(b.odd, fmt.Errorf("series %.100q: names that do not begin with %s are not taken", refused, prefix))
	}
}

// decode reads the body of a request of either version.
func decode(kind remote.WriteMessageType, body []byte) (batch, error) {
	elements := 0
	if err := countElements(body, 2, &elements); err != nil {
		return batch{}, err
	}
	if kind == remote.WriteV2MessageType {
		return decodeV2(body)
	}
	return decodeV1(body)
}

// countElements walks a message and those in it, down to a depth, without decoding them. What looks like a message and
// is none (a string) counts as one part.
func countElements(message []byte, depth int, elements *int) error {
	for len(message) > 0 {
		_, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return fmt.Errorf("malformed message: %w", protowire.ParseError(size))
		}
		message = message[size:]
		if kind == protowire.BytesType {
			var inner []byte
			if inner, size = protowire.ConsumeBytes(message); size >= 0 && depth > 1 {
				nested := *elements
				switch err := countElements(inner, depth-1, &nested); {
				case errors.Is(err, errTooMany):
					return err
				case err == nil:
					*elements = nested
				}
			}
		} else {
			size = protowire.ConsumeFieldValue(0, kind, message)
		}
		if size < 0 {
			return fmt.Errorf("malformed message: %w", protowire.ParseError(size))
		}
		message = message[size:]
		if *elements++; *elements > maxElements {
			return errTooMany
		}
	}
	return nil
}

var errTooMany = fmt.Errorf("more than %d series, labels and samples, or more than %d bytes of labels, in one request: send smaller batches",
	maxElements, maxLabelBytes)

func decodeV1(body []byte) (batch, error) {
	var request prompb.WriteRequest
	if err := request.Unmarshal(body); err != nil {
		return batch{}, err
	}
	var b batch
	var size sizer
	builder := labels.NewScratchBuilder(16)
	for _, series := range request.Timeseries {
		if len(series.Samples) == 0 {
			continue
		}
		length := 0
		for _, label := range series.Labels {
			length += len(label.Name) + len(label.Value)
		}
		if err := size.add(len(series.Labels), length); err != nil {
			b.odd = err
			continue
		}
		names := series.ToLabels(&builder, nil)
		for _, sample := range series.Samples {
			b.samples = append(b.samples, history.SeriesSample{Labels: names, Time: sample.Timestamp, Value: sample.Value})
		}
	}
	return b, size.err()
}

// decodeV2 also refuses a request whose symbol table does not begin with the empty string, as the protocol demands, and
// one that is of version 1 by its fields: it would decode to nothing, and its samples be lost with a good answer.
func decodeV2(body []byte) (batch, error) {
	if ofVersion1(body) {
		return batch{}, errors.New("the request says version 2 and has the fields of version 1: set its Content-Type right")
	}
	var request writev2.Request
	if err := request.Unmarshal(body); err != nil {
		return batch{}, err
	}
	if len(request.Timeseries) > 0 && (len(request.Symbols) == 0 || request.Symbols[0] != "") {
		return batch{}, errors.New("symbol table must begin with the empty string")
	}
	var b batch
	var size sizer
	builder := labels.NewScratchBuilder(16)
	for _, series := range request.Timeseries {
		if len(series.Samples) == 0 {
			continue
		}
		if err := size.add(len(series.LabelsRefs)/2, symbolBytes(series.LabelsRefs, request.Symbols)); err != nil {
			b.odd = err
			continue
		}
		names, err := series.ToLabels(&builder, request.Symbols)
		if err != nil {
			b.odd = err
			continue
		}
		for _, sample := range series.Samples {
			b.samples = append(b.samples, history.SeriesSample{Labels: names, Time: sample.Timestamp, Value: sample.Value})
		}
	}
	return b, size.err()
}

// ofVersion1 looks for the fields 1 to 3, which version 2 reserves so that the two can be told apart.
func ofVersion1(body []byte) bool {
	for len(body) > 0 {
		field, _, size := protowire.ConsumeField(body)
		if size < 0 {
			return false // left to the decoder, which says what is wrong
		}
		if field <= 3 {
			return true
		}
		body = body[size:]
	}
	return false
}

// symbolBytes sums the symbols that are referred to; bad references are found when the labels are made.
func symbolBytes(refs []uint32, symbols []string) int {
	sum := 0
	for _, ref := range refs {
		if int(ref) < len(symbols) {
			sum += len(symbols[ref])
		}
	}
	return sum
}

// sizer bounds the labels of a request before they are made.
type sizer struct{ total int }

// add says why a series is left out.
func (s *sizer) add(count, length int) error {
	if count > history.MaxLabels || length > maxSeriesBytes {
		return fmt.Errorf("series with %d labels of %d bytes, limits %d and %d", count, length, history.MaxLabels, maxSeriesBytes)
	}
	if s.total += length; s.total > maxLabelBytes {
		return errTooMany
	}
	return nil
}

func (s *sizer) err() error {
	if s.total > maxLabelBytes {
		return errTooMany
	}
	return nil
}
