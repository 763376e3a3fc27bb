package detectors

import (
	"strings"

	"github.com/nasight/nasight/fleet"
)

// Gaps tells what is missing to call a mount healthy or idle, one clause each: a rule whose numbers are not there cannot
// fire, and its silence is no good news. A finding stands whatever else is missing.
func Gaps(mount *fleet.Mount, endpoint *fleet.Endpoint) []string {
	idle := mount.Operations() == 0 && !endpoint.Rate().Above(0)
	return pick(
		sentence{missingClass(mount) != "", "the operations of class " + missingClass(mount) + " could not be counted"},
		sentence{!mount.Completions.Known(), "what completed between the last two moments is not known"},
		sentence{overTCP(mount) && endpoint.Busiest() == nil, "no TCP session to the server could be read"},
		sentence{!idle && endpoint.Busiest() != nil && !endpoint.Moving.Known(),
			"whether the sessions keep moving takes three moments"},
		sentence{cutOff(endpoint), "its connection is down and the client tries to connect again"},
	)
}

func overTCP(mount *fleet.Mount) bool {
	return mount.Transport == "" || strings.HasPrefix(mount.Transport, "tcp")
}

// missingClass names a class of operations whose rate is not known, empty if all are. Reads that cannot be counted look
// like no reads.
func missingClass(mount *fleet.Mount) string {
	for _, name := range []string{"read", "write", "attr", "dir"} {
		if class, ok := mount.Classes[name]; !ok || !class.Rate.Known() {
			return name
		}
	}
	return ""
}
