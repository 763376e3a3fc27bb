package azure

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// condition is what a filter says of one dimension. The value * takes all, each a series of its own.
type condition struct {
	dimension string
	values    []string // any of which matches; none of which where not is set
	not       bool
}

func (c condition) matches(value string) bool {
	for _, v := range c.values {
		if v == "*" || strings.EqualFold(v, value) {
			return !c.not
		}
	}
	return c.not
}

// filter is all conditions, which all have to match.
type filter []condition

const maxFilter = 32 << 10

var filterToken = regexp.MustCompile(`^\s*('(?:[^']|'')*'|[()]|\w+)`)

// parseFilter reads A eq 'a' and B eq 'b' or B eq 'c'. Only conditions on one dimension may be joined by or, which binds
// closer than and; ne excludes, and brackets may stand around conditions of one dimension.
func parseFilter(text string) (filter, error) {
	if len(text) > maxFilter {
		return nil, fmt.Errorf("the filter has %d characters, more than %d", len(text), maxFilter)
	}
	p := &filterParser{}
	for rest := text; strings.TrimSpace(rest) != ""; {
		found := filterToken.FindStringSubmatch(rest)
		if found == nil {
			return nil, fmt.Errorf("the filter cannot be read from %q on", strings.TrimSpace(rest))
		}
		p.tokens = append(p.tokens, found[1])
		rest = rest[len(found[0]):]
	}
	if len(p.tokens) == 0 {
		return nil, nil
	}
	return p.all()
}

type filterParser struct{ tokens []string }

func (p *filterParser) next() string {
	if len(p.tokens) == 0 {
		return ""
	}
	token := p.tokens[0]
	p.tokens = p.tokens[1:]
	return token
}

func (p *filterParser) accept(token string) bool {
	if len(p.tokens) == 0 || !strings.EqualFold(p.tokens[0], token) {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *filterParser) all() (filter, error) {
	var out filter
	for {
		c, err := p.group()
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(other condition) bool { return other.dimension == c.dimension && other.not == c.not }) {
			return nil, fmt.Errorf("dimension %s stands twice with and between", c.dimension)
		}
		out = append(out, c)
		if len(p.tokens) == 0 {
			return out, nil
		}
		if !p.accept("and") {
			return nil, fmt.Errorf("%q is not expected here", p.tokens[0])
		}
	}
}

func (p *filterParser) group() (condition, error) {
	bracket := p.accept("(")
	c, err := p.comparison()
	for err == nil && p.accept("or") {
		var more condition
		if more, err = p.comparison(); err == nil && (more.dimension != c.dimension || more.not || c.not) {
			err = fmt.Errorf("or cannot separate %s and %s: it joins values of one dimension", c.dimension, more.dimension)
		}
		c.values = append(c.values, more.values...)
	}
	if err == nil && bracket && !p.accept(")") {
		err = errors.New("a closing bracket is missing")
	}
	return c, err
}

func (p *filterParser) comparison() (condition, error) {
	dimension, op, value := p.next(), strings.ToLower(p.next()), p.next()
	switch {
	case dimension == "" || strings.ContainsAny(dimension, "'()"):
		return condition{}, fmt.Errorf("%q is no dimension", dimension)
	case op != "eq" && op != "ne":
		return condition{}, fmt.Errorf("after %s there is %q, which is neither eq nor ne", dimension, op)
	case len(value) < 2 || value[0] != '\'':
		return condition{}, fmt.Errorf("the value of %s is not in quotes", dimension)
	}
	text := strings.ReplaceAll(value[1:len(value)-1], "''", "'")
	return condition{strings.ToLower(dimension), []string{text}, op == "ne"}, nil
}
