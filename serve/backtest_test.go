package serve

import (
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
)

// story is when a finding was what, as one who watched it would tell.
type story struct{ since, fired, resolved time.Time }

// A stretch of history that is judged later gives the findings that were live: the same ones, since the same moment, that
// began to fire and were gone at the same evaluations. Live each evaluation knew only what had been told by then.
func TestReplayGivesWhatWasLive(t *testing.T) {
	oneGoroutine(t)
	t.Parallel()
	const span = 3 * time.Hour
	told := newEstate(t)
	told.list(noon.Add(-time.Minute), "one", 0, "ends", "lasts", "quiet")
	for at := noon.Add(-time.Hour); !at.After(noon.Add(span)); at = at.Add(time.Hour) {
		told.list(at, "one", 0, "ends", "lasts", "quiet")
	}
	for at := noon.Add(-10 * time.Second); !at.After(noon.Add(span)); at = at.Add(10 * time.Second) {
		told.ran(at)
	}
	begin, end := noon.Add(-time.Hour), noon.Add(span)
	told.measure(begin, end, "one", "ends", between(noon.Add(10*time.Minute), noon.Add(40*time.Minute), 0.2, 1), always(0.2))
	told.measure(begin, end, "one", "lasts", between(noon.Add(30*time.Minute), end.Add(time.Hour), 0.2, 1), always(0.2))
	told.measure(begin, end, "one", "quiet", always(0.5), always(0.2))
	samples := told.batch
	told.store()

	live, _ := evaluatorOf(cloudConfig(t, time.Minute), newEstate(t).memory)
	seen := map[string]story{}
	for at := noon; !at.After(end); at = at.Add(time.Minute) {
		samples = tell(t, live, samples, at)
		result, err := live.evaluate(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		note(seen, at, result.Findings)
	}
	lives, judged, err := judge.Replay(t.Context(), told.memory, judge.Configured(cloudConfig(t, time.Minute)), noon, end, time.Minute, nil)
	if err != nil || judged != int(span/time.Minute)+1 {
		t.Fatalf("%d evaluations, error %v", judged, err)
	}
	if len(lives) != len(seen) || len(lives) < 2 {
		t.Errorf("%d findings, live %d", len(lives), len(seen))
	}
	resolved := 0
	for _, life := range lives {
		was := seen[life.ID]
		if life.Resolved != nil {
			resolved++
		}
		if !life.Since.Equal(was.since) || !life.Fired.Equal(was.fired) || (life.Resolved == nil) != was.resolved.IsZero() ||
			life.Resolved != nil && !life.Resolved.Equal(was.resolved) {
			t.Errorf("%s: since %s, fired %s, resolved %v; live %+v", life.ID, life.Since, life.Fired, life.Resolved, was)
		}
	}
	if resolved == 0 || resolved == len(lives) {
		t.Errorf("%d of %d findings ended, want some", resolved, len(lives))
	}
}

// tell gives the live history what the clouds have told by a moment, and returns the rest.
func tell(t *testing.T, live *evaluator, samples []schema.Sample, at time.Time) []schema.Sample {
	t.Helper()
	var now, later []schema.Sample
	for _, sample := range samples {
		if sample.Time.Add(sample.Family.Delay).After(at) {
			later = append(later, sample)
		} else {
			now = append(now, sample)
		}
	}
	if err := live.history.Append(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	return later
}

func note(seen map[string]story, at time.Time, findings []detectors.Finding) {
	for _, finding := range findings {
		was, known := seen[finding.ID]
		switch finding.State {
		case detectors.Firing:
			if !known {
				was.fired = at
			}
			was.since = finding.Since
		case detectors.Resolved:
			was.resolved = at
		case detectors.Pending:
			continue
		}
		seen[finding.ID] = was
	}
}
