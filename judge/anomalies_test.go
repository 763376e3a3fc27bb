package judge

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// midday is a Monday's, after two weeks of history.
var midday = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

const fortnight = 14 * 24 * time.Hour

// stretch is a history of volumes, shares and hosts, and a view of them.
type stretch struct {
	t      *testing.T
	kept   *history.Memory
	view   *fleet.Fleet
	pool   *fleet.Pool
	random *rand.Rand
}

func newStretch(t *testing.T) *stretch {
	pool := unknownPool("pool", "manual", "premium")
	return &stretch{
		t: t, kept: history.NewMemory(history.MemoryOptions{}), pool: pool, random: rand.New(rand.NewPCG(1, 1)),
		view: &fleet.Fleet{Pools: []*fleet.Pool{pool}},
	}
}

func (s *stretch) volume(name string) *fleet.Volume { return aVolume(s.pool, name) }

// measure keeps a family's samples of a resource from after a moment to another, with a little noise; NaN is none.
func (s *stretch) measure(family *schema.Family, from, to time.Time, value func(time.Time) float64, labels ...string) {
	s.t.Helper()
	var samples []schema.Sample
	for at := from.Add(family.Grain); !at.After(to); at = at.Add(family.Grain) {
		if v := value(at) * (1 + 0.03*s.random.NormFloat64()); !math.IsNaN(v) {
			samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: v, Time: at})
		}
	}
	if err := s.kept.Append(s.t.Context(), samples); err != nil {
		s.t.Fatal(err)
	}
}

// ones keeps a family's samples that are 1.
func (s *stretch) ones(family *schema.Family, from, to time.Time, every time.Duration, labels ...string) {
	s.t.Helper()
	var samples []schema.Sample
	for at := from; !at.After(to); at = at.Add(every) {
		samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: 1, Time: at})
	}
	if err := s.kept.Append(s.t.Context(), samples); err != nil {
		s.t.Fatal(err)
	}
}

func steadily(value float64) func(time.Time) float64 { return func(time.Time) float64 { return value } }

// since is one value before a moment and another from then on.
func since(moment time.Time, before, after float64) func(time.Time) float64 {
	return func(at time.Time) float64 {
		if at.Before(moment) {
			return before
		}
		return after
	}
}

// busy keeps two weeks of a busy volume up to midday.
func (s *stretch) busy(of *fleet.Volume, latency func(time.Time) float64) {
	s.measure(schema.VolumeMeanLatency, midday.Add(-fortnight), midday, latency, identity(of.Identity)...)
	s.measure(schema.VolumeTotalOperations, midday.Add(-fortnight), midday, steadily(2000), identity(of.Identity)...)
	s.measure(schema.VolumeTotalThroughput, midday.Add(-fortnight), midday, steadily(100*mib), identity(of.Identity)...)
}

var learning = AnomalyTerms{On: true, Series: 100, Bands: 10, Learn: fortnight, Activity: 50}

func (s *stretch) feed(b *Baselines, at time.Time) {
	s.t.Helper()
	if err := b.Feed(s.t.Context(), s.kept, at); err != nil {
		s.t.Fatal(err)
	}
}

// seen are the anomalies of a moment.
func (s *stretch) seen(b *Baselines, at time.Time, findings ...detectors.Finding) []fleet.Anomaly {
	s.t.Helper()
	s.view.At, s.view.Anomalies, s.view.BaselinesAt = at, nil, time.Time{}
	if err := b.Look(s.t.Context(), s.kept, s.view, findings); err != nil {
		s.t.Fatal(err)
	}
	return s.view.Anomalies
}

// TestBaselinesSeeAStep: learnt from the past at once, a step of one volume's latency is one anomaly since it began; the state
// on disk, read again, says the same.
func TestBaselinesSeeAStep(t *testing.T) {
	s, step := newStretch(t), midday.Add(-time.Hour)
	s.busy(s.volume("one"), since(step, 0.002, 0.008))
	s.busy(s.volume("two"), steadily(0.002))
	b := NewBaselines(learning)
	if s.seen(b, midday); !s.view.BaselinesAt.IsZero() {
		t.Error("before the past is learnt the view says that something is known")
	}
	s.feed(b, midday)
	check := func(b *Baselines, at time.Time) {
		t.Helper()
		seen := s.seen(b, at)
		if len(seen) != 1 {
			t.Fatalf("%d anomalies, want one: %+v", len(seen), seen)
		}
		root := seen[0].Root
		if root.Signal.Name != "latency" || root.Place.Volume != "one" || root.Place.Pool != "pool" || !seen[0].Start.Equal(step) || root.Incident.Kind != baseline.Level {
			t.Errorf("%+v, want a level of one's latency since %s", seen[0], step)
		}
		if !root.Incident.Severe || math.Abs(root.Incident.Base-0.002) > 0.0002 {
			t.Errorf("%+v, want four times the usual 2 ms", root.Incident)
		}
	}
	check(b, midday)
	drawn, err := b.Chart(t.Context(), s.kept, s.view.Anomalies[0], midday)
	if err != nil || len(drawn) < 40 {
		t.Fatalf("a chart of %d moments, %v", len(drawn), err)
	}
	for _, one := range drawn {
		if above := one.Value.Above(float64(one.Upper)); one.Value.Known() && above != !one.At.Before(step.Add(seriesGrain)) && !one.At.Equal(step) {
			t.Errorf("at %s the value %v against the band up to %v", one.At, one.Value, one.Upper)
		}
	}
	if s.view.Baselines != 6 {
		t.Errorf("%d series, want three of each volume", s.view.Baselines)
	}
	file := filepath.Join(t.TempDir(), "state")
	if err := b.Save(file); err != nil {
		t.Fatal(err)
	}
	again, err := OpenBaselines(file, learning)
	if err != nil {
		t.Fatal(err)
	}
	if s.seen(again, midday); !s.view.BaselinesAt.IsZero() {
		t.Error("before the gap is read the view says that something is known")
	}
	s.feed(again, midday.Add(5*time.Minute))
	check(again, midday.Add(5*time.Minute))
}

// TestFedGrainByGrain: one look after the other gives what one reading of the whole past gives.
func TestFedGrainByGrain(t *testing.T) {
	s, step := newStretch(t), midday.Add(-2*time.Hour)
	s.busy(s.volume("one"), since(step, 0.002, 0.008))
	once, steps := NewBaselines(learning), NewBaselines(learning)
	s.feed(steps, midday.Add(-12*time.Hour))
	for at := midday.Add(-12 * time.Hour); !at.After(midday); at = at.Add(seriesGrain) {
		s.feed(steps, at.Add(20*time.Second))
	}
	s.feed(once, midday.Add(20*time.Second))
	key := baseline.Key{Signal: "volume/latency", Resource: resourceKey(s.pool.Volumes[0].Identity)}
	a, b := once.set.Series(key), steps.set.Series(key)
	if a.Departure() != b.Departure() || a.Departure().Start != step || a.Last() != b.Last() || b.Dropped() != (baseline.Dropped{}) {
		t.Errorf("at once %+v up to %s, step by step %+v up to %s, dropped %+v", a.Departure(), a.Last(), b.Departure(), b.Last(), b.Dropped())
	}
}

// TestIdleHasNoLatency: neither an idle volume's latency nor what was not measured is a sample.
func TestIdleHasNoLatency(t *testing.T) {
	s := newStretch(t)
	volume := s.volume("idle")
	from := midday.Add(-24 * time.Hour)
	s.measure(schema.VolumeMeanLatency, from, midday, steadily(0.002), identity(volume.Identity)...)
	s.measure(schema.VolumeTotalOperations, from, midday, steadily(3), identity(volume.Identity)...)
	b := NewBaselines(learning)
	s.feed(b, midday)
	if _, series := b.Refused(); series != 1 || b.set.Series(baseline.Key{Signal: "volume/operations", Resource: resourceKey(volume.Identity)}) == nil {
		t.Errorf("%d series, want that of the operations alone", series)
	}
}

// TestZerosOfShares: a minute of which Azure tells nothing is zero where it was read, and missing where it was not.
func TestZerosOfShares(t *testing.T) {
	s := newStretch(t)
	share := fleet.Resource{Cloud: "azure", Service: "azurefiles", Project: "p", Location: "l", Pool: "account", Volume: "share"}
	from, quiet, unread := midday.Add(-8*time.Hour), midday.Add(-4*time.Hour), midday.Add(-2*time.Hour)
	s.measure(schema.ShareOperations, from, quiet, steadily(100), append(identity(share), "Read")...)
	s.ones(schema.CollectorSuccess, from.Add(-time.Hour), unread, time.Minute, "host", azureFilesReads)
	s.ones(schema.ShareInfo, from, midday, time.Hour, append(identity(share), make([]string, len(schema.ShareInfo.Labels)-6)...)...)
	row := &sources(nil, 50, 0)[5]
	if row.signal.ID != "share/operations" {
		t.Fatalf("row %s", row.signal.ID)
	}
	read, err := row.read(t.Context(), s.kept, from, midday.Add(-row.delay).Truncate(seriesGrain))
	if err != nil {
		t.Fatal(err)
	}
	if len(read.lines) != 1 || len(read.lines[0].Times) != int(quiet.Sub(from)/seriesGrain) || !read.listed[resourceKey(share)] {
		t.Fatalf("%d lines, listed %v", len(read.lines), read.listed)
	}
	if read.zeros[quiet.Add(time.Hour).Unix()] != true || read.zeros[unread.Add(time.Hour).Unix()] {
		t.Error("want zeros while it was read and none afterwards")
	}
	signal := row.signal
	series := baseline.NewSeries(&signal)
	read.until = midday
	read.see(&signal)
	read.feed(series, &read.lines[0])
	if !series.Last().Equal(unread) || series.History() != unread.Sub(from) {
		t.Errorf("fed up to %s, %s of it; want all up to %s", series.Last(), series.History(), unread)
	}
}

// TestLateSeries: what an agent sends half an hour late is learnt, though other series are ahead.
func TestLateSeries(t *testing.T) {
	s := newStretch(t)
	begin := midday.Add(-6 * time.Hour)
	late := midday.Add(-20 * time.Minute)
	s.measure(schema.EndpointOperationRTT, begin, midday, steadily(0.001), "here", "192.0.2.10", "nfs")
	s.measure(schema.EndpointOperationRTT, begin, late, steadily(0.001), "late", "192.0.2.10", "nfs")
	b := NewBaselines(learning)
	s.feed(b, midday)
	s.measure(schema.EndpointOperationRTT, late, midday, steadily(0.001), "late", "192.0.2.10", "nfs")
	s.feed(b, midday.Add(5*time.Minute))
	for _, host := range []string{"here", "late"} {
		series := b.set.Series(baseline.Key{Signal: "endpoint/latency", Resource: resourceKey(fleet.Resource{Host: host, Server: "192.0.2.10", Protocol: "nfs"})})
		if got := series.History(); got != midday.Sub(begin) || series.Dropped() != (baseline.Dropped{}) {
			t.Errorf("%s: %s learnt, dropped %+v; want %s", host, got, series.Dropped(), midday.Sub(begin))
		}
	}
}

// TestRatesOfMounts: a grain of which only a part was read has no rate.
func TestRatesOfMounts(t *testing.T) {
	s := newStretch(t)
	begin, gap := midday.Add(-time.Hour), midday.Add(-30*time.Minute)
	labels := []string{"h", "192.0.2.10", "/x", "nfs", "0:1"}
	info := make([]string, len(schema.NFSMountInfo.Labels))
	copy(info, labels)
	var samples []schema.Sample
	for at := begin.Add(15 * time.Second); !at.After(midday); at = at.Add(15 * time.Second) {
		if at.After(gap.Add(time.Minute)) && !at.After(gap.Add(7*time.Minute)) {
			continue
		}
		read := at.Sub(begin).Seconds() * 10 * mib
		for family, value := range map[*schema.Family]float64{schema.NFSReadBytes: read, schema.NFSWriteBytes: 0, schema.NFSMountInfo: 1} {
			named := labels
			if family == schema.NFSMountInfo {
				named = info
			}
			samples = append(samples, schema.Sample{Family: family, Labels: named, Value: value, Time: at})
		}
	}
	if err := s.kept.Append(t.Context(), samples); err != nil {
		t.Fatal(err)
	}
	row := sources(nil, 50, 15*time.Second)[7]
	read, err := row.read(t.Context(), s.kept, begin, midday)
	if err != nil || row.signal.ID != "mount/throughput" || len(read.lines) != 1 {
		t.Fatalf("%s: %d lines, %v", row.signal.ID, len(read.lines), err)
	}
	var at []string
	for i, when := range read.lines[0].Times {
		at = append(at, when.Format("15:04"))
		if value := read.lines[0].Values[i]; math.Abs(value-10*mib) > 0.02*10*mib {
			t.Errorf("%s: %g bytes per second, want %d", when, value, 10*mib)
		}
	}
	if got, want := strings.Join(at, " "), "11:05 11:10 11:15 11:20 11:25 11:30 11:45 11:50 11:55 12:00"; got != want {
		t.Errorf("grains %s, want %s", got, want)
	}
}

// TestSilence: a volume that is usually reported and is not any more is stale, if its service is read; not one that never was
// reported much, and nobody knows while the service is not read.
func TestSilence(t *testing.T) {
	for name, row := range map[string]struct {
		coverage fleet.Value
		read     bool
		want     int
	}{
		"reported": {1, true, 1}, "hardly ever reported": {0.5, true, 0}, "not read": {1, false, 0}, "days not known": {fleet.Unknown, true, 0},
	} {
		s := newStretch(t)
		gone, volume := midday.Add(-2*time.Hour), s.volume("one")
		volume.Days.Coverage = row.coverage
		s.measure(schema.VolumeTotalThroughput, midday.Add(-3*24*time.Hour), gone, steadily(100*mib), identity(volume.Identity)...)
		other := s.volume("two")
		s.measure(schema.VolumeTotalThroughput, midday.Add(-3*24*time.Hour), midday, steadily(100*mib), identity(other.Identity)...)
		if row.read {
			s.ones(schema.CollectorSuccess, midday.Add(-3*time.Hour), midday, 5*time.Minute, "host", "gcnv_performance")
		}
		b := NewBaselines(learning)
		s.feed(b, midday.Add(-time.Hour))
		s.seen(b, midday.Add(-time.Hour)) // which resources are steady comes with a view
		s.feed(b, midday)
		first := NewBaselines(learning) // … which tells at once of what is silent by then
		s.feed(first, midday)
		for _, seen := range [][]fleet.Anomaly{s.seen(b, midday), s.seen(first, midday)} {
			if len(seen) != row.want || row.want == 1 && (seen[0].Root.Incident.Kind != baseline.Stale || seen[0].Root.Place.Volume != "one") {
				t.Errorf("%s: %+v, want %d", name, seen, row.want)
			}
		}
	}
}

// TestNoRoom: the rows of the table come one after the other, and what does not fit is counted.
func TestNoRoom(t *testing.T) {
	s := newStretch(t)
	s.busy(s.volume("one"), steadily(0.002))
	terms := learning
	terms.Series = 2
	b := NewBaselines(terms)
	s.feed(b, midday)
	refused, series := b.Refused()
	if series != 2 || refused == 0 || b.set.Series(baseline.Key{Signal: "volume/latency", Resource: resourceKey(s.pool.Volumes[0].Identity)}) == nil {
		t.Errorf("%d series, %d samples refused; want the two first of the table", series, refused)
	}
}

// TestClockSetBack: samples from before the newest, after the clock was set back, are learnt again after an hour of them.
func TestClockSetBack(t *testing.T) {
	s := newStretch(t)
	volume := s.volume("one")
	s.measure(schema.VolumeTotalThroughput, midday.Add(-24*time.Hour), midday, steadily(100*mib), identity(volume.Identity)...)
	b := NewBaselines(learning)
	s.feed(b, midday)
	key := baseline.Key{Signal: "volume/throughput", Resource: resourceKey(volume.Identity)}
	before := b.set.Series(key).Last()
	for back := midday.Add(-10 * time.Hour); back.Before(midday.Add(-7 * time.Hour)); back = back.Add(seriesGrain) {
		s.feed(b, back)
	}
	if last := b.set.Series(key).Last(); !last.Before(before) {
		t.Errorf("the newest sample is of %s, want one of the new time", last)
	}
}

// TestDamagedState: it is set aside, and everything is learnt from history again.
func TestDamagedState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(file, []byte("nasight baseline\nno"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := OpenBaselines(file, learning)
	if damaged := (*baseline.DamagedError)(nil); !errors.As(err, &damaged) || b == nil {
		t.Fatalf("%v, want a damaged file beside baselines", err)
	}
	s := newStretch(t)
	s.busy(s.volume("one"), since(midday.Add(-time.Hour), 0.002, 0.008))
	s.feed(b, midday)
	if seen := s.seen(b, midday); len(seen) != 1 {
		t.Errorf("%d anomalies, want one", len(seen))
	}
}

// TestRelearn: a past that became known late replaces what was learnt, and a feeding that was under way does not count.
func TestRelearn(t *testing.T) {
	s := newStretch(t)
	volume := s.volume("one")
	s.measure(schema.VolumeTotalThroughput, midday.Add(-time.Hour), midday, steadily(100*mib), identity(volume.Identity)...)
	b := NewBaselines(learning)
	s.feed(b, midday)
	s.measure(schema.VolumeTotalThroughput, midday.Add(-fortnight), midday.Add(-time.Hour), steadily(100*mib), identity(volume.Identity)...)
	b.Relearn()
	if b.Ready() {
		t.Error("ready before the past is read")
	}
	s.feed(b, midday)
	key := baseline.Key{Signal: "volume/throughput", Resource: resourceKey(volume.Identity)}
	if got := b.set.Series(key).History(); got < fortnight-time.Hour {
		t.Errorf("%s are learnt, want two weeks", got)
	}
	relearning := &interrupted{Memory: s.kept, b: b}
	if err := b.Feed(t.Context(), relearning, midday.Add(time.Hour)); !errors.Is(err, errRelearnt) || b.Ready() {
		t.Errorf("a feeding of the old set: %v, ready %v", err, b.Ready())
	}
}

// interrupted lets the baselines begin anew while they are fed.
type interrupted struct {
	*history.Memory
	b *Baselines
}

func (i *interrupted) Range(ctx context.Context, query string, start, end time.Time, step time.Duration) ([]history.Series, error) {
	i.b.Relearn()
	return i.Memory.Range(ctx, query, start, end, step)
}

// TestAbsence: after 35 days a series is a new one, and its resource's first samples open nothing.
func TestAbsence(t *testing.T) {
	s := newStretch(t)
	s.busy(s.volume("one"), steadily(0.002))
	b := NewBaselines(learning)
	s.feed(b, midday)
	back := midday.Add(35 * 24 * time.Hour)
	s.measure(schema.VolumeMeanLatency, back.Add(-2*time.Hour), back, steadily(0.05), identity(s.pool.Volumes[0].Identity)...)
	s.measure(schema.VolumeTotalOperations, back.Add(-2*time.Hour), back, steadily(100), identity(s.pool.Volumes[0].Identity)...)
	s.feed(b, back)
	if seen := s.seen(b, back); len(seen) != 0 {
		t.Errorf("%+v, want nothing of what is learnt anew", seen)
	}
	key := baseline.Key{Signal: "volume/latency", Resource: resourceKey(s.pool.Volumes[0].Identity)}
	if got := b.set.Series(key).State(); got != baseline.Learning {
		t.Errorf("%s, want learning", got)
	}
}
