package otlp

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/schema"
)

// shown is what /metrics shows, as the receiver's points are written.
func shown(t *testing.T, store *export.Store, own *prometheus.Registry) map[string]float64 {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler := export.Handler(export.HandlerConfig{Store: store, Own: own})
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	parser := expfmt.NewTextParser(model.UTF8Validation)
	parsed, err := parser.TextToMetricFamilies(recorder.Body)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for name, family := range parsed {
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range metric.GetLabel() {
				if pair.GetValue() != "" {
					labels[pair.GetName()] = pair.GetValue()
				}
			}
			text := labelText(labels)
			switch {
			case metric.Summary != nil:
				all[name+"_sum"+text], all[name+"_count"+text] = metric.Summary.GetSampleSum(), float64(metric.Summary.GetSampleCount())
			case metric.Histogram != nil:
				all[name+"_sum"+text], all[name+"_count"+text] = metric.Histogram.GetSampleSum(), float64(metric.Histogram.GetSampleCount())
				for _, bucket := range metric.Histogram.GetBucket() {
					if !math.IsInf(bucket.GetUpperBound(), 1) {
						all[name+"<"+trimmed(bucket.GetUpperBound())+text] = float64(bucket.GetCumulativeCount())
					}
				}
			case metric.Counter != nil:
				all[name+text] = metric.Counter.GetValue()
			default:
				all[name+text] = metric.GetGauge().GetValue() + metric.GetUntyped().GetValue()
			}
		}
	}
	return all
}

func trimmed(value float64) string {
	return strings.TrimSuffix(model.SampleValue(value).String(), ".0")
}

// Every number of /metrics arrives under its name, by each protocol, squeezed or not; a label without a value does not.
func TestTheReceiverGetsWhatMetricsShows(t *testing.T) {
	store, own := &export.Store{}, prometheus.NewRegistry()
	identity := []string{"client1", "192.0.2.1", "/export/\"ö\"\n\\", "nfs", "0:42"}
	publish(t, store,
		sample(schema.NFSReadBytes, 1<<53, identity...), sample(schema.NFSRetransmissions, 0, identity...),
		sample(schema.CollectorDuration, 0.25, "client1", "nfs"),
		sample(schema.FindingActive, 1, "limit_reached", "throughput", "gcp", "gcnv", "example", "", "", "vol", "", "", "", ""))
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "example_total", Help: "An example."})
	counter.Add(3)
	summary := prometheus.NewSummary(prometheus.SummaryOpts{Name: "example_summary", Help: "An example."})
	summary.Observe(2)
	histogram := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "example_seconds", Help: "An example.", Buckets: []float64{0.5, 2}})
	for _, value := range []float64{0.1, 1, 1, 5} {
		histogram.Observe(value)
	}
	own.MustRegister(counter, summary, histogram)
	want := shown(t, store, own)
	for _, protocol := range protocols {
		for _, compression := range []string{Gzip, None} {
			t.Run(protocol+" "+compression, func(t *testing.T) {
				r := newReceiver(t, protocol)
				cfg := configFor(r.endpoint, protocol)
				cfg.Compression = compression
				e := newExporter(t, Options{Config: cfg, Sources: []prometheus.Gatherer{store, own}, Logger: testLog(t)})
				if failed := e.push(t.Context()); failed != nil {
					t.Fatal(failed)
				}
				if diff := cmp.Diff(want, r.points(), cmpopts.EquateNaNs()); diff != "" {
					t.Errorf("(-/metrics +received):\n%s", diff)
				}
				if protocol == HTTP && (r.lastHeaders()["content-encoding"] == Gzip) != (compression == Gzip) {
					t.Errorf("headers %v", r.lastHeaders())
				}
			})
		}
	}
}

// Many samples go in several requests, each small enough for a receiver as it is by default, none left out and none twice.
func TestManySamplesAreSeveralRequests(t *testing.T) {
	for many, requests := range map[int]int{2500: 3, 100_000: 101} { // two samples more are of the exposition
		store := &export.Store{}
		var samples []schema.Sample
		for i := range many {
			samples = append(samples, sample(schema.NFSReadBytes, float64(i), "client1", "192.0.2.1", fmt.Sprint("/export/", i), "nfs", "0:1"))
		}
		publish(t, store, samples...)
		r := newReceiver(t, GRPC)
		e := newExporter(t, Options{Config: configFor(r.endpoint, GRPC), Sources: []prometheus.Gatherer{store}})
		if failed := e.push(t.Context()); failed != nil {
			t.Fatal(failed)
		}
		if got := r.points(); len(r.taken) != requests || len(got) != many+2 {
			t.Errorf("%d requests, %d points of %d", len(r.taken), len(got), many)
		}
	}
}

func TestResourceIsWhatIsKnown(t *testing.T) {
	r := newReceiver(t, HTTP)
	cfg := configFor(r.endpoint+"/tenant/", HTTP)
	cfg.Resource = map[string]string{"deployment.environment.name": "production", "host.name": "storage-watch", "cloud.provider": ""}
	e := newExporter(t, Options{
		Config: cfg, Sources: one(), Identity: Identity{Version: "1.2.3", Instance: "watch1:9877", Host: "watch1", Cloud: "gce"},
	})
	if failed := e.push(t.Context()); failed != nil {
		t.Fatal(failed)
	}
	want := map[string]string{
		"service.name": "nasight", "service.version": "1.2.3", "service.instance.id": "watch1:9877", "host.name": "storage-watch",
		"deployment.environment.name": "production",
	}
	if diff := cmp.Diff(want, r.resource()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	known := attributes(Identity{Cloud: "azure"}.resource(nil))
	if diff := cmp.Diff(map[string]string{"service.name": "nasight", "cloud.provider": "azure"}, known); diff != "" {
		t.Errorf("nothing but the cloud is known (-want +got):\n%s", diff)
	}
}

// The headers are on every request, and a file's value is that of the moment.
func TestHeaders(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "token")
			write := func(text string) {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("Bearer first\n")
			r := newReceiver(t, protocol)
			cfg := configFor(r.endpoint, protocol)
			cfg.Headers, cfg.HeaderFiles = map[string]string{"X-Scope-OrgID": "storage"}, map[string]string{"Authorization": file}
			e := newExporter(t, Options{Config: cfg, Sources: one()})
			for _, token := range []string{"Bearer first", "Bearer second"} {
				write(token + "\n")
				if failed := e.push(t.Context()); failed != nil {
					t.Fatal(failed)
				}
				if got := r.lastHeaders(); got["authorization"] != token || got["x-scope-orgid"] != "storage" {
					t.Errorf("headers %v", got)
				}
			}
		})
	}
}

// What environment variables say has no part: neither where to, nor with what, nor who.
func TestEnvironmentHasNoPart(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://192.0.2.1:1", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://192.0.2.1:1",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://192.0.2.1:1", "OTEL_EXPORTER_OTLP_HEADERS": "authorization=stolen",
		"OTEL_EXPORTER_OTLP_METRICS_HEADERS": "x-more=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "x-more=1",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_EXPORTER_OTLP_INSECURE": "false", "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
		"OTEL_EXPORTER_OTLP_CERTIFICATE": certificateFile(t), "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "delta",
		"OTEL_RESOURCE_ATTRIBUTES": "team=other", "OTEL_SERVICE_NAME": "other", "OTEL_TRACES_SAMPLER": "always_off",
		"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "1", "OTEL_SDK_DISABLED": "true", "OTEL_BSP_MAX_QUEUE_SIZE": "1",
	} {
		t.Setenv(name, value)
	}
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			r := newReceiver(t, protocol)
			cfg := configFor(r.endpoint, protocol)
			cfg.Compression, cfg.Traces = None, true
			e := newExporter(t, Options{Config: cfg, Sources: one()})
			if failed := e.push(t.Context()); failed != nil {
				t.Fatal(failed)
			}
			_, span := e.Tracers().Tracer("test").Start(t.Context(), "one")
			span.End()
			if !e.spans.pushNext(t.Context(), t.Context()) || len(r.spans) != 1 {
				t.Fatalf("%d spans arrived", len(r.spans))
			}
			for _, got := range []map[string]string{r.resource(), attributesOf(r.spans[0].GetResource().GetAttributes())} {
				if diff := cmp.Diff(map[string]string{"service.name": "nasight"}, got); diff != "" {
					t.Errorf("resource (-want +got):\n%s", diff)
				}
			}
			for _, unwanted := range []string{"authorization", "x-more", "content-encoding"} {
				if value, there := r.lastHeaders()[unwanted]; there {
					t.Errorf("header %s: %s", unwanted, value)
				}
			}
			if sum := r.taken[0].GetResourceMetrics()[0]; sum.GetScopeMetrics()[0].GetScope().GetName() != scopeName {
				t.Errorf("scope %v", sum)
			}
		})
	}
}

func TestRequestsSayWhoseTheyAre(t *testing.T) {
	for _, protocol := range protocols {
		for version, want := range map[string]string{"1.2": "nasight/1.2", "": "nasight"} {
			r := newReceiver(t, protocol)
			e := newExporter(t, Options{Config: configFor(r.endpoint, protocol), Sources: one(), Identity: Identity{Version: version}})
			if err := e.Push(t.Context()); err != nil {
				t.Fatal(err)
			}
			got, _, _ := strings.Cut(r.lastHeaders()["user-agent"], " ") // gRPC adds its own behind
			if got != want {
				t.Errorf("%s, version %q: the request is of %q", protocol, version, got)
			}
		}
	}
}
