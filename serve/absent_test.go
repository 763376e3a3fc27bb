package serve

import (
	"errors"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// loss is a history in which three projects have a volume each at its limit. At noon the second deletes its volume and the
// third cannot be read any more, until it comes back, if it does.
func loss(t *testing.T, until, back time.Time) *estate {
	t.Helper()
	e := newEstate(t)
	e.measure(noon.Add(-2*time.Hour), until, "one", "busy", always(1), always(0.5))
	e.measure(noon.Add(-2*time.Hour), noon, "two", "busy", always(1), always(0.9))
	e.measure(noon.Add(-2*time.Hour), until, "two", "other", always(0.3), always(0.5))
	e.measure(noon.Add(-2*time.Hour), noon, "three", "busy", always(1), always(0.9))
	e.measure(back, until, "three", "busy", always(0.3), always(0.5))
	for at := noon.Add(-2 * time.Hour); !at.After(until); at = at.Add(time.Hour) {
		e.list(at, "one", 0, "busy")
		if at.After(noon) {
			e.list(at, "two", 0, "other")
		} else {
			e.list(at, "two", 0, "busy", "other")
		}
		if at.After(noon) && at.Before(back) {
			e.ran(at, "three")
			continue
		}
		e.list(at, "three", 900, "busy")
		e.ran(at)
	}
	e.store()
	return e
}

// live judges every five minutes from one moment to another.
func live(t *testing.T, e *evaluator, from, to time.Time) {
	t.Helper()
	for at := from; !at.After(to); at = at.Add(5 * time.Minute) {
		if _, err := e.evaluate(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
}

// The findings of a project that cannot be read stay as they are, while those of others go on and that of a volume that was
// deleted ends.
func TestFindingsOfAProjectThatCannotBeRead(t *testing.T) {
	oneGoroutine(t)
	t.Parallel()
	back := noon.Add(10 * time.Hour)
	store := loss(t, back.Add(2*time.Hour), back)
	cfg := cloudConfig(t, 5*time.Minute)
	cfg.Detection.Keep = 6
	e, _ := evaluatorOf(cfg, store.memory)
	live(t, e, noon.Add(-10*time.Minute), noon)
	_, since := stateOf(e.active(), detectors.VariantThroughput, "three", "busy")
	for hour := range 10 {
		at := noon.Add(time.Duration(hour) * time.Hour)
		live(t, e, at.Add(5*time.Minute), at.Add(time.Hour))
		for _, row := range []struct{ variant, project string }{
			{detectors.VariantThroughput, "one"}, {detectors.VariantThroughput, "three"}, {detectors.VariantCapacity, "three"},
		} {
			if state, began := stateOf(e.active(), row.variant, row.project, "busy"); state != detectors.Firing || !began.Equal(since) {
				t.Fatalf("%d hours after the loss %s of %s is %q since %s, want firing since %s", hour+1, row.variant, row.project, state, began, since)
			}
		}
	}
	for _, variant := range []string{detectors.VariantThroughput, detectors.VariantCapacity} {
		if state, _ := stateOf(e.active(), variant, "two", "busy"); state != "" {
			t.Errorf("%s of a volume that was deleted ten hours ago is still %s", variant, state)
		}
	}
	live(t, e, back.Add(5*time.Minute), back.Add(2*time.Hour))
	for _, variant := range []string{detectors.VariantThroughput, detectors.VariantCapacity} {
		if state, _ := stateOf(e.active(), variant, "three", "busy"); state != "" {
			t.Errorf("%s of the project that is back and calm is still %s", variant, state)
		}
	}
}

// What ended during the loss ends within the time that it is kept, not at once. A volume that was deleted ends with the
// inventory's next reading.
func TestFindingOfADeletedVolumeEnds(t *testing.T) {
	t.Parallel()
	store := loss(t, noon.Add(3*time.Hour), noon.Add(4*time.Hour))
	cfg := cloudConfig(t, 5*time.Minute)
	cfg.Detection.Keep = 6
	e, _ := evaluatorOf(cfg, store.memory)
	live(t, e, noon, noon.Add(time.Hour-5*time.Minute))
	if state, _ := stateOf(e.active(), detectors.VariantCapacity, "two", "busy"); state != detectors.Firing {
		t.Errorf("%q before the inventory is read again, want firing", state)
	}
	live(t, e, noon.Add(time.Hour), noon.Add(time.Hour+50*time.Minute))
	if state, _ := stateOf(e.active(), detectors.VariantCapacity, "two", "busy"); state != "" {
		t.Errorf("still %s 50 minutes after the inventory listed the volume no more", state)
	}
}

// Of a loss that lasts more than a day nothing is known any more: the findings end.
func TestFindingsOfALongLossEnd(t *testing.T) {
	oneGoroutine(t)
	t.Parallel()
	until := noon.Add(26 * time.Hour)
	store := loss(t, until, until.Add(time.Hour))
	e, _ := evaluatorOf(cloudConfig(t, 5*time.Minute), store.memory)
	live(t, e, noon, noon.Add(23*time.Hour))
	if state, _ := stateOf(e.active(), detectors.VariantThroughput, "three", "busy"); state != detectors.Firing {
		t.Errorf("%q after 23 hours, want firing", state)
	}
	live(t, e, noon.Add(23*time.Hour+5*time.Minute), until)
	if state, _ := stateOf(e.active(), detectors.VariantThroughput, "three", "busy"); state != detectors.Keep && state != "" {
		t.Errorf("%q after 26 hours, want it on its way out", state)
	}
	if state, _ := stateOf(e.active(), detectors.VariantThroughput, "one", "busy"); state != detectors.Firing {
		t.Errorf("the other project's is %q", state)
	}
}

// What looks over days found of a project that cannot be read is kept by the next looks; that a pool has throughput to spare
// fires on first sight, since then.
func TestDailyFindingsOfAProjectThatCannotBeRead(t *testing.T) {
	t.Parallel()
	back := noon.Add(60 * time.Hour)
	store := loss(t, back, back)
	e, _ := evaluatorOf(cloudConfig(t, 5*time.Minute), store.memory)
	for _, hours := range []int{0, 24, 48} {
		look(t, e, noon.Add(time.Duration(hours)*time.Hour))
		if state, since := stateOf(e.active(), detectors.VariantUnallocated, "three", ""); state != detectors.Firing || !since.Equal(noon) {
			t.Errorf("after %d hours %q since %s, want firing since noon", hours, state, since)
		}
	}
	// With the collectors in order it is a project that nothing is left of.
	store.ran(noon.Add(53*time.Hour + 30*time.Minute))
	store.store()
	look(t, e, noon.Add(53*time.Hour+45*time.Minute))
	if state, _ := stateOf(e.active(), detectors.VariantUnallocated, "three", ""); state != "" {
		t.Errorf("%s though the inventory was read and has no such pool", state)
	}
}

// A day later the life cycle takes one step; it is folded over the last days where the last look, its thresholds or the past
// are not those that it has taken in.
func TestDailyStepsAndFolds(t *testing.T) {
	t.Parallel()
	store := loss(t, noon.Add(time.Hour), noon.Add(time.Hour))
	e, _ := evaluatorOf(cloudConfig(t, 5*time.Minute), store.memory)
	settings := e.detection.Settings()
	other := settings
	other.Pool.Headroom += 0.1
	rounds := func(after time.Duration, settings detectors.Settings) int {
		cycle, rounds := e.dailyStart(noon.Add(after), settings)
		if known := len(cycle.Active()) > 0; known != (rounds == 1) {
			t.Errorf("%d rounds after %s from a life cycle that knows of findings: %v", rounds, after, known)
		}
		return rounds
	}
	if got := rounds(0, settings); got != dailyRounds {
		t.Errorf("%d rounds at first, want %d", got, dailyRounds)
	}
	look(t, e, noon)
	for _, row := range []struct {
		after    time.Duration
		settings detectors.Settings
		want     int
	}{
		{dailyEvery, settings, 1}, {dailyLate, settings, 1}, {dailyEvery - 1, settings, dailyRounds},
		{dailyLate + 1, settings, dailyRounds}, {dailyEvery, other, dailyRounds},
	} {
		if got := rounds(row.after, row.settings); got != row.want {
			t.Errorf("%d rounds after %s, want %d", got, row.after, row.want)
		}
	}
	e.forgetDays()
	if got := rounds(dailyEvery, settings); got != dailyRounds {
		t.Errorf("%d rounds with another past, want %d", got, dailyRounds)
	}
}

func look(t *testing.T, e *evaluator, at time.Time) {
	t.Helper()
	if next := e.lookOverDays(t.Context(), at); next != dailyEvery {
		t.Fatalf("the look over days at %s is to be repeated after %s", at, next)
	}
}

// Without a cloud in the configuration nobody reads its inventory, and nothing waits for it. A history that cannot tell is a
// failure, not a loss.
func TestAbsentClouds(t *testing.T) {
	findings := []detectors.Finding{
		{Resource: fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "one", Location: "europe-west3", Pool: "pool-a"}},
		{Resource: fleet.Resource{Host: "app1"}}, {Resource: fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "one"}},
	}
	view := &fleet.Fleet{At: noon}
	e, _ := evaluatorOf(cloudConfig(t, time.Minute), &countingStore{})
	if absent, err := e.terms().AbsentClouds(t.Context(), e.history, view, findings); err != nil || len(absent) != 1 || absent[0] != findings[0].Resource {
		t.Errorf("absent %v, error %v; want the pool", absent, err)
	}
	view.Pools = []*fleet.Pool{{Identity: fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "one", Location: "europe-west3", Pool: "pool-b"}}}
	if absent, err := e.terms().AbsentClouds(t.Context(), e.history, view, findings); err != nil || len(absent) != 0 {
		t.Errorf("absent %v, error %v; its location was read", absent, err)
	}
	view.Pools = nil
	e.history = &countingStore{err: errors.New("disk on fire")}
	if _, err := e.terms().AbsentClouds(t.Context(), e.history, view, findings); err == nil {
		t.Error("no error")
	}
	e.readsCloud.Store(false)
	if absent, err := e.terms().AbsentClouds(t.Context(), e.history, view, findings); err != nil || len(absent) != 0 {
		t.Errorf("absent %v, error %v; no cloud is configured", absent, err)
	}
}
