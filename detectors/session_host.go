package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// coreAtLimit: one flow lands on one receive queue and one core, and that core is at its limit.
func (c sessionCase) coreAtLimit() bool {
	return c.busy() && c.oneCarriesAll() && c.client.CPU.BusiestSoftirq.AtLeast(c.limits.Softirq)
}

func (c sessionCase) coreDraft() draft {
	summary := fmt.Sprintf("The one TCP session to %s is handled by one core, which spends %s of its time on network interrupts, at %s.",
		c.endpoint.Server, percent(c.client.CPU.BusiestSoftirq), operations(c.endpoint.Operations()))
	facts := []fact{
		{"softirq share of the busiest core", c.client.CPU.BusiestSoftirq, "ratio", atLeast(c.limits.Softirq), fleet.FeatureCPUBusiestSoftirq},
		{"effective sessions", c.endpoint.EffectiveSessions(), "sessions", below(c.limits.Effective), ""},
	}
	signals := []signal{seen(weightSoftirq)}
	if c.count().AtLeast(2) {
		return c.draft(VariantCPU, summary, c.spreadGain(), c.spread(), signals, facts)
	}
	step := c.more(c.count())
	return c.draft(VariantCPU, summary, step.gain, c.moreSessions(step.sessions), signals, facts)
}

// senderBound: writes wait in the client because its sessions cannot send faster. Busy and limited times alone mean
// nothing for reads and little for writes; bytes that wait to be sent have to be there as well.
func (c sessionCase) senderBound() bool {
	e := c.endpoint
	return c.busy() && c.writes().AtLeast(c.limits.WriteShare) && e.Busy.AtLeast(c.limits.Busy) &&
		e.Limited.AtLeast(c.limits.Limited) && c.notSent().AtLeast(c.limits.NotSent)
}

func (c sessionCase) notSent() fleet.Value {
	if busiest := c.endpoint.Busiest(); busiest != nil {
		return busiest.NotSent
	}
	return fleet.Unknown
}

func (c sessionCase) senderDraft() draft {
	e := c.endpoint
	summary := fmt.Sprintf("Writes to %s wait in this host: its sessions have unacknowledged data %s of the time, a window or the send buffer holds them %s of that, and %s KiB wait to be sent.",
		e.Server, percent(e.Busy), percent(e.Limited), number(c.notSent()/1024))
	facts := []fact{
		{"write share of the bytes", c.writes(), "ratio", atLeast(c.limits.WriteShare), ""},
		{"time with unacknowledged data", e.Busy, "ratio", atLeast(c.limits.Busy), fleet.FeatureBusy},
		{"part of it limited by a window or the send buffer", e.Limited, "ratio", atLeast(c.limits.Limited), fleet.FeatureLimited},
		{"bytes waiting to be sent", c.notSent(), "bytes", atLeast(c.limits.NotSent), fleet.FeatureSessionNotSent},
	}
	step := c.more(c.count())
	return c.draft(VariantSender, summary, step.gain, c.moreSessions(step.sessions), []signal{seen(weightSender)}, facts)
}
