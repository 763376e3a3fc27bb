package promhost

import (
	"context"
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/goleak"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/promapi"
	"github.com/nasight/nasight/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const scrapeInterval = 30 * time.Second

// prometheus is a server with samples of exporters in its memory: the embedded engine behind the real API.
type prometheus struct {
	t      *testing.T
	memory *history.Memory
	url    string
	start  time.Time                                              // of the first scrape
	answer func(http.Handler, http.ResponseWriter, *http.Request) // what stands before the API; nil for nothing
}

func newPrometheus(t *testing.T) *prometheus {
	t.Helper()
	p := &prometheus{t: t, memory: history.NewMemory(history.MemoryOptions{}), start: time.Now().Add(-100 * time.Second).Truncate(time.Millisecond)}
	api := promapi.NewHandler(p.memory, promapi.Options{MaxConcurrency: 8})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.answer != nil {
			p.answer(api, w, r)
			return
		}
		api.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		_ = p.memory.Close()
	})
	p.url = server.URL
	return p
}

func (p *prometheus) source(change ...func(*Config)) *Source {
	p.t.Helper()
	cfg := Config{URL: p.url}
	for _, one := range change {
		one(&cfg)
	}
	s, err := New(cfg, "nasight/1.2")
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = s.Close() })
	return s
}

// at is the time of a scrape, from 0.
func (p *prometheus) at(scrape int) time.Time {
	return p.start.Add(time.Duration(scrape) * scrapeInterval)
}

// scrape stores what an exporter said at a moment. Counters grow by growth parts in a hundred from scrape to scrape.
func (p *prometheus) scrape(text, instance string, scrapes []int, more ...string) {
	p.t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	var samples []schema.Sample
	for _, name := range slices.Sorted(maps.Keys(families)) {
		for _, metric := range families[name].GetMetric() {
			labels := map[string]string{"instance": instance, "job": "exporter"}
			for _, pair := range metric.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			for i := 0; i+1 < len(more); i += 2 {
				labels[more[i]] = more[i+1]
			}
			value := metric.GetUntyped().GetValue() + metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
			names := slices.Sorted(maps.Keys(labels))
			family := &schema.Family{Name: name, Labels: names}
			values := make([]string, len(names))
			for i, label := range names {
				values[i] = labels[label]
			}
			for _, scrape := range scrapes {
				samples = append(samples, schema.Sample{
					Family: family, Labels: values, Value: value * (1 + float64(scrape)/100), Time: p.at(scrape),
				})
			}
		}
	}
	if err := p.memory.Append(context.Background(), samples); err != nil {
		p.t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func collect(t *testing.T, s *Source) collectors.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return collectors.Once(ctx, s, time.Now())
}

// good collects, and fails the test on an error.
func good(t *testing.T, s *Source) collectors.Result {
	t.Helper()
	result := collect(t, s)
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	return result
}

// seriesName names a series of a sample.
func seriesName(sample schema.Sample) string {
	return sample.Family.Name + "{" + strings.Join(sample.Labels, ",") + "}"
}

// valuesOf lists the newest values of a family by the labels' values, joined by commas.
func valuesOf(result collectors.Result, family *schema.Family) map[string]float64 {
	found := map[string]float64{}
	for _, sample := range result.Samples {
		if sample.Family == family {
			found[strings.Join(sample.Labels, ",")] = sample.Value
		}
	}
	return found
}
