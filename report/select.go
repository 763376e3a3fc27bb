package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// selection is what a report is about.
type selection struct{ named, project string }

// all tells whether nothing is left out.
func (s selection) all() bool { return s == selection{} }

// pool tells whether a pool, or what lies in it, is asked for.
func (s selection) pool(of fleet.Resource) bool {
	if s.project != "" && of.Project != s.project {
		return false
	}
	full := of.Project + "/" + of.Location + "/" + of.Pool
	return s.named == "" || full == s.named || strings.HasSuffix(full, "/"+s.named)
}

// The levels of rows, the widest first.
var levels = []string{"cloud", "project", "service_level", "pool", "volume"} //nolint:gochecknoglobals // a table

func compareRows(a, b Row) int {
	return cmp.Or(
		cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level)), compareResources(a.Resource, b.Resource),
		cmp.Compare(a.ServiceLevel, b.ServiceLevel), cmp.Compare(a.Measure, b.Measure),
	)
}

// rowsOf are the rows of one level.
func (w *Weekly) rowsOf(level string) []Row {
	var rows []Row
	for _, row := range w.Efficiency {
		if row.Level == level {
			rows = append(rows, row)
		}
	}
	return rows
}
