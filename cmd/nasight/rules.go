package main

import (
	"context"
	"os"
	"time"

	"github.com/nasight/nasight/alerts"
)

// rulesCommands write what a monitoring stack of one's own needs.
type rulesCommands struct {
	Export       rulesExportCommand       `cmd:"" help:"Write the alert rules for Prometheus or vmalert."`
	Alertmanager rulesAlertmanagerCommand `cmd:"" help:"Write an example of a configuration of Alertmanager."`
}

type rulesExportCommand struct {
	PollInterval time.Duration `default:"60s" help:"How often new values arrive: the longer of Prometheus's scrape interval and nasight's detection interval. All windows follow from it."`
	Runbooks     string        `default:"${runbooks}" placeholder:"URL" help:"Where runbook_url leads, for a copy of the runbooks (${default})."`
	Out          string        `placeholder:"FILE" help:"Write to a file instead of the standard output."`
}

// Help shows examples below the flags.
func (rulesExportCommand) Help() string {
	return `Examples:
  nasight rules export --out=/etc/prometheus/rules/nasight.rules.yml
  nasight rules export --poll-interval=15s > nasight.rules.yml       where Prometheus scrapes that often and nasight judges so
  nasight rules export --runbooks=https://wiki.example.com/nasight   with runbooks of one's own

The file holds recording rules and alerts: one for each finding, and some about nasight itself.`
}

// Run writes the rules.
func (c *rulesExportCommand) Run(_ context.Context, to streams) error {
	if c.PollInterval < alerts.ShortestInterval || c.PollInterval > alerts.LongestInterval {
		return usageError("--poll-interval=%s: between %s and %s", c.PollInterval, alerts.ShortestInterval, alerts.LongestInterval)
	}
	rules, err := alerts.YAML(alerts.Options{Interval: c.PollInterval, Runbooks: c.Runbooks})
	if err != nil {
		return usageError("--runbooks=%s: %w", c.Runbooks, err)
	}
	return put(to, c.Out, rules)
}

type rulesAlertmanagerCommand struct {
	Out string `placeholder:"FILE" help:"Write to a file instead of the standard output."`
}

// Help shows examples below the flags.
func (rulesAlertmanagerCommand) Help() string {
	return `Examples:
  nasight rules alertmanager --out=alertmanager.yml

Its receivers are placeholders; what is worth taking over are the routes and the inhibit rules.`
}

// Run writes the example.
func (c *rulesAlertmanagerCommand) Run(_ context.Context, to streams) error {
	return put(to, c.Out, alerts.Alertmanager)
}

// put writes to a file that other programs' users may read, or to the standard output.
func put(to streams, file string, data []byte) error {
	if file == "" {
		_, err := to.out.Write(data)
		return err
	}
	if err := os.WriteFile(file, data, 0o644); err != nil { // Prometheus reads it as a user of its own
		return collectError("write %s: %w; name a file that this user can write", file, err)
	}
	return nil
}
