package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// flowAtCeiling: one TCP session carries all and can carry no more. A learnt ceiling decides where there is one, since
// it belongs to the session; without it the path decides, which cannot tell a session's ceiling from a shared one.
func (c sessionCase) flowAtCeiling() bool {
	if c.endpoint.Ceiling.Known() {
		return c.atLearntCeiling() && (c.onPlateau() || c.pathFull())
	}
	return c.pathFull()
}

// atLearntCeiling: the busiest session reaches 85 % of the most that one session ever carried.
func (c sessionCase) atLearntCeiling() bool {
	busiest := c.endpoint.Busiest()
	return busiest != nil && busiest.Rate.Over(c.endpoint.Ceiling).AtLeast(c.limits.Ceiling)
}

// onPlateau: one session carries nearly all, its rate has stopped moving, and enough requests are there to move it.
func (c sessionCase) onPlateau() bool {
	e := c.endpoint
	return c.busy() && c.oneCarriesAll() && e.Plateau.Known() && !e.Plateau.Above(c.limits.Plateau) &&
		e.Outstanding().AtLeast(c.limits.PlateauRequests)
}

func (c sessionCase) oneCarriesAll() bool {
	return c.endpoint.EffectiveSessions().Below(c.limits.Effective)
}

// pathFull: the busiest session carries at least 80 % of the bytes with three requests outstanding, its bytes keep
// moving, and either a queue stands in the path or what is too much is dropped there.
func (c sessionCase) pathFull() bool {
	return c.endpoint.BusiestShare().AtLeast(c.limits.Busiest) &&
		c.onBusiest().AtLeast(c.limits.Outstanding) &&
		c.moving() &&
		(c.rttRatio().AtLeast(c.limits.RTTRatio) || c.outOfOrder().AtLeast(c.limits.OutOfOrder))
}

// onBusiest is the part of the outstanding requests that the busiest session carries.
func (c sessionCase) onBusiest() fleet.Value {
	share, onWire := c.endpoint.BusiestShare(), c.endpoint.OnWire()
	if !share.Known() || !onWire.Known() {
		return fleet.Unknown
	}
	return share * onWire
}

// moving: both halves of the window carry about the same. A dead session keeps its last round-trip time, which then
// means nothing.
func (c sessionCase) moving() bool {
	return c.endpoint.Moving.AtLeast(1/c.limits.Moving) && !c.endpoint.Moving.Above(c.limits.Moving)
}

// rttRatio is the busiest session's smoothed round-trip time over the lowest ever seen to that server. The kernel's own
// minimum forgets after five minutes and serves only where no lower one is kept.
func (c sessionCase) rttRatio() fleet.Value {
	busiest := c.endpoint.Busiest()
	if busiest == nil {
		return fleet.Unknown
	}
	return busiest.RTT.Over(c.lowestRTT())
}

func (c sessionCase) lowestRTT() fleet.Value {
	busiest := c.endpoint.Busiest()
	if c.endpoint.LowestRTT.Known() || busiest == nil {
		return c.endpoint.LowestRTT
	}
	return busiest.MinRTT
}

func (c sessionCase) outOfOrder() fleet.Value {
	if busiest := c.endpoint.Busiest(); busiest != nil {
		return busiest.OutOfOrder
	}
	return fleet.Unknown
}

func (c sessionCase) flowDraft() draft {
	e, busiest := c.endpoint, c.endpoint.Busiest()
	pathKnown := c.rttRatio().Known() || c.outOfOrder().Known()
	signals := []signal{
		{weightCeiling, e.Ceiling.Known(), c.atLearntCeiling()},
		{weightPath, pathKnown, c.pathFull()},
	}
	facts := []fact{
		{"busiest session's share of the bytes", e.BusiestShare(), "ratio", atLeast(c.limits.Busiest), fleet.FeatureBusiestShare},
		{"requests on the busiest session", c.onBusiest(), "requests", atLeast(c.limits.Outstanding), fleet.FeatureOnWire},
		{"smoothed over lowest round-trip time", c.rttRatio(), unitFactor, atLeast(c.limits.RTTRatio), fleet.FeatureRTTOverLowest},
		{"smoothed round-trip time", busiest.RTT, "seconds", "", fleet.FeatureSessionRTT},
		{"lowest round-trip time", c.lowestRTT(), "seconds", "", fleet.FeatureLowestRTT},
		{"out-of-order arrivals", c.outOfOrder(), "ratio", atLeast(c.limits.OutOfOrder), fleet.FeatureSessionOutOfOrder},
		{"last interval over the time before", e.Moving, unitFactor, between(1/c.limits.Moving, c.limits.Moving), fleet.FeatureMoving},
		{"busiest session's rate", busiest.Rate, "bytes per second", "", fleet.FeatureSessionRate},
	}
	if e.Ceiling.Known() {
		facts = append(facts,
			fact{"busiest session over the learnt ceiling", busiest.Rate.Over(e.Ceiling), "ratio", atLeast(c.limits.Ceiling), ""},
			fact{"learnt ceiling of one session", e.Ceiling, "bytes per second", "", fleet.FeatureCeiling},
			fact{"p95 over p50 of the busiest session's rate", e.Plateau, unitFactor, fmt.Sprintf("<= %g", c.limits.Plateau), fleet.FeaturePlateau})
	}
	if c.count().AtLeast(2) {
		return c.draft(VariantFlow, c.flowSummary(), c.spreadGain(), c.spread(), signals, facts)
	}
	step := c.more(c.count())
	return c.draft(VariantFlow, c.flowSummary(), step.gain, c.withSharedLimit(c.moreSessions(step.sessions)), signals, facts)
}

func (c sessionCase) flowSummary() string {
	busiest := c.endpoint.Busiest()
	who := fmt.Sprintf("All traffic to %s rides on one TCP session", c.endpoint.Server)
	if share := c.endpoint.BusiestShare(); share.Below(0.995) {
		who = fmt.Sprintf("%s of the traffic to %s rides on one TCP session", percent(share), c.endpoint.Server)
	}
	return fmt.Sprintf("%s that is at its ceiling of %s: %s, with %s outstanding.",
		who, mebibytes(busiest.Rate), c.flowReason(), plural(c.endpoint.OnWire(), "request"))
}

func (c sessionCase) flowReason() string {
	switch {
	case c.rttRatio().AtLeast(c.limits.RTTRatio):
		return fmt.Sprintf("round trips take %s times their minimum (%s against %s)",
			whole(c.rttRatio()), milliseconds(c.endpoint.Busiest().RTT), milliseconds(c.lowestRTT()))
	case c.outOfOrder().AtLeast(c.limits.OutOfOrder):
		return fmt.Sprintf("%s of its segments arrive out of order, so the path drops what is too much", percent(c.outOfOrder()))
	}
	return fmt.Sprintf("it stays at %s of the most that one session ever carried, %s",
		percent(c.endpoint.Busiest().Rate.Over(c.endpoint.Ceiling)), mebibytes(c.endpoint.Ceiling))
}

// skewed: several sessions are open and one of them, at the learnt ceiling, carries nearly all.
func (c sessionCase) skewed() bool {
	n := c.count()
	return n.AtLeast(2) && c.busy() && c.atLearntCeiling() &&
		c.endpoint.EffectiveSessions().Known() && !c.endpoint.EffectiveSessions().Over(n).Above(c.limits.Skew)
}

// oneTargetSession: a portal's sessions are there for a multipath device to use at once. One at its ceiling beside idle ones
// is a matter of its policy, whether or not the ceiling has been learnt.
func (c sessionCase) oneTargetSession() bool {
	return c.endpoint.Protocol == fleet.ISCSI && c.count().AtLeast(2) && c.pathFull() &&
		!c.endpoint.EffectiveSessions().Over(c.count()).Above(c.limits.Skew)
}

func (c sessionCase) skewDraft() draft {
	e := c.endpoint
	summary := fmt.Sprintf("%s TCP sessions to %s are open, but one carries %s of the bytes and is at its ceiling",
		whole(c.count()), e.Server, percent(e.BusiestShare()))
	if e.Ceiling.Known() {
		summary += fmt.Sprintf(": %s of %s.", mebibytes(e.Busiest().Rate), mebibytes(e.Ceiling))
	} else {
		summary += fmt.Sprintf(" of %s: %s.", mebibytes(e.Busiest().Rate), c.flowReason())
	}
	facts := []fact{
		{"effective sessions", e.EffectiveSessions(), "sessions", "", ""},
		{"effective over open sessions", e.EffectiveSessions().Over(c.count()), "ratio", fmt.Sprintf("<= %g", c.limits.Skew), ""},
		{"busiest session's rate", e.Busiest().Rate, "bytes per second", "", fleet.FeatureSessionRate},
		{"busiest session over the learnt ceiling", e.Busiest().Rate.Over(e.Ceiling), "ratio", atLeast(c.limits.Ceiling), ""},
	}
	if !e.Ceiling.Known() {
		facts = append(facts,
			fact{"smoothed over lowest round-trip time", c.rttRatio(), unitFactor, atLeast(c.limits.RTTRatio), fleet.FeatureRTTOverLowest},
			fact{"out-of-order arrivals", c.outOfOrder(), "ratio", atLeast(c.limits.OutOfOrder), fleet.FeatureSessionOutOfOrder})
	}
	return c.draft(VariantSkew, summary, c.spreadGain(), c.spread(), []signal{seen(weightSkew)}, facts)
}
