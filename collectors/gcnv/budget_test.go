package gcnv

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors/budget"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// manyVolumes is a project with pools of fifty volumes.
func manyVolumes(volumes int) *model.Fleet {
	project := &model.Project{ID: "alpha", Number: 1001}
	for i := range volumes {
		if i%50 == 0 {
			project.Pools = append(project.Pools, &model.Pool{
				Name: fmt.Sprintf("pool%d", i/50), Location: "europe-west3", ServiceLevel: model.Premium, CapacityGiB: 10240,
			})
		}
		pool := project.Pools[len(project.Pools)-1]
		v := volumeOf(fmt.Sprintf("volume%d", i), 10)
		v.CapacityGiB, v.UsedGiB, v.Mount = 200, 50, nil
		pool.Volumes = append(pool.Volumes, v)
	}
	return &model.Fleet{Projects: []*model.Project{project}}
}

// The bill of a month for 500 volumes, from what an hour costs. The emulator has 10 of the metric types with series for
// each volume; the other types of this table are counted as one or two series an hour.
func TestBillOfAMonth(t *testing.T) {
	const volumes, hours = 500, 30 * 24
	l := newLab(t, manyVolumes(volumes), nil)
	const restOfTable = volumes * 8 // tiers 2, cold reads and writes 2, backups 4: an hour, if every volume has all
	for minute := 0; minute < 60; minute += 5 {
		l.good("gcnv_performance")
		if minute == 0 {
			l.good("gcnv_capacity")
		}
		l.clock.add(5 * time.Minute)
	}
	billed := l.server.Usage().SeriesReturned
	month := (billed + restOfTable) * hours
	t.Logf("%d series an hour, %.1f M a month of 30 days, %.2f USD", billed, float64(month)/1e6, float64(month)/1e6*0.5)
	if month > 50e6 {
		t.Errorf("%d series a month", month)
	}
	if types := len(rows()); types < 19 {
		t.Errorf("only %d metric types", types)
	}
}

// What the budget says was billed is what the service bills, retries and pages included.
func TestBudgetCountsWhatIsBilled(t *testing.T) {
	l := newLab(t, fleetOf("alpha", "beta"), nil)
	l.inject(faults.Fault{Kind: faults.TooManyRequests, Times: 3})
	l.inject(faults.Fault{Kind: faults.HalfPage, Times: 2, Method: "ListTimeSeries"})
	var result = l.good("gcnv_performance")
	for range 3 {
		l.clock.add(5 * time.Minute)
		result = l.good("gcnv_performance")
	}
	usage := l.server.Usage()
	total, requests := 0.0, 0.0
	for _, series := range of(result.Samples, schema.CloudSeriesReturned) {
		total += series
	}
	for _, count := range of(result.Samples, schema.CloudRequests) {
		requests += count
	}
	if total != float64(usage.SeriesReturned) || total == 0 {
		t.Errorf("counted %g series, billed are %d", total, usage.SeriesReturned)
	}
	calls := int64(0)
	for _, c := range usage.Calls {
		calls += c.Count
	}
	if requests != float64(calls) {
		t.Errorf("counted %g requests, there were %d: %v", requests, calls, of(result.Samples, schema.CloudRequests))
	}
}

func budgeted(soft, hard float64) func(*Config, *simulator.Options) {
	return func(c *Config, _ *simulator.Options) {
		c.Budget.SoftUSD, c.Budget.HardUSD, c.Budget.Price.FreePerMonth = soft, hard, 0
	}
}

// Above the soft limit less is read, and nothing is lost: each reading brings all points since the last one.
func TestSoftLimitSlowsDown(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), budgeted(0.0002, 0)) // the month ends within 14 hours; 20 series each 5 minutes are 0.0016 USD
	first := l.good("gcnv_performance")
	if got := of(first.Samples, schema.CloudBudgetState)[""]; got != float64(budget.Soft) {
		t.Fatalf("state is %g", got)
	}
	if limit := of(first.Samples, schema.CloudBudgetLimit)["soft"]; limit != 0.0002 {
		t.Errorf("the limit is %g", limit)
	}
	calls := l.server.Usage().Of("ListTimeSeries")
	for range 24 {
		l.clock.add(5 * time.Minute)
		l.good("gcnv_performance")
	}
	if more := l.server.Usage().Of("ListTimeSeries") - calls; more == 0 || more > 4*12 {
		t.Errorf("%d calls in two hours, want a few of the 96", more)
	}
	l.expectWhole(dataSeries, 20)
}

// The hard limit stops the costly tier, says so, and leaves the rest alone; the next month begins anew.
func TestHardLimitStops(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), budgeted(0, 20*0.5/1e6)) // the first reading spends it
	l.good("gcnv_performance")
	l.clock.add(5 * time.Minute)
	calls := l.server.Usage().Of("ListTimeSeries")
	result := l.run("gcnv_performance")
	if got := of(result.Samples, schema.CloudUnreachable); got["alpha,,performance,budget"] != 1 {
		t.Errorf("unreachable are %v, error %v", got, result.Err)
	}
	if got := of(result.Samples, schema.CloudBudgetState)[""]; got != float64(budget.Hard) {
		t.Errorf("state is %g", got)
	}
	if more := l.server.Usage().Of("ListTimeSeries") - calls; more != 0 {
		t.Errorf("%d calls beyond the limit", more)
	}
	l.good("gcnv_inventory")
	l.clock.add(24 * time.Hour)
	l.good("gcnv_performance")
	if cost := of(l.run("gcnv_performance").Samples, schema.CloudMonthCost)["alpha"]; math.Abs(cost-20*0.5/1e6) > 1e-9 {
		t.Errorf("the new month costs %g", cost)
	}
}
