package gcp

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxFilter is the longest filter that the service takes.
const maxFilter = 2048

// filter is a monitoring filter. A nil root matches everything.
type filter struct{ root node }

// lookup gives the value of a field, empty where there is none.
type lookup func(field string) string

type node interface{ match(lookup) bool }

type (
	all     []node
	any1    []node
	not     struct{ node }
	compare struct {
		field string // with label spelled in the singular
		op    string // = or !=
		text  string // as written; the operand of =
		test  func(string) bool
	}
)

func (n all) match(l lookup) bool {
	return !slices.ContainsFunc(n, func(part node) bool { return !part.match(l) })
}
func (n any1) match(l lookup) bool {
	return slices.ContainsFunc(n, func(part node) bool { return part.match(l) })
}
func (n not) match(l lookup) bool     { return !n.node.match(l) }
func (n compare) match(l lookup) bool { return n.test(l(n.field)) }

func (f filter) match(l lookup) bool { return f.root == nil || f.root.match(l) }

// metricType is the only metric type that the filter names, as ListTimeSeries demands.
func (f filter) metricType() (string, error) {
	parts, ok := f.root.(all)
	if !ok {
		parts = all{f.root}
	}
	found := ""
	for _, part := range parts {
		c, ok := part.(compare)
		named := ok && c.field == "metric.type" && c.op == "=" && c.text != ""
		switch {
		case named && found == "":
			found = c.text
		case part != nil && mentions(part, "metric.type"):
			return "", errors.New("the filter must name exactly one metric type, by metric.type = \"...\"")
		}
	}
	if found == "" {
		return "", errors.New("the filter must name exactly one metric type, by metric.type = \"...\"")
	}
	return found, nil
}

func mentions(n node, field string) bool {
	switch n := n.(type) {
	case all:
		return slices.ContainsFunc(n, func(part node) bool { return mentions(part, field) })
	case any1:
		return slices.ContainsFunc(n, func(part node) bool { return mentions(part, field) })
	case not:
		return mentions(n.node, field)
	case compare:
		return n.field == field
	}
	return false
}

// fieldPattern is the fields that the service knows. Labels are written label or labels.
var fieldPattern = regexp.MustCompile(`^(project|metric\.type|resource\.type|(?:metric|resource)\.labels?\.\w+|metadata\.(?:system|user)_labels\.[-\w]+)$`)

// canonical checks a field and spells labels in the singular.
func canonical(field string) (string, error) {
	if !fieldPattern.MatchString(field) {
		return "", fmt.Errorf("field %q is not known", field)
	}
	for _, of := range []string{"metric", "resource"} {
		if name, ok := strings.CutPrefix(field, of+".labels."); ok {
			return of + ".label." + name, nil
		}
	}
	return field, nil
}
