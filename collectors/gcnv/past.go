package gcnv

import (
	"cmp"
	"slices"
	"time"

	"github.com/nasight/nasight/schema"
)

// pastSeries is one series of the past with its labels, and how much of it is not stored yet.
type pastSeries struct {
	family *schema.Family
	labels []string
	points []point // oldest first
}

// collect lists the series of a project that was filled with the past, totals included.
func (p *project) collect(s *Source) []*pastSeries {
	var all []*pastSeries
	add := func(r *row, family *schema.Family, k seriesKey, points []point) {
		labels, _, known, want := p.resource(r, k.key, p.inv, s.wanted)
		if !known || !want {
			return
		}
		if k.kind != "" {
			labels = append(labels, k.kind)
		}
		all = append(all, &pastSeries{family, labels, points})
	}
	for _, state := range p.rows {
		for k, known := range state.series {
			add(state.row, state.row.family, k, known.points)
		}
		if state.row.total != nil {
			for k, known := range p.totals[state.row.total] {
				add(state.row, state.row.total, seriesKey{key: k}, known.points)
			}
		}
	}
	return all
}

// chunkEnd is where a chunk that begins at the window's start ends, so that it has not too many samples.
func chunkEnd(series []*pastSeries, span window) time.Time {
	steps := max(mostSamples/max(len(series), 1), 12)
	end := span.start.Add(time.Duration(steps) * schema.GCNVGrain)
	if end.After(span.end) {
		return span.end
	}
	return end
}

// samples takes the points up to a moment off the series.
func samples(series []*pastSeries, to time.Time) []schema.Sample {
	until, total := to.UnixMilli(), 0
	due := make([]int, len(series))
	for i, one := range series {
		due[i], _ = slices.BinarySearchFunc(one.points, until+1, func(p point, end int64) int { return cmp.Compare(p.end, end) })
		total += due[i]
	}
	all := make([]schema.Sample, 0, total)
	for i, one := range series {
		for _, p := range one.points[:due[i]] {
			all = append(all, schema.Sample{Family: one.family, Labels: one.labels, Value: p.value, Time: time.UnixMilli(p.end)})
		}
		one.points = one.points[due[i]:]
	}
	return all
}

// progress is the share of the project's past that is stored; ok is false while nothing is known of it.
func (p *project) progress() (share float64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	whole, left := 0.0, 0.0
	for _, state := range p.rows {
		if state.cursor.IsZero() {
			continue
		}
		ok = true
		missing := state.gap.end.Sub(state.gap.start).Seconds()
		left += missing
		whole += max(state.asked, missing)
	}
	if whole == 0 {
		return 1, ok
	}
	return 1 - left/whole, ok
}
