package detectors

import (
	"fmt"
	"time"

	"github.com/nasight/nasight/fleet"
)

// stalledCritical is how long a server may be silent before that is critical.
const stalledCritical = time.Minute

// serverUnresponsive asks of every endpoint whether requests wait for a server that completes none.
func serverUnresponsive(p *pass) []draft {
	var drafts []draft
	for client, endpoint := range p.endpoints() {
		if unresponsive(endpoint) {
			drafts = append(drafts, p.stalledDraft(client, endpoint))
		}
	}
	return drafts
}

// unresponsive: over the last interval nothing completed, and requests waited all the time, or every transport is down
// and the client tries to connect, or requests time out. An idle endpoint does none of it.
func unresponsive(e *fleet.Endpoint) bool {
	return progressKnown(e) && !completions(e).Above(0) && !e.Receives.Above(0) &&
		(e.PendingFloor.Above(0) || cutOff(e) || timeouts(e).Above(0))
}

// progressKnown: the last interval can be judged. Without that a server is neither silent nor back.
func progressKnown(e *fleet.Endpoint) bool {
	return clockMoved(e) && (completions(e).Known() || e.Receives.Known())
}

// clockMoved: the host's own clock advanced between the two readings. A source that stood still says nothing about the
// server. Only the counters of NFS carry such a clock.
func clockMoved(e *fleet.Endpoint) bool {
	if e.Protocol != fleet.NFS {
		return true
	}
	for _, mount := range e.Mounts {
		if mount.ClockAdvance.Above(0) {
			return true
		}
	}
	return false
}

// cutOff: no transport is up and the client keeps trying, or its requests want one. A connection that nobody wants is no
// fault of the server's: NFS closes idle ones, and an SMB session that is down stays so until somebody asks for a file.
func cutOff(e *fleet.Endpoint) bool {
	return down(e) && (e.Connecting.Above(0) || e.Protocol != fleet.NFS && wanted(e))
}

// down: transports there are, and none of them is up.
func down(e *fleet.Endpoint) bool { return e.Disconnected.Above(0) && e.Connected == 0 }

// wanted: requests wait, or the connection was in use until it broke. What waits for an SMB session to come back shows in no
// counter.
func wanted(e *fleet.Endpoint) bool { return e.Pending.Above(0) || e.Operations().Above(0) }

// stillDown: an SMB or iSCSI session that broke in use has not come back. Whether it is still wanted does not show, and its
// operations end with the window.
func stillDown(e *fleet.Endpoint) bool { return e.Protocol != fleet.NFS && down(e) }

func completions(e *fleet.Endpoint) fleet.Value {
	return e.OverMounts(func(m *fleet.Mount) fleet.Value { return m.Completions })
}

func timeouts(e *fleet.Endpoint) fleet.Value {
	return e.OverMounts(func(m *fleet.Mount) fleet.Value { return m.Timeouts })
}

func (p *pass) stalledDraft(client *fleet.Client, e *fleet.Endpoint) draft {
	waiting := ""
	if e.PendingFloor.Above(0) || !cutOff(e) && !timeouts(e).Above(0) {
		waiting = above(0)
	}
	facts := []fact{
		{"fewest requests waiting for a reply", e.PendingFloor, "requests", waiting, fleet.FeaturePendingFloor},
		{"requests waiting for a reply now", e.Pending, "requests", "", fleet.FeaturePending},
		{"replies", e.Receives, "replies per second", "<= 0", fleet.FeatureReceives},
		{"completed operations", completions(e), "operations per second", "<= 0", fleet.FeatureCompletions},
		{"transports up", e.Connected, "transports", "", fleet.FeatureConnected},
		{"transports down", e.Disconnected, "transports", "", fleet.FeatureDisconnected},
		{"connection attempts", e.Connecting, "attempts per second", "", fleet.FeatureConnecting},
		{"major timeouts", timeouts(e), "requests per second", "", fleet.FeatureTimeouts},
	}
	server := quote(e.Server)
	return draft{
		name: Name{ServerUnresponsive, VariantStalled}, severity: p.stalledSeverity(), resource: e.Resource(),
		coverage: float64(p.settings.coverage(client)), signals: []signal{seen(weightStalled)},
		summary:  fmt.Sprintf("%s does not answer: %s, and no operation completed in the last interval.", e.Server, stalledReason(e)),
		evidence: p.evidence(e.Resource(), facts...),
		remedy: []Remedy{{
			What:    "Check that the server is up and reachable from this host.",
			Command: reachable(e.Protocol, server, client),
			Caveat:  "Hard mounts carry on by themselves once the server answers. Do not call df or ls on the mounts meanwhile: they would hang.",
		}},
	}
}

// reachable are the commands that show whether a server can be reached from the host.
func reachable(protocol, server string, client *fleet.Client) string {
	if client.Windows() {
		return fmt.Sprintf("Test-NetConnection %s -Port 445\nGet-SmbConnection\nGet-SmbMultichannelConnection", server)
	}
	port, log := 2049, "dmesg | grep -i 'nfs: server' | tail"
	switch protocol {
	case fleet.SMB:
		port, log = 445, "dmesg | grep -i cifs | tail\ncat /proc/fs/cifs/DebugData"
	case fleet.ISCSI:
		port, log = 3260, "iscsiadm -m session -P 1\ndmesg | grep -i iscsi | tail"
	}
	return fmt.Sprintf("ss -tn dst %s\nnc -vz -w 5 %s %d\n%s", server, server, port, log)
}

func stalledReason(e *fleet.Endpoint) string {
	switch {
	case cutOff(e):
		return fmt.Sprintf("%s down and the client keeps trying to connect", isAre(e.Disconnected, "connection"))
	case e.PendingFloor.Above(0):
		return fmt.Sprintf("at least %s for a reply all the time", waits(e.PendingFloor))
	}
	return "requests time out"
}

func isAre(count fleet.Value, one string) string {
	if count == 1 {
		return "its 1 " + one + " is"
	}
	return "all " + plural(count, one) + " are"
}

func waits(count fleet.Value) string {
	if count == 1 {
		return "1 request waits"
	}
	return plural(count, "request") + " wait"
}

// stalledSeverity: a warning at first. A snapshot that spans more than a minute has already seen it last.
func (p *pass) stalledSeverity() Severity {
	if p.settings.Snapshot && p.view.Window > stalledCritical {
		return Critical
	}
	return Warning
}
