package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// limitWords are what the limits are called.
var limitWords = map[string]string{
	VariantIOPS: "operations", VariantThroughput: "throughput", VariantEgress: "throughput, by what is read",
	VariantIngress: "throughput, by what is written", VariantMetadata: "metadata operations",
}

// told says what a verdict rests on.
func (v HeldVerdict) told() string {
	text := ""
	if v.Held {
		text += fmt.Sprintf(" The service delayed or refused %s of the requests of five minutes for it", percent(v.Throttled))
		if v.Refused.Above(0) {
			text += fmt.Sprintf(", %s failed", percent(v.Refused))
		}
		text += "."
	}
	if v.Near {
		text += fmt.Sprintf(" It uses %s of it.", percent(v.Utilisation))
	}
	return text
}

func (p *pass) throttleFacts(v HeldVerdict) []fact {
	limits := p.settings.Share
	return []fact{
		{"part of the requests that this limit delayed or refused", v.Throttled, "ratio", "", ""},
		{"part of the requests that any limit delayed or refused", v.All, "ratio", heldThreshold(v, limits), fleet.FeatureShareThrottled},
		{"part of the requests that fail for it", v.Refused, "ratio", "", ""},
	}
}

// heldThreshold shows a threshold where it was the one that decided.
func heldThreshold(v HeldVerdict, limits ShareSettings) string {
	if !v.Held {
		return ""
	}
	return atLeast(limits.Throttled)
}

func (v HeldVerdict) signals(byPeak float64) []signal {
	var signals []signal
	if v.Held {
		signals = append(signals, seen(weightThrottled))
	}
	if v.Near {
		signals = append(signals, seen(byPeak))
	}
	return signals
}

// toldMinutes is the part of the newest five minutes that the service tells something of.
func toldMinutes(load fleet.ShareLoad) float64 {
	count := 0.0
	minutes := throttleMinutes(load)
	for i := max(0, len(minutes)-newestMinutes); i < len(minutes); i++ {
		if m := load.Recent[i]; minutes[i].Requests.Known() || m.Peak.Known() || m.PeakBytes.Known() {
			count++
		}
	}
	return count / newestMinutes
}

func (p *pass) shareLimitDraft(share *fleet.Share, variant string, v HeldVerdict) draft {
	now, limits := lastShareMoment(share.Load), p.settings.Share
	facts := append(p.throttleFacts(v), fact{"burst credits left", now.Credits, "operations", "", fleet.FeatureShareCredits})
	switch variant {
	case VariantIOPS:
		facts = append(facts,
			fact{"operations of the busiest second over the limit", v.Utilisation, "ratio", nearThreshold(v, limits), ""},
			fact{"operations of the busiest second", now.Peak, "operations per second", "", fleet.FeatureSharePeakIOPS},
			fact{"operations allowed now", share.Ceiling(now.Credits), "operations per second", "", ""},
			fact{"operations provisioned", share.IOPS, "operations per second", "", fleet.FeatureShareIOPS})
	case VariantMetadata:
		facts = append(facts, fact{"metadata operations", share.Load.Rate(fleet.APIMetadata), "operations per second", "", fleet.FeatureShareMetadata})
	default:
		facts = append(facts,
			fact{"bytes of the busiest second over what is provisioned", v.Utilisation, "ratio", nearThreshold(v, limits), ""},
			fact{"bytes of the busiest second", now.PeakBytes, "bytes per second", "", fleet.FeatureSharePeakBytes},
			fact{"throughput provisioned", share.Throughput, "bytes per second", "", fleet.FeatureShareThroughput},
			fact{"read from the share", share.Load.Egress, "bytes per second", "", fleet.FeatureShareEgress},
			fact{"written to the share", share.Load.Ingress, "bytes per second", "", fleet.FeatureShareIngress})
	}
	return draft{
		name: Name{LimitReached, variant}, severity: v.Severity, resource: share.Resource(), coverage: toldMinutes(share.Load),
		signals: v.signals(weightMaxUsed),
		summary: fmt.Sprintf("Share %s of account %s is at its limit of %s%s.%s", share.Identity.Volume, share.Identity.Pool, limitWords[variant], p.limitNumber(share, variant), v.told()),
		remedy:  p.moreForShare(share, variant), evidence: p.evidence(share.Resource(), facts...), affects: mountsOfShares(share),
	}
}

func nearThreshold(v HeldVerdict, limits ShareSettings) string {
	if !v.Near {
		return ""
	}
	return atLeast(limits.Near)
}

// limitNumber says a limit's height.
func (p *pass) limitNumber(share *fleet.Share, variant string) string {
	limit, text := share.ThroughputCeiling(), mebibytes
	switch variant {
	case VariantIOPS:
		limit, text = share.Ceiling(lastShareMoment(share.Load).Credits), operations
	case VariantMetadata:
		limit, text = p.shareMetadata(share).ceiling(p.settings.Metadata), operations
	}
	if !limit.Known() {
		return ""
	}
	return ", " + text(limit)
}

// lastShareMoment has the newest of each number.
func lastShareMoment(load fleet.ShareLoad) fleet.ShareMoment {
	last := fleet.ShareMoment{Peak: fleet.Unknown, PeakBytes: fleet.Unknown, Credits: fleet.Unknown}
	for _, m := range load.Recent {
		for from, to := range map[*fleet.Value]*fleet.Value{&m.Peak: &last.Peak, &m.PeakBytes: &last.PeakBytes, &m.Credits: &last.Credits} {
			if from.Known() {
				*to = *from
			}
		}
	}
	return last
}

func (p *pass) accountLimitDraft(account *fleet.Account, variant string, v HeldVerdict) draft {
	facts := append(p.throttleFacts(v),
		fact{"used of what the account may do", v.Utilisation, "ratio", nearThreshold(v, p.settings.Share), ""},
		fact{"operations", account.Load.Total(), "operations per second", "", fleet.FeatureShareOperations},
		fact{"most operations of the account", account.Limits.Operations, "operations per second", "", ""},
		fact{"most throughput of the account", account.Limits.Throughput, "bytes per second", "", ""})
	summary := fmt.Sprintf("Storage account %s is at its limit of %s, which its shares have in common.%s", account.Identity.Pool, limitWords[variant], v.told())
	if account.ByUse() {
		summary += " A share can be slow for what another one does: the service does not tell them apart."
	}
	coverage := 1.0
	if account.ByUse() {
		coverage = toldMinutes(account.Load)
	}
	return draft{
		name: Name{LimitReached, variant}, severity: v.Severity, resource: account.Resource(), coverage: coverage,
		signals: v.signals(weightMaxUsed), summary: summary, remedy: moreForAccount(account),
		evidence: p.evidence(account.Resource(), facts...), affects: mountsOfShares(account.Shares...),
	}
}

func (p *pass) creditsDraft(share *fleet.Share, v CreditVerdict) draft {
	limits, now := p.settings.Share, lastShareMoment(share.Load)
	left := fmt.Sprintf("in %s", inTime(v.Left))
	if v.Left == 0 {
		left = "about now"
	}
	return draft{
		name: Name{LimitReached, VariantCredits}, severity: v.Severity, resource: share.Resource(), coverage: 1,
		signals: []signal{seen(weightCredits)},
		summary: fmt.Sprintf("Share %s of account %s runs on burst credits that will be gone %s: from then on it does %s instead of up to %s.",
			share.Identity.Volume, share.Identity.Pool, left, operations(share.IOPS), operations(share.BurstLimit())),
		evidence: p.evidence(share.Resource(), []fact{
			{"time until the burst credits are gone", v.Left, "seconds", below(limits.CreditsWarning), ""},
			{"burst credits left", v.Credits, "operations", "", fleet.FeatureShareCredits},
			{"burst credits spent", v.Drain, "operations per second", above(0), fleet.FeatureShareDrain},
			{"burst credits of a full bucket", share.Bucket(), "operations", "", fleet.FeatureShareCreditsMost},
			{"operations of the busiest second", now.Peak, "operations per second", "", fleet.FeatureSharePeakIOPS},
			{"operations provisioned", share.IOPS, "operations per second", "", fleet.FeatureShareIOPS},
		}...),
		remedy: p.moreForShare(share, VariantIOPS), affects: mountsOfShares(share),
	}
}

// inTime says a time that lies ahead.
func inTime(seconds fleet.Value) string {
	switch {
	case seconds.Below(90):
		return plural(seconds, "second")
	case seconds.Below(120 * 60):
		return plural(seconds/60, "minute")
	case seconds.Below(48 * 3600):
		return plural(seconds/3600, "hour")
	}
	return plural(seconds/86400, "day")
}

// mountsOfShares are the mounts that suffer with shares.
func mountsOfShares(shares ...*fleet.Share) []fleet.Resource {
	var resources []fleet.Resource
	for _, share := range shares {
		for _, mount := range share.Mounts {
			resources = append(resources, mount.Resource())
		}
	}
	return resources
}
