package diagnose

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/nasight/nasight/detectors"
)

// Markdown writes the report for a ticket or a wiki.
func (r *Report) Markdown(w io.Writer) error {
	m := &markdown{}
	m.line("# Diagnosis of %s", cell(r.Host))
	m.line("")
	m.line("%s. %s", span(r.Window), headline(r))
	for _, note := range r.Notes {
		m.line("")
		m.line("> %s", cell(note))
	}
	shown, folded := fold(r.Mounts)
	for _, mount := range shown {
		m.mount(mount)
	}
	if folded > 0 {
		m.line("")
		m.line("… and %s without a finding.", detectors.Count(folded, "more mount"))
	}
	m.findings(r.Findings)
	m.collectors(r.Collectors)
	_, err := io.WriteString(w, m.String())
	return err
}

type markdown struct{ strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *markdown) mount(mount Mount) {
	m.line("")
	m.line("## %s on %s", cell(mount.Name()), cell(mount.On()))
	m.line("")
	m.line("%s. %s", cell(load(mount)), cell(mount.Verdict))
	m.line("")
	m.line("| step | load | capacity | used | |")
	m.line("|---|--:|--:|--:|---|")
	for _, step := range mount.Ladder {
		mark := ""
		if step.Binding {
			mark = "**binds**"
		}
		m.line("| %s | %s | %s | %s | %s |", step.Step, quantity(step.Load, step), quantity(step.Capacity, step), percent(step.Utilisation), mark)
	}
	for i, note := range mount.Notes {
		if i == 0 {
			m.line("")
		}
		m.line("- %s", cell(note))
	}
}

func (m *markdown) findings(findings []detectors.Finding) {
	for _, f := range findings {
		m.line("")
		m.line("## %s: %s/%s on %s", f.Severity, f.Detector, f.Variant, cell(subject(f)))
		m.line("")
		m.line("%s Confidence %.2f%s.", cell(f.Summary), f.Confidence, hint(f))
		m.line("")
		m.line("| evidence | value | threshold | query |")
		m.line("|---|--:|---|---|")
		for _, e := range f.Evidence {
			m.line("| %s | %s | %s | %s |", e.Name, e.Shown(), cell(e.Asked()), code(e.Query))
		}
		if f.Gain != nil {
			m.line("")
			m.line("Gain: %s.", gain(*f.Gain))
		}
		for _, remedy := range f.Remedy {
			m.remedy(remedy)
		}
		if len(f.BlockedBy) > 0 {
			m.line("")
			m.line("Solve first: %s.", numbers(f.BlockedBy, findings))
		}
	}
}

func (m *markdown) remedy(r detectors.Remedy) {
	m.line("")
	m.line("%s", cell(r.What))
	if r.Command != "" {
		m.line("")
		m.line("```sh")
		for command := range strings.Lines(r.Command) {
			m.line("%s", printable(strings.TrimRight(command, "\n")))
		}
		m.line("```")
	}
	if mind := minded(r); mind != "" {
		m.line("")
		m.line("Mind: %s", cell(mind))
	}
}

func (m *markdown) collectors(states []CollectorState) {
	m.line("")
	m.line("| collector | result |")
	m.line("|---|---|")
	for _, state := range states {
		result := "ok"
		switch {
		case !state.Success:
			result = "failed: " + state.Reason
		case state.Reason != "":
			result = state.Reason
		}
		if len(state.Skipped) > 0 {
			result += ", skipped " + skipped(state.Skipped)
		}
		m.line("| %s | %s |", state.Name, cell(result))
	}
}

func skipped(counts map[string]int) string {
	parts := make([]string, 0, len(counts))
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[reason], reason))
	}
	return strings.Join(parts, ", ")
}

// cell makes outside text safe for a Markdown table or heading.
func cell(s string) string {
	s = strings.NewReplacer("\n", " ", "|", "\\|", "<", "&lt;", ">", "&gt;").Replace(s)
	return printable(s)
}

func code(query string) string {
	if query == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(printable(query), "|", "\\|") + "`"
}
