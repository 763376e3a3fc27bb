package otlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// answer is what a receiver said to one request, as the SDK's exporters tell it in the text of their errors alone.
type answer struct {
	status   int           // of HTTP; 0 for gRPC and for no answer
	after    time.Duration // pause that was asked for over HTTP
	accepted bool          // maybe in part
	rejected int64         // data points or spans
	message  string        // why, in the receiver's words
}

type answerKey struct{}

// listen gives the request that is made with the context a place for its answer.
func listen(ctx context.Context) (context.Context, *answer) {
	a := &answer{}
	return context.WithValue(ctx, answerKey{}, a), a
}

func answerIn(ctx context.Context) *answer {
	if a, ok := ctx.Value(answerKey{}).(*answer); ok {
		return a
	}
	return &answer{}
}

// httpNotes puts the headers on every request and notes the answer.
type httpNotes struct {
	next    http.RoundTripper
	agent   string
	headers headers
}

// mostAnswer is more than any true answer has.
const mostAnswer = 1 << 20

// RoundTrip implements http.RoundTripper.
func (n *httpNotes) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	all, err := n.headers.read()
	if err != nil {
		return nil, errors.Join(err, closeBody(request))
	}
	request = request.Clone(ctx)
	for name, value := range all {
		request.Header.Set(name, value)
	}
	request.Header.Set("User-Agent", n.agent)
	response, err := n.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	noted := answerIn(ctx)
	noted.status, noted.after = response.StatusCode, retryAfter(response.Header.Get("Retry-After"), time.Now())
	body, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if response.StatusCode/100 == 2 {
		if err := isOTLP(response.Header.Get("Content-Type"), body); err != nil {
			return nil, err
		}
		noted.accepted = true
		noted.partial(body)
	}
	return response, nil
}

// isOTLP refuses the page of a proxy or of a portal, which is answered with 200 and has taken nothing.
func isOTLP(contentType string, body []byte) error {
	kind, _, err := mime.ParseMediaType(contentType)
	if len(body) == 0 || err == nil && (kind == "application/x-protobuf" || kind == "application/json") {
		return nil
	}
	return fmt.Errorf("the answer is %.50q and none of OTLP; is the endpoint right?", contentType)
}

func closeBody(request *http.Request) error {
	if request.Body == nil {
		return nil
	}
	return request.Body.Close()
}

// CloseIdleConnections lets http.Client reach the transport beneath.
func (n *httpNotes) CloseIdleConnections() {
	if next, ok := n.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// partial reads a partial success. Those of metrics and of traces have the same fields.
func (a *answer) partial(body []byte) {
	var response metrics.ExportMetricsServiceResponse
	if err := proto.Unmarshal(body, &response); err == nil { // an answer in words has no numbers
		a.rejected, a.message = response.GetPartialSuccess().GetRejectedDataPoints(), response.GetPartialSuccess().GetErrorMessage()
	}
}

// noteAnswer is the gRPC interceptor that notes the answer.
func noteAnswer(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, request, reply, cc, opts...)
	if err != nil {
		return err
	}
	noted := answerIn(ctx)
	noted.accepted = true
	switch response := reply.(type) {
	case *metrics.ExportMetricsServiceResponse:
		noted.rejected, noted.message = response.GetPartialSuccess().GetRejectedDataPoints(), response.GetPartialSuccess().GetErrorMessage()
	case *traces.ExportTraceServiceResponse:
		noted.rejected, noted.message = response.GetPartialSuccess().GetRejectedSpans(), response.GetPartialSuccess().GetErrorMessage()
	}
	return nil
}

// retryAfter reads the header: seconds or a moment. 0 is for none.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, longestPause)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), longestPause)
	}
	return 0
}
