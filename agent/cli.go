package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/nasight/nasight/cli"
	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/export"
)

// Exit codes.
const (
	exitOK         = 0
	exitUsage      = 2 // usage or configuration error
	exitCollection = 3 // could not collect or serve
)

const description = `Collects what this host's kernel tells of its network storage (NFS mounts, TCP sessions, interfaces, processors), serves it on /metrics and pushes it by remote write. It never touches a mounted file system.

Examples:

  nasight-agent

  nasight-agent --path.procfs=/host/proc --path.sysfs=/host/sys --path.modprobe=/host/etc/modprobe.d

  nasight-agent --collector.disable-defaults --collector.nfs --interval=30s

  nasight-agent --remote-write.url=https://nasight.example.com/api/v1/write --remote-write.bearer-token-file=/etc/nasight/token`

// flags are the command line, apart from the collectors' switches. Every flag can be set by the environment, too.
type flags struct {
	ListenAddress string `name:"web.listen-address" default:":9878" help:"Address to serve HTTP on."`
	WebConfig     string `name:"web.config.file" placeholder:"FILE" help:"TLS and basic auth of the server, in the format of the Prometheus exporter toolkit."`

	cli.HostFlags

	Interval *time.Duration `name:"interval" placeholder:"DURATION" help:"How often the collectors run, 1s or more; each one's own interval if not set."`
	State    string         `name:"state.file" placeholder:"FILE" help:"Keeps the lowest round-trip times over restarts; not kept if not set."`

	NoDefaults bool `name:"collector.disable-defaults" help:"Run only the collectors that are switched on."`

	Push pushFlags `embed:"" prefix:"remote-write."`

	LogLevel  string           `name:"log.level" default:"info" enum:"debug,info,warn,error" help:"Least level to log: ${enum}."`
	LogFormat string           `name:"log.format" default:"text" enum:"text,json" help:"Format of the log: ${enum}."`
	Version   kong.VersionFlag `name:"version" env:"-" help:"Print the version and exit."`
}

type pushFlags struct {
	URL         string `name:"url" placeholder:"URL" help:"Remote-write endpoint to push to; nothing is pushed if not set."`
	Protocol    string `name:"protocol" default:"2.0" enum:"2.0,1.0" help:"Version of remote write; VictoriaMetrics takes 1.0."`
	User        string `name:"basic-auth-user" placeholder:"NAME" help:"User for basic auth, with the password file."`
	Password    string `name:"password-file" placeholder:"FILE" help:"Holds the password for basic auth."`
	BearerToken string `name:"bearer-token-file" placeholder:"FILE" help:"Holds the bearer token."`
	CA          string `name:"ca-file" placeholder:"FILE" help:"Certificate authorities of the receiver; the system's if not set."`
}

// Main is the program: it parses the arguments, runs the agent until the context ends and returns the exit code.
func Main(ctx context.Context, args []string, build export.Build, entries []collectors.Entry, stdout, stderr io.Writer) int {
	cfg, done, err := parse(args, build, entries, stdout, stderr)
	if done {
		return exitOK
	}
	if err == nil {
		err = Run(ctx, cfg)
	}
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		_, _ = fmt.Fprintf(stderr, "nasight-agent: %s\n", oneLine(err))
		return exitUsage
	}
	_, _ = fmt.Fprintf(stderr, "nasight-agent: %s\n", oneLine(err))
	return exitCollection
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// usageError marks what the operator has to put right.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// parse turns the arguments into a configuration. done says that there is nothing left to do.
func parse(args []string, build export.Build, entries []collectors.Entry, stdout, stderr io.Writer) (cfg Config, done bool, err error) {
	var f struct {
		flags
		kong.Plugins
	}
	switches := cli.NewSwitches(entries)
	f.Plugins = kong.Plugins{switches.Target()}
	parser, err := kong.New(&f,
		kong.Name("nasight-agent"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Vars{"version": "nasight-agent " + build.Version + " (" + build.Revision + ")"},
		kong.DefaultEnvars("NASIGHT"),
		cli.Numbers(),
		kong.Exit(func(int) { done = true })) // after --help and --version
	if err != nil {
		return Config{}, false, fmt.Errorf("command line: %w", err)
	}
	_, err = parser.Parse(args)
	switch {
	case done:
		return Config{}, true, nil
	case err != nil:
		return Config{}, false, usageError{fmt.Errorf("%w (see --help)", err)}
	}
	cfg, err = f.config(build, entries, switches.Set(), stderr)
	return cfg, false, err
}

func (f *flags) config(build export.Build, entries []collectors.Entry, set map[string]bool, stderr io.Writer) (Config, error) {
	selected, err := collectors.Select(entries, collectors.Selection{Set: set, DisableDefaults: f.NoDefaults})
	if err != nil {
		return Config{}, usageError{err}
	}
	host, err := f.HostName()
	if err != nil {
		return Config{}, usageError{err}
	}
	interval, err := f.interval()
	if err != nil {
		return Config{}, err
	}
	return Config{
		Host: host, Build: build, Entries: selected, Interval: interval,
		Paths:  f.Paths(),
		Listen: f.ListenAddress, WebConfig: f.WebConfig, StateFile: f.State,
		Push: export.PusherConfig{
			URL: f.Push.URL, Protocol: f.Push.Protocol, User: f.Push.User, PasswordFile: f.Push.Password,
			BearerTokenFile: f.Push.BearerToken, CAFile: f.Push.CA,
		},
		Logger: newLogger(stderr, f.LogLevel, f.LogFormat),
	}, nil
}

const shortestInterval = time.Second

// interval is 0 where none was given. One that is given as 0 or less would run each collector at its own interval, which
// nobody means who writes a number.
func (f *flags) interval() (time.Duration, error) {
	if f.Interval == nil {
		return 0, nil
	}
	if *f.Interval < shortestInterval {
		return 0, usageError{fmt.Errorf("--interval=%s is shorter than %s; write %s or more, or leave it out for each collector's own interval",
			*f.Interval, shortestInterval, shortestInterval)}
	}
	return *f.Interval, nil
}
