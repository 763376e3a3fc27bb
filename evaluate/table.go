package evaluate

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// absent stands for a figure that there is none of.
const absent = "–"

// column is one figure of a row.
type column struct {
	head string
	cell func(Row) string
}

func columns() []column {
	count := func(value func(Row) int) func(Row) string {
		return func(r Row) string { return strconv.Itoa(value(r)) }
	}
	figure := func(value func(Row) fleet.Value) func(Row) string {
		return func(r Row) string { return decimals(value(r)) }
	}
	span := func(value func(Row) fleet.Value) func(Row) string {
		return func(r Row) string { return duration(value(r)) }
	}
	return []column{
		{"truths", count(func(r Row) int { return r.Truths })},
		{"found", count(func(r Row) int { return r.Found })},
		{"false", count(func(r Row) int { return r.False })},
		{"precision", figure(func(r Row) fleet.Value { return r.Precision })},
		{"recall", figure(func(r Row) fleet.Value { return r.Recall })},
		{"F1", figure(func(r Row) fleet.Value { return r.F1 })},
		{"detect p50", span(func(r Row) fleet.Value { return r.DetectMedian })},
		{"detect p90", span(func(r Row) fleet.Value { return r.DetectP90 })},
		{"lead", span(func(r Row) fleet.Value { return r.LeadMedian })},
		{"flapping", figure(func(r Row) fleet.Value { return r.Flapping })},
		{"duplicates", figure(func(r Row) fleet.Value { return r.Repeats })},
		{"gain error", figure(func(r Row) fleet.Value { return r.GainError })},
		{"gain inside", figure(func(r Row) fleet.Value { return r.GainInside })},
		{"Brier", figure(func(r Row) fleet.Value { return r.Brier })},
	}
}

func decimals(v fleet.Value) string {
	if !v.Known() {
		return absent
	}
	return strconv.FormatFloat(float64(v), 'f', 2, 64)
}

func duration(v fleet.Value) string {
	if !v.Known() {
		return absent
	}
	text := (time.Duration(float64(v)*1e9) * time.Nanosecond).Round(time.Second).String()
	if short, cut := strings.CutSuffix(text, "m0s"); cut {
		text = short + "m"
	}
	if short, cut := strings.CutSuffix(text, "h0m"); cut {
		text = short + "h"
	}
	return text
}

// grid is a table as text: a head, and rows of cells.
type grid struct {
	head []string
	rows [][]string
}

func (s Scores) grid() grid {
	g := grid{head: []string{"detector", "variant"}}
	for _, column := range columns() {
		g.head = append(g.head, column.head)
	}
	add := func(row Row, detector, variant string) {
		cells := []string{detector, variant}
		for _, column := range columns() {
			cells = append(cells, column.cell(row))
		}
		g.rows = append(g.rows, cells)
	}
	for _, row := range s.Detectors {
		variant := row.Variant
		if variant == "" {
			variant = "all"
		}
		add(row, row.Detector, variant)
	}
	add(s.Total, "all", "all")
	return g
}

// bins is how often findings of about one confidence were right.
func (s Scores) bins() grid {
	g := grid{head: []string{"confidence", "findings", "mean confidence", "right"}}
	for _, bin := range s.Total.Bins {
		g.rows = append(g.rows, []string{
			fmt.Sprintf("%.1f to %.1f", bin.From, bin.To), strconv.Itoa(bin.Episodes), decimals(bin.Confidence), decimals(bin.True),
		})
	}
	return g
}

func (s Scores) mistakes() grid {
	g := grid{head: []string{"true", "found", "times"}}
	named := func(n detectors.Name) string {
		if n == (detectors.Name{}) {
			return "nothing"
		}
		return n.String()
	}
	for _, mistake := range s.Confusion {
		g.rows = append(g.rows, []string{named(mistake.Truth), named(mistake.Found), strconv.Itoa(mistake.Count)})
	}
	return g
}

func (g grid) text(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{g.head}, g.rows...) {
		fmt.Fprintf(table, "  %s\n", strings.Join(row, "\t"))
	}
	return table.Flush()
}

func (g grid) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(g.head, " | "), strings.Repeat(" --- |", len(g.head)))
	for _, row := range g.rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}
