package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/plan"
)

type planCommand struct {
	Pool          string   `placeholder:"POOL" help:"Only this pool: POOL, LOCATION/POOL or PROJECT/LOCATION/POOL. Without it, every pool with manual QoS."`
	Server        string   `placeholder:"URL" help:"The nasight serve that is asked; http://localhost:9877 if neither it nor a history is named."`
	History       string   `name:"history.path" placeholder:"DIR" help:"The history of a nasight serve that does not run."`
	Format        string   `default:"text" enum:"text,json" help:"Output: text or json."`
	Headroom      float64  `default:"1.2" help:"What a volume should have, over the forecast of what it uses."`
	Reserve       float64  `default:"0.1" help:"Share of the pool that surplus is not spread into."`
	Floor         []string `sep:"none" placeholder:"VOLUME=MIBPS" help:"Lower bound of one volume, or without VOLUME= of all; 64 MiB/s if none is named. May be repeated."`
	Protect       []string `sep:"none" placeholder:"VOLUME" help:"A volume that is not lowered. May be repeated."`
	FailoverReady bool     `help:"Give replication destinations now what their source needs."`
}

// Help shows examples below the flags.
func (planCommand) Help() string {
	return `Examples:
  nasight plan                                      every pool with manual QoS, from nasight serve on this host
  nasight plan --pool=pool-1 --floor=32 --floor=db=200 --protect=home
                                                    one pool, with bounds of one's own
  nasight plan --history.path=./data --format=json  from the files of a serve that was stopped, for a program

A volume is named as VOLUME, LOCATION/VOLUME or PROJECT/LOCATION/VOLUME. The plan proposes; nasight changes nothing.

Exit codes: 0 done, also if there is nothing to plan, 2 wrong usage, 3 the history could not be read.`
}

// Run reads what the volumes did, plans and prints.
func (c *planCommand) Run(ctx context.Context, to streams) error {
	wishes, err := c.wishes()
	if err != nil {
		return err
	}
	source, err := c.open(ctx)
	if err != nil {
		return err
	}
	err = c.plan(ctx, source, wishes, time.Now(), to)
	if closeErr := source.close(); closeErr != nil && err == nil {
		return collectError("%w", closeErr)
	}
	return err
}

// plan reads, plans and prints as of a moment.
func (c *planCommand) plan(ctx context.Context, from source, wishes *wishes, now time.Time, to streams) error {
	if isTerminal(to.err) {
		fmt.Fprintf(to.err, "\rreading two weeks of the volumes' samples from %s", from.name)
		defer fmt.Fprint(to.err, "\r\x1b[K")
	}
	seen, err := survey(ctx, from.reader, now)
	if err != nil {
		return c.unread(ctx, from, err)
	}
	inputs, err := c.inputs(seen, wishes.options)
	if err != nil {
		return err
	}
	if err := wishes.apply(inputs); err != nil {
		return err
	}
	plans := make([]*plan.Plan, 0, len(inputs))
	for _, input := range inputs {
		made, err := plan.Build(input.Pool, input.Volumes, wishes.options)
		if err != nil {
			return usageError("%w", err)
		}
		if made.Certificate != nil {
			if err := plan.Verify(made.Certificate, made); err != nil {
				return fmt.Errorf("a plan's proof does not hold, so it is not shown: %w", err)
			}
		}
		plans = append(plans, made)
	}
	if c.Format == "json" {
		return writePlans(to.out, seen.At, plans)
	}
	return showPlans(to.out, from.name, seen, now, plans)
}

// unread says why the history could not be read, and where there may be another.
func (c *planCommand) unread(ctx context.Context, from source, err error) error {
	switch {
	case ctx.Err() != nil:
		return collectError("read the volumes' history from %s: interrupted", from.name)
	case c.History != "":
		return collectError("read the volumes' history from %s: %w", from.name, err)
	}
	return collectError("read the volumes' history: %w; name a nasight serve that runs with --server, or the files of one that does not with --history.path", err)
}

// inputs are the pools to plan.
func (c *planCommand) inputs(seen sighting, options plan.Options) ([]plan.Input, error) {
	if c.Pool == "" {
		return plan.FromFleet(seen.Fleet, seen.findings, options), nil
	}
	var inputs []plan.Input
	var others []string
	for _, pool := range seen.Pools {
		if id := pool.Identity; isNamed(c.Pool, id.Project, id.Location, id.Pool) {
			inputs = append(inputs, plan.FromPool(seen.Fleet, pool, seen.findings, options))
		} else if pool.Manual() {
			others = append(others, id.Location+"/"+id.Pool)
		}
	}
	if len(inputs) == 0 {
		return nil, usageError("--pool=%s: no such pool among %d; with manual QoS: %s", c.Pool, len(seen.Pools), few(others))
	}
	return inputs, nil
}

func few(names []string) string {
	const most = 5
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}

// writePlans prints one JSON object.
func writePlans(w io.Writer, at time.Time, plans []*plan.Plan) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		At    time.Time    `json:"at"`
		Pools []*plan.Plan `json:"pools"`
	}{at.UTC(), plans})
}

func showPlans(w io.Writer, name string, seen sighting, now time.Time, plans []*plan.Plan) error {
	if len(plans) == 0 {
		_, err := fmt.Fprintln(w, nothing(name, seen))
		return err
	}
	age := ""
	if old := now.Sub(seen.At).Round(time.Minute); old > 0 {
		age = fmt.Sprintf(", %s ago: what has changed since is not in it", old)
	}
	if _, err := fmt.Fprintf(w, "From %s, as of %s%s.\n", name, seen.At.UTC().Format(time.RFC3339), age); err != nil {
		return err
	}
	for _, one := range plans {
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
func nothing(name string, seen sighting) string {
	switch count := len(seen.Pools); count {
	case 0:
		return "No storage pool is in the history of " + name + ": nasight serve has to read the cloud first (gcnv in its configuration)."
	case 1:
		return "The one storage pool in the history of " + name + " has no manual QoS: there are no limits to move."
	default:
		return fmt.Sprintf("None of the %d storage pools in the history of %s has manual QoS: there are no limits to move.", count, name)
	}
}

// source is a history that is open for reading.
type source struct {
	reader history.Reader
	name   string
	close  func() error
}

// isNamed tells whether text names a resource by its last one, two or three parts.
func isNamed(text string, parts ...string) bool {
	full := strings.Join(parts, "/")
	return text == full || strings.HasSuffix(full, "/"+text)
}

// sighting is the fleet as the plan sees it.
type sighting struct {
	*fleet.Fleet
	findings findings
}
