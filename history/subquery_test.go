package history

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"

	"github.com/nasight/nasight/schema"
)

func TestSubqueriesFromOutsideAreBounded(t *testing.T) {
	m := NewMemory(MemoryOptions{})
	end := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	const hour = time.Hour
	for query, test := range map[string]struct {
		span, step time.Duration // of a range query; 0 for an instant one
		want       string        // part of the error; empty for none
	}{
		`count_over_time({__name__=~".+"}[1000d:1s])`:                    {0, 0, "86400000 steps for each series, the most is 11000"},
		`count_over_time({__name__=~".+"}[1000d:])`:                      {0, 0, "1440000 steps"},
		`sum(1 + max_over_time(rate(a[5m])[11001s:1s]))`:                 {0, 0, "11001 steps"},
		`max_over_time(rate(a[5m])[11000s:1s])`:                          {0, 0, ""},
		`max_over_time(rate(a[5m])[7d:1m])`:                              {0, 0, ""},
		`max_over_time(a[30d])`:                                          {0, 0, ""},
		`max_over_time(avg_over_time(rate(a[5m])[1h:1m])[1d:5m])`:        {0, 0, ""},
		`max_over_time(max_over_time(a[10000s:1s])[10000s:1s])`:          {0, 0, "more than 110000 times"},
		`max_over_time((max_over_time(a[200y:1y]))[200y:1y])`:            {0, 0, "more than 110000 times"},
		`max_over_time(rate(a[5m])[1h:1m] @ 1796040000)`:                 {hour, time.Minute, ""},
		`max_over_time(rate(a[5m])[1h:10s])`:                             {7 * 24 * hour, 10 * time.Minute, ""},
		`max_over_time(rate(a[5m])[1h:1s]) `:                             {1000 * 24 * hour, 24 * hour, "more than 110000 times"},
		`max_over_time(rate(a[5m])[1h:1s]) or (count_over_time(a[5m]))`:  {24 * hour, hour, ""},
		`label_replace(max_over_time(a[20000s:1s]), "a", "b", "c", "d")`: {0, 0, "20000 steps"},
	} {
		prepare := func() (promql.Query, error) { return m.InstantQuery(context.Background(), query, end) }
		if test.step > 0 {
			prepare = func() (promql.Query, error) {
				return m.RangeQuery(context.Background(), query, end.Add(-test.span), end, test.step)
			}
		}
		prepared, err := prepare()
		if err == nil {
			prepared.Close()
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", query, err, test.want)
		}
	}
}

// What anybody may ask has a tighter bound on memory than what nasight asks itself.
func TestQueriesFromOutsideHoldFewerSamples(t *testing.T) {
	m := NewMemory(MemoryOptions{Query: QueryOptions{OutsideMaxSamples: 3}})
	end := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	family := &schema.Family{Name: "a", Type: schema.Gauge}
	var samples []schema.Sample
	for i := range 10 {
		samples = append(samples, schema.Sample{Family: family, Time: end.Add(-time.Duration(i) * time.Second), Value: 1})
	}
	if err := m.Append(context.Background(), samples); err != nil {
		t.Fatal(err)
	}
	prepared, err := m.InstantQuery(context.Background(), "count_over_time(a[1m])", end)
	if err != nil {
		t.Fatal(err)
	}
	defer prepared.Close()
	if result := prepared.Exec(context.Background()); result.Err == nil || !strings.Contains(result.Err.Error(), "too many samples") {
		t.Errorf("from outside: %v", result)
	}
	if points, err := m.Instant(context.Background(), "count_over_time(a[1m])", end); err != nil || len(points) != 1 || points[0].Value != 10 {
		t.Errorf("its own: %v, error %v", points, err)
	}
}
