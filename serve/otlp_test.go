package serve

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export/otlp"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
)

// otlpReceiver takes metrics and spans over HTTP. It keeps the spans and the last metrics.
type otlpReceiver struct {
	url string

	mu       sync.Mutex
	points   map[string]float64 // by name and value of the host label
	resource map[string]string
	spans    []*traces.Span
	metrics  []*metrics.Metric
}

func newOTLPReceiver(t *testing.T) *otlpReceiver {
	t.Helper()
	r := &otlpReceiver{points: map[string]float64{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *otlpReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := unzipped(request)
	if err == nil {
		err = r.take(request.URL.Path, body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

// unzipped is the body of a request.
func unzipped(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(r.Body)
	}
	plain, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(plain)
}

func (r *otlpReceiver) take(path string, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch path {
	case "/v1/metrics":
		var got collectormetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			return err
		}
		r.takeMetrics(&got)
	case "/v1/traces":
		var got collectortraces.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			return err
		}
		for _, resource := range got.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				r.spans = append(r.spans, scope.GetSpans()...)
			}
		}
	default:
		return fmt.Errorf("no path %s", path)
	}
	return nil
}

func (r *otlpReceiver) takeMetrics(got *collectormetrics.ExportMetricsServiceRequest) {
	for _, resource := range got.GetResourceMetrics() {
		r.resource = textsOf(resource.GetResource().GetAttributes())
		for _, scope := range resource.GetScopeMetrics() {
			r.metrics = append(r.metrics, scope.GetMetrics()...)
			for _, metric := range scope.GetMetrics() {
				points := metric.GetGauge().GetDataPoints()
				if metric.GetSum() != nil {
					points = metric.GetSum().GetDataPoints()
				}
				for _, point := range points {
					r.points[metric.GetName()+" "+textsOf(point.GetAttributes())[schema.Host]] = point.GetAsDouble()
				}
			}
		}
	}
}

func textsOf(pairs []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, pair := range pairs {
		all[pair.GetKey()] = pair.GetValue().GetStringValue()
	}
	return all
}

// has says whether a point arrived.
func (r *otlpReceiver) has(point string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, there := r.points[point]
	return there
}

// who are the attributes of the metrics' resource.
func (r *otlpReceiver) who() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.resource
}

func (r *otlpReceiver) spanned(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, span := range r.spans {
		if span.GetName() == name {
			return true
		}
	}
	return false
}

// A changed section of the file is taken over without a restart, an impossible one is not, and a push that was taken out is gone.
func TestReloadTakesThePushOver(t *testing.T) {
	t.Parallel()
	first, second := newOTLPReceiver(t), newOTLPReceiver(t)
	recording := &recorded{directory: capture(t, saturated)}
	recording.show(t, "t0")
	cfg := testConfig(t, recording.host("client1"))
	file := filepath.Join(t.TempDir(), "nasight.yml")
	host := cfg.Hosts[0]
	write := func(export string) {
		t.Helper()
		text := fmt.Sprintf("web: {listen_address: '127.0.0.1:0'}\nhistory: {path: %q}\nhosts: [{name: client1, procfs: %q, sysfs: %q, netlink: %q}]\n%s",
			cfg.History.Path, host.Procfs, host.Sysfs, host.Netlink, export)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	section := func(url, more string) string {
		return fmt.Sprintf("export: {otlp: {endpoint: %q, protocol: http/protobuf, interval: 1s, %s}}\n", url, more)
	}
	write(section(first.url, "traces: true"))
	read, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, Options{Config: read, ConfigFile: file, Build: testBuild})
	await(t, "the first receiver's metrics", patience, func() bool { return first.has("nasight_nfs_read_bytes_total client1") })
	await(t, "the first receiver's spans", patience, func() bool { return first.spanned("collect nfs") })
	resource := first.who()
	_, port, _ := strings.Cut(strings.TrimPrefix(server.base, "http://"), ":")
	if name := resource["host.name"]; name == "" || resource["service.instance.id"] != name+":"+port || resource["service.version"] != testBuild.Version {
		t.Errorf("resource %v", resource)
	}

	write(section(first.url, "header_files: {Authorization: /nowhere/token}"))
	if code, body := request(t, http.MethodPost, server.base+"/-/reload"); code != http.StatusBadRequest || !strings.Contains(body, "export.otlp.header_files.Authorization") {
		t.Errorf("a header without its file: %d %s", code, body)
	}
	write(section(second.url, "temporality: delta"))
	if code, body := request(t, http.MethodPost, server.base+"/-/reload"); code != http.StatusOK {
		t.Fatalf("reload: %d %s", code, body)
	}
	await(t, "the second receiver's metrics", patience, func() bool { return second.has("nasight_build_info ") })
	server.awaitPage(t, "/metrics?collect[]=otlp", "nasight_otlp_pushes_total", patience)

	write("")
	if code, body := request(t, http.MethodPost, server.base+"/-/reload"); code != http.StatusOK {
		t.Fatalf("reload: %d %s", code, body)
	}
	if _, body := server.get(t, "/metrics"); strings.Contains(body, "nasight_otlp_") {
		t.Error("the push that was taken out is in /metrics still")
	}
}

// A receiver's file that is not there is a mistake of the configuration, told at the start.
func TestPushThatCannotBe(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.Hosts = nil
	cfg.Export.OTLP = otlp.DefaultConfig()
	cfg.Export.OTLP.Endpoint, cfg.Export.OTLP.HeaderFiles = "http://192.0.2.1:4317", map[string]string{"Authorization": "/nowhere/token"}
	_, err := New(t.Context(), Options{Config: cfg, Build: testBuild})
	var configuration *ConfigError
	if !errors.As(err, &configuration) || !strings.Contains(err.Error(), "/nowhere/token") {
		t.Errorf("%v", err)
	}
}

// The spans of all cycles and of the back-fill add up to the requests, series and money of the metrics, and a request of a cycle is
// beneath the cycle's span.
func TestTracesOfTheCloudAddUp(t *testing.T) {
	t.Parallel()
	fleet, err := simulator.Example()
	if err != nil {
		t.Fatal(err)
	}
	emulator, err := simulator.Start(t.Context(), simulator.Options{Fleet: fleet, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = emulator.Close() })
	receiver := newOTLPReceiver(t)
	cfg := testConfig(t)
	cfg.Hosts = nil
	cfg.GCNV.Projects, cfg.GCNV.BackfillDays = projects(fleet), 1
	cfg.GCNV.Endpoints.Monitoring, cfg.GCNV.Endpoints.NetApp = emulator.GRPCAddress(), emulator.URL()
	cfg.GCNV.Endpoints.Insecure = true
	cfg.GCNV.Pacing.CallsPerSecond = 100
	cfg.Export.OTLP.Endpoint, cfg.Export.OTLP.Protocol, cfg.Export.OTLP.Interval = receiver.url, otlp.HTTP, time.Second
	cfg.Export.OTLP.Traces = true
	server := start(t, Options{Config: cfg, Build: testBuild})
	var got, want account
	await(t, "as much in the spans as in the metrics", patience, func() bool {
		got, want = receiver.account(), counted(t, server.cloud.budget)
		return got.cycles > 2 && got.beneath > 0 && got.series > 0 && got.requests == want.requests && got.series == want.series &&
			math.Abs(got.usd-want.usd) < 1e-9
	})
	t.Logf("in the spans %+v, in the metrics %+v", got, want)
}

// account is what requests to a cloud were.
type account struct {
	requests, series, usd float64
	cycles, beneath       int // spans of cycles, and requests beneath one
}

func (r *otlpReceiver) account() account {
	r.mu.Lock()
	defer r.mu.Unlock()
	var a account
	cycles := map[string]bool{}
	for _, span := range r.spans {
		if strings.HasPrefix(span.GetName(), "collect gcnv_") {
			cycles[string(span.GetSpanId())] = true
		}
	}
	a.cycles = len(cycles)
	for _, span := range r.spans {
		if strings.HasPrefix(span.GetName(), "collect ") {
			continue
		}
		a.requests++
		if cycles[string(span.GetParentSpanId())] {
			a.beneath++
		}
		for _, pair := range span.GetAttributes() {
			switch pair.GetKey() {
			case "nasight.series_returned":
				a.series += float64(pair.GetValue().GetIntValue())
			case "nasight.cost_usd":
				a.usd += pair.GetValue().GetDoubleValue()
			}
		}
	}
	return a
}

// counted is what the metrics say of requests.
func counted(t *testing.T, b *budget.Budget) account {
	t.Helper()
	all := map[*schema.Family]float64{}
	for _, sample := range collectors.Once(t.Context(), counts{b}, time.Now()).Samples {
		all[sample.Family] += sample.Value
	}
	return account{requests: all[schema.CloudRequests], series: all[schema.CloudSeriesReturned], usd: all[schema.CloudCost]}
}

// counts is what the metrics say of a budget.
type counts struct{ budget *budget.Budget }

func (c counts) Collect(_ context.Context, sink collectors.Sink) error {
	c.budget.Collect(sink)
	return nil
}
