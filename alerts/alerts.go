// Package alerts makes the Prometheus rules: recording rules that say how a finding notifies, one alert for each finding
// that a detector can make, and alerts about nasight's own health. Everything is a row of a table; every window follows
// from the interval at which values arrive. Prometheus and vmalert read the same file.
package alerts

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
)

//go:generate go run ./generate nasight.rules.yml

// The severities of alerts, as the label severity carries them; what they mean is what they mean for findings.
const (
	Info     = "info"
	Warning  = "warning"
	Critical = "critical"
)

// The bounds of the interval, and the one that the committed file is made for: how often serve judges, and how often a
// Prometheus scrapes that was not told otherwise. A value older than five minutes is none to Prometheus.
const (
	DefaultInterval  = time.Minute
	ShortestInterval = 5 * time.Second
	LongestInterval  = 5 * time.Minute
)

// Runbooks is where the runbooks are read, a page for each alert.
const Runbooks = "https://github.com/nasight/nasight/blob/main/docs/runbooks"

// Alertmanager is an example of a configuration of Alertmanager that goes with the rules.
//
//go:embed alertmanager.yml
var Alertmanager []byte

// Options are what an installation decides.
type Options struct {
	Interval time.Duration // how often new values arrive: the longer of the scrape's and the evaluation's interval
	Runbooks string        // where runbook_url leads, without a slash at the end
}

// Defaults are the options of the file that the repository holds.
func Defaults() Options { return Options{Interval: DefaultInterval, Runbooks: Runbooks} }

// check says what an option cannot be.
func (o Options) check() error {
	if o.Interval < ShortestInterval || o.Interval > LongestInterval {
		return fmt.Errorf("interval %s: between %s and %s", o.Interval, ShortestInterval, LongestInterval)
	}
	if strings.ContainsAny(o.Runbooks, " \t\n{}\"") || !strings.Contains(o.Runbooks, "://") {
		return fmt.Errorf("address of the runbooks %q: not a URL", o.Runbooks)
	}
	return nil
}

// File is a file of rules.
type File struct {
	Groups []Group `yaml:"groups"`
}

// Group is a list of rules that are evaluated one after the other.
type Group struct {
	Name     string `yaml:"name"`
	Interval string `yaml:"interval"`
	Rules    []Rule `yaml:"rules"`
}

// Rule is a recording rule or an alert.
type Rule struct {
	Record        string            `yaml:"record,omitempty"`
	Alert         string            `yaml:"alert,omitempty"`
	Expr          string            `yaml:"expr"`
	For           string            `yaml:"for,omitempty"`
	KeepFiringFor string            `yaml:"keep_firing_for,omitempty"`
	Labels        map[string]string `yaml:"labels,omitempty"`
	Annotations   Annotations       `yaml:"annotations,omitempty"`
}

// Annotations are what an alert tells people.
type Annotations struct {
	Summary     string `yaml:"summary,omitempty"`
	Description string `yaml:"description,omitempty"`
	RunbookURL  string `yaml:"runbook_url,omitempty"`
}

// Rules are all rules for an installation.
func Rules(options Options) (File, error) {
	if err := options.check(); err != nil {
		return File{}, err
	}
	interval := duration(options.Interval)
	findings := Group{Name: "nasight-findings", Interval: interval, Rules: recordings()}
	for _, row := range Findings() {
		findings.Rules = append(findings.Rules, row.rule(options))
	}
	health := Group{Name: "nasight-health", Interval: interval}
	for _, row := range healthRows(options.Interval) {
		health.Rules = append(health.Rules, row.rule(options))
	}
	return File{Groups: []Group{findings, health}}, nil
}

// duration is a time as rules write it: 90s is 1m30s, in whole seconds.
func duration(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func runbook(options Options, alert string) string {
	return options.Runbooks + "/" + alert + ".md"
}
