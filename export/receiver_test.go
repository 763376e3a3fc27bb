package export

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// receiver is a remote-write receiver made of the library's own handler. It keeps what it accepts as lines of
// "{name="value", …} value@milliseconds".
type receiver struct {
	server *httptest.Server

	mu       sync.Mutex
	lines    []string
	answers  []answer                 // for the next requests, in turn; then everything is accepted
	refuse   func(lines []string) int // the status by which a request is refused as a whole; 0 or nil: it is not
	requests chan *http.Request
}

// answer is what a request gets instead of being accepted.
type answer struct {
	status int
	header map[string]string
	accept int // samples accepted nevertheless
}

func newReceiver(t *testing.T, answers ...answer) *receiver {
	t.Helper()
	r := &receiver{answers: answers, requests: make(chan *http.Request, 1000)}
	r.server = httptest.NewServer(remote.NewWriteHandler(r, remote.MessageTypes{remote.WriteV1MessageType, remote.WriteV2MessageType}))
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) Store(request *http.Request, kind remote.WriteMessageType) (*remote.WriteResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines, err := decode(request.Body, kind)
	response := remote.NewWriteResponse()
	if err != nil {
		response.SetStatusCode(http.StatusBadRequest)
		return response, err
	}
	accepted := len(lines)
	if len(r.answers) > 0 {
		next := r.answers[0]
		r.answers = r.answers[1:]
		response.SetStatusCode(next.status)
		for name, value := range next.header {
			response.SetExtraHeader(name, value)
		}
		accepted, err = next.accept, fmt.Errorf("answer %d", next.status)
	}
	if status := r.refused(lines); status != 0 {
		response.SetStatusCode(status)
		accepted, err = 0, fmt.Errorf("answer %d", status)
	}
	response.Samples = accepted
	r.lines = append(r.lines, lines[:accepted]...)
	r.requests <- request
	return response, err
}

func (r *receiver) refused(lines []string) int {
	if r.refuse == nil {
		return 0
	}
	return r.refuse(lines)
}

func decode(body io.Reader, kind remote.WriteMessageType) ([]string, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	if kind == remote.WriteV1MessageType {
		return decodeV1(data)
	}
	return decodeV2(data)
}

// decodeV1 reads a prometheus.WriteRequest. The generated type is left to the packages that know the library.
func decodeV1(data []byte) (lines []string, err error) {
	err = eachField(data, func(_ protowire.Number, series []byte, _ uint64) error {
		var labels []string
		var value float64
		var milliseconds int64
		err := eachField(series, func(number protowire.Number, inner []byte, _ uint64) error {
			return eachField(inner, func(field protowire.Number, text []byte, bits uint64) error {
				switch {
				case number == v1Labels:
					labels = append(labels, string(text))
				case field == sampleValue:
					value = math.Float64frombits(bits)
				default:
					milliseconds = int64(bits)
				}
				return nil
			})
		})
		lines = append(lines, line(labels, value, milliseconds))
		return err
	})
	return lines, err
}

// eachField hands every field of a message to visit: as bytes, or as a number.
func eachField(message []byte, visit func(number protowire.Number, text []byte, bits uint64) error) error {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return protowire.ParseError(size)
		}
		message = message[size:]
		var text []byte
		var bits uint64
		switch kind {
		case protowire.BytesType:
			text, size = protowire.ConsumeBytes(message)
		case protowire.Fixed64Type:
			bits, size = protowire.ConsumeFixed64(message)
		default:
			bits, size = protowire.ConsumeVarint(message)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		if err := visit(number, text, bits); err != nil {
			return err
		}
		message = message[size:]
	}
	return nil
}

func decodeV2(data []byte) (lines []string, err error) {
	var request writev2.Request
	if err := proto.Unmarshal(data, &request); err != nil {
		return nil, err
	}
	for _, series := range request.Timeseries {
		labels := writev2.DesymbolizeLabels(series.LabelsRefs, request.Symbols, nil)
		help := request.Symbols[series.Metadata.HelpRef]
		if help == "" || series.Metadata.Type == writev2.Metadata_METRIC_TYPE_UNSPECIFIED {
			return nil, fmt.Errorf("%v has no metadata", labels)
		}
		lines = append(lines, line(labels, series.Samples[0].Value, series.Samples[0].Timestamp))
	}
	return lines, nil
}

func line(labels []string, value float64, milliseconds int64) string {
	var pairs []string
	for i := 0; i < len(labels); i += 2 {
		pairs = append(pairs, fmt.Sprintf("%s=%q", labels[i], labels[i+1]))
	}
	return fmt.Sprintf("{%s} %v@%d", strings.Join(pairs, ", "), value, milliseconds)
}

func (r *receiver) received() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.lines...)
}
