package serve

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// filled is a history that holds the three moments of a capture, 10 s apart, the last one at end. Each moment is stored
// every second until the next, as of a host that is read that often.
func filled(t *testing.T, end time.Time) *history.Memory {
	t.Helper()
	memory := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = memory.Close() })
	host := &recorded{directory: capture(t, saturated)}
	for i, moment := range []string{"t0", "t1", "t2"} {
		host.show(t, moment)
		samples := collectAll(t, host)
		for at := end.Add(time.Duration(i-2) * 10 * time.Second); !at.After(end) && at.Before(end.Add(time.Duration(i-1)*10*time.Second)); at = at.Add(time.Second) {
			for j := range samples {
				samples[j].Time = at
			}
			if err := memory.Append(t.Context(), samples); err != nil {
				t.Fatal(err)
			}
		}
	}
	return memory
}

func collectAll(t *testing.T, host *recorded) []schema.Sample {
	t.Helper()
	var samples []schema.Sample
	for _, entry := range list.Entries() {
		var source *collectors.Following
		following := collectors.Follow(entry, pathsOf(host.host("app1")), func(f *collectors.Following) { source = f })
		collector, err := following.New(collectors.Root{Host: "app1"}, collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		result := collectors.Once(t.Context(), collector, time.Now())
		if err := source.Close(); !result.Success() || err != nil {
			t.Fatalf("%s: %v, %v", entry.Name, result.Err, err)
		}
		samples = append(samples, result.Samples...)
	}
	return samples
}

func evaluatorOf(cfg config.Config, store store) (*evaluator, *sinkOutput) {
	output := &sinkOutput{}
	return newEvaluator(cfg, "here", store, output, slog.New(slog.DiscardHandler)), output
}

func evaluatorConfig(t *testing.T) config.Config {
	t.Helper()
	cfg := testConfig(t)
	cfg.Detection.Interval = config.Duration(5 * time.Second)
	cfg.History.Path = t.TempDir()
	return cfg
}

func only(t *testing.T, e *evaluator, detector string) detectors.Finding {
	t.Helper()
	latest := e.latest.Load()
	if latest == nil {
		t.Fatal("nothing was evaluated")
	}
	var found []detectors.Finding
	for _, finding := range latest.Findings {
		if finding.Detector == detector {
			found = append(found, finding)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d findings of %s in %+v, want one", len(found), detector, latest.Findings)
	}
	return found[0]
}

// A condition that has been in history before the start fires at once, since the moment it began.
func TestReplayWithoutACheckpoint(t *testing.T) {
	cfg := evaluatorConfig(t)
	end := time.Now().Truncate(5 * time.Second).Add(-15 * time.Second)
	e, output := evaluatorOf(cfg, filled(t, end))
	e.replay(t.Context(), e.restore(time.Now()))
	finding := only(t, e, detectors.SessionSaturated)
	if finding.State != detectors.Firing || !finding.Since.Equal(end) {
		t.Errorf("%s since %s, want firing since %s", finding.State, finding.Since, end)
	}
	active := 0
	for _, sample := range output.batches[len(output.batches)-1].Samples {
		if sample.Family == schema.FindingActive {
			active++
		}
	}
	if active == 0 || e.failed() != nil {
		t.Errorf("%d findings published, failure %v", active, e.failed())
	}
}

// The evaluations missed while nasight was down are made up for; what fired before goes on since then.
func TestReplayFromACheckpoint(t *testing.T) {
	cfg := evaluatorConfig(t)
	now := time.Now().Truncate(5 * time.Second)
	store := filled(t, now.Add(-10*time.Minute))
	first, _ := evaluatorOf(cfg, store)
	first.started = now.Add(-time.Hour)
	first.once(t.Context(), now.Add(-10*time.Minute))
	before := only(t, first, detectors.SessionSaturated)

	second, _ := evaluatorOf(cfg, store)
	after := second.restore(now)
	if want := now.Add(-10 * time.Minute); !after.Equal(want) {
		t.Fatalf("replay from %s, want from %s", after, want)
	}
	second.replay(t.Context(), after)
	got := only(t, second, detectors.SessionSaturated)
	if got.ID != before.ID || !got.Since.Equal(before.Since) || got.State != detectors.Firing {
		t.Errorf("%s since %s after the pause, want firing since %s: nobody collected meanwhile", got.State, got.Since, before.Since)
	}
}

// A host that goes while nasight runs lets its findings end, once even the features over ten minutes have lost it.
func TestFindingsOfAHostThatIsGoneEnd(t *testing.T) {
	cfg := evaluatorConfig(t)
	cfg.Detection.Keep = 2
	end := time.Now().Truncate(5 * time.Second).Add(-10 * time.Minute)
	e, _ := evaluatorOf(cfg, filled(t, end))
	e.started = end.Add(-time.Hour)
	e.once(t.Context(), end)
	only(t, e, detectors.SessionSaturated)
	for i := range 4 {
		e.once(t.Context(), end.Add(11*time.Minute+time.Duration(i)*5*time.Second))
	}
	if left := e.latest.Load().Findings; len(left) != 0 {
		t.Errorf("still there: %+v", left)
	}
}

func TestReplayIsBounded(t *testing.T) {
	cfg := evaluatorConfig(t)
	cfg.Detection.Interval = config.Duration(time.Second)
	counter := &countingStore{}
	e, _ := evaluatorOf(cfg, counter)
	e.replay(t.Context(), time.Now().Add(-20*time.Hour))
	if len(counter.spans) != 1 || counter.spans[0] > replaySteps*time.Second {
		t.Errorf("looked at spans %v, want one of at most %d seconds", counter.spans, replaySteps)
	}
	perLook := 0
	for _, feature := range fleet.Features() {
		perLook += len(feature.Queries(fleet.Profile{}))
	}
	if counter.queries > 2*perLook {
		t.Errorf("%d queries over an empty history, want those of one evaluation, at most %d", counter.queries, 2*perLook)
	}
	long := evaluatorConfig(t)
	e, _ = evaluatorOf(long, counter)
	if err := (checkpoint{EvaluatedAt: time.Now().Add(-90 * time.Hour), State: []byte(`{"version":1}`)}).write(long.History.Path); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if from := e.restore(now); !from.Equal(now.Add(-replayMost)) {
		t.Errorf("replay from %s before now, want %s", now.Sub(from), replayMost)
	}
}

func TestDamagedCheckpointIsSetAside(t *testing.T) {
	for name, content := range map[string]string{
		"no JSON":         "{",
		"another version": `{"version":9,"evaluated_at":"2026-11-30T12:00:00Z","state":{}}`,
		"no state":        `{"version":1,"evaluated_at":"2026-11-30T12:00:00Z"}`,
		"bad state":       `{"version":1,"evaluated_at":"2026-11-30T12:00:00Z","state":{"version":1,"tracks":{"x":{}}}}`,
	} {
		cfg := evaluatorConfig(t)
		file := filepath.Join(cfg.History.Path, checkpointName)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		e, _ := evaluatorOf(cfg, &countingStore{})
		now := time.Now()
		if from := e.restore(now); !from.Equal(now.Add(-replayWithout)) {
			t.Errorf("%s: replay from %s", name, from)
		}
		if kept, err := os.ReadFile(file + ".bad"); err != nil || string(kept) != content {
			t.Errorf("%s: set aside %q, error %v", name, kept, err)
		}
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the damaged checkpoint is still there (error %v)", name, err)
		}
	}
}

func TestCheckpointThatIsNoFile(t *testing.T) {
	directory := t.TempDir()
	if err := os.Mkdir(filepath.Join(directory, checkpointName), 0o750); err != nil {
		t.Fatal(err)
	}
	if _, err := readCheckpoint(directory); err == nil {
		t.Error("a directory was read as a checkpoint")
	}
	if err := (checkpoint{State: []byte("{}")}).write(filepath.Join(directory, "none")); err == nil {
		t.Error("a checkpoint was written to a directory that is not there")
	}
}

// While history cannot answer the findings stay as they are, and the failure shows.
func TestEvaluationThatFails(t *testing.T) {
	cfg := evaluatorConfig(t)
	end := time.Now().Truncate(5 * time.Second)
	good := filled(t, end)
	e, output := evaluatorOf(cfg, good)
	e.once(t.Context(), end)
	only(t, e, detectors.SessionSaturated)
	e.history = &countingStore{err: errors.New("disk on fire")}
	e.once(t.Context(), end.Add(5*time.Second))
	only(t, e, detectors.SessionSaturated)
	last := output.batches[len(output.batches)-1]
	if !last.Failed || e.failed() == nil {
		t.Errorf("failed batch %v, failure %v", last.Failed, e.failed())
	}
	for _, sample := range last.Samples {
		if sample.Family == schema.CollectorSuccess && sample.Value != 0 {
			t.Error("a failed evaluation counts as a success")
		}
	}
	e.history = good
	e.once(t.Context(), end.Add(10*time.Second))
	if e.failed() != nil {
		t.Errorf("still failing: %v", e.failed())
	}
}

func TestConfigureKeepsFindings(t *testing.T) {
	cfg := evaluatorConfig(t)
	end := time.Now().Truncate(5 * time.Second)
	e, _ := evaluatorOf(cfg, filled(t, end))
	e.once(t.Context(), end)
	before := only(t, e, detectors.SessionSaturated)
	cfg.Detection.For = 3
	cfg.Detection.Interval = config.Duration(7 * time.Second)
	if err := e.configure(cfg); err != nil {
		t.Fatal(err)
	}
	e.once(t.Context(), end.Add(time.Second))
	got := only(t, e, detectors.SessionSaturated)
	if got.State != detectors.Firing || !got.Since.Equal(before.Since) || e.interval() != 7*time.Second {
		t.Errorf("%s since %s every %s, want firing since %s every 7s", got.State, got.Since, e.interval(), before.Since)
	}
}

func TestEvaluationMomentsSettle(t *testing.T) {
	for interval, want := range map[time.Duration]time.Duration{time.Minute: 5 * time.Second, 2 * time.Second: 200 * time.Millisecond, time.Hour: 5 * time.Second} {
		if got := settle(interval); got != want {
			t.Errorf("settle(%s) = %s, want %s", interval, got, want)
		}
	}
}

// countingStore is an empty history, or one that fails.
type countingStore struct {
	queries int
	spans   []time.Duration
	err     error
}

func (c *countingStore) Instant(context.Context, string, time.Time) ([]history.Point, error) {
	c.queries++
	return nil, c.err
}

func (c *countingStore) Range(_ context.Context, _ string, from, to time.Time, _ time.Duration) ([]history.Series, error) {
	c.spans = append(c.spans, to.Sub(from))
	return nil, c.err
}

func (c *countingStore) Append(context.Context, []schema.Sample) error { return c.err }

// An evaluation of the minute that began does not take away what a glance has seen since.
func TestEvaluationKeepsALaterView(t *testing.T) {
	t.Parallel()
	early, late := &fleet.Fleet{At: noon}, &fleet.Fleet{At: noon.Add(5 * time.Second)}
	found := []detectors.Finding{{ID: "a"}}
	evaluated := &evaluation{At: early.At, Fleet: early, Findings: found}
	for name, row := range map[string]struct {
		before *evaluation
		want   *fleet.Fleet
	}{
		"the first one":      {nil, early},
		"a glance before it": {&evaluation{At: noon.Add(-time.Second), Fleet: late}, early},
		"a glance after it":  {&evaluation{At: late.At, Fleet: late}, late},
		"a clock set back":   {&evaluation{At: noon.Add(time.Hour), Fleet: late}, early},
	} {
		if got := evaluated.onto(row.before, time.Minute); got.Fleet != row.want || !got.At.Equal(row.want.At) || len(got.Findings) != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
