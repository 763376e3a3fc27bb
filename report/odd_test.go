package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/report"
)

// Without hosts the clouds' figures are whole, and what clients alone can tell is said to be missing, with what adds it.
func TestWithoutHosts(t *testing.T) {
	w := estateReport(t)
	if !slices.ContainsFunc(w.Missing, func(m report.Missing) bool {
		return strings.Contains(m.What, "no client host was read") && strings.Contains(m.How, "nasight-agent") && strings.Contains(m.How, "promhost")
	}) {
		t.Errorf("missing: %v", w.Missing)
	}
	for _, name := range []string{"sessions", "multichannel"} {
		if got := section(t, w, name).Text; !strings.HasPrefix(got, "Not known: no client host was read") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if cloud := row(t, w, "cloud", "gcnv"); !cloud.P99.Known() || !cloud.Idle.Known() || cloud.Coverage < 0.99 {
		t.Errorf("%+v", cloud)
	}
	for _, action := range w.Actions {
		if action.Resource.Host != "" {
			t.Errorf("an action on a host that was not read: %+v", action)
		}
	}
}

// A pool that was deleted within the week has the days that it had, counts in the sums, and is nothing to be acted on.
func TestPoolDeletedInTheWeek(t *testing.T) {
	w := estateReport(t)
	gone := row(t, w, "pool", "deleted")
	if gone.State != "gone" || !gone.Days.Below(2.6) || !gone.Moved.Above(0) {
		t.Errorf("%+v", gone)
	}
	cloud := row(t, w, "cloud", "gcnv")
	moved := 0.0
	for _, r := range w.Efficiency {
		if r.Level == "pool" && r.Resource.Service == "gcnv" {
			moved += float64(r.Moved)
		}
	}
	if !near(cloud.Moved, moved) {
		t.Errorf("the pools moved %g, the cloud %v", moved, cloud.Moved)
	}
	for _, action := range w.Actions {
		if action.Resource.Pool == "deleted" {
			t.Errorf("something is to be done about a pool that is gone: %+v", action)
		}
	}
	for _, one := range w.Money {
		for _, r := range one.Rows {
			if r.Resource.Pool == "deleted" {
				t.Errorf("a pool that is gone is worth money: %+v", r)
			}
		}
	}
	for _, format := range []string{"html", "md"} {
		text := written(t, w, format)
		if at := strings.Index(text, "deleted/old"); at < 0 || !strings.Contains(text[at:at+200], "gone") {
			t.Errorf("%s does not say that the volume is gone", format)
		}
	}
}

// Names with markup, or that turn the direction of text, are text where plans, actions and their commands name them too.
func TestNamesInPlansAreEscaped(t *testing.T) {
	s := newStore(t)
	p := pools()[0]
	p.name, p.volumes[0].name, p.volumes[1].name = "shared-"+html+rtl, html, rtl
	s.fillGoogle([]pool{p})
	s.write()
	w := s.mustBuild(nil)
	if len(w.Plans) != 1 || len(w.Plans[0].Steps) < 2 || len(w.Actions) == 0 {
		t.Fatalf("%d plans, %d actions", len(w.Plans), len(w.Actions))
	}
	page := written(t, w, "html")
	if strings.Contains(page, "<script") || strings.Contains(page, "\u202e") || strings.Count(page, "&lt;script&gt;") < 10 {
		t.Errorf("the page holds the markup of a name, or its direction; %d names", strings.Count(page, "&lt;script&gt;"))
	}
	// A name is kept apart from the direction of what stands around it wherever it is a name alone.
	for _, cell := range regexp.MustCompile(`<th scope="row">[^<]*(?:shared-|مجلد|&lt;script)`).FindAllString(page, -1) {
		t.Errorf("a name without its own direction: %s", cell)
	}
	text := written(t, w, "md")
	blocks := regexp.MustCompile("(?s)\n```+\n.*?\n```+\n") // in which markup is text
	if outside := blocks.ReplaceAllString(text, ""); strings.Contains(outside, "<script") || strings.Contains(outside, "\u202e") {
		t.Error("Markdown holds the markup of a name, or its direction")
	}
}
