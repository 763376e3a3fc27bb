// Package connecttest looks into the sections that the clouds' trials give, for their tests.
package connecttest

import (
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors/connect"
)

// Checked finds a check by its name and the end of what it was tried on.
func Checked(t *testing.T, section *connect.Section, name, on string) connect.Check {
	t.Helper()
	for _, check := range section.Checks {
		if check.Name == name && strings.HasSuffix(check.On, on) {
			return check
		}
	}
	t.Fatalf("no check %s on %s in %+v", name, on, section.Checks)
	return connect.Check{}
}

// Answered finds an answer by its name.
func Answered(t *testing.T, section *connect.Section, name string) connect.Answer {
	t.Helper()
	for _, answer := range section.Answers {
		if answer.Name == name {
			return answer
		}
	}
	t.Fatalf("no answer %s in %+v", name, section.Answers)
	return connect.Answer{}
}

// Statuses counts the checks by their status.
func Statuses(section *connect.Section) map[connect.Status]int {
	counts := map[connect.Status]int{}
	for _, check := range section.Checks {
		counts[check.Status]++
	}
	return counts
}
