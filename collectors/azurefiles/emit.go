package azurefiles

import (
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// emit puts a tier of the subscription into the sink: fresh points, the newest point of series without one, and ages.
func (sub *subscription) emit(sink collectors.TimedSink, t tier, source *Source) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	e := &emission{
		sub: sub, sink: sink, now: source.opts.Clock(), ages: map[[2]string]int64{}, volumes: map[[3]string]int64{},
	}
	for _, a := range sub.sorted() {
		for _, g := range source.groups {
			if state := a.groups[g]; state != nil && g.tier == t {
				e.stale = source.stale(g)
				e.group(a, state)
			}
		}
	}
	e.age(t)
}

// stale is the age at which the newest point of a series is not shown any more.
func (s *Source) stale(g *group) time.Duration {
	interval := s.cfg.Tiers.Performance
	if g.tier == capacity {
		interval = s.cfg.Tiers.Capacity
	}
	return missedPeriods*max(interval, g.grain) + g.overlap() + s.delay(g)
}

// longestKept bounds how long a series without points is remembered.
const longestKept = 7 * 24 * time.Hour

// emission is one putting out of a subscription's tier.
type emission struct {
	sub     *subscription
	sink    collectors.TimedSink
	now     time.Time
	stale   time.Duration
	ages    map[[2]string]int64 // newest point by location and metric
	volumes map[[3]string]int64 // newest point by location, account and share
}

func (e *emission) group(a *account, state *groupState) {
	for k, known := range state.series {
		if known.Newest.End == 0 || !a.has(k.share) && len(state.fresh[k]) == 0 {
			continue
		}
		e.series(a, k, known, state.fresh[k])
	}
	clear(state.fresh)
	for k, known := range state.series {
		if e.since(known.Newest.End) > longestKept {
			delete(state.series, k)
		}
	}
}

// has says whether a share is there, or the account as a whole. One that the metrics name and the inventory has not been
// asked for yet is there as well.
func (a *account) has(share string) bool {
	return share == "" || a.unknown || a.files == nil || a.files.shares[share] != nil
}

// series puts out one series.
func (e *emission) series(a *account, k seriesKey, known *azureapi.Track, fresh []azureapi.Point) {
	d := a.details
	place, volume := [2]string{d.location, k.row.metric}, [3]string{d.location, d.name, k.share}
	e.ages[place] = max(e.ages[place], known.Newest.End)
	e.volumes[volume] = max(e.volumes[volume], known.Newest.End)
	if len(fresh) == 0 && e.since(known.Newest.End) <= e.stale {
		fresh = []azureapi.Point{known.Newest}
	}
	labels := k.labels(e.sub.id, d)
	for _, p := range fresh {
		e.sink.AddAt(k.row.family, p.Value, time.UnixMilli(p.End), labels...)
	}
}

// labels are the values of the labels of a series of an account.
func (k seriesKey) labels(subscription string, d *details) []string {
	labels := []string{Cloud, Service, subscription, d.location, d.name, k.share}
	if k.kind != "" {
		labels = append(labels, k.kind)
	}
	return append(labels, k.row.labels...)
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

// emitFailure shows why something could not be read: one series a reason.
func (sub *subscription) emitFailure(sink collectors.Sink, what string, err error) {
	for reason := range azureapi.ReasonsOf(err) {
		sink.Add(schema.CloudUnreachable, 1, Cloud, Service, sub.id, "", what, reason)
	}
}

// emitOdd tells what made no sense since the last time; the caller holds the lock.
func (sub *subscription) emitOdd(sink collectors.Sink, what string) {
	sub.odd.Tell(sink, what)
}
