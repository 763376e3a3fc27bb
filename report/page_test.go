package report_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/report"
	"github.com/nasight/nasight/schema"
)

func written(t *testing.T, w *report.Weekly, format string) string {
	t.Helper()
	var text bytes.Buffer
	if err := w.Write(&text, format); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func estateReport(t *testing.T) *report.Weekly {
	t.Helper()
	s := newStore(t)
	s.fillGoogle(pools())
	s.fillAzure()
	s.write()
	return s.mustBuild(nil)
}

// TestNamesAreEscaped: a name with markup in it, or one that turns the direction of text, is text in every format.
func TestNamesAreEscaped(t *testing.T) {
	w := estateReport(t)
	for _, format := range []string{"html", "md"} {
		text := written(t, w, format)
		blocks := regexp.MustCompile("(?s)\n```.*?\n```\n") // in which markup is text
		if strings.Contains(blocks.ReplaceAllString(text, ""), "<script") {
			t.Errorf("%s holds the markup of a name", format)
		}
		if !strings.Contains(text, "مجلد") {
			t.Errorf("%s lacks a name that is written from right to left", format)
		}
	}
	if text := written(t, w, "md"); strings.Contains(text, "\u202e") || strings.Contains(text, "مجلد|") {
		t.Error("a name in Markdown turns the direction of the text, or ends a cell")
	}
	if strings.Contains(written(t, w, "html"), "\u202e") {
		t.Error("a name in HTML turns the direction of the text")
	}
	if page := written(t, w, "html"); !strings.Contains(page, "<bdi>flexible-&lt;script&gt;") {
		t.Error("a name in HTML is not kept apart from the direction of the text around it")
	}
}

// TestPageLoadsNothing: what is in the file is all there is.
func TestPageLoadsNothing(t *testing.T) {
	page := written(t, estateReport(t), "html")
	if found := regexp.MustCompile(`(?i)(\ssrc=|<link[^>]*href="[^d]|@import|url\(|<script|<iframe|<object|<embed)`).FindString(page); found != "" {
		t.Errorf("the page reaches out: %q", found)
	}
	if !strings.Contains(page, "prefers-color-scheme: dark") || !strings.Contains(page, "@page { size: A4") || !strings.Contains(page, "table-header-group") {
		t.Error("the page has no style for the dark, or for paper")
	}
}

// TestTablesAreNamed: every table has a caption and a head whose cells say what they head; every chart says what it shows.
func TestTablesAreNamed(t *testing.T) {
	page := written(t, estateReport(t), "html")
	tables := regexp.MustCompile(`(?s)<table.*?</table>`).FindAllString(page, -1)
	if len(tables) < 8 {
		t.Fatalf("%d tables", len(tables))
	}
	for _, table := range tables {
		if !strings.Contains(table, "<caption>") || !strings.Contains(table, "<thead>") {
			t.Errorf("a table without a caption or head: %.120s", table)
		}
		for _, head := range regexp.MustCompile(`<th[ >][^>]*`).FindAllString(table, -1) {
			if !strings.Contains(head, "scope=") {
				t.Errorf("a head without a scope: %s", head)
			}
		}
		columns := strings.Count(regexp.MustCompile(`(?s)<thead>.*?</thead>`).FindString(table), "<th ")
		for _, line := range regexp.MustCompile(`(?s)<tr.*?</tr>`).FindAllString(table, -1) {
			if cells := strings.Count(line, "<td") + strings.Count(line, "<th "); cells != columns {
				t.Errorf("a row of %d cells under %d heads: %.200s", cells, columns, line)
			}
		}
	}
	for _, chart := range regexp.MustCompile(`<svg[^>]*>`).FindAllString(page, -1) {
		if !strings.Contains(chart, `role="img"`) || !strings.Contains(chart, "aria-label=") {
			t.Errorf("a chart that says nothing: %s", chart)
		}
	}
	if charts := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1); len(charts) < 2 {
		t.Errorf("%d charts", len(charts))
	} else {
		for _, chart := range charts {
			if err := xml.Unmarshal([]byte(chart), new(struct{})); err != nil {
				t.Errorf("a chart that is not well formed: %v", err)
			}
		}
	}
}

// A gap is a hole in the line and no drop to zero.
func TestChartHasHoles(t *testing.T) {
	s := newStore(t)
	p := pools()[1]
	steadily := p.volumes[0].use
	for at := week.From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		if h := at.Sub(week.From()).Hours(); h > 48 && h < 72 {
			continue
		}
		s.add(schema.VolumeTotalThroughput, at, steadily(at)*mebi, identity(p, "media")...)
	}
	s.inventory(p, week.To())
	s.write()
	page := written(t, s.mustBuild(nil), "html")
	if lines := strings.Count(page, `<polyline class="used"`); lines != 2 {
		t.Errorf("a course with a gap has %d lines, want 2", lines)
	}
}

// TestManyVolumes: whatever there is a lot of, the file stays one that can be sent, and says what it leaves out. Each list is made
// ten thousand long here: beyond what is shown its length is a number, so that no estate makes the page larger.
func TestManyVolumes(t *testing.T) {
	w := estateReport(t)
	if len(w.Plans) == 0 || len(w.Actions) == 0 || len(w.Money[0].Rows) == 0 {
		t.Fatal("the estate has too little to make much of")
	}
	const many = 10_000
	for _, level := range []string{"project", "service_level", "pool", "volume"} {
		one := w.Efficiency[slices.IndexFunc(w.Efficiency, func(r report.Row) bool { return r.Level == level })]
		for i := range many {
			one.Resource.Pool = fmt.Sprintf("pool-with-quite-a-long-name-%05d", i)
			one.Resource.Volume = fmt.Sprintf("volume-with-quite-a-long-name-%05d", i)
			w.Efficiency = append(w.Efficiency, one)
		}
	}
	w.Findings, w.Actions, w.Resolved, w.Limited = times(many, w.Findings), times(many, w.Actions), times(many, []report.Resolved{{Detector: "limit_reached", Variant: "throughput", Why: "the same time after its end has not passed yet"}}), times(many, w.Limited)
	steps := *w.Plans[0]
	steps.Steps = times(many, steps.Steps)
	w.Plans = times(many, []*plan.Plan{&steps})
	for i := range w.Money {
		w.Money[i].Rows = times(many, w.Money[i].Rows)
	}
	for i := range w.Sections {
		for _, f := range w.Findings {
			w.Sections[i].Findings = append(w.Sections[i].Findings, f.ID)
		}
	}
	q := &w.Quality
	q.Gaps, q.Thin, q.Withheld, q.Unrecorded = times(many, q.Gaps), times(many, q.Thin), times(many, []report.Withheld{{What: "a plan for a pool", Why: "the lower bounds ask for more than the pool has"}}), times(many, q.Gaps)
	q.Stale, w.Cost = times(many, []report.Stale{{Source: "nfs", Host: "a-host.example.com"}}), times(many, []report.Cost{{Cloud: "gcp", Project: "example"}})
	page := written(t, w, "html")
	t.Logf("%d bytes of HTML", len(page))
	if len(page) > 2_000_000 {
		t.Errorf("the page has %d bytes, more than 2 MB", len(page))
	}
	for _, left := range []string{"volumes in", "pools in", "rows in", "actions in", "plans in", "steps in", "findings in", "gaps in", "sources in", "reasons in", "projects in"} {
		if !strings.Contains(page, left+" the JSON form") {
			t.Errorf("the page does not say that more %s the JSON form", left)
		}
	}
	if text := written(t, w, "md"); len(text) > 1<<20 || !strings.Contains(text, "more rows in the JSON form") || !strings.Contains(text, "more plans in the JSON form") {
		t.Errorf("Markdown has %d bytes", len(text))
	}
}

// times repeats a list until it is so long.
func times[T any](most int, list []T) []T {
	var long []T
	for len(list) > 0 && len(long) < most {
		long = append(long, list...)
	}
	return long
}

func TestNothingToTell(t *testing.T) {
	empty := &report.Weekly{Week: week, From: week.From(), To: week.To()}
	for _, format := range report.Formats() {
		if text := written(t, empty, format); text == "" {
			t.Errorf("%s of nothing is empty", format)
		}
	}
	if err := empty.Write(&bytes.Buffer{}, "pdf"); err == nil {
		t.Error("pdf is a format")
	}
}

func TestFileNames(t *testing.T) {
	w := &report.Weekly{Week: week}
	if name := w.FileName("md"); name != "nasight-weekly-2026-W48.md" {
		t.Error(name)
	}
	if got, format, ours := report.ParseFileName("nasight-weekly-2026-W48.html"); !ours || got != week || format != "html" {
		t.Errorf("%v %s %v", got, format, ours)
	}
	w.Project, w.Pool = "../../etc", "a/b"
	if name := w.FileName("md"); name != "nasight-weekly-2026-W48-.._.._etc-a_b.md" {
		t.Error(name)
	}
	for _, name := range []string{"", "nasight-weekly-2026-W48", "nasight-weekly-2026-W48.pdf", "nasight-weekly-2026-W48.html.new", "nasight-weekly-2026-W99.html", "x-2026-W48.html", w.FileName("md"), "nasight-weekly-2026-W48.html.123.new"} {
		if _, _, ours := report.ParseFileName(name); ours {
			t.Errorf("%q is taken for a report", name)
		}
	}
}
