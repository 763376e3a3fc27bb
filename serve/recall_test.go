package serve

import (
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/schema"
)

// found is a finding of a volume or of the pool of project one.
func found(t *testing.T, e *evaluator, variant, volume string) detectors.Finding {
	t.Helper()
	for _, f := range e.active() {
		if f.Variant == variant && f.Resource.Project == "one" && f.Resource.Volume == volume {
			return f
		}
	}
	t.Fatalf("no %s of %q among %d findings", variant, volume, len(e.active()))
	return detectors.Finding{}
}

// What looks over days found goes on over a restart since the same moment: the one at which it began, or the first look of the
// first start, and then it says that it may be older. A history that has nothing of it leaves the beginning of the fold.
func TestDailySinceOverARestart(t *testing.T) {
	t.Parallel()
	store := newEstate(t)
	begun := noon.Add(-4*24*time.Hour + 7*time.Hour)
	for at := noon.Add(-14 * 24 * time.Hour); !at.After(noon.Add(6 * 24 * time.Hour)); at = at.Add(time.Hour) {
		store.list(at, "one", 1500, "old")
		if !at.Before(begun) {
			store.list(at, "two", 1500, "young")
		}
		store.ran(at)
	}
	store.measure(noon.Add(-14*24*time.Hour), noon.Add(6*24*time.Hour), "one", "old", always(0.1), always(0.5))
	store.measure(begun, noon.Add(6*24*time.Hour), "two", "young", always(0.1), always(0.5))
	store.store()
	cfg := cloudConfig(t, 5*time.Minute)
	sinces := func(e *evaluator) map[string]time.Time {
		all := map[string]time.Time{}
		for _, f := range e.active() {
			if detectors.ClockOf(f.Name()) == detectors.Daily {
				all[f.ID] = f.Since
			}
		}
		return all
	}
	first, _ := evaluatorOf(cfg, store.memory)
	look(t, first, noon)
	if f := found(t, first, detectors.VariantUnallocated, ""); !f.Since.Equal(noon.Add(-7*24*time.Hour)) || !f.SinceAtLeast {
		t.Fatalf("since %s, at least: %v; want since the first look back at least", f.Since, f.SinceAtLeast)
	}
	want := sinces(first)
	if _, err := first.evaluate(t.Context(), noon.Add(time.Minute)); err != nil { // leaves them in history
		t.Fatal(err)
	}
	for _, later := range []time.Duration{5 * time.Hour, 30 * time.Hour, 5*24*time.Hour + 3*time.Hour} {
		again, _ := evaluatorOf(cfg, store.memory)
		look(t, again, noon.Add(later))
		got := sinces(again)
		for id, since := range want {
			if !got[id].Equal(since) {
				t.Errorf("%s: since %s %s after the first start, want since %s", id, got[id], later, since)
			}
		}
		if f := found(t, again, detectors.VariantUnallocated, ""); !f.SinceAtLeast {
			t.Errorf("%s later nothing says that it may be older", later)
		}
	}
	if len(want) < 3 {
		t.Errorf("%d findings of looks over days, want some more: %v", len(want), want)
	}
}

// Without its checkpoint a start goes on from what the last run left in history.
func TestMinuteSinceWithoutACheckpoint(t *testing.T) {
	t.Parallel()
	now := time.Now()
	store, grid := newEstate(t), now.Truncate(schema.GCNVGrain)
	store.measure(grid.Add(-4*time.Hour), grid, "one", "busy", between(grid.Add(-2*time.Hour), now.Add(time.Hour), 0.3, 1), always(0.5))
	store.list(grid.Add(-2*time.Hour), "one", 0, "busy")
	store.list(grid, "one", 0, "busy")
	store.store()
	cfg := cloudConfig(t, 5*time.Minute)
	first, _ := evaluatorOf(cfg, store.memory)
	for at := grid.Add(-150 * time.Minute); at.Before(grid.Add(-30 * time.Minute)); at = at.Add(5 * time.Minute) {
		if _, err := first.evaluate(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	want := found(t, first, detectors.VariantThroughput, "busy")
	if want.SinceAtLeast || want.Since.After(grid.Add(-90*time.Minute)) {
		t.Fatalf("since %s, at least: %v; want since two hours", want.Since, want.SinceAtLeast)
	}
	cfg.History.Path = t.TempDir()
	again, _ := evaluatorOf(cfg, store.memory)
	again.catchUp(t.Context(), now)
	if got := found(t, again, detectors.VariantThroughput, "busy"); !got.Since.Equal(want.Since) || got.SinceAtLeast || got.State != detectors.Firing {
		t.Errorf("%s since %s, at least: %v; want firing since %s", got.State, got.Since, got.SinceAtLeast, want.Since)
	}
}

// A throttling that is older than what a start judges explains the anomalies of its volume, which are as old as they are: nobody is
// notified of them, and none of them is told alone before it is confirmed.
func TestThrottlingFromBeforeTheStartExplains(t *testing.T) {
	t.Parallel()
	now := time.Now()
	store, grid := newEstate(t), now.Truncate(schema.GCNVGrain)
	step := grid.Add(-30 * time.Hour)
	volume := append(poolLabels("one"), "busy")
	for at := grid.Add(-14 * 24 * time.Hour); !at.After(grid); at = at.Add(schema.GCNVGrain) {
		noise := 1 + 0.01*float64(at.Unix()/300%7)
		use, latency := 0.3*noise, 0.001*noise
		if !at.Before(step) {
			use, latency = 1, 0.008*noise
		}
		store.add(at, schema.VolumeTotalThroughput, use*100*mib, volume...)
		store.add(at, schema.VolumeThroughputLimit, 100*mib, volume...)
		store.add(at, schema.VolumeMeanLatency, latency, volume...)
		store.add(at, schema.VolumeTotalOperations, 2000*noise, volume...)
	}
	for _, ago := range []time.Duration{3 * time.Hour, 2 * time.Hour, time.Hour, 0} {
		store.list(grid.Add(-ago), "one", 0, "busy")
	}
	store.store()
	e, _ := watching(t, cloudConfig(t, time.Minute), store.memory)
	e.anomalies.open()
	if err := e.anomalies.feed(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	for at := now.Add(-6 * time.Minute); !at.After(now); at = at.Add(time.Minute) {
		anomalies := evaluated(t, e, at)
		if len(anomalies) == 0 {
			t.Fatalf("no anomaly at %s: %+v", at, e.active())
		}
		for _, a := range anomalies {
			if a.Quiet != detectors.QuietExplained || a.Since.After(step.Add(time.Hour)) {
				t.Errorf("%s at %s: quiet %q, since %s; want it explained, since %s", a.ID, at, a.Quiet, a.Since, step)
			}
		}
	}
	if f := found(t, e, detectors.VariantThroughput, "busy"); f.State != detectors.Firing || !f.SinceAtLeast || f.Since.Before(now.Add(-time.Hour)) {
		t.Errorf("%s since %s, at least: %v; want firing since the first look at least", f.State, f.Since, f.SinceAtLeast)
	}
}
