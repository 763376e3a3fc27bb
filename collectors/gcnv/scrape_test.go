package gcnv

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/faults"
)

// The runner runs the entries, and what a scrape shows of a forbidden project shows at once and without a request.
func TestScrape(t *testing.T) {
	l := newLab(t, fleetOf("alpha", "beta", "gamma"), nil)
	l.inject(faults.Fault{Kind: faults.Forbidden, Project: "gamma"})
	shown := &export.Store{}
	came := make(chan collectors.Batch, 10)
	runner, err := collectors.NewRunner(collectors.RunnerConfig{
		Roots: []collectors.Root{{Host: "server1"}}, Entries: l.source.Entries(), Output: collectors.Fanout{shown, tell(came)},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- runner.Run(ctx) }()
	seen := map[string]bool{}
	for len(seen) < 3 && ctx.Err() == nil {
		select {
		case batch := <-came:
			seen[batch.Collector] = true
		case <-ctx.Done():
			t.Errorf("only %v ran", sortedKeys(seen))
		}
	}
	calls := l.server.Usage().Calls
	families, err := shown.Gather()
	if took := quickest(10, func() { _, _ = shown.Gather() }); took > 100*time.Millisecond {
		t.Errorf("a scrape takes %s", took)
	}
	if err != nil {
		t.Error(err)
	}
	if !slices.Equal(calls, l.server.Usage().Calls) {
		t.Error("a scrape makes requests")
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	expectGamma(t, families)
	if success := valuesOf(shown.Samples(), schema.CollectorSuccess); success["server1,gcnv_performance"] != 0 {
		t.Error("a project that cannot be read is called a success")
	}
}

// expectGamma checks that each tier says why gamma is missing, and that no series was there twice.
func expectGamma(t *testing.T, families []*dto.MetricFamily) {
	t.Helper()
	var text strings.Builder
	for _, family := range families {
		switch family.GetName() {
		case schema.CloudUnreachable.Name:
			text.WriteString(family.String())
		case schema.ExpositionDropped.Name:
			for _, metric := range family.GetMetric() {
				if metric.GetGauge().GetValue() != 0 {
					t.Errorf("dropped: %s", metric)
				}
			}
		}
	}
	for _, want := range []string{`value:"gamma"`, `value:"performance"`, `value:"inventory"`, `value:"capacity"`, `value:"permission"`} {
		if !strings.Contains(strings.ReplaceAll(text.String(), "value: ", "value:"), want) {
			t.Errorf("%s is not in %s", want, &text)
		}
	}
}

// valuesOf finds the values of a family of a host.
func valuesOf(samples []schema.Sample, family *schema.Family) map[string]float64 {
	found := map[string]float64{}
	for _, sample := range samples {
		if sample.Family == family {
			found[strings.Join(sample.Labels, ",")] = sample.Value
		}
	}
	return found
}

// tell is an Output that hands batches on.
type tell chan collectors.Batch

func (c tell) Publish(_ context.Context, batch collectors.Batch) error {
	select {
	case c <- batch:
	default: // nobody waits for it any more
	}
	return nil
}

// quickest is the shortest of several runs: what the work takes, and not what else the machine does.
func quickest(runs int, work func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range runs {
		begun := time.Now()
		work()
		best = min(best, time.Since(begun))
	}
	return best
}
