package gcnv

import (
	"time"

	"github.com/nasight/nasight/schema"
)

// apply keeps what a reading found: points that were not known are fresh. It returns how many series belong to
// resources that the inventory does not have; their points are left for another time.
func (s *Source) apply(p *project, r *row, found *answer, span window, complete bool) (unknown int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := p.rows[r.metric]
	for k, points := range found.series {
		_, canonical, known, want := p.resource(r, k.key, p.inv, s.wanted)
		switch {
		case !known:
			unknown++
		case want:
			k.key = canonical
			state.add(k, thinned(points, r.thin()))
		}
	}
	for reason, count := range found.odd {
		state.odd[reason] += count
	}
	found.odd = nil // told once
	if complete {
		state.billed = found.billed
		state.advance(span)
		if state.gap.end.IsZero() {
			s.remember(p, r, span.start)
		} else {
			s.past.Wake()
		}
	}
	p.addUp(r)
	return unknown
}

func (state *rowState) add(k seriesKey, points []point) {
	known := state.series[k]
	if known == nil {
		known = &track{}
		state.series[k] = known
	}
	for _, p := range points {
		if known.insert(p) {
			state.fresh[k] = append(state.fresh[k], p)
		}
	}
}

// advance moves on after a complete reading: points before its window do not come again.
func (state *rowState) advance(span window) {
	state.cursor = span.end
	for _, known := range state.series {
		known.forget(span.start.UnixMilli())
	}
}

// note counts series of resources that the inventory does not have, freshly read as it is.
func (s *Source) note(p *project, r *row, unknown int) {
	if unknown > 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.rows[r.metric].odd[oddUnknown] += unknown
	}
}

// addUp computes the totals that a row's new points allow; the caller holds the lock.
func (p *project) addUp(r *row) {
	switch r.metric {
	case throughputMetric, operationsMetric:
		if r.total != nil {
			p.total(r.total, sumOf(p.rows[r.metric]))
		}
		if latency := p.rows[latencyMetric]; latency != nil && r.metric == operationsMetric {
			p.total(latency.row.total, meanOf(latency, p.rows[operationsMetric]))
		}
	case latencyMetric:
		if operations := p.rows[operationsMetric]; operations != nil {
			p.total(r.total, meanOf(p.rows[r.metric], operations))
		}
	}
}

// total keeps the totals that were not known.
func (p *project) total(family *schema.Family, found map[key][]point) {
	if p.totals[family] == nil {
		p.totals[family] = map[key]*track{}
		p.fresh[family] = map[seriesKey][]point{}
	}
	for k, points := range found {
		known := p.totals[family][k]
		if known == nil {
			known = &track{}
			p.totals[family][k] = known
		}
		for _, total := range points {
			if known.insert(total) && !p.past {
				p.fresh[family][seriesKey{key: k}] = append(p.fresh[family][seriesKey{key: k}], total)
			}
		}
		if len(points) > 0 {
			known.forget(points[0].end - 1)
		}
	}
}

// settled is the moment up to which a type without a point is taken for one that the service does not send: all that
// could come late has come.
func (state *rowState) settled() int64 {
	if state.cursor.IsZero() {
		return 0
	}
	return state.cursor.Add(-2 * schema.GCNVGrain).UnixMilli()
}

// since is how long ago a moment was, in seconds; not less than 0.
func since(now time.Time, end int64) float64 { return max(now.Sub(time.UnixMilli(end)).Seconds(), 0) }
