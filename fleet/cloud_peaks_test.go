package fleet_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// filled is a history in which a volume moves 10 in a sample of every hour of so many days, and in some samples, told by how
// long ago they were, something else. The newest sample has just settled.
func filled(t *testing.T, days int, peaks map[time.Duration]float64) *recorder {
	r := newRecorder(t)
	r.at(0)
	r.pool(home(), "premium", "manual")
	r.volume(home())
	now := r.now
	samples := maps.Clone(peaks)
	for i := range days * 24 {
		if back := time.Duration(i) * time.Hour; samples[back] == 0 {
			samples[back] = 10
		}
	}
	for _, back := range slices.Backward(slices.Sorted(maps.Keys(samples))) {
		r.now = now.Add(-schema.GCNVDelay - back)
		r.add(schema.VolumeTotalThroughput, samples[back], home().labels()...)
	}
	r.now = now
	return r
}

// A month-end peak is found as far back as 35 days, and the engine says the same of the feature. What the week says stays.
func TestPeaks(t *testing.T) {
	const day = 24 * time.Hour
	for name, row := range map[string]struct {
		days  int
		peaks map[time.Duration]float64
		want  float64
		reach float64
	}{
		"none":                        {36, map[time.Duration]float64{}, 10, 35},
		"today":                       {36, map[time.Duration]float64{0: 70}, 70, 35},
		"at the end of the week":      {36, map[time.Duration]float64{7*day - schema.GCNVGrain: 70}, 70, 35},
		"just before the week":        {36, map[time.Duration]float64{7 * day: 70}, 70, 35},
		"a month ago":                 {36, map[time.Duration]float64{30 * day: 70, 20 * day: 60}, 70, 35},
		"in the last sample":          {36, map[time.Duration]float64{35*day - schema.GCNVGrain: 70}, 70, 35},
		"older":                       {36, map[time.Duration]float64{35 * day: 70}, 10, 35},
		"lower than the week's":       {36, map[time.Duration]float64{day: 70, 20 * day: 60}, 70, 35},
		"as far as history reaches":   {15, map[time.Duration]float64{14 * day: 70}, 70, 15},
		"a history of a week":         {7, map[time.Duration]float64{day: 70}, 70, 7},
		"a history of less":           {3, map[time.Duration]float64{day: 70}, 70, 7 * 72.0 / 2016},
		"a history of seven and some": {10, map[time.Duration]float64{day: 10}, 10, 10},
	} {
		r := filled(t, row.days, row.peaks)
		view := r.withDays()
		volume := view.Pools[0].Volumes[0]
		within(t, name, volume.Days.Peak, row.want)
		within(t, name+": days", volume.Days.PeakDays, row.reach)
		points, err := r.memory.Instant(context.Background(), view.Query(fleet.FeatureVolumePeak, volume.Identity), view.At)
		if err != nil || len(points) != 1 {
			t.Fatalf("%s: %d points, %v", name, len(points), err)
		}
		within(t, name+": by hand", fleet.Value(points[0].Value), row.want)
	}
}

// Nothing in the last week is no peak either: not known is not quiet. And what has gone quiet keeps its peak.
func TestPeaksOfGaps(t *testing.T) {
	const day = 24 * time.Hour
	r := newRecorder(t)
	r.at(0)
	r.pool(home(), "premium", "manual")
	r.volume(home())
	now := r.now
	r.now = now.Add(-20 * day)
	r.add(schema.VolumeTotalThroughput, 70, home().labels()...)
	r.now = now
	unknown(t, "a volume without samples in the week", r.withDays().Pools[0].Volumes[0].Days.Peak)
	r.now = now.Add(-schema.GCNVDelay)
	r.add(schema.VolumeTotalThroughput, 1, home().labels()...)
	r.now = now
	days := r.withDays().Pools[0].Volumes[0].Days
	within(t, "a volume with a gap", days.Peak, 70)
	within(t, "its days", days.PeakDays, 20)
}

// counting counts the days that are asked for peaks.
type counting struct {
	history.Reader
	days int
}

func (c *counting) Range(ctx context.Context, query string, start, end time.Time, step time.Duration) ([]history.Series, error) {
	if step == 24*time.Hour {
		c.days += int(end.Sub(start)/step) + 1
	}
	return c.Reader.Range(ctx, query, start, end, step)
}

// Looks that share their peaks find what looks on their own find, in whatever order they are taken.
func TestPeaksAreSharedByLooks(t *testing.T) {
	const day = 24 * time.Hour
	r := filled(t, 43, map[time.Duration]float64{8 * day: 70, 30 * day: 60, 36 * day: 90, 41 * day: 80})
	now := r.now
	peak := func(reader history.Reader, at time.Time, peaks *fleet.Peaks) [2]fleet.Value {
		profile := fleet.Profile{Window: time.Minute, Inventory: now, Peaks: peaks}
		days, err := fleet.LearnDays(context.Background(), reader, at, profile)
		if err != nil {
			t.Fatal(err)
		}
		profile.Days = days
		view, err := fleet.Build(context.Background(), r.memory, at, profile)
		if err != nil {
			t.Fatal(err)
		}
		found := view.Pools[0].Volumes[0].Days
		return [2]fleet.Value{found.Peak, found.PeakDays}
	}
	alone := map[int][2]fleet.Value{}
	for back := range 9 {
		alone[back] = peak(r.memory, now.Add(-time.Duration(back)*day), nil)
	}
	rapid.Check(t, func(rt *rapid.T) {
		reader, shared := &counting{Reader: r.memory}, &fleet.Peaks{}
		for _, back := range rapid.SliceOfN(rapid.IntRange(0, 8), 1, 4).Draw(rt, "days back") {
			if got := peak(reader, now.Add(-time.Duration(back)*day), shared); got != alone[back] {
				rt.Fatalf("%d days ago: %v, a look on its own finds %v", back, got, alone[back])
			}
		}
	})
	reader, shared := &counting{Reader: r.memory}, &fleet.Peaks{}
	for back := 7; back >= 0; back-- {
		peak(reader, now.Add(-time.Duration(back)*day), shared)
	}
	if reader.days != 28+7 {
		t.Errorf("eight looks asked for %d days, want the first for 28 and each further one for one", reader.days)
	}
}

// BenchmarkPeaks is what looking back over 35 days adds to the look over a week: once, and for a look a day later.
func BenchmarkPeaks(b *testing.B) {
	const volumes = 200
	memory := history.NewMemory(history.MemoryOptions{MaxSamples: 100_000_000})
	defer memory.Close()
	for i := range volumes {
		p := place{"files-example", "europe-west3", fmt.Sprintf("pool-%d", i/10), fmt.Sprintf("volume-%d", i)}
		batch := []schema.Sample{
			{Family: schema.PoolInfo, Labels: p.poolLabels("premium", "auto", "file", "default", "default", "false", "false", "ready", ""), Value: 1, Time: start},
			{Family: schema.VolumeInfo, Labels: p.labels("premium", "auto", "nfsv3", "ready", "false", "false", "", "volume"), Value: 1, Time: start},
		}
		for j := range 36 * 288 {
			at := start.Add(-schema.GCNVDelay - time.Duration(j)*schema.GCNVGrain)
			batch = append(batch, schema.Sample{Family: schema.VolumeTotalThroughput, Labels: p.labels(), Value: float64(j % 97), Time: at})
		}
		if err := memory.Append(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
	look := func(at time.Time, peaks *fleet.Peaks) {
		if _, err := fleet.LearnDays(context.Background(), memory, at, fleet.Profile{Window: time.Minute, Inventory: start, Peaks: peaks}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			look(start, nil)
		}
	})
	b.Run("next", func(b *testing.B) {
		peaks := &fleet.Peaks{}
		look(start.Add(-24*time.Hour), peaks)
		look(start, peaks)
		for b.Loop() {
			look(start, peaks)
		}
	})
}
