package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/judge"
)

type detectCommand struct {
	From       string `required:"" placeholder:"TIME" help:"Beginning: a time such as 2026-11-30T08:00:00Z, a day, or a time span such as 6h: so long ago."`
	To         string `placeholder:"TIME" help:"End, written likewise; now if it is not named."`
	ConfigFile string `name:"config.file" placeholder:"FILE" help:"The configuration of nasight serve: its history or address, its thresholds."`
	HistoryURL string `name:"history.url" placeholder:"URL" help:"A history that answers PromQL: a nasight serve that runs, or what it writes to."`
	Data       string `name:"data" placeholder:"DIR" help:"The history of a nasight serve that does not run."`
	Format     string `default:"text" enum:"text,json" help:"Output: text or json."`
}

// Help shows examples below the flags.
func (detectCommand) Help() string {
	return `Examples:
  nasight detect --from=2026-11-30T08:00:00Z --to=2026-11-30T12:00:00Z --data=./data
                                                    what fired in these hours, from the files of a serve that was stopped
  nasight detect --from=24h --config.file=nasight.yml
                                                    the last day, by the thresholds of a configuration, whether its serve runs or not
  nasight detect --from=6h --history.url=http://localhost:9877 --format=json
                                                    the last six hours of a serve that runs, for a program

It judges the past as nasight serve would have, minute by minute, and changes nothing. With other thresholds in --config.file it
shows what those would have found. --history.url and --data win over the file, which then gives the thresholds alone.
It begins to look an hour before --from, to know what fires since before.

Exit codes: 0 done, 2 wrong usage, 3 the history could not be read.`
}

// backtest is what the command prints as JSON.
type backtest struct {
	From        time.Time    `json:"from"`
	To          time.Time    `json:"to"`
	Evaluations int          `json:"evaluations"` // of which history knows something
	Findings    []judge.Life `json:"findings"`    // in the order in which they began to fire
}

// mostSpan bounds a back-test, so that a slip of the pen does not run for days.
const mostSpan = 35 * 24 * time.Hour

// Run judges the past and prints what fired.
func (c *detectCommand) Run(ctx context.Context, to streams) error {
	result, err := c.span(time.Now())
	if err != nil {
		return err
	}
	cfg, err := c.configuration()
	if err != nil {
		return err
	}
	from, err := c.open(ctx, cfg)
	if err != nil {
		return err
	}
	err = c.replay(ctx, from, cfg, &result, to)
	if closeErr := from.close(); closeErr != nil && err == nil {
		err = collectError("%w", closeErr)
	}
	if err != nil {
		return err
	}
	if err := c.print(result, from.name, to.out); err != nil {
		return fmt.Errorf("print the findings: %w", err)
	}
	return nil
}

func (c *detectCommand) replay(ctx context.Context, from source, cfg config.Config, result *backtest, to streams) error {
	terms := judge.Configured(cfg)
	terms.Cloud = terms.Cloud || c.ConfigFile == "" // then nobody has said that no cloud is read
	var progress func(at time.Time)
	if isTerminal(to.err) {
		progress = func(at time.Time) { fmt.Fprintf(to.err, "\rjudging %s", at.UTC().Format(time.DateTime)) }
		defer fmt.Fprint(to.err, "\r\x1b[K")
	}
	var err error
	result.Findings, result.Evaluations, err = judge.Replay(ctx, from.reader, terms, result.From, result.To, time.Duration(cfg.Detection.Interval), progress)
	switch {
	case ctx.Err() != nil:
		return collectError("judge the history of %s: interrupted", from.name)
	case err != nil:
		if silent := unanswered(err); silent != nil {
			return collectError("judge the history: %w; %s", silent, otherServer)
		}
		return collectError("judge the history of %s: %w", from.name, err)
	case result.Evaluations == 0:
		return collectError("%s has no samples from %s to %s", from.name, stamp(result.From), stamp(result.To))
	}
	return nil
}

// span reads the flags that say which past is meant.
func (c *detectCommand) span(now time.Time) (backtest, error) {
	var result backtest
	var err error
	if result.From, err = moment("--from", c.From, now); err != nil {
		return result, err
	}
	result.To = now.UTC().Truncate(time.Second)
	if c.To != "" {
		if result.To, err = moment("--to", c.To, now); err != nil {
			return result, err
		}
	}
	switch length := result.To.Sub(result.From); {
	case length <= 0:
		return result, usageError("--from=%s: %s is not before the end, %s", c.From, stamp(result.From), stamp(result.To))
	case length > mostSpan:
		return result, usageError("--from=%s: %s to %s are more than %s: judge less at a time", c.From, stamp(result.From), stamp(result.To), mostSpan)
	}
	return result, nil
}

// moment is a time as a flag writes it.
func moment(flag, text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	ago, err := config.ParseDuration(text)
	if err != nil || ago > 100*365*24*time.Hour {
		return time.Time{}, usageError("%s=%s: is no time: write 2026-11-30T08:00:00Z, 2026-11-30, or a span such as 6h for so long ago", flag, text)
	}
	return now.Add(-ago).UTC().Truncate(time.Second), nil
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func (c *detectCommand) configuration() (config.Config, error) {
	return configuration(c.ConfigFile, named{"--history.url", c.HistoryURL}, named{"--data", c.Data})
}

func (c *detectCommand) open(ctx context.Context, cfg config.Config) (source, error) {
	return openHistory(ctx, cfg, "detect", c.ConfigFile, named{"--data", c.Data}, named{"--history.url", c.HistoryURL})
}

func (c *detectCommand) print(result backtest, name string, w io.Writer) error {
	if c.Format == "json" {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(result)
	}
	if _, err := fmt.Fprintf(w, "From %s, %s to %s: %s, %s.\n", name, stamp(result.From), stamp(result.To), detectors.Count(result.Evaluations, "evaluation"), detectors.Count(len(result.Findings), "finding")); err != nil {
		return err
	}
	if len(result.Findings) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\nsince\tfired\tresolved\tseverity\tconfidence\tfinding\tresource\t\n")
	for _, life := range result.Findings {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", beginning(life.Finding), stamp(life.Fired), ending(life), life.Severity, sureness(life.Finding), life.Name(), place(life.Finding))
	}
	return table.Flush()
}

// beginning is since when a finding held; what did so at the first look may be older.
func beginning(f detectors.Finding) string {
	if f.SinceAtLeast {
		return stamp(f.Since) + " or before"
	}
	return stamp(f.Since)
}

func ending(life judge.Life) string {
	if life.Resolved == nil {
		return "still " + string(life.State)
	}
	return stamp(*life.Resolved)
}

func sureness(f detectors.Finding) string {
	text := fmt.Sprintf("%.2f", f.Confidence)
	switch {
	case f.Hint:
		text += " (hint)"
	case len(f.BlockedBy) > 0:
		text += " (blocked)"
	}
	return text
}

// place names a finding's resource in a few words.
func place(f detectors.Finding) string {
	var named []string
	for _, part := range []string{f.Resource.Host, f.Resource.Server, f.Resource.Export, f.Resource.Project, f.Resource.Location, f.Resource.Pool, f.Resource.Volume} {
		if part != "" {
			named = append(named, part)
		}
	}
	return strings.Join(named, " ")
}
