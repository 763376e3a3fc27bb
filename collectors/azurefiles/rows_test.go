package azurefiles

import (
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// offered is the service's own table: grains that are asked for, aggregations and dimensions of each metric
// (supported metrics of Microsoft.Storage/storageAccounts/fileServices, 2026-03-31).
func offered() map[string][3]string {
	return map[string][3]string{
		"FileCapacity":                   {"PT1H", "Average", "FileShare Tier"},
		"FileCount":                      {"PT1H", "Average", "FileShare Tier"},
		"FileShareSnapshotCount":         {"PT1H", "Average", "FileShare"},
		"Availability":                   {"PT1M", "Average Minimum Maximum", "GeoType ApiName Authentication FileShare"},
		"Egress":                         {"PT1M", "Total Average Minimum Maximum", "GeoType ApiName Authentication FileShare"},
		"Ingress":                        {"PT1M", "Total Average Minimum Maximum", "GeoType ApiName Authentication FileShare"},
		"FileShareAvailableBurstCredits": {"PT1M PT5M", "Average", "FileShare"},
		"FileShareMaxUsedBandwidthMiBps": {"PT1M PT5M", "Maximum", "FileShare"},
		"FileShareMaxUsedIOPS":           {"PT1M PT5M", "Maximum", "FileShare"},
		"SuccessE2ELatency":              {"PT1M", "Average Minimum Maximum", "GeoType ApiName Authentication FileShare"},
		"SuccessServerLatency":           {"PT1M", "Average Minimum Maximum", "GeoType ApiName Authentication FileShare"},
		"Transactions":                   {"PT1M", "Total", "ResponseType GeoType ApiName Authentication FileShare TransactionType"},
	}
}

// A request that asks a metric for what it does not have is refused as a whole.
func TestGroupsAskForWhatTheServiceOffers(t *testing.T) {
	for _, g := range groups() {
		for _, r := range g.rows {
			offer, ok := offered()[r.metric]
			if !ok {
				t.Errorf("%s: there is no metric %s", g.name, r.metric)
				continue
			}
			dimensions := strings.Fields(offer[2])
			if !slices.Contains(strings.Fields(offer[0]), g.interval()) || !strings.Contains(offer[1], string(r.aggregation)) ||
				!slices.Contains(dimensions, byShare) || g.by != "" && !slices.Contains(dimensions, g.by) {
				t.Errorf("%s: %s is asked for by %s, %s and %s, and is offered by %v", g.name, r.metric, g.interval(), r.aggregation, g.by, offer)
			}
			if strings.Contains(r.metric, "MaxUsed") && g.by != "" {
				t.Errorf("the maximum %s is split by %s as well", r.metric, g.by)
			}
		}
	}
}

// Each row fills the labels of its family: six of the share, the kind, and its own.
func TestRowsFillTheLabelsOfTheirFamilies(t *testing.T) {
	for _, g := range groups() {
		for _, r := range g.rows {
			want := len(r.family.Labels) - 6 - len(r.labels)
			if g.by != "" {
				want--
			}
			if want != 0 {
				t.Errorf("%s: %s has %d labels too few", g.name, r.metric, want)
			}
		}
	}
}

// Ten accounts cost three requests a minute each, and one more every five minutes: half of what the pace allows for.
func TestRequestsAMinute(t *testing.T) {
	calls := 0
	for _, g := range groups() {
		if g.tier == performance {
			calls += 10 * len(requests(g, class{"ssd", provisionedV2}, whole, g.rows, nil))
		}
	}
	if calls > 60 {
		t.Errorf("%d requests a minute for ten accounts", calls)
	}
}

func groupNamed(t testing.TB, name string) *group {
	t.Helper()
	for _, g := range groups() {
		if g.name == name {
			return g
		}
	}
	t.Fatalf("no group %s", name)
	return nil
}

func TestFilters(t *testing.T) {
	ssd, byUse := class{"ssd", provisionedV2}, class{"hdd", payAsYouGo}
	operations, load := groupNamed(t, "operations"), groupNamed(t, "load")
	for _, test := range []struct{ got, want string }{
		{operations.filter(ssd, nil), "ApiName eq '*' and FileShare eq '*'"},
		{operations.filter(byUse, nil), "ApiName eq '*'"},
		{operations.filter(ssd, []string{"a", "b"}), "ApiName eq '*' and FileShare eq 'a' or FileShare eq 'b'"},
		{load.filter(ssd, nil), "FileShare eq '*'"},
		{load.filter(byUse, nil), ""},
		{load.filter(ssd, []string{"o'neil"}), "FileShare eq 'o''neil'"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

func TestSharesPaidByUseAreNotAskedForPeaks(t *testing.T) {
	load := groupNamed(t, "load")
	for _, r := range load.rowsOf(class{"hdd", payAsYouGo}) {
		if r.family == schema.SharePeakOperations || r.family == schema.SharePeakThroughput || r.family == schema.ShareBurstCredits {
			t.Errorf("they are asked for %s", r.metric)
		}
	}
	if got := aggregations(load.rows); !slices.Equal(got, []azureapi.Aggregation{average, maximum, total}) {
		t.Errorf("aggregations are %v", got)
	}
}

// Where only one wildcard is allowed the shares are named, not too many in one address; then metric by metric.
func TestModes(t *testing.T) {
	ssd := class{"ssd", provisionedV2}
	shares := make([]string, 95)
	for i := range shares {
		shares[i] = "share"
	}
	operations, load := groupNamed(t, "operations"), groupNamed(t, "load")
	if got := requests(operations, ssd, listed, operations.rows, shares); len(got) != 3 {
		t.Errorf("95 shares take %d requests", len(got))
	}
	if got := requests(load, ssd, single, load.rows, shares); len(got) != len(load.rows) || len(got[0].rows) != 1 {
		t.Errorf("metric by metric takes %d requests", len(got))
	}
	for _, test := range []struct {
		from mode
		g    *group
		c    class
		want mode
		ok   bool
	}{
		{whole, operations, ssd, listed, true},
		{listed, operations, ssd, single, true},
		{single, operations, ssd, single, false},
		{whole, load, ssd, single, true},
		{whole, operations, class{"hdd", payAsYouGo}, single, true},
		{whole, groupNamed(t, "responses"), class{"hdd", payAsYouGo}, single, false},
	} {
		got, ok := test.from.next(test.g, test.c, test.g.rows)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("after %d of %s comes %d, %t", test.from, test.g.name, got, ok)
		}
	}
}
