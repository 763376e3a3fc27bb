package report_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/schema"
)

func row(t *testing.T, w *report.Weekly, level, name string) report.Row {
	t.Helper()
	for _, row := range w.Efficiency {
		of := row.Resource
		named := map[string]string{"cloud": of.Service, "project": of.Project, "service_level": row.ServiceLevel, "pool": of.Pool, "volume": of.Volume}[level]
		if row.Level == level && named == name {
			return row
		}
	}
	t.Fatalf("no row of %s %q", level, name)
	return report.Row{}
}

// near tells whether a figure is the one that was computed by other means.
func near(got fleet.Value, want float64) bool {
	return got.Known() && math.Abs(float64(got)-want) <= 1e-6*math.Max(1, math.Abs(want))
}

// TestAgainstPromQL computes the figures anew by PromQL over the raw samples: none of the report's own code is in it.
func TestAgainstPromQL(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	s.fillAzure()
	s.write()
	w := s.mustBuild(nil)
	ask := func(query string) float64 {
		t.Helper()
		points, err := s.Instant(t.Context(), query, week.To())
		if err != nil || len(points) != 1 {
			t.Fatalf("%s: %d results, %v", query, len(points), err)
		}
		return points[0].Value
	}
	used, limit := schema.VolumeTotalThroughput.Name, schema.VolumeThroughputLimit.Name
	sum := func(family, matchers string) string {
		return fmt.Sprintf("sum(last_over_time(%s{%s}[5m]))[7d:5m]", family, matchers)
	}
	for _, p := range pools() {
		for _, v := range p.volumes {
			got, of := row(t, w, "volume", v.name), fmt.Sprintf("%s{volume=%q}[7d]", used, v.name)
			for name, pair := range map[string]struct {
				got   fleet.Value
				query string
			}{
				"p50": {got.P50, "quantile_over_time(0.5, " + of + ")"}, "p95": {got.P95, "quantile_over_time(0.95, " + of + ")"},
				"p99": {got.P99, "quantile_over_time(0.99, " + of + ")"}, "max": {got.Max, "max_over_time(" + of + ")"}, "mean": {got.Mean, "avg_over_time(" + of + ")"},
				"moved": {got.Moved, "300 * sum_over_time(" + of + ")"}, "coverage": {got.Coverage, "count_over_time(" + of + ") / 2016"},
			} {
				if want := ask(pair.query); !near(pair.got, want) {
					t.Errorf("%s of %s is %v, and by PromQL %g", name, v.name, pair.got, want)
				}
			}
			if p.level != "flex" {
				if want := ask(fmt.Sprintf("avg_over_time(%s{volume=%q}[7d])", limit, v.name)); !near(got.Granted, want) {
					t.Errorf("granted to %s: %v, by PromQL %g", v.name, got.Granted, want)
				}
			} else if got.Granted.Known() {
				t.Errorf("volume %s of a Flex pool is granted %v: the limit is the pool's", v.name, got.Granted)
			}
		}
		matchers := fmt.Sprintf("pool=%q", p.name)
		got := row(t, w, "pool", p.name)
		if want := ask("quantile_over_time(0.99, " + sum(used, matchers) + ")"); !near(got.P99, want) {
			t.Errorf("p99 of pool %s is %v, by PromQL %g", p.name, got.P99, want)
		}
		granted := "avg_over_time(" + sum(limit, matchers) + ")"
		if p.level == "flex" {
			granted = fmt.Sprintf("max(avg_over_time(%s{%s}[7d]))", limit, matchers)
		}
		if want := ask(granted); !near(got.Granted, want) {
			t.Errorf("granted to pool %s: %v, by PromQL %g", p.name, got.Granted, want)
		}
	}
	cloud := row(t, w, "cloud", "gcnv")
	for name, pair := range map[string]struct {
		got   fleet.Value
		query string
	}{
		"p50 of the cloud":   {cloud.P50, "quantile_over_time(0.5, " + sum(used, `service="gcnv"`) + ")"},
		"p99 of the cloud":   {cloud.P99, "quantile_over_time(0.99, " + sum(used, `service="gcnv"`) + ")"},
		"moved by the cloud": {cloud.Moved, "300 * sum(sum_over_time(" + used + "[7d]))"},
		"p99 of the week before": {cloud.Before,
			"quantile_over_time(0.99, sum(last_over_time(" + used + "[5m]))[7d:5m] offset 7d)"},
		"p99 of Azure Files": {row(t, w, "cloud", "azurefiles").P99, "quantile_over_time(0.99, sum(last_over_time(" + schema.SharePeakThroughputRollUp.Name + "[5m]))[7d:5m])"},
	} {
		if want := ask(pair.query); !near(pair.got, want) {
			t.Errorf("%s is %v, by PromQL %g", name, pair.got, want)
		}
	}
	for _, r := range w.Reconciliation {
		if !r.Holds {
			t.Errorf("%s: %v is not %v", r.What, r.Total, r.Parts)
		}
	}
	if len(w.Reconciliation) < 14 {
		t.Errorf("%d reconciliations", len(w.Reconciliation))
	}
}

// An idle share has zeros where Azure tells of its credits and of no bytes; a pool that went has the days that it had.
func TestMissingIsNotZero(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	s.fillAzure()
	s.write()
	w := s.mustBuild(nil)
	if idle := row(t, w, "volume", "idle"); idle.P99 != 0 || idle.Max != 10*mebi || idle.Coverage != 1 || idle.Granted != 600*mebi {
		t.Errorf("an idle share: p99 %v, max %v, coverage %v, granted %v", idle.P99, idle.Max, idle.Coverage, idle.Granted)
	}
	gone := row(t, w, "volume", "old")
	if want := float64(60*12-8) / 2016; gone.State != "gone" || !near(gone.Coverage, want) {
		t.Errorf("a volume that was deleted is %q with coverage %v, want %g", gone.State, gone.Coverage, want)
	}
	if there := row(t, w, "volume", "media"); there.State != "" {
		t.Errorf("a volume that is there is %q", there.State)
	}
	q := w.Quality
	if len(q.Gaps) != 1 || q.Gaps[0].Service != "gcnv" || q.Gaps[0].To.Sub(q.Gaps[0].From) != 40*time.Minute {
		t.Errorf("gaps %v", q.Gaps)
	}
	if len(q.Thin) != 1 || q.Thin[0].Resource.Volume != "old" {
		t.Errorf("thin: %v", q.Thin)
	}
	if w.Quality.Days != 7 { // Azure told something in the minutes in which Google told nothing
		t.Errorf("%v days", w.Quality.Days)
	}
}

func TestMoneyByCases(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	s.fillAzure()
	s.write()
	w := s.mustBuild(nil)
	totals := map[string]fleet.Value{}
	for _, one := range w.Money {
		totals[one.Case] = one.Total
		for _, row := range one.Rows {
			if row.Counts && len(row.Prices) == 0 {
				t.Errorf("%s: %v has no price", one.Case, row)
			}
			for _, price := range row.Prices {
				if price.Date != "2026-09-21" || price.Source != "a test" || price.USD <= 0 {
					t.Errorf("%s: price %+v", one.Case, price)
				}
			}
		}
	}
	// Flex: the sum peaks at 105 MiB/s, which with headroom is 126; what is left of 1,024 at 1.60, and of 16,384 operations at
	// 0.0168 what is beyond 16 for each MiB/s.
	pooled := row(t, w, "pool", "flexible-"+html)
	need := math.Ceil(1.2 * float64(pooled.P99) / mebi)
	if want := (1024-need)*1.6 + (16384-need*16)*0.0168; math.Abs(float64(totals["bought"])-want) > 20 {
		t.Errorf("bought: %v, want about %g", totals["bought"], want)
	}
	// Extreme to Premium saves 0.114 on 10,240 GiB.
	if totals["capacity"] != 1167 { // of 1167.36
		t.Errorf("capacity: %v", totals["capacity"])
	}
	// The plan gives what is lacked at an implied 5.408 a MiB/s.
	var lacked float64
	for _, v := range w.Plans[0].Volumes {
		lacked += float64(min(v.Propose, v.Need) - min(v.Current, v.Need))
	}
	if lacked <= 0 || totals["manual"] != fleet.Value(math.Round(lacked*0.338*1024/64)) {
		t.Errorf("manual: %v for %g MiB/s", totals["manual"], lacked)
	}
	if !totals["azure"].Above(0) {
		t.Errorf("azure: %v", totals["azure"])
	}
	for _, sentence := range w.Summary {
		if sum := float64(totals["bought"] + totals["capacity"] + totals["azure"] + totals["manual"]); strings.Contains(sentence, fmt.Sprintf("%.0f", sum)) {
			t.Errorf("the cases are added up: %s", sentence)
		}
	}
}

// Without prices there is no money, and the report says how to give them.
func TestWithoutPrices(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	s.write()
	w := s.mustBuild(func(o *report.Options) { o.Terms.Settings.Prices = nil })
	for _, one := range w.Money {
		if one.Total.Known() {
			t.Errorf("%s is worth %v without a price", one.Case, one.Total)
		}
		for _, row := range one.Rows {
			if row.Value.Known() || row.Counts || row.Note == "" {
				t.Errorf("%s: %+v", one.Case, row)
			}
		}
	}
	if !slices.ContainsFunc(w.Missing, func(m report.Missing) bool { return strings.Contains(m.How, "detection.prices") }) {
		t.Errorf("missing: %v", w.Missing)
	}
}

func TestPlansAndActions(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	s.write()
	w := s.mustBuild(nil)
	if len(w.Plans) != 1 || w.Plans[0].Pool != "shared-out" || w.Plans[0].Status != plan.Proposed {
		t.Fatalf("plans: %+v", w.Plans)
	}
	kinds := map[string]int{}
	for _, action := range w.Actions {
		kinds[action.Kind]++
		if action.What == "" || action.Why == "" {
			t.Errorf("%+v", action)
		}
	}
	if kinds[report.Free] != 1 || kinds[report.Saving] < 2 {
		t.Errorf("actions: %v", kinds)
	}
	if w.Actions[0].Kind != report.Free || !strings.Contains(w.Actions[0].Command, "--throughput-mibps") {
		t.Errorf("the first action is %+v", w.Actions[0])
	}
}

func TestRecordedAndResolved(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	name := detectors.Name{Detector: detectors.LimitReached, Variant: detectors.VariantThroughput}
	from := week.From().Add(48 * time.Hour)
	s.fire(name, from, from.Add(4*time.Hour), "gcp", "gcnv", "example", "europe-west3", "large", "media", "", "", "", "")
	s.fire(detectors.Name{Detector: detectors.ServerUnresponsive, Variant: detectors.VariantStalled}, from, from.Add(10*time.Minute), "", "", "", "", "", "", "web-1", "192.0.2.1", "", "nfs")
	s.fire(name, from.AddDate(0, 0, -7), from.AddDate(0, 0, -7).Add(time.Hour), "gcp", "gcnv", "example", "europe-west3", "large", "media", "", "", "", "")
	s.fire(name, week.To().Add(-2*time.Hour), week.To(), "gcp", "gcnv", "example", "europe-west3", "shared-out", "short", "", "", "", "")
	s.write()
	w := s.mustBuild(nil)
	if len(w.Resolved) != 2 {
		t.Fatalf("resolved: %+v", w.Resolved)
	}
	media := w.Resolved[1]
	if media.Resource.Volume != "media" || !near(fleet.Value(media.Hours), 4+1.0/12) || !media.Ended.Equal(from.Add(4*time.Hour+5*time.Minute)) && !media.Ended.Equal(from.Add(4*time.Hour)) {
		t.Errorf("%+v", media)
	}
	// 00:00 to 04:00 had a mean of about 1.43 of the day's, 05:00 to 09:00 another; both by PromQL.
	ratio := func(at time.Time) float64 {
		points, err := s.Instant(t.Context(), "avg_over_time("+schema.VolumeTotalThroughput.Name+`{volume="media"}[4h])`, at)
		if err != nil || len(points) != 1 {
			t.Fatal(points, err)
		}
		return points[0].Value
	}
	if want := ratio(media.Ended.Add(5*time.Hour)) / ratio(media.Ended); media.Why != "" || math.Abs(float64(media.Achieved)-want) > 0.03 {
		t.Errorf("achieved %v, want about %g; %s", media.Achieved, want, media.Why)
	}
	if stalled := w.Resolved[0]; stalled.Why == "" || stalled.Achieved.Known() {
		t.Errorf("ten minutes are compared: %+v", stalled)
	}
	for _, finding := range w.Findings {
		if fresh := finding.First != nil && finding.Resource.Volume != "media"; finding.New != fresh {
			t.Errorf("%s of %v is new: %v", finding.ID, finding.Resource, finding.New)
		}
		if finding.Resource.Volume == "short" && (!finding.AtEnd || finding.First == nil || math.Abs(float64(finding.Hours)-2) > 0.1) {
			t.Errorf("a finding that fires still: %+v", finding)
		}
	}
}

func TestFilters(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	s.fillAzure()
	s.write()
	for asked, want := range map[[2]string]int{{"large", ""}: 1, {"europe-west3/shared-out", ""}: 2, {"", "subscription"}: 2, {"", "example"}: 6, {"example/europe-west3/large", "example"}: 1} {
		w := s.mustBuild(func(o *report.Options) { o.Pool, o.Project = asked[0], asked[1] })
		volumes := 0
		for _, row := range w.Efficiency {
			if row.Level == "volume" {
				volumes++
			}
		}
		if volumes != want {
			t.Errorf("%v has %d volumes, want %d", asked, volumes, want)
		}
		for _, finding := range w.Findings {
			if asked[0] == "large" && finding.Resource.Pool != "large" {
				t.Errorf("%v tells of %v", asked, finding.Resource)
			}
		}
	}
	var wrong *report.RequestError
	if _, err := s.build(func(o *report.Options) { o.Pool = "nowhere" }); !errors.As(err, &wrong) || wrong.Parameter != "pool" {
		t.Errorf("error %v", err)
	}
	if _, err := s.build(func(o *report.Options) { o.Project = "nowhere" }); !errors.As(err, &wrong) || wrong.Parameter != "project" {
		t.Errorf("error %v", err)
	}
}

func TestCompare(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	s.write()
	w := s.mustBuild(func(o *report.Options) { o.Compare = week.Back(9) })
	if cloud := row(t, w, "cloud", "gcnv"); w.Before != week.Back(9) || cloud.Before.Known() {
		t.Errorf("against %s: %v", w.Before, cloud.Before)
	}
	w = s.mustBuild(nil)
	if cloud := row(t, w, "cloud", "gcnv"); w.Before != week.Back(1) || !near(cloud.Before/cloud.P99, 1) && !cloud.Before.Known() || cloud.EarlierSeen != 1 {
		t.Errorf("against %s: %v of %v, %d weeks", w.Before, cloud.Before, cloud.P99, cloud.EarlierSeen)
	}
}

func TestWrongWeeks(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools()[:1])
	s.write()
	var wrong *report.RequestError
	for name, change := range map[string]func(*report.Options){
		"the week runs": func(o *report.Options) { o.Week = report.WeekOf(now) },
		"in the future": func(o *report.Options) { o.Week = report.WeekOf(now.AddDate(1, 0, 0)) },
		"its own":       func(o *report.Options) { o.Compare = o.Week },
	} {
		if _, err := s.build(change); !errors.As(err, &wrong) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := s.build(func(o *report.Options) { o.Week = week.Back(20) }); !errors.Is(err, report.ErrNoData) {
		t.Errorf("long ago: error %v", err)
	}
}

// An hour of history makes a report that says how thin it is, and advises nothing.
func TestAnHour(t *testing.T) {
	s := newStore(t)
	p := pools()[0]
	for at := week.To().Add(-time.Hour); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		for _, v := range p.volumes {
			s.add(schema.VolumeTotalThroughput, at, v.use(at)*mebi, identity(p, v.name)...)
			s.add(schema.VolumeThroughputLimit, at, v.limit*mebi, identity(p, v.name)...)
		}
	}
	s.inventory(p, week.To())
	s.write()
	w := s.mustBuild(nil)
	if !w.Quality.Days.Below(0.06) || len(w.Quality.Thin) != 2 || len(w.Quality.Withheld) == 0 {
		t.Errorf("quality %+v", w.Quality)
	}
	for _, action := range w.Actions {
		if action.Kind == report.Saving || action.Kind == report.Free {
			t.Errorf("advised by an hour: %+v", action)
		}
	}
	for _, missing := range []string{"Full days", "four weeks", "no client host"} {
		if !slices.ContainsFunc(w.Missing, func(m report.Missing) bool { return strings.Contains(m.What, missing) }) {
			t.Errorf("%q is not said to be missing: %v", missing, w.Missing)
		}
	}
}

// Hosts alone have no cloud's figures, and the report says how to add them.
func TestWithoutACloud(t *testing.T) {
	s := newStore(t)
	for at := week.To().Add(-2 * time.Hour); !at.After(week.To()); at = at.Add(15 * time.Second) {
		s.add(schema.CollectorSuccess, at, 0, "web-1", "nfs")
	}
	s.write()
	w := s.mustBuild(nil)
	if len(w.Efficiency) != 0 || w.Quality.Days.Known() || len(w.Summary) != 5 {
		t.Errorf("%d rows, %v days, %q", len(w.Efficiency), w.Quality.Days, w.Summary)
	}
	if len(w.Quality.Stale) != 1 || w.Quality.Stale[0].Success != 0 {
		t.Errorf("stale: %+v", w.Quality.Stale)
	}
	if !slices.ContainsFunc(w.Missing, func(m report.Missing) bool { return strings.Contains(m.How, "gcnv.projects") }) {
		t.Errorf("missing: %v", w.Missing)
	}
}

// A volume at its limit for a tenth of the week, and a share whose credits went to a fifth, are named; others are not.
func TestLimited(t *testing.T) {
	s := newStore(t)
	p := pools()[1]
	p.volumes[0].limit, p.volumes[0].use = 100, func(at time.Time) float64 {
		if at.Sub(week.From()) <= weekPart(0.1) {
			return 100
		}
		return 10
	}
	s.fillGoogle([]pool{p})
	s.fillAzure()
	account := []string{"azure", "azurefiles", "subscription", "westeurope", "exampleaccount", "busy"}
	s.add(schema.ShareBurstCreditsRollUp, week.From().Add(24*time.Hour+time.Minute), 2e5, account...)
	s.write()
	w := s.mustBuild(nil)
	if len(w.Limited) != 2 {
		t.Fatalf("limited: %+v", w.Limited)
	}
	media, busy := w.Limited[0], w.Limited[1]
	if media.Resource.Volume != "media" || math.Abs(float64(media.AtLimit)-0.1) > 0.002 || media.Credits.Known() {
		t.Errorf("%+v", media)
	}
	if busy.Resource.Volume != "busy" || !near(busy.Credits, 0.2) {
		t.Errorf("%+v", busy)
	}
	for _, format := range report.Formats() {
		if text := written(t, w, format); !strings.Contains(text, "busy") {
			t.Errorf("%s lacks what was short of credits", format)
		}
	}
}

func weekPart(share float64) time.Duration { return time.Duration(share * float64(7*24*time.Hour)) }

// Where nasight stopped before the week ended, what fired last has not ended; where it ran, it has.
func TestStoppedBeforeTheEnd(t *testing.T) {
	for _, ran := range []bool{false, true} {
		s := newStore(t)
		s.fillGoogle(pools()[:2])
		stopped := week.To().Add(-30 * time.Hour)
		s.fire(detectors.Name{Detector: detectors.LimitReached, Variant: detectors.VariantThroughput}, stopped.Add(-time.Hour), stopped,
			"gcp", "gcnv", "example", "europe-west3", "large", "media", "", "", "", "")
		if ran {
			s.add(schema.CollectorSuccess, week.To(), 1, "here", "gcnv_inventory")
		}
		s.write()
		w := s.mustBuild(nil)
		said := slices.ContainsFunc(w.Missing, func(m report.Missing) bool {
			return strings.Contains(m.What, "nothing was recorded after Sat 2026-11-28 18:0")
		})
		if said == ran || (len(w.Resolved) == 1) != ran {
			t.Errorf("ran %v: said %v, resolved %+v", ran, said, w.Resolved)
		}
	}
}

// A finding about a project as a whole is one of its report, and of no pool's.
func TestProjectsFindings(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools()[:1])
	s.fire(detectors.Name{Detector: detectors.ClientBound, Variant: detectors.VariantSlotBudget}, week.To().Add(-time.Hour), week.To(), "gcp", "gcnv", "example", "", "", "", "", "", "", "")
	s.write()
	for asked, want := range map[[2]string]bool{{"", "example"}: true, {"", ""}: true, {"shared-out", ""}: false} {
		w := s.mustBuild(func(o *report.Options) { o.Pool, o.Project = asked[0], asked[1] })
		got := slices.ContainsFunc(w.Findings, func(f report.Finding) bool { return f.Variant == detectors.VariantSlotBudget })
		if got != want {
			t.Errorf("asked for %q: told %v", asked, got)
		}
	}
}
