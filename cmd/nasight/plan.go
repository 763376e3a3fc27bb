package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/plan"
)

type planCommand struct {
	Pool          string   `placeholder:"POOL" help:"Only this pool: POOL, LOCATION/POOL or PROJECT/LOCATION/POOL. Without it, every pool with manual QoS."`
	Project       string   `placeholder:"PROJECT" help:"Only pools of this project."`
	ConfigFile    string   `name:"config.file" placeholder:"FILE" help:"The configuration of nasight serve: its history or address, its thresholds."`
	Server        string   `placeholder:"URL" help:"The nasight serve that is asked; http://localhost:9877 if nothing else is named."`
	History       string   `name:"history.path" placeholder:"DIR" help:"The history of a nasight serve that does not run."`
	Format        string   `default:"text" enum:"text,json" help:"Output: text or json."`
	Headroom      *float64 `placeholder:"FACTOR" help:"What a volume should have, over the forecast of what it uses; 1.2 if the configuration does not say."`
	Reserve       *float64 `placeholder:"SHARE" help:"Share of the pool that surplus is not spread into; 0.1 if it is not named."`
	Floor         []string `sep:"none" placeholder:"VOLUME=MIBPS" help:"Lower bound of one volume, or without VOLUME= of all; 64 MiB/s if none is named. May be repeated."`
	Protect       []string `sep:"none" placeholder:"VOLUME" help:"A volume that is not lowered. May be repeated."`
	FailoverReady bool     `help:"Give replication destinations now what their source needs."`
}

// Help shows examples below the flags.
func (planCommand) Help() string {
	return `Examples:
  nasight plan                                      every pool with manual QoS, from nasight serve on this host
  nasight plan --config.file=nasight.yml            the same by a configuration, whether its serve runs or not
  nasight plan --pool=pool-1 --floor=32 --floor=db=200 --protect=home
                                                    one pool, with bounds of one's own
  nasight plan --history.path=./data --format=json  from the files of a serve that was stopped, for a program

A volume is named as VOLUME, LOCATION/VOLUME or PROJECT/LOCATION/VOLUME. The plan proposes; nasight changes nothing.

With --config.file the history that the file names is read, or its serve is asked where one runs. --server and
--history.path win over the file, which then gives the thresholds alone.

Exit codes: 0 done, also if there is nothing to plan, 2 wrong usage, 3 the history could not be read, or there
is too little in it yet: the inventory of the cloud could not be read, or the past is still being filled in.`
}

// Run reads what the volumes did, plans and prints.
func (c *planCommand) Run(ctx context.Context, to streams) error {
	cfg, err := c.configuration()
	if err != nil {
		return err
	}
	if err := c.request(cfg).Check(); err != nil {
		return wrong(err)
	}
	source, err := c.open(ctx, cfg)
	if err != nil {
		return err
	}
	err = c.plan(ctx, source, cfg, time.Now(), to)
	if closeErr := source.close(); closeErr != nil && err == nil {
		return collectError("%w", closeErr)
	}
	return err
}

// request is what the flags ask for; the configuration says the rest.
func (c *planCommand) request(cfg config.Config) plan.Request {
	request := plan.NewRequest(cfg.Detection.Settings())
	request.Pool, request.Project, request.Floors, request.Protect = c.Pool, c.Project, c.Floor, c.Protect
	request.FailoverReady = c.FailoverReady
	if c.Headroom != nil {
		request.Headroom = *c.Headroom
	}
	if c.Reserve != nil {
		request.Reserve = *c.Reserve
	}
	return request
}

// wrong is a usage error about a flag.
func wrong(err error) error {
	var flag *plan.RequestError
	if errors.As(err, &flag) {
		return usageError("--%w", err)
	}
	return usageError("%w", err)
}

// plan reads, plans and prints as of a moment.
func (c *planCommand) plan(ctx context.Context, from source, cfg config.Config, now time.Time, to streams) error {
	if isTerminal(to.err) {
		fmt.Fprintf(to.err, "\rreading five weeks of the volumes' samples from %s", from.name)
		defer fmt.Fprint(to.err, "\r\x1b[K")
	}
	view, err := survey(ctx, from.reader, cfg, now)
	if err != nil {
		return c.unread(ctx, from, err)
	}
	if len(view.Pools) == 0 {
		if err := unknownPools(ctx, from, now); err != nil {
			return err
		}
	}
	answer, err := c.request(cfg).Answer(view, cfg.Detection.Settings())
	var asked *plan.RequestError
	switch {
	case errors.As(err, &asked):
		return wrong(err)
	case err != nil:
		return err
	}
	if err := filling(ctx, from, answer, to.err); err != nil {
		return err
	}
	if c.Format == "json" {
		encoder := json.NewEncoder(to.out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(answer)
	}
	return showPlans(to.out, from.name, now, answer)
}

// unread says why the history could not be read, and where there may be another.
func (c *planCommand) unread(ctx context.Context, from source, err error) error {
	switch {
	case ctx.Err() != nil:
		return collectError("read the volumes' history from %s: interrupted", from.name)
	case c.History != "":
		return collectError("read the volumes' history from %s: %w", from.name, err)
	}
	if silent := unanswered(err); silent != nil {
		err = silent
	}
	if from.instead != nil {
		return collectError("read the volumes' history: %w; nor are there files to read: %w; name either with --server or --history.path", err, from.instead)
	}
	return collectError("read the volumes' history: %w; name a nasight serve that runs with --server (https://USER:PASSWORD@HOST:PORT where it "+
		"has TLS or basic auth), or the files of one that does not with --history.path", err)
}

func showPlans(w io.Writer, name string, now time.Time, answer *plan.Answer) error {
	if len(answer.Pools) == 0 {
		_, err := fmt.Fprintln(w, nothing(name, answer.Known))
		return err
	}
	age := ""
	if old := now.Sub(answer.At).Round(time.Minute); old > 0 {
		age = fmt.Sprintf(", %s ago: what has changed since is not in it", old)
	}
	if _, err := fmt.Fprintf(w, "From %s, as of %s%s.\n", name, answer.At.Format(time.RFC3339), age); err != nil {
		return err
	}
	for _, one := range answer.Pools {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := one.Text(w); err != nil {
			return err
		}
	}
	return nil
}

// nothing says why there is no plan.
func nothing(name string, count int) string {
	switch count {
	case 0:
		return "No storage pool is in the history of " + name + ": the inventory of the cloud was read and has none."
	case 1:
		return "The one storage pool in the history of " + name + " has no manual QoS: there are no limits to move."
	default:
		return fmt.Sprintf("None of the %d storage pools in the history of %s has manual QoS: there are no limits to move.", count, name)
	}
}

// source is a history that is open for reading.
type source struct {
	reader  history.Reader
	name    string
	close   func() error
	notice  func() string // what it says of its data once it was read, as that they are simulated; empty for nothing
	instead error         // why the files that the configuration names are not read; nil for no reason to tell
}
