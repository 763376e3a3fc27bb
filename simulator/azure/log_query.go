package azure

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// logQuery is what the emulator reads of Kusto's language: StorageFileLogs, and then any of
//
//	| where TimeGenerated > ago(15m)
//	| where Column == "text"          also != and several joined by and
//	| extend Name = Expression, …     ==, !=, in, +, tolower, tostring, bin and extract
//	| summarize Name = Aggregate, … by Name = Expression, …
//	                                  count, countif, sum, sumif, max, dcount, dcountif
//	| project Column, Column
//	| take 10                         also limit
//	| count
type logQuery struct {
	from, to time.Time
	steps    []func(*table) // each row has its weight at its end, behind the columns
	columns  []column       // after the steps
}

var (
	agoPattern     = regexp.MustCompile(`^TimeGenerated\s*>=?\s*ago\((\d+)([smhd])\)$`)
	comparePattern = regexp.MustCompile(`^(\w+)\s*(==|!=)\s*"([^"]*)"$`)
	andPattern     = regexp.MustCompile(`\s+and\s+`)
)

const maxLogQuery = 8 << 10

// parseLogQuery takes the span from the query, else from the request, else the last quarter of an hour.
func parseLogQuery(text, timespan string, now time.Time) (*logQuery, error) {
	if len(text) > maxLogQuery {
		return nil, fmt.Errorf("the query has %d characters, more than %d", len(text), maxLogQuery)
	}
	q := &logQuery{from: now.Add(-defaultLog), to: now, columns: logColumns()}
	if err := q.span(timespan); err != nil {
		return nil, err
	}
	parts := steps(text)
	if name := strings.TrimSpace(parts[0]); name != "StorageFileLogs" {
		return nil, fmt.Errorf("failed to resolve table or column expression named %q", name)
	}
	for _, part := range parts[1:] {
		if err := q.step(strings.TrimSpace(part), now); err != nil {
			return nil, err
		}
	}
	if q.to.Sub(q.from) > maxLog || !q.from.Before(q.to) {
		return nil, fmt.Errorf("the span from %s to %s is out of range: above 0, to %s", q.from.Format(time.RFC3339), q.to.Format(time.RFC3339), maxLog)
	}
	return q, nil
}

// steps are the parts between bars, those in texts left alone.
func steps(text string) (parts []string) {
	start := 0
	quoted, verbatim := false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && !quoted:
			quoted, verbatim = true, i > 0 && text[i-1] == '@'
		case c == '"':
			quoted = false
		case c == '\\' && quoted && !verbatim:
			i++
		case c == '|' && !quoted:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

func (q *logQuery) span(timespan string) error {
	if timespan == "" {
		return nil
	}
	from, to, ok := strings.Cut(timespan, "/")
	begin, err := time.Parse(time.RFC3339, from)
	end, endErr := time.Parse(time.RFC3339, to)
	if !ok || err != nil || endErr != nil {
		return fmt.Errorf("timespan %q is not START/END in RFC 3339", timespan)
	}
	q.from, q.to = begin.UTC(), end.UTC()
	return nil
}

func (q *logQuery) step(text string, now time.Time) error {
	verb, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch verb {
	case "where":
		for _, part := range andPattern.Split(rest, -1) {
			if err := q.where(strings.TrimSpace(part), now); err != nil {
				return err
			}
		}
		return nil
	case "extend":
		return q.extend(rest)
	case "summarize":
		return q.summarize(rest)
	case "project":
		return q.project(strings.Split(rest, ","))
	case "take", "limit":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 {
			return fmt.Errorf("%s %q is no whole number of at least 0", verb, rest)
		}
		q.steps = append(q.steps, func(t *table) { t.Rows = t.Rows[:min(n, len(t.Rows))] })
		return nil
	case "count":
		q.steps = append(q.steps, func(t *table) {
			t.Columns, t.Rows = []column{{"Count", "long"}}, [][]any{{len(t.Rows), 1.0}}
		})
		return nil
	}
	return fmt.Errorf("%q is not part of the emulator, which reads where, extend, summarize, project, take and count", verb)
}

func (q *logQuery) where(text string, now time.Time) error {
	if ago := agoPattern.FindStringSubmatch(text); ago != nil {
		n, err := strconv.Atoi(ago[1])
		unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[ago[2]]
		if err != nil || time.Duration(n) > maxLog/unit {
			return fmt.Errorf("ago(%s%s) is further back than %s", ago[1], ago[2], maxLog)
		}
		q.from, q.to = now.Add(-time.Duration(n)*unit), now
		return nil
	}
	found := comparePattern.FindStringSubmatch(text)
	if found == nil {
		return fmt.Errorf("where %q cannot be read", text)
	}
	if columnAt(q.columns, found[1]) < 0 {
		return fmt.Errorf("failed to resolve column named %q", found[1])
	}
	q.steps = append(q.steps, func(t *table) {
		at := columnAt(t.Columns, found[1])
		t.Rows = slices.DeleteFunc(t.Rows, func(row []any) bool { return at < 0 || (fmt.Sprint(row[at]) == found[3]) == (found[2] == "!=") })
	})
	return nil
}

func (q *logQuery) project(names []string) error {
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if columnAt(q.columns, names[i]) < 0 {
			return fmt.Errorf("failed to resolve column named %q", names[i])
		}
	}
	if len(names) == 0 {
		return errors.New("project names no column")
	}
	q.steps = append(q.steps, func(t *table) {
		var columns []column
		var from []int
		for _, name := range names {
			if at := columnAt(t.Columns, name); at >= 0 {
				columns, from = append(columns, t.Columns[at]), append(from, at)
			}
		}
		for i, row := range t.Rows {
			picked := make([]any, len(from), len(from)+1)
			for j, at := range from {
				picked[j] = row[at]
			}
			picked = append(picked, row[len(row)-1])
			t.Rows[i] = picked
		}
		t.Columns = columns
	})
	return nil
}

func columnAt(columns []column, name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return c.Name == name })
}

func (q *logQuery) run(rows [][]any) table {
	t := table{"PrimaryResult", logColumns(), rows}
	for _, step := range q.steps {
		step(&t)
	}
	for i, row := range t.Rows {
		t.Rows[i] = row[:len(row)-1]
	}
	return t
}
