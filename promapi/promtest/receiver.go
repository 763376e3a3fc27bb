package promtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/prometheus/client_golang/exp/api/remote"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
)

// Receiver is a remote-write receiver for both protocols. It keeps everything. The zero value is ready.
type Receiver struct {
	mu      sync.Mutex
	samples []Sample
}

// Handler takes the requests.
func (r *Receiver) Handler() http.Handler {
	return remote.NewWriteHandler(r, remote.MessageTypes{remote.WriteV1MessageType, remote.WriteV2MessageType})
}

// Samples are those received so far, in their order.
func (r *Receiver) Samples() []Sample {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Sample(nil), r.samples...)
}

// Store implements what the handler stores by.
func (r *Receiver) Store(request *http.Request, kind remote.WriteMessageType) (*remote.WriteResponse, error) {
	response := remote.NewWriteResponse()
	body, err := io.ReadAll(request.Body)
	var samples []Sample
	if err == nil {
		samples, err = decode(kind, body)
	}
	if err != nil {
		response.SetStatusCode(http.StatusBadRequest)
		return response, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples = append(r.samples, samples...)
	response.Samples = len(samples)
	return response, nil
}

// decode is as strict as a receiver may be.
func decode(kind remote.WriteMessageType, body []byte) ([]Sample, error) {
	if kind == remote.WriteV1MessageType {
		return decodeV1(body)
	}
	var request writev2.Request
	if err := request.Unmarshal(body); err != nil {
		return nil, fmt.Errorf("a request of remote write 2.0: %w", err)
	}
	var samples []Sample
	for _, series := range request.Timeseries {
		var set []prompb.Label
		for i := 0; i+1 < len(series.LabelsRefs); i += 2 {
			name, value := series.LabelsRefs[i], series.LabelsRefs[i+1]
			if max(int(name), int(value)) >= len(request.Symbols) {
				return nil, fmt.Errorf("labels of remote write 2.0: %d and %d are not among %d symbols", name, value, len(request.Symbols))
			}
			set = append(set, prompb.Label{Name: request.Symbols[name], Value: request.Symbols[value]})
		}
		named, err := sound(set)
		if err != nil {
			return nil, err
		}
		kind := strings.ToLower(strings.TrimPrefix(series.Metadata.Type.String(), "METRIC_TYPE_"))
		for _, sample := range series.Samples {
			samples = append(samples, Sample{Labels: named, Value: sample.Value, Time: sample.Timestamp, Type: kind})
		}
	}
	return samples, nil
}

func decodeV1(body []byte) ([]Sample, error) {
	var request prompb.WriteRequest
	if err := request.Unmarshal(body); err != nil {
		return nil, fmt.Errorf("a request of remote write 1.0: %w", err)
	}
	var samples []Sample
	for _, series := range request.Timeseries {
		named, err := sound(series.Labels)
		if err != nil {
			return nil, err
		}
		for _, sample := range series.Samples {
			samples = append(samples, Sample{Labels: named, Value: sample.Value, Time: sample.Timestamp})
		}
	}
	return samples, nil
}

// sound are labels as a map, where they are in order, none twice and none without a value.
func sound(set []prompb.Label) (map[string]string, error) {
	named, before := map[string]string{}, ""
	for _, label := range set {
		if label.Name <= before || label.Value == "" || !utf8.ValidString(label.Value) {
			return nil, fmt.Errorf("%v: labels are not in order, or one is empty or no UTF-8", set)
		}
		named[label.Name], before = label.Value, label.Name
	}
	return named, nil
}
