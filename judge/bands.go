package judge

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// latencies are the signals that tell how long operations take.
const latencies = "/latency"

// Usual tells how long operations usually take at an endpoint, a volume or a share, in seconds: Unknown while it is learnt.
func (b *Baselines) Usual(of fleet.Resource, at time.Time) fleet.Value {
	kind := "volume"
	switch {
	case of.Host != "":
		kind = "endpoint"
	case of.Service == string(fleet.ProviderAzure):
		kind = "share"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	series := b.set.Series(baseline.Key{Signal: kind + latencies, Resource: resourceKey(of)})
	if series == nil {
		return fleet.Unknown
	}
	return fleet.Value(series.Usual(at))
}

// states counts the series by where they stand. Called with the lock held.
func (b *Baselines) states() map[baseline.State]int {
	states := map[baseline.State]int{}
	for _, series := range b.set.Unordered() {
		states[series.State()]++
	}
	return states
}

// States tell how many series stood where when a view's anomalies were looked up, so that both are of one moment.
func States(view *fleet.Fleet, host string) []schema.Sample {
	if view.BaselinesBy == nil {
		return nil
	}
	f := figures{at: view.At}
	for _, state := range []baseline.State{baseline.Learning, baseline.Normal, baseline.Off, baseline.InFlatline, baseline.InStale, baseline.Adopted} {
		f.add(schema.BaselineSeries, fleet.Value(view.BaselinesBy[state]), host, string(state))
	}
	return f.samples
}

// band is the newest sample of a member's series beside what is usual at its time; of one that is silent, what would be now.
func (b *Baselines) band(m baseline.Member, now time.Time) *fleet.Band {
	b.mu.Lock()
	defer b.mu.Unlock()
	series := b.set.Series(m.Key)
	if series == nil {
		return nil
	}
	told := &fleet.Band{At: series.Last(), Signal: m.Signal.Name, Unit: m.Signal.Unit, Value: fleet.Value(series.Newest()), Lower: fleet.Unknown}
	if m.Incident.Kind == baseline.Stale && m.Incident.Open() {
		told.At, told.Value = now, fleet.Unknown
	}
	lower, usual, upper, ok := series.Band(told.At)
	if !ok {
		return nil
	}
	if m.Signal.Drops {
		told.Lower = fleet.Value(lower)
	}
	told.Usual, told.Upper = fleet.Value(usual), fleet.Value(upper)
	return told
}

// Samples tell how the baselines fare, and of as many series of a view as the terms say what is usual, volumes and shares first.
func (b *Baselines) Samples(view *fleet.Fleet, host string, at time.Time) []schema.Sample {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := figures{at: at}
	dropped := baseline.Dropped{}
	for _, series := range b.set.Unordered() {
		d := series.Dropped()
		dropped.NotANumber += d.NotANumber
		dropped.OutOfRange += d.OutOfRange
		dropped.Duplicate += d.Duplicate
		dropped.OutOfStep += d.OutOfStep
	}
	for _, row := range []struct {
		reason string
		count  uint64
	}{
		{"no_room", b.set.Refused()}, {"not_a_number", uint64(dropped.NotANumber)}, {"out_of_range", uint64(dropped.OutOfRange)},
		{"duplicate", uint64(dropped.Duplicate)}, {"out_of_step", uint64(dropped.OutOfStep)},
	} {
		f.add(schema.BaselineRefused, fleet.Value(row.count), host, row.reason)
	}
	if !b.fedAt.IsZero() {
		f.add(schema.BaselineFed, fleet.Value(b.fedAt.Unix()), host)
	}
	if view != nil {
		b.bands(&f, view)
	}
	return f.samples
}

// bands adds what is usual now: of volumes and shares, then of clients, in the order of their names.
func (b *Baselines) bands(f *figures, view *fleet.Fleet) {
	known := places(view)
	keys := make([]string, 0, len(known))
	for key := range known {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(x, y string) int {
		if hosts := strings.Compare(known[x].Host, known[y].Host); hosts != 0 && (known[x].Host == "" || known[y].Host == "") {
			return hosts
		}
		return strings.Compare(x, y)
	})
	left := b.terms.Bands
	for _, key := range keys {
		for i := range b.sources {
			signal := &b.sources[i].signal
			series := b.set.Series(baseline.Key{Signal: signal.ID, Resource: key})
			if series == nil || left == 0 {
				continue
			}
			if lower, usual, upper, ok := series.Band(f.at); ok {
				left--
				labels := append(identity(known[key]), known[key].Host, known[key].Server, known[key].Export, known[key].Protocol, signal.Name)
				if signal.Drops {
					f.add(schema.BaselineLower, fleet.Value(lower), labels...)
				}
				f.add(schema.BaselineUsual, fleet.Value(usual), labels...)
				if !math.IsInf(upper, 1) {
					f.add(schema.BaselineUpper, fleet.Value(upper), labels...)
				}
			}
		}
	}
}
