package main

import (
	"cmp"
	"fmt"

	"github.com/nasight/nasight/config"
)

// configCommands work on the configuration file.
type configCommands struct {
	Check configCheckCommand `cmd:"" help:"Parse a configuration strictly and print every mistake with its line."`
}

type configCheckCommand struct {
	File       string `arg:"" optional:"" help:"The configuration file; nasight.yml if none is named."`
	ConfigFile string `name:"config.file" placeholder:"FILE" help:"The same, as serve takes it."`
}

// Help shows examples below the flags.
func (configCheckCommand) Help() string {
	return `Examples:
  nasight config check                              check ./nasight.yml
  nasight config check /etc/nasight/nasight.yml     check another file

Exit codes: 0 the file is right, 2 it is not; each mistake is a line with file, line and column.`
}

// Run checks and says what would run.
func (c *configCheckCommand) Run(to streams) error {
	if c.File != "" && c.ConfigFile != "" {
		return usageError("%s and --config.file=%s: name one configuration file", c.File, c.ConfigFile)
	}
	c.File = cmp.Or(c.File, c.ConfigFile, "nasight.yml")
	cfg, err := config.Load(c.File)
	if err != nil {
		return usageError("%w", err)
	}
	hosts := "hosts"
	if len(cfg.Hosts) == 1 {
		hosts = "host"
	}
	fmt.Fprintf(to.out, "%s: right: %d %s, history in %s for %s, detection every %s over %s, listening on %s\n",
		c.File, len(cfg.Hosts), hosts, cfg.History.Path, cfg.History.Retention, cfg.Detection.Interval, cfg.Detection.Window, cfg.Web.ListenAddress)
	for _, warning := range cfg.Warnings() {
		fmt.Fprintf(to.out, "note: %s\n", warning)
	}
	return nil
}
