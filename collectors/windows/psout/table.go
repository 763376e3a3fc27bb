package psout

import (
	"regexp"
	"strings"
)

// ruler is the line below the header of a table.
var ruler = regexp.MustCompile(`^ *-+( +-+)*$`)

func findRuler(lines []string) int {
	for i, line := range lines {
		if i > 0 && ruler.MatchString(line) {
			return i
		}
	}
	return -1
}

// column is the place of one column, counted in characters: from the first dash of the ruler to behind the last.
type column struct {
	name       string
	start, end int
}

// parseTable reads the rows below a ruler. The header above may be wrapped over several lines. A row that cannot be cut
// at the columns for sure is odd, as are lines above a header that are no part of it.
func parseTable(lines []string, at int) (records []Record, odd int) {
	columns := columnsOf(lines[:at], []rune(lines[at]))
	var before []string
	flush := func() {
		if before == nil {
			return
		}
		record := Record{}
		for i, cell := range before {
			record.set(columns[i].name, cell)
		}
		if len(record) > 0 {
			records = append(records, record)
		}
		before = nil
	}
	for i := at + 1; i < len(lines); i++ {
		if i+1 < len(lines) && ruler.MatchString(lines[i+1]) {
			more, others := parseTable(lines[i:], 1) // tables without a blank line between
			flush()
			return append(records, more...), odd + others
		}
		cells, ok := cut([]rune(lines[i]), columns)
		switch {
		case !ok:
			flush()
			odd++
		case before != nil && continues(cells):
			join(before, cells, columns)
		default:
			flush()
			before = cells
		}
	}
	flush()
	return records, odd
}

// columnsOf names the columns by what stands above their dashes, line by line.
func columnsOf(header []string, dashes []rune) []column {
	var columns []column
	for i := 0; i < len(dashes); i++ {
		if dashes[i] != '-' {
			continue
		}
		start := i
		for i < len(dashes) && dashes[i] == '-' {
			i++
		}
		columns = append(columns, column{start: start, end: i})
	}
	const tallest = 6 // lines of a header
	for _, line := range header[max(0, len(header)-tallest):] {
		if cells, ok := cut([]rune(line), columns); ok {
			for i, cell := range cells {
				columns[i].name += " " + cell
			}
		}
	}
	return columns
}

// cut splits a line at the columns. A value begins where its column does, or ends where the column ends, as numbers do
// that are longer than their header. Anything else is not safe to cut.
func cut(line []rune, columns []column) (cells []string, ok bool) {
	cells = make([]string, len(columns))
	end := len(line)
	for i := len(columns) - 1; i >= 0; i-- {
		start := min(columns[i].start, end)
		if i > 0 && start > 0 && start < len(line) && start < end && line[start-1] != ' ' && line[start] != ' ' {
			behind := strings.TrimSpace(string(line[min(columns[i].end, end):end]))
			for start > 0 && line[start-1] != ' ' {
				start--
			}
			if behind != "" || !endsAt(line, columns[i].start, columns[i].end) || start < columns[i-1].start {
				return nil, false
			}
		}
		if i == 0 {
			start = 0
		}
		cells[i] = strings.TrimSpace(string(line[start:end]))
		end = start
	}
	return cells, true
}

// endsAt tells whether the word at a place ends exactly there.
func endsAt(line []rune, place, end int) bool {
	for place < len(line) && line[place] != ' ' {
		place++
	}
	return place == end
}

// continues tells whether a row is the rest of values that were wrapped: the first column is empty, or only it is not.
func continues(cells []string) bool {
	others := false
	for _, cell := range cells[1:] {
		others = others || cell != ""
	}
	return (cells[0] == "") == others && len(cells) > 1
}

// join puts the rest of wrapped values behind their beginnings. One that filled its column was cut within a word.
func join(before, rest []string, columns []column) {
	for i, cell := range rest {
		if cell == "" {
			continue
		}
		if i+1 == len(columns) || len([]rune(before[i])) < columns[i+1].start-1-columns[i].start {
			cell = " " + cell
		}
		if len(before[i])+len(cell) <= maxValue {
			before[i] += cell
		}
	}
}
