package diagnose

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// Text writes the report for people. Colour is for terminals.
func (r *Report) Text(w io.Writer, colour bool) error {
	t := &text{ink: ink(colour), told: map[string]bool{}}
	t.head(r)
	shown, folded := fold(r.Mounts)
	for _, mount := range shown {
		t.mount(mount)
	}
	if folded > 0 {
		t.line("")
		t.line("… and %s without a finding; --format json lists every one.", detectors.Count(folded, "more mount"))
	}
	t.findings(r.Findings)
	t.collectors(r.Collectors)
	_, err := io.WriteString(w, t.String())
	return err
}

// mostMounts is how many mounts without a finding the text shows: a report is read, and a host may have thousands.
const mostMounts = 50

// fold keeps the mounts with findings and the first of the others.
func fold(mounts []Mount) (shown []Mount, folded int) {
	quiet := 0
	for _, mount := range mounts {
		if len(mount.Findings) == 0 {
			if quiet++; quiet > mostMounts {
				folded++
				continue
			}
		}
		shown = append(shown, mount)
	}
	return shown, folded
}

// ink marks words with terminal colours, or not.
type ink bool

func (i ink) paint(code, s string) string {
	if !i {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (i ink) bold(s string) string { return i.paint("1", s) }
func (i ink) dim(s string) string  { return i.paint("2", s) }

func (i ink) severity(s detectors.Severity) string {
	code := map[detectors.Severity]string{detectors.Info: "36", detectors.Warning: "33", detectors.Critical: "31"}[s]
	return i.paint(code, strings.ToUpper(s.String()))
}

type text struct {
	strings.Builder
	ink  ink
	told map[string]bool // notes that have been printed: most are about the host and would repeat under every mount
}

// width is where prose is wrapped: wide enough for a terminal, narrow enough for a ticket.
const width = 110

// prose writes outside text behind an indent, wrapped at blanks.
func (t *text) prose(indent, first, s string, paint func(string) string) {
	line := first
	for word := range strings.FieldsSeq(printable(s)) {
		if line != first && len([]rune(indent+line+" "+word)) > width {
			t.line("%s%s", indent, paint(line))
			line = strings.Repeat(" ", len(first)) + word
			continue
		}
		if line != first {
			line += " "
		}
		line += word
	}
	t.line("%s%s", indent, paint(line))
}

func plain(s string) string { return s }

func (t *text) line(format string, args ...any) {
	t.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

func (t *text) head(r *Report) {
	kernel := ""
	if r.Kernel != "" {
		kernel = ", kernel " + printable(r.Kernel)
	}
	t.line("%s%s: %s", t.ink.bold(printable(r.Host)), kernel, span(r.Window))
	for _, note := range r.Notes {
		t.prose("", "note: ", note, plain)
	}
	t.prose("", "", headline(r), plain)
}

func span(w Window) string {
	if w.Moments == 1 {
		return "one moment at " + w.From.UTC().Format("2006-01-02 15:04:05 MST")
	}
	return fmt.Sprintf("%d moments over %.1f s, to %s", w.Moments, w.Seconds, w.To.UTC().Format("2006-01-02 15:04:05 MST"))
}

// headline is the report in one line.
func headline(r *Report) string {
	if len(r.Mounts) == 0 {
		return noMounts(r)
	}
	states := map[string]int{}
	for _, mount := range r.Mounts {
		states[mount.State]++
	}
	var parts []string
	for _, state := range []string{stateActive, stateIdle, stateUnresponsive, stateThin} {
		if states[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", states[state], strings.ReplaceAll(state, "_", " ")))
		}
	}
	verdict := "no finding"
	switch n := len(r.Findings); {
	case n == 1:
		verdict = "1 finding"
	case n > 1:
		verdict = fmt.Sprintf("%d findings", n)
	case states[stateThin] > 0:
		verdict = "not enough was read for a verdict"
	case states[stateActive] > 0:
		verdict = "healthy"
	}
	return fmt.Sprintf("%d %s (%s): %s.", len(r.Mounts), plural(len(r.Mounts), "mount"), strings.Join(parts, ", "), verdict)
}

// noMounts tells a host without mounts from one that could not be looked at.
func noMounts(r *Report) string {
	looked := false
	for _, state := range r.Collectors {
		switch {
		case !slices.Contains(mountCollectors, state.Name):
		case !state.Success:
			return "The mounts could not be read: " + state.Reason
		default:
			looked = true
		}
	}
	if !looked {
		return "No mount was looked for: the collectors that find mounts (" + strings.Join(mountCollectors, ", ") + ") are switched off."
	}
	return "No NFS mount, SMB share or iSCSI target found: nothing to judge. If there should be one, look at the mount namespace that --path.procfs shows."
}

// mountCollectors are those that find mounts, shares and targets.
var mountCollectors = []string{"nfs", "smb", "iscsi", "windows"}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func (t *text) mount(m Mount) {
	t.line("")
	t.prose("", "", m.Name()+" on "+m.On(), t.ink.bold)
	if m.State == stateIdle && len(m.Findings) == 0 {
		t.prose("  ", "", m.Verdict, plain)
		return
	}
	t.line("  %s", load(m))
	t.prose("  ", "", m.Verdict, plain)
	if m.State == stateActive || m.State == stateUnresponsive {
		t.ladder(m.Ladder)
	}
	for _, note := range m.Notes {
		if !t.told[note] {
			t.told[note] = true
			t.prose("  ", "note: ", note, t.ink.dim)
		}
	}
}

// load is what a mount does, in one line.
func load(m Mount) string {
	sessions := "sessions unknown"
	if m.Sessions.Known() {
		word := "session"
		if m.Protocol == fleet.SMB {
			word = "channel"
		}
		sessions = digits(float64(m.Sessions)) + " " + plural(int(m.Sessions), word)
	}
	return fmt.Sprintf("%s at %s, %s, %s: %s, read %s, write %s", protocolOf(m), m.Server, sessions, strings.ReplaceAll(m.State, "_", " "),
		rate(m.Operations), throughput(m.ReadRate), throughput(m.WriteRate))
}

// protocolOf is a mount's protocol with its version, as people write it.
func protocolOf(m Mount) string {
	name := map[string]string{fleet.NFS: "NFS", fleet.SMB: "SMB", fleet.ISCSI: "iSCSI"}[m.Protocol]
	return strings.TrimSpace(name + " " + m.Version)
}

func (t *text) ladder(steps []Step) {
	t.line("")
	t.line("    %-12s %14s %14s %7s", "step", "load", "capacity", "used")
	for _, step := range steps {
		row := fmt.Sprintf("%-12s %14s %14s %7s", step.Step, quantity(step.Load, step), quantity(step.Capacity, step), percent(step.Utilisation))
		if step.Binding {
			t.line("  %s", t.ink.bold("> "+row+"  <- binds"))
		} else {
			t.line("    %s", row)
		}
	}
	t.line("")
}

func (t *text) findings(findings []detectors.Finding) {
	for i, f := range findings {
		t.line("")
		t.line("%d. %s %s/%s on %s, confidence %.2f%s", i+1, t.ink.severity(f.Severity), f.Detector, f.Variant, printable(subject(f)), f.Confidence, hint(f))
		t.prose("   ", "", f.Summary, plain)
		for _, e := range f.Evidence {
			t.line("     %-38s %16s  %s", e.Name, e.Shown(), e.Asked())
		}
		if f.Gain != nil {
			t.prose("   ", "gain: ", gain(*f.Gain), plain)
		}
		for _, remedy := range f.Remedy {
			t.remedy(remedy)
		}
		if len(f.BlockedBy) > 0 {
			t.line("   solve first: %s", numbers(f.BlockedBy, findings))
		}
	}
}

// numbers are the places in the list of the findings with these ids.
func numbers(ids []string, findings []detectors.Finding) string {
	var out []string
	for i, finding := range findings {
		if slices.Contains(ids, finding.ID) {
			out = append(out, fmt.Sprintf("%d (%s/%s)", i+1, finding.Detector, finding.Variant))
		}
	}
	return strings.Join(out, ", ")
}

func hint(f detectors.Finding) string {
	if f.Hint {
		return " (a hint only)"
	}
	return ""
}

// subject is what a finding is about, as short as it can be said.
func subject(f detectors.Finding) string {
	r := f.Resource
	switch {
	case r.Export != "":
		return nameOf(r.Protocol, r.Server, r.Export)
	case r.Server != "":
		return "server " + r.Server
	}
	return "host " + r.Host
}

func gain(g detectors.Gain) string { return fmt.Sprintf("%s (%s)", g.Bracket(), g.Model) }

// minded is what is said beside a remedy: its caveat, and why it has no command.
func minded(r detectors.Remedy) string { return strings.TrimSpace(r.Caveat + " " + r.ByHand) }

func (t *text) remedy(r detectors.Remedy) {
	t.prose("   ", "do: ", r.What, plain)
	for command := range strings.Lines(r.Command) {
		t.line("       %s", t.ink.bold(printable(strings.TrimRight(command, "\n"))))
	}
	if mind := minded(r); mind != "" {
		t.prose("       ", "mind: ", mind, t.ink.dim)
	}
}

// collectors names those that the host has nothing for in one line: most hosts have one kind of storage and one cloud.
func (t *text) collectors(states []CollectorState) {
	t.line("")
	var without []string
	for _, state := range states {
		switch {
		case !state.Success:
			t.line("collector %s: failed: %s", state.Name, printable(state.Reason))
		case len(state.Skipped) > 0:
			t.line("collector %s: ok, skipped %s", state.Name, skipped(state.Skipped))
		case state.Reason == collectors.ErrNoData.Error():
			without = append(without, state.Name)
		case state.Reason != "":
			t.line("collector %s: %s", state.Name, printable(state.Reason))
		default:
			t.line("collector %s: ok", state.Name)
		}
	}
	if len(without) > 0 {
		t.line("nothing to read for: %s", strings.Join(without, ", "))
	}
}

// printable keeps control characters of names from the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, s)
}
