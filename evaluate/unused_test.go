package evaluate_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/evaluate"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/stage"
)

// TestUnusedThroughputCanBeTaken closes the loop: what a finding says is not needed is taken away in the model, by the finding's
// own numbers or by those of the plan that it names. Over the same time no volume is held back that was not before.
func TestUnusedThroughputCanBeTaken(t *testing.T) {
	if raceDetector {
		t.Skip("it plays weeks of thirty fleets one after the other, on one goroutine: the race detector has nothing to find and makes it twenty times as slow")
	}
	scenarios, err := evaluate.ReadScenarios(corpus + "/pool")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]int{}
	for _, s := range scenarios {
		if len(s.Truths) == 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			view, findings := judgedDay(t, s)
			for _, finding := range findings {
				if finding.Detector == detectors.PoolThroughputUnused && finding.State == detectors.Firing {
					tried[finding.Variant]++
					take(t, s, view, finding)
				}
			}
		})
	}
	for _, variant := range []string{
		detectors.VariantUnallocated, detectors.VariantAllocatedUnused, detectors.VariantAutoQoS, detectors.VariantStranded,
		detectors.VariantLevelChange, detectors.VariantFlexCustom,
	} {
		if tried[variant] == 0 {
			t.Errorf("no finding of %s was tried", variant)
		}
	}
}

// judgedDay is the fleet at a scenario's start with the findings of its last days.
func judgedDay(t *testing.T, s *evaluate.Scenario) (*fleet.Fleet, []detectors.Finding) {
	t.Helper()
	ctx := t.Context()
	world, err := stage.New(ctx, stage.Options{Fleet: s.Fleet, Seed: s.Seed, Start: s.Start, Noise: s.Noise, Past: s.Past})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := world.Close(); err != nil {
			t.Error(err)
		}
	}()
	kept := history.NewMemory(history.MemoryOptions{})
	past, err := world.Past(ctx, s.Start.Add(-s.Past), s.Start)
	if err == nil {
		err = kept.Backfill(ctx, past)
	}
	if err != nil {
		t.Fatal(err)
	}
	terms := judge.HostTerms(time.Minute)
	cycle := detectors.NewLifecycle(terms.Settings)
	view, _, err := terms.Days(ctx, kept, s.Start, cycle, judge.DailyRounds)
	if err != nil || view == nil {
		t.Fatalf("no view of the day: %v", err)
	}
	return view, cycle.Active()
}

// take applies what a finding proposes to a fleet of its own, and holds the week before against it.
func take(t *testing.T, s *evaluate.Scenario, view *fleet.Fleet, finding detectors.Finding) {
	t.Helper()
	described := again(t, s)
	pool, of := described.Projects[0].Pools[0], view.Pools[0]
	before := model.New(s.Fleet, s.Seed, s.Start)
	switch finding.Variant {
	case detectors.VariantStranded:
		pool.CapacityGiB = int64(number(t, finding, "--capacity="))
	case detectors.VariantLevelChange:
		pool.ServiceLevel = model.Premium
	case detectors.VariantFlexCustom:
		pool.TotalThroughputMiBps, pool.TotalIOPS = int64(number(t, finding, "--total-throughput=")), int64(number(t, finding, "--total-iops="))
	}
	if pool.ServiceLevel != model.Flex && (pool.QoS == model.Manual || finding.Variant != detectors.VariantStranded) {
		share(t, pool, of, view, finding)
	}
	if err := described.Complete(); err != nil {
		t.Fatalf("%s: the service would refuse what is left: %v", finding.Variant, err)
	}
	after := model.New(described, s.Seed, s.Start)
	for _, volume := range before.Volumes() {
		held, total := 0, 0
		for at := s.Start.Add(-7 * 24 * time.Hour); at.Before(s.Start); at = at.Add(model.Grain) {
			total++
			if after.Granted(after.Find(volume.Path), at) < before.Granted(volume, at)-1e-9 {
				held++
			}
		}
		if held > 0 {
			t.Errorf("%s of %s: %s is held back in %d of %d windows that were free", finding.Variant, s.Name, volume.Path, held, total)
		}
	}
}

// again is a scenario's fleet, to be changed.
func again(t *testing.T, s *evaluate.Scenario) *model.Fleet {
	t.Helper()
	data, err := os.ReadFile(s.File)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := evaluate.ParseScenario(s.File, data)
	if err != nil {
		t.Fatal(err)
	}
	return copied.Fleet
}

// number is what an option of the finding's commands says.
func number(t *testing.T, finding detectors.Finding, option string) float64 {
	t.Helper()
	for _, remedy := range finding.Remedy {
		if found := regexp.MustCompile(regexp.QuoteMeta(option) + `([0-9]+)`).FindStringSubmatch(remedy.Command); found != nil {
			value, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatalf("%s does not say %s: %+v", finding.Variant, option, finding.Remedy)
	return 0
}

// share gives the pool's volumes what a plan of its throughput says. QoS becomes manual where it is not.
func share(t *testing.T, pool *model.Pool, of *fleet.Pool, view *fleet.Fleet, finding detectors.Finding) {
	t.Helper()
	pool.QoS = model.Manual
	options := plan.Defaults()
	input := plan.FromPool(view, of, nil, options)
	input.Pool.QoSType, input.Pool.TotalMiBps, input.Pool.AvailableMiBps = pool.QoS, fleet.Value(pool.Throughput()), fleet.Unknown
	made, err := plan.Build(input.Pool, input.Volumes, options)
	if err != nil {
		t.Fatal(err)
	}
	if made.Status != plan.Proposed && made.Status != plan.Unchanged {
		t.Fatalf("%s: the plan is %s: %s", finding.Variant, made.Status, made.Reason)
	}
	proposed := map[string]float64{}
	for _, volume := range made.Volumes {
		proposed[volume.Name] = float64(volume.Propose)
	}
	sum := 0.0
	for _, volume := range pool.Volumes {
		volume.ThroughputMiBps = proposed[volume.Name]
		sum += volume.ThroughputMiBps
	}
	if sum > pool.Throughput() {
		t.Errorf("%s: the volumes have %.0f of the pool's %.0f MiB/s", finding.Variant, sum, pool.Throughput())
	}
}
