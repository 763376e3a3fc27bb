package detectors

import (
	"math"
	"slices"

	"github.com/nasight/nasight/fleet"
)

// LimitSample is one sample of a volume or pool against its limit.
type LimitSample struct {
	Utilisation fleet.Value // throughput over limit; up to 1.1 is normal at the limit
	Latency     fleet.Value // seconds inside the service; missing for a pool
}

// LimitVerdict is the judgement of the newest samples.
type LimitVerdict struct {
	Variant     string
	Severity    Severity // 0: not at the limit
	Waiting     bool     // requests wait: latency has risen with it
	Told        bool     // by the service itself, not inferred
	Samples     int      // of the last four, that show it
	Utilisation fleet.Value
	Slowdown    fleet.Value // latency over its baseline, of the newest sample
	Variation   fleet.Value // of the highest quarter of the samples
}

// judged is how many of the newest samples have to agree, all but one.
const judged = 4

// rounding is what a ratio of two measured times may be off by arithmetic alone.
const rounding = 1e-9

// JudgeLimit applies the rule for a service that counts nothing that it throttles, to the samples of the last hour, the
// newest last. Baseline is the usual latency.
func JudgeLimit(samples []LimitSample, baseline fleet.Value, limits LimitSettings) LimitVerdict {
	v := LimitVerdict{Utilisation: fleet.Unknown, Slowdown: fleet.Unknown, Variation: Variation(samples)}
	level := v.Variation.Known() && !v.Variation.Above(limits.Plateau)
	waiting, full := 0, 0
	for _, s := range samples[max(0, len(samples)-judged):] {
		slow := s.Latency.Over(baseline)
		if s.Utilisation.Known() {
			v.Utilisation, v.Slowdown = s.Utilisation, slow
		}
		near := s.Utilisation.AtLeast(limits.Near)
		if near && slow.AtLeast(limits.Slowdown-rounding) {
			waiting++
		}
		if s.Utilisation.AtLeast(limits.At) || near && level {
			full++
		}
	}
	v.Waiting = float64(waiting) >= limits.Samples
	v.Samples = max(waiting, full)
	if float64(v.Samples) >= limits.Samples {
		v.Variant, v.Severity = VariantThroughput, Warning
		if v.Waiting && v.Slowdown.AtLeast(limits.Critical-rounding) {
			v.Severity = Critical
		}
	}
	return v
}

// Variation is the standard deviation over the mean of the highest quarter of the utilisations: next to nothing on a
// plateau. It takes an hour of samples to tell a plateau from chance.
func Variation(samples []LimitSample) fleet.Value {
	const enough = 10 // of twelve
	var values []float64
	for _, s := range samples {
		if s.Utilisation.Known() {
			values = append(values, float64(s.Utilisation))
		}
	}
	if len(values) < enough {
		return fleet.Unknown
	}
	slices.Sort(values)
	top := values[len(values)-(len(values)+3)/4:]
	mean, squares := 0.0, 0.0
	for _, value := range top {
		mean += value / float64(len(top))
	}
	for _, value := range top {
		squares += (value - mean) * (value - mean) / float64(len(top))
	}
	return fleet.Value(math.Sqrt(squares)).Over(fleet.Value(mean))
}

// JudgeIOPS applies the rule for a pool's limit on operations, to the rates of the last hour, the newest last.
func JudgeIOPS(rates []fleet.Value, limit fleet.Value, limits LimitSettings) LimitVerdict {
	v := LimitVerdict{Utilisation: fleet.Unknown, Slowdown: fleet.Unknown, Variation: fleet.Unknown}
	for _, rate := range rates[max(0, len(rates)-judged):] {
		use := rate.Over(limit)
		if use.Known() {
			v.Utilisation = use
		}
		if use.AtLeast(limits.NearIOPS) {
			v.Samples++
		}
	}
	if float64(v.Samples) >= limits.Samples {
		v.Variant, v.Severity = VariantIOPS, Warning
	}
	return v
}

// judgeLimits judges every volume, and every pool whose throughput its volumes share, once for all rules that ask.
func (p *pass) judgeLimits() {
	p.near, p.nearPool = map[*fleet.Volume]LimitVerdict{}, map[*fleet.Pool]LimitVerdict{}
	for _, pool := range p.view.Pools {
		if pool.Flex() {
			p.nearPool[pool] = JudgeLimit(limitSamples(pool.Recent), fleet.Unknown, p.settings.Limit)
			continue
		}
		for _, volume := range pool.Volumes {
			p.near[volume] = JudgeHeld(heldOf(volume.Recent), limitSamples(volume.Recent), volume.Days.Latency, p.settings.Limit)
		}
	}
}

func limitSamples(moments []fleet.Moment) []LimitSample {
	samples := make([]LimitSample, len(moments))
	for i, moment := range moments {
		samples[i] = LimitSample{moment.Throughput.Over(moment.Limit), moment.Latency}
	}
	return samples
}

// starved tells whether a volume of the pool is at its limit, so that throughput that lies idle beside it has a taker.
func (p *pass) starved(pool *fleet.Pool) bool {
	return slices.ContainsFunc(pool.Volumes, func(v *fleet.Volume) bool { return p.near[v].Severity != 0 })
}

// limitReached asks of every volume, and of every Flex pool, whether the service holds it back.
func limitReached(p *pass) []draft {
	var drafts []draft
	for _, pool := range p.view.Pools {
		if verdict := p.nearPool[pool]; verdict.Severity != 0 {
			drafts = append(drafts, p.poolLimitDraft(pool, verdict))
		}
		if verdict := p.judgeOperations(pool); verdict.Severity != 0 {
			drafts = append(drafts, p.poolLimitDraft(pool, verdict))
		}
		for _, volume := range pool.Volumes {
			if verdict := p.near[volume]; verdict.Severity != 0 {
				drafts = append(drafts, p.volumeLimitDraft(volume, verdict))
			}
		}
	}
	return append(drafts, p.shareLimits()...)
}

// judgeOperations judges the operations of a Flex pool, whose volumes share them.
func (p *pass) judgeOperations(pool *fleet.Pool) LimitVerdict {
	if !pool.Flex() {
		return LimitVerdict{}
	}
	return JudgeIOPS(operationsOf(pool), pool.IOPS, p.settings.Limit)
}

func (p *pass) operationsHeld(pool *fleet.Pool) bool { return p.judgeOperations(pool).Severity != 0 }

func operationsOf(pool *fleet.Pool) []fleet.Value {
	rates := make([]fleet.Value, len(pool.Recent))
	for i, moment := range pool.Recent {
		rates[i] = moment.Operations
	}
	return rates
}
