package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/internal/look"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// HTML writes the report as one file that loads nothing: style and charts are within it.
func (w *Weekly) HTML(to io.Writer) error {
	page, err := template.New("report").Funcs(w.functions()).Parse(pageText)
	if err != nil {
		return fmt.Errorf("the report's page: %w", err)
	}
	var text bytes.Buffer
	if err := page.Execute(&text, w); err != nil {
		return fmt.Errorf("make the report of week %s: %w", w.Week, err)
	}
	if _, err := to.Write(bytes.Map(undirected, text.Bytes())); err != nil {
		return fmt.Errorf("write the report of week %s: %w", w.Week, err)
	}
	return nil
}

func (w *Weekly) functions() template.FuncMap {
	return template.FuncMap{
		"rate": rate, "mibs": mibs, "price": Price.text, "planMoment": w.planMoment, "worthOrTime": Action.worthOrTime, "part": Row.reachedPart, "cut": cut, "beyond": beyond, "brief": brief, "uncommanded": Action.uncommanded, "limits": limits, "idleNote": func() string { return idleNote }, "lead": lead, "money": money, "percent": percent, "size": bytesOf, "change": change, "days": daysOf, "hours": hours, "stamp": stamp, "bar": bar,
		"chart": w.chart, "label": label, "service": serviceName, "where": where, "style": func() template.CSS { return template.CSS(look.Style(pageStyle)) }, //nolint:gosec // the program's own
		"first": w.firstActions, "later": w.laterActions, "kinds": kinds, "wide": w.wideRows, "pools": func() []Row { return byIdle(w.rowsOf("pool")) }, "volumes": w.volumeRows,
		"topFindings": w.topFindings, "restFindings": w.restFindings, "section": w.findingsOf, "limited": func() []Limited { return w.Limited[:min(len(w.Limited), mostOpen)] }, "worth": worthOf, "factor": factorText,
		"whole": whole, "none": w.none, "nothing": w.nothing, "fired": fired,
		"mibps": func(v float64) string { return rate(fleet.Value(v) * (1 << 20)) },
		"lines": func(text string) int { return strings.Count(text, "\n") + 1 }, "reconciled": reconciledText, "usd": dollars,
		"measured": measured, "holds": w.holds, "urgent": func() int { return w.countKind(Repair) }, "counted": count,
	}
}

// The rows that a page shows at once; JSON has all.
const (
	mostFirst    = 3   // actions of each kind
	mostOpen     = 40  // volumes
	mostFolded   = 400 // volumes behind a fold
	mostFindings = 12  // with their evidence
	mostListed   = 500 // without
)

// kind is a kind of action with its words.
type kind struct{ Name, Title, Text string }

func kinds() []kind {
	return []kind{
		{Repair, "Repair", "users wait, or a limit is near"}, {Free, "Move for nothing", "within pools with manual QoS"},
		{Faster, "Make faster", "by settings of clients"}, {Saving, "Save", "lower what is not needed"},
	}
}

// firstActions are the first few of a kind.
func (w *Weekly) firstActions(name string) []Action {
	all := w.actionsOf(name)
	return all[:min(len(all), mostFirst)]
}

// laterActions are those that the first screen leaves out.
func (w *Weekly) laterActions() []Action {
	var rest []Action
	for _, one := range kinds() {
		if all := w.actionsOf(one.Name); len(all) > mostFirst {
			rest = append(rest, all[mostFirst:]...)
		}
	}
	return rest
}

func (w *Weekly) actionsOf(name string) []Action {
	var all []Action
	for _, action := range w.Actions {
		if action.Kind == name {
			all = append(all, action)
		}
	}
	return all
}

func (w *Weekly) countKind(name string) int { return len(w.actionsOf(name)) }

// wideRows are those of clouds, projects and service levels.
func (w *Weekly) wideRows() []Row {
	return slices.Concat(w.rowsOf("cloud"), w.rowsOf("project"), w.rowsOf("service_level"))
}

// byIdle puts those first that hold most of what nobody uses.
func byIdle(rows []Row) []Row {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Idle.Or(-1), a.Idle.Or(-1)), cmp.Compare(b.P99.Or(-1), a.P99.Or(-1)))
	})
	return rows
}

// volumesInOrder are the volumes: those that are held at their limit, for longest first, then those that hold most of what nobody uses.
func (w *Weekly) volumesInOrder() []Row {
	held := func(r Row) float64 {
		if r.AtLimit.AtLeast(leastAtLimit) {
			return float64(r.AtLimit)
		}
		return 0
	}
	rows := byIdle(w.rowsOf("volume"))
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(held(b), held(a)) })
	return rows
}

// volumeRows are the volumes in three parts: shown, folded, and how many are in JSON alone.
func (w *Weekly) volumeRows() struct {
	Open, Folded []Row
	More         int
} {
	all := w.volumesInOrder()
	open, folded := min(len(all), mostOpen), min(len(all), mostOpen+mostFolded)
	return struct {
		Open, Folded []Row
		More         int
	}{all[:open], all[open:folded], len(all) - folded}
}

func (w *Weekly) topFindings() []Finding { return w.Findings[:min(len(w.Findings), mostFindings)] }

func (w *Weekly) restFindings() []Finding {
	return w.Findings[min(len(w.Findings), mostFindings):min(len(w.Findings), mostListed)]
}

func (w *Weekly) findingsOf(section Section) []Finding {
	var all []Finding
	for _, finding := range w.Findings {
		if slices.Contains(section.Findings, finding.ID) && len(all) < mostFindings {
			all = append(all, finding)
		}
	}
	return all
}

// holds tells whether every total is the sum of its parts.
func (w *Weekly) holds() bool {
	return !slices.ContainsFunc(w.Reconciliation, func(r Reconciled) bool { return !r.Holds })
}

// where is what a resource lies in.
func where(of fleet.Resource) string {
	var named []string
	for _, part := range []string{of.Project, of.Location} {
		if part != "" {
			named = append(named, part)
		}
	}
	return strings.Join(named, ", ")
}

func measured(measure string) string {
	if measure == measurePeak {
		return "busiest second of each 5 min"
	}
	return "means of 5 min"
}

func factorText(v fleet.Value) string {
	if !v.Known() {
		return unknown
	}
	return fmt.Sprintf("%.2f ×", float64(v))
}

func dollars(v fleet.Value) string {
	if !v.Known() {
		return unknown
	}
	return fmt.Sprintf("%.2f", float64(v))
}

func reconciledText(r Reconciled, v fleet.Value) string {
	if r.Unit == "bytes" {
		return bytesOf(v)
	}
	return money(v) + " USD"
}

func whole(v fleet.Value) string {
	if !v.Known() {
		return unknown
	}
	return grouped(float64(v))
}
