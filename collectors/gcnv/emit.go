package gcnv

import (
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// emit puts a tier of the project into the sink: fresh points, the newest point of series without one, ages, and why
// something could not be read.
func (p *project) emit(sink collectors.TimedSink, t tier, s *Source, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := s.opts.Clock()
	out := &emission{p: p, s: s, sink: sink, now: now, stale: s.stale(t), ages: map[[2]string]int64{}, volumes: map[key]int64{}}
	for _, r := range s.rows {
		if r.tier == t {
			out.row(p.rows[r.metric])
		}
	}
	if t == performance {
		out.totals()
	}
	out.age(t)
	p.emitFailure(sink, string(t), err)
}

// stale is the age at which the newest point of a series is not shown any more.
func (s *Source) stale(t tier) time.Duration {
	interval := time.Duration(float64(s.interval(t)) * s.budget.Stretch())
	return missedPeriods*max(interval, schema.GCNVGrain) + overlap*schema.GCNVGrain
}

// emission is one putting out of a project's tier.
type emission struct {
	p       *project
	s       *Source
	sink    collectors.TimedSink
	now     time.Time
	stale   time.Duration
	ages    map[[2]string]int64 // newest point by location and metric
	volumes map[key]int64       // newest point by volume
}

func (e *emission) row(state *rowState) {
	r := state.row
	for k, known := range state.series {
		e.series(r, r.family, k, known, state.fresh[k])
		if e.gone(r, k.key, known) {
			delete(state.series, k)
		}
	}
	clear(state.fresh)
	for reason, count := range state.odd {
		e.sink.Skip(reason, count)
	}
	clear(state.odd)
}

func (e *emission) totals() {
	for _, r := range e.s.rows {
		if r.total == nil {
			continue
		}
		for k, known := range e.p.totals[r.total] {
			e.series(r, r.total, seriesKey{key: k}, known, e.p.fresh[r.total][seriesKey{key: k}])
			if e.gone(r, k, known) {
				delete(e.p.totals[r.total], k)
			}
		}
		clear(e.p.fresh[r.total])
	}
}

// series puts out one series. What discovery says is gone is not shown any more, beside its last points.
func (e *emission) series(r *row, family *schema.Family, k seriesKey, known *track, fresh []point) {
	labels, _, exists, want := e.p.resource(r, k.key, e.p.inv, e.s.wanted)
	if !exists || !want {
		return
	}
	if k.kind != "" {
		labels = append(labels, k.kind)
	}
	e.remember(r, k.key, known.newest.end)
	if len(fresh) == 0 && since(e.now, known.newest.end) <= e.stale.Seconds() {
		fresh = []point{known.newest}
	}
	for _, p := range fresh {
		e.sink.AddAt(family, p.value, time.UnixMilli(p.end), labels...)
	}
}

// gone says whether a series is to be forgotten. One whose resource exists is kept: its age goes on growing.
func (e *emission) gone(r *row, k key, known *track) bool {
	_, _, exists, _ := e.p.resource(r, k, e.p.inv, e.s.wanted)
	return !exists && since(e.now, known.newest.end) > e.stale.Seconds() || since(e.now, known.newest.end) > longestKept.Seconds()
}

// longestKept bounds how long a series without points is remembered.
const longestKept = 7 * 24 * time.Hour

func (e *emission) remember(r *row, k key, end int64) {
	place := [2]string{k.location, r.metric}
	e.ages[place] = max(e.ages[place], end)
	if r.resource == volumeResource {
		e.volumes[k] = max(e.volumes[k], end)
	}
}

func (e *emission) age(t tier) {
	for place, end := range e.ages {
		e.sink.Add(schema.CloudSampleAge, since(e.now, end), Cloud, Service, e.p.id, place[0], place[1])
	}
	if t != performance {
		return
	}
	for k, end := range e.volumes {
		labels, _, _, _ := e.p.resource(&row{resource: volumeResource}, k, e.p.inv, e.s.wanted)
		e.sink.Add(schema.CloudVolumeAge, since(e.now, end), labels...)
	}
}

// emitFailure shows why something could not be read: one series a reason.
func (p *project) emitFailure(sink collectors.Sink, what string, err error) {
	for reason := range reasonsOf(err) {
		sink.Add(schema.CloudUnreachable, 1, Cloud, Service, p.id, "", what, reason)
	}
}
