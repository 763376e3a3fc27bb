package serve

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// stories are what the volumes of a project did in the hours before now.
func stories(now time.Time) map[string][2]func(time.Time) float64 {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	half, later := always(0.5), now.Add(time.Hour)
	return map[string][2]func(time.Time) float64{
		"calm":      {half, half},
		"hours":     {between(ago(3*time.Hour), later, 0.3, 1), half},
		"yesterday": {between(ago(5*time.Hour), ago(4*time.Hour), 0.3, 1), half},
		"ended":     {between(ago(2*time.Hour), ago(35*time.Minute), 0.3, 1), half},
		"again": {func(at time.Time) float64 {
			return max(between(ago(5*time.Hour), ago(4*time.Hour), 0.3, 1)(at), between(ago(90*time.Minute), later, 0.3, 1)(at))
		}, half},
		"flapping": {func(at time.Time) float64 { return []float64{1, 1, 1, 0.3}[at.Unix()/300%4] }, half},
		"full":     {half, between(ago(2*time.Hour), later, 0.5, 0.9)},
	}
}

// write stores what the volumes did; the inventory at every hour from then on, or at the end alone, as on a first start.
func writeStories(e *estate, from, listed, now time.Time) {
	var names []string
	for name, story := range stories(now) {
		names = append(names, name)
		e.measure(from, now, "one", name, story[0], story[1])
	}
	for at := listed; !at.After(now); at = at.Add(30 * time.Minute) {
		e.list(at, "one", 0, names...)
		e.ran(at)
	}
	e.store()
}

func debtOf(t *testing.T, path string, since time.Time) *debt {
	t.Helper()
	memory, err := collectors.OpenFileMemory(path)
	if err != nil {
		t.Fatal(err)
	}
	d := &debt{memory: memory, key: unfoldedKey}
	if !since.IsZero() {
		d.add(since)
	}
	return d
}

// After back-fill and fold the findings are those of a nasight that was there the whole time: the same ones, in the same
// state, since the same moment but for a grain.
func TestFoldEqualsHavingBeenThere(t *testing.T) {
	oneGoroutine(t)
	t.Parallel()
	const span = 6 * time.Hour
	now := noon.Add(2 * time.Minute)
	there, late := newEstate(t), newEstate(t)
	writeStories(there, noon.Add(-span-2*time.Hour), noon.Add(-span-time.Hour), now)
	writeStories(late, noon.Add(-span-2*time.Hour), noon, now)

	lived, _ := evaluatorOf(cloudConfig(t, time.Minute), there.memory)
	for at := now.Add(-span); !at.After(now); at = at.Add(time.Minute) {
		if _, err := lived.evaluate(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	e, _ := evaluatorOf(cloudConfig(t, time.Minute), late.memory)
	if _, err := e.evaluate(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if state, since := stateOf(e.active(), detectors.VariantThroughput, "one", "hours"); state != detectors.Firing || !since.Equal(now) {
		t.Fatalf("before the fold %q since %s, want firing since now: the present is all that is known", state, since)
	}
	e.debt = debtOf(t, filepath.Join(t.TempDir(), "memory.json"), now.Add(-span))
	if err := e.foldPast(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	want, got := lived.active(), e.active()
	if len(want) != len(got) || len(want) != 5 {
		t.Errorf("%d findings, %d of a nasight that was there; want 5", len(got), len(want))
	}
	for _, finding := range want {
		state, since := stateOf(got, finding.Variant, finding.Resource.Project, finding.Resource.Volume)
		if apart := since.Sub(finding.Since).Abs(); state != finding.State || apart > schema.GCNVGrain {
			t.Errorf("%s of %s: %q since %s, want %s since %s", finding.Variant, finding.Resource.Volume, state, since, finding.State, finding.Since)
		}
	}
	if _, _, owed := e.debt.owed(); owed {
		t.Error("the past is still owed")
	}
	// Both go on alike, and what has ended resolves at the same time.
	for at := now.Add(time.Minute); !at.After(now.Add(20 * time.Minute)); at = at.Add(time.Minute) {
		for _, one := range []*evaluator{lived, e} {
			if _, err := one.evaluate(t.Context(), at); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, one := range map[string]*evaluator{"there": lived, "late": e} {
		if state, _ := stateOf(one.active(), detectors.VariantThroughput, "one", "ended"); state != "" {
			t.Errorf("%s: what ended is %s after the time that it is kept for", name, state)
		}
	}
}

// The fold reaches a day back, whatever was filled in, and since the beginning of that a longer condition has been so.
func TestFoldIsBounded(t *testing.T) {
	oneGoroutine(t)
	t.Parallel()
	e := newEstate(t)
	e.measure(noon.Add(-50*time.Hour), noon, "one", "busy", always(1), always(0.5))
	e.list(noon, "one", 0, "busy")
	e.store()
	evaluator, _ := evaluatorOf(cloudConfig(t, 10*time.Minute), e.memory)
	evaluator.debt = debtOf(t, filepath.Join(t.TempDir(), "memory.json"), noon.Add(-50*time.Hour))
	if err := evaluator.foldPast(t.Context(), noon); err != nil {
		t.Fatal(err)
	}
	state, since := stateOf(evaluator.active(), detectors.VariantThroughput, "one", "busy")
	if state != detectors.Firing || !since.Equal(noon.Add(-replayMost)) {
		t.Errorf("%q since %s, want firing for %s", state, since, replayMost)
	}
	for view, want := range map[time.Duration]time.Duration{
		0: replayMost, 100 * time.Millisecond: replayMost, time.Second: 10 * time.Hour, time.Hour: time.Hour,
	} {
		if got := reach(view); got != want {
			t.Errorf("reach with views of %s: %s, want %s", view, got, want)
		}
	}
}

// What was judged before a long gap goes on over it where it held, and begins anew where it did not.
func TestFoldGoesOnFromWhatWasJudged(t *testing.T) {
	oneGoroutine(t)
	t.Parallel()
	lost, back := noon.Add(-8*time.Hour), noon.Add(time.Minute)
	before := noon.Add(-30 * time.Hour)
	e := newEstate(t)
	e.measure(before, noon, "one", "held", always(1), always(0.5))
	e.measure(before, noon, "one", "anew", func(at time.Time) float64 {
		return max(between(before, lost.Add(time.Hour), 0.3, 1)(at), between(noon.Add(-2*time.Hour), back, 0.3, 1)(at))
	}, always(0.5))
	e.list(lost, "one", 0, "held", "anew")
	e.list(noon, "one", 0, "held", "anew")
	e.store()
	evaluator, _ := evaluatorOf(cloudConfig(t, time.Minute), e.memory)
	for _, at := range []time.Time{lost, back} { // nothing was read in between
		if _, err := evaluator.evaluate(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	evaluator.debt = debtOf(t, filepath.Join(t.TempDir(), "memory.json"), lost.Add(time.Minute))
	if err := evaluator.foldPast(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	for volume, want := range map[string]time.Time{"held": lost, "anew": noon.Add(-2 * time.Hour).Add(schema.GCNVDelay + 2*schema.GCNVGrain)} {
		state, since := stateOf(evaluator.active(), detectors.VariantThroughput, "one", volume)
		if state != detectors.Firing || since.Sub(want).Abs() > schema.GCNVGrain {
			t.Errorf("%s: %q since %s, want firing since %s", volume, state, since, want)
		}
	}
}

// A fold leaves the findings of hosts as they are, bit for bit.
func TestFoldLeavesHostsAlone(t *testing.T) {
	t.Parallel()
	cfg := evaluatorConfig(t)
	cfg.GCNV.Projects = []string{"one"}
	now := time.Now().Truncate(5 * time.Second)
	memory := filled(t, now)
	e := &estate{t: t, memory: memory}
	grid := now.Truncate(schema.GCNVGrain)
	e.measure(grid.Add(-3*time.Hour), grid, "one", "busy", always(1), always(0.5))
	e.list(now, "one", 0, "busy")
	e.store()
	evaluator, _ := evaluatorOf(cfg, memory)
	hosts := func() []detectors.Finding {
		var found []detectors.Finding
		for _, finding := range evaluator.active() {
			if finding.Resource.Host != "" {
				found = append(found, finding)
			}
		}
		return found
	}
	if _, err := evaluator.evaluate(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	before := hosts()
	evaluator.debt = debtOf(t, filepath.Join(t.TempDir(), "memory.json"), grid.Add(-3*time.Hour))
	if err := evaluator.foldPast(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if _, since := stateOf(evaluator.active(), detectors.VariantThroughput, "one", "busy"); since.After(now.Add(-2 * time.Hour)) {
		t.Errorf("the volume is at its limit since %s, want since hours", since)
	}
	sameValue := cmp.Comparer(func(a, b fleet.Value) bool { return a == b || !a.Known() && !b.Known() })
	if diff := cmp.Diff(before, hosts(), sameValue); diff != "" || len(before) == 0 {
		t.Errorf("%d findings of hosts; the fold changed them (-before +after):\n%s", len(before), diff)
	}
}

// The debt is folded once after it was made, over a restart too, and not without one.
func TestDebtOverRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.json")
	d := debtOf(t, path, time.Time{})
	store := owing{&fillable{}, []*debt{d}}
	sample := func(at time.Time) []schema.Sample {
		return []schema.Sample{{Family: schema.VolumeTotalThroughput, Time: at.Add(time.Hour)}, {Family: schema.VolumeTotalThroughput, Time: at}}
	}
	for _, at := range []time.Time{noon, noon.Add(-time.Hour), noon.Add(time.Hour)} {
		if err := store.Backfill(t.Context(), sample(at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Backfill(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := d.memory.(*collectors.FileMemory).Save(); err != nil {
		t.Fatal(err)
	}
	again := debtOf(t, path, time.Time{})
	since, state, owed := again.owed()
	if !owed || !since.Equal(noon.Add(-time.Hour)) {
		t.Fatalf("owed %v since %s, want since the earliest sample", owed, since)
	}
	again.add(noon) // more is filled in during the fold
	if again.settle(state); !isOwed(again) {
		t.Error("what came during the fold is forgotten")
	}
	_, state, _ = again.owed()
	if again.settle(state); isOwed(again) {
		t.Error("still owed after a fold")
	}
	failing := owing{&fillable{errors.New("disk full")}, []*debt{again}}
	if err := failing.Backfill(t.Context(), sample(noon)); err == nil || !isOwed(again) {
		t.Errorf("error %v, owed %v: a part of it may be stored", err, isOwed(again))
	}
	counter := &countingStore{}
	e, _ := evaluatorOf(cloudConfig(t, time.Minute), counter)
	e.debt = debtOf(t, path+".new", time.Time{})
	if err := e.foldPast(t.Context(), noon); err != nil || counter.queries != 0 {
		t.Errorf("%d queries, error %v: an ordinary start folds no past", counter.queries, err)
	}
}

func isOwed(d *debt) bool {
	_, _, owed := d.owed()
	return owed
}

// A fold that fails is tried again and leaves everything as it is.
func TestFoldThatFails(t *testing.T) {
	e, _ := evaluatorOf(cloudConfig(t, time.Minute), &countingStore{err: errors.New("disk on fire")})
	e.debt = debtOf(t, filepath.Join(t.TempDir(), "memory.json"), noon.Add(-time.Hour))
	if err := e.foldPast(t.Context(), noon); err == nil || !isOwed(e.debt) {
		t.Errorf("error %v, owed %v; want both", err, isOwed(e.debt))
	}
}

// The loop folds what an earlier run left, after the life cycle is that of the earlier run.
func TestPastOfAnEarlierRunIsFolded(t *testing.T) {
	e := newEstate(t)
	now := time.Now().Truncate(schema.GCNVGrain)
	e.measure(now.Add(-6*time.Hour), now, "one", "busy", always(1), always(0.5))
	e.list(time.Now(), "one", 0, "busy")
	e.store()
	cfg := cloudConfig(t, time.Minute)
	cfg.Detection.Interval = config.Duration(time.Minute)
	evaluator, _ := evaluatorOf(cfg, e.memory)
	evaluator.debt = debtOf(t, filepath.Join(t.TempDir(), "memory.json"), now.Add(-6*time.Hour))
	ctx, cancel := contextOf(t)
	ended := make(chan error, 2)
	go func() { ended <- evaluator.daily(ctx) }()
	go func() { ended <- evaluator.run(ctx) }()
	await(t, "the fold", patience, func() bool { return !isOwed(evaluator.debt) })
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if state, since := stateOf(evaluator.active(), detectors.VariantThroughput, "one", "busy"); state != detectors.Firing || since.After(now.Add(-5*time.Hour)) {
		t.Errorf("%q since %s, want firing for more than five hours", state, since)
	}
}
