package detectors

import "github.com/nasight/nasight/fleet"

// ID is the id of a finding of a resource, as Finding has it.
func ID(name Name, resource fleet.Resource) string { return id(name, resource) }

// ClockOf is the clock by which a name is judged. A name of another version is judged by the minute.
func ClockOf(name Name) Clock { return clockOf(name) }
