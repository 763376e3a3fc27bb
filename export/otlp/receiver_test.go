package otlp

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// behaviour is what a receiver does with a request instead of taking it.
type behaviour struct {
	status   int            // of HTTP
	header   [2]string      // of HTTP
	rpc      *status.Status // of gRPC
	rejected int64          // taken in part
	message  string
	hang     bool // until the client gives up
}

// receiver is an OTLP receiver over gRPC and HTTP. It keeps what it takes.
type receiver struct {
	collectormetrics.UnimplementedMetricsServiceServer
	endpoint string

	mu       sync.Mutex
	next     []behaviour // of the next requests, in turn; then everything is taken
	taken    []*collectormetrics.ExportMetricsServiceRequest
	spans    []*traces.ResourceSpans
	headers  []map[string]string // of every request, names in lower case
	arrived  chan struct{}       // one element for each request that was answered
	accepted chan struct{}       // one for each that was taken
}

func newReceiver(t testing.TB, protocol string, next ...behaviour) *receiver {
	t.Helper()
	return newSecureReceiver(t, protocol, nil, next...)
}

func newSecureReceiver(t testing.TB, protocol string, security *tls.Config, next ...behaviour) *receiver {
	t.Helper()
	r := &receiver{next: next, arrived: make(chan struct{}, 10_000), accepted: make(chan struct{}, 10_000)}
	scheme := "http"
	if security != nil {
		scheme = "https"
	}
	if protocol == HTTP {
		server := httptest.NewUnstartedServer(r)
		server.TLS = security
		server.Config.ErrorLog = nil
		if security != nil {
			server.StartTLS()
		} else {
			server.Start()
		}
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		r.endpoint = scheme + "://" + server.Listener.Addr().String()
		return r
	}
	listener, err := (&net.ListenConfig{}).Listen(context.WithoutCancel(t.Context()), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var options []grpc.ServerOption
	if security != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(security)))
	}
	server := grpc.NewServer(options...)
	collectormetrics.RegisterMetricsServiceServer(server, r)
	collectortraces.RegisterTraceServiceServer(server, &traceReceiver{receiver: r})
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	r.endpoint = scheme + "://" + listener.Addr().String()
	return r
}

// behave takes the next behaviour and notes the headers.
func (r *receiver) behave(headers map[string]string) behaviour {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headers = append(r.headers, headers)
	if len(r.next) == 0 {
		return behaviour{}
	}
	one := r.next[0]
	r.next = r.next[1:]
	return one
}

func (r *receiver) take(m *collectormetrics.ExportMetricsServiceRequest, s []*traces.ResourceSpans) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m != nil {
		r.taken = append(r.taken, m)
	}
	r.spans = append(r.spans, s...)
	r.accepted <- struct{}{}
}

// ServeHTTP is the receiver over HTTP.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	defer func() { r.arrived <- struct{}{} }()
	headers := map[string]string{}
	for name := range request.Header {
		headers[strings.ToLower(name)] = request.Header.Get(name)
	}
	var body io.Reader = request.Body
	if request.Header.Get("Content-Encoding") == "gzip" {
		plain, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = plain
	}
	data, err := io.ReadAll(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	one := r.behave(headers)
	if one.hang {
		<-request.Context().Done()
		return
	}
	if one.status != 0 {
		if one.header[0] != "" {
			w.Header().Set(one.header[0], one.header[1])
		}
		http.Error(w, "answer "+fmt.Sprint(one.status), one.status)
		return
	}
	r.decode(w, request.URL.Path, data, one)
}

func (r *receiver) decode(w http.ResponseWriter, path string, data []byte, one behaviour) {
	var answer proto.Message
	var err error
	switch path {
	case "/v1/metrics", "/tenant/v1/metrics":
		var m collectormetrics.ExportMetricsServiceRequest
		if err = proto.Unmarshal(data, &m); err == nil {
			r.take(&m, nil)
		}
		answer = metricsAnswer(one)
	case "/v1/traces", "/tenant/v1/traces":
		var s collectortraces.ExportTraceServiceRequest
		if err = proto.Unmarshal(data, &s); err == nil {
			r.take(nil, s.GetResourceSpans())
		}
		answer = tracesAnswer(one)
	default:
		http.Error(w, "no such path: "+path, http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	body, err := proto.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(body)
}

func metricsAnswer(one behaviour) *collectormetrics.ExportMetricsServiceResponse {
	answer := &collectormetrics.ExportMetricsServiceResponse{}
	if one.rejected > 0 || one.message != "" {
		answer.PartialSuccess = &collectormetrics.ExportMetricsPartialSuccess{RejectedDataPoints: one.rejected, ErrorMessage: one.message}
	}
	return answer
}

func tracesAnswer(one behaviour) *collectortraces.ExportTraceServiceResponse {
	answer := &collectortraces.ExportTraceServiceResponse{}
	if one.rejected > 0 || one.message != "" {
		answer.PartialSuccess = &collectortraces.ExportTracePartialSuccess{RejectedSpans: one.rejected, ErrorMessage: one.message}
	}
	return answer
}

// Export is the receiver of metrics over gRPC.
func (r *receiver) Export(ctx context.Context, request *collectormetrics.ExportMetricsServiceRequest) (*collectormetrics.ExportMetricsServiceResponse, error) {
	defer func() { r.arrived <- struct{}{} }()
	one, err := r.answer(ctx)
	if err != nil {
		return nil, err
	}
	r.take(request, nil)
	return metricsAnswer(one), nil
}

func (r *receiver) answer(ctx context.Context) (behaviour, error) {
	headers := map[string]string{}
	if all, ok := metadata.FromIncomingContext(ctx); ok {
		for name, values := range all {
			headers[name] = values[0]
		}
	}
	one := r.behave(headers)
	if one.hang {
		<-ctx.Done()
		return one, status.Error(codes.DeadlineExceeded, "hung")
	}
	if one.rpc != nil {
		return one, one.rpc.Err()
	}
	return one, nil
}

// traceReceiver is the receiver of spans over gRPC.
type traceReceiver struct {
	collectortraces.UnimplementedTraceServiceServer
	*receiver
}

func (r *traceReceiver) Export(ctx context.Context, request *collectortraces.ExportTraceServiceRequest) (*collectortraces.ExportTraceServiceResponse, error) {
	defer func() { r.arrived <- struct{}{} }()
	one, err := r.answer(ctx)
	if err != nil {
		return nil, err
	}
	r.take(nil, request.GetResourceSpans())
	return tracesAnswer(one), nil
}

// lastHeaders are those of the last request.
func (r *receiver) lastHeaders() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.headers) == 0 {
		return nil
	}
	return r.headers[len(r.headers)-1]
}

// resource are the attributes of the last metrics' resource.
func (r *receiver) resource() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.taken) == 0 {
		return nil
	}
	return attributesOf(r.taken[len(r.taken)-1].GetResourceMetrics()[0].GetResource().GetAttributes())
}

// points are the values of the number points that were taken, the last of each series, as name{label="value"}.
func (r *receiver) points() map[string]float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]float64{}
	for _, request := range r.taken {
		for _, resource := range request.GetResourceMetrics() {
			for _, scope := range resource.GetScopeMetrics() {
				for _, metric := range scope.GetMetrics() {
					addPoints(all, metric)
				}
			}
		}
	}
	return all
}

func addPoints(all map[string]float64, metric *metrics.Metric) {
	numbers := metric.GetGauge().GetDataPoints()
	if metric.GetSum() != nil {
		numbers = metric.GetSum().GetDataPoints()
	}
	for _, point := range numbers {
		all[metric.GetName()+labelsOf(point.GetAttributes())] = point.GetAsDouble()
	}
	for _, point := range metric.GetSummary().GetDataPoints() {
		all[metric.GetName()+"_sum"+labelsOf(point.GetAttributes())] = point.GetSum()
		all[metric.GetName()+"_count"+labelsOf(point.GetAttributes())] = float64(point.GetCount())
		for _, quantile := range point.GetQuantileValues() {
			all[fmt.Sprintf("%s[%g]%s", metric.GetName(), quantile.GetQuantile(), labelsOf(point.GetAttributes()))] = quantile.GetValue()
		}
	}
	for _, point := range metric.GetHistogram().GetDataPoints() {
		all[metric.GetName()+"_sum"+labelsOf(point.GetAttributes())] = point.GetSum()
		all[metric.GetName()+"_count"+labelsOf(point.GetAttributes())] = float64(point.GetCount())
		below := uint64(0)
		for i, bound := range point.GetExplicitBounds() {
			below += point.GetBucketCounts()[i]
			all[fmt.Sprintf("%s<%g%s", metric.GetName(), bound, labelsOf(point.GetAttributes()))] = float64(below)
		}
	}
}

func attributesOf(pairs []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, pair := range pairs {
		all[pair.GetKey()] = pair.GetValue().GetStringValue()
	}
	return all
}

func labelsOf(pairs []*common.KeyValue) string { return labelText(attributesOf(pairs)) }

func labelText(labels map[string]string) string {
	var text []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		text = append(text, fmt.Sprintf("%s=%q", name, labels[name]))
	}
	return "{" + strings.Join(text, ",") + "}"
}

const patience = 30 * time.Second

// await waits for an element.
func await(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case <-c:
	case <-ctx.Done():
		t.Fatalf("%s: not within %s", what, patience)
	}
}
