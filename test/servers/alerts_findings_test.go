//go:build servers

package servers

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/schema"
)

// promtoolFile is a file of "promtool test rules".
type promtoolFile struct {
	RuleFiles []string       `yaml:"rule_files"`
	Interval  string         `yaml:"evaluation_interval"`
	Tests     []promtoolTest `yaml:"tests"`
}

type promtoolTest struct {
	Name     string           `yaml:"name"`
	Interval string           `yaml:"interval"`
	Series   []promtoolSeries `yaml:"input_series"`
	Alerts   []promtoolAlert  `yaml:"alert_rule_test,omitempty"`
	Firing   []promtoolExpr   `yaml:"promql_expr_test,omitempty"`
}

type promtoolSeries struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

type promtoolAlert struct {
	At       string             `yaml:"eval_time"`
	Name     string             `yaml:"alertname"`
	Expected []promtoolExpected `yaml:"exp_alerts"`
}

type promtoolExpected struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

type promtoolExpr struct {
	Expr    string           `yaml:"expr"`
	At      string           `yaml:"eval_time"`
	Samples []promtoolSample `yaml:"exp_samples"`
}

type promtoolSample struct {
	Labels string  `yaml:"labels"`
	Value  float64 `yaml:"value"`
}

// findingTests are the tests of the alerts about findings, for an interval: each fires with its words at each of its
// severities, and at no other; none fires of a hint; each outlasts a gap and the restart of nasight, and ends after that.
func findingTests(interval time.Duration) ([]byte, error) {
	file := promtoolFile{RuleFiles: []string{rulesFile}, Interval: interval.String()}
	for _, row := range alerts.Findings() {
		f := findingAlert{row, interval}
		for i, level := range levels {
			file.Tests = append(file.Tests, f.fires(i+1, level))
		}
		file.Tests = append(file.Tests, f.unsure(), f.hint(), f.quiet(), f.gap(), f.change())
	}
	file.Tests = append(file.Tests, hostOnly(interval))
	return yaml.Marshal(file)
}

// levels are the severities of findings, from 1 on.
var levels = [...]string{alerts.Info, alerts.Warning, alerts.Critical}

// findingAlert is the alert of a finding, where values arrive once an interval.
type findingAlert struct {
	alerts.Finding

	interval time.Duration
}

// exampleLabels name the resource of the tests. Every finding carries one label set, whatever it is about.
func (f findingAlert) exampleLabels() map[string]string {
	return map[string]string{
		"detector": f.Detector, "variant": f.Variant, "cloud": "gcp", "service": "gcnv", "project": "p", "location": "l",
		"pool": "pool", "volume": "vol", "host": "h", "server": "192.0.2.1", "export": "/e", "protocol": "nfs",
	}
}

// series are the finding's, as an instance of nasight exposes them.
func (f findingAlert) series(instance, severity, confidence, gain string) []promtoolSeries {
	var pairs []string
	example := f.exampleLabels()
	for _, label := range schema.FindingActive.Labels {
		pairs = append(pairs, fmt.Sprintf("%s=%q", label, example[label]))
	}
	labels := fmt.Sprintf("{%s,instance=%q}", strings.Join(pairs, ","), instance)
	all := []promtoolSeries{
		{schema.FindingSeverity.Name + labels, severity},
		{schema.FindingConfidence.Name + labels, confidence},
	}
	if gain != "" {
		all = append(all, promtoolSeries{schema.FindingGain.Name + labels, gain})
	}
	return all
}

func (f findingAlert) test(what string, series []promtoolSeries) promtoolTest {
	return promtoolTest{Name: f.String() + ": " + what, Interval: f.interval.String(), Series: series}
}

// fires: sure enough, at one severity, with the cause, the gain and the way out in its words. Money is said where
// provisioning is what costs it.
func (f findingAlert) fires(severity int, level string) promtoolTest {
	series := f.series("a", fmt.Sprintf("%dx5", severity), "0.6x5", "104857600x5")
	saves := ""
	if f.Detector == detectors.PoolThroughputUnused || f.Detector == detectors.BeyondEnvelope {
		series = append(series, promtoolSeries{strings.Replace(series[0].Series, schema.FindingSeverity.Name, schema.FindingWaste.Name, 1), "7372.8x5"})
		saves = " Saves 7373 USD a month."
	}
	test := f.test("fires as "+level, series)
	labels := f.exampleLabels()
	labels["severity"] = level
	test.Alerts = []promtoolAlert{{At: (2 * f.interval).String(), Name: f.Alert(), Expected: []promtoolExpected{{
		Labels: labels,
		Annotations: map[string]string{
			"summary":     f.Cause + ": p/l/pool/vol host h server 192.0.2.1 export /e (nfs)",
			"description": f.Way + " Confidence 0.60. Expected gain: 100MiB/s." + saves + " Evidence and commands: nasight's page, or /api/v1/findings.",
			"runbook_url": runbooks + "/" + f.Alert() + ".md",
		},
	}}}}
	return test
}

// hostOnly: a finding that names a host and nothing else has no holes in its words, and no gain where none is known.
func hostOnly(interval time.Duration) promtoolTest {
	labels := `{detector="client_bound",variant="cpu",host="h"}`
	return promtoolTest{
		Name: "labels that a finding has not leave no holes", Interval: interval.String(),
		Series: []promtoolSeries{{schema.FindingSeverity.Name + labels, "2x5"}, {schema.FindingConfidence.Name + labels, "0.75x5"}},
		Alerts: []promtoolAlert{{At: (2 * interval).String(), Name: "NasightClientBoundCPU", Expected: []promtoolExpected{{
			Labels: map[string]string{"detector": "client_bound", "variant": "cpu", "host": "h", "severity": "warning"},
			Annotations: map[string]string{
				"summary": "The client's processors are the limit: host h",
				"description": "Use a VM with more cores, spread the receive work over the cores, or the work over more clients. Confidence 0.75." +
					" Evidence and commands: nasight's page, or /api/v1/findings.",
				"runbook_url": runbooks + "/NasightClientBoundCPU.md",
			},
		}}}},
	}
}

// unsure: of a low confidence it is told, and nobody is paged.
func (f findingAlert) unsure() promtoolTest {
	test := f.test("pages nobody below the confidence for it", f.series("a", "3x5", "0.55x5", ""))
	test.Firing = []promtoolExpr{f.firing(2, alerts.Info)}
	return test
}

// hint: of a hint nothing is told.
func (f findingAlert) hint() promtoolTest {
	test := f.test("is silent as a hint", f.series("a", "3x5", "0.35x5", ""))
	test.Firing = []promtoolExpr{f.firing(2)}
	return test
}

// quiet: while nobody is to be notified, nothing is told; then it is, as what was explained by another finding that ends.
func (f findingAlert) quiet() promtoolTest {
	series := f.series("a", "2x9", "0.9x9", "")
	test := f.test("tells nothing while it is quiet", append(series, promtoolSeries{
		strings.Replace(series[0].Series, schema.FindingSeverity.Name, schema.FindingQuiet.Name, 1), "1x4 stale",
	}))
	test.Firing = []promtoolExpr{f.firing(1), f.firing(4), f.firing(6, alerts.Warning)}
	return test
}

// gap: nasight is gone for three intervals and comes back as another instance: one alert throughout. Then the finding ends,
// and the alert after it.
func (f findingAlert) gap() promtoolTest {
	keep := int(f.Keep(f.interval) / f.interval)
	before := f.series("a", "2x4 stale", "0.9x4 stale", "")
	after := f.series("b", "_x8 2x4 stale", "_x8 0.9x4 stale", "")
	test := f.test("outlasts a gap and a restart, and ends", append(before, after...))
	test.Firing = []promtoolExpr{
		f.firing(4, alerts.Warning), f.firing(7, alerts.Warning), f.firing(10, alerts.Warning),
		f.firing(12+keep, alerts.Warning), f.firing(14 + keep),
	}
	return test
}

// change: two nasights see it, the surer one decides. It becomes critical: the new alert begins at once, the old one ends.
func (f findingAlert) change() promtoolTest {
	keep := int(f.Keep(f.interval) / f.interval)
	test := f.test("becomes critical", append(
		f.series("a", fmt.Sprintf("2x4 3x%d", 2*keep), fmt.Sprintf("0.9x%d", 5+2*keep), ""),
		f.series("b", fmt.Sprintf("1x%d", 5+2*keep), fmt.Sprintf("0.4x%d", 5+2*keep), "")...))
	test.Firing = []promtoolExpr{
		f.firing(4, alerts.Warning), f.firing(5, alerts.Critical, alerts.Warning), f.firing(6+keep, alerts.Critical),
	}
	return test
}

// firing asks which alerts of the finding fire: one at each of the severities, in the order of their names.
func (f findingAlert) firing(intervals int, levels ...string) promtoolExpr {
	expr := promtoolExpr{
		Expr:    fmt.Sprintf(`count by (severity) (ALERTS{alertname=%q, alertstate="firing"})`, f.Alert()),
		At:      (time.Duration(intervals) * f.interval).String(),
		Samples: []promtoolSample{},
	}
	for _, level := range levels {
		expr.Samples = append(expr.Samples, promtoolSample{Labels: fmt.Sprintf("{severity=%q}", level), Value: 1})
	}
	return expr
}
