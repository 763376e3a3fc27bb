package alerts_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/schema"
)

var (
	selector = regexp.MustCompile(`\b((?:finding:)?nasight_[a-z_]+(?::[a-z]+)?)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	grouping = regexp.MustCompile(`\b(by|on) \(([^)]*)\)`)
	span     = regexp.MustCompile(`\[([0-9hms]+)\]`)
)

// vocabulary is what expressions may use: metrics with their labels.
type vocabulary map[string][]string

func newVocabulary(rules []alerts.Rule) vocabulary {
	known := vocabulary{}
	for _, family := range schema.All() {
		known[family.Name] = family.Labels
	}
	for _, rule := range rules {
		if rule.Record != "" {
			known[rule.Record] = append(slices.Clone(schema.FindingActive.Labels), "severity")
		}
	}
	return known
}

// faults are the metrics of an expression that do not exist, and the labels that its metrics have not.
func (v vocabulary) faults(expr string) (faults []string) {
	var labels []string
	for _, use := range selector.FindAllStringSubmatch(expr, -1) {
		of, known := v[use[1]]
		if !known {
			faults = append(faults, "no metric "+use[1])
		}
		labels = append(labels, of...)
		for _, match := range matcher.FindAllStringSubmatch(use[2], -1) {
			if !slices.Contains(of, match[1]) {
				faults = append(faults, use[1]+" has no label "+match[1])
			}
		}
	}
	for _, group := range grouping.FindAllStringSubmatch(expr, -1) {
		for _, label := range strings.FieldsFunc(group[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			if !slices.Contains(labels, label) {
				faults = append(faults, "grouped by a label that none of its metrics has: "+label)
			}
		}
	}
	if labels == nil && faults == nil {
		faults = []string{"no metric with labels"}
	}
	return faults
}

// labelless tells whether an expression begins with a metric that has no labels of ours.
func labelless(expr string) bool {
	return strings.HasPrefix(expr, schema.ConfigReloadSuccess.Name) || strings.HasPrefix(expr, schema.AlertingReloadSuccess.Name) || strings.HasPrefix(expr, schema.ReportSuccess.Name) || strings.Contains(expr, schema.ConfigLastReloadSuccess.Name)
}

func TestExpressionsUseTheSchema(t *testing.T) {
	all := rules(t, alerts.DefaultInterval)
	known := newVocabulary(all)
	for _, rule := range all {
		if faults := known.faults(rule.Expr); faults != nil && !labelless(rule.Expr) {
			t.Errorf("%s%s: %s: %q", rule.Alert, rule.Record, rule.Expr, faults)
		}
	}
}

// Guards the test above.
func TestFaultsAreSeen(t *testing.T) {
	known := newVocabulary(nil)
	for expr, want := range map[string]int{
		`nasight_collector_success{collector="x"} == 0`:        0,
		`nasight_collector_succes == 0`:                        1,
		`nasight_collector_success{pool="x"} == 0`:             1,
		`max by (host, pool) (nasight_collector_success) == 0`: 1,
		`finding:nasight_finding_confidence:x{detector="x"}`:   2, // neither the series nor, hence, its label
		`time() > 0`: 1,
	} {
		if got := known.faults(expr); len(got) != want {
			t.Errorf("%s: %q, want %d faults", expr, got, want)
		}
	}
}

// A window that is shorter than what it looks at sees nothing: each holds at least four values, and no alert fires of one
// failed scrape.
func TestWindowsFollowTheInterval(t *testing.T) {
	for _, interval := range []time.Duration{alerts.ShortestInterval, 15 * time.Second, time.Minute, alerts.LongestInterval} {
		for _, rule := range rules(t, interval) {
			for _, window := range span.FindAllStringSubmatch(rule.Expr, -1) {
				if d, err := time.ParseDuration(window[1]); err != nil || d < 4*interval {
					t.Errorf("interval %s: %s looks over %s: %v", interval, rule.Alert, window[1], err)
				}
			}
			if rule.Record != "" {
				continue
			}
			if keep, err := time.ParseDuration(rule.KeepFiringFor); err != nil || keep < 5*interval {
				t.Errorf("interval %s: %s is kept for %q: %v", interval, rule.Alert, rule.KeepFiringFor, err)
			}
			if wait, err := time.ParseDuration(rule.For); rule.For != "" && (err != nil || wait < interval) {
				t.Errorf("interval %s: %s waits for %q: %v", interval, rule.Alert, rule.For, err)
			}
		}
	}
}

// Every alert says how bad it is: with a label of the rule, or with one that its series brings along.
func TestEveryAlertHasASeverity(t *testing.T) {
	recorded := map[string]bool{}
	for _, rule := range rules(t, alerts.DefaultInterval) {
		switch severity := rule.Labels["severity"]; {
		case rule.Record != "":
			recorded[rule.Record] = severity != ""
		case severity == "":
			if name, _, _ := strings.Cut(rule.Expr, "{"); !recorded[name] {
				t.Errorf("%s has no severity", rule.Alert)
			}
		case !slices.Contains([]string{alerts.Info, alerts.Warning, alerts.Critical}, severity):
			t.Errorf("%s: severity %q", rule.Alert, severity)
		}
		if rule.Alert != "" && (rule.Annotations.Summary == "" || rule.Annotations.Description == "" || rule.Annotations.RunbookURL == "") {
			t.Errorf("%s: annotations %+v", rule.Alert, rule.Annotations)
		}
	}
}
