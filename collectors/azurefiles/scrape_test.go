package azurefiles

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/faults"
)

// tell is an Output that hands the names of collectors that ran on.
type tell chan string

func (c tell) Publish(_ context.Context, batch collectors.Batch) error {
	select {
	case c <- batch.Collector:
	default: // nobody waits for it any more
	}
	return nil
}

// runs has the runner run the collectors until the test ends, and returns what is shown of it once each has ended a run.
func (l *lab) runs() *export.Store {
	l.t.Helper()
	shown, came := &export.Store{}, make(tell, 10)
	runner, err := collectors.NewRunner(collectors.RunnerConfig{
		Roots: []collectors.Root{{Host: "server1"}}, Entries: l.source.Entries(), Output: collectors.Fanout{shown, came},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), 2*time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- runner.Run(ctx) }()
	l.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			l.t.Error(err)
		}
	})
	for seen := map[string]bool{}; len(seen) < 3; {
		select {
		case name := <-came:
			seen[name] = true
		case <-ctx.Done():
			l.t.Fatalf("only %v ran", seen)
		}
	}
	return shown
}

// scrape asks for /metrics and says how long that took.
func scrape(t testing.TB, shown *export.Store) (text string, took time.Duration) {
	t.Helper()
	answer, began := httptest.NewRecorder(), time.Now()
	export.Handler(export.HandlerConfig{Store: shown}).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	if answer.Code != http.StatusOK {
		t.Fatalf("status %d", answer.Code)
	}
	return answer.Body.String(), time.Since(began)
}

// A service that refuses every request for metrics keeps no scrape waiting: it says so, and shows what is known.
func TestScrapeWhileMetricsAreForbidden(t *testing.T) {
	l := newLab(t, fleetOf(3, 2), nil)
	l.inject(faults.Fault{Kind: faults.Forbidden, Method: "metrics.query"})
	shown := l.runs()
	calls := l.server.Usage().Calls
	text, took := scrape(t, shown)
	if took > 10*time.Second || !slices.Equal(calls, l.server.Usage().Calls) {
		t.Errorf("it took %s, calls were %v and are %v", took, calls, l.server.Usage().Calls)
	}
	for _, want := range []string{
		`nasight_collector_success{collector="azurefiles_performance",host="server1"} 0`,
		`nasight_collector_success{collector="azurefiles_capacity",host="server1"} 0`,
		`nasight_collector_success{collector="azurefiles_inventory",host="server1"} 1`,
		`nasight_collector_errors_total{collector="azurefiles_performance",host="server1",reason="permission"} 1`,
		`nasight_share_info{`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not shown", want)
		}
	}
	if strings.Contains(text, "nasight_share_operations_per_second{") {
		t.Error("there are numbers that nobody read")
	}
}

// The runner runs the entries; a scrape makes no request, drops nothing and shows why a subscription is missing.
func TestScrape(t *testing.T) {
	l := newLab(t, nil, nil)
	l.inject(faults.Fault{Kind: faults.Forbidden, Project: "00000000-0000-4000-8000-000000000002"})
	shown := l.runs()
	calls := l.server.Usage().Calls
	families, err := shown.Gather()
	if err != nil {
		t.Error(err)
	}
	if !slices.Equal(calls, l.server.Usage().Calls) {
		t.Error("a scrape makes requests")
	}
	var text strings.Builder
	for _, family := range families {
		switch family.GetName() {
		case schema.CloudCost.Name:
			t.Error("it is said what requests cost, which is not known")
		case schema.CloudUnreachable.Name:
			text.WriteString(strings.ReplaceAll(family.String(), "value: ", "value:"))
		case schema.ExpositionDropped.Name:
			for _, metric := range family.GetMetric() {
				if metric.GetGauge().GetValue() != 0 {
					t.Errorf("dropped: %s", metric)
				}
			}
		}
	}
	for _, want := range []string{"0002", `value:"performance"`, `value:"inventory"`, `value:"capacity"`, `value:"permission"`} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s is not in %s", want, &text)
		}
	}
}
