package azure

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFilters(t *testing.T) {
	for text, want := range map[string]filter{
		"": nil,
		"ApiName eq '*' and FileShare eq 'one' or FileShare eq 'two'": {{"apiname", []string{"*"}, false}, {"fileshare", []string{"one", "two"}, false}},
		"(FileShare eq 'one' or FileShare eq 'it''s') AND ApiName ne 'Read'": {
			{"fileshare", []string{"one", "it's"}, false}, {"apiname", []string{"Read"}, true},
		},
	} {
		got, err := parseFilter(text)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(condition{})); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestFiltersAreRefused(t *testing.T) {
	for _, text := range []string{
		"ApiName", "ApiName eq", "ApiName eq Read", "ApiName gt 'a'", "ApiName eq 'a", "ApiName eq 'a' and", "(ApiName eq 'a'", "ApiName eq 'a')", "'a' eq ApiName",
		"ApiName eq 'a' or GeoType eq 'b'", "ApiName eq 'a' and ApiName eq 'b'", "ApiName ne 'a' or ApiName ne 'b'", "ApiName eq 'a' ApiName eq 'b'",
		"ApiName eq '" + strings.Repeat("a", maxFilter) + "'",
	} {
		if got, err := parseFilter(text); err == nil {
			t.Errorf("%.60s: %v", text, got)
		}
	}
}

func TestConditionsMatchWithoutCase(t *testing.T) {
	for _, row := range []struct {
		condition condition
		value     string
		want      bool
	}{
		{condition{values: []string{"*"}}, "Read", true}, {condition{values: []string{"read", "write"}}, "Write", true}, {condition{values: []string{"read"}}, "Write", false},
		{condition{values: []string{"read"}, not: true}, "Read", false}, {condition{values: []string{"read"}, not: true}, "Write", true},
	} {
		if got := row.condition.matches(row.value); got != row.want {
			t.Errorf("%+v of %s: %v", row.condition, row.value, got)
		}
	}
}

// Whatever a client sends, the parsers end without a panic, and what they accept is bounded.
func FuzzQuery(f *testing.F) {
	f.Add("Transactions", "ApiName eq '*' and FileShare ne 'a'", "2026-11-30T11:00:00Z/2026-11-30T12:00:00Z", "PT1M", "5")
	f.Add("FileCapacity,FileCount", "Tier eq 'Hot'", "", "PT1H", "")
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, names, filter, span, interval, top string) {
		q, failure := parseQuery(url.Values{"metricnames": {names}, "filter": {filter}, "timespan": {span}, "interval": {interval}, "top": {top}}, now, fileServices())
		if failure == nil && (len(q.metrics) == 0 || q.points() < 1 || q.points() > maxPoints+1 || q.top < 1) {
			t.Errorf("%+v", q)
		}
	})
}

func FuzzLogQuery(f *testing.F) {
	f.Add(`StorageFileLogs | where OperationName == "Read" and TimeGenerated > ago(5m) | project AccountName | take 3 | count`, "")
	f.Add(`StorageFileLogs | project Uri | where AccountName != "a"`, "2026-11-30T11:00:00Z/2026-11-30T12:00:00Z")
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text, span string) {
		q, err := parseLogQuery(text, span, now)
		if err != nil {
			return
		}
		row := make([]any, len(logColumns()))
		if got := q.run([][]any{row, row}); len(got.Rows) > 2 || q.to.Sub(q.from) > maxLog {
			t.Errorf("%d rows from %s to %s", len(got.Rows), q.from, q.to)
		}
	})
}
