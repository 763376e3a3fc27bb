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

// bill is what a cycle of each tier returns in time series, and from that a month's.
type bill struct{ performance, capacity int64 }

// month is the number of series of 30 days.
func (b bill) month(tiers Tiers) int64 {
	cycles := func(every time.Duration) int64 { return int64(30 * 24 * time.Hour / every) }
	return b.performance*cycles(tiers.Performance) + b.capacity*cycles(tiers.Capacity)
}

// The bill of a month for 500 volumes: the series that one cycle of each tier returns after the first, times the cycles of
// a month.
func TestBillOfAMonth(t *testing.T) {
	const volumes = 500
	l := newLab(t, manyVolumes(volumes), nil)
	returned := func(name string) int64 {
		l.good(name)
		before := l.server.Usage().SeriesReturned
		l.clock.add(time.Hour)
		l.good(name)
		return l.server.Usage().SeriesReturned - before
	}
	found := bill{returned("gcnv_performance"), returned("gcnv_capacity")}
	if found.performance != 10*volumes || found.capacity != 5*volumes {
		t.Errorf("the tiers return %+v series, want 10 and 5 for each volume", found)
	}
	found.capacity += volumes * withoutSeries
	month := found.month(l.config.Tiers)
	t.Logf("%.1f M series a month, %.2f USD", float64(month)/1e6, float64(month)/1e6*l.config.Budget.Price.USDPerMillion)
	if month > 50e6 {
		t.Errorf("%d series a month", month)
	}
	if types := len(rows()); types < 19 {
		t.Errorf("only %d metric types", types)
	}
}

// withoutSeries is how many more series a volume can have of the capacity tier, of the types that the emulator describes
// and has no data of: tiers 2, cold reads and writes 2, backups 5. Estimated, not read.
const withoutSeries = 9

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

// A run that failed is repeated after a minute. What was answered in part was billed and waits its turn, also under a budget
// that slows the tier; what was refused is asked about again at once, and costs nothing.
func TestRepetitionsKeepTheBudget(t *testing.T) {
	for name, row := range map[string]struct {
		kind faults.Kind
		soft float64
		asks bool
	}{
		"in part":                  {faults.ExecutionErrors, 0, false},
		"in part, above the limit": {faults.ExecutionErrors, 0.0002, false},
		"refused":                  {faults.Forbidden, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, fleetOf("alpha"), budgeted(row.soft, 0))
			heal := l.inject(faults.Fault{Kind: row.kind, Method: "ListTimeSeries"})
			if l.run("gcnv_performance").Err == nil {
				t.Fatal("the fault shows nowhere")
			}
			heal()
			calls := l.server.Usage().Of("ListTimeSeries")
			l.clock.add(time.Minute)
			result := l.run("gcnv_performance")
			if asked := l.server.Usage().Of("ListTimeSeries") > calls; asked != row.asks || (result.Err == nil) != row.asks {
				t.Errorf("asked again: %t, error %v", asked, result.Err)
			}
		})
	}
}
