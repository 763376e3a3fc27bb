package report_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/schema"
)

func section(t *testing.T, w *report.Weekly, name string) report.Section {
	t.Helper()
	for _, one := range w.Sections {
		if one.Name == name {
			return one
		}
	}
	t.Fatalf("no section %s", name)
	return report.Section{}
}

func lacks(w *report.Weekly, text string) bool {
	return slices.ContainsFunc(w.Missing, func(m report.Missing) bool { return strings.Contains(m.What, text) })
}

// Roll-ups alone tell of no session: a host of which they are known was not read.
func TestClientsThatWereNotRead(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools()[:2])
	for at := week.To().Add(-6 * time.Hour); !at.After(week.To()); at = at.Add(time.Minute) {
		s.add(schema.EndpointRequests, at, 3, "web-1", "192.0.2.1", "445")
	}
	s.write()
	w := s.mustBuild(nil)
	for _, name := range []string{"sessions", "multichannel"} {
		if got := section(t, w, name).Text; !strings.HasPrefix(got, "Not known") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if !lacks(w, "Sessions, slots and channels") {
		t.Errorf("missing: %v", w.Missing)
	}
	if strings.HasPrefix(w.Summary[2], "Nothing slowed users down") {
		t.Error(w.Summary[2])
	}
}

// What fired when the recording began may be older: the report says since when it is recorded, and what was not.
func TestRecordedForAPart(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools()[:2])
	name := detectors.Name{Detector: detectors.LimitReached, Variant: detectors.VariantIOPS}
	began := week.To().Add(-30 * time.Minute)
	s.fire(name, began, week.To(), "gcp", "gcnv", "example", "europe-west3", "large", "media", "", "", "", "")
	s.write()
	w := s.mustBuild(nil)
	i := slices.IndexFunc(w.Findings, func(f report.Finding) bool { return f.Variant == detectors.VariantIOPS })
	if i < 0 || !w.Findings[i].AtLeast {
		t.Fatalf("%+v", w.Findings)
	}
	gaps := w.Quality.Unrecorded
	if len(gaps) != 1 || !gaps[0].From.Equal(week.From()) || began.Sub(gaps[0].To).Abs() > 5*time.Minute {
		t.Errorf("unrecorded %v", gaps)
	}
	if !lacks(w, "For how long findings fired") || strings.Contains(written(t, w, "md"), "lasted ") {
		t.Errorf("missing %v", w.Missing)
	}
	for _, f := range w.Findings {
		if f.First == nil && f.Hours.Known() {
			t.Errorf("%s was never recorded and fired for %v hours", f.ID, f.Hours)
		}
	}
}

// One that began while nasight ran fired for as long as it was recorded.
func TestRecordedInFull(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools()[:2])
	for at := week.From().Add(time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		s.add(schema.CollectorSuccess, at, 1, "here", "gcnv_inventory")
	}
	s.fire(detectors.Name{Detector: detectors.LimitReached, Variant: detectors.VariantIOPS}, week.To().Add(-30*time.Minute), week.To(), "gcp", "gcnv", "example", "europe-west3", "large", "media", "", "", "", "")
	s.write()
	w := s.mustBuild(nil)
	for _, f := range w.Findings {
		if f.AtLeast {
			t.Errorf("%+v", f)
		}
	}
	if len(w.Quality.Unrecorded) != 0 {
		t.Errorf("unrecorded %v", w.Quality.Unrecorded)
	}
}

// A part of a week without an inventory is no ground for an all-clear.
func TestTooLittleForAnAllClear(t *testing.T) {
	s := newStore(t)
	p := pools()[1]
	for at := week.From().Add(24 * time.Hour); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		s.add(schema.VolumeTotalThroughput, at, 10*mebi, identity(p, "media")...)
	}
	s.write()
	w := s.mustBuild(func(o *report.Options) { o.Terms.Settings.Prices = nil })
	text := strings.Join(w.Summary, "\n") + written(t, w, "md")
	for _, wrong := range []string{"Nothing slowed users down", "There is nothing that has to be done", "No action was found", "\nNothing.\n"} {
		if strings.Contains(text, wrong) {
			t.Errorf("%q is said", wrong)
		}
	}
	if !lacks(w, "no inventory") || len(w.Quality.Withheld) == 0 {
		t.Errorf("missing %v, withheld %v", w.Missing, w.Quality.Withheld)
	}
}

// A volume at its limit by its samples is one to repair, also where nasight judged nothing.
func TestHeldBySamples(t *testing.T) {
	s := newStore(t)
	p := pools()[1]
	p.volumes[0].limit, p.volumes[0].use = 100, func(at time.Time) float64 {
		if at.Sub(week.From()) <= weekPart(0.5) {
			return 100
		}
		return 10
	}
	s.fillGoogle([]pool{p})
	s.write()
	w := s.mustBuild(nil)
	if len(w.Actions) == 0 || w.Actions[0].Kind != report.Repair || !strings.Contains(w.Actions[0].Lasted, "50 %") || !strings.Contains(w.Summary[2], "at its throughput limit") {
		t.Errorf("%q, %+v", w.Summary[2], w.Actions)
	}
}

// What is printed adds up as it is printed: two pools that save 1167.36 each save 2,334 and not 2,335.
func TestMoneyAddsUpAsPrinted(t *testing.T) {
	s := newStore(t)
	one, other := pools()[1], pools()[1]
	other.name, other.volumes[0].name = "large-too", "media-too"
	s.fillGoogle([]pool{one, other})
	s.write()
	w := s.mustBuild(nil)
	for _, format := range []string{"html", "md"} {
		text := written(t, w, format)
		if strings.Count(text, "1,167") < 2 || !strings.Contains(text, "2,334 USD") || strings.Contains(text, "2,335") {
			t.Errorf("%s does not add up: %d of 1,167, %t, %t", format, strings.Count(text, "1,167"), strings.Contains(text, "2,334 USD"), strings.Contains(text, "2,335"))
		}
	}
	if !strings.Contains(w.Summary[3], "2,334 USD by a cheaper level") {
		t.Error(w.Summary[3])
	}
	for _, held := range w.Reconciliation {
		if held.Unit == "USD a month" && strings.Contains(held.What, "comes with capacity") && (held.Total != 2334 || held.Parts != 2334 || !held.Holds) {
			t.Errorf("%+v", held)
		}
	}
}

// Busiest seconds do not tell what was moved.
func TestMovedByPeaks(t *testing.T) {
	w := estateReport(t)
	if cloud := row(t, w, "cloud", "azurefiles"); cloud.Moved.Known() || !cloud.Grantable.Known() {
		t.Errorf("moved %v", cloud.Moved)
	}
	for _, held := range w.Reconciliation {
		if strings.Contains(held.What, "moved by azure") {
			t.Error(held.What)
		}
	}
	if cloud := row(t, w, "cloud", "gcnv"); !strings.Contains(w.Summary[1], "99 % of the time") || strings.Contains(w.Summary[1], "at most") || cloud.Max < cloud.P99 {
		t.Error(w.Summary[1])
	}
}

// Paper has what the screen folds: nothing is folded by what a style sheet cannot open.
func TestFoldsOpenOnPaper(t *testing.T) {
	page := written(t, estateReport(t), "html")
	if strings.Contains(page, "<details") || !strings.Contains(page, "@media screen { .fold:not(:has(") {
		t.Error("a fold that stays closed on paper")
	}
}

// A comparison that lacks a part of its week, or all of it, is said to.
func TestThinComparison(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools()[:2])
	s.write()
	if w := s.mustBuild(func(o *report.Options) { o.Compare = week.Back(9) }); !lacks(w, "no samples of that week") {
		t.Errorf("missing %v", w.Missing)
	}
	if w := s.mustBuild(nil); lacks(w, "The comparison with") {
		t.Errorf("missing %v", w.Missing)
	}
}

// A pool of which half belongs to no volume is paid for as a whole, and so are the groups that it is in.
func TestPaidFor(t *testing.T) {
	s := newStore(t)
	p := pools()[1]
	p.total = 2560
	s.fillGoogle([]pool{p})
	s.write()
	w := s.mustBuild(nil)
	p.total, p.capacity = 0, 20480 // the API tells no total: it comes with capacity
	s2 := newStore(t)
	s2.fillGoogle([]pool{p})
	s2.write()
	if got := row(t, s2.mustBuild(nil), "pool", "large"); !near(got.Paid, 2560*mebi) {
		t.Errorf("by its capacity: paid for %v", got.Paid)
	}
	for _, level := range [][2]string{{"pool", "large"}, {"cloud", "gcnv"}, {"project", "example"}, {"service_level", "extreme"}} {
		if got := row(t, w, level[0], level[1]); !near(got.Paid, 2560*mebi) || !near(got.Granted, 1280*mebi) {
			t.Errorf("%s: paid for %v, granted %v", level[0], got.Paid, got.Granted)
		}
	}
	if !strings.Contains(w.Summary[1], "1,280 MiB/s of the 2,560 MiB/s that are paid for") {
		t.Error(w.Summary[1])
	}
}

// Those at their limit come first among volumes, whatever else is idle.
func TestLimitedVolumesComeFirst(t *testing.T) {
	s := newStore(t)
	held, idle := pools()[0], pools()[1]
	held.volumes[0].limit, held.volumes[0].use = 64, func(time.Time) float64 { return 64 }
	s.fillGoogle([]pool{held, idle})
	s.write()
	text := written(t, s.mustBuild(nil), "md")
	_, text, _ = strings.Cut(text, "### By volume")
	if first, other := strings.Index(text, "shared-out/short"), strings.Index(text, "large/media"); first < 0 || other < first {
		t.Errorf("at %d and %d", first, other)
	}
}
