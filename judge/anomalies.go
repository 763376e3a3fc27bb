package judge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// AnomalyTerms are what the baselines learn and how much of it there may be.
type AnomalyTerms struct {
	On       bool
	Series   int               // the most that have a baseline
	Bands    int               // of how many of them what is usual is told
	Learn    time.Duration     // how much of the past is read at first
	Zone     *time.Location    // where the days are that the series follow; nil for UTC
	Expected baseline.Calendar // windows that label what begins in them
	Interval time.Duration     // how often hosts are read
	Activity float64           // operations per second below which a latency says nothing
}

const (
	// portion is how much of the past is in memory at a time.
	portion = 6 * time.Hour
	// lateness is how late a series may come as a whole, as from an agent that could not send for a while.
	lateness = 30 * time.Minute
	// current is how old the last feeding may be for incidents to be those of now.
	current = 6 * seriesGrain
	// forgetting is how often the series that are gone for good are dropped.
	forgetting = 24 * time.Hour
)

// Baselines are those of all series of a fleet, fed from history. They are safe for concurrent use: while they read a long
// past, the fleet is judged without them.
type Baselines struct {
	terms   AnomalyTerms
	sources []source

	feeding sync.Mutex // one feeding at a time

	mu         sync.Mutex
	set        *baseline.Set
	generation int          // which set it is
	acquainted []acquainted // with the series of each source
	reached    []time.Time  // up to when each source was read
	fedAt      time.Time    // when all sources were read up to then; zero: not yet
	forgotAt   time.Time
	read       map[string]bool // services that were read without a failure, at fedAt
	steady     map[string]bool // resources that are reported all the time, by their keys
	mounts     map[string]bool // that the last view lists, likewise
	usually    presence
	changes    map[string]noted // of incidents that go on
}

// OpenBaselines continues what Save has kept. A *baseline.DamagedError comes beside baselines that begin anew; of any other
// error there are none.
func OpenBaselines(path string, terms AnomalyTerms) (*Baselines, error) {
	b := newBaselines(terms)
	set, err := baseline.Open(path, b.signals(), terms.Series)
	if set == nil {
		return nil, err
	}
	b.begin(set)
	return b, err
}

// NewBaselines begin without a past.
func NewBaselines(terms AnomalyTerms) *Baselines {
	b := newBaselines(terms)
	b.begin(baseline.NewSet(b.signals(), terms.Series))
	return b
}

func newBaselines(terms AnomalyTerms) *Baselines {
	return &Baselines{terms: terms, sources: sources(terms.Zone, terms.Activity, terms.Interval)}
}

func (b *Baselines) signals() []baseline.Signal {
	signals := make([]baseline.Signal, len(b.sources))
	for i, source := range b.sources {
		signals[i] = source.signal
	}
	return signals
}

// begin takes a set and finds out how far it has come.
func (b *Baselines) begin(set *baseline.Set) {
	b.set, b.reached, b.fedAt, b.changes = set, make([]time.Time, len(b.sources)), time.Time{}, map[string]noted{}
	b.generation++
	b.acquainted = make([]acquainted, len(b.sources))
	at := map[string]int{}
	for i, source := range b.sources {
		at[source.signal.ID] = i
	}
	for key, series := range set.Unordered() {
		if i := at[key.Signal]; series.Last().After(b.reached[i]) {
			b.reached[i] = series.Last()
		}
	}
}

// Relearn forgets everything, so that the next feeding learns from a past that became known late.
func (b *Baselines) Relearn() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begin(baseline.NewSet(b.signals(), b.terms.Series))
}

// Ready tells whether the past is learnt.
func (b *Baselines) Ready() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.fedAt.IsZero()
}

// Refused is the number of samples for whose series there was no room, and how many series there are.
func (b *Baselines) Refused() (samples uint64, series int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.set.Refused(), b.set.Len()
}

// Save keeps the state in a file that replaces the last one as a whole.
func (b *Baselines) Save(path string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.set.Save(path); err != nil {
		return fmt.Errorf("keep the baselines: %w", err)
	}
	return nil
}

// errRelearnt ends a feeding whose set is no longer the one in use.
var errRelearnt = errors.New("the baselines began anew meanwhile")

// Feed reads what history got since the last time, source by source and in portions, and at first the past. What was read
// before an error stays learnt.
func (b *Baselines) Feed(ctx context.Context, reader history.Reader, now time.Time) error {
	b.feeding.Lock()
	defer b.feeding.Unlock()
	b.mu.Lock()
	generation, reached := b.generation, append([]time.Time(nil), b.reached...)
	b.mu.Unlock()
	for i := range b.sources {
		if err := b.feedSource(ctx, reader, i, reached[i], now, generation); err != nil {
			return err
		}
	}
	read, err := reachable(ctx, reader, now)
	if err != nil {
		return err
	}
	silent, err := b.silentMounts(ctx, reader, now)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.generation != generation {
		return errRelearnt
	}
	b.read = read
	b.look(read, now)
	b.lookAtMounts(silent, now)
	if now.Sub(b.forgotAt) >= forgetting {
		b.set.Forget(now)
		b.forgotAt, b.acquainted = now, make([]acquainted, len(b.sources))
	}
	b.fedAt = now
	return nil
}

// feedSource reads one source from where it stands to its watermark: the moment from which on more may still come.
func (b *Baselines) feedSource(ctx context.Context, reader history.Reader, i int, reached, now time.Time, generation int) error {
	source := &b.sources[i]
	until := now.Add(-source.delay).Truncate(seriesGrain)
	from := until.Add(-b.terms.Learn)
	if again := reached.Add(seriesGrain - lateness); again.After(from) {
		from = again.Truncate(seriesGrain)
	}
	if from.After(until) { // the clock was set back: go on with it
		from, reached = until, until.Add(-seriesGrain)
	}
	for ; !from.After(until); from = from.Add(portion) {
		to := from.Add(portion - seriesGrain)
		if to.After(until) {
			to = until
		}
		grains, err := source.read(ctx, reader, from, to)
		if err != nil {
			return err
		}
		grains.reached, grains.until = reached, until
		if err := b.take(i, &grains, generation); err != nil {
			return err
		}
	}
	return nil
}

// take feeds a portion, one series after the other.
func (b *Baselines) take(i int, read *grains, generation int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.generation != generation {
		return errRelearnt
	}
	read.see(&b.sources[i].signal)
	for j := range read.lines {
		if series := b.seriesOf(i, &read.lines[j]); series != nil {
			read.feed(series, &read.lines[j])
		}
	}
	for resource := range read.listed {
		if series := b.set.Series(baseline.Key{Signal: b.sources[i].signal.ID, Resource: resource}); series != nil {
			read.feed(series, &history.Series{})
		}
	}
	b.reached[i] = read.to
	return nil
}

// seriesOf is the baseline of a line of a source's answer, nil where there is no room for it, which the set counts.
func (b *Baselines) seriesOf(i int, line *history.Series) *baseline.Series {
	known := &b.acquainted[i]
	if series := known.recall(line.Identity); series != nil {
		return series
	}
	key := baseline.Key{Signal: b.sources[i].signal.ID, Resource: resourceKey(fleet.ResourceOf(line.Labels))}
	series, err := b.set.Of(key)
	if err != nil {
		return nil
	}
	known.meet(line.Identity, series)
	return series
}

// reachable are the services whose performance was read without a failure for as long as silence takes to show, by name. Of
// another nobody knows whether it is silent.
func reachable(ctx context.Context, reader history.Reader, now time.Time) (map[string]bool, error) {
	query := fmt.Sprintf("min by (%[3]s) (min_over_time(%[1]s{%[3]s=~%[2]q}[40m])) == 1 and on (%[3]s) last_over_time(%[1]s{%[3]s=~%[2]q}[10m] offset 40m)",
		schema.CollectorSuccess.Name, ".+"+performance, schema.Collector)
	points, err := reader.Instant(ctx, query, now)
	if err != nil {
		return nil, fmt.Errorf("ask which services are read: %w", err)
	}
	found := map[string]bool{}
	for _, point := range points {
		name := point.Labels[schema.Collector]
		found[name[:max(0, len(name)-len(performance))]] = true
	}
	return found, nil
}

// look tells the series of services that are read what time it is: those of resources of which there is usually something. Whether
// a service tells of what idles differs, and is not published.
func (b *Baselines) look(read map[string]bool, now time.Time) {
	if len(read) == 0 || len(b.steady) == 0 {
		return
	}
	for key, series := range b.set.Unordered() {
		if read[serviceOf(key.Resource)] && b.steady[key.Resource] {
			series.Look(now)
		}
	}
}

// steadyShare is the share of a week's samples from which on a missing one is news.
const steadyShare = 0.95

func steady(view *fleet.Fleet) map[string]bool {
	found := map[string]bool{}
	for _, pool := range view.Pools {
		for _, volume := range pool.Volumes {
			if volume.Days.Coverage.AtLeast(steadyShare) {
				found[resourceKey(volume.Identity)] = true
			}
		}
	}
	return found
}

// Look puts what goes on in the series of a view into it. Findings tell what else began. Until the baselines have caught up
// with the present, the view says that nobody knows.
func (b *Baselines) Look(ctx context.Context, reader history.Reader, view *fleet.Fleet, findings []detectors.Finding) error {
	if !b.terms.On {
		view.BaselinesAt = view.At
		return nil
	}
	merged := b.incidents(view)
	if view.BaselinesAt.IsZero() {
		return nil
	}
	noted, err := b.explain(ctx, reader, view, merged, findings)
	for _, one := range merged {
		view.Anomalies = append(view.Anomalies, fleet.Anomaly{
			Merged: one, Expected: b.terms.Expected.Expected(one.Root.Place, one.Root.Incident.Start), Changes: noted[incidentKey(one)].words,
			Query: b.query(one.Root.Key), Band: b.band(one.Root, view.At),
		})
	}
	return err
}

// query gives the samples of a series.
func (b *Baselines) query(key baseline.Key) string {
	for i := range b.sources {
		if b.sources[i].signal.ID == key.Signal {
			return b.sources[i].query(key.Resource)
		}
	}
	return ""
}

func (b *Baselines) incidents(view *fleet.Fleet) []baseline.Merged {
	b.mu.Lock()
	defer b.mu.Unlock()
	if age := view.At.Sub(b.fedAt); b.fedAt.IsZero() || age > current || age < -current {
		view.BaselinesBy = b.states()
		return nil
	}
	known := places(view)
	b.mounts = mountsOf(view)
	first := len(b.steady) == 0
	if b.steady = steady(view); first { // what is silent since before the first view is told with it
		b.look(b.read, b.fedAt)
	}
	view.BaselinesBy = b.states()
	view.BaselinesAt, view.Baselines = b.fedAt, b.set.Len()
	return b.set.Incidents(view.At, func(key baseline.Key) (baseline.Place, bool) {
		resource, ok := known[key.Resource]
		return placeIn(resource), ok
	})
}
