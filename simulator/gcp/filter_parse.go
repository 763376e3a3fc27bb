package gcp

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tokens of a filter: a quoted text, an operator or bracket, or a word (field, value or function).
var filterToken = regexp.MustCompile(`^\s*("(?:[^"\\]|\\.)*"|!=|[=:(),]|[\w./*-]+)`)

type filterParser struct{ tokens []string }

// parseFilter reads the filter language as far as clients of time series use it: comparisons with = and !=, the functions
// starts_with, ends_with, has_substring, one_of and monitoring.regex.full_match, AND (or nothing between), OR, NOT and
// brackets. OR binds closer than AND, as the service documents.
func parseFilter(text string) (filter, error) {
	if len(text) > maxFilter {
		return filter{}, fmt.Errorf("the filter has %d characters, more than %d", len(text), maxFilter)
	}
	p := &filterParser{}
	for rest := text; strings.TrimSpace(rest) != ""; {
		found := filterToken.FindStringSubmatch(rest)
		if found == nil {
			return filter{}, fmt.Errorf("the filter cannot be read from %q on", strings.TrimSpace(rest))
		}
		p.tokens = append(p.tokens, found[1])
		rest = rest[len(found[0]):]
	}
	if len(p.tokens) == 0 {
		return filter{}, nil
	}
	root, err := p.conjunction()
	if err == nil && len(p.tokens) > 0 {
		err = fmt.Errorf("%q is not expected here", p.tokens[0])
	}
	return filter{root}, err
}

func (p *filterParser) next() string {
	if len(p.tokens) == 0 {
		return ""
	}
	token := p.tokens[0]
	p.tokens = p.tokens[1:]
	return token
}

func (p *filterParser) accept(token string) bool {
	if len(p.tokens) == 0 || p.tokens[0] != token {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *filterParser) conjunction() (node, error) {
	var parts all
	for {
		part, err := p.alternatives()
		if err != nil {
			return nil, err
		}
		if inner, ok := part.(all); ok {
			parts = append(parts, inner...)
		} else {
			parts = append(parts, part)
		}
		if !p.accept("AND") && (len(p.tokens) == 0 || p.tokens[0] == ")") {
			return parts, nil
		}
	}
}

func (p *filterParser) alternatives() (node, error) {
	var parts any1
	for {
		part, err := p.term()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if !p.accept("OR") {
			break
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return parts, nil
}

func (p *filterParser) term() (node, error) {
	switch {
	case p.accept("NOT"):
		inner, err := p.term()
		return not{inner}, err
	case p.accept("("):
		inner, err := p.conjunction()
		if err == nil && !p.accept(")") {
			err = fmt.Errorf("a closing bracket is missing")
		}
		return inner, err
	}
	return p.comparison()
}

func (p *filterParser) comparison() (node, error) {
	field, err := canonical(p.next())
	if err != nil {
		return nil, err
	}
	op := p.next()
	if !slices.Contains([]string{"=", "!=", ":"}, op) {
		return nil, fmt.Errorf("after %s there is %q, which is none of =, != and : of the language", field, op)
	}
	value, test, err := p.operand()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	c := compare{field: field, op: op, text: value, test: test}
	switch op {
	case "!=":
		c.test = func(v string) bool { return !test(v) }
	case ":":
		c.test = func(v string) bool { return strings.Contains(v, value) }
	}
	return c, nil
}

// operand reads a value, or a function with its arguments; a function's text is empty.
func (p *filterParser) operand() (string, func(string) bool, error) {
	first := p.next()
	if p.accept("(") {
		var arguments []string
		for {
			argument, err := value(p.next())
			if err != nil {
				return "", nil, err
			}
			arguments = append(arguments, argument)
			if p.accept(")") {
				break
			}
			if !p.accept(",") {
				return "", nil, fmt.Errorf("the arguments of %s do not end", first)
			}
		}
		test, err := function(first, arguments)
		return "", test, err
	}
	text, err := value(first)
	return text, func(v string) bool { return v == text }, err
}

func value(token string) (string, error) {
	if strings.HasPrefix(token, `"`) {
		text, err := strconv.Unquote(token)
		if err != nil {
			return "", fmt.Errorf("%s is no quoted text", token)
		}
		return text, nil
	}
	if token == "" || strings.ContainsAny(token, "=:(),") || slices.Contains([]string{"AND", "OR", "NOT"}, token) {
		return "", fmt.Errorf("a value is missing at %q", token)
	}
	return token, nil
}

func function(name string, arguments []string) (func(string) bool, error) {
	if name == "one_of" {
		return func(v string) bool { return slices.Contains(arguments, v) }, nil
	}
	if len(arguments) != 1 {
		return nil, fmt.Errorf("%s takes one argument, not %d", name, len(arguments))
	}
	argument := arguments[0]
	switch name {
	case "starts_with":
		return func(v string) bool { return strings.HasPrefix(v, argument) }, nil
	case "ends_with":
		return func(v string) bool { return strings.HasSuffix(v, argument) }, nil
	case "has_substring":
		return func(v string) bool { return strings.Contains(v, argument) }, nil
	case "monitoring.regex.full_match":
		pattern, err := regexp.Compile("^(?:" + argument + ")$")
		if err != nil {
			return nil, fmt.Errorf("full_match: %w", err)
		}
		return pattern.MatchString, nil
	}
	return nil, fmt.Errorf("function %q is not known", name)
}
