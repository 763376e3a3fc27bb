package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// markdown writes one form of the report, for wikis and tickets. Names from clouds and hosts are escaped.
type markdown struct {
	*bufio.Writer
	w *Weekly
}

const mostMarkdown = 30 // rows of a table; JSON has all

// Markdown writes the report as GitHub's Markdown.
func (w *Weekly) Markdown(to io.Writer) error {
	m := markdown{bufio.NewWriter(to), w}
	m.head()
	m.todo()
	m.efficiency()
	m.money()
	m.plans()
	m.topics()
	m.findings()
	m.resolved()
	m.quality()
	m.section("Method")
	m.list(w.Notes)
	if err := m.Flush(); err != nil {
		return fmt.Errorf("write the report of week %s: %w", w.Week, err)
	}
	return nil
}

// escaped makes a text that others chose harmless: no markup, no table cell, no line and no change of direction of its own.
func escaped(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return undirected(r)
	}, text)
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`).Replace(text)
}

// undirected leaves out what changes the direction of the text around a name.
func undirected(r rune) rune {
	if r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f {
		return -1
	}
	return r
}

// fenced is a command in a block of its own, which no line of it can end.
func (m markdown) fenced(command string) {
	fence := "```"
	for strings.Contains(command, fence) {
		fence += "`"
	}
	fmt.Fprintf(m, "\n%s\n%s\n%s\n", fence, command, fence)
}

func (m markdown) section(title string) { fmt.Fprintf(m, "\n## %s\n\n", title) }

func (m markdown) list(lines []string) {
	for _, line := range lines {
		fmt.Fprintf(m, "- %s\n", escaped(line))
	}
}

// table writes a table whose numbers are to the right. Cells are escaped; a row that is too long is a fault of the caller.
func (m markdown) table(head []string, numbers string, rows [][]string) {
	fmt.Fprintf(m, "| %s |\n|", strings.Join(head, " | "))
	for i := range head {
		if i < len(numbers) && numbers[i] == 'n' {
			fmt.Fprint(m, " ---: |")
		} else {
			fmt.Fprint(m, " --- |")
		}
	}
	fmt.Fprintln(m)
	for _, row := range rows[:min(len(rows), mostMarkdown)] {
		for _, cell := range row {
			fmt.Fprintf(m, "| %s ", escaped(cell))
		}
		fmt.Fprintln(m, "|")
	}
	m.rest(len(rows)-mostMarkdown, "row")
}

func (m markdown) head() {
	w := m.w
	fmt.Fprintf(m, "# Storage efficiency, week %s\n\n", w.Week)
	if w.Simulated != "" {
		fmt.Fprintf(m, "**%s**\n\n", escaped(w.Simulated))
	}
	fmt.Fprintf(m, "%s to %s UTC", stamp(w.From), stamp(w.To))
	for _, filter := range [][2]string{{"project", w.Project}, {"pool", w.Pool}} {
		if filter[1] != "" {
			fmt.Fprintf(m, ", %s %s", filter[0], escaped(filter[1]))
		}
	}
	fmt.Fprint(m, "\n\n")
	m.list(w.Summary)
}

func (m markdown) todo() {
	m.section("What to do on Monday")
	if len(m.w.Actions) == 0 {
		fmt.Fprintln(m, m.w.nothing())
	}
	for _, kind := range kinds() {
		for _, action := range m.w.firstActions(kind.Name) {
			fmt.Fprintf(m, "- **%s**, %s: **%s** %s", kind.Title, escaped(label(action.Resource)), escaped(action.What), escaped(lead(action.Why)))
			if worth := action.worthOrTime(); worth != "" {
				fmt.Fprintf(m, " *%s.*", escaped(worth))
			}
			fmt.Fprintln(m)
		}
	}
	if more := m.w.laterActions(); len(more) > 0 {
		fmt.Fprintf(m, "\nAnd %s:\n\n", count(len(more), "more action"))
		var rows [][]string
		for _, action := range more {
			rows = append(rows, []string{action.Kind, label(action.Resource), action.What, action.worthOrTime()})
		}
		m.table([]string{"Kind", "Resource", "What", "Worth, or for how long"}, "", rows)
	}
	m.commands()
	if len(m.w.Missing) > 0 {
		fmt.Fprint(m, "\n### What this report cannot tell\n\n")
		for _, missing := range m.w.Missing {
			m.list([]string{missing.What + " " + missing.How})
		}
	}
}

// commands are those of the actions above, in their order, or why there is none.
func (m markdown) commands() {
	var shown []Action
	for _, kind := range kinds() {
		shown = append(shown, m.w.firstActions(kind.Name)...)
	}
	later := m.w.laterActions()
	shown = append(shown, later[:min(len(later), mostMarkdown)]...)
	if len(shown) == 0 {
		return
	}
	fmt.Fprint(m, "\n### How to do it\n\nnasight proposes and changes nothing.\n")
	for _, action := range shown {
		fmt.Fprintf(m, "\n**%s**: %s", escaped(label(action.Resource)), escaped(action.What))
		if action.Caveat != "" {
			fmt.Fprintf(m, " %s", escaped(action.Caveat))
		}
		if command := brief(action.Command); command != "" {
			fmt.Fprintln(m)
			m.fenced(command)
		} else {
			fmt.Fprintf(m, " %s\n", escaped(action.uncommanded()))
		}
	}
}

func (m markdown) efficiency() {
	m.section("Efficiency")
	fmt.Fprintf(m, "In MiB/s. * %s\n\n", idleNote)
	rows := func(all []Row) [][]string {
		var cells [][]string
		for _, r := range all {
			cells = append(cells, []string{
				strings.Join(strings.Fields(label(r.Resource)+" "+r.ServiceLevel+" "+r.QoS+" "+r.State), " "), mibs(r.Paid), mibs(r.Granted), mibs(r.P50), mibs(r.P95), mibs(r.P99), whole(r.Operations), percent(r.Use), mibs(r.Idle),
				reachText(r), percent(r.AtLimit), change(r.P99, r.Before), earlierText(r), daysOf(r.Days),
			})
		}
		return cells
	}
	for _, part := range []struct {
		title string
		rows  []Row
	}{{"By cloud, project and service level", m.w.wideRows()}, {"By pool and storage account", byIdle(m.w.rowsOf("pool"))}, {"By volume and share, those at their limit first", m.w.volumesInOrder()}} {
		fmt.Fprintf(m, "### %s\n\n", part.title)
		m.table([]string{"Name", "Paid for", "Granted", "p50", "p95", "p99", "op/s p99", "p99 / granted", "Idle*", "p99 / reachable", "At throughput limit", "against " + m.w.Before.String(), "against 4 weeks", "Days"}, "tnnnnnnnnnnnnn", rows(part.rows))
		fmt.Fprintln(m)
	}
}

// reachText is the reach of a row, and of how many volumes where that is not all.
func reachText(r Row) string {
	if part := r.reachedPart(); part != "" {
		return percent(r.Reach) + " (" + part + ")"
	}
	return percent(r.Reach)
}

// earlierText is how a figure differs from the weeks before, and of how many that is where they are not four.
func earlierText(r Row) string {
	text := change(r.P99, r.Earlier)
	if r.EarlierSeen > 0 && r.EarlierSeen < 4 {
		text += fmt.Sprintf(" (%d)", r.EarlierSeen)
	}
	return text
}

func (m markdown) money() {
	m.section("Money, by its kind")
	fmt.Fprint(m, "USD a month. The kinds are different and are not added up.\n")
	for _, one := range m.w.Money {
		fmt.Fprintf(m, "\n### %s\n\n%s\n\n", one.Title, one.Meaning)
		if len(one.Rows) == 0 {
			fmt.Fprintln(m, m.w.none())
			continue
		}
		var rows [][]string
		for _, row := range one.Rows {
			var prices []string
			for _, price := range row.Prices {
				prices = append(prices, price.text())
			}
			rows = append(rows, []string{label(row.Resource), strings.TrimSpace(row.What + " " + row.Note), money(row.Value), strings.Join(prices, "; ")})
		}
		rows = append(rows, []string{"Total of what counts", "", money(one.Total), ""})
		m.table([]string{"Resource", "Action", "USD a month", "Price, date and source"}, "ttn", rows)
	}
}

func (m markdown) plans() {
	m.section("Reallocation of pools with manual QoS")
	if len(m.w.Plans) == 0 {
		fmt.Fprintln(m, "No pool with manual QoS is known.")
	} else {
		fmt.Fprintf(m, "%s\n\n", m.w.planMoment())
	}
	for _, made := range m.w.Plans[:min(len(m.w.Plans), mostPlans)] {
		fmt.Fprintf(m, "### %s: %s\n\n", escaped(made.Pool), made.Status)
		if said := cmp.Or(made.Reason, made.Brings); said != "" {
			fmt.Fprintf(m, "%s\n\n", escaped(said))
		}
		if len(made.Steps) == 0 {
			continue
		}
		var rows [][]string
		for _, step := range made.Steps {
			rows = append(rows, []string{step.Volume, mibs(mebibytes(step.From)), mibs(mebibytes(step.To))})
		}
		m.table([]string{"Volume", "From MiB/s", "To MiB/s"}, "tnn", rows)
		shown := *made
		shown.Steps = made.Steps[:min(len(made.Steps), mostMarkdown)]
		m.fenced(commandsOf(&shown))
		fmt.Fprintln(m)
	}
	m.rest(len(m.w.Plans)-mostPlans, "plan")
}

// rest says how much is left out.
func (m markdown) rest(left int, what string) {
	if left > 0 {
		fmt.Fprintf(m, "\n%s in the JSON form of this report.\n", count(left, "more "+what))
	}
}

func mebibytes(mibps float64) fleet.Value { return fleet.Value(mibps) * (1 << 20) }

func (m markdown) topics() {
	for _, section := range m.w.Sections {
		m.section(section.Title)
		fmt.Fprintln(m, section.Text)
		var rows [][]string
		for _, finding := range m.w.findingsOf(section) {
			rows = append(rows, []string{label(finding.Resource), finding.Severity.String() + " " + finding.Variant, finding.Summary, worthOf(finding.Gain), fired(finding)})
		}
		if len(rows) > 0 {
			fmt.Fprintln(m)
			m.table([]string{"Resource", "Finding", "What was seen", "Gain", "Fired"}, "ttttn", rows)
		}
	}
	var rows [][]string
	for _, one := range m.w.Limited {
		rows = append(rows, []string{label(one.Resource), percent(one.AtLimit), percent(one.Credits)})
	}
	if len(rows) > 0 {
		fmt.Fprint(m, "\nAt the throughput limit for a part of the week, or short of burst credits:\n\n")
		m.table([]string{"Volume or share", "Of the samples at the limit", "Least burst credits left"}, "tnn", rows)
	}
}

// atLeast goes before how long a finding fired where it may have been longer.
func atLeast(f Finding) string {
	if f.AtLeast {
		return "≥ "
	}
	return ""
}

func fired(f Finding) string {
	if f.First == nil {
		return unknown
	}
	return atLeast(f) + hours(float64(f.Hours))
}

func (m markdown) findings() {
	m.section("Findings")
	if len(m.w.Findings) == 0 {
		fmt.Fprintln(m, "Nothing was found.")
	}
	for _, f := range m.w.topFindings() {
		fmt.Fprintf(m, "### %s %s/%s: %s\n\n", f.Severity, escaped(f.Detector), escaped(f.Variant), escaped(label(f.Resource)))
		if f.New {
			fmt.Fprintf(m, "New against %s. ", m.w.Before)
		}
		fmt.Fprintf(m, "%s %s\n\n", escaped(f.Summary), escaped(f.Detail))
		for _, evidence := range f.Evidence {
			m.list([]string{evidence.Line()})
		}
		for _, remedy := range f.Remedy {
			fmt.Fprintf(m, "\n%s\n", escaped(strings.Join(strings.Fields(remedy.What+" "+remedy.Caveat+" "+remedy.ByHand), " ")))
			if remedy.Command != "" {
				m.fenced(remedy.Command)
			}
		}
		fmt.Fprintln(m)
	}
	var rows [][]string
	for _, f := range m.w.restFindings() {
		rows = append(rows, []string{label(f.Resource), f.Severity.String() + " " + f.Detector + "/" + f.Variant, f.Summary, fired(f)})
	}
	if len(rows) > 0 {
		m.table([]string{"Resource", "Finding", "What was seen", "Fired"}, "tttn", rows)
	}
}

func (m markdown) resolved() {
	m.section("Resolved this week")
	if len(m.w.Resolved) == 0 {
		fmt.Fprintln(m, "Nothing that was recorded as firing ended within the week.")
		return
	}
	var rows [][]string
	for _, one := range m.w.Resolved {
		rows = append(rows, []string{label(one.Resource), one.Detector + "/" + one.Variant, stamp(one.Ended), hours(one.Hours), factorText(one.Predicted), factorText(one.Achieved), one.Why})
	}
	m.table([]string{"Resource", "Finding", "Ended", "Fired", "Predicted", "Achieved", "Not compared because"}, "tttnnn", rows)
}

func (m markdown) quality() {
	q := m.w.Quality
	m.section("Data quality")
	fmt.Fprintf(m, "Days covered: %s of 7. From %s; judged as of %s UTC.\n\n", daysOf(q.Days), escaped(m.w.History), stamp(m.w.Judged))
	var lines []string
	for _, gap := range q.Gaps[:min(len(q.Gaps), mostNamed)] {
		lines = append(lines, fmt.Sprintf("no sample of %s %s from %s to %s UTC", gap.Cloud, gap.Service, stamp(gap.From), stamp(gap.To)))
	}
	for _, gap := range q.Unrecorded[:min(len(q.Unrecorded), mostNamed)] {
		lines = append(lines, fmt.Sprintf("nothing was judged minute by minute from %s to %s UTC: findings of then are not known", stamp(gap.From), stamp(gap.To)))
	}
	for _, thin := range q.Thin[:min(len(q.Thin), mostMarkdown)] {
		lines = append(lines, fmt.Sprintf("%s has %s of its samples", label(thin.Resource), percent(thin.Coverage)))
	}
	for _, stale := range q.Stale[:min(len(q.Stale), mostNamed)] {
		lines = append(lines, fmt.Sprintf("%s %s: %s of its runs succeeded", stale.Source, stale.Host, percent(stale.Success)))
	}
	for _, withheld := range q.Withheld[:min(len(q.Withheld), mostNamed)] {
		lines = append(lines, "withheld: "+withheld.What+": "+withheld.Why)
	}
	m.list(lines)
	m.rest(len(q.Gaps)+len(q.Unrecorded)+len(q.Thin)+len(q.Stale)+len(q.Withheld)-len(lines), "line")
	fmt.Fprint(m, "\n### Reconciliation\n\n")
	var rows [][]string
	for _, r := range m.w.Reconciliation {
		rows = append(rows, []string{r.What, reconciledText(r, r.Total), reconciledText(r, r.Parts), map[bool]string{true: "holds", false: "DOES NOT HOLD"}[r.Holds]})
	}
	m.table([]string{"What", "Total", "Sum of parts", ""}, "tnn", rows)
	fmt.Fprint(m, "\n### What reading the clouds took\n\n")
	rows = nil
	for _, cost := range m.w.Cost {
		rows = append(rows, []string{cost.Cloud + " " + cost.Project, whole(cost.Requests), whole(cost.Series), dollars(cost.USD), dollars(cost.Month)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(m, "Not recorded in this week.")
		return
	}
	m.table([]string{"Project or subscription", "Requests", "Series returned", "USD", "USD to the month's end, projected"}, "tnnnn", rows)
}
