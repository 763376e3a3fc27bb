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
		sentence{timeless(mount), "the time of SMB requests could not be counted (kernels without CONFIG_CIFS_STATS2 do not), so how many are under way is not known"},
		sentence{mount.Protocol == fleet.SMB && !endpoint.Client.Windows() && !endpoint.SMB.Channels.Known(), "how many channels are open could not be read"},
		sentence{overTCP(mount) && !endpoint.Client.Windows() && endpoint.Busiest() == nil, "no TCP session to the server could be read"},
		sentence{!idle && endpoint.Busiest() != nil && !endpoint.Moving.Known(),
			"whether the sessions keep moving takes three moments"},
		sentence{cutOff(endpoint) || stillDown(endpoint), "its connection is down and the client tries to connect again"},
	)
}

// timeless: operations were counted and their time was not.
func timeless(mount *fleet.Mount) bool {
	return mount.Protocol == fleet.SMB && mount.Operations().Above(0) && !mount.Outstanding().Known()
}

func overTCP(mount *fleet.Mount) bool {
	return mount.Transport == "" || strings.HasPrefix(mount.Transport, "tcp")
}

// Operations is the mount's rate over all classes, per second; missing where a class that every mount has was not counted.
func Operations(mount *fleet.Mount) fleet.Value {
	if missingClass(mount) != "" {
		return fleet.Unknown
	}
	return mount.Operations()
}

// missingClass names a class of operations whose rate is not known, empty if all are. Reads that cannot be counted look
// like no reads.
func missingClass(mount *fleet.Mount) string {
	names := []string{"read", "write", "attr", "dir"}
	if mount.Protocol != fleet.NFS {
		names = names[:2]
	}
	for _, name := range names {
		if class, ok := mount.Classes[name]; !ok || !class.Rate.Known() {
			return name
		}
	}
	return ""
}
