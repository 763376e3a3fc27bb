package gcp

import (
	"math"
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// reader reads the last hour before noon from series that are made up, all delivered long ago.
func reader(t *testing.T, aligner monitoringpb.Aggregation_Aligner, period time.Duration, m *metric) *reading {
	t.Helper()
	fleet := &model.Fleet{Projects: []*model.Project{{ID: "example", Number: 1}}}
	if err := fleet.Complete(); err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return noon.Add(time.Hour) }
	c := New(Options{Model: model.New(fleet, 1, noon), Now: now, Faults: faults.NewSet(now)})
	row, ok := aligners()[aligner]
	if !ok && period > 0 {
		t.Fatalf("no aligner %s", aligner)
	}
	return &reading{cloud: c, metric: m, from: noon.Add(-time.Hour), to: noon, now: now(), alignment: alignment{row, aligner, period}}
}

// made is a series whose window that ends i windows after eleven has the i-th value; NaN is no point.
func made(m *metric, values ...float64) *series {
	return &series{metric: m, project: &model.Project{ID: "example"}, since: noon.Add(-24 * time.Hour), value: func(window time.Time) (float64, bool) {
		i := int(window.Sub(noon.Add(-time.Hour)) / model.Grain)
		if window.Before(noon.Add(-time.Hour)) || i >= len(values) {
			return 0, false
		}
		return values[i], !math.IsNaN(values[i])
	}}
}

func valuesOf(points []point) (values []float64) {
	for _, p := range points {
		values = append(values, math.Round(p.value*1e6)/1e6)
	}
	return values
}

func TestAligners(t *testing.T) {
	none := math.NaN()
	changes, level, total := &metric{kind: delta, value: integer}, &metric{kind: gauge, value: integer}, &metric{kind: cumulative, value: integer}
	for name, row := range map[string]struct {
		aligner monitoringpb.Aggregation_Aligner
		period  time.Duration
		metric  *metric
		values  []float64
		want    []float64
	}{
		"no alignment":               {0, 0, level, []float64{1, none, 3}, []float64{1, 3}},
		"rate":                       {monitoringpb.Aggregation_ALIGN_RATE, 10 * time.Minute, changes, []float64{300, 600, 900, 900}, []float64{1.5, 3}},
		"rate over a gap":            {monitoringpb.Aggregation_ALIGN_RATE, 5 * time.Minute, changes, []float64{300, none, 900}, []float64{1, 2, 3}},
		"rate of a part of a period": {monitoringpb.Aggregation_ALIGN_RATE, 10 * time.Minute, changes, []float64{300, none, 900, 300}, []float64{1, 2}},
		"delta":                      {monitoringpb.Aggregation_ALIGN_DELTA, 15 * time.Minute, changes, []float64{1, 2, 3, 4, 5, 6}, []float64{6, 15}},
		"delta in finer periods":     {monitoringpb.Aggregation_ALIGN_DELTA, time.Minute, changes, []float64{10}, []float64{2, 2, 2, 2, 2}},
		"rate of a total":            {monitoringpb.Aggregation_ALIGN_RATE, 5 * time.Minute, total, []float64{100, 400, 1000}, []float64{1, 2}},
		"rate of a total with reset": {monitoringpb.Aggregation_ALIGN_RATE, 5 * time.Minute, total, []float64{1000, 300}, []float64{1}},
		"mean":                       {monitoringpb.Aggregation_ALIGN_MEAN, 15 * time.Minute, level, []float64{1, 2, 6, none, 4, none}, []float64{3, 4}},
		"largest":                    {monitoringpb.Aggregation_ALIGN_MAX, 30 * time.Minute, level, []float64{1, 9, 6, 1, 4, 2, 3}, []float64{9, 3}},
		"smallest":                   {monitoringpb.Aggregation_ALIGN_MIN, 30 * time.Minute, level, []float64{5, 9, 6, 1, 4, 2, 3}, []float64{1, 3}},
		"sum":                        {monitoringpb.Aggregation_ALIGN_SUM, time.Hour, changes, []float64{1, 2, 3}, []float64{6}},
		"count":                      {monitoringpb.Aggregation_ALIGN_COUNT, time.Hour, level, []float64{7, none, 7}, []float64{2}},
		"newest":                     {monitoringpb.Aggregation_ALIGN_NEXT_OLDER, 15 * time.Minute, level, []float64{1, 2, none}, []float64{2}},
		"no data":                    {monitoringpb.Aggregation_ALIGN_RATE, 5 * time.Minute, changes, nil, nil},
	} {
		r := reader(t, row.aligner, row.period, row.metric)
		if diff := cmp.Diff(row.want, valuesOf(r.read(made(row.metric, row.values...)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Periods count back from the end of the interval, whatever it is; each lies within the interval or touches its start.
func TestPeriodsCountBackFromTheEnd(t *testing.T) {
	m := &metric{kind: delta, value: integer}
	s := made(m, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	rapid.Check(t, func(rt *rapid.T) {
		period := time.Duration(rapid.IntRange(60, 4000).Draw(rt, "period")) * time.Second
		r := reader(t, monitoringpb.Aggregation_ALIGN_DELTA, period, m)
		r.to = noon.Add(-time.Duration(rapid.IntRange(0, 1200).Draw(rt, "end")) * time.Second)
		var sum float64
		for _, p := range r.read(s) {
			if r.to.Sub(p.end)%period != 0 || p.end.Sub(p.start) != period || !p.end.After(r.from) || p.end.After(r.to) {
				rt.Fatalf("period %s to %s in %s to %s", p.start, p.end, r.from, r.to)
			}
			sum += p.value
		}
		if all := 78.0; r.to.Equal(noon) && period > time.Minute && math.Abs(sum-all) > all*period.Seconds()/3600 {
			rt.Fatalf("the periods hold %g of %g", sum, all)
		}
	})
}

func TestReducers(t *testing.T) {
	m := &metric{kind: gauge, value: integer, label: "type"}
	one, two, three := made(m, 1, 2), made(m, 3, math.NaN()), made(m, 10, 20)
	one.labels, two.labels, three.labels = map[string]string{"type": "read"}, map[string]string{"type": "read"}, map[string]string{"type": "write"}
	for reducer, want := range map[monitoringpb.Aggregation_Reducer][][]float64{
		monitoringpb.Aggregation_REDUCE_SUM: {{4, 2}, {10, 20}}, monitoringpb.Aggregation_REDUCE_MEAN: {{2, 2}, {10, 20}},
		monitoringpb.Aggregation_REDUCE_MAX: {{3, 2}, {10, 20}}, monitoringpb.Aggregation_REDUCE_MIN: {{1, 2}, {10, 20}},
		monitoringpb.Aggregation_REDUCE_COUNT: {{2, 1}, {1, 1}},
	} {
		r := reader(t, monitoringpb.Aggregation_ALIGN_MEAN, 5*time.Minute, m)
		r.reduction = reducers()[reducer]
		r.reduction.groupBy = []string{"metric.label.type"}
		var got [][]float64
		for _, g := range r.reduction.groups([]*series{one, two, three}) {
			got = append(got, valuesOf(r.readGroup(g)))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reducer, diff)
		}
	}
}

// No interval makes endless work: what is older than is kept, and what is later than now, is cut off by whole periods.
func TestIntervalIsBounded(t *testing.T) {
	m := &metric{kind: delta, value: integer}
	r := reader(t, monitoringpb.Aggregation_ALIGN_RATE, time.Minute, m)
	failure := r.setInterval(&monitoringpb.TimeInterval{
		StartTime: timestamppb.New(time.Time{}), EndTime: timestamppb.New(noon.AddDate(100, 0, 0).Add(7 * time.Second)),
	})
	if failure != nil || r.periods() > int(retention/time.Minute)+1 || r.to.Second() != 7 || r.to.After(r.now.Add(time.Minute)) {
		t.Errorf("%d periods from %s to %s: %v", r.periods(), r.from, r.to, failure)
	}
}
