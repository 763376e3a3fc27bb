package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/envelope"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/schema"
)

// Options are what a report is made of.
type Options struct {
	Week    Week
	Compare Week        // that figures are held against; the zero value: the week before
	Pool    string      // POOL, LOCATION/POOL or PROJECT/LOCATION/POOL; empty: every one
	Project string      // empty: every one
	Terms   judge.Terms // how the fleet is looked at and judged, with the operator's prices
	Now     time.Time   // no sample is later

	History   string // what the history is called
	Simulated string // what says that the data are invented; empty where they are measured
}

// Whole tells whether the report is of everything, held against the week before.
func (o Options) Whole() bool {
	return o.Pool == "" && o.Project == "" && (o.Compare == Week{} || o.Compare == o.Week.Back(1))
}

// RequestError says what is wrong with what was asked for.
type RequestError struct {
	Parameter string // as the command line calls it, without its dashes
	Value     string
	Problem   string
}

// Error is one line.
func (e *RequestError) Error() string { return e.Parameter + "=" + e.Value + ": " + e.Problem }

// ErrNoData says that history holds nothing of a week.
var ErrNoData = errors.New("holds nothing of that week")

// Check tells whether the week has ended.
func (o Options) Check() error {
	for _, asked := range []struct {
		parameter string
		week      Week
	}{{"week", o.Week}, {"compare", o.Compare}} {
		if asked.week != (Week{}) && asked.week.To().After(o.Now) {
			return &RequestError{asked.parameter, asked.week.String(), fmt.Sprintf("the week ends on %s and has not ended yet; the last closed week is %s",
				asked.week.To().Format("2006-01-02 15:04 UTC"), LastClosed(o.Now))}
		}
	}
	if o.Compare == o.Week && o.Compare != (Week{}) {
		return &RequestError{"compare", o.Compare.String(), "is the week of the report itself; name another one"}
	}
	return nil
}

// builder makes one report.
type builder struct {
	Options
	reader history.Reader
	terms  judge.Terms
	table  *envelope.Table

	inventory  time.Time
	estate     estate
	view       *fleet.Fleet
	judged     []detectors.Finding
	recorded   map[findingKey]*recorded
	heard      time.Time // until when findings were recorded
	listened   listened
	week       *usageReader
	present    present
	sizes      map[fleet.Resource]float64 // GiB of pools that have to grow
	thinBefore string                     // why the comparison is none, or of a part; empty where it is whole
	weekly     *Weekly
}

// Build makes the report of a week. A *RequestError says that what was asked for is wrong, ErrNoData that nothing is known of the
// week; any other error that history could not answer.
func Build(ctx context.Context, reader history.Reader, options Options) (*Weekly, error) {
	if options.Compare == (Week{}) {
		options.Compare = options.Week.Back(1)
	}
	if err := options.Check(); err != nil {
		return nil, err
	}
	table, err := envelope.Load()
	if err != nil {
		return nil, err
	}
	o := &builder{Options: options, reader: reader, terms: options.Terms, table: table}
	if err := o.read(ctx); err != nil {
		return nil, err
	}
	w := o.weekly
	for _, step := range []func(context.Context) error{o.efficiency, o.listenTo, o.tellFindings, o.tellLimited, o.tellResolved, o.readPresent, o.plans, o.tellQuality, o.tellCost} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	o.agree()
	w.Money = o.money()
	w.Sections = o.sections()
	w.Missing = o.missing()
	w.Actions = o.actions()
	w.Reconciliation = o.reconciliation()
	w.Notes = o.notes()
	w.Summary = o.summary()
	return w, nil
}

// read takes in what everything else is made from.
func (o *builder) read(ctx context.Context) (err error) {
	if err := o.knows(ctx); err != nil {
		return err
	}
	if o.inventory, err = o.findInventory(ctx); err != nil {
		return fmt.Errorf("find the inventory: %w", err)
	}
	if err := o.readEstate(ctx); err != nil {
		return err
	}
	if err := o.look(ctx); err != nil {
		return err
	}
	if o.week, err = o.usage(ctx, o.Week); err != nil {
		return err
	}
	if asked := (selection{o.Pool, o.Project}); !asked.all() && len(o.week.rows) == 0 {
		parameter, value := "pool", o.Pool
		if o.Pool == "" {
			parameter, value = "project", o.Project
		}
		return &RequestError{parameter, value, "nothing in history has that name in week " + o.Week.String() + "; the whole report lists what there is"}
	}
	o.weekly = &Weekly{
		Format: Format, Week: o.Week, From: o.Week.From(), To: o.Week.To(), Before: o.Compare, Judged: o.view.At.UTC(), Inventory: o.inventory.UTC(),
		History: o.History, Simulated: o.Simulated, Pool: o.Pool, Project: o.Project,
		Plans: []*plan.Plan{}, Limited: []Limited{}, Resolved: []Resolved{}, Findings: []Finding{},
	}
	return nil
}

// knows tells whether history holds anything of the week.
func (o *builder) knows(ctx context.Context) error {
	query := fmt.Sprintf(`count(count_over_time({__name__=~"%s|%s|%s|%s|%s"}[%s]))`, schema.VolumeTotalThroughput.Name, schema.SharePeakThroughputRollUp.Name,
		schema.CollectorSuccess.Name, schema.EndpointRequests.Name, schema.FindingActive.Name, millis(weekLong))
	points, err := o.reader.Instant(ctx, query, o.Week.To())
	if err != nil {
		return fmt.Errorf("ask what is known of week %s: %w", o.Week, err)
	}
	if len(points) == 0 {
		return ErrNoData
	}
	return nil
}

// efficiency are the rows of the week, held against those of earlier weeks.
func (o *builder) efficiency(ctx context.Context) error {
	rows := o.week.all()
	o.place(rows)
	o.weekly.Lines = o.lines()
	before, earlier := map[group]fleet.Value{}, map[group][]fleet.Value{}
	for _, week := range o.weeksBefore() {
		past, err := o.usage(ctx, week)
		if err != nil {
			return err
		}
		if week == o.Compare {
			o.thinBefore = past.thin()
		}
		for _, row := range past.all() {
			if !row.Coverage.AtLeast(o.terms.Settings.MinimumCoverage) {
				continue // a part of a week is not held against a whole one
			}
			if slices.Contains(o.fourBefore(), week) {
				earlier[row.group()] = append(earlier[row.group()], row.P99)
			}
			if week == o.Compare {
				before[row.group()] = row.P99
			}
		}
	}
	for i := range rows {
		row := &rows[i]
		row.Earlier, row.EarlierSeen = middle(earlier[row.group()])
		if p99, known := before[row.group()]; known {
			row.Before = p99
		}
	}
	o.weekly.Efficiency = rows
	return nil
}

// group is what a row is about, in every week.
func (r Row) group() group { return group{r.Level, r.Resource, r.ServiceLevel, r.Measure} }

func (o *builder) fourBefore() []Week {
	var weeks []Week
	for back := range 4 {
		weeks = append(weeks, o.Week.Back(back+1))
	}
	return weeks
}

// weeksBefore are the four weeks before and the one that figures are held against.
func (o *builder) weeksBefore() []Week {
	weeks := o.fourBefore()
	if !slices.Contains(weeks, o.Compare) {
		weeks = append(weeks, o.Compare)
	}
	return weeks
}

// lines are the courses of the services.
func (o *builder) lines() []Line {
	lines := []Line{}
	for key, total := range o.week.groups {
		if key.level == "cloud" {
			lines = append(lines, Line{Resource: key.resource, Measure: key.measure, Used: hourly(total.used), Granted: hourly(total.limit)})
		}
	}
	slices.SortFunc(lines, func(a, b Line) int { return compareResources(a.Resource, b.Resource) })
	return lines
}

func (o *builder) tellFindings(ctx context.Context) (err error) {
	found, err := o.findings(ctx)
	if found != nil {
		o.weekly.Findings = found
	}
	return err
}

// plans are those of the pools with manual QoS, made by what nasight plan uses.
func (o *builder) plans(context.Context) error {
	request := plan.NewRequest(o.terms.Settings)
	asked, found := selection{o.Pool, o.Project}, *o.view
	found.Pools = nil
	for _, pool := range o.view.Pools {
		if pool.Manual() && asked.pool(pool.Identity) {
			found.Pools = append(found.Pools, pool)
		}
	}
	answer, err := request.Answer(&found, o.terms.Settings)
	if err != nil {
		return fmt.Errorf("plan the pools with manual QoS: %w", err)
	}
	o.weekly.Plans = answer.Pools
	for _, made := range o.weekly.Plans {
		if why := o.outdated(made); why != "" {
			made.Status, made.Reason, made.Brings, made.Steps = plan.Refused, why, "", []plan.Step{}
		}
	}
	return nil
}

// reconciliation holds totals against their parts.
func (o *builder) reconciliation() []Reconciled {
	w, all := o.weekly, []Reconciled{}
	for _, cloud := range w.rowsOf("cloud") {
		parts := func(level string, of func(Row) fleet.Value) []fleet.Value {
			var values []fleet.Value
			for _, row := range w.rowsOf(level) {
				if row.Resource.Cloud == cloud.Resource.Cloud && row.Resource.Service == cloud.Resource.Service && row.Measure == cloud.Measure {
					values = append(values, of(row))
				}
			}
			return values
		}
		moved, granted := func(r Row) fleet.Value { return r.Moved }, func(r Row) fleet.Value { return r.Grantable }
		name := cloud.Resource.Cloud + " " + cloud.Resource.Service
		for _, level := range levels[1:] {
			if !cloud.Moved.Known() {
				break // busiest seconds tell nothing of it
			}
			all = append(all, reconcile("moved by "+name+" = sum of its "+plural(level), "bytes", cloud.Moved, parts(level, moved)))
		}
		for _, level := range levels[1:4] {
			all = append(all, reconcile("granted to "+name+" over the week = sum of its "+plural(level), "bytes", cloud.Grantable, parts(level, granted)))
		}
	}
	for _, one := range w.Money {
		var parts []fleet.Value
		for _, row := range one.Rows {
			if row.Counts {
				parts = append(parts, row.Value)
			}
		}
		all = append(all, reconcile("money, "+one.Title+" = sum of its rows that count", "USD a month", one.Total, parts))
	}
	return all
}

func plural(level string) string {
	if level == "service_level" {
		return "service levels"
	}
	return level + "s"
}
