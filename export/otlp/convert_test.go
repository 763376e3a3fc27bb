package otlp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/nasight/nasight/export"
	"github.com/nasight/nasight/schema"
)

// step is one look: the value of a counter, and whether the receiver takes the push. A value below zero says that it is not there.
type step struct {
	value float64
	taken bool
}

// told is a point, by minutes after noon.
type told struct {
	Start, Time int
	Value       float64
}

// tell plays steps of a minute each and returns the points, nil where a look has none.
func tell(t *testing.T, temporality metricdata.Temporality, family *schema.Family, steps []step) []*told {
	t.Helper()
	c := newConverter(temporality, noon.Add(-10*time.Minute))
	labels := make([]string, len(family.Labels))
	labels[0] = "client1"
	minutes := func(at time.Time) int { return int(at.Sub(noon) / time.Minute) }
	var all []*told
	for i, s := range steps {
		now := noon.Add(time.Duration(i) * time.Minute)
		store := &export.Store{}
		if s.value >= 0 {
			publish(t, store, sample(family, s.value, labels...))
		}
		var point *told
		c.look(gathered(t, store), now, func(p *piece) bool {
			for _, metric := range p.metrics {
				if sum, ok := metric.Data.(metricdata.Sum[float64]); ok && metric.Name == family.Name {
					d := sum.DataPoints[0]
					point = &told{minutes(d.StartTime), minutes(d.Time), d.Value}
					if !sum.IsMonotonic || sum.Temporality != temporality {
						t.Errorf("sum %+v", sum)
					}
				}
			}
			if s.taken {
				for _, series := range p.sums {
					series.taken(now)
				}
			}
			return true
		})
		all = append(all, point)
	}
	return all
}

func TestCountersOverTime(t *testing.T) {
	kernel, own := schema.NFSReadBytes, schema.CollectorErrors
	for name, test := range map[string]struct {
		temporality metricdata.Temporality
		family      *schema.Family
		steps       []step
		want        []*told
	}{
		"cumulative, beginning not known": {metricdata.CumulativeTemporality, kernel,
			[]step{{100, true}, {130, false}, {150, true}}, []*told{{0, 0, 100}, {0, 1, 130}, {0, 2, 150}}},
		"cumulative, own": {metricdata.CumulativeTemporality, own,
			[]step{{3, true}, {5, true}}, []*told{{-10, 0, 3}, {-10, 1, 5}}},
		"cumulative, reset": {metricdata.CumulativeTemporality, kernel,
			[]step{{100, true}, {7, true}, {9, true}}, []*told{{0, 0, 100}, {1, 1, 7}, {1, 2, 9}}},
		"cumulative, away for a while": {metricdata.CumulativeTemporality, kernel,
			[]step{{100, true}, {-1, true}, {120, true}}, []*told{{0, 0, 100}, nil, {2, 2, 120}}},
		"delta, beginning not known": {metricdata.DeltaTemporality, kernel,
			[]step{{100, true}, {130, true}, {150, true}}, []*told{nil, {0, 1, 30}, {1, 2, 20}}},
		"delta, own": {metricdata.DeltaTemporality, own,
			[]step{{3, true}, {5, true}, {5, true}}, []*told{{-10, 0, 3}, {0, 1, 2}, {1, 2, 0}}},
		"delta, not taken": {metricdata.DeltaTemporality, kernel,
			[]step{{100, true}, {130, false}, {150, true}, {151, true}}, []*told{nil, {0, 1, 30}, {0, 2, 50}, {2, 3, 1}}},
		"delta, reset while nothing is taken": {metricdata.DeltaTemporality, kernel,
			[]step{{100, true}, {130, false}, {7, false}, {9, true}, {10, true}}, []*told{nil, {0, 1, 30}, {0, 2, 37}, {0, 3, 39}, {3, 4, 1}}},
	} {
		if diff := cmp.Diff(test.want, tell(t, test.temporality, test.family, test.steps)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Whoever translates the names for Prometheus, with suffixes for units and types or without, comes to nasight's own.
func TestNamesStayTheSame(t *testing.T) {
	c := newConverter(metricdata.CumulativeTemporality, noon)
	for _, strategy := range []otlptranslator.TranslationStrategyOption{
		otlptranslator.UnderscoreEscapingWithSuffixes, otlptranslator.UnderscoreEscapingWithoutSuffixes,
		otlptranslator.NoUTF8EscapingWithSuffixes, otlptranslator.NoTranslation,
	} {
		namer := otlptranslator.NewMetricNamer("", strategy)
		for _, family := range append(schema.All(), export.BuildInfo) {
			unit := ""
			if row := c.rows[family.Name]; row != nil {
				unit = units[row.Unit]
			}
			kind := otlptranslator.MetricType(otlptranslator.MetricTypeGauge)
			if family.Type == schema.Counter {
				kind = otlptranslator.MetricTypeMonotonicCounter
			}
			got, err := namer.Build(otlptranslator.Metric{Name: family.Name, Unit: unit, Type: kind})
			if err != nil || got != family.Name {
				t.Errorf("%s with unit %q becomes %s by %s, %v", family.Name, unit, got, strategy, err)
			}
		}
	}
	for _, family := range schema.All() {
		if _, known := units[family.Unit]; !known && family.Unit != schema.None {
			t.Errorf("%s: no word for the unit %q", family.Name, family.Unit)
		}
	}
}

// What is stale is not pushed: a value that is missing stays missing.
func TestStaleIsNotPushed(t *testing.T) {
	store := &export.Store{}
	publish(t, store, sample(schema.CollectorDuration, 1, "client1", "nfs"))
	publish(t, store) // the collector was switched off
	c := newConverter(metricdata.CumulativeTemporality, noon)
	c.look(gathered(t, store), noon, func(p *piece) bool {
		for _, metric := range p.metrics {
			if metric.Name != schema.ExpositionDropped.Name {
				t.Errorf("pushed %s", metric.Name)
			}
		}
		return true
	})
}

// A push that ends early has looked at every counter all the same, so that no reset is missed.
func TestCountersAreSeenBehindAFailure(t *testing.T) {
	store := &export.Store{}
	var samples []schema.Sample
	for i := range 2*pointsPerRequest + 10 {
		samples = append(samples, sample(schema.NFSReadBytes, 5, "client1", "192.0.2.1", trimmed(float64(i)), "nfs", "0:1"))
	}
	publish(t, store, samples...)
	c, sent := newConverter(metricdata.CumulativeTemporality, noon), 0
	c.look(gathered(t, prometheus.Gatherers{store}...), noon, func(*piece) bool { sent++; return false })
	if sent != 1 || len(c.counters.series) != 2*pointsPerRequest+10 {
		t.Errorf("%d pieces, %d counters known", sent, len(c.counters.series))
	}
}
