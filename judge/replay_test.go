package judge

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func at(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

func TestLives(t *testing.T) {
	one := detectors.Finding{ID: "one", State: detectors.Firing, Since: at(0), Confidence: 0.5}
	kept, pending, other, again := one, one, one, one
	kept.State, pending.State, other.ID = detectors.Keep, detectors.Pending, "other"
	again.Since, again.Confidence = at(8), 0.9
	gone := one
	gone.State = detectors.Resolved
	lives := &Lives{}
	for minute, findings := range [][]detectors.Finding{
		{pending}, {one}, {one, other}, {kept, other}, {gone, other}, {other}, {}, {pending}, {again}, {again},
	} {
		lives.Observe(at(minute), findings)
	}
	got := lives.Since(at(0))
	if len(got) != 3 {
		t.Fatalf("%d lives, want 3: %+v", len(got), got)
	}
	for i, want := range []struct {
		id              string
		fired, resolved int
		state           detectors.State
	}{{"one", 1, 4, detectors.Resolved}, {"other", 2, 6, detectors.Resolved}, {"one", 8, -1, detectors.Firing}} {
		life := got[i]
		if life.ID != want.id || !life.Fired.Equal(at(want.fired)) || life.State != want.state || (life.Resolved == nil) != (want.resolved < 0) {
			t.Errorf("life %d is %+v", i, life)
		}
		if life.Resolved != nil && !life.Resolved.Equal(at(want.resolved)) {
			t.Errorf("life %d was gone at %s", i, life.Resolved)
		}
	}
	if late := lives.Since(at(5)); len(late) != 2 || late[0].ID != "other" {
		t.Errorf("since minute 5: %+v", late)
	}
	if none := (&Lives{}).Since(at(0)); none == nil || len(none) != 0 {
		t.Errorf("no lives are %v, want an empty list", none)
	}
}

// asked is a history that knows nothing, and notes what it was asked for.
type asked struct {
	starts, ends []time.Time
	instants     int
	err          error
}

func (a *asked) Instant(context.Context, string, time.Time) ([]history.Point, error) {
	a.instants++
	return nil, a.err
}

func (a *asked) Range(_ context.Context, _ string, start, end time.Time, step time.Duration) ([]history.Series, error) {
	a.starts, a.ends = append(a.starts, start), append(a.ends, end)
	return []history.Series{{Times: []time.Time{end, start}, Values: []float64{1, 1}}}, a.err
}

// A long stretch is asked for in parts, each of which a Prometheus answers, without a gap and without an overlap.
func TestKnownInParts(t *testing.T) {
	reader := &asked{}
	moments, err := known(t.Context(), reader, noon, noon.Add(25_000*time.Minute), time.Minute, time.Minute)
	if err != nil || len(reader.starts) != 3 || len(moments) != 6 {
		t.Fatalf("%d parts, %d moments, %v", len(reader.starts), len(moments), err)
	}
	for i := range reader.starts {
		if i > 0 && !reader.starts[i].Equal(reader.ends[i-1].Add(time.Minute)) {
			t.Errorf("part %d begins %s after one that ends %s", i, reader.starts[i], reader.ends[i-1])
		}
		if steps := reader.ends[i].Sub(reader.starts[i])/time.Minute + 1; steps > 11_000 {
			t.Errorf("part %d has %d steps", i, steps)
		}
	}
	if last := moments[len(moments)-1]; !last.Equal(noon.Add(25_000 * time.Minute)) {
		t.Errorf("the last moment is %s", last)
	}
	if none, err := Known(t.Context(), reader, noon, noon.Add(-time.Minute), time.Minute, time.Minute); none != nil || err != nil {
		t.Errorf("%v, %v before the start", none, err)
	}
}

func TestReplayFails(t *testing.T) {
	broken := errors.New("disk on fire")
	if _, _, err := Replay(t.Context(), &asked{err: broken}, HostTerms(time.Minute), noon, at(10), time.Minute, nil); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// A replay begins an hour before, so that what ends before the stretch is left out and what fires since before is in it with
// its true beginning; and it counts the moments of the stretch alone.
func TestReplayBeginsBefore(t *testing.T) {
	memory := history.NewMemory(history.MemoryOptions{})
	defer memory.Close()
	fill(t, memory, at(-90), at(30), func(now time.Time) float64 { return 1 })
	told := 0
	lives, judged, err := Replay(t.Context(), memory, HostTerms(time.Minute), at(0), at(30), time.Minute, func(time.Time) { told++ })
	if err != nil || judged != 31 || told != 91 {
		t.Fatalf("%d evaluations, told %d times, %v", judged, told, err)
	}
	if len(lives) != 1 || lives[0].Variant != detectors.VariantThroughput || lives[0].Since.After(at(-50)) || lives[0].Resolved != nil {
		t.Errorf("%+v", lives)
	}
}

// fill writes what a cloud tells of a volume that moves a share of its limit.
func fill(t *testing.T, into history.Writer, from, to time.Time, use func(time.Time) float64) {
	t.Helper()
	pool := []string{"gcp", "gcnv", "example-project", "europe-west3", "pool-1"}
	volume := append(pool[:5:5], "home")
	var samples []schema.Sample
	add := func(now time.Time, family *schema.Family, value float64, labels ...string) {
		samples = append(samples, schema.Sample{Family: family, Labels: labels, Value: value, Time: now})
	}
	for now := from; !now.After(to); now = now.Add(30 * time.Second) {
		add(now, schema.CollectorSuccess, 1, "here", "gcnv_inventory")
		if !now.Truncate(schema.GCNVGrain).Equal(now) {
			continue
		}
		add(now, schema.PoolInfo, 1, append(pool[:5:5], "premium", "manual", "file", "default", "default", "false", "false", "ready", "")...)
		add(now, schema.VolumeInfo, 1, append(volume[:6:6], "premium", "manual", "nfsv3", "ready", "false", "false", "", "volume")...)
		add(now, schema.VolumeAssignedThroughput, 100<<20, volume...)
		add(now, schema.VolumeThroughputLimit, 100<<20, volume...)
		add(now, schema.VolumeTotalThroughput, use(now)*100*(1<<20), volume...)
		add(now, schema.VolumeMeanLatency, 0.02, volume...)
	}
	if err := into.Append(t.Context(), samples); err != nil {
		t.Fatal(err)
	}
}

// A watch writes what later looks need where it has a writer, and nothing where it has none.
func TestWatchRecords(t *testing.T) {
	for _, records := range []bool{true, false} {
		memory := history.NewMemory(history.MemoryOptions{})
		fill(t, memory, at(-30), at(30), func(time.Time) float64 { return 1 })
		var writer history.Writer
		if records {
			writer = memory
		}
		watch := NewWatch(memory, writer, HostTerms(time.Minute))
		for minute := range 31 {
			if _, err := watch.Step(t.Context(), at(minute)); err != nil {
				t.Fatal(err)
			}
		}
		points, err := memory.Instant(t.Context(), "last_over_time("+schema.FindingActive.Name+"[1h])", at(30))
		if err != nil || (len(points) > 0) != records {
			t.Errorf("records %v: %d series of findings, %v", records, len(points), err)
		}
		if err := memory.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Looks over days are taken as soon as a pool is known, once a day, and anew after the past was filled in.
func TestWatchLooksOverDays(t *testing.T) {
	memory := history.NewMemory(history.MemoryOptions{})
	defer memory.Close()
	watch := NewWatch(memory, nil, HostTerms(time.Minute))
	step := func(now time.Time) time.Time {
		t.Helper()
		if _, err := watch.Step(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		return watch.dailyAt
	}
	if taken := step(at(0)); !taken.IsZero() {
		t.Errorf("a look was taken at %s without a pool", taken)
	}
	fill(t, memory, at(0), at(25*60), func(time.Time) float64 { return 0.5 })
	if taken := step(at(60)); !taken.Equal(at(60)) {
		t.Errorf("looked at %s, want as soon as there is a pool", taken)
	}
	if taken := step(at(25*60 - 1)); !taken.Equal(at(60)) {
		t.Errorf("looked again at %s, want a day later", taken)
	}
	if taken := step(at(25 * 60)); !taken.Equal(at(25 * 60)) {
		t.Errorf("looked last at %s, want a day after the first", taken)
	}
	watch.Refill()
	if taken := step(at(25*60 + 1)); !taken.Equal(at(25*60 + 1)) {
		t.Errorf("looked last at %s, want again with another past", taken)
	}
}

func TestLearnerAsksHourly(t *testing.T) {
	reader, learner, profile := &asked{}, Learner{}, fleet.Spacing(time.Minute, schema.HostGrain)
	learn := func(minute int) bool {
		before := reader.instants
		if err := learner.Learn(t.Context(), reader, at(minute), &profile); (err != nil) != (reader.err != nil && reader.instants > before) {
			t.Errorf("minute %d: error %v", minute, err)
		}
		return reader.instants > before
	}
	for _, row := range []struct {
		minute int
		err    error
		asks   bool
	}{
		{0, nil, true}, {59, nil, false}, {60, errors.New("busy"), true}, {64, nil, false}, {65, nil, true}, {66, nil, false}, {10, nil, true},
	} {
		reader.err = row.err
		if asks := learn(row.minute); asks != row.asks {
			t.Errorf("minute %d: asks %v, want %v", row.minute, asks, row.asks)
		}
	}
}
