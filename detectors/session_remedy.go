package detectors

import (
	"fmt"
	"math"
	"strings"

	"github.com/nasight/nasight/fleet"
)

const (
	interrupts  = "Mounting again interrupts the users of every mount of this server."
	atBoot      = "At boot sysctl.d may be applied before the module sunrpc is loaded: then set 'options sunrpc tcp_max_slot_table_entries=N' in /etc/modprobe.d as well."
	keepOptions = "Take your other mount options along from /etc/fstab and change them there as well."
)

// moreSessions advises one step, not the largest number: more is not always better.
func (c sessionCase) moreSessions(n int) []Remedy {
	switch c.endpoint.Protocol {
	case "smb":
		return c.moreChannels()
	case "iscsi":
		return c.moreTargetSessions(n)
	}
	remedies := []Remedy{{
		What:    fmt.Sprintf("Mount with nconnect=%d, then measure again before going further.", n),
		Command: remount(c.endpoint, n),
		Caveat:  c.nconnectCaveat(),
	}}
	return append(remedies, c.budgetRemedy(n)...)
}

func (c sessionCase) nconnectCaveat() string {
	caveat := "All mounts of one server share its sessions and the first mount decides their number: unmount every one. " + interrupts + " " + keepOptions
	if c.endpoint.Provider == fleet.ProviderUnknown {
		caveat += " The service is not known: Google Cloud NetApp Volumes gains up to 16 sessions, Azure Files up to 4."
	}
	if c.endpoint.Provider == fleet.ProviderAzure {
		caveat += " Work with few requests at a time can get slower."
	}
	if kerberos(c.endpoint) {
		caveat += " These mounts use Kerberos, with which nconnect is discouraged."
	}
	return caveat
}

// budgetRemedy clips the slots where the advised sessions would pass the budget of all clients together.
func (c sessionCase) budgetRemedy(n int) []Remedy {
	if c.endpoint.Provider != fleet.ProviderGCNV {
		return nil
	}
	connections := c.budget().connections + float64(n) - c.count().Or(1)
	slots := suggestedSlots(connections, c.settings.Client)
	if slots >= slotsPerTransport {
		return nil
	}
	return []Remedy{{
		What:    fmt.Sprintf("Lower the slots of each connection to %d on every client first: with the new sessions they would pass the service's budget of %g.", slots, c.settings.Client.SlotBudget),
		Command: setTable(slots),
		Caveat:  "Takes effect for connections made later. Clients that nasight does not see count as well.",
	}}
}

// withSharedLimit warns of what a client cannot see: whose ceiling it is.
func (c sessionCase) withSharedLimit(remedies []Remedy) []Remedy {
	if !c.endpoint.Ceiling.Known() && len(remedies) > 0 {
		remedies[0].Caveat = "A ceiling of one session and a limit shared by all (the volume's throughput, a network link) look alike from a client: " +
			"check the volume's limit first; more sessions help only if the ceiling is the session's. " + remedies[0].Caveat
	}
	return remedies
}

// spread is for sessions that are open and carry nothing.
func (c sessionCase) spread() []Remedy {
	if c.endpoint.Protocol == fleet.ISCSI {
		return c.withSharedLimit([]Remedy{{
			What:    "Let the multipath device use all sessions at once: a failover policy leaves all but one idle.",
			Command: "multipath -ll\nmultipathd show config | grep -E 'path_grouping_policy|path_selector'",
			Caveat:  "Set path_grouping_policy multibus with a path_selector such as \"service-time 0\" in /etc/multipath.conf if the storage allows it. More sessions would stay idle as well.",
		}})
	}
	nic := c.client.NIC.Interface
	if nic == "" {
		nic = "INTERFACE"
	}
	return c.withSharedLimit([]Remedy{{
		What:    "Find out why one session carries all: failed sessions, large requests on few of them, or a broken receive map of the NIC.",
		Command: fmt.Sprintf("ss -tin dst %s\nethtool -x %s\ngrep %s /proc/interrupts", quote(c.endpoint.Server), quote(nic), quote(nic)),
		Caveat:  "The client spreads requests over its sessions by itself; only a lasting imbalance is a fault.",
	}})
}

// moreTargetSessions opens more sessions to every target at the portal.
func (c sessionCase) moreTargetSessions(n int) []Remedy {
	var lines []string
	for _, target := range targets(c.endpoint) {
		node := "iscsiadm -m node -T " + target
		lines = append(lines, fmt.Sprintf("%s -o update -n node.session.nr_sessions -v %d", node, n), node+" -u", node+" -l")
	}
	return []Remedy{{
		What:    fmt.Sprintf("Open %d sessions to the target.", n),
		Command: strings.Join(lines, "\n"),
		Caveat:  "Needs a multipath device over the sessions. Logging out interrupts the users of its volumes.",
	}}
}

func targets(endpoint *fleet.Endpoint) []string {
	var names []string
	for _, mount := range endpoint.Mounts {
		names = append(names, quote(mount.Export))
	}
	if len(names) == 0 {
		return []string{"IQN"}
	}
	return names
}

func setTable(slots int) string {
	return fmt.Sprintf("echo 'sunrpc.tcp_max_slot_table_entries = %d' >> /etc/sysctl.d/90-nfs.conf\nsysctl --system", slots)
}

// raiseTable is for a slot table below what one connection carries.
func (c sessionCase) raiseTable(t *fleet.Transport) []Remedy {
	slots, caveat := slotsPerTransport, "Existing connections keep their limit until they are made anew. "+atBoot+" "+interrupts+" "+keepOptions
	if c.endpoint.Provider == fleet.ProviderGCNV {
		slots = min(slots, max(suggestedSlots(c.budget().connections, c.settings.Client), int(t.Slots.Or(0))))
		caveat += fmt.Sprintf(" All clients of a project together stay below %g slots.", c.settings.Client.SlotBudget)
	}
	return []Remedy{{
		What:    fmt.Sprintf("Raise the slot table from %s to %d slots a connection.", number(tableSlots(t, c.client)), slots),
		Command: setTable(slots) + "\n" + again(c.endpoint),
		Caveat:  caveat,
	}}
}

// raiseSession is for NFSv4.1 session slots. The module option helps only where it is what limits the session.
func (c sessionCase) raiseSession(t *fleet.Transport) []Remedy {
	clients := Remedy{
		ByHand: handMachine,
		What:   "Spread the work over more clients: each has a session of its own.",
		Caveat: "Measure with one more client first.",
	}
	if !c.clientLimitsSession(t) {
		return []Remedy{{
			ByHand: handServer,
			What:   "Raise the session slots at the server.",
			Caveat: "This host asks for more than it gets: raising max_session_slots here changes nothing.",
		}, clients}
	}
	remedies := []Remedy{{
		What: fmt.Sprintf("Raise max_session_slots from %s to %d.", number(c.client.Settings.SessionSlots), slotsPerSession),
		Command: fmt.Sprintf("echo 'options nfs max_session_slots=%d' >> /etc/modprobe.d/nfsclient.conf\nreboot\n", slotsPerSession) +
			"cat /sys/module/nfs/parameters/max_session_slots",
		Caveat: "Needs a reboot. Servers may grant fewer, some about 30: if the most slots in use stay lower afterwards, only the server or more clients help.",
	}}
	if t.Count.Below(2) {
		remedies = append(remedies, Remedy{
			What:    fmt.Sprintf("Mount with nconnect=2: one connection carries %d requests.", slotsPerTransport),
			Command: remount(c.endpoint, 2), Caveat: c.nconnectCaveat(),
		})
	}
	return append(remedies, clients)
}

// suggestedSlots is the slot table with which so many connections use no more than the wanted part of the budget.
func suggestedSlots(connections float64, limits ClientSettings) int {
	if connections <= 0 {
		return slotsPerTransport
	}
	return int(max(1, min(slotsPerTransport, math.Floor(limits.SlotWarning*limits.SlotBudget/connections))))
}
