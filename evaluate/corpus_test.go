package evaluate_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/evaluate"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/stage"
)

const (
	corpus = "../testdata/scenarios"
	page   = "../docs/evaluation.md"
)

// TestCorpus plays every scenario and every recording, holds the figures against the gates, and the page against the figures.
// Under the race detector, which makes it twenty times as slow, it plays one pair of each family and leaves the page out.
func TestCorpus(t *testing.T) {
	scenarios, err := evaluate.ReadScenarios(corpus)
	if err != nil {
		t.Fatal(err)
	}
	if raceDetector {
		scenarios = onePairEach(scenarios)
	}
	report := &evaluate.Report{}
	if report.Simulated, err = evaluate.Play(t.Context(), scenarios, stage.Open, evaluate.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Simulated.Deviations {
		t.Logf("%s in %s: %s/%s of %+v at %v s", d.Kind, d.Case, d.Detector, d.Variant, d.Resource, d.At)
	}
	gates(t, report.Simulated)
	if raceDetector {
		return
	}
	checkSize(t, report.Simulated, scenarios)
	if report.Real, err = evaluate.Recordings(t.Context(), "../testdata/captures", evaluate.Options{}); err != nil {
		t.Fatal(err)
	}
	checkPage(t, report)
}

// gates are what the detectors have to reach at five per cent noise.
func gates(t *testing.T, part *evaluate.Part) {
	t.Helper()
	if part.Disturbed > 0 {
		t.Errorf("%d of %d negatives are disturbed", part.Disturbed, part.Negatives)
	}
	for _, row := range part.Detectors {
		if row.Truths == 0 {
			continue
		}
		name := row.Detector + "/" + cmp.Or(row.Variant, "all")
		if row.Precision.Below(0.95) || row.Recall.Below(0.90) {
			t.Errorf("%s: precision %v, recall %v", name, row.Precision, row.Recall)
		}
		if most := soon(row); row.DetectP90.Above(most.Seconds()) {
			t.Errorf("%s: nine in ten are named after %v s, want %v", name, row.DetectP90, most)
		}
		if row.Variant == detectors.VariantCredits && row.LeadLeast.Below((45 * time.Minute).Seconds()) {
			t.Errorf("%s: named only %v s before the credits are gone", name, row.LeadLeast)
		}
	}
	total := part.Total
	if total.Flapping.Above(2) || total.Repeats.Above(0.1) {
		t.Errorf("flapping %v, duplicates %v", total.Flapping, total.Repeats)
	}
	if !raceDetector && (total.Gains < 20 || total.GainError.Above(0.15) || total.GainInside.Below(0.80)) {
		t.Errorf("%d gains: median error %v, inside the bracket %v", total.Gains, total.GainError, total.GainInside)
	}
}

// soon is how long a condition may hold before it is named: until the rule fires, and two windows more. Of a detector as a whole it
// is that of its slowest rule.
func soon(row evaluate.Row) time.Duration {
	var most time.Duration
	for _, rule := range detectors.Rules() {
		if rule.Detector != row.Detector || row.Variant != "" && !slices.Contains(rule.Variants, row.Variant) {
			continue
		}
		most = max(most, time.Duration(rule.Timing.Needed)*time.Minute+2*rule.Window)
	}
	if row.Detector == detectors.Anomaly && (row.Variant == "" || row.Variant == detectors.VariantFlatline) {
		most += 12*schema.GCNVGrain - 30*time.Minute // a flatline is twelve samples
	}
	return most
}

// checkSize holds the corpus to what it was made for.
func checkSize(t *testing.T, part *evaluate.Part, scenarios []*evaluate.Scenario) {
	t.Helper()
	positives, twins, several := 0, 0, 0
	twinOf := map[string]bool{}
	for _, s := range scenarios {
		if len(s.Truths) > 0 {
			positives++
		}
		if s.Twin != "" {
			twins++
			twinOf[s.Twin] = true
		}
		if filepath.Base(filepath.Dir(s.File)) == "mixed" {
			several++
		}
	}
	if positives < 60 || part.Negatives < 60 || twins < 60 || several < 10 {
		t.Errorf("%d positives, %d negatives, %d of them twins, %d with several causes", positives, part.Negatives, twins, several)
	}
}

// checkPage holds the page against the figures: "go generate ./evaluate" writes it.
func checkPage(t *testing.T, report *evaluate.Report) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	written, err := report.Page(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if written != string(text) {
		t.Errorf("%s is out of date: run go generate ./evaluate", page)
	}
}

// onePairEach is the first positive of each family with its twins.
func onePairEach(all []*evaluate.Scenario) []*evaluate.Scenario {
	first := map[string]string{}
	var some []*evaluate.Scenario
	for _, s := range all {
		family := filepath.Dir(s.File)
		if first[family] == "" && len(s.Truths) > 0 && s.Past == 0 && s.Duration <= 90*time.Minute {
			first[family] = s.Name
			some = append(some, s)
		}
	}
	for _, s := range all {
		if s.Twin != "" && first[filepath.Dir(s.File)] == s.Twin {
			some = append(some, s)
		}
	}
	return some
}
