package simulator_test

import (
	"slices"
	"testing"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/simulator"
)

// Each planted finding has a name that detectors may use, and a twin of the same name about another resource.
func TestEveryFindingHasATwin(t *testing.T) {
	fleet, err := simulator.Example()
	if err != nil {
		t.Fatal(err)
	}
	if len(fleet.Truth.Findings) == 0 {
		t.Fatal("nothing is planted")
	}
	for _, finding := range fleet.Truth.Findings {
		if !slices.Contains(detectors.Names(), detectors.Name{Detector: finding.Detector, Variant: finding.Variant}) {
			t.Errorf("%s/%s is no finding's name", finding.Detector, finding.Variant)
		}
		twins := 0
		for _, twin := range fleet.Truth.Healthy {
			if twin.Detector == finding.Detector && twin.Variant == finding.Variant && twin != finding {
				twins++
			}
		}
		if twins != 1 {
			t.Errorf("%s/%s has %d twins, want 1", finding.Detector, finding.Variant, twins)
		}
	}
}
