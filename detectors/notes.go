package detectors

import (
	"fmt"
	"strings"

	"github.com/nasight/nasight/fleet"
)

const (
	smallTransfer = 64 << 10  // bytes; the services' benchmarks use no smaller requests
	readAhead     = 128 << 10 // bytes; the default of recent kernels
)

// noteCase is what notes are written about.
type noteCase struct {
	sessionCase
	mount *fleet.Mount
}

// Notes are plain sentences about a mount that are no findings: settings that could be better and how its sessions are
// used. Every stock host has some, and is healthy all the same.
func Notes(mount *fleet.Mount, endpoint *fleet.Endpoint, client *fleet.Client) []string {
	p := newPass(&fleet.Fleet{}, DefaultSettings())
	c := noteCase{p.sessionCase(client, endpoint), mount}
	var notes []string
	for _, group := range c.groups() {
		notes = append(notes, group...)
	}
	return notes
}

// groups are the notes by what they are about.
func (c noteCase) groups() [][]string {
	switch c.mount.Protocol {
	case fleet.SMB:
		return [][]string{c.channelNotes(), c.spreadNotes()}
	case fleet.ISCSI:
		return [][]string{c.targetNotes(), c.spreadNotes()}
	}
	return [][]string{c.slotNotes(), c.sessionNotes(), c.spreadNotes(), c.transferNotes(), c.optionNotes()}
}

// pick keeps the sentences whose condition holds.
func pick(sentences ...sentence) []string {
	var kept []string
	for _, s := range sentences {
		if s.holds {
			kept = append(kept, s.text)
		}
	}
	return kept
}

type sentence struct {
	holds bool
	text  string
}

func (c noteCase) slotNotes() []string {
	s := c.client.Settings
	off := max(s.SessionSlots-s.SessionSlotsConfigured, s.SessionSlotsConfigured-s.SessionSlots)
	v41 := sessionVersion(c.mount.Version)
	return pick(
		sentence{s.SlotTable.Above(slotsPerTransport), fmt.Sprintf(
			"The slot table is set to %s a connection; the service takes %d, and sunrpc.tcp_max_slot_table_entries = %d keeps the sum over all clients small.",
			whole(s.SlotTable), slotsPerTransport, slotsPerTransport)},
		// The running value of 180 may read as 179.
		sentence{v41 && s.SessionSlots.Below(slotsPerSession-1), fmt.Sprintf(
			"max_session_slots is %s; %d is recommended for NFSv4.1.", whole(s.SessionSlots), slotsPerSession)},
		sentence{v41 && off.Above(1), fmt.Sprintf(
			"max_session_slots is set to %s in /etc/modprobe.d but runs with %s: quotes around the value, or no reboot since.",
			whole(s.SessionSlotsConfigured), whole(s.SessionSlots))},
		sentence{c.fullAtMaximum(), fmt.Sprintf(
			"The slots are full with as many sessions as the service gains from (%d): add clients.", c.curve().most)},
	)
}

// fullAtMaximum: detector 1 would fire, and has nothing left to advise.
func (c noteCase) fullAtMaximum() bool {
	for _, transport := range c.endpoint.Transports {
		if transport.Version == c.mount.Version && c.slotsFull(transport) && c.atMaximum(transport) {
			return true
		}
	}
	return false
}

func (c noteCase) sessionNotes() []string {
	e, asked := c.endpoint, c.mount.NConnect
	others := c.sharing() - 1
	return pick(
		sentence{e.Provider == fleet.ProviderAzure && asked.Above(4), fmt.Sprintf(
			"nconnect=%s on Azure Files: more than 4 brings nothing and can hurt.", whole(asked))},
		sentence{c.nconnectDiffers(), "The mounts of this server ask for different nconnect values: the one mounted first decides for all."},
		sentence{c.transports().Below(asked.Or(0)), fmt.Sprintf(
			"nconnect=%s was asked for, but %s: an earlier mount of this server decided.", whole(asked), c.inUseText())},
		sentence{others > 0, fmt.Sprintf("This mount shares its connections with %s of the same server.", plural(fleet.Value(others), "other mount"))},
		sentence{e.Connected.Above(0) && len(e.Sessions) == 0 && !e.SessionCount.Above(0),
			"No TCP session to the server is visible although its transports are connected: the mount may belong to another network namespace."},
	)
}

// spreadNotes say that several sessions are in use. A lone one is the usual case and no news.
func (c noteCase) spreadNotes() []string {
	effective, open := c.endpoint.EffectiveSessions(), c.count()
	if open.Below(float64(effective)) { // one has gone in the window
		open = fleet.Value(len(c.endpoint.Sessions))
	}
	return pick(sentence{effective.AtLeast(c.limits.Effective), fmt.Sprintf(
		"The load is spread over %s sessions, %s of them effectively.", whole(open), number(effective))})
}

// sharing counts the mounts on the same connections, this one among them: those of the same NFS version that do not keep
// to themselves.
func (c noteCase) sharing() int {
	count := 0
	for _, mount := range c.endpoint.Mounts {
		if mount.Version == c.mount.Version && !strings.Contains(mount.Options, "nosharetransport") {
			count++
		}
	}
	return count
}

func (c noteCase) inUseText() string {
	if c.transports() == 1 {
		return "1 connection is in use"
	}
	return plural(c.transports(), "connection") + " are in use"
}

// transports is the number of RPC transports that the mount uses.
func (c noteCase) transports() fleet.Value {
	for _, transport := range c.endpoint.Transports {
		if transport.Version == c.mount.Version {
			return transport.Count
		}
	}
	return fleet.Unknown
}

// nconnectDiffers: a mount without the option asks for one connection.
func (c noteCase) nconnectDiffers() bool {
	for _, other := range c.endpoint.Mounts {
		if other.Version == c.mount.Version && other.NConnect.Or(1) != c.mount.NConnect.Or(1) {
			return true
		}
	}
	return false
}

func (c noteCase) transferNotes() []string {
	m := c.mount
	reads := fleet.Unknown
	if class, ok := m.Classes["read"]; ok {
		reads = m.ReadRate.Over(class.Rate)
	}
	full := reads.Over(m.ReadSize).AtLeast(0.95) && m.Classes["read"].Rate.AtLeast(1)
	return pick(
		sentence{full && m.ReadAhead.Known() && !m.ReadAhead.Above(readAhead), fmt.Sprintf(
			"Reads are sequential and read-ahead is %s KiB: up to 15 MiB is advised (read_ahead_kb of the mount's bdi).", whole(m.ReadAhead/1024))},
		sentence{full && m.ReadSize.Below(smallTransfer), fmt.Sprintf(
			"rsize is %s KiB and reads fill it: rsize=65536 or more needs fewer requests.", whole(m.ReadSize/1024))},
	)
}

func (c noteCase) optionNotes() []string {
	off := cachingOff(c.mount.Options)
	krb5 := strings.HasPrefix(c.mount.Security, "krb5")
	return pick(
		sentence{c.mount.Security == "krb5p", "sec=krb5p encrypts every request: expect less throughput for each core and connection."},
		sentence{krb5 && c.transports().Above(1), "Kerberos together with nconnect is discouraged."},
		sentence{off != "", "The mount option " + off + " turns attribute caching off: every look at a file asks the server."},
	)
}
