package detectors

import (
	"strings"

	"github.com/nasight/nasight/fleet"
)

// What the storage services publish.
const (
	slotsPerTransport = 128 // requests that one connection carries, whatever the client's table allows
	slotsPerSession   = 180 // requests that one NFSv4.1 session carries at most
)

// sessionCase is what session_saturated judges: one server address, seen from one client.
type sessionCase struct {
	*pass
	client   *fleet.Client
	endpoint *fleet.Endpoint
	limits   SessionSettings
}

func (p *pass) sessionCase(client *fleet.Client, endpoint *fleet.Endpoint) sessionCase {
	return sessionCase{p, client, endpoint, p.settings.Session}
}

// sessionSaturated asks of every endpoint whether more sessions, or more slots, would make its client faster.
func sessionSaturated(p *pass) []draft {
	var drafts []draft
	for client, endpoint := range p.endpoints() {
		drafts = append(drafts, p.sessionCase(client, endpoint).judge()...)
	}
	return drafts
}

func (c sessionCase) judge() []draft {
	if EndpointIdle(c.endpoint, c.settings) || c.boundElsewhere() {
		return nil
	}
	var drafts []draft
	for _, transport := range c.endpoint.Transports {
		switch {
		case c.sessionSlotsFull(transport):
			drafts = append(drafts, c.sessionSlotsDraft(transport))
		case c.slotsFull(transport) && !c.atMaximum(transport):
			drafts = append(drafts, c.slotsDraft(transport))
		}
	}
	if c.creditsUsedUp() && !c.count().AtLeast(float64(c.curve().most)) {
		drafts = append(drafts, c.creditDraft())
	}
	if c.skewed() || c.oneTargetSession() {
		drafts = append(drafts, c.skewDraft())
	}
	if c.flowAtCeiling() && !c.skewed() {
		drafts = append(drafts, c.flowDraft())
	}
	if c.coreAtLimit() {
		drafts = append(drafts, c.coreDraft())
	}
	if c.senderBound() && !c.count().AtLeast(float64(c.curve().most)) {
		drafts = append(drafts, c.senderDraft())
	}
	return drafts
}

// boundElsewhere is the guard's part that is about other limits: near them, sessions would gain next to nothing. A
// utilisation that is not known lets the guard pass and costs confidence.
func (c sessionCase) boundElsewhere() bool {
	return c.endpoint.Throttled ||
		c.endpoint.VolumeUtilisation.AtLeast(c.limits.VolumeFree) ||
		networkUse(c.client).AtLeast(c.limits.NetworkFree)
}

// enough is the guard's part that is about load. It is not asked of the path's evidence: a lone slow flow is full at a
// few operations per second.
func (c sessionCase) enough(outstanding, operations fleet.Value) bool {
	return outstanding.AtLeast(c.limits.MinOutstanding) && operations.AtLeast(c.limits.MinOperations)
}

// busy is enough load on the whole endpoint.
func (c sessionCase) busy() bool { return c.enough(c.endpoint.Outstanding(), c.endpoint.Operations()) }

// count is the number of sessions that a mount has at its disposal: mounts of two NFS versions share none.
func (c sessionCase) count() fleet.Value {
	most := fleet.Unknown
	for _, transport := range c.endpoint.Transports {
		if transport.Count.Known() && !most.Above(float64(transport.Count)) {
			most = transport.Count
		}
	}
	if !most.Known() {
		return c.sessions()
	}
	return most
}

// sessions is the number of sessions to the server address, by what is known of them.
func (c sessionCase) sessions() fleet.Value {
	if count := c.endpoint.Count(); count.Known() {
		return count
	}
	if len(c.endpoint.Sessions) == 0 {
		return fleet.Unknown
	}
	return fleet.Value(len(c.endpoint.Sessions))
}

// writes is the part of the bytes that are writes.
func (c sessionCase) writes() fleet.Value {
	read, written := fleet.Unknown, fleet.Unknown
	for _, mount := range c.endpoint.Mounts {
		read, written = read.Plus(mount.ReadRate), written.Plus(mount.WriteRate)
	}
	return written.Over(read.Plus(written))
}

// sessionVersion tells whether an NFS version has sessions with slots of their own.
func sessionVersion(version string) bool {
	return strings.HasPrefix(version, "4.") && version != "4.0"
}

// Slots is how many requests the transports to one server address carry at once: 128 on each, and over NFSv4.1 no more
// than the session's slots. Missing where the client's setting or the number of transports is not known, and for SMB and
// iSCSI, which have no slots.
func Slots(transport *fleet.Transport, client *fleet.Client) fleet.Value {
	if transport.Protocol == fleet.SMB || transport.Protocol == fleet.ISCSI {
		return fleet.Unknown
	}
	if !sessionVersion(transport.Version) {
		return transport.Count * tableSlots(transport, client)
	}
	return min(min(client.Settings.SessionSlots, slotsPerSession), slotsPerTransport*transport.Count)
}

// tableSlots is the usable size of one transport's slot table, by its own limit, else by the one of new transports.
func tableSlots(transport *fleet.Transport, client *fleet.Client) fleet.Value {
	for _, slots := range []fleet.Value{transport.Slots, client.Settings.SlotTable} {
		if slots.Above(0) {
			return min(slots, slotsPerTransport)
		}
	}
	return fleet.Unknown
}

// severity is a warning where sessions would bring much and the requests have become slow, else info.
func (c sessionCase) severity(gain *Gain) Severity {
	slow := c.endpoint.RTT().Over(c.endpoint.Baseline).AtLeast(c.limits.WarningSlowdown)
	if gain != nil && gain.Low >= c.limits.WarningGain && slow {
		return Warning
	}
	return Info
}

// draft fills in what all variants share.
func (c sessionCase) draft(variant, summary string, gain *Gain, remedy []Remedy, signals []signal, facts []fact) draft {
	e := c.endpoint
	doubts := 0
	if e.Retransmits.AtLeast(c.limits.Retransmits) {
		doubts, summary = 1, summary+" "+percent(e.Retransmits)+" of the segments are sent again: packet loss may be the cause."
	}
	signals = append(signals,
		signal{weightVolume, e.VolumeUtilisation.Known(), true}, signal{weightBase, e.BaseLatency.Known(), true})
	facts = append(facts,
		fact{"volume utilisation", e.VolumeUtilisation, "ratio", below(c.limits.VolumeFree), ""},
		fact{"network utilisation", networkUse(c.client), "ratio", below(c.limits.NetworkFree), ""},
		fact{"requests outstanding", e.Outstanding(), "requests", atLeast(c.limits.MinOutstanding), fleet.FeatureOutstanding},
		fact{"operations", e.Operations(), "operations per second", "", fleet.FeatureRate},
		fact{"segments sent again", e.Retransmits, "ratio", below(c.limits.Retransmits), fleet.FeatureRetransmitShare},
		fact{"operation RTT", e.RTT(), "seconds", "", fleet.FeatureRTT},
	)
	return draft{
		name: Name{SessionSaturated, variant}, severity: c.severity(gain), resource: e.Resource(),
		coverage: float64(c.settings.coverage(c.client)), signals: signals, doubts: doubts,
		summary: summary, evidence: c.evidence(e.Resource(), facts...), gain: gain, remedy: remedy,
	}
}
