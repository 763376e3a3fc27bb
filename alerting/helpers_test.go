package alerting

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/rules"
	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// received is an alert as Alertmanager's API takes it.
type received struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL"`
}

// receiver is an Alertmanager's API over HTTP.
type receiver struct {
	*httptest.Server
	alerts chan received

	mu     sync.Mutex
	answer func(http.ResponseWriter, *http.Request) bool // true where it has answered; nil for never
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{alerts: make(chan received, 1000)}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) serve(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	if answer != nil && answer(w, request) {
		return
	}
	var alerts []received
	decoder := json.NewDecoder(request.Body)
	decoder.DisallowUnknownFields()
	if request.Method != http.MethodPost || request.UserAgent() != "nasight" || request.URL.Path != "/am/api/v2/alerts" || decoder.Decode(&alerts) != nil {
		http.Error(w, "no alerts", http.StatusBadRequest)
		return
	}
	for _, alert := range alerts {
		r.alerts <- alert
	}
}

// fails lets every request be answered otherwise; nil for well.
func (r *receiver) fails(answer func(http.ResponseWriter, *http.Request) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func status(code int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(code)
		return true
	}
}

func (r *receiver) alertmanager() Alertmanager {
	return Alertmanager{URL: r.URL + "/am", Timeout: 10 * time.Second}
}

// next waits for an alert.
func (r *receiver) next(t *testing.T) received {
	t.Helper()
	select {
	case alert := <-r.alerts:
		return alert
	case <-time.After(time.Minute):
		t.Fatal("no alert arrives")
		return received{}
	}
}

// bench drives an engine by moments that the test chooses. Only sending is by the clock.
type bench struct {
	*Engine
	t       *testing.T
	history History
	store   *export.Store
	process *prometheus.Registry
	at      time.Time
	stop    func() // as the end of the process does
}

const step = time.Minute

func newBench(t *testing.T, h History, settings Settings) *bench {
	t.Helper()
	b := &bench{t: t, history: h, store: &export.Store{}, process: prometheus.NewRegistry(), at: noon}
	b.Engine = New(Options{
		History: h, Metrics: []prometheus.Gatherer{b.store, b.process}, Instance: "central",
		ExternalURL: &url.URL{Scheme: "http", Host: "nasight.example.com", Path: "/"},
	})
	b.evaluate = func(context.Context, *rules.Group, time.Time) {} // the rule manager's own clock has no say
	b.use(settings)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	b.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(b.stop)
	b.await("the rules and the Alertmanagers are known", func() bool {
		loaded, err := Load(settings)
		return err == nil && (len(b.RuleGroups()) > 0) == (loaded.Rules() > 0) && len(b.notifier.Alertmanagers()) == len(settings.Alertmanagers)
	})
	return b
}

func (b *bench) use(settings Settings) {
	b.t.Helper()
	settings.Interval = step
	loaded, err := Load(settings)
	if err == nil {
		err = b.Use(loaded)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// pass goes through so many minutes; before each evaluation the world does what it does at that moment.
func (b *bench) pass(minutes int, world func(at time.Time)) {
	b.t.Helper()
	for range minutes {
		b.at = b.at.Add(step)
		if world != nil {
			world(b.at)
		}
		for _, group := range b.RuleGroups() {
			b.iterate(b.t.Context(), group, b.at)
		}
	}
}

// restored does what the rule manager does after the first two evaluations of a start.
func (b *bench) restored() {
	for _, group := range b.RuleGroups() {
		group.RestoreForState(b.at)
	}
}

func (b *bench) append(samples ...schema.Sample) {
	b.t.Helper()
	for i := range samples {
		samples[i].Time = b.at
	}
	if err := b.history.(history.Writer).Append(b.t.Context(), samples); err != nil {
		b.t.Fatal(err)
	}
}

// show puts samples on /metrics in the place of those of before.
func (b *bench) show(samples ...schema.Sample) {
	b.t.Helper()
	if err := b.store.Publish(b.t.Context(), collectors.Batch{Host: "central", Collector: "findings", Time: b.at, Samples: samples}); err != nil {
		b.t.Fatal(err)
	}
}

// own is the value of one of nasight's own metrics about alerting, by the value of its label.
func (b *bench) own(family *schema.Family, label string) float64 {
	b.t.Helper()
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(b.Engine); err != nil {
		b.t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, found := range families {
		for _, metric := range found.GetMetric() {
			if found.GetName() == family.Name && (len(metric.GetLabel()) == 0 || strings.Contains(metric.GetLabel()[0].GetValue(), label)) {
				return metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
			}
		}
	}
	return -1
}

func (b *bench) await(what string, holds func() bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			b.t.Fatalf("not within a minute: %s", what)
		case <-poll.C:
		}
	}
}

// firing are the names of the alerts that fire, each once.
func (b *bench) firing() []string {
	names := []string{}
	for _, rule := range b.manager.AlertingRules() {
		for _, alert := range rule.ActiveAlerts() {
			if alert.State.String() == "firing" {
				names = append(names, rule.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ruleFile writes a file of rules.
func ruleFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "team.yml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func memory(t *testing.T) *history.Memory {
	t.Helper()
	h := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = h.Close() })
	return h
}
