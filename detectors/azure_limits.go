package detectors

import (
	"github.com/nasight/nasight/fleet"
)

// throttleMinutes reads the newest minutes of what the service answered.
func throttleMinutes(load fleet.ShareLoad) []ThrottleMinute {
	minutes := make([]ThrottleMinute, len(load.Recent))
	for i := range minutes {
		minutes[i] = ThrottleMinute{fleet.Unknown, map[string]fleet.Value{}, map[string]fleet.Value{}}
		for response, rates := range load.Responses {
			rate := rates[i]
			minutes[i].Requests = minutes[i].Requests.Plus(rate)
			if !fleet.Throttles(response) || !rate.Known() {
				continue
			}
			variant := limitOf(response)
			minutes[i].Held[variant] += rate
			if refuses(response) {
				minutes[i].Refused[variant] += rate
			}
		}
	}
	return minutes
}

// refuses tells a request that failed from one that was only late.
func refuses(response string) bool { return response[len(response)-1] == 'r' }

// judgeShares judges the limits of every share and account once for all rules that ask.
func (p *pass) judgeShares() {
	p.nearShare, p.nearAccount = map[*fleet.Share]map[string]HeldVerdict{}, map[*fleet.Account]map[string]HeldVerdict{}
	for _, account := range p.view.Accounts {
		for _, share := range account.Shares {
			if !account.ByUse() && !p.loadIdle(share.Load) {
				p.nearShare[share] = p.shareVerdicts(share)
			}
		}
		p.nearAccount[account] = p.accountVerdicts(account)
	}
}

// loadIdle is the activity floor, by what the service tells.
func (p *pass) loadIdle(load fleet.ShareLoad) bool {
	operations := load.Total()
	for i := max(0, len(load.Recent)-newestMinutes); i < len(load.Recent); i++ {
		if load.Recent[i].Peak.Above(operations.Or(0)) {
			operations = load.Recent[i].Peak
		}
	}
	for _, minute := range newestOnes(throttleMinutes(load)) {
		if minute.Requests.Above(operations.Or(0)) {
			operations = minute.Requests
		}
	}
	return p.settings.Activity.Idle(operations, load.Egress.Plus(load.Ingress), underWay(load))
}

func newestOnes[T any](list []T) []T { return list[max(0, len(list)-newestMinutes):] }

// underWay is the mean number of requests under way, of those that work on files (Little's law).
func underWay(load fleet.ShareLoad) fleet.Value {
	sum := fleet.Unknown
	for api, seconds := range load.EndToEnd {
		if rate := load.Operations[api]; fleet.Working(api) && seconds.Known() && rate.Above(0) {
			sum = sum.Plus(rate * seconds)
		}
	}
	return sum
}

func (p *pass) shareVerdicts(share *fleet.Share) map[string]HeldVerdict {
	var operations, throughput []fleet.Value
	for _, m := range share.Load.Recent {
		operations = append(operations, m.Peak.Over(share.Ceiling(m.Credits)))
		throughput = append(throughput, m.PeakBytes.Over(share.ThroughputCeiling()))
	}
	return merged(JudgeThrottling(throttleMinutes(share.Load), p.settings.Share), map[string]HeldVerdict{
		VariantIOPS: JudgeNear(operations, p.settings.Share), VariantThroughput: JudgeNear(throughput, p.settings.Share),
	})
}

// accountVerdicts judges an account as a whole. Of shares that are paid by use the service tells the account's sums alone; of
// others they are added up, since an account may have less than its shares together.
func (p *pass) accountVerdicts(account *fleet.Account) map[string]HeldVerdict {
	minutes, bytes := throttleMinutes(account.Load), account.Load.Egress.Plus(account.Load.Ingress)
	if !account.ByUse() {
		minutes, bytes = sharesTogether(account)
	}
	var operations, throughput []fleet.Value
	for _, minute := range newestOnes(minutes) {
		operations = append(operations, minute.Requests.Over(account.Limits.Operations))
		throughput = append(throughput, bytes.Over(account.Limits.Throughput)) // a mean over the five minutes
	}
	found := merged(JudgeThrottling(minutes, p.settings.Share), map[string]HeldVerdict{
		VariantIOPS: JudgeNear(operations, p.settings.Share), VariantThroughput: JudgeNear(throughput, p.settings.Share),
	})
	for _, share := range account.Shares {
		for variant := range p.nearShare[share] {
			delete(found, variant) // the share's own limit is the narrower one
		}
	}
	if account.ByUse() && p.loadIdle(account.Load) {
		return nil
	}
	return found
}

// sharesTogether adds up what the shares of an account do.
func sharesTogether(account *fleet.Account) (minutes []ThrottleMinute, bytes fleet.Value) {
	bytes = fleet.Unknown
	for _, share := range account.Shares {
		bytes = bytes.Plus(share.Load.Egress.Plus(share.Load.Ingress))
		for i, minute := range throttleMinutes(share.Load) {
			if i == len(minutes) {
				minutes = append(minutes, ThrottleMinute{Requests: fleet.Unknown})
			}
			minutes[i].Requests = minutes[i].Requests.Plus(minute.Requests)
		}
	}
	return minutes, bytes
}

// merged joins what was throttled with what is near a limit, and keeps what is either.
func merged(throttled, near map[string]HeldVerdict) map[string]HeldVerdict {
	for variant, v := range near {
		other, both := throttled[variant]
		if both {
			v.Severity, v.Held = max(v.Severity, other.Severity), true
			v.Throttled, v.Refused, v.All = other.Throttled, other.Refused, other.All
		}
		if v.Severity != 0 {
			throttled[variant] = v
		}
	}
	return throttled
}

// shareLimits asks of every share and account whether the service holds it back, and of shares when their credits are gone.
func (p *pass) shareLimits() []draft {
	var drafts []draft
	for _, account := range p.view.Accounts {
		for variant, verdict := range p.nearAccount[account] {
			drafts = append(drafts, p.accountLimitDraft(account, variant, verdict))
		}
		for _, share := range account.Shares {
			for variant, verdict := range p.nearShare[share] {
				drafts = append(drafts, p.shareLimitDraft(share, variant, verdict))
			}
			if verdict := p.credits(share); verdict.Severity != 0 {
				drafts = append(drafts, p.creditsDraft(share, verdict))
			}
		}
	}
	return drafts
}

// credits looks at the burst credits. A share that pays for bursts goes on bursting without any.
func (p *pass) credits(share *fleet.Share) CreditVerdict {
	if share.Paid.Operations.Above(0) {
		return CreditVerdict{Credits: fleet.Unknown, Drain: fleet.Unknown, Left: fleet.Unknown}
	}
	samples := make([]CreditSample, len(share.Load.Recent))
	for i, m := range share.Load.Recent {
		samples[i] = CreditSample{m.At, m.Credits}
	}
	return JudgeCredits(samples, share.Bucket(), p.view.At, p.settings.Share)
}
