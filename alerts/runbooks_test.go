package alerts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/schema"
)

const (
	top      = ".."
	runbooks = "../docs/runbooks"
)

// Each alert has a runbook, and each runbook an alert.
func TestEveryAlertHasARunbook(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(runbooks, "Nasight*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, page := range pages {
		names = append(names, strings.TrimSuffix(filepath.Base(page), ".md"))
	}
	if diff := cmp.Diff(alertNames(t), names); diff != "" {
		t.Errorf("alerts against runbooks (-want +got):\n%s", diff)
	}
	for _, rule := range rules(t, alerts.DefaultInterval) {
		if rule.Alert != "" && rule.Annotations.RunbookURL != alerts.Runbooks+"/"+rule.Alert+".md" {
			t.Errorf("%s: runbook at %s", rule.Alert, rule.Annotations.RunbookURL)
		}
	}
}

var (
	metric = regexp.MustCompile(`\bnasight_[a-z_]+`)
	link   = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
)

// A runbook says what the alert means, how to see it by hand, what to do and what not to; the metrics that it asks for
// exist, and its links lead somewhere.
func TestRunbooks(t *testing.T) {
	known := newVocabulary(rules(t, alerts.DefaultInterval))
	pages, err := filepath.Glob(filepath.Join(runbooks, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		for _, part := range []string{"# " + name + "\n", "\n## What it means\n", "\n## How to see it by hand\n", "\n## What to do\n", "\n## What not to do\n"} {
			if strings.Count(text, part) != 1 {
				t.Errorf("%s: %q is not there once", page, part)
			}
		}
		for _, used := range metric.FindAllString(text, -1) {
			if _, ok := known[used]; !ok {
				t.Errorf("%s: no metric %s", page, used)
			}
		}
		checkQueries(t, page, text, known)
		checkLinks(t, page, text)
	}
}

var queries = regexp.MustCompile("(?s)```promql\n(.*?)```")

// checkQueries: each line asks for a metric that exists, by labels that it has.
func checkQueries(t *testing.T, page, text string, known vocabulary) {
	t.Helper()
	blocks := queries.FindAllStringSubmatch(text, -1)
	if blocks == nil {
		t.Errorf("%s: no query", page)
	}
	for _, block := range blocks {
		for expr := range strings.Lines(block[1]) {
			if faults := known.faults(expr); faults != nil && !labelless(expr) {
				t.Errorf("%s: %s: %q", page, strings.TrimSpace(expr), faults)
			}
		}
	}
}

func checkLinks(t *testing.T, page, text string) {
	t.Helper()
	for _, match := range link.FindAllStringSubmatch(text, -1) {
		if strings.Contains(match[1], "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(page), match[1])); err != nil {
			t.Errorf("%s: link to %s: %v", page, match[1], err)
		}
	}
}

// What alerts.md says of the labels is what findings carry.
func TestTheGuideNamesTheLabels(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "docs", "alerts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range schema.FindingActive.Labels {
		if !strings.Contains(string(text), "`"+label+"`") {
			t.Errorf("docs/alerts.md does not name the label %s", label)
		}
	}
}
