package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/alerting"
	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/serve"
)

// configCommands work on the configuration file.
type configCommands struct {
	Check configCheckCommand `cmd:"" help:"Parse a configuration strictly and print every mistake with its line; try the clouds that it names."`
}

type configCheckCommand struct {
	File       string        `arg:"" optional:"" help:"The configuration file; nasight.yml if none is named."`
	ConfigFile string        `name:"config.file" placeholder:"FILE" help:"The same, as serve takes it."`
	Connect    bool          `help:"Also try, with the configured credentials, each permission that reading the clouds needs, and ask them what their documentation leaves open. Reads only."`
	Format     string        `default:"text" enum:"text,json" help:"Output of --connect: text or json."`
	Timeout    time.Duration `default:"2m" help:"Most time that --connect takes."`
}

// Help shows examples below the flags.
func (configCheckCommand) Help() string {
	return `Examples:
  nasight config check                              check ./nasight.yml
  nasight config check /etc/nasight/nasight.yml     check another file
  nasight config check --connect                    also try each permission in the clouds that it names
  nasight config check --connect --format=json      the same, for a program

A file that sets nothing is right, and a note says so: every key has its default.

Exit codes: 0 the file is right and everything works, 2 the file is wrong (each mistake is a line with file, line and
column), 3 a permission lacks or a call fails; each is a line with what lacks and the command that gives it.`
}

// Run checks, says what would run, and tries the clouds if asked to.
func (c *configCheckCommand) Run(ctx context.Context, to streams) error {
	if c.File != "" && c.ConfigFile != "" {
		return usageError("%s and --config.file=%s: name one configuration file", c.File, c.ConfigFile)
	}
	c.File = cmp.Or(c.File, c.ConfigFile, "nasight.yml")
	if c.Format != "text" && !c.Connect {
		return usageError("--format=%s: only --connect has that output", c.Format)
	}
	if c.Timeout < shortestTrial || c.Timeout > longestTrial {
		return usageError("--timeout=%s: between %s and %s", c.Timeout, shortestTrial, longestTrial)
	}
	cfg, err := config.Load(c.File)
	if err != nil {
		return usageError("%w", err)
	}
	rules, err := serve.LoadRules(cfg)
	if err != nil {
		return usageError("%w", err)
	}
	trials := cloudTrials(&cfg)
	if c.Connect && len(trials) == 0 {
		return usageError("%s: there is no cloud to connect to; name one, as gcnv: {projects: [example-prod]} or azurefiles: {subscriptions: [ID]}", c.File)
	}
	if c.Format == "text" {
		c.describe(&cfg, rules, to)
	}
	if c.Connect {
		return c.connect(ctx, &cfg, trials, to)
	}
	return nil
}

// describe says what would run.
func (c *configCheckCommand) describe(cfg *config.Config, rules *alerting.Loaded, to streams) {
	parts := append(sources(cfg),
		cfg.History.Where(),
		fmt.Sprintf("detection every %s over %s", cfg.Detection.Interval, cfg.Detection.Window),
		"listening on "+cfg.Web.ListenAddress)
	if cfg.Alerting.Enabled() {
		parts = append(parts, fmt.Sprintf("%s in %s for %s", several(rules.Rules(), "rule"), several(rules.Files(), "file"),
			several(len(cfg.Alerting.Alertmanagers), "Alertmanager")))
	}
	fmt.Fprintf(to.out, "%s: right: %s\n", c.File, strings.Join(parts, ", "))
	if config.SetsNothing(c.File) {
		fmt.Fprintf(to.out, "note: %s sets nothing: every key has its default.\n", c.File)
	}
	for _, warning := range cfg.Warnings() {
		fmt.Fprintf(to.out, "note: %s\n", warning)
	}
}

// sources are what is read, a few words each.
func sources(cfg *config.Config) []string {
	parts := []string{several(len(cfg.Hosts), "host")}
	if cfg.Windows.Directory != "" {
		parts = append(parts, "Windows recordings in "+cfg.Windows.Directory)
	}
	if count := len(cfg.PromHost); count > 0 {
		parts = append(parts, "exporters of "+several(count, "Prometheus"))
	}
	if cfg.AzureFiles.Enabled() {
		parts = append(parts, "Azure Files of "+several(len(cfg.AzureFiles.Subscriptions), "subscription"))
	}
	if cfg.AzureNetApp.Enabled() {
		parts = append(parts, "Azure NetApp Files of "+several(len(cfg.AzureNetApp.Subscriptions), "subscription"))
	}
	if cfg.GCNV.Enabled() {
		var of []string
		if count := len(cfg.GCNV.Projects); count > 0 {
			of = append(of, several(count, "project"))
		}
		if count := len(cfg.GCNV.Folders); count > 0 {
			of = append(of, several(count, "folder"))
		}
		parts = append(parts, "Google Cloud NetApp Volumes of "+strings.Join(of, " and "))
	}
	return parts
}

// several is a number of things.
func several(count int, what string) string {
	if count != 1 && what != "Prometheus" {
		what += "s"
	}
	return fmt.Sprintf("%d %s", count, what)
}
