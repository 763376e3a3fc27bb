package otlp

import (
	"math"
	"time"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/nasight/nasight/schema"
)

// pointsPerRequest keeps a request well below the 4 MiB that gRPC servers take by default.
const pointsPerRequest = 1000

// ownSource is the source of the families that this process counts itself, from its start.
const ownSource = "nasight"

// converter makes what the SDK's exporters send of gathered families. It is for one goroutine.
type converter struct {
	temporality metricdata.Temporality
	began       time.Time // since when this process counts
	rows        map[string]*schema.Family
	counters    *counters

	now  time.Time
	sets map[**dto.LabelPair]attribute.Set // of this look, by the first place of the labels: families of one source share them
}

// piece is what goes into one request.
type piece struct {
	metrics []metricdata.Metrics
	points  int
	sums    []*counter // series of the points that are sums
}

func newConverter(temporality metricdata.Temporality, began time.Time) *converter {
	return &converter{temporality: temporality, began: began, rows: families(), counters: newCounters()}
}

// look converts all families as they are at a moment, piece by piece so that a large fleet is never held twice. It ends early
// where send says so. Every point has the time of the look, as a sample that is scraped has that of the scrape: what is read hourly
// would else be too old for its reader most of the time. The age of what a cloud tells is a metric of its own.
func (c *converter) look(all []*dto.MetricFamily, now time.Time, send func(*piece) bool) {
	c.now, c.sets = now, map[**dto.LabelPair]attribute.Set{}
	c.counters.begin()
	next, going := &piece{}, true
	for _, family := range all {
		for metrics := family.GetMetric(); len(metrics) > 0; {
			n := min(len(metrics), pointsPerRequest-next.points)
			c.family(family, metrics[:n], next)
			metrics = metrics[n:]
			if next.points >= pointsPerRequest {
				going = going && send(next) // the counters look at the rest all the same
				next = &piece{}
			}
		}
	}
	if next.points > 0 && going {
		send(next)
	}
	c.counters.end()
	c.sets = nil
}

// family puts metrics of one family into a piece.
func (c *converter) family(family *dto.MetricFamily, metrics []*dto.Metric, into *piece) {
	converted := metricdata.Metrics{Name: family.GetName(), Description: family.GetHelp()}
	if row := c.rows[family.GetName()]; row != nil {
		converted.Unit = units[row.Unit]
	}
	var points int
	switch family.GetType() {
	case dto.MetricType_COUNTER:
		sum := metricdata.Sum[float64]{DataPoints: c.sums(family.GetName(), metrics, into), Temporality: c.temporality, IsMonotonic: true}
		converted.Data, points = sum, len(sum.DataPoints)
	case dto.MetricType_SUMMARY:
		converted.Data, points = metricdata.Summary{DataPoints: c.summaries(metrics)}, len(metrics)
	case dto.MetricType_HISTOGRAM, dto.MetricType_GAUGE_HISTOGRAM:
		histogram := metricdata.Histogram[float64]{DataPoints: c.histograms(metrics), Temporality: metricdata.CumulativeTemporality}
		converted.Data, points = histogram, len(metrics)
	default:
		converted.Data, points = metricdata.Gauge[float64]{DataPoints: c.gauges(metrics)}, len(metrics)
	}
	if points > 0 {
		into.metrics, into.points = append(into.metrics, converted), into.points+points
	}
}

func (c *converter) gauges(metrics []*dto.Metric) []metricdata.DataPoint[float64] {
	points := make([]metricdata.DataPoint[float64], len(metrics))
	for i, metric := range metrics {
		value := metric.GetGauge().GetValue()
		if metric.Untyped != nil {
			value = metric.GetUntyped().GetValue()
		}
		points[i] = metricdata.DataPoint[float64]{Attributes: c.attributes(metric), Time: c.now, Value: value}
	}
	return points
}

// sums are the points of counters. The first look at a series whose beginning is not known gives no delta.
func (c *converter) sums(name string, metrics []*dto.Metric, into *piece) []metricdata.DataPoint[float64] {
	points := make([]metricdata.DataPoint[float64], 0, len(metrics))
	for _, metric := range metrics {
		value := metric.GetCounter().GetValue()
		series := c.counters.look(name, metric.GetLabel(), value, c.now, c.since(name, metric))
		point := metricdata.DataPoint[float64]{Attributes: c.attributes(metric), StartTime: series.start, Time: c.now, Value: value}
		if c.temporality == metricdata.DeltaTemporality {
			if !series.baseAt.Before(c.now) {
				continue
			}
			point.StartTime, point.Value = series.baseAt, series.increase()
		}
		points = append(points, point)
		into.sums = append(into.sums, series)
	}
	return points
}

// since is when a counter began; zero where that is not known, as of what a kernel counts.
func (c *converter) since(name string, metric *dto.Metric) time.Time {
	if created := metric.GetCounter().GetCreatedTimestamp(); created != nil {
		return created.AsTime()
	}
	if row := c.rows[name]; row == nil || row.Source == ownSource {
		return c.began
	}
	return time.Time{}
}

func (c *converter) summaries(metrics []*dto.Metric) []metricdata.SummaryDataPoint {
	points := make([]metricdata.SummaryDataPoint, len(metrics))
	for i, metric := range metrics {
		summary := metric.GetSummary()
		points[i] = metricdata.SummaryDataPoint{
			Attributes: c.attributes(metric), StartTime: c.began, Time: c.now, Count: summary.GetSampleCount(), Sum: summary.GetSampleSum(),
		}
		for _, quantile := range summary.GetQuantile() {
			points[i].QuantileValues = append(points[i].QuantileValues, metricdata.QuantileValue{Quantile: quantile.GetQuantile(), Value: quantile.GetValue()})
		}
	}
	return points
}

func (c *converter) histograms(metrics []*dto.Metric) []metricdata.HistogramDataPoint[float64] {
	points := make([]metricdata.HistogramDataPoint[float64], len(metrics))
	for i, metric := range metrics {
		histogram := metric.GetHistogram()
		points[i] = metricdata.HistogramDataPoint[float64]{
			Attributes: c.attributes(metric), StartTime: c.began, Time: c.now, Count: histogram.GetSampleCount(), Sum: histogram.GetSampleSum(),
		}
		below := uint64(0)
		for _, bucket := range histogram.GetBucket() {
			if !math.IsInf(bucket.GetUpperBound(), 1) {
				points[i].Bounds = append(points[i].Bounds, bucket.GetUpperBound())
				points[i].BucketCounts = append(points[i].BucketCounts, bucket.GetCumulativeCount()-below)
				below = bucket.GetCumulativeCount()
			}
		}
		points[i].BucketCounts = append(points[i].BucketCounts, histogram.GetSampleCount()-below)
	}
	return points
}

// attributes are the labels that have a value.
func (c *converter) attributes(metric *dto.Metric) attribute.Set {
	labels := metric.GetLabel()
	if len(labels) == 0 {
		return attribute.Set{}
	}
	if set, known := c.sets[&labels[0]]; known {
		return set
	}
	pairs := make([]attribute.KeyValue, 0, len(labels))
	for _, label := range labels {
		if label.GetValue() != "" {
			pairs = append(pairs, attribute.String(label.GetName(), label.GetValue()))
		}
	}
	set := attribute.NewSet(pairs...)
	c.sets[&labels[0]] = set
	return set
}
