package serve

import (
	"context"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/grpc"

	"github.com/nasight/nasight/promapi/promtest"
	"github.com/nasight/nasight/schema"
)

// want is what every way has to tell. What was collected and found is taken from the samples themselves, so that no way is
// measured by another; which series the process has is told by the scrape, and what is for later looks alone by history.
func (s *waysServer) want(t *testing.T, scraped, stored []promtest.Sample) expected {
	t.Helper()
	all := expected{sampled: newest(s.sampled()), process: {}, rolled: {}}
	if n := len(all[sampled]); n < 100 {
		t.Fatalf("%d series are served", n)
	}
	own, err := s.own.Gather()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]kind{schema.ExpositionDropped.Name: process}
	for _, family := range own {
		for _, suffix := range []string{"", "_sum", "_count"} {
			of[family.GetName()+suffix] = process
		}
	}
	for _, family := range []*schema.Family{schema.EndpointBusiestSession, schema.EndpointRequests, schema.EndpointOperationRTT} {
		of[family.Name] = rolled
	}
	for which, samples := range map[kind][]promtest.Sample{process: scraped, rolled: stored} {
		for _, sample := range samples {
			if of[sample.Labels["__name__"]] == which {
				all[which][seriesText(sample.Labels)] = number{sample.Type, sample.Value}
			}
		}
		if len(all[which]) == 0 {
			t.Fatalf("nothing is %s", which)
		}
	}
	for _, family := range []*schema.Family{schema.FindingActive, schema.CollectorLastSuccess, schema.HistorySamples, schema.RemoteWriteSent} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(all[sampled])), func(series string) bool { return strings.HasPrefix(series, family.Name+" ") }) {
			t.Fatalf("there is no %s", family.Name)
		}
	}
	return all
}

// sampled are the samples that the store has, as they have to arrive.
func (s *waysServer) sampled() []promtest.Sample {
	var all []promtest.Sample
	for _, sample := range s.store.Samples() {
		one := promtest.Sample{Labels: map[string]string{"__name__": sample.Family.Name}, Value: sample.Value, Type: "gauge"}
		if sample.Family.Type == schema.Counter {
			one.Type = "counter"
		}
		for i, name := range sample.Family.Labels {
			if sample.Labels[i] != "" {
				one.Labels[name] = strings.ToValidUTF8(sample.Labels[i], "\uFFFD")
			}
		}
		all = append(all, one)
	}
	return all
}

// times wants every sample of history at each receiver, and no other, with its own time.
func (s *waysServer) times(t *testing.T, receivers map[string]*promtest.Receiver) {
	t.Helper()
	var stored []string
	next := s.pushing.past.Raw("nasight_", time.Now().Add(-time.Hour), time.Now().Add(time.Minute), 1000)
	for {
		samples, err := next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(samples) == 0 {
			break
		}
		for _, sample := range samples {
			labels := map[string]string{"__name__": sample.Family.Name}
			for i, name := range sample.Family.Labels {
				if sample.Labels[i] != "" {
					labels[name] = sample.Labels[i]
				}
			}
			stored = append(stored, moment(labels, sample.Value, sample.Time.UnixMilli()))
		}
	}
	slices.Sort(stored)
	for protocol, receiver := range receivers {
		var got []string
		for _, sample := range receiver.Samples() {
			got = append(got, moment(sample.Labels, sample.Value, sample.Time))
		}
		slices.Sort(got)
		if diff := cmp.Diff(stored, got); diff != "" {
			t.Errorf("%d samples in history, %d by remote write %s:\n%.3000s", len(stored), len(got), protocol, diff)
		}
	}
}

// moment is a sample as text. A zero with a sign is one without: the encoding of 2.0 knows no other.
func moment(labels map[string]string, value float64, milliseconds int64) string {
	if value == 0 {
		value = 0
	}
	return seriesText(labels) + " " + strconv.FormatFloat(value, 'g', -1, 64) + "@" + strconv.FormatInt(milliseconds, 10)
}

// listenRPC makes the receiver take metrics over gRPC as well.
func (r *otlpReceiver) listenRPC(t *testing.T) (endpoint string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	collectormetrics.RegisterMetricsServiceServer(server, rpcReceiver{r: r})
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

type rpcReceiver struct {
	collectormetrics.UnimplementedMetricsServiceServer
	r *otlpReceiver
}

// Export takes metrics.
func (r rpcReceiver) Export(_ context.Context, got *collectormetrics.ExportMetricsServiceRequest) (*collectormetrics.ExportMetricsServiceResponse, error) {
	r.r.mu.Lock()
	defer r.r.mu.Unlock()
	r.r.takeMetrics(got)
	return &collectormetrics.ExportMetricsServiceResponse{}, nil
}

// samples are the points of all pushes.
func (r *otlpReceiver) samples(*testing.T) []promtest.Sample {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []promtest.Sample
	for _, metric := range r.metrics {
		all = append(all, samplesOf(metric)...)
	}
	return all
}

func samplesOf(metric *metrics.Metric) []promtest.Sample {
	var all []promtest.Sample
	add := func(name, kind string, labels map[string]string, at uint64, value float64) {
		labels["__name__"] = name
		all = append(all, promtest.Sample{Labels: labels, Value: value, Time: int64(at / uint64(time.Millisecond)), Type: kind})
	}
	for _, point := range metric.GetGauge().GetDataPoints() {
		add(metric.GetName(), "gauge", textsOf(point.GetAttributes()), point.GetTimeUnixNano(), point.GetAsDouble())
	}
	if sum := metric.GetSum(); sum.GetIsMonotonic() && sum.GetAggregationTemporality() == metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		for _, point := range sum.GetDataPoints() {
			add(metric.GetName(), "counter", textsOf(point.GetAttributes()), point.GetTimeUnixNano(), point.GetAsDouble())
		}
	}
	for _, point := range metric.GetSummary().GetDataPoints() {
		at := point.GetTimeUnixNano()
		add(metric.GetName()+"_sum", "summary", textsOf(point.GetAttributes()), at, point.GetSum())
		add(metric.GetName()+"_count", "summary", textsOf(point.GetAttributes()), at, float64(point.GetCount()))
		for _, quantile := range point.GetQuantileValues() {
			labels := textsOf(point.GetAttributes())
			labels["quantile"] = strconv.FormatFloat(quantile.GetQuantile(), 'g', -1, 64)
			if !strings.Contains(labels["quantile"], ".") {
				labels["quantile"] += ".0"
			}
			add(metric.GetName(), "summary", labels, at, quantile.GetValue())
		}
	}
	return all
}
