package alerts_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/schema"
)

type alertmanager struct {
	Inhibit []struct {
		Source []string `yaml:"source_matchers"`
		Target []string `yaml:"target_matchers"`
		Equal  []string `yaml:"equal"`
	} `yaml:"inhibit_rules"`
}

var amMatcher = regexp.MustCompile(`^([a-z]+)(=~|!=|=)"([^"]*)"$`)

// What the example matches exists: detectors, variants, alerts and labels. amtool knows nothing of them.
func TestAlertmanagerNamesWhatExists(t *testing.T) {
	var example alertmanager
	if err := yaml.Unmarshal(alerts.Alertmanager, &example); err != nil {
		t.Fatal(err)
	}
	if len(example.Inhibit) == 0 {
		t.Fatal("no rule to check")
	}
	values := map[string][]string{"severity": {alerts.Info, alerts.Warning, alerts.Critical}, "alertname": alertNames(t)}
	for _, row := range alerts.Findings() {
		values["detector"] = append(values["detector"], row.Detector)
		values["variant"] = append(values["variant"], row.Variant)
	}
	labels := append([]string{"alertname", "detector", "variant", "collector", "reason", "api"}, schema.IdentityLabels...)
	for _, rule := range example.Inhibit {
		for _, label := range rule.Equal {
			if !slices.Contains(labels, label) {
				t.Errorf("no alert has the label %s", label)
			}
		}
		for _, text := range append(rule.Source, rule.Target...) {
			checkMatcher(t, text, labels, values)
		}
	}
}

func checkMatcher(t *testing.T, text string, labels []string, values map[string][]string) {
	t.Helper()
	parts := amMatcher.FindStringSubmatch(text)
	if parts == nil {
		t.Errorf("matcher %s: not of the form that this test reads", text)
		return
	}
	label, operator, value := parts[1], parts[2], parts[3]
	if operator == "!=" && value == "" {
		if !slices.Contains(labels, label) {
			t.Errorf("matcher %s: no alert has the label", text)
		}
		return
	}
	pattern, err := regexp.Compile("^(?:" + value + ")$")
	if err != nil {
		t.Fatalf("matcher %s: %v", text, err)
	}
	if !slices.ContainsFunc(values[label], pattern.MatchString) {
		t.Errorf("matcher %s matches nothing that there is", text)
	}
	for _, alternative := range strings.Split(value, "|") {
		if !strings.ContainsAny(value, "()") && !slices.Contains(values[label], alternative) {
			t.Errorf("matcher %s: there is no %s %s", text, label, alternative)
		}
	}
}
