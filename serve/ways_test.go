package serve

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/export/otlp"
	"github.com/nasight/nasight/promapi/promtest"
	"github.com/nasight/nasight/schema"
)

// way is one by which numbers leave nasight.
type way struct {
	name    string
	read    func(*testing.T) []promtest.Sample // what has come so far, the newest of a series last
	adds    map[string]string                  // labels on every series
	lacks   kind                               // what does not go this way, as docs/exports.md says
	untyped bool                               // the protocol says nothing of types
}

// kind is which numbers go the same ways.
type kind string

const (
	sampled kind = "sampled" // by collectors, and found: goes every way
	process kind = "process" // what this process tells of itself, at the moment of a scrape
	rolled  kind = "rolled"  // what later looks of the detection need
)

// The same number goes every way: each series of a served recording and of what is found in it, with the same labels, value and
// type. A way more is a row more.
func TestEveryWayHasTheSameNumbers(t *testing.T) {
	t.Parallel()
	victoria := &bodies{}
	first, second := &promtest.Receiver{}, &promtest.Receiver{}
	cfg := testConfig(t)
	cfg.Detection.Interval = config.Duration(time.Hour) // how long what is found is shown
	added := map[string]string{"env": `pro"duction\`}
	cfg.Export.VictoriaMetrics = []config.VictoriaMetrics{{
		Name: "vm", URL: listening(t, victoria), Interval: config.Duration(time.Second), ExtraLabels: added,
	}}
	cfg.Export.RemoteWrite = []config.RemoteWrite{
		{Name: "one", Protocol: "1.0", URL: listening(t, first.Handler())}, {Name: "two", Protocol: "2.0", URL: listening(t, second.Handler())},
	}
	served := serving(t, cfg)
	served.fill(t)
	overGRPC, overHTTP := newOTLPReceiver(t), newOTLPReceiver(t)
	served.otlp(t, otlp.GRPC, overGRPC.listenRPC(t))
	served.otlp(t, otlp.HTTP, overHTTP.url)

	ways := []way{
		{name: "/metrics", read: served.scrape("text/plain"), lacks: rolled},
		{name: "/metrics as OpenMetrics", read: served.scrape("application/openmetrics-text; version=1.0.0"), lacks: rolled},
		{name: "OTLP gRPC", read: overGRPC.samples, lacks: rolled},
		{name: "OTLP HTTP", read: overHTTP.samples, lacks: rolled},
		{name: "VictoriaMetrics", read: victoria.samples, adds: added, lacks: rolled},
		{name: "remote write 1.0", read: received(first), lacks: process, untyped: true},
		{name: "remote write 2.0", read: received(second), lacks: process},
		{name: "query API", read: served.query, lacks: process},
	}
	want := served.want(t, ways[0].read(t), ways[len(ways)-1].read(t))
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) { w.compare(t, want) })
	}
	t.Run("times", func(t *testing.T) { served.times(t, map[string]*promtest.Receiver{"1.0": first, "2.0": second}) })
}

// number is what a way tells of a series.
type number struct {
	Type  string
	Value float64
}

// expected are the numbers that have to come, by kind and series.
type expected map[kind]map[string]number

// compare waits until a way has told what it has to, and shows what differs after a while.
func (w way) compare(t *testing.T, all expected) {
	want := map[string]number{}
	for which, series := range all {
		if which == w.lacks {
			continue
		}
		for name, one := range series {
			if w.untyped {
				one.Type = ""
			}
			want[name] = one
		}
	}
	var diff string
	within(t, patience, func() bool {
		got := newest(w.bare(t))
		for name, one := range all[process] { // they move from one look to the next
			if had, there := got[name]; there {
				got[name] = number{had.Type, one.Value}
			}
		}
		diff = cmp.Diff(want, got)
		return diff == ""
	})
	if diff != "" {
		t.Errorf("(-want +%s):\n%.5000s", w.name, diff)
	}
}

// bare are the samples without the labels that the way adds, each of which has to be there.
func (w way) bare(t *testing.T) []promtest.Sample {
	samples := w.read(t)
	for _, sample := range samples {
		for name, value := range w.adds {
			if sample.Labels[name] != value {
				t.Fatalf("%v lacks the label %s=%q", sample.Labels, name, value)
			}
			delete(sample.Labels, name)
		}
	}
	return samples
}

// newest is the last number of each series.
func newest(samples []promtest.Sample) map[string]number {
	last, at := map[string]number{}, map[string]int64{}
	for _, sample := range samples {
		series := seriesText(sample.Labels)
		if sample.Time >= at[series] {
			last[series], at[series] = number{sample.Type, sample.Value}, sample.Time
		}
	}
	return last
}

func seriesText(labels map[string]string) string {
	var text strings.Builder
	text.WriteString(labels["__name__"])
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if name != "__name__" {
			fmt.Fprintf(&text, " %s=%q", name, labels[name])
		}
	}
	return text.String()
}

// within polls until a condition holds, and no longer than told.
func within(t *testing.T, most time.Duration, holds func() bool) {
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
		}
	}
}

func listening(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func received(r *promtest.Receiver) func(*testing.T) []promtest.Sample {
	return func(*testing.T) []promtest.Sample { return r.Samples() }
}

// bodies is a VictoriaMetrics that keeps what was pushed last.
type bodies struct {
	mu   sync.Mutex
	last []byte
}

func (b *bodies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := unzipped(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = body
	w.WriteHeader(http.StatusNoContent)
}

func (b *bodies) samples(t *testing.T) []promtest.Sample {
	b.mu.Lock()
	defer b.mu.Unlock()
	return exposed(t, b.last, "text/plain")
}

func exposed(t *testing.T, body []byte, kind string) []promtest.Sample {
	t.Helper()
	samples, err := promtest.Exposition(body, kind)
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// waysServer is a server whose parts are driven by the test, so that nothing moves while it is looked at.
type waysServer struct {
	*Server
	url string
}

func serving(t *testing.T, cfg config.Config) *waysServer {
	t.Helper()
	server, err := New(t.Context(), Options{Config: cfg, Build: testBuild})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.release(); err != nil {
			t.Error(err)
		}
	})
	server.pushing.start(t.Context(), server.pushers)
	t.Cleanup(server.pushing.stop)
	return &waysServer{Server: server, url: listening(t, server.handler)}
}

// fill serves a recording of 20 seconds that a session is saturated in, as if read every second, then judges it, and adds what
// is hard to carry.
func (s *waysServer) fill(t *testing.T) {
	t.Helper()
	end := time.Now().Truncate(schema.FiguresGrain) // when everything that is found goes to history, too
	host := &recorded{directory: capture(t, saturated)}
	for i, moment := range []string{"t0", "t1", "t2"} {
		host.show(t, moment)
		for second := 10 * i; second < 10*(i+1) && second <= 20; second++ {
			s.publish(t, host, end.Add(time.Duration(second-20)*time.Second))
		}
	}
	found, err := s.evaluator.evaluate(t.Context(), end)
	if err != nil || len(found.Findings) == 0 {
		t.Fatalf("found %v, %v", found, err)
	}
	s.evaluator.conclude(t.Context(), found, nil, 250*time.Millisecond)
	s.put(t, odd(end))
	for _, entry := range s.pushing.entries(s.current()) {
		s.collect(t, entry, "here", time.Now())
	}
}

func (s *waysServer) publish(t *testing.T, host *recorded, at time.Time) {
	t.Helper()
	for _, entry := range list.Entries() {
		var source *collectors.Following
		s.collect(t, collectors.Follow(entry, pathsOf(host.host("app1")), func(f *collectors.Following) { source = f }), "app1", at)
		if err := source.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// collect runs a collector once.
func (s *waysServer) collect(t *testing.T, entry collectors.Entry, host string, at time.Time) {
	t.Helper()
	collector, err := entry.New(collectors.Root{Host: host}, collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	result := collectors.Once(t.Context(), collector, at)
	if !result.Success() {
		t.Fatalf("%s: %v", entry.Name, result.Err)
	}
	s.put(t, collectors.Batch{Host: host, Collector: entry.Name, Time: at, Samples: result.Samples, Past: result.Past})
}

func (s *waysServer) put(t *testing.T, batch collectors.Batch) {
	t.Helper()
	batch.Interval = time.Hour // nothing is stale before the test's end
	if err := s.output.Publish(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// odd has labels and values that are hard to carry, and what a cloud tells of its own times.
func odd(at time.Time) collectors.Batch {
	samples := []schema.Sample{}
	texts := []string{
		`"quoted"`, "two\nlines\r\n", `back\slash\n`, "ünï→😀", "{a=\"b\"} 1", " spaces ", "tab\t\x00zero", "caf\xe9", "# HELP", "'%s'", strings.Repeat("long", 500),
	}
	for i, value := range []float64{0, 1 << 53, 0.1, 1e300, 5e-324, 1.0 / 3, 1e21, 123456789.125, 7, 1e-7, 1<<53 + 2} {
		samples = append(samples,
			schema.Sample{Family: schema.NFSReadBytes, Labels: []string{"odd", "192.0.2.1", texts[i], "nfs", "0:1"}, Value: value, Time: at},
			schema.Sample{Family: schema.CPUCores, Labels: []string{texts[i]}, Value: -value, Time: at})
	}
	volume := func(value float64, at time.Time) schema.Sample {
		labels := make([]string, len(schema.VolumeTotalThroughput.Labels))
		labels[0], labels[len(labels)-1] = "gcp", "vol1" // no other has a value
		return schema.Sample{Family: schema.VolumeTotalThroughput, Labels: labels, Value: value, Time: at}
	}
	now := at.Add(-3 * time.Minute)
	return collectors.Batch{
		Host: "odd", Collector: "odd", Time: at, Samples: append(samples, volume(12.5, now)), Past: []schema.Sample{volume(11.5, now.Add(-time.Minute))},
	}
}

// otlp pushes to a receiver until the test ends.
func (s *waysServer) otlp(t *testing.T, protocol, endpoint string) {
	t.Helper()
	push, cfg := s.newOTLPPush("here"), s.current()
	cfg.Export.OTLP.Endpoint, cfg.Export.OTLP.Protocol, cfg.Export.OTLP.Interval = endpoint, protocol, time.Second
	run, err := push.make(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	push.start(t.Context(), run)
	t.Cleanup(push.stop)
}

// scrape reads /metrics in a format.
func (s *waysServer) scrape(format string) func(*testing.T) []promtest.Sample {
	return func(t *testing.T) []promtest.Sample {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/metrics", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", format)
		answer, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		kind, _, _ := strings.Cut(format, ";")
		if err != nil || !strings.HasPrefix(answer.Header.Get("Content-Type"), kind) {
			t.Fatalf("%v, %v", answer.Header, err)
		}
		return exposed(t, body, answer.Header.Get("Content-Type"))
	}
}

// query asks for the newest of everything, and for the types.
func (s *waysServer) query(t *testing.T) []promtest.Sample {
	t.Helper()
	client, err := api.NewClient(api.Config{Address: s.url})
	if err != nil {
		t.Fatal(err)
	}
	answer, _, _, err := v1.NewAPI(client).Query(t.Context(), `last_over_time({__name__=~".+"}[1h])`, time.Now())
	vector, ok := answer.(model.Vector)
	if err != nil || !ok {
		t.Fatalf("%v, %v", answer, err)
	}
	types, err := v1.NewAPI(client).Metadata(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	var samples []promtest.Sample
	for _, point := range vector {
		one := promtest.Sample{Labels: map[string]string{}, Value: float64(point.Value)}
		for name, value := range point.Metric {
			one.Labels[string(name)] = string(value)
		}
		if told := types[one.Labels["__name__"]]; len(told) == 1 {
			one.Type = string(told[0].Type)
		}
		samples = append(samples, one)
	}
	return samples
}
