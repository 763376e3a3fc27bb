package gcp

import (
	"math"
	"slices"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/grpc/codes"

	"github.com/nasight/nasight/simulator/model"
)

// aligner is one row of what may be asked of which series, and what comes out.
type aligner struct {
	kinds    []kind
	booleans bool                    // takes BOOL too
	outKind  kind                    // 0 for the input's
	outValue valueType               // 0 for the input's
	join     func([]float64) float64 // of the points that end in a period, oldest first; nil for rates and deltas
}

// aligners are those that the emulator has. The service has more, for distributions and statistics.
func aligners() map[monitoringpb.Aggregation_Aligner]aligner {
	gauges, changes, both := []kind{gauge}, []kind{delta, cumulative}, []kind{gauge, delta}
	return map[monitoringpb.Aggregation_Aligner]aligner{
		monitoringpb.Aggregation_ALIGN_DELTA:      {kinds: changes, outKind: delta},
		monitoringpb.Aggregation_ALIGN_RATE:       {kinds: changes, outKind: gauge, outValue: double},
		monitoringpb.Aggregation_ALIGN_NEXT_OLDER: {kinds: gauges, booleans: true, outKind: gauge, join: last},
		monitoringpb.Aggregation_ALIGN_MIN:        {kinds: both, outKind: gauge, join: slices.Min[[]float64]},
		monitoringpb.Aggregation_ALIGN_MAX:        {kinds: both, outKind: gauge, join: slices.Max[[]float64]},
		monitoringpb.Aggregation_ALIGN_MEAN:       {kinds: both, outKind: gauge, outValue: double, join: mean},
		monitoringpb.Aggregation_ALIGN_COUNT:      {kinds: both, booleans: true, outKind: gauge, outValue: integer, join: count},
		monitoringpb.Aggregation_ALIGN_SUM:        {kinds: both, join: sum},
		monitoringpb.Aggregation_ALIGN_FRACTION_TRUE: {
			kinds: gauges, booleans: true, outKind: gauge, outValue: double, join: mean,
		},
	}
}

func last(v []float64) float64  { return v[len(v)-1] }
func count(v []float64) float64 { return float64(len(v)) }
func mean(v []float64) float64  { return sum(v) / float64(len(v)) }
func sum(v []float64) float64 {
	var total float64
	for _, x := range v {
		total += x
	}
	return total
}

// alignment is a checked request for aligned series; a zero period is none.
type alignment struct {
	aligner
	name   monitoringpb.Aggregation_Aligner
	period time.Duration
}

// outputs are the kind and value type of aligned series.
func (a alignment) outputs(m *metric) (kind, valueType) {
	k, v := m.kind, m.value
	if a.outKind != 0 {
		k = a.outKind
	}
	if a.outValue != 0 {
		v = a.outValue
	}
	return k, v
}

const (
	minPeriod = time.Minute
	maxPeriod = 2 * 365 * 24 * time.Hour
)

// checkAlignment refuses what the service refuses, in its words where they are known.
func checkAlignment(aggregation *monitoringpb.Aggregation, m *metric) (alignment, *failure) {
	name := aggregation.GetPerSeriesAligner()
	if name == monitoringpb.Aggregation_ALIGN_NONE {
		if aggregation.GetCrossSeriesReducer() != monitoringpb.Aggregation_REDUCE_NONE {
			return alignment{}, failed(codes.InvalidArgument, "Field aggregation.perSeriesAligner must be specified when aggregation.crossSeriesReducer is.")
		}
		return alignment{}, nil
	}
	row, known := aligners()[name]
	if !known {
		return alignment{}, failed(codes.Unimplemented, "aligner %s is not part of the emulator", name)
	}
	boolOnly := name == monitoringpb.Aggregation_ALIGN_FRACTION_TRUE
	if !slices.Contains(row.kinds, m.kind) || (m.value == boolean && !row.booleans) || (m.value != boolean && boolOnly) {
		return alignment{}, failed(codes.InvalidArgument, "Field aggregation.perSeriesAligner had an invalid value of %q: "+
			"The aligner cannot be applied to metrics with kind %s and value type %s.", name, m.kind, m.value)
	}
	period := aggregation.GetAlignmentPeriod()
	if period.CheckValid() != nil || period.AsDuration() < minPeriod || period.AsDuration() > maxPeriod {
		return alignment{}, failed(codes.InvalidArgument, "Field aggregation.alignmentPeriod had an invalid value of %q: "+
			"it must be from 60s to 104 weeks.", period.AsDuration())
	}
	return alignment{row, name, period.AsDuration()}, nil
}

// read is the series' points in (from, to] as the request wants them, oldest first.
func (r *reading) read(s *series) []point {
	c, a := r.cloud, r.alignment
	if a.period == 0 {
		return c.points(s, r.data, r.from, r.to, r.now)
	}
	if a.join != nil {
		return joinPeriods(c.points(s, r.data, r.first(), r.to, r.now), r)
	}
	raw := c.points(s, r.data, r.first().Add(-model.Grain), r.to.Add(model.Grain), r.now)
	if s.metric.kind == cumulative {
		raw = differences(raw)
	}
	return spread(raw, r)
}

// differences turns a total into what it rose by between its points. A total that falls was reset.
func differences(totals []point) []point {
	var out []point
	for i := 1; i < len(totals); i++ {
		rise := totals[i].value - totals[i-1].value
		if rise < 0 {
			rise = totals[i].value
		}
		out = append(out, point{totals[i-1].end, totals[i].end, rise})
	}
	return out
}

// first is the start of the oldest period: periods count back from the end of the interval.
func (r *reading) first() time.Time {
	return r.to.Add(-time.Duration(r.periods()) * r.alignment.period)
}

func (r *reading) periods() int {
	return int((r.to.Sub(r.from) + r.alignment.period - 1) / r.alignment.period)
}

// joinPeriods gives each period that has points one value.
func joinPeriods(raw []point, r *reading) []point {
	var out []point
	outKind, _ := r.alignment.outputs(r.metric)
	at := 0
	for i, end := 0, r.first(); i < r.periods(); i++ {
		start := end
		end = start.Add(r.alignment.period)
		var values []float64
		for ; at < len(raw) && !raw[at].end.After(end); at++ {
			values = append(values, raw[at].value)
		}
		if len(values) == 0 {
			continue
		}
		out = append(out, aligned(outKind, start, end, r.alignment.join(values)))
	}
	return out
}

func aligned(k kind, start, end time.Time, value float64) point {
	if k == gauge {
		start = end
	}
	return point{start, end, value}
}

// spread shares changes out over the periods that they overlap. A period without data between two with data gets what a
// straight line between these gives: a gap looks like data, as the service documents.
func spread(raw []point, r *reading) []point {
	perSecond := make([]float64, r.periods())
	for i := range perSecond {
		perSecond[i] = math.NaN()
	}
	begin, at := r.first(), 0
	for i := range perSecond {
		start := begin.Add(time.Duration(i) * r.alignment.period)
		end := start.Add(r.alignment.period)
		for at < len(raw) && !raw[at].end.After(start) {
			at++
		}
		var amount, seconds float64
		for j := at; j < len(raw) && raw[j].start.Before(end); j++ {
			overlap := earlier(raw[j].end, end).Sub(later(raw[j].start, start)).Seconds()
			amount += raw[j].value * overlap / raw[j].end.Sub(raw[j].start).Seconds()
			seconds += overlap
		}
		if seconds > 0 {
			perSecond[i] = amount / seconds
		}
	}
	interpolate(perSecond)
	var out []point
	outKind, _ := r.alignment.outputs(r.metric)
	for i, rate := range perSecond {
		if math.IsNaN(rate) {
			continue
		}
		if outKind == delta {
			rate *= r.alignment.period.Seconds()
		}
		start := begin.Add(time.Duration(i) * r.alignment.period)
		out = append(out, aligned(outKind, start, start.Add(r.alignment.period), rate))
	}
	return out
}

func interpolate(v []float64) {
	known := -1
	for i := range v {
		if math.IsNaN(v[i]) {
			continue
		}
		for j := known + 1; known >= 0 && j < i; j++ {
			v[j] = v[known] + (v[i]-v[known])*float64(j-known)/float64(i-known)
		}
		known = i
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
