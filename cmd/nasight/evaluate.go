package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/nasight/nasight/evaluate"
)

type evaluateCommand struct {
	Scenarios string `placeholder:"DIR" help:"Scenarios to play; testdata/scenarios where it is there."`
	Captures  string `placeholder:"DIR" help:"Recordings to judge; testdata/captures where it is there and no --scenarios are named."`
	Only      string `placeholder:"REGEXP" help:"Only scenarios and recordings whose names match."`
	Format    string `default:"text" enum:"text,json,markdown" help:"Output: text, json or markdown."`
	Workers   int    `placeholder:"N" help:"Scenarios played at a time; one for each processor if not named."`

	open evaluate.Opening // makes the worlds of scenarios
}

// Help shows examples below the flags.
func (evaluateCommand) Help() string {
	return `Examples:
  nasight evaluate                                  the repository's own corpus, from its root
  nasight evaluate --scenarios=DIR                  scenarios of one's own
  nasight evaluate --scenarios=DIR --only='^smb-' --format=json
                                                    those whose names match, for a program

It prints for each detector what was found, what was missed and what was false, how soon, and how sure the findings were: of
simulated scenarios and of recordings of real hosts apart. docs/evaluation.md says what each figure is and how a scenario is
written.

Exit codes: 0 done, 2 wrong usage or a scenario that is wrong, 3 could not evaluate.`
}

// The corpora of the repository, from its root.
const (
	ownScenarios = "testdata/scenarios"
	ownCaptures  = "testdata/captures"
)

// Run evaluates and prints.
func (c *evaluateCommand) Run(ctx context.Context, to streams) error {
	options := evaluate.Options{Workers: c.Workers}
	if c.Workers < 0 || c.Workers > 1024 {
		return usageError("--workers=%d: between 1 and 1024 scenarios can be played at a time", c.Workers)
	}
	if c.Only != "" {
		only, err := regexp.Compile(c.Only)
		if err != nil {
			return usageError("--only=%s: %w", c.Only, err)
		}
		options.Only = only
	}
	if err := c.directories(); err != nil {
		return err
	}
	report, err := c.evaluate(ctx, options, to)
	if err != nil {
		return c.failed(ctx, err)
	}
	if report.Simulated == nil && report.Real == nil {
		return usageError("--only=%s: no scenario and no recording has such a name", c.Only)
	}
	if err := c.print(report, to.out); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return nil
}

// directories finds the repository's own corpora for what no flag names.
func (c *evaluateCommand) directories() error {
	for _, named := range []struct{ flag, path string }{{"--scenarios", c.Scenarios}, {"--captures", c.Captures}} {
		if named.path != "" && !isDirectory(named.path) {
			return usageError("%s=%s: there is no such directory", named.flag, named.path)
		}
	}
	if c.Captures == "" && c.Scenarios == "" && isDirectory(ownCaptures) {
		c.Captures = ownCaptures
	}
	if c.Scenarios == "" && isDirectory(ownScenarios) {
		c.Scenarios = ownScenarios
	}
	if c.Scenarios == "" && c.Captures == "" {
		return usageError("there is neither %s nor %s here: name a directory with --scenarios or --captures", ownScenarios, ownCaptures)
	}
	return nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (c *evaluateCommand) evaluate(ctx context.Context, options evaluate.Options, to streams) (*evaluate.Report, error) {
	var report evaluate.Report
	if c.Scenarios != "" {
		scenarios, err := evaluate.ReadScenarios(c.Scenarios)
		if err != nil {
			return nil, usageError("%w", err)
		}
		if c.open == nil {
			return nil, collectError("%s: this build has no simulator that plays scenarios", c.Scenarios)
		}
		options.Progress = progress(to.err, "scenario")
		if report.Simulated, err = evaluate.Play(ctx, scenarios, c.open, options); err != nil {
			return nil, err
		}
	}
	if c.Captures != "" {
		var err error
		options.Progress = progress(to.err, "recording")
		if report.Real, err = evaluate.Recordings(ctx, c.Captures, options); err != nil {
			return nil, err
		}
	}
	return &report, nil
}

// progress shows how far it is on a terminal.
func progress(w io.Writer, what string) func(done, all int) {
	if !isTerminal(w) {
		return nil
	}
	return func(done, all int) {
		fmt.Fprintf(w, "\r%s %d of %d", what, done, all)
		if done == all {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
}

// failed is the error of a scenario that cannot be played, or of what else went wrong.
func (c *evaluateCommand) failed(ctx context.Context, err error) error {
	var impossible *evaluate.ImpossibleError
	var code failure
	switch {
	case errors.As(err, &code):
		return err
	case ctx.Err() != nil:
		return collectError("evaluate: interrupted")
	case errors.As(err, &impossible):
		return usageError("%w", err)
	}
	return collectError("evaluate: %w", err)
}

func (c *evaluateCommand) print(report *evaluate.Report, w io.Writer) error {
	switch c.Format {
	case "json":
		return report.WriteJSON(w)
	case "markdown":
		return report.Markdown(w)
	}
	return report.Text(w)
}
