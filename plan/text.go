package plan

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// Text writes the plan for people: the table, the steps, what they bring, the proof, what was refused, the commands.
func (p *Plan) Text(w io.Writer) error {
	t := &text{}
	t.head(p)
	t.table(p)
	t.steps(p)
	t.outcome(p)
	t.list("Refused:", p.Refusals)
	t.list("Notes:", p.Notes)
	t.commands(p)
	if _, err := io.WriteString(w, t.String()); err != nil {
		return fmt.Errorf("write the plan of pool %q: %w", p.Pool, err)
	}
	return nil
}

type text struct{ strings.Builder }

func (t *text) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t *text) head(p *Plan) {
	t.line("Pool %s (project %s, %s)", printable(p.Pool), printable(p.Project), printable(p.Location))
	if p.Capacity.Known() {
		t.line("  %s MiB/s: %s assigned now, %s after the plan", figure(p.Capacity), figure(p.Assigned), figure(p.AssignedAfter))
	}
	if p.Days.Known() {
		t.line("  Rests on at least %s days of history and %.0f %% of the samples of each volume that is planned%s",
			figure(p.Days), 100*float64(p.Coverage), peaks(p.PeakDays))
	}
	if said := cmp.Or(p.Reason, p.Brings); said != "" {
		t.line("  %s: %s", strings.ToUpper(string(p.Status[:1]))+string(p.Status[1:]), printable(said))
	}
}

func peaks(days fleet.Value) string {
	if !days.Known() {
		return ""
	}
	return fmt.Sprintf("; their peaks are of at least %.0f days", math.Floor(float64(days)))
}

// table prints a row for each volume: numbers to the right, the reasons last as they are of any length.
func (t *text) table(p *Plan) {
	if len(p.Volumes) == 0 {
		return
	}
	rows := [][]string{{"volume", "now", "need", "proposed", "change", "why"}}
	for _, a := range p.Volumes {
		proposed, change := figure(a.Propose), "-"
		if a.Change.Known() && a.Change != 0 {
			if change = figure(a.Change); a.Change > 0 {
				change = "+" + change
			}
			if a.Current > 0 {
				change += fmt.Sprintf(" (%+.0f %%)", float64(100*a.Change/a.Current))
			}
		}
		if p.Status == Infeasible || p.Status == Refused {
			proposed = "-"
		}
		rows = append(rows, []string{
			printable(a.id(p)), figure(a.Current), figure(a.Need), proposed, change, printable(strings.Join(a.Why, "; ")),
		})
	}
	t.line("")
	t.columns(rows)
}

func (t *text) columns(rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for n, cell := range row {
			width[n] = max(width[n], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		cells := make([]string, len(row))
		for n, cell := range row {
			pad := strings.Repeat(" ", width[n]-utf8.RuneCountInString(cell))
			if cells[n] = pad + cell; n == 0 || n == len(row)-1 {
				cells[n] = cell + pad
			}
		}
		t.line("  %s", strings.TrimRight(strings.Join(cells, "  "), " "))
	}
}

func (t *text) steps(p *Plan) {
	if len(p.Steps) == 0 {
		return
	}
	t.line("\nSteps, in this order (decreases first, so that the sum never passes %s MiB/s):", figure(p.Capacity))
	for n, s := range p.Steps {
		t.line("  %2d. %s: %s -> %s MiB/s, then %s are assigned", n+1,
			printable(Allocation{Name: s.Volume, Location: s.Location}.id(p)), number(s.From), number(s.To), number(s.Assigned))
	}
}

func (t *text) outcome(p *Plan) {
	e, c := p.Effect, p.Certificate
	if e == nil || c == nil {
		return
	}
	t.line("\nEffect:")
	t.line("  of %s MiB/s needed the limits cover %s, now %s", number(e.Demand), number(e.ServedAfter), number(e.ServedNow))
	t.line("  volumes short of their need: %d, now %d", e.ShortAfter, e.ShortNow)
	t.line("  %s MiB/s taken, %s given, %s left unassigned; the pool's price stays the same",
		number(e.Taken), number(e.Given), number(e.Unassigned))
	if e.PoolShort > 0 {
		t.line("  the pool is %s MiB/s too small for all needs", number(e.PoolShort))
	}
	t.line("\nCertificate, of the best sharing; surplus, rounding and changes that are left out come after it:")
	t.line("  lambda %.4g, mu %.4g; %d inside the bounds, %d at the lower bound, %d at the need or the upper bound",
		c.Lambda, c.Mu, len(c.Inside), len(c.AtFloor), len(c.AtCap))
	t.line("  no sharing within the bounds serves more than %s MiB/s; the best serves %s (gap %.1g), %s %s",
		number(c.Bound), number(c.Served), max(0, c.Gap), served(p), number(e.ServedAfter))
	t.line("  whole numbers lose less than %s MiB/s", number(c.Rounding))
}

// served begins what the proposal serves: the steps may leave out a part of the best sharing.
func served(p *Plan) string {
	if len(p.Steps) == 0 {
		return "the limits as they are"
	}
	return "the plan"
}

func (t *text) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	t.line("\n%s", title)
	for _, line := range lines {
		t.line("  - %s", printable(line))
	}
}

func (t *text) commands(p *Plan) {
	if len(p.Steps) == 0 {
		return
	}
	t.list("Before you run the commands:", Cautions(p.Steps[0].Commands.Az != ""))
	for _, form := range []struct {
		title string
		of    func(Commands) string
	}{
		{"gcloud:", func(c Commands) string { return c.Gcloud }},
		{"az:", func(c Commands) string { return c.Az }},
		{"REST:", func(c Commands) string { return c.Curl }},
		{"Terraform:", func(c Commands) string { return c.Terraform }},
	} {
		if form.of(p.Steps[0].Commands) == "" {
			continue // of another cloud
		}
		var commands []string
		for _, step := range p.Steps {
			commands = append(commands, form.of(step.Commands))
		}
		t.line("\n%s\n  %s", form.title, strings.ReplaceAll(detectors.Join(commands...), "\n", "\n  "))
	}
}

// printable shows outside text without what could move the cursor or change colours.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
