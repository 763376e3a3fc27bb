package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// formats are the forms of a report, by what their files end with.
func formats() map[string]func(*Weekly, io.Writer) error {
	return map[string]func(*Weekly, io.Writer) error{"html": (*Weekly).HTML, "md": (*Weekly).Markdown, "json": (*Weekly).JSON}
}

// Formats are their names, in the order in which they are listed.
func Formats() []string { return []string{"html", "md", "json"} }

// Write writes the report in a format that Formats lists.
func (w *Weekly) Write(to io.Writer, format string) error {
	write, known := formats()[format]
	if !known {
		return &RequestError{"format", format, "is not known; write " + strings.Join(Formats(), ", ")}
	}
	return write(w, to)
}

// JSON writes the report as docs/report.schema.json describes it.
func (w *Weekly) JSON(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(w); err != nil {
		return fmt.Errorf("write the report of week %s: %w", w.Week, err)
	}
	return nil
}

const fileBegin = "nasight-weekly-"

// FileName is what the file of a report is called. One of a part of the fleet says of which.
func (w *Weekly) FileName(format string) string {
	name := fileBegin + w.Week.String()
	for _, part := range []string{w.Project, w.Pool} {
		if part != "" {
			name += "-" + strings.Map(harmless, part)
		}
	}
	return name + "." + format
}

func harmless(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
		return r
	}
	return '_'
}

// ParseFileName is the week and the format of a file that FileName named, of a report of all.
func ParseFileName(name string) (Week, string, bool) {
	rest, ours := strings.CutPrefix(name, fileBegin)
	text, format, dotted := strings.Cut(rest, ".")
	week, err := ParseWeek(text)
	_, known := formats()[format]
	return week, format, ours && dotted && err == nil && known
}
