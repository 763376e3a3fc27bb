package gcnv

import (
	"fmt"
	"regexp"
)

// selection is what of the inventory is kept.
type selection struct {
	include, exclude []*regexp.Regexp
}

func newSelection(include, exclude []string) (selection, error) {
	var s selection
	var err error
	if len(include) > mostPatterns || len(exclude) > mostPatterns {
		return s, fmt.Errorf("more than %d expressions", mostPatterns)
	}
	if s.include, err = compile(include); err != nil {
		return s, err
	}
	s.exclude, err = compile(exclude)
	return s, err
}

// validatePatterns complains about each expression that is none.
func validatePatterns(fail failFunc, key string, expressions []string) {
	if len(expressions) > mostPatterns {
		fail(key, "%d are too many; write %d at most", len(expressions), mostPatterns)
		return
	}
	for i, expression := range expressions {
		if _, err := compile([]string{expression}); err != nil {
			fail(fmt.Sprintf("%s[%d]", key, i), "%v; correct it, as example-prod or example-.*", err)
		}
	}
}

func compile(expressions []string) ([]*regexp.Regexp, error) {
	compiled := make([]*regexp.Regexp, 0, len(expressions))
	for _, expression := range expressions {
		one, err := regexp.Compile("^(?:" + expression + ")$")
		if err != nil {
			return nil, fmt.Errorf("%q is no regular expression: %w", expression, err)
		}
		compiled = append(compiled, one)
	}
	return compiled, nil
}

func match(expressions []*regexp.Regexp, paths ...string) bool {
	for _, expression := range expressions {
		for _, path := range paths {
			if expression.MatchString(path) {
				return true
			}
		}
	}
	return false
}

// project says whether anything of a project can be wanted.
func (s selection) project(project string) bool { return !match(s.exclude, project) }

// pool says whether a pool is wanted for itself.
func (s selection) pool(project string, pool key) bool {
	path := project + "/" + pool.location + "/" + pool.name
	return !match(s.exclude, project, path) && (len(s.include) == 0 || match(s.include, project, path))
}

// volume says whether a volume of a pool is wanted.
func (s selection) volume(project, pool string, volume key) bool {
	above := project + "/" + volume.location + "/" + pool
	path := above + "/" + volume.name
	return !match(s.exclude, project, above, path) && (len(s.include) == 0 || match(s.include, project, above, path))
}
