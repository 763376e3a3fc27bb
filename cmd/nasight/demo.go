package main

import (
	"context"
	"log/slog"
	"net"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/demo"
	"github.com/nasight/nasight/simulator/model"
)

type demoCommand struct {
	Seed    uint64  `default:"1" help:"Seed of the fleet's noise: the same seed at the same time gives the same data."`
	Speed   float64 `default:"1" help:"How often the incidents of an hour come within it, 1 to 60."`
	Fleet   string  `placeholder:"FILE" help:"Fleet description, as of nasight emulator; without it the built-in one, with its incidents."`
	Config  string  `name:"config.file" placeholder:"FILE" help:"Configuration of which the demo takes export and alerting alone: where results go."`
	Listen  string  `name:"web.listen-address" default:"127.0.0.1:9877" placeholder:"ADDRESS" help:"Address to serve HTTP on."`
	History string  `name:"history.path" placeholder:"DIR" help:"Where samples and state are kept; without it, in a temporary directory that is removed at the end."`
	Log     string  `name:"log.level" enum:"debug,info,warn,error" default:"info" help:"What is logged: debug, info, warn or error."`
}

// Help shows examples below the flags.
func (demoCommand) Help() string {
	return `Examples:
  nasight demo                                      the built-in fleet on http://127.0.0.1:9877, two weeks of history at once
  nasight demo --speed=6                            the incidents of an hour in ten minutes
  nasight demo --fleet=fleet.yml --seed=7           a fleet of one's own
  nasight demo --config.file=nasight.yml            results also go where its export and alerting say
  nasight demo --web.listen-address=127.0.0.1:0     on a free port, which the log names

All data are simulated, and it says so on the page and in every answer. It is nasight serve all the same: the collectors
read files as hosts have them, and emulators that speak the clouds' protocols. Nothing is asked of this host or of a cloud.`
}

// Run serves until the process is told to end.
func (c *demoCommand) Run(ctx context.Context, to streams) error {
	if !(c.Speed >= 1 && c.Speed <= demo.MaxSpeed) {
		return usageError("--speed=%g: from 1 to %d", c.Speed, demo.MaxSpeed)
	}
	if err := config.CheckListenAddress(c.Listen); err != nil {
		return usageError("--web.listen-address: %w", err)
	}
	var fleet *model.Fleet
	if c.Fleet != "" {
		read, err := model.ReadFile(c.Fleet)
		if err != nil {
			return usageError("%w", err)
		}
		fleet = read
	}
	cfg := config.Default()
	if c.Config != "" {
		loaded, err := config.LoadSections(c.Config, "export", "alerting")
		if err != nil {
			return usageError("%w", err)
		}
		cfg = loaded
	}
	logger := slog.New(config.Log{Level: c.Log, Format: "logfmt"}.Handler(to.err))
	return served(demo.Run(ctx, demo.Options{
		Fleet: fleet, Seed: c.Seed, Speed: c.Speed, Address: c.Listen, History: c.History, Build: build(), Logger: logger,
		Export: cfg.Export, Alerting: cfg.Alerting,
		Listening: func(address net.Addr) { logger.Info("listening", "url", "http://"+address.String()) },
	}))
}
