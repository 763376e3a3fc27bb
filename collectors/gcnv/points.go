package gcnv

import (
	"math"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	metricpb "google.golang.org/genproto/googleapis/api/metric"
)

// The reasons under which odd input is counted.
const (
	oddValue     = "odd_value"
	oddInterval  = "odd_interval"
	oddLabels    = "odd_labels"
	oddProject   = "foreign_project"
	oddAmbiguous = "ambiguous_project"
	oddUnknown   = "unknown_resource"
)

// point is a value at the end of its interval, in milliseconds since 1970.
type point struct {
	end   int64
	value float64
}

// seriesKey is one series of a metric within a project.
type seriesKey struct {
	key
	kind string // value of the metric's label, or empty
}

// window is the half-open span (start, end] of points that are read.
type window struct{ start, end time.Time }

// conversion turns the points of a time series into values in base units.
type conversion struct {
	row    *row
	meta   *meta
	window window
	odd    map[string]int
}

// points are the good values of a time series within the window, oldest first, each moment once.
func (c *conversion) points(series *monitoringpb.TimeSeries) []point {
	kind := c.meta.kind
	if series.GetMetricKind() == metricpb.MetricDescriptor_GAUGE {
		kind = metricpb.MetricDescriptor_GAUGE // an aligned series is one, whatever the descriptor says
	}
	raw := slices.Clone(series.GetPoints())
	slices.SortStableFunc(raw, func(a, b *monitoringpb.Point) int {
		return a.GetInterval().GetEndTime().AsTime().Compare(b.GetInterval().GetEndTime().AsTime())
	})
	found := make([]point, 0, len(raw))
	var before *monitoringpb.Point
	for _, p := range raw {
		value, ok := c.value(kind, p, before)
		before = p
		end := p.GetInterval().GetEndTime().AsTime()
		if !ok || !end.After(c.window.start) || end.After(c.window.end) {
			continue
		}
		if n := len(found); n > 0 && found[n-1].end == end.UnixMilli() {
			continue
		}
		found = append(found, point{end.UnixMilli(), value})
	}
	return found
}

// value converts one point; ok is false where it has no value that can be told.
func (c *conversion) value(kind metricpb.MetricDescriptor_MetricKind, p, before *monitoringpb.Point) (value float64, ok bool) {
	number, ok := numeric(p.GetValue())
	if !ok || p.GetInterval().GetEndTime() == nil {
		c.odd[oddValue]++
		return 0, false
	}
	if kind == metricpb.MetricDescriptor_CUMULATIVE && before == nil {
		return 0, false // the first one says nothing of a rate
	}
	if c.row.rate && kind != metricpb.MetricDescriptor_GAUGE {
		seconds, moved := c.moved(kind, p, before, number)
		if seconds <= 0 {
			c.odd[oddInterval]++
			return 0, false
		}
		number = moved / seconds
	}
	number *= c.meta.scale
	switch {
	case math.IsNaN(number) || number < 0 || number > largest(c.row.family.Unit):
		c.odd[oddValue]++
		return 0, false
	case number == 0 && c.row.noZero:
		return 0, false
	}
	return number, true
}

// moved is what a point adds and over how many seconds: a DELTA over its own interval, a CUMULATIVE one since the point
// before, or since its start where that is another.
func (c *conversion) moved(kind metricpb.MetricDescriptor_MetricKind, p, before *monitoringpb.Point, number float64) (seconds, moved float64) {
	start, end := p.GetInterval().GetStartTime(), p.GetInterval().GetEndTime().AsTime()
	if start == nil {
		return 0, 0
	}
	if kind != metricpb.MetricDescriptor_CUMULATIVE {
		return end.Sub(start.AsTime()).Seconds(), number
	}
	earlier, ok := numeric(before.GetValue())
	if !ok || !before.GetInterval().GetStartTime().AsTime().Equal(start.AsTime()) {
		return end.Sub(start.AsTime()).Seconds(), number
	}
	return end.Sub(before.GetInterval().GetEndTime().AsTime()).Seconds(), number - earlier
}

func numeric(value *monitoringpb.TypedValue) (float64, bool) {
	switch v := value.GetValue().(type) {
	case *monitoringpb.TypedValue_Int64Value:
		return float64(v.Int64Value), true
	case *monitoringpb.TypedValue_DoubleValue:
		return v.DoubleValue, !math.IsNaN(v.DoubleValue) && !math.IsInf(v.DoubleValue, 0)
	case *monitoringpb.TypedValue_BoolValue:
		if v.BoolValue {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// kindOf is the value of the only metric label. Its key differs from metric to metric (type, method, tier).
func kindOf(labels map[string]string) (string, bool) {
	for _, name := range []string{"type", "method", "tier"} {
		if value, ok := labels[name]; ok {
			return normal(value), true
		}
	}
	if len(labels) != 1 {
		return "", false
	}
	for _, value := range labels {
		return normal(value), true
	}
	return "", false
}

// normal unites the words for one thing: pools call hot what volumes call hot "non-cold".
func normal(kind string) string {
	kind = strings.ToLower(kind)
	if kind == "non-cold" || kind == "non_cold" {
		return "hot"
	}
	return kind
}
