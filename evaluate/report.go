package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// section is one part with its heading. The two parts are never put together.
type section struct {
	name, title, cases string
	part               *Part
}

func (r *Report) sections() []section {
	return []section{
		{"simulated", "Simulated", "scenarios", r.Simulated},
		{"real", "Real hosts", "recordings", r.Real},
	}
}

// WriteJSON writes the report as one object; docs/evaluation.md says what each key means.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// mostDeviations bounds what the text lists; JSON has all.
const mostDeviations = 50

// Text writes the report for people.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	for _, s := range r.sections() {
		if s.part == nil {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n\n", s.title, s.part.summary(s.cases))
		if err := s.part.text(&b); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func (p *Part) text(b *strings.Builder) error {
	tables := []grid{p.grid(), p.bins()}
	if len(p.Confusion) > 0 {
		tables = append(tables, p.mistakes())
	}
	for _, table := range tables {
		if err := table.text(b); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
		b.WriteString("\n")
	}
	for i, d := range p.Deviations {
		if i == mostDeviations {
			fmt.Fprintf(b, "  and %d more: --format json lists them\n", len(p.Deviations)-i)
			break
		}
		fmt.Fprintf(b, "  %-6s  %s: %s/%s of %s, at %s\n", d.Kind, d.Case, d.Detector, d.Variant, subject(d.Resource), duration(d.At))
	}
	if len(p.Deviations) > 0 {
		b.WriteString("\n")
	}
	return nil
}

// subject names a resource in a few words.
func subject(r fleet.Resource) string {
	var named []string
	for _, part := range parts(r) {
		if part != "" {
			named = append(named, part)
		}
	}
	if len(named) == 0 {
		return "anything"
	}
	return strings.Join(named, " ")
}

// summary is what was judged, and what that took where it was measured.
func (p *Part) summary(cases string) string {
	text := fmt.Sprintf("%d %s, %d of them without anything to find, of which %d were disturbed", p.Cases, cases, p.Negatives, p.Disturbed)
	if p.Unlabelled > 0 {
		text += fmt.Sprintf("; %d findings of which no label speaks are not counted", p.Unlabelled)
	}
	if p.Notices.SeriesDays > 0 {
		text += "; " + p.Notices.words()
	}
	if p.Cost.Known() {
		text += fmt.Sprintf("; %.1f ms of the processor for 1,000 series and evaluation", 1000*float64(p.Cost))
	}
	return text + "."
}

// Markdown writes the report's tables.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	for _, s := range r.sections() {
		if s.part != nil {
			fmt.Fprintf(&b, "## %s\n\n%s\n", s.title, s.part.markdown(s.cases))
		}
	}
	if _, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n")); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func (p *Part) markdown(cases string) string {
	var b strings.Builder
	summary := p.summary(cases)
	fmt.Fprintf(&b, "%s\n\n", strings.ToUpper(summary[:1])+summary[1:])
	p.grid().markdown(&b)
	b.WriteString("\n")
	p.bins().markdown(&b)
	if len(p.Confusion) > 0 {
		b.WriteString("\n")
		p.mistakes().markdown(&b)
	}
	return b.String()
}

// Page puts the tables of a report between the markers of a page, <!-- begin simulated --> and <!-- end simulated -->, and the
// same of real. What the processor took differs from run to run and is left out. Where a part was not run its table stays.
func (r *Report) Page(page string) (string, error) {
	for _, s := range r.sections() {
		if s.part == nil {
			continue
		}
		steady := *s.part
		steady.Cost = fleet.Unknown
		begin, end := "<!-- begin "+s.name+" -->\n", "<!-- end "+s.name+" -->"
		before, rest, opened := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, end)
		if !opened || !closed {
			return "", errors.New("the page lacks the markers " + strings.TrimSpace(begin) + " and " + end)
		}
		page = before + begin + "\n" + steady.markdown(s.cases) + "\n" + end + after
	}
	return page, nil
}
