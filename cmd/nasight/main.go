// Command nasight finds the throughput that people pay for and do not get from cloud file storage.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // zones of configured days, on machines and in images without a database of them

	"github.com/alecthomas/kong"

	"github.com/nasight/nasight/alerts"
	"github.com/nasight/nasight/cli"
	"github.com/nasight/nasight/simulator/stage"
)

// The exit codes of every command.
const (
	exitOK        = 0
	exitFindings  = 1 // findings at or above --fail-on
	exitUsage     = 2 // the command line or the configuration is wrong
	exitUncollect = 3 // the host, the bundle or the store could not be read
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// streams are where a command writes.
type streams struct {
	out, err io.Writer
}

// commands is the command line.
type commands struct {
	Check    checkCommand    `cmd:"" help:"Diagnose this host, or a recorded bundle: what binds each mount, with evidence and commands."`
	Capture  captureCommand  `cmd:"" help:"Record what check reads, to examine it elsewhere."`
	Serve    serveCommand    `cmd:"" help:"Collect, detect and serve metrics, findings and a page."`
	Envelope envelopeCommand `cmd:"" help:"What one cloud volume can do, by protocol, service level, block size and read share."`
	Plan     planCommand     `cmd:"" help:"Propose how to share the throughput of pools with manual QoS among their volumes, with a proof."`
	Detect   detectCommand   `cmd:"" help:"Judge a stretch of the past as serve would have: what fired, since when, until when."`
	Report   reportCommands  `cmd:"" help:"Write reports: what was granted, used and idle, worth how much, and what to do first."`
	Evaluate evaluateCommand `cmd:"" help:"How well the detectors do on scenarios and recordings of which the truth is known."`
	Emulator emulatorCommand `cmd:"" help:"Serve a simulated cloud over its own protocols, to try nasight without an account."`
	Demo     demoCommand     `cmd:"" help:"Serve a simulated fleet with two weeks of history and every finding in it, to see what nasight shows."`
	Rules    rulesCommands   `cmd:"" help:"Write alert rules, and an example for Alertmanager, for a monitoring stack of one's own."`
	Ready    readyCommand    `cmd:"" help:"Ask a running nasight whether it is ready, and tell by the exit code."`

	Dashboards dashboardsCommands `cmd:"" help:"Write Grafana dashboards for a monitoring stack of one's own."`

	Config configCommands `cmd:"" help:"Work on the configuration file."`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

// run parses the command line, runs one command and returns its exit code. Whatever is wrong is one line.
func run(ctx context.Context, args []string, to streams) int {
	line := commands{
		Check: checkCommand{hostFlags: newHostFlags()}, Capture: captureCommand{hostFlags: newHostFlags()},
		Serve: serveCommand{hostFlags: newHostFlags()}, Evaluate: evaluateCommand{open: stage.Open},
	}
	exited := -1
	parser, err := kong.New(&line,
		kong.Name("nasight"),
		kong.Description("Finds the throughput that people pay for and do not get from cloud file storage."),
		kong.Writers(to.out, to.err),
		kong.Exit(func(code int) { exited = code }),
		kong.Vars{"version": version(), "runbooks": alerts.Runbooks},
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(to),
		cli.Numbers(),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	if err != nil {
		return fail(to, exitUsage, err)
	}
	command, err := parser.Parse(args)
	if exited >= 0 {
		return exited // --help and --version have printed what was asked
	}
	if err != nil {
		return fail(to, exitUsage, fmt.Errorf("%w; see nasight --help", err))
	}
	return codeOf(to, command.Run())
}

// failure is an error with the exit code it leads to.
type failure struct {
	code int
	err  error
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

func usageError(format string, args ...any) error {
	return failure{exitUsage, fmt.Errorf(format, args...)}
}

func collectError(format string, args ...any) error {
	return failure{exitUncollect, fmt.Errorf(format, args...)}
}

// errFindings ends a command whose findings reach --fail-on; they have been printed.
var errFindings = errors.New("findings")

func codeOf(to streams, err error) int {
	var failed failure
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.As(err, &failed):
		return fail(to, failed.code, err)
	}
	return fail(to, exitUncollect, err)
}

func fail(to streams, code int, err error) int {
	fmt.Fprintf(to.err, "nasight: %v\n", err)
	return code
}
