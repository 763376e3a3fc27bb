package psout

import (
	"regexp"
	"strings"
)

var (
	// prompt is the line of a command: PS C:\> …, [host]: PS C:\> …
	prompt = regexp.MustCompile(`^\s*(\[[^\]\n]*\]: ?)?PS [^>\n]*>`)
	fence  = regexp.MustCompile("^\\s*(```.*|> .*|#.*)$")
	// property is a line of a list: the name is padded, so that a blank stands before the colon. Names may hold colons.
	property = regexp.MustCompile(`^ ?(\S.*?) +:(?: (.*))?$`)
)

// parseText reads lists and tables. Blank lines separate objects of a list, and tables from what is around them.
func parseText(text string) (records []Record, odd int) {
	if samples, others := parseCounters(text); len(samples) > 0 {
		return samples, others
	}
	for _, paragraph := range paragraphs(text) {
		var found []Record
		var skipped int
		if ruler := findRuler(paragraph); ruler >= 0 {
			found, skipped = parseTable(paragraph, ruler)
		} else {
			found, skipped = parseList(paragraph)
		}
		records, odd = append(records, found...), odd+skipped
		if len(records) > maxRecords {
			return records, odd
		}
	}
	return records, odd
}

func paragraphs(text string) [][]string {
	var all [][]string
	var open []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(expandTabs(line), " \r\n\v\f")
		if line != "" && !prompt.MatchString(line) && !fence.MatchString(line) {
			open = append(open, line)
			continue
		}
		if len(open) > 0 {
			all, open = append(all, open), nil
		}
	}
	if len(open) > 0 {
		all = append(all, open)
	}
	return all
}

func expandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var out strings.Builder
	column := 0
	for _, r := range line {
		if r != '\t' {
			out.WriteRune(r)
			column++
			continue
		}
		for first := true; first || column%8 != 0; first = false {
			out.WriteByte(' ')
			column++
		}
	}
	return out.String()
}

// parseList reads objects of a list, one below the other. A property that comes again begins the next object. A line
// without a property goes on with the value before it, if it is indented as wrapped values are.
func parseList(lines []string) (records []Record, odd int) {
	open, last := Record{}, ""
	end := func() {
		if len(open) > 0 {
			records = append(records, open)
		}
		open, last = Record{}, ""
	}
	seen := map[string]bool{}
	for _, line := range lines {
		parts := property.FindStringSubmatch(line)
		switch {
		case parts != nil:
			last = Named(parts[1])
			if seen[last] {
				end()
				clear(seen)
				last = Named(parts[1])
			}
			seen[last] = true
			if !noise[last] {
				open.set(parts[1], parts[2])
			}
		case strings.HasPrefix(line, "    ") && last != "":
			open.extend(last, strings.TrimSpace(line))
		default:
			odd++
			last = ""
		}
	}
	end()
	return records, odd
}

// extend adds the rest of a value that was wrapped. A value without blanks was cut where the line was full.
func (r Record) extend(name, rest string) {
	value, ok := r[name]
	if !ok {
		return
	}
	if strings.Contains(value, " ") {
		value += " "
	}
	if len(value)+len(rest) <= maxValue {
		r[name] = value + rest
	}
}

const maxValue = 64 << 10 // bytes of one value
