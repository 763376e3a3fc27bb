package gcnv

import (
	"math"
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/google/go-cmp/cmp"
	metricpb "google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/schema"
)

func interval(start, end int) *monitoringpb.TimeInterval {
	return &monitoringpb.TimeInterval{StartTime: timestamppb.New(minute(start)), EndTime: timestamppb.New(minute(end))}
}

func minute(n int) time.Time { return epoch.Add(time.Duration(n) * time.Minute) }

func double(v float64) *monitoringpb.TypedValue {
	return &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_DoubleValue{DoubleValue: v}}
}

func whole(v int64) *monitoringpb.TypedValue {
	return &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_Int64Value{Int64Value: v}}
}

const (
	gauge      = metricpb.MetricDescriptor_GAUGE
	delta      = metricpb.MetricDescriptor_DELTA
	cumulative = metricpb.MetricDescriptor_CUMULATIVE
)

func convert(metric string, kind metricpb.MetricDescriptor_MetricKind, points ...*monitoringpb.Point) ([]point, map[string]int) {
	c := &conversion{
		row: rowOf(metric), meta: &meta{kind: kind, scale: 1}, odd: map[string]int{}, window: window{minute(0), minute(30)},
	}
	return c.points(&monitoringpb.TimeSeries{MetricKind: kind, Points: points}), c.odd
}

func TestPoints(t *testing.T) {
	at := func(n int, value float64) point { return point{minute(n).UnixMilli(), value} }
	for name, test := range map[string]struct {
		metric string
		kind   metricpb.MetricDescriptor_MetricKind
		points []*monitoringpb.Point
		want   []point
		odd    map[string]int
	}{
		"a delta is divided by its own interval": {throughputMetric, delta, []*monitoringpb.Point{
			{Interval: interval(5, 15), Value: whole(600)}, {Interval: interval(0, 5), Value: whole(600)},
		}, []point{at(5, 2), at(15, 1)}, nil},
		"a delta without a length": {throughputMetric, delta, []*monitoringpb.Point{
			{Interval: interval(5, 5), Value: whole(600)}, {Interval: &monitoringpb.TimeInterval{EndTime: timestamppb.New(minute(10))}, Value: whole(1)},
		}, nil, map[string]int{oddInterval: 2}},
		"a cumulative one since the point before, and since its start after a reset": {throughputMetric, cumulative, []*monitoringpb.Point{
			{Interval: interval(-5, 5), Value: whole(1000)}, {Interval: interval(-5, 10), Value: whole(1300)}, {Interval: interval(10, 15), Value: whole(600)},
		}, []point{at(10, 1), at(15, 2)}, nil},
		"half open": {operationsMetric, delta, []*monitoringpb.Point{
			{Interval: interval(-5, 0), Value: whole(300)}, {Interval: interval(25, 30), Value: whole(300)}, {Interval: interval(30, 35), Value: whole(300)},
		}, []point{at(30, 1)}, nil},
		"once": {latencyMetric, gauge, []*monitoringpb.Point{
			{Interval: interval(5, 5), Value: double(2)}, {Interval: interval(5, 5), Value: double(3)},
		}, []point{at(5, 2)}, nil},
		"negative, NaN, infinite and huge": {latencyMetric, gauge, []*monitoringpb.Point{
			{Interval: interval(1, 1), Value: double(-1)}, {Interval: interval(2, 2), Value: double(math.NaN())},
			{Interval: interval(3, 3), Value: double(math.Inf(1))}, {Interval: interval(4, 4), Value: double(1e300)},
			{Interval: interval(5, 5), Value: double(0.5)},
		}, []point{at(5, 0.5)}, map[string]int{oddValue: 4}},
		"no value, and no number": {latencyMetric, gauge, []*monitoringpb.Point{
			{Interval: interval(1, 1)}, {Value: double(1)}, {},
			{Interval: interval(2, 2), Value: &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_StringValue{StringValue: "1"}}},
		}, nil, map[string]int{oddValue: 4}},
		"zeros that are a mistake": {"volume/inode_used", gauge, []*monitoringpb.Point{
			{Interval: interval(1, 1), Value: whole(0)}, {Interval: interval(2, 2), Value: whole(7)},
		}, []point{at(2, 7)}, nil},
		"a flag": {"volume/backup_healthy", gauge, []*monitoringpb.Point{
			{Interval: interval(1, 1), Value: &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_BoolValue{BoolValue: true}}},
		}, []point{at(1, 1)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, odd := convert(test.metric, test.kind, test.points...)
			if len(got)+len(test.want) > 0 && !cmp.Equal(test.want, got, cmp.AllowUnexported(point{})) {
				t.Errorf("points %v, want %v", got, test.want)
			}
			if len(odd)+len(test.odd) > 0 && !cmp.Equal(test.odd, odd) {
				t.Errorf("odd %v, want %v", odd, test.odd)
			}
		})
	}
}

// A kind or a unit that does not fit makes the metric unreadable, rather than wrong by a factor.
func TestDescriptors(t *testing.T) {
	for _, test := range []struct {
		metric, unit string
		kind         metricpb.MetricDescriptor_MetricKind
		scale        float64 // 0 for unreadable
	}{
		{throughputMetric, "By", delta, 1},
		{throughputMetric, "KiBy", cumulative, 1024},
		{throughputMetric, "", delta, 1},
		{throughputMetric, "By/s", gauge, 1},
		{throughputMetric, "By", gauge, 0},
		{throughputMetric, "By/s", delta, 0},
		{throughputMetric, "parsec", delta, 0},
		{operationsMetric, "{operation}", delta, 1},
		{latencyMetric, "ms", gauge, 1e-3},
		{latencyMetric, "us", gauge, 1e-6},
		{latencyMetric, "ms", delta, 0},
		{"volume/throughput_limit", "KiBy/s", gauge, 1024},
		{"volume/throughput_limit", "MiBy/s", gauge, 1 << 20},
		{"volume/throughput_limit", "", gauge, 1024},
		{"volume/throughput_limit", "KiBy", gauge, 0},
		{"volume/bytes_used", "By", gauge, 1},
		{"volume/bytes_used", "By", metricpb.MetricDescriptor_METRIC_KIND_UNSPECIFIED, 0},
		{"volume/bytes_used", "By{", gauge, 0},
	} {
		m := describe(rowOf(test.metric), &metricpb.MetricDescriptor{MetricKind: test.kind, Unit: test.unit}, 0)
		if readable := m.odd == nil; readable != (test.scale > 0) || readable && m.scale != test.scale {
			t.Errorf("%s, a %s in %q: scale %g, %v; want %g", test.metric, test.kind, test.unit, m.scale, m.odd, test.scale)
		}
	}
}

func TestKindOf(t *testing.T) {
	for want, labels := range map[string]map[string]string{
		"read": {"type": "read"}, "write": {"method": "WRITE"}, "hot": {"tier": "non-cold"}, "cold": {"storage_class": "cold"},
	} {
		if got, ok := kindOf(labels); !ok || got != want {
			t.Errorf("%v is %q", labels, got)
		}
	}
	for _, labels := range []map[string]string{nil, {"a": "read", "b": "write"}} {
		if got, ok := kindOf(labels); ok {
			t.Errorf("%v is %q, want nothing", labels, got)
		}
	}
}

// Every row fills a family whose labels it has, and is there once.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows() {
		want := 6
		if r.resource == poolResource {
			want = 5
		}
		if r.typed {
			want++
		}
		if len(r.family.Labels) != want {
			t.Errorf("%s: %d labels, want %d", r.metric, len(r.family.Labels), want)
		}
		if _, _, ok := unitScale(r.unit); !ok {
			t.Errorf("%s: unit %q is not known", r.metric, r.unit)
		}
		if seen[r.metric] || seen[r.family.Name] {
			t.Errorf("%s is there twice", r.metric)
		}
		seen[r.metric], seen[r.family.Name] = true, true
	}
}

// Whatever order points come in, a track knows each moment once, sorted.
func TestTracksAreSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var known track
		fresh := 0
		ends := rapid.SliceOf(rapid.Int64Range(0, 50)).Draw(t, "ends")
		distinct := map[int64]bool{}
		for _, end := range ends {
			distinct[end] = true
			if known.insert(point{end: end, value: float64(end)}) {
				fresh++
			}
		}
		if fresh != len(distinct) || len(known.points) != len(distinct) {
			t.Fatalf("%d fresh, %d kept of %d moments", fresh, len(known.points), len(distinct))
		}
		until := rapid.Int64Range(0, 50).Draw(t, "until")
		known.forget(until)
		for i, p := range known.points {
			if p.end <= until || i > 0 && p.end <= known.points[i-1].end {
				t.Fatalf("points are %v after forgetting up to %d", known.points, until)
			}
		}
	})
}

// The mean is weighted: it lies between the smallest and the largest, and is what the operations say.
func TestMeanIsWeighted(t *testing.T) {
	one := func(value float64) *track { return &track{points: []point{{end: 1, value: value}}} }
	latency := kinds{"read": one(1), "write": one(3)}
	for _, test := range []struct {
		weights kinds
		want    float64 // 0 for none
	}{
		{kinds{"read": one(3), "write": one(1)}, 1.5},
		{kinds{"read": one(0), "write": one(9)}, 3},
		{kinds{"read": one(0), "write": one(0)}, 0},
		{kinds{"read": one(1)}, 0},
		{kinds{"read": one(1), "write": one(1), "metadata": one(5)}, 0},
		{nil, 0},
	} {
		got, ok := latency.mean(test.weights, test.weights.names(), 1)
		if ok != (test.want > 0) || ok && got != test.want {
			t.Errorf("mean is %g, %t; want %g", got, ok, test.want)
		}
	}
}

// A type that is not told is waited for, and left out once nothing can come late.
func TestSumsWaitForTheirTypes(t *testing.T) {
	types := kinds{
		"read":  &track{points: []point{{1, 10}, {2, 10}, {3, 10}}},
		"write": &track{points: []point{{1, 5}, {3, 5}}},
	}
	if diff := cmp.Diff([]point{{1, 15}, {3, 15}}, types.sums(0), cmp.AllowUnexported(point{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]point{{1, 15}, {2, 10}, {3, 15}}, types.sums(2), cmp.AllowUnexported(point{})); diff != "" {
		t.Error(diff)
	}
}

func TestThinned(t *testing.T) {
	var points []point
	for m := 5; m <= 180; m += 5 {
		points = append(points, point{end: time.Duration(m * int(time.Minute)).Milliseconds()})
	}
	if got := thinned(points, time.Hour); len(got) != 3 || got[0].end != time.Hour.Milliseconds() {
		t.Errorf("kept %v", got)
	}
	if got := thinned(points, 0); len(got) != len(points) {
		t.Errorf("kept %d of %d", len(got), len(points))
	}
}

func TestLargestKnowsTheUnits(t *testing.T) {
	for _, r := range rows() {
		if r.family.Unit != schema.None && largest(r.family.Unit) == largest(schema.None) {
			t.Errorf("%s: no bound of its own", r.family.Unit)
		}
	}
}
