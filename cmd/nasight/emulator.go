package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/model"
)

type emulatorCommand struct {
	Fleet  string `placeholder:"FILE" help:"Fleet description; without it, an example with every finding in it."`
	Seed   uint64 `default:"1" help:"Seed of the fleet's noise: the same seed at the same hour gives the same data."`
	GRPC   string `name:"grpc" default:"127.0.0.1:9878" placeholder:"HOST:PORT" help:"Address of Cloud Monitoring."`
	HTTP   string `name:"http" default:"127.0.0.1:9879" placeholder:"HOST:PORT" help:"Address of everything else."`
	Config string `placeholder:"FILE" help:"Also write the configuration for nasight serve to a file."`
}

// Help shows examples below the flags.
func (emulatorCommand) Help() string {
	return `Examples:
  nasight emulator --config=emulated.yml            a simulated cloud, and in another terminal:
  nasight serve --config.file=emulated.yml --history.path=emulated

  nasight emulator --fleet=fleet.yml --seed=7       a fleet of one's own
  curl -d '{"kind": "too_many_requests", "method": "ListTimeSeries", "times": 3}' http://127.0.0.1:9879/emulator/faults
                                                    make something go wrong

It speaks the protocols of the cloud: Cloud Monitoring by gRPC without TLS, the NetApp API and the metadata server by
HTTP. Any credentials do. Port 0 takes a free port.`
}

// Run serves until the process is told to end.
func (c *emulatorCommand) Run(ctx context.Context, to streams) error {
	options := simulator.Options{Seed: c.Seed, GRPCAddress: c.GRPC, HTTPAddress: c.HTTP}
	var err error
	if options.Fleet, err = c.fleet(); err != nil {
		return usageError("%w", err)
	}
	server, err := simulator.Start(ctx, options)
	if err != nil {
		return collectError("%w", err)
	}
	if err := c.announce(server, to); err != nil {
		_ = server.Close()
		return err
	}
	<-ctx.Done()
	if err := server.Close(); err != nil {
		return collectError("end the emulator: %w", err)
	}
	return nil
}

func (c *emulatorCommand) fleet() (*model.Fleet, error) {
	if c.Fleet == "" {
		return simulator.Example()
	}
	return model.ReadFile(c.Fleet)
}

// announce says where the emulator serves and how nasight serve is made to read it.
func (c *emulatorCommand) announce(server *simulator.Server, to streams) error {
	settings := emulatorConfig(server)
	if c.Config != "" {
		write := func(w io.Writer) error { _, err := io.WriteString(w, settings); return err }
		if err := writeFile(c.Config, write); err != nil {
			return collectError("write configuration %s: %w", c.Config, err)
		}
	}
	fmt.Fprintf(to.out, "Cloud Monitoring (gRPC)  %s\nNetApp API               %s/v1/\nmetadata server          GCE_METADATA_HOST=%s\nfaults, usage            %s/emulator/\n\n",
		server.GRPCAddress(), server.URL(), server.HTTPAddress(), server.URL())
	if c.Config != "" {
		fmt.Fprintf(to.out, "To read it: nasight serve --config.file=%s --history.path=emulated\n", c.Config)
		return nil
	}
	fmt.Fprintf(to.out, "To read it, put this into the configuration of nasight serve:\n\n%s", settings)
	return nil
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
