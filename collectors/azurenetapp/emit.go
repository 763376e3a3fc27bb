package azurenetapp

import (
	"slices"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// longestKept bounds how long a series without points is remembered.
const longestKept = 7 * 24 * time.Hour

// emission is one putting out of a subscription's tier.
type emission struct {
	sub     *subscription
	sink    collectors.TimedSink
	now     time.Time
	stale   time.Duration       // the age at which the newest point of a series is not shown any more
	ages    map[[2]string]int64 // newest point by location and metric
	volumes map[[3]string]int64 // newest point by location, pool and volume
}

// emit puts a tier of the subscription into the sink: fresh points, the newest point of series without one, and ages.
func (s *Source) emit(sink collectors.TimedSink, sub *subscription, t tier) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	e := &emission{sub: sub, sink: sink, now: s.opts.Clock(), ages: map[[2]string]int64{}, volumes: map[[3]string]int64{}}
	for _, g := range s.groups {
		if g.tier != t {
			continue
		}
		interval := s.cfg.Tiers.Performance
		if t == capacity {
			interval = s.cfg.Tiers.Capacity
		}
		e.stale = missedPeriods*max(interval, g.pace.Grain) + g.pace.Overlap + s.delay(g)
		for _, t := range sub.all() {
			e.target(t, g) // what is of another kind has nothing of the group
		}
	}
	e.age(t)
}

// target puts out one group of a pool or volume. Of one that is gone only what was not put out yet.
func (e *emission) target(t *target, g *group) {
	state := t.groups[g]
	if state == nil {
		return
	}
	labels := e.sub.labels(t)
	for r, known := range state.series {
		if known.Newest.End == 0 || t.gone && len(state.fresh[r]) == 0 {
			continue
		}
		e.series(r, known, state.fresh[r], labels)
		if t.volume != nil {
			place := [3]string{t.pool.location, t.pool.name, t.volume.name}
			e.volumes[place] = max(e.volumes[place], known.Newest.End)
		}
		if e.since(known.Newest.End) > longestKept {
			delete(state.series, r)
		}
	}
	clear(state.fresh)
}

func (e *emission) series(r *row, known *azureapi.Track, fresh []azureapi.Point, labels []string) {
	if r.metric != "" {
		place := [2]string{labels[3], r.metric}
		e.ages[place] = max(e.ages[place], known.Newest.End)
	}
	if len(fresh) == 0 && e.since(known.Newest.End) <= e.stale {
		fresh = []azureapi.Point{known.Newest}
	}
	for _, p := range fresh {
		e.sink.AddAt(r.family, p.Value, time.UnixMilli(p.End), slices.Concat(labels, r.labels)...)
	}
}

func (e *emission) since(end int64) time.Duration { return max(e.now.Sub(time.UnixMilli(end)), 0) }

func (e *emission) age(t tier) {
	for place, end := range e.ages {
		e.sink.Add(schema.CloudSampleAge, e.since(end).Seconds(), Cloud, Service, e.sub.id, place[0], place[1])
	}
	if t != performance {
		return
	}
	for v, end := range e.volumes {
		e.sink.Add(schema.CloudVolumeAge, e.since(end).Seconds(), Cloud, Service, e.sub.id, v[0], v[1], v[2])
	}
}

// emitTrouble shows why something could not be read, one series a reason, and what made no sense since the last time.
func (sub *subscription) emitTrouble(sink collectors.Sink, what string, err error) {
	for reason := range azureapi.ReasonsOf(err) {
		sink.Add(schema.CloudUnreachable, 1, Cloud, Service, sub.id, "", what, reason)
	}
	sub.mu.Lock()
	defer sub.mu.Unlock()
	sub.odd.Tell(sink, what)
}
