package serve

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/model"
)

// TestPlantedFindingsOfTheCloud starts the emulator and serve against it through the real clients: the back-fill brings
// the past, the look over days judges it, and what the fleet has planted shows, on no healthy twin.
func TestPlantedFindingsOfTheCloud(t *testing.T) {
	t.Parallel()
	fleet, err := simulator.Example()
	if err != nil {
		t.Fatal(err)
	}
	emulator, err := simulator.Start(t.Context(), simulator.Options{Fleet: fleet, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = emulator.Close() })
	cfg := testConfig(t)
	cfg.Hosts = nil
	cfg.Detection.Interval = config.Duration(15 * time.Second)
	cfg.GCNV.Projects, cfg.GCNV.BackfillDays = projects(fleet), 9 // days that no rule needs would only slow the race detector down
	cfg.GCNV.Endpoints.Monitoring, cfg.GCNV.Endpoints.NetApp = emulator.GRPCAddress(), emulator.URL()
	cfg.GCNV.Endpoints.Insecure = true
	cfg.GCNV.Pacing.CallsPerSecond = 500
	began := time.Now()
	server := start(t, Options{Config: cfg, Build: testBuild})

	awaitPlanted(t, server, fleet.Truth, func(model.Planted) bool { return true })
	// The volume has been held back since six hours before the hour began, which the fold over the past finds out.
	await(t, "the fold over the past", patience, func() bool {
		_, since := stateOf(server.evaluator.latest.Load().Findings, detectors.VariantThroughput, "example-prod", "database")
		held := began.Sub(since)
		return held > 5*time.Hour && held < 7*time.Hour && !isOwed(server.evaluator.debt)
	})
}

// awaitPlanted waits until what a fleet has planted is found, as far as it is expected; a finding on a healthy twin fails at
// once.
func awaitPlanted(t *testing.T, server *running, truth model.Truth, expected func(model.Planted) bool) {
	t.Helper()
	missing := make([]string, 0, len(truth.Findings))
	for deadline := time.Now().Add(patience); ; {
		found := firing(server)
		missing = missing[:0]
		for _, planted := range truth.Findings {
			if expected(planted) && !found[truthKey(planted)] {
				missing = append(missing, truthKey(planted))
			}
		}
		for _, healthy := range truth.Healthy {
			if found[truthKey(healthy)] {
				t.Errorf("found on a healthy twin: %s", truthKey(healthy))
			}
		}
		if len(missing) == 0 || time.Now().After(deadline) {
			t.Logf("found %d", len(found))
			break
		}
		tick(t)
	}
	if len(missing) > 0 {
		t.Errorf("not found in time:\n%s", strings.Join(missing, "\n"))
	}
}

// firing are the keys of the findings that fire.
func firing(server *running) map[string]bool {
	found := map[string]bool{}
	if latest := server.evaluator.latest.Load(); latest != nil {
		for _, finding := range latest.Findings {
			if finding.State == detectors.Firing {
				found[keyOf(finding)] = true
			}
		}
	}
	return found
}

// tick waits a little between two looks.
func tick(t *testing.T) {
	t.Helper()
	timer := time.NewTimer(200 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

func keyOf(f detectors.Finding) string {
	r := f.Resource
	return strings.Join([]string{f.Detector, f.Variant, r.Project, r.Location, r.Pool, r.Volume}, " ")
}

func truthKey(c model.Planted) string {
	return fmt.Sprintf("%s %s %s %s %s %s", c.Detector, c.Variant, c.Project, c.Location, c.Pool, c.Volume)
}

func projects(fleet *model.Fleet) []string {
	var ids []string
	for _, project := range fleet.Projects {
		ids = append(ids, project.ID)
	}
	return ids
}
