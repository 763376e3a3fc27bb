package budget

import (
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

type memory map[string]float64

func (m memory) Load(key string) (float64, bool) { value, ok := m[key]; return value, ok }
func (m memory) Store(key string, value float64) { m[key] = value }

var midMonth = time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC) // half of November is left

func budgetAt(now *time.Time, m collectors.Memory, soft, hard float64) *Budget {
	return New(Options{
		Cloud: "gcp", Service: "gcnv", SoftUSD: soft, HardUSD: hard, Memory: m, Clock: func() time.Time { return *now },
		Price: Price{Item: "series", USDPerMillion: 0.5, FreePerMonth: 1e6, Date: "2026-11-30", Source: "https://example.com"},
	})
}

func TestSpending(t *testing.T) {
	now := midMonth
	b := budgetAt(&now, nil, 0, 0)
	b.Charge("alpha", 800_000)
	if got := b.Month(); got.USD != 0 {
		t.Errorf("the free million costs %g", got.USD)
	}
	b.Charge("beta", 2_200_000)
	b.Plan("alpha", "performance", 1)
	b.Plan("alpha", "performance", 2) // the newest counts
	b.Plan("beta", "capacity", 1)
	rest := 3. * 15 * 86400
	if got, want := b.Month(), (Spending{USD: 1, Projected: 1 + rest/1e6*0.5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestStates(t *testing.T) {
	for _, test := range []struct {
		spent      int
		perSecond  float64
		soft, hard float64
		state      State
		stretch    float64
	}{
		{2_000_000, 1, 0, 0, Within, 1},
		{2_000_000, 1, 2, 3, Within, 1},                 // 0.5 and 0.648
		{2_000_000, 3, 2, 3, Soft, 3 * 1_296_000 / 3e6}, // 0.5 and 1.944
		{2_000_000, 1000, 2, 3, Soft, 12},
		{5_000_000, 1, 2, 3, Soft, 12}, // the soft limit is spent
		{7_000_000, 1, 2, 3, Hard, 12},
		{7_000_000, 1, 0, 3, Hard, 1},
	} {
		now := midMonth
		b := budgetAt(&now, nil, test.soft, test.hard)
		b.Charge("alpha", test.spent)
		b.Plan("alpha", "performance", test.perSecond)
		if b.State() != test.state || b.Stretch() != test.stretch {
			t.Errorf("%+v: state %d, stretch %g", test, b.State(), b.Stretch())
		}
	}
}

// A stretched plan fits into the soft limit, unless the stretch is at its bound.
func TestStretchFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := midMonth.Add(rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(14*24*time.Hour)).Draw(t, "later"))
		}).Draw(t, "now"))
		soft := rapid.Float64Range(0.01, 100).Draw(t, "soft")
		b := budgetAt(&now, nil, soft, 0)
		b.Charge("alpha", rapid.IntRange(0, 10_000_000).Draw(t, "spent"))
		b.Plan("alpha", "performance", rapid.Float64Range(0.001, 1000).Draw(t, "rate"))
		stretch := b.Stretch()
		if stretch < 1 || stretch > longestStretch {
			t.Fatalf("stretch %g", stretch)
		}
		if projected := b.Month().Projected; stretch < longestStretch && projected > soft*1.0001 {
			t.Fatalf("stretched by %g, projected %g of %g", stretch, projected, soft)
		}
	})
}

func TestMonthsBeginAnewAndSurviveARestart(t *testing.T) {
	now, kept := midMonth, memory{}
	b := budgetAt(&now, kept, 0, 1)
	b.Charge("alpha", 4_000_000)
	if b.State() != Hard {
		t.Fatal("the limit is not reached")
	}
	again := budgetAt(&now, kept, 0, 1)
	again.Charge("alpha", 1)
	if again.State() != Hard {
		t.Error("the restart forgot the month")
	}
	now = time.Date(2026, 12, 1, 0, 0, 1, 0, time.UTC)
	if again.State() != Within {
		t.Error("the new month begins with the old one's units")
	}
	third := budgetAt(&now, kept, 0, 1)
	third.Charge("alpha", 1)
	if third.State() != Within {
		t.Error("a restart in the new month took up the old one")
	}
}

type sink struct{ values map[string]float64 }

func (s *sink) Add(family *schema.Family, value float64, labels ...string) {
	key := family.Name
	for _, label := range labels {
		key += "," + label
	}
	s.values[key] = value
}

func (s *sink) Skip(string, int) {}

func TestSeries(t *testing.T) {
	now := midMonth
	b := budgetAt(&now, nil, 2, 3)
	b.Request("alpha", "ListTimeSeries", "OK")
	b.Request("alpha", "ListTimeSeries", "OK")
	b.Request("alpha", "ListTimeSeries", "ResourceExhausted")
	b.Charge("alpha", 3_000_000)
	got := &sink{values: map[string]float64{}}
	b.Collect(got)
	for series, want := range map[string]float64{
		"nasight_cloud_api_requests_total,gcp,gcnv,alpha,ListTimeSeries,OK":                2,
		"nasight_cloud_api_requests_total,gcp,gcnv,alpha,ListTimeSeries,ResourceExhausted": 1,
		"nasight_cloud_api_series_returned_total,gcp,gcnv,alpha":                           3_000_000,
		"nasight_cloud_api_cost_usd_total,gcp,gcnv,alpha":                                  1.5,
		"nasight_cloud_api_month_cost_usd,gcp,gcnv,alpha":                                  1.5,
		"nasight_cloud_api_projected_month_cost_usd,gcp,gcnv,alpha":                        1.5,
		"nasight_cloud_api_budget_state,gcp,gcnv":                                          0,
		"nasight_cloud_api_budget_limit_usd,gcp,gcnv,soft":                                 2,
		"nasight_cloud_api_budget_limit_usd,gcp,gcnv,hard":                                 3,
		"nasight_cloud_api_price_info,gcp,gcnv,series,0.5,2026-11-30,https://example.com":  1,
	} {
		if value, ok := got.values[series]; !ok || value != want {
			t.Errorf("%s is %g (%t), want %g", series, value, ok, want)
		}
	}
}

func TestManyAtATime(t *testing.T) {
	now := midMonth
	b := budgetAt(&now, nil, 1, 2)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				b.Charge("alpha", 1)
				b.Request("alpha", "x", "OK")
				b.Plan("alpha", "t", 1)
				b.Month()
			}
		})
	}
	all.Wait()
	if got := b.accounts["alpha"].units; got != 8000 {
		t.Errorf("%g units", got)
	}
}
