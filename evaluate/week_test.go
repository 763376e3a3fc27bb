package evaluate_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/evaluate"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/simulator/stage"
)

// life is what a replay and who watched have to agree on.
type life struct {
	Name                   detectors.Name
	Volume                 string
	Since, Fired, Resolved time.Time
}

// A week that is judged later gives what was live: each look knew only what the cloud had told by then, late as it is. Both look
// every ten minutes, which the rules count as minutes: what matters is that they count alike.
func TestReplayedWeekIsTheLiveOne(t *testing.T) {
	if raceDetector {
		t.Skip("one goroutine looks a thousand times, twice: the race detector has nothing to find and makes it twenty times as slow")
	}
	const every, week = 10 * time.Minute, 7 * 24 * time.Hour
	s, err := evaluate.ReadScenarios("testdata/week")
	if err != nil {
		t.Fatal(err)
	}
	kept := history.NewMemory(history.MemoryOptions{})
	defer func() { _ = kept.Close() }()
	live := &judge.Lives{}
	begin := s[0].Start
	watched := play(t, s[0], kept, func(at time.Time, findings []detectors.Finding) {
		if at.Sub(begin)%every == 0 {
			live.Observe(at, findings)
		}
	}, every, week)
	replayed, judged, err := judge.Replay(t.Context(), kept, judge.HostTerms(time.Minute), begin.Add(judge.Before), begin.Add(week), every, nil)
	if err != nil {
		t.Fatal(err)
	}
	if judged < 950 || watched < judged {
		t.Errorf("%d looks live, %d later", watched, judged)
	}
	want, got := lives(live.Since(begin)), lives(replayed)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-live +replayed):\n%s", diff)
	}
	ended, lasting := 0, 0
	for _, one := range want {
		if one.Resolved.IsZero() {
			lasting++
		} else {
			ended++
		}
	}
	if ended < 2 || lasting < 1 {
		t.Errorf("%d findings ended and %d did not: %+v", ended, lasting, want)
	}
}

// play takes a scenario through a week, and returns how often it was looked at.
func play(t *testing.T, s *evaluate.Scenario, kept *history.Memory, looked func(time.Time, []detectors.Finding), every, span time.Duration) (looks int) {
	t.Helper()
	world, err := stage.New(t.Context(), stage.Options{Fleet: s.Fleet, Seed: s.Seed, Start: s.Start})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := world.Close(); err != nil {
			t.Error(err)
		}
	}()
	watch, changes := judge.NewWatch(kept, kept, judge.HostTerms(time.Minute)), s.Changes
	const step = 5 * time.Minute
	for since := time.Duration(0); since <= span; since += step {
		for len(changes) > 0 && changes[0].At < since {
			if err := world.Change(changes[0].Fleet); err != nil {
				t.Fatal(err)
			}
			changes = changes[1:]
		}
		at := s.Start.Add(since)
		world.Advance(at)
		samples, err := world.Collect(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if err := kept.Append(t.Context(), samples); err != nil {
			t.Fatal(err)
		}
		if since == 0 || since%every != 0 {
			continue
		}
		findings, err := watch.Step(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		looked(at, findings)
		looks++
	}
	return looks
}

func lives(all []judge.Life) []life {
	var out []life
	for _, l := range all {
		one := life{Name: l.Name(), Volume: l.Resource.Pool + "/" + l.Resource.Volume, Since: l.Since.UTC(), Fired: l.Fired.UTC()}
		if l.Resolved != nil {
			one.Resolved = l.Resolved.UTC()
		}
		out = append(out, one)
	}
	return out
}
