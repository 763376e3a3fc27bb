package serve

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/schema"
)

// planted is a history of two weeks up to now in which the latency of one of three volumes is four times its usual since an
// hour and a half.
func planted(t *testing.T, now time.Time) (e *estate, step time.Time) {
	t.Helper()
	e = newEstate(t)
	random := rand.New(rand.NewPCG(1, 1))
	step = now.Add(-90 * time.Minute).Truncate(schema.GCNVGrain)
	for at := step.Add(-14 * 24 * time.Hour); !at.After(now); at = at.Add(schema.GCNVGrain) {
		for i, name := range []string{"off", "calm", "quiet"} {
			latency, noise := 0.002, func() float64 { return 1 + 0.03*random.NormFloat64() }
			if i == 0 && !at.Before(step) {
				latency *= 4
			}
			volume := append(poolLabels("one"), name)
			e.add(at, schema.VolumeMeanLatency, latency*noise(), volume...)
			e.add(at, schema.VolumeTotalOperations, 2000*noise(), volume...)
			e.add(at, schema.VolumeTotalThroughput, 20*mib*noise(), volume...)
			e.add(at, schema.VolumeThroughputLimit, 100*mib, volume...)
		}
	}
	e.list(now.Add(-2*time.Hour), "one", 0, "off", "calm", "quiet")
	e.list(now.Add(-time.Hour), "one", 0, "off", "calm", "quiet")
	e.list(now, "one", 0, "off", "calm", "quiet")
	e.ran(now)
	e.store()
	return e, step
}

// watching is an evaluator with its anomalies, as serve makes them.
func watching(t *testing.T, cfg config.Config, store store) (*evaluator, *sinkOutput) {
	t.Helper()
	e, output := evaluatorOf(cfg, store)
	e.anomalies = newAnomalies(cfg, e, debtOf(t, filepath.Join(t.TempDir(), "memory.json"), time.Time{}))
	return e, output
}

func anomaliesIn(findings []detectors.Finding) []detectors.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f detectors.Finding) bool { return f.Detector != detectors.Anomaly })
}

// evaluated judges a moment and gives the anomalies.
func evaluated(t *testing.T, e *evaluator, at time.Time) []detectors.Finding {
	t.Helper()
	result, err := e.evaluate(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	e.latest.Store(result)
	return anomaliesIn(result.Findings)
}

// A planted step is one finding from the first look after the past is learnt, and the same one after a restart.
func TestAnomalyOfAPlantedStep(t *testing.T) {
	t.Parallel()
	now := time.Now()
	planted, step := planted(t, now)
	cfg := cloudConfig(t, time.Minute)
	e, output := watching(t, cfg, planted.memory)
	if found := evaluated(t, e, now.Add(-2*time.Minute)); len(found) != 0 {
		t.Fatalf("before anything is learnt: %+v", found)
	}
	e.anomalies.open()
	if err := e.anomalies.feed(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	found := evaluated(t, e, now.Add(-time.Minute))
	if len(found) != 1 {
		t.Fatalf("%d anomalies, want one: %+v", len(found), found)
	}
	one := found[0]
	if one.Variant != detectors.VariantLevel || one.Resource.Volume != "off" || one.State != detectors.Firing || !one.Since.Equal(step) || one.Severity != detectors.Warning {
		t.Errorf("%+v, want a level of the volume off since %s", one, step)
	}
	if charts := e.anomalies.charts(t.Context(), e.latest.Load()); len(charts[one.ID].Points) < 40 {
		t.Errorf("%d charts, that of the finding with %d points", len(charts), len(charts[one.ID].Points))
	}
	if query := one.Evidence[0].Query; query == "" {
		t.Error("the evidence names no query")
	} else if points, err := planted.memory.Instant(t.Context(), query, step.Add(15*time.Minute)); err != nil || len(points) != 1 || points[0].Value < 0.007 {
		t.Errorf("%s gives %v, %v; want the latency of the volume", query, points, err)
	}
	if usual := e.anomalies.usual(one.Resource, now); !usual.AtLeast(0.0019) || usual.AtLeast(0.0021) {
		t.Errorf("usual latency %v, want 2 ms as before the step", usual)
	}
	for _, pool := range e.latest.Load().Fleet.Pools {
		for _, volume := range pool.Volumes {
			if !volume.Days.Latency.AtLeast(0.0019) {
				t.Errorf("the rules see the usual latency %v of %s", volume.Days.Latency, volume.Identity.Volume)
			}
		}
	}
	for family, want := range map[*schema.Family]float64{schema.BaselineStateHealthy: 1, schema.BaselineUsual: 0.002} {
		if got, ok := sampleOf(output, family, "calm"); !ok || got < want*0.9 || got > want*1.1 {
			t.Errorf("%s is %v, want %v", family.Name, got, want)
		}
	}
	for _, err := range []error{e.save(), e.anomalies.save()} {
		if err != nil {
			t.Fatal(err)
		}
	}

	again, _ := watching(t, cfg, planted.memory)
	again.restore(now)
	// Until the gap is read nobody knows: it goes on as it was.
	if found := evaluated(t, again, now); len(found) != 1 || !found[0].Since.Equal(step) || found[0].State != detectors.Firing {
		t.Fatalf("after a restart %+v, want the same finding", found)
	}
	again.anomalies.open()
	if err := again.anomalies.feed(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if found := evaluated(t, again, now.Add(time.Minute)); len(found) != 1 || found[0].ID != one.ID || !found[0].Since.Equal(step) || found[0].State != detectors.Firing {
		t.Errorf("after a restart and the gap %+v, want the same finding", found)
	}
}

// sampleOf is what was published of a family, of a volume where it has one.
func sampleOf(output *sinkOutput, family *schema.Family, volume string) (float64, bool) {
	for _, batch := range output.batches {
		for _, sample := range batch.Samples {
			at := slices.Index(family.Labels, "volume")
			if sample.Family == family && (at < 0 || sample.Labels[at] == volume && slices.Contains(sample.Labels, "latency")) {
				return sample.Value, true
			}
		}
	}
	return 0, false
}

// A damaged state is set aside, told of in a metric, and history is read again.
func TestAnomaliesWithADamagedState(t *testing.T) {
	t.Parallel()
	now := time.Now()
	planted, step := planted(t, now)
	cfg := cloudConfig(t, time.Minute)
	file := filepath.Join(cfg.History.Path, anomaliesFile)
	if err := os.WriteFile(file, []byte("nasight baseline\n\x01\x00\x00\x00\xff"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, output := watching(t, cfg, planted.memory)
	e.anomalies.open()
	if err := e.anomalies.feed(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if healthy, ok := sampleOf(output, schema.BaselineStateHealthy, ""); !ok || healthy != 0 {
		t.Errorf("the state is told to be %v, want 0: damaged", healthy)
	}
	if _, err := os.Stat(file + ".bad"); err != nil {
		t.Errorf("the damaged state is not set aside: %v", err)
	}
	if found := evaluated(t, e, now); len(found) != 1 || !found[0].Since.Equal(step) {
		t.Errorf("%+v, want the planted anomaly since %s", found, step)
	}
	if err := e.anomalies.save(); err != nil {
		t.Fatal(err)
	}
	set, err := baseline.Open(file, nil, 1)
	if err != nil || set.Len() != 0 { // of no signals, so that it reads all and keeps none
		t.Errorf("the state that is kept at the end: %v", err)
	}
}

// The loop waits for the detection to have caught up, learns, keeps the state and ends. Switched off by a reload it lets its
// findings end; switched on again it goes on from its state.
func TestAnomaliesRun(t *testing.T) {
	t.Parallel()
	now := time.Now()
	planted, step := planted(t, now)
	cfg := cloudConfig(t, time.Minute)
	e, _ := watching(t, cfg, planted.memory)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.anomalies.run(ctx) }()
	if e.anomalies.current.Load() != nil {
		t.Error("it learns before the detection has caught up")
	}
	close(e.caughtUp)
	until := func(what string, done func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("not within a minute: %s", what)
			}
		}
	}
	at := now
	anomalies := func(want int) func() bool {
		return func() bool {
			at = at.Add(time.Second)
			found := evaluated(t, e, at)
			return len(found) == want && (want == 0 || found[0].Since.Equal(step) && found[0].State == detectors.Firing)
		}
	}
	until("an anomaly", anomalies(1))
	off := cfg
	off.Detection.Anomalies.Enabled = false
	e.anomalies.configure(off)
	until("none, switched off", anomalies(0))
	e.anomalies.configure(cfg)
	until("an anomaly again", anomalies(1))
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
