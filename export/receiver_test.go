package export

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"github.com/prometheus/prometheus/prompb"
	"google.golang.org/protobuf/proto"
)

// receiver is a remote-write receiver made of the library's own handler. It keeps what it accepts as lines of
// "{name="value", …} value@milliseconds".
type receiver struct {
	server *httptest.Server

	mu       sync.Mutex
	lines    []string
	answers  []answer // for the next requests, in turn; then everything is accepted
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
	response.Samples = accepted
	r.lines = append(r.lines, lines[:accepted]...)
	r.requests <- request
	return response, err
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

func decodeV1(data []byte) (lines []string, err error) {
	var request prompb.WriteRequest
	if err := request.Unmarshal(data); err != nil {
		return nil, err
	}
	for _, series := range request.Timeseries {
		var labels []string
		for _, label := range series.Labels {
			labels = append(labels, label.Name, label.Value)
		}
		lines = append(lines, line(labels, series.Samples[0].Value, series.Samples[0].Timestamp))
	}
	return lines, nil
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
