package detectors

import "github.com/nasight/nasight/fleet"

// The states of a mount.
const (
	StateActive       = "active"
	StateIdle         = "idle"
	StateThin         = "insufficient_data"
	StateUnresponsive = "unresponsive"
)

// StateOf tells how a mount fares. Thin data is never taken for an idle mount, nor a hung mount, whose counters stand
// still, for an idle one.
func StateOf(mount *fleet.Mount, endpoint *fleet.Endpoint, client *fleet.Client, settings Settings) string {
	switch {
	case !settings.covered(client) || mount.Samples.Below(2):
		return StateThin
	case unresponsive(endpoint):
		return StateUnresponsive
	case !mount.Operations().Known():
		return StateThin
	case MountIdle(mount, settings):
		return StateIdle
	}
	return StateActive
}

// MountIdle tells whether a mount idles: few operations, few bytes, and less than one request under way on average. What is not known does not
// speak against it: rules skip such a mount, and StateOf tells thin data apart.
func MountIdle(mount *fleet.Mount, settings Settings) bool {
	return settings.Activity.Idle(mount.Operations(), mount.Bytes(), mount.Outstanding())
}

// EndpointIdle is the same for all mounts of a server address together. Where no TCP session is seen, as on Windows, their
// bytes are those of the mounts.
func EndpointIdle(endpoint *fleet.Endpoint, settings Settings) bool {
	bytes := endpoint.Rate()
	if !bytes.Known() {
		bytes = endpoint.OverMounts((*fleet.Mount).Bytes)
	}
	return settings.Activity.Idle(endpoint.Operations(), bytes, endpoint.Outstanding())
}

// Idle tells whether so little is done that nothing is judged by it: of all that is known.
func (a ActivitySettings) Idle(operations, bytes, outstanding fleet.Value) bool {
	return !operations.AtLeast(a.Operations) && !bytes.AtLeast(a.Bytes) && !outstanding.AtLeast(a.Outstanding)
}
