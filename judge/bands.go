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

// Samples tell how the baselines fare, and of as many series of a view as the terms say what is usual, volumes and shares first.
func (b *Baselines) Samples(view *fleet.Fleet, host string, at time.Time) []schema.Sample {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := figures{at: at}
	states, dropped := map[baseline.State]int{}, baseline.Dropped{}
	for _, series := range b.set.Unordered() {
		states[series.State()]++
		d := series.Dropped()
		dropped.NotANumber += d.NotANumber
		dropped.OutOfRange += d.OutOfRange
		dropped.Duplicate += d.Duplicate
		dropped.OutOfStep += d.OutOfStep
	}
	for _, state := range []baseline.State{baseline.Learning, baseline.Normal, baseline.Off, baseline.InFlatline, baseline.InStale, baseline.Adopted} {
		f.add(schema.BaselineSeries, fleet.Value(states[state]), host, string(state))
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
