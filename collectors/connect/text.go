package connect

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostAlike is how many checks of one name that went well have a line each; more share one.
const mostAlike = 4

// Text writes the report for people: a line for each failure, with what to do.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	for i, section := range r.Clouds {
		if i > 0 {
			b.WriteByte('\n')
		}
		section.text(&b)
	}
	failed, tried := r.Tally()
	switch {
	case failed > 0:
		fmt.Fprintf(&b, "\n%d of %d checks failed.\n", failed, tried)
	default:
		fmt.Fprintf(&b, "\nAll %d checks passed.\n", tried)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the report on %s: %w", r.File, err)
	}
	return nil
}

func (s *Section) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s, as %s\n", s.Title, s.As)
	for _, note := range s.Notes {
		fmt.Fprintf(b, "note: %s\n", note)
	}
	b.WriteString("\nAccess\n")
	for _, check := range merged(s.Checks) {
		fmt.Fprintf(b, "  %-7s  %s\n", check.Status, check.line())
	}
	if len(s.Answers) > 0 {
		b.WriteString("\nWhat the cloud answers\n")
	}
	for i := range s.Answers {
		s.Answers[i].text(b, i+1)
	}
	c := s.Cost
	fmt.Fprintf(b, "\nThis took %s, %d of them without success", Count(c.Calls, "API call"), c.Failed)
	if c.Bill != nil {
		fmt.Fprintf(b, ", and %d time series: %.6f USD at the list price", c.Series, c.USD)
	}
	b.WriteString(".\n")
}

// line is a check in one line.
func (c Check) line() string {
	line := c.Name
	if c.On != "" {
		line += " on " + c.On
	}
	if c.Says != "" {
		line += ": " + c.Says
	}
	if c.Lacks != "" {
		line += "; lacks " + c.Lacks
	}
	if c.Do != "" {
		line += "; to do: " + c.Do
	}
	if c.Heard != "" {
		line += " (it said: " + c.Heard + ")"
	}
	return line
}

// merged are the checks in the order of their names' first appearance, with many good ones of a name in one.
func merged(checks []Check) []Check {
	good, byName, names := map[string]int{}, map[string][]Check{}, []string(nil)
	for _, check := range checks {
		if byName[check.Name] == nil {
			names = append(names, check.Name)
		}
		byName[check.Name] = append(byName[check.Name], check)
		if check.Status == OK {
			good[check.Name]++
		}
	}
	out := make([]Check, 0, len(checks))
	for _, name := range names {
		if good[name] > mostAlike {
			out = append(out, Check{Name: name, Status: OK, On: strconv.Itoa(good[name]) + " resources"})
		}
		for _, check := range byName[name] {
			if check.Status != OK || good[name] <= mostAlike {
				out = append(out, check)
			}
		}
	}
	return out
}

func (a *Answer) text(b *strings.Builder, number int) {
	says := a.Says
	if !a.Known {
		says = "Cannot be told: " + says
	}
	fmt.Fprintf(b, "  %d. %s\n     %s\n", number, a.Asks, says)
	for _, detail := range a.Details {
		fmt.Fprintf(b, "     - %s\n", detail)
	}
	if a.Table != nil {
		a.Table.text(b, "       ")
	}
}

// text aligns the columns.
func (t *Table) text(b *strings.Builder, indent string) {
	widths := make([]int, len(t.Columns))
	lines := append([][]string{t.Columns}, t.Rows...)
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var text strings.Builder
		for i, cell := range line {
			text.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(indent + strings.TrimRight(text.String(), " ") + "\n")
	}
}
