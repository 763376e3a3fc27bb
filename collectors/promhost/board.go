package promhost

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// board adds the series of exporters up to those of our families, moment by moment: all that one scrape brought has one
// time.
type board struct {
	lines map[string]*line
}

// line is one series of ours.
type line struct {
	family *schema.Family
	labels []string
	points map[int64]float64 // by milliseconds since 1970
	parts  int               // series that are summed
	summed map[int64]int     // of these at each moment
}

func newBoard() *board { return &board{lines: map[string]*line{}} }

func (b *board) line(family *schema.Family, labels []string) (string, *line) {
	key := family.Name + "\xff" + strings.Join(labels, "\xff")
	if b.lines[key] == nil {
		b.lines[key] = &line{family: family, labels: labels, points: map[int64]float64{}, summed: map[int64]int{}}
	}
	return key, b.lines[key]
}

// add sums a series into one of ours. A moment at which it has no value has no sum: without a part the sum would fall, and
// the part would count as an increase when it is there again.
func (b *board) add(family *schema.Family, one found, labels ...string) {
	_, l := b.line(family, labels)
	l.parts++
	for i, at := range one.times {
		l.points[at.UnixMilli()] += one.values[i]
		l.summed[at.UnixMilli()]++
	}
}

// whole are the points that lack no part.
func (l *line) whole() map[int64]float64 {
	points := maps.Clone(l.points)
	maps.DeleteFunc(points, func(at int64, _ float64) bool { return l.summed[at] < l.parts })
	return points
}

// largest keeps the larger of two values of one moment.
func (b *board) largest(family *schema.Family, one found, labels ...string) {
	_, l := b.line(family, labels)
	for i, at := range one.times {
		l.points[at.UnixMilli()] = max(l.points[at.UnixMilli()], one.values[i])
	}
}

// is says at every moment of a series that something is there.
func (b *board) is(family *schema.Family, one found, labels ...string) {
	_, l := b.line(family, labels)
	for _, at := range one.times {
		l.points[at.UnixMilli()] = 1
	}
}

// track remembers up to which moment each series of ours was told.
type track map[string]int64

// emit tells the samples that were not told before, each at its own time. Where there is none the newest is told again, at
// the same time: it is the same sample, and the state of a series that Prometheus still has.
func (b *board) emit(sink collectors.TimedSink, told *track, now time.Time) {
	if *told == nil {
		*told = track{}
	}
	for _, key := range slices.Sorted(maps.Keys(b.lines)) {
		l := b.lines[key]
		points := l.whole()
		if len(points) == 0 {
			continue
		}
		newest := slices.Max(slices.Collect(maps.Keys(points)))
		for at, value := range points {
			if before, known := (*told)[key]; !known || at > before || at == newest {
				sink.AddAt(l.family, value, time.UnixMilli(at), l.labels...)
			}
		}
		(*told)[key] = max(newest, (*told)[key])
	}
	forgotten := now.Add(-2 * longestWindow).UnixMilli()
	maps.DeleteFunc(*told, func(_ string, at int64) bool { return at < forgotten })
}

// ages are the newest samples of each host.
type ages map[string]time.Time

// maxAge is how long a host is remembered that no sample comes of any more.
const maxAge = time.Hour

func (a *ages) note(found []found) {
	if *a == nil {
		*a = ages{}
	}
	for _, one := range found {
		if last := one.last(); last.After((*a)[one.host]) { // zero for one whose samples were all odd
			(*a)[one.host] = last
		}
	}
}

// emit tells how old the newest sample of each host is, whether or not Prometheus answered.
func (a *ages) emit(sink collectors.Sink, now time.Time) {
	for host, last := range *a {
		age := now.Sub(last)
		if age > maxAge {
			delete(*a, host)
			continue
		}
		sink.Add(schema.PromhostSampleAge, max(age, 0).Seconds(), host)
	}
}
