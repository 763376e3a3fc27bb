package alerting

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/schema"
)

// Each mistake is one line with the file, the line in it, and what is wrong.
func TestMistakesHaveLines(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"no YAML":      {"groups: [\n", []string{":1: did not find expected node content"}},
		"unknown keys": {"groups:\n  - name: a\n    rule: []\n  - nam: b\n", []string{":3: field rule not found", ":4: field nam not found"}},
		"an expression": {
			"groups:\n  - name: a\n    rules:\n      - alert: A\n        expr: up ==\n",
			[]string{`:5:15: rule "A" of group "a": could not parse expression: 1:6: parse error: unexpected end of input`},
		},
		"a template": {
			"groups:\n  - name: other\n  - name: a\n    rules:\n      - {record: x, expr: up}\n      - alert: A\n        expr: up\n        annotations:\n          summary: '{{ nope }}'\n",
			[]string{`:6:16: rule "A" of group "a": annotation "summary": template: __alert_A:1: function "nope" not defined`},
		},
		"a label": {
			"groups:\n  - name: a\n    rules:\n      - alert: A\n        expr: up\n        labels: {__name__: b}\n",
			[]string{`:4:16: rule "A" of group "a": invalid label name: __name__`},
		},
		"our names, and a pace": {
			"groups:\n  - name: a\n    interval: 10ms\n    rules:\n      - record: nasight_finding\n        expr: up\n",
			[]string{
				`:2:11: interval 10ms of group "a" is too short; write 1s or more`,
				`:5:17: rule "nasight_finding" of group "a": names that begin with nasight_ or scraped: are nasight's own; record under another, such as team:nasight_finding`,
			},
		},
		"groups of one name": {"groups:\n  - {name: a}\n  - {name: a}\n", []string{`:3: groupname: "a" is repeated in the same file`}},
		"a duration":         {"groups:\n  - name: a\n    interval: 5 minutes\n", []string{`:3: unknown unit " minutes" in duration "5 minutes"`}},
	} {
		t.Run(name, func(t *testing.T) {
			file := ruleFile(t, c.text)
			_, err := Load(Settings{Files: []string{file}})
			if err == nil {
				t.Fatal("accepted")
			}
			var got []string
			for line := range strings.Lines(err.Error()) {
				got = append(got, strings.TrimPrefix(strings.TrimRight(line, "\n"), file))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFilesAreFound(t *testing.T) {
	directory := t.TempDir()
	for _, name := range []string{"a.yml", "b.yml", "c.yaml"} {
		write(t, filepath.Join(directory, name), always)
	}
	write(t, filepath.Join(directory, "empty"), "")
	write(t, filepath.Join(directory, "none"), "groups: []\n")
	if err := os.Mkdir(filepath.Join(directory, "d.yml.d"), 0o750); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(directory, name) }
	for name, c := range map[string]struct {
		patterns []string
		files    int
		says     string // of the mistake; empty for none
	}{
		"a pattern":             {[]string{in("*.yml")}, 2, ""},
		"each once":             {[]string{in("*.yml"), in("a.yml"), in("*")[:len(in("*"))-1] + "./a.yml"}, 2, ""},
		"a pattern without any": {[]string{in("*.rules")}, 0, "no file matches " + in("*.rules")},
		"one of two without":    {[]string{in("*.yml"), in("*.rules")}, 0, "no file matches " + in("*.rules")},
		"files without rules":   {[]string{in("empty"), in("none")}, 0, "there is no rule in " + in("empty") + ", " + in("none")},
		"no such file":          {[]string{in("z.yml")}, 0, "z.yml: there is no such file"},
		"a directory":           {[]string{in("d.yml.d")}, 0, "this is no file of rules but a directory"},
		"no pattern":            {[]string{"[a"}, 0, `"[a" is no pattern`},
	} {
		loaded, err := Load(Settings{Files: c.patterns})
		switch {
		case c.says == "" && (err != nil || loaded.Files() != c.files || loaded.Rules() != c.files):
			t.Errorf("%s: %v, want %d files", name, err, c.files)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestAlertmanagersAreChecked(t *testing.T) {
	notes := filepath.Join(t.TempDir(), "notes")
	write(t, notes, "no certificate")
	for says, one := range map[string]Alertmanager{
		"credentials": {URL: "http://am.example.com:9093", BearerTokenFile: notes + ".missing"},
		"CA cert":     {URL: "https://am.example.com:9093", CAFile: notes},
	} {
		if _, err := Load(Settings{Alertmanagers: []Alertmanager{one}}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", one, err, says)
		}
	}
}

// Rules with a mistake are not taken over, and that shows; the old ones go on. A change that leaves a group as it is leaves its
// alerts as they are.
func TestAMistakeKeepsTheOldRules(t *testing.T) {
	receiver := newReceiver(t)
	file := ruleFile(t, always)
	settings := Settings{Alertmanagers: []Alertmanager{receiver.alertmanager()}, Files: []string{file}}
	b := newBench(t, memory(t), settings)
	b.pass(1, nil)
	began := receiver.next(t).StartsAt
	write(t, file, "groups: [\n")
	if _, err := Load(settings); err == nil {
		t.Fatal("accepted")
	}
	b.Reject()
	if success := b.own(schema.AlertingReloadSuccess, ""); success != 0 {
		t.Errorf("success %v", success)
	}
	b.pass(2, nil)
	if alert := receiver.next(t); !alert.StartsAt.Equal(began) {
		t.Errorf("%+v, want the alert from %s on", alert, began)
	}
	write(t, file, always+"      - {alert: Another, expr: vector(2), labels: {more: 'true'}}\n  - name: idle\n    rules: [{alert: Never, expr: vector(1) > 2}]\n")
	b.use(settings)
	if success := b.own(schema.AlertingReloadSuccess, ""); success != 1 {
		t.Errorf("success %v", success)
	}
	b.pass(2, nil)
	for range 2 {
		alert := receiver.next(t)
		if alert.Labels["alertname"] == "Always" && !alert.StartsAt.Equal(began) {
			t.Errorf("the reload began the alert anew: %+v", alert)
		}
	}
	if evaluations, failures := b.own(schema.AlertingEvaluations, ";team"), b.own(schema.AlertingEvaluationFailures, "team"); evaluations < 4 || failures != 0 {
		t.Errorf("%v evaluations, %v failures", evaluations, failures)
	}
	// Another receiver takes the place of the first.
	other := newReceiver(t)
	settings.Alertmanagers = []Alertmanager{other.alertmanager()}
	b.use(settings)
	b.await("the new address is known", func() bool {
		known := b.notifier.Alertmanagers()
		return len(known) == 1 && known[0].Host == other.Listener.Addr().String()
	})
	b.pass(2, nil)
	other.next(t)
}

// Without rules there is nothing to evaluate and nothing to tell.
func TestNothingIsEvaluatedWithoutRules(t *testing.T) {
	b := newBench(t, memory(t), Settings{})
	b.pass(1, nil)
	if groups := b.RuleGroups(); len(groups) > 0 {
		t.Errorf("%d groups", len(groups))
	}
	if value := b.own(schema.AlertingReloadSuccess, ""); value != -1 {
		t.Errorf("tells %v", value)
	}
}

// A rule that cannot be evaluated is counted, and the others go on.
func TestAFailureIsCounted(t *testing.T) {
	b := newBench(t, memory(t), Settings{Files: []string{ruleFile(t, `
groups:
  - name: team
    rules:
      - {alert: Twice, expr: 'label_replace(vector(1), "a", "x", "", "") or label_replace(vector(1), "a", "y", "", "")', labels: {a: same}}
      - {alert: Always, expr: vector(1)}
`)}})
	b.pass(2, nil)
	if failures := b.own(schema.AlertingEvaluationFailures, "team"); failures != 2 {
		t.Errorf("%v failures, want 2", failures)
	}
	if fired := b.firing(); !cmp.Equal(fired, []string{"Always"}) {
		t.Errorf("%q fire", fired)
	}
}
