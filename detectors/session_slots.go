package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// slotsFull: requests queue in the client because the slot table of the transports is full. The mean backlog is the
// sign by itself. Where it is not known, nearly all slots in use and time spent queueing are the sign together.
func (c sessionCase) slotsFull(t *fleet.Transport) bool {
	if !c.enough(t.Outstanding(), t.Rate) {
		return false
	}
	return t.Backlog.AtLeast(c.limits.Backlog) || !t.Backlog.Known() && c.allInUse(t) && t.QueueShare().AtLeast(c.limits.QueueShare)
}

// allInUse: at least 90 % of the slots carry a request at the server or on the wire.
func (c sessionCase) allInUse(t *fleet.Transport) bool {
	return t.OnWire().Over(Slots(t, c.client)).AtLeast(c.limits.SlotsFull)
}

// sessionSlotsFull: requests wait for a slot of the NFSv4.1 session. Such a wait is in the queue time and in no
// transport's backlog. What the server granted is not readable, so queueing alone is the sign; with the client's own
// limit nearly in use a shorter queue is enough.
func (c sessionCase) sessionSlotsFull(t *fleet.Transport) bool {
	if !sessionVersion(t.Version) || !c.enough(t.Outstanding(), t.Rate) {
		return false
	}
	waiting := t.Backlog.AtLeast(c.limits.Backlog) || t.QueueShare().AtLeast(c.limits.QueueShare)
	if c.allInUse(t) && waiting {
		return true
	}
	return t.Backlog.Below(c.limits.Backlog) && t.QueueShare().AtLeast(c.limits.SessionQueue) &&
		t.Outstanding().AtLeast(c.limits.Outstanding)
}

// atMaximum: neither more sessions nor larger slot tables are to be had; more clients are.
func (c sessionCase) atMaximum(t *fleet.Transport) bool {
	return t.Count.AtLeast(float64(c.curve().most)) && !tableSlots(t, c.client).Below(slotsPerTransport)
}

// slotFacts shows what was judged: the thresholds are those of the sign that the variant fired on.
func (c sessionCase) slotFacts(t *fleet.Transport, backlog, used, queue string) []fact {
	return []fact{
		{"mean backlog", t.Backlog, "requests", backlog, fleet.FeatureTransportBacklog},
		{"slots in use", t.OnWire().Over(Slots(t, c.client)), "ratio", used, ""},
		{"queue share of the execution time", t.QueueShare(), "ratio", queue, fleet.FeatureQueueShare},
		{"slot limit of a transport", t.Slots, "slots", "", fleet.FeatureSlotLimit},
		{"transports", t.Count, "transports", "", fleet.FeatureTransportCount},
	}
}

func (c sessionCase) slotsDraft(t *fleet.Transport) draft {
	table := tableSlots(t, c.client)
	summary := fmt.Sprintf("Requests to %s queue on this host: %s in use on %s, and %s of the %s an operation takes is spent waiting for a slot.",
		c.endpoint.Server, inUse(t.OnWire(), Slots(t, c.client)), plural(t.Count, "connection"), percent(t.QueueShare()), milliseconds(t.Execute))
	if t.Backlog.Known() {
		summary += fmt.Sprintf(" A request finds %s others in the backlog.", number(t.Backlog))
	}
	signals := []signal{seen(weightSlots), {weightBacklog, t.Backlog.Known(), t.Backlog.AtLeast(c.limits.Backlog)}}
	facts := c.slotFacts(t, atLeast(c.limits.Backlog), "", "")
	if !t.Backlog.Known() {
		facts = c.slotFacts(t, atLeast(c.limits.Backlog), atLeast(c.limits.SlotsFull), atLeast(c.limits.QueueShare))
	}
	if table.Below(slotsPerTransport) {
		return c.draft(VariantSlots, summary, c.slotGain(slotsPerTransport/table), c.raiseTable(t), signals, facts)
	}
	step := c.more(t.Count)
	return c.draft(VariantSlots, summary, step.gain, c.moreSessions(step.sessions), signals, facts)
}

func inUse(used, slots fleet.Value) string {
	if !slots.Known() {
		return "all slots are"
	}
	return fmt.Sprintf("%s of %s are", number(used), plural(slots, "slot"))
}

func (c sessionCase) sessionSlotsDraft(t *fleet.Transport) draft {
	summary := fmt.Sprintf("Requests to %s wait for a slot of the NFSv4.1 session: %s of the %s an operation takes is queueing on this host, with %s outstanding and %s on the wire.",
		c.endpoint.Server, percent(t.QueueShare()), milliseconds(t.Execute), number(t.Outstanding()), number(t.OnWire()))
	var gain *Gain
	if c.clientLimitsSession(t) {
		gain = c.slotGain(slotsPerSession / c.client.Settings.SessionSlots)
	} else if t.MaxSlots.Known() {
		summary += fmt.Sprintf(" At most %s were ever in use: the server decides that, not this host's setting.", plural(t.MaxSlots, "slot"))
	}
	facts := c.slotFacts(t, below(c.limits.Backlog), "", atLeast(c.limits.SessionQueue))
	if c.allInUse(t) {
		facts = c.slotFacts(t, "", atLeast(c.limits.SlotsFull), atLeast(c.limits.QueueShare))
	}
	facts = append(facts,
		fact{"most slots ever in use", t.MaxSlots, "slots", "", fleet.FeatureTransportMaxSlots},
		fact{"session slots asked for", c.client.Settings.SessionSlots, "slots", "", fleet.FeatureSessionSlots})
	return c.draft(VariantSessionSlots, summary, gain, c.raiseSession(t), []signal{seen(weightSlots)}, facts)
}

// grantSlack is by how much the most slots ever in use may lie above the slots that the session has.
const grantSlack = 3

// clientLimitsSession: the host's own max_session_slots holds the session down. Servers may grant fewer than asked, and
// later kernels let the session grow beyond the setting: then the most slots ever in use lie elsewhere. That number is of the
// fullest transport; the session's requests go over all of them in turn.
func (c sessionCase) clientLimitsSession(t *fleet.Transport) bool {
	asked := c.client.Settings.SessionSlots
	if !asked.Above(0) || !asked.Below(slotsPerSession-1) {
		return false
	}
	session := t.MaxSlots * max(1, fleet.Value(t.Count.Or(1)))
	return !t.MaxSlots.Known() || session >= asked-1 && t.MaxSlots <= asked+grantSlack
}

// creditsUsedUp: requests of an SMB client wait for a credit of the server, what slots are to NFS. Only Windows counts that.
func (c sessionCase) creditsUsedUp() bool { return c.busy() && c.creditStalls().Above(0) }

func (c sessionCase) creditStalls() fleet.Value {
	return c.endpoint.OverMounts(func(m *fleet.Mount) fleet.Value { return m.CreditStalls })
}

func (c sessionCase) creditDraft() draft {
	summary := fmt.Sprintf("Requests to %s wait on this host for a credit of the server, %s times a second, with %s outstanding.",
		c.endpoint.Server, number(c.creditStalls()), plural(c.endpoint.Outstanding(), "request"))
	facts := []fact{
		{"requests that wait for a credit", c.creditStalls(), "requests per second", above(0), fleet.FeatureCreditStalls},
		{"channels", c.endpoint.SMB.Channels, "channels", "", fleet.FeatureChannels},
	}
	step := c.more(c.count())
	return c.draft(VariantSlots, summary, step.gain, c.moreSessions(step.sessions), []signal{seen(weightSlots), unseen(weightBacklog)}, facts)
}
