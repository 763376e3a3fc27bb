package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/report"
)

// reportCommands write reports.
type reportCommands struct {
	Weekly reportWeeklyCommand `cmd:"" help:"The efficiency report of one closed week."`
}

type reportWeeklyCommand struct {
	Week       string   `placeholder:"WEEK" help:"An ISO week in UTC that has ended, such as 2026-W48; the last closed one if none is named."`
	Compare    string   `placeholder:"WEEK" help:"The week that figures are held against; the one before if none is named."`
	Pool       string   `placeholder:"POOL" help:"Only this pool or storage account: POOL, LOCATION/POOL or PROJECT/LOCATION/POOL."`
	Project    string   `placeholder:"PROJECT" help:"Only this project or subscription."`
	Format     []string `default:"html" placeholder:"FORMAT" help:"Formats, separated by commas: html, md, json."`
	Out        string   `default:"." placeholder:"DIR" help:"Directory for the files; - for the standard output."`
	ConfigFile string   `name:"config.file" placeholder:"FILE" help:"The configuration of nasight serve: its history or address, its thresholds, its prices."`
	Server     string   `placeholder:"URL" help:"The nasight serve that is asked; http://localhost:9877 if nothing else is named."`
	History    string   `name:"history.path" placeholder:"DIR" help:"The history of a nasight serve that does not run."`
}

// Help shows examples below the flags.
func (reportWeeklyCommand) Help() string {
	return `Examples:
  nasight report weekly                             the last closed week, from nasight serve on this host, as HTML
  nasight report weekly --config.file=nasight.yml --format=html,md,json --out=reports
                                                    by a configuration, with its prices, in three formats
  nasight report weekly --week=2026-W48 --compare=2026-W44 --pool=pool-1
                                                    one pool, held against four weeks before
  nasight report weekly --format=md --out=-         to the standard output

A week runs from Monday 00:00 UTC to the Monday after it. The report proposes; nasight changes nothing. Money is spoken of by the
prices in the configuration alone (detection.prices).

Exit codes: 0 done, 2 wrong usage, as a week that has not ended or that history knows nothing of,
3 the history could not be read (as of a server that answers nothing within 30 seconds), or the report not written.`
}

// Run makes the report and writes it.
func (c *reportWeeklyCommand) Run(ctx context.Context, to streams) error {
	options, err := c.options(time.Now())
	if err != nil {
		return err
	}
	cfg, err := configuration(c.ConfigFile, named{"--server", c.Server}, named{"--history.path", c.History})
	if err != nil {
		return err
	}
	options.Terms = judge.Configured(cfg)
	from, err := openHistory(ctx, cfg, "report weekly", c.ConfigFile, named{"--history.path", c.History}, named{"--server", c.Server})
	if err != nil {
		return err
	}
	err = c.make(ctx, from, cfg, options, to)
	if closeErr := from.close(); closeErr != nil && err == nil {
		return collectError("%w", closeErr)
	}
	return err
}

// options are what the flags ask for.
func (c *reportWeeklyCommand) options(now time.Time) (report.Options, error) {
	options := report.Options{Week: report.LastClosed(now), Pool: c.Pool, Project: c.Project, Now: now}
	for _, asked := range []struct {
		flag, text string
		week       *report.Week
	}{{"--week", c.Week, &options.Week}, {"--compare", c.Compare, &options.Compare}} {
		if asked.text == "" {
			continue
		}
		week, err := report.ParseWeek(asked.text)
		if err != nil {
			return options, usageError("%s=%s: %w", asked.flag, asked.text, err)
		}
		*asked.week = week
	}
	if len(c.Format) == 0 {
		return options, usageError("--format=: names no format; write %s", strings.Join(report.Formats(), ", "))
	}
	for _, format := range c.Format {
		if !slices.Contains(report.Formats(), format) {
			return options, usageError("--format=%s: is not known; write %s", format, strings.Join(report.Formats(), ", "))
		}
	}
	if c.Out == "-" && len(c.Format) != 1 {
		return options, usageError("--out=-: one format fits on the standard output, not %d; name a directory", len(c.Format))
	}
	return options, asUsage(options.Check())
}

// asUsage is a usage error where what was asked for is wrong.
func asUsage(err error) error {
	var asked *report.RequestError
	if errors.As(err, &asked) {
		return usageError("--%w", asked)
	}
	return err
}

func (c *reportWeeklyCommand) make(ctx context.Context, from source, cfg config.Config, options report.Options, to streams) error {
	if isTerminal(to.err) {
		fmt.Fprintf(to.err, "\rreading week %s from %s", options.Week, from.name)
		defer fmt.Fprint(to.err, "\r\x1b[K")
	}
	options.History, options.Terms.Cloud = from.name, options.Terms.Cloud || c.ConfigFile == ""
	made, err := report.Build(ctx, from.reader, options)
	switch asked := (*report.RequestError)(nil); {
	case err == nil:
	case ctx.Err() != nil:
		return collectError("report of week %s from %s: interrupted", options.Week, from.name)
	case errors.As(err, &asked):
		return asUsage(err)
	case errors.Is(err, report.ErrNoData):
		return usageError("--week=%s: history %s %w: its retention may be shorter (history.retention is %s), or nasight serve did not run; name another week",
			options.Week, from.name, err, cfg.History.Retention)
	default:
		if silent := unanswered(err); silent != nil {
			return collectError("report of week %s: %w; %s", options.Week, silent, otherServer)
		}
		return collectError("report of week %s from %s: %w", options.Week, from.name, err)
	}
	made.Simulated = from.notice()
	return c.write(made, to)
}

func (c *reportWeeklyCommand) write(made *report.Weekly, to streams) error {
	if c.Out == "-" {
		return made.Write(to.out, c.Format[0])
	}
	paths, err := made.WriteFiles(c.Out, c.Format)
	if taken := (*report.InTheWayError)(nil); errors.As(err, &taken) {
		return collectError("--out=%s: %w", c.Out, err)
	}
	if err != nil {
		return collectError("--out=%s: %w; name a directory that this user can write to", c.Out, err)
	}
	for _, path := range paths {
		if _, err := fmt.Fprintln(to.out, path); err != nil {
			return fmt.Errorf("name the report's files: %w", err)
		}
	}
	return nil
}
