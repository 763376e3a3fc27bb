package envelope

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Text writes the ceiling of a query for people: the figures, the band, where they come from, and what other blocks
// and read shares would give.
func (t *Table) Text(w io.Writer, q Query) error {
	ceiling, err := t.Ceiling(q)
	if err != nil {
		return err
	}
	var b strings.Builder
	ceiling.text(&b, q)
	alternatives(&b, t.Alternatives(q))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the ceiling of %s: %w", q, err)
	}
	return nil
}

func (e Ceiling) text(b *strings.Builder, q Query) {
	fmt.Fprintf(b, "%s\n\n", q)
	fmt.Fprintf(b, "  ceiling     %s MiB/s, %s op/s\n", grouped(e.BytesPerSecond/mib), grouped(e.IOPS))
	fmt.Fprintf(b, "  band        %s to %s MiB/s (%s)\n", grouped(e.Low/mib), grouped(e.High/mib), e.bandText())
	fmt.Fprintf(b, "  confidence  %.2f\n", e.Confidence)
	fmt.Fprintf(b, "  source      %s (clients: %s): %s\n", e.Family, e.Clients, strings.Join(e.Pages, ", "))
	fmt.Fprintf(b, "              %s\n", PublishedAt)
	for _, note := range e.Notes {
		fmt.Fprintf(b, "  note        %s\n", note)
	}
	b.WriteString("\nA ceiling for the volume, whatever is provisioned; one client may reach less.\n")
}

func (e Ceiling) bandText() string {
	switch {
	case e.Capped && e.Low == e.High:
		return "the cap decides"
	case e.Capped:
		return fmt.Sprintf("±%.0f %% before the cap", 100*e.Band)
	}
	return fmt.Sprintf("±%.0f %%", 100*e.Band)
}

func alternatives(b *strings.Builder, others []Alternative) {
	if len(others) == 0 {
		return
	}
	b.WriteString("\nAlternatives\n")
	fmt.Fprintf(b, "  %9s  %7s  %9s  %11s  %9s  %s\n", "block", "reads", "MiB/s", "op/s", "of MiB/s", "measured access")
	for _, other := range others {
		fmt.Fprintf(b, "  %9s  %7s  %9s  %11s  %9s  %s\n", blockText(other.BlockBytes), percent(other.ReadShare),
			grouped(other.Ceiling.BytesPerSecond/mib), grouped(other.Ceiling.IOPS), times(other.Ratio), access(other.Pattern))
	}
}

// access spells a pattern out; a dash where the block was not measured.
func access(pattern string) string {
	switch pattern {
	case "rand":
		return "random"
	case "seq":
		return "sequential"
	}
	return "-"
}

func times(ratio float64) string { return fmt.Sprintf("%.2f x", ratio) }

// percent shows a share with as many digits as it needs, at most one.
func percent(share float64) string {
	return strconv.FormatFloat(math.Round(1000*share)/10, 'f', -1, 64) + " %"
}

func blockText(bytes float64) string {
	switch {
	case bytes >= mib:
		return short(bytes/mib) + " MiB"
	case bytes >= kib:
		return short(bytes/kib) + " KiB"
	}
	return short(bytes) + " B"
}

func capacityText(gib float64) string {
	if gib >= kib {
		return short(gib/kib) + " TiB"
	}
	return short(gib) + " GiB"
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// grouped shows a figure of the size it has: whole with a comma every three digits, or three digits when small.
func grouped(v float64) string {
	if v < 100 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
