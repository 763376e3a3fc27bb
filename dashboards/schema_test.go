package dashboards_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/schema"
)

var (
	selector = regexp.MustCompile(`\b(nasight_[a-z0-9_]+)(\{([^}]*)\})?(\[)?`)
	matcher  = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)\s*"`)
	families = regexp.MustCompile(`nasight_[a-z_|]+`)
	grouping = regexp.MustCompile(`\b(?:by|on|group_left) \(([^)]*)\)`)
)

func familyOf(name string) *schema.Family {
	all := schema.All()
	if i := slices.IndexFunc(all, func(f *schema.Family) bool { return f.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// misused are the metrics and labels of an expression that are not in the schema, and metrics that are read without a window.
func misused(expr string) (faults []string) {
	var labels []string
	for _, use := range selector.FindAllStringSubmatch(expr, -1) {
		family := familyOf(use[1])
		if family == nil {
			faults = append(faults, "no metric "+use[1])
			continue
		}
		labels = append(labels, family.Labels...)
		for _, match := range matcher.FindAllStringSubmatch(use[3], -1) {
			if !slices.Contains(family.Labels, match[1]) {
				faults = append(faults, use[1]+" has no label "+match[1])
			}
		}
		if use[4] == "" {
			faults = append(faults, use[1]+" is read without a window")
		}
	}
	for _, group := range grouping.FindAllStringSubmatch(expr, -1) {
		for _, label := range strings.FieldsFunc(group[1], func(r rune) bool { return r == ',' || r == ' ' }) {
			if !slices.Contains(labels, label) {
				faults = append(faults, "none of its metrics has the label "+label)
			}
		}
	}
	return faults
}

func TestQueriesUseTheSchema(t *testing.T) {
	for _, board := range walked(t) {
		for _, query := range board.Queries {
			if faults := misused(query.Expr); faults != nil {
				t.Errorf("%s: %q\n%s", query.Name(), faults, query.Expr)
			}
		}
		for _, variable := range board.Variables {
			for _, name := range strings.Split(families.FindString(variable.Selector), "|") {
				if family := familyOf(name); family == nil || !slices.Contains(family.Labels, variable.Label) {
					t.Errorf("%s: variable %s: no metric %s with the label %s", board.UID, variable.Name, name, variable.Label)
				}
			}
		}
	}
	for expr, want := range map[string]int{
		`sum by (host) (rate(nasight_cpu_seconds_total{host="a"}[5m]))`: 0,
		`nasight_cpu_seconds_total`:                                     1,
		`rate(nasight_cpu_second_total[5m])`:                            1,
		`rate(nasight_cpu_seconds_total{pool="a"}[5m])`:                 1,
		`sum by (pool) (rate(nasight_cpu_seconds_total[5m]))`:           1,
	} {
		if got := misused(expr); len(got) != want {
			t.Errorf("%s: %q, want %d faults", expr, got, want)
		}
	}
}

// Windows hold four values of what they look at: with the least step that a query has, and where one is written out.
func TestWindowsHoldFourValues(t *testing.T) {
	window := regexp.MustCompile(`\b(nasight_[a-z0-9_]+)\{[^}]*\}\[(?:(\d+)m|\$__rate_interval|\$__range)\]`)
	for _, board := range walked(t) {
		for _, query := range board.Queries {
			for _, use := range window.FindAllStringSubmatch(query.Expr, -1) {
				family, minutes := familyOf(use[1]), 0
				if use[2] == "" {
					if family.Grain > schema.HostGrain && query.Least < family.Grain && strings.Contains(use[0], "$__rate_interval") {
						t.Errorf("%s: steps of %s, values every %s", query.Name(), query.Least, family.Grain)
					}
					continue
				}
				if _, err := fmt.Sscan(use[2], &minutes); err != nil || minutes < int((4*family.Grain+family.Delay).Minutes()) {
					t.Errorf("%s: %s over %d minutes, values every %s and %s late", query.Name(), use[1], minutes, family.Grain, family.Delay)
				}
			}
		}
	}
}
