package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nasight/nasight/bundle"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/diagnose"
)

type checkCommand struct {
	hostFlags
	Interval time.Duration `default:"5s" help:"Time between the moments taken of this host."`
	Moments  int           `default:"3" help:"How many moments are taken of this host."`
	Format   string        `default:"text" enum:"text,json,markdown" help:"Output: text, json or markdown."`
	FailOn   string        `default:"never" enum:"never,info,warning,critical" help:"Exit with 1 if there are findings of this severity or above."`
	Color    string        `default:"auto" enum:"auto,always,never" help:"Colours: auto (on a terminal), always or never."`
	Bundle   string        `arg:"" optional:"" help:"Bundle of nasight capture, packed or unpacked; without it this host is examined."`
}

// Help shows examples below the flags.
func (checkCommand) Help() string {
	return `Examples:
  nasight check                                     examine this host for ten seconds
  nasight check --interval=10s --format=json        the same, longer, for a program
  nasight check client.tar.gz                       examine a recorded host
  nasight check --path.procfs=/host/proc --path.sysfs=/host/sys
                                                    examine the host from inside a container

Exit codes: 0 done, 1 findings at or above --fail-on, 2 wrong usage or configuration, 3 could not collect.`
}

// Run diagnoses and prints.
func (c *checkCommand) Run(ctx context.Context, to streams) error {
	options, err := c.options(to)
	if err != nil {
		return err
	}
	report, err := c.diagnose(ctx, options)
	if err != nil {
		return err
	}
	if err := c.print(report, to); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if reason := report.Blind(); reason != "" {
		return collectError("%s", reason)
	}
	if limit := severities[c.FailOn]; limit > 0 && report.Worst() >= limit {
		return errFindings
	}
	return nil
}

var severities = map[string]detectors.Severity{
	"info": detectors.Info, "warning": detectors.Warning, "critical": detectors.Critical,
}

func (c *checkCommand) options(to streams) (diagnose.Options, error) {
	if c.Moments < 1 || c.Moments > 100 {
		return diagnose.Options{}, usageError("--moments=%d: between 1 and 100 moments can be taken", c.Moments)
	}
	if c.Interval < 100*time.Millisecond || c.Interval > time.Hour {
		return diagnose.Options{}, usageError("--interval=%s: between 100ms and 1h", c.Interval)
	}
	options, err := c.hostOptions()
	if err != nil {
		return options, err
	}
	if c.Bundle == "" && isTerminal(to.err) {
		options.Progress = func(moment int, _ time.Time) {
			fmt.Fprintf(to.err, "\rmoment %d of %d", moment, c.Moments)
			if moment == c.Moments {
				fmt.Fprint(to.err, "\r\x1b[K")
			}
		}
	}
	return options, nil
}

func (c *checkCommand) diagnose(ctx context.Context, options diagnose.Options) (*diagnose.Report, error) {
	if c.Bundle != "" {
		return recorded(ctx, c.Bundle, options)
	}
	root, closeRoot, err := c.root()
	if err != nil {
		return nil, err
	}
	defer func() { _ = closeRoot() }()
	report, err := diagnose.Run(ctx, diagnose.Live(ctx, root, c.Moments, c.Interval), options)
	if err != nil {
		return nil, examined("host "+root.Host, err)
	}
	report.Kernel = kernel(root)
	return report, nil
}

func recorded(ctx context.Context, path string, options diagnose.Options) (*diagnose.Report, error) {
	recording, err := bundle.Open(path)
	if err != nil {
		if _, statErr := os.Stat(path); errors.Is(statErr, fs.ErrNotExist) {
			return nil, usageError("%s: no such file or directory; give a bundle of nasight capture", path)
		}
		return nil, collectError("%w", err)
	}
	report, err := diagnose.Run(ctx, diagnose.Recorded(recording), options)
	if err != nil {
		return nil, examined("bundle "+path, err)
	}
	report.Kernel, report.Notes = recording.Kernel, recording.Notes
	return report, nil
}

// examined is why an examination gave no report.
func examined(what string, err error) error {
	if errors.Is(err, context.Canceled) {
		return collectError("examine %s: interrupted", what)
	}
	return collectError("examine %s: %w", what, err)
}

func (c *checkCommand) print(report *diagnose.Report, to streams) error {
	switch c.Format {
	case "json":
		return report.WriteJSON(to.out)
	case "markdown":
		return report.Markdown(to.out)
	}
	return report.Text(to.out, c.Color == "always" || c.Color == "auto" && isTerminal(to.out))
}

// isTerminal tells whether a stream is a terminal, where colour and progress make sense.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && filepath.Base(file.Name()) != "null"
}
