package alerts

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors/list"
	"github.com/nasight/nasight/config"
)

// An alert about a collector that runs less often than the rule thinks would never be quiet.
func TestPacesCoverEveryCollector(t *testing.T) {
	defaults := config.Default()
	periods := map[string]time.Duration{
		"gcnv_inventory":         defaults.GCNV.Tiers.Inventory,
		"gcnv_performance":       defaults.GCNV.Tiers.Performance,
		"gcnv_capacity":          defaults.GCNV.Tiers.Capacity,
		"azurefiles_inventory":   defaults.AzureFiles.Tiers.Inventory,
		"azurefiles_performance": defaults.AzureFiles.Tiers.Performance,
		"azurefiles_capacity":    defaults.AzureFiles.Tiers.Capacity,
	}
	for _, entry := range list.Entries() {
		periods[entry.Name] = entry.Interval
	}
	for name, period := range periods {
		if period <= 0 {
			t.Errorf("%s: period %s", name, period)
		}
		var matching []pace
		for _, p := range paces(15 * time.Second) {
			if p.matches(t, name) {
				matching = append(matching, p)
			}
		}
		if len(matching) != 1 || matching[0].period < period {
			t.Errorf("%s runs every %s, matched by %+v; want one with at least that period", name, period, matching)
		}
	}
	for _, p := range paces(time.Minute) {
		if p.matches(t, detection) {
			t.Errorf("%s: detection has an alert of its own", p.kind)
		}
	}
}

// matches does what Prometheus does with the row's matcher.
func (p pace) matches(t *testing.T, collector string) bool {
	t.Helper()
	operator, pattern, ok := strings.Cut(strings.TrimPrefix(p.matcher, "collector"), "~")
	if !ok {
		t.Fatalf("matcher %s: no regular expression", p.matcher)
	}
	full, err := regexp.Compile("^(?:" + strings.Trim(pattern, `"`) + ")$")
	if err != nil {
		t.Fatalf("matcher %s: %v", p.matcher, err)
	}
	return full.MatchString(collector) == (operator == "=")
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		15 * time.Second: "15s", 90 * time.Second: "1m30s", 5 * time.Minute: "5m", time.Hour: "1h", 65 * time.Minute: "1h5m",
		time.Hour + 30*time.Second: "1h0m30s", 10 * time.Minute: "10m", 1500 * time.Millisecond: "2s",
	} {
		if got := duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
