package alerts_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/detectors"
)

func TestRulesAreUpToDate(t *testing.T) {
	written, err := os.ReadFile("nasight.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	made, err := alerts.YAML(alerts.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(made), string(written)); diff != "" {
		t.Errorf("nasight.rules.yml differs from the rows of the table; run \"make generate\" (-want +got):\n%s", diff)
	}
}

// Each finding that a detector can make has one row, and no other.
func TestEveryFindingHasARow(t *testing.T) {
	made := map[string]int{}
	for _, rule := range detectors.Rules() {
		for _, variant := range rule.Variants {
			made[detectors.Name{Detector: rule.Detector, Variant: variant}.String()]++
		}
	}
	rows := map[string]int{}
	for _, row := range alerts.Findings() {
		rows[row.String()]++
		if row.Cause == "" || !strings.HasSuffix(row.Way, ".") {
			t.Errorf("%s: cause %q, way %q", row, row.Cause, row.Way)
		}
	}
	if diff := cmp.Diff(made, rows); diff != "" {
		t.Errorf("findings that detectors make against rows (-want +got):\n%s", diff)
	}
}

func TestAlertNames(t *testing.T) {
	for name, want := range map[detectors.Name]string{
		{Detector: detectors.LimitReached, Variant: detectors.VariantIOPS}:            "NasightLimitReachedIOPS",
		{Detector: detectors.SMBMultichannel, Variant: detectors.VariantPenalty}:      "NasightSMBMultichannelSingleThreadPenalty",
		{Detector: detectors.PoolThroughputUnused, Variant: detectors.VariantAutoQoS}: "NasightPoolThroughputUnusedAutoQoS",
		{Detector: detectors.ClientBound, Variant: detectors.VariantCPU}:              "NasightClientBoundCPU",
	} {
		if got := (alerts.Finding{Name: name}).Alert(); got != want {
			t.Errorf("%s: alert %s, want %s", name, got, want)
		}
	}
}

func TestKeepBridgesARestart(t *testing.T) {
	minute := alerts.Finding{Name: detectors.Name{Detector: detectors.LimitReached, Variant: detectors.VariantIOPS}}
	daily := alerts.Finding{Name: detectors.Name{Detector: detectors.BeyondEnvelope, Variant: detectors.VariantEnvelope}}
	for _, c := range []struct {
		row            alerts.Finding
		interval, want time.Duration
	}{
		{minute, 15 * time.Second, 5 * time.Minute},
		{minute, time.Minute, 5 * time.Minute},
		{minute, 2 * time.Minute, 10 * time.Minute},
		{daily, time.Minute, 15 * time.Minute},
		{daily, 5 * time.Minute, 75 * time.Minute},
	} {
		if got := c.row.Keep(c.interval); got != c.want {
			t.Errorf("%s at %s: kept for %s, want %s", c.row, c.interval, got, c.want)
		}
	}
}

func TestOptionsAreBounded(t *testing.T) {
	for name, change := range map[string]func(*alerts.Options){
		"too short":   func(o *alerts.Options) { o.Interval = alerts.ShortestInterval - 1 },
		"too long":    func(o *alerts.Options) { o.Interval = alerts.LongestInterval + 1 },
		"no scheme":   func(o *alerts.Options) { o.Runbooks = "wiki.example.com" },
		"none":        func(o *alerts.Options) { o.Runbooks = "" },
		"a template":  func(o *alerts.Options) { o.Runbooks = "https://{{ . }}" },
		"white space": func(o *alerts.Options) { o.Runbooks = "https://wiki.example.com/a b" },
	} {
		options := alerts.Defaults()
		change(&options)
		if _, err := alerts.YAML(options); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// rules are those of an installation, without their groups.
func rules(t *testing.T, interval time.Duration) []alerts.Rule {
	t.Helper()
	file, err := alerts.Rules(alerts.Options{Interval: interval, Runbooks: alerts.Runbooks})
	if err != nil {
		t.Fatal(err)
	}
	var all []alerts.Rule
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// alertNames are the names of all alerts, each once.
func alertNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, rule := range rules(t, alerts.DefaultInterval) {
		if rule.Alert != "" {
			names = append(names, rule.Alert)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
