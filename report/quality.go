package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/schema"
)

const (
	leastGap     = 15 * time.Minute // a shorter one is told of by the coverage alone
	staleSuccess = 0.95             // share of a collector's runs below which it is named
)

// tellQuality tells how far the figures can be trusted.
func (o *builder) tellQuality(ctx context.Context) error {
	q := &o.weekly.Quality
	q.Days, q.Gaps, q.Thin, q.Stale, q.Withheld = fleet.Unknown, []Gap{}, []Thin{}, []Stale{}, []Withheld{}
	all := newCourse()
	for key, total := range o.week.groups {
		if key.level != "cloud" {
			continue
		}
		all.add(total.used)
		for _, gap := range gapsOf(total.used, o.Week.From(), leastGap) {
			gap.Cloud, gap.Service = key.resource.Cloud, key.resource.Service
			q.Gaps = append(q.Gaps, gap)
		}
	}
	slices.SortFunc(q.Gaps, func(a, b Gap) int {
		return strings.Compare(a.Cloud+a.Service+a.From.Format(time.RFC3339), b.Cloud+b.Service+b.From.Format(time.RFC3339))
	})
	if len(o.week.groups) > 0 {
		q.Days = coverageOf(all) * 7
	}
	for _, row := range o.weekly.rowsOf("volume") {
		if row.Coverage.Below(o.terms.Settings.MinimumCoverage) {
			q.Thin = append(q.Thin, Thin{row.Resource, row.Coverage})
		}
	}
	q.Unrecorded = o.unrecorded()
	o.withhold(q)
	return o.stale(ctx, q)
}

// stale are the collectors that failed for a part of the week.
func (o *builder) stale(ctx context.Context, q *Quality) error {
	points, err := o.reader.Instant(ctx, fmt.Sprintf("avg_over_time(%s[%s])", schema.CollectorSuccess.Name, millis(weekLong)), o.Week.To())
	if err != nil {
		return fmt.Errorf("read how collectors did: %w", err)
	}
	for _, point := range points {
		if point.Value < staleSuccess {
			q.Stale = append(q.Stale, Stale{point.Labels["collector"], point.Labels["host"], fleet.Value(point.Value)})
		}
	}
	slices.SortFunc(q.Stale, func(a, b Stale) int { return strings.Compare(a.Source+" "+a.Host, b.Source+" "+b.Host) })
	return nil
}

// withhold says what is not said, and why.
func (o *builder) withhold(q *Quality) {
	if n := len(q.Thin); n > 0 {
		q.Withheld = append(q.Withheld, Withheld{
			"findings about the throughput that " + count(n, "volume") + " do not use",
			fmt.Sprintf("less than %s of the week's samples: nothing is advised by thin data", percent(fleet.Value(o.terms.Settings.MinimumCoverage))),
		})
	}
	q.Withheld = append(q.Withheld, o.withheldByDays(q.Days)...)
	if o.inventory.IsZero() && len(o.weekly.rowsOf("cloud")) > 0 {
		q.Withheld = append(q.Withheld, Withheld{"plans, savings and what is at its limit", "no inventory of pools, volumes and shares is in this history"})
	}
	hints, blocked, over := 0, 0, 0
	for _, finding := range o.weekly.Findings {
		switch {
		case finding.Hint:
			hints++
		case len(finding.BlockedBy) > 0:
			blocked++
		case !finding.AtEnd && finding.Detector != detectors.PoolThroughputUnused:
			over++
		}
	}
	for _, left := range []struct {
		count     int
		what, why string
	}{
		{hints, "the advice of %s", "too unsure: a hint is listed with its confidence and is no action"},
		{blocked, "the advice of %s", "another finding has to be solved first, which it names"},
		{over, "the advice of %s", "over when the week ended: see what was resolved"},
	} {
		if left.count > 0 {
			q.Withheld = append(q.Withheld, Withheld{fmt.Sprintf(left.what, count(left.count, "finding")), left.why})
		}
	}
	for _, made := range o.weekly.Plans {
		if made.Status == plan.Refused || made.Status == plan.Infeasible {
			q.Withheld = append(q.Withheld, Withheld{"a plan for pool " + made.Pool, made.Reason})
		}
	}
}

// tellCost tells what reading the clouds took.
func (o *builder) tellCost(ctx context.Context) error {
	o.weekly.Cost = []Cost{}
	exact := func(v float64) fleet.Value { return fleet.Value(v) }
	whole := func(v float64) fleet.Value { return fleet.Value(math.Round(v)) } // increase extrapolates to the range's ends
	found := map[[2]string]*Cost{}
	for _, asked := range []struct {
		query string
		field func(*Cost) *fleet.Value
		round func(float64) fleet.Value
	}{
		{"sum by (cloud, project) (increase(" + schema.CloudRequests.Name + "[%s]))", func(c *Cost) *fleet.Value { return &c.Requests }, whole},
		{"sum by (cloud, project) (increase(" + schema.CloudSeriesReturned.Name + "[%s]))", func(c *Cost) *fleet.Value { return &c.Series }, whole},
		{"sum by (cloud, project) (increase(" + schema.CloudCost.Name + "[%s]))", func(c *Cost) *fleet.Value { return &c.USD }, exact},
		{"sum by (cloud, project) (last_over_time(" + schema.CloudProjectedCost.Name + "[%s]))", func(c *Cost) *fleet.Value { return &c.Month }, exact},
	} {
		points, err := o.reader.Instant(ctx, fmt.Sprintf(asked.query, millis(weekLong)), o.Week.To())
		if err != nil {
			return fmt.Errorf("read what the clouds' APIs cost: %w", err)
		}
		for _, point := range points {
			key := [2]string{point.Labels["cloud"], point.Labels["project"]}
			if o.Project != "" && key[1] != o.Project {
				continue
			}
			if found[key] == nil {
				found[key] = &Cost{key[0], key[1], fleet.Unknown, fleet.Unknown, fleet.Unknown, fleet.Unknown}
			}
			*asked.field(found[key]) = asked.round(point.Value)
		}
	}
	for _, cost := range found {
		o.weekly.Cost = append(o.weekly.Cost, *cost)
	}
	slices.SortFunc(o.weekly.Cost, func(a, b Cost) int { return strings.Compare(a.Cloud+" "+a.Project, b.Cloud+" "+b.Project) })
	return nil
}
