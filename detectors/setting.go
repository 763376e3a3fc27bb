package detectors

import (
	"slices"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// Setting is a number that a remedy's command gives a resource. Several findings may advise on one: all of them name the same number,
// and a report can hold what it lists together against a plan.
type Setting struct {
	Resource fleet.Resource
	Property Property
	To       float64 // in the property's unit
	Command  string  // the line or lines of the remedy's command that set it
	Said     string  // what the remedy's caveat says of it; empty where it says nothing
}

// Property is what a Setting sets.
type Property string

// The properties that findings advise on.
const (
	SetSize       Property = "size"       // GiB
	SetThroughput Property = "throughput" // MiB/s
	SetOperations Property = "operations" // per second
)

// Join puts commands one after another. A line of comment that has been said already is not repeated.
func Join(commands ...string) string {
	var lines []string
	for _, command := range commands {
		for line := range strings.SplitSeq(command, "\n") {
			if !strings.HasPrefix(line, "# ") || !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}
