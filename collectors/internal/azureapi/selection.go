package azureapi

import (
	"fmt"
	"regexp"
)

// Selection is what of the inventory is kept.
type Selection struct{ include, exclude []*regexp.Regexp }

// mostPatterns bounds each list of expressions.
const mostPatterns = 1000

// NewSelection reads regular expressions, which are anchored at both ends.
func NewSelection(include, exclude []string) (Selection, error) {
	var s Selection
	if len(include) > mostPatterns || len(exclude) > mostPatterns {
		return s, fmt.Errorf("more than %d expressions", mostPatterns)
	}
	for _, list := range []struct {
		from []string
		to   *[]*regexp.Regexp
	}{{include, &s.include}, {exclude, &s.exclude}} {
		for _, text := range list.from {
			expression, err := compile(text)
			if err != nil {
				return Selection{}, err
			}
			*list.to = append(*list.to, expression)
		}
	}
	return s, nil
}

func compile(text string) (*regexp.Regexp, error) {
	expression, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return nil, fmt.Errorf("%q is no regular expression: %w", text, err)
	}
	return expression, nil
}

// validatePatterns complains about each expression that is none.
func validatePatterns(fail FailFunc, key string, expressions []string) {
	if len(expressions) > mostPatterns {
		fail(key, "%d are too many; write %d at most", len(expressions), mostPatterns)
		return
	}
	for i, text := range expressions {
		if _, err := compile(text); err != nil {
			fail(fmt.Sprintf("%s[%d]", key, i), "%v; correct it, as example or example-.*", err)
		}
	}
}

// Wants says whether a thing is kept, given its path and the paths of what it is in, as in SUBSCRIPTION,
// SUBSCRIPTION/ACCOUNT, SUBSCRIPTION/ACCOUNT/SHARE.
func (s Selection) Wants(paths ...string) bool {
	return !matches(s.exclude, paths) && (len(s.include) == 0 || matches(s.include, paths))
}

// LeavesOut says whether a thing, and with it all that is in it, is excluded.
func (s Selection) LeavesOut(paths ...string) bool { return matches(s.exclude, paths) }

func matches(expressions []*regexp.Regexp, paths []string) bool {
	for _, expression := range expressions {
		for _, path := range paths {
			if expression.MatchString(path) {
				return true
			}
		}
	}
	return false
}
