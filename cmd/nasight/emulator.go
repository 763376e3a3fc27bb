package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

type emulatorCommand struct {
	Fleet   string `placeholder:"FILE" help:"Fleet description; without it, an example with the findings about cloud storage in it."`
	Example string `enum:"google,azure,all" default:"all" help:"Which example: google, azure or all."`
	Seed    uint64 `default:"1" help:"Seed of the fleet's noise: the same seed at the same hour gives the same data."`
	GRPC    string `name:"grpc" default:"127.0.0.1:9878" placeholder:"HOST:PORT" help:"Address of Cloud Monitoring."`
	HTTP    string `name:"http" default:"127.0.0.1:9879" placeholder:"HOST:PORT" help:"Address of everything else of Google."`
	Azure   string `default:"127.0.0.1:9880" placeholder:"HOST:PORT" help:"Address of Azure, where the fleet has subscriptions."`
	AzureCA string `name:"azure-ca" placeholder:"FILE" help:"Where the CA of Azure's address is written; without it, a temporary file."`
	Config  string `placeholder:"FILE" help:"Also write the configuration for nasight serve to a file."`
}

// Help shows examples below the flags.
func (emulatorCommand) Help() string {
	return strings.Replace(emulatorHelp, "KINDS", kinds(), 1)
}

const emulatorHelp = `Examples:
  nasight emulator --config=emulated.yml            a simulated cloud, and in another terminal, once it has said where it serves:
  nasight serve --config.file=emulated.yml --history.path=emulated

  nasight emulator --example=azure                  storage accounts and file shares instead of pools and volumes
  nasight emulator --fleet=fleet.yml --seed=7       a fleet of one's own
  curl -d '{"kind": "too_many_requests", "method": "ListTimeSeries", "times": 3}' http://127.0.0.1:9879/emulator/faults
                                                    make something go wrong
  curl http://127.0.0.1:9879/emulator/              what else it can be asked and told

A fault has a kind, and may have method, project, location, volume, metric, skip, times, delay, retry_after and share. Kinds:
KINDS

It speaks the protocols of the clouds: Cloud Monitoring by gRPC without TLS, the NetApp API and the metadata server by
HTTP; Azure Resource Manager, Azure Monitor and Log Analytics by HTTPS, with a CA of its own. Any credentials do. Port 0
takes a free port.`

// kinds are the faults, a line each.
func kinds() string {
	var lines []string
	for _, kind := range faults.Kinds() {
		lines = append(lines, fmt.Sprintf("  %-19s %s", kind, kind.Help()))
	}
	return strings.Join(lines, "\n")
}

// emulators are the clouds that the fleet is in; one is nil where the fleet has nothing there.
type emulators struct {
	google *simulator.Server
	azure  *azure.Server
}

// Run serves until the process is told to end.
func (c *emulatorCommand) Run(ctx context.Context, to streams) error {
	fleet, err := c.fleet()
	if err != nil {
		return usageError("%w", err)
	}
	if len(fleet.Projects)+len(fleet.Subscriptions) == 0 {
		return usageError("--fleet=%s: has neither projects nor subscriptions: there is no cloud to emulate", c.Fleet)
	}
	running, err := c.start(ctx, fleet)
	if err != nil {
		return collectError("%w", err)
	}
	if err := c.announce(running, to); err != nil {
		_ = running.close()
		return err
	}
	<-ctx.Done()
	if err := running.close(); err != nil {
		return collectError("end the emulator: %w", err)
	}
	return nil
}

func (c *emulatorCommand) start(ctx context.Context, fleet *model.Fleet) (running emulators, err error) {
	if len(fleet.Projects) > 0 {
		options := simulator.Options{Fleet: fleet, Seed: c.Seed, GRPCAddress: c.GRPC, HTTPAddress: c.HTTP}
		if running.google, err = simulator.Start(ctx, options); err != nil {
			return running, err
		}
	}
	if len(fleet.Subscriptions) > 0 {
		options := azure.Options{Seed: c.Seed, Address: c.Azure, CAFile: c.AzureCA}
		if running.azure, err = azure.Start(ctx, fleet, options); err != nil {
			_ = running.close()
			return running, err
		}
	}
	return running, nil
}

func (e emulators) close() error {
	var errs []error
	if e.google != nil {
		errs = append(errs, e.google.Close())
	}
	if e.azure != nil {
		errs = append(errs, e.azure.Close())
	}
	return errors.Join(errs...)
}

func (c *emulatorCommand) fleet() (*model.Fleet, error) {
	switch {
	case c.Fleet != "":
		return model.ReadFile(c.Fleet)
	case c.Example == "azure":
		return azure.Example()
	}
	fleet, err := simulator.Example()
	if err != nil || c.Example == "google" {
		return fleet, err
	}
	more, err := azure.Example()
	if err != nil {
		return nil, err
	}
	fleet.Subscriptions = more.Subscriptions
	return fleet, nil
}

// announce says where the emulators serve and how nasight serve is made to read them.
func (c *emulatorCommand) announce(running emulators, to streams) error {
	settings := running.settings()
	if c.Config != "" {
		write := func(w io.Writer) error { _, err := io.WriteString(w, settings); return err }
		if err := writeFile(c.Config, write); err != nil {
			return collectError("write configuration %s: %w", c.Config, err)
		}
	}
	if server := running.google; server != nil {
		fmt.Fprintf(to.out, "Cloud Monitoring (gRPC)  %s\nNetApp API               %s/v1/\nmetadata server          GCE_METADATA_HOST=%s\nfaults, usage            %s/emulator/\n\n",
			server.GRPCAddress(), server.URL(), server.HTTPAddress(), server.URL())
	}
	if server := running.azure; server != nil {
		fmt.Fprintf(to.out, "Azure (ARM, metrics)     %s\nLog Analytics            %s\nCA in PEM                %s\nfaults, usage            %s/emulator/\n\n",
			server.URL(), server.LogsURL(), server.CAFile(), server.URL())
	}
	if c.Config != "" {
		fmt.Fprintf(to.out, "To read it: nasight serve --config.file=%s --history.path=emulated\n", c.Config)
		return nil
	}
	fmt.Fprintf(to.out, "To read it, put this into the configuration of nasight serve:\n\n%s", settings)
	return nil
}

func (e emulators) settings() (settings string) {
	if e.google != nil {
		settings += emulatorConfig(e.google)
	}
	if e.azure != nil {
		settings += azureConfig(e.azure)
	}
	return settings
}

// azureConfig is the configuration that reads every subscription of the emulator, and the log in the workspace of each.
func azureConfig(server *azure.Server) string {
	var ids []string
	for _, subscription := range server.Model().Fleet().Subscriptions {
		ids = append(ids, fmt.Sprintf("%q", subscription.ID))
	}
	section := func(name, more string) string {
		return fmt.Sprintf("%s:\n  subscriptions: [%s]\n  identity: {kind: none}\n  endpoints:\n    resource_manager: %q\n    metrics: %q\n%s    ca_file: %q\n",
			name, strings.Join(ids, ", "), server.URL(), server.URL(), more, server.CAFile())
	}
	return section("azurefiles", fmt.Sprintf("    batch: %q\n    logs: %q\n", server.URL(), server.LogsURL())) +
		fmt.Sprintf("  logs: {workspaces: [%s]}\n", strings.Join(ids, ", ")) + section("azurenetapp", "")
}

// emulatorConfig is the configuration that reads every project of the emulator.
func emulatorConfig(server *simulator.Server) string {
	var projects []string
	for _, project := range server.Model().Fleet().Projects {
		projects = append(projects, fmt.Sprintf("%q", project.ID))
	}
	return fmt.Sprintf("gcnv:\n  projects: [%s]\n  endpoints:\n    monitoring: %q\n    netapp: %q\n    insecure: true # no TLS, no credentials\n  pacing: {calls_per_second: 200} # it is on this machine\n",
		strings.Join(projects, ", "), server.GRPCAddress(), server.URL())
}
