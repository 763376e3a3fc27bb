package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// negligible is a need that counts as none, in MiB/s: one byte per second. It keeps ratios to the need finite.
const negligible = 1.0 / (1 << 20)

// seen is what a volume's history says of its need.
type seen struct {
	forecast, need, failover float64 // failover is 0 where there is none
	why                      []string
}

// insufficient begins the reason of a volume that is left as it is because too little is known of it.
const insufficient = "insufficient data"

// Insufficient tells whether the pool has volumes of which too little is known yet to move their limits.
func (p *Plan) Insufficient() bool {
	return slices.ContainsFunc(p.Volumes, func(a Allocation) bool {
		return slices.ContainsFunc(a.Why, func(why string) bool { return strings.HasPrefix(why, insufficient) })
	})
}

// unfit says why a volume's data are not enough to plan on, or "".
func unfit(v Volume, o Options) string {
	for _, value := range []struct {
		name  string
		value fleet.Value
		wrong bool
	}{
		{"99th percentile", v.P99, odd(v.P99)},
		{"99th percentile of the week before", v.PreviousP99, odd(v.PreviousP99)},
		{"observed peak", v.Peak, odd(v.Peak)},
		{"floor", fleet.Value(v.FloorMiBps), !sane(fleet.Value(v.FloorMiBps))},
		{"cap", fleet.Value(v.CapMiBps), !sane(fleet.Value(v.CapMiBps))},
	} {
		if value.wrong {
			return fmt.Sprintf("its %s is %g MiB/s, which is no throughput", value.name, float64(value.value))
		}
	}
	switch {
	case !v.Days.AtLeast(0) || !v.Coverage.AtLeast(0):
		return insufficient + ": how much history there is is not known"
	case !v.Days.AtLeast(o.MinDays):
		return fmt.Sprintf(insufficient+": %s of %s days, %s more to wait",
			figure(v.Days), number(o.MinDays), number(o.MinDays-float64(v.Days)))
	case !v.Coverage.AtLeast(o.MinCoverage):
		return fmt.Sprintf(insufficient+": %.0f %% of the samples are there, %.0f %% are needed",
			math.Floor(100*float64(v.Coverage)), 100*o.MinCoverage)
	case !v.P99.Known() || !v.Peak.Known():
		return insufficient + ": its 99th percentile or its peak is missing"
	}
	return ""
}

// look forecasts a fit volume's need. Data that understate it are corrected upwards, and the reason is kept.
func look(v Volume, o Options) seen {
	p99 := float64(v.P99)
	s := seen{forecast: p99}
	s.add("p99 %s", number(p99))
	if growth := math.Min(p99-v.PreviousP99.Or(p99), p99/2); growth > 0 {
		s.forecast += growth
		s.add("growing by %s a week", number(growth))
	}
	if v.Bound.Above(1) {
		factor := math.Min(float64(v.Bound), 2)
		s.forecast *= factor
		s.add("held back by its client: × %s", number(factor))
	}
	if v.Throttled {
		s.censored(1.5 * float64(v.CurrentMiBps))
	}
	if s.need = o.Headroom * s.forecast; s.need < negligible {
		s.need = 0
	}
	s.destination(v, o)
	return s
}

// censored corrects what was seen of a throttled volume: it shows the limit, not the demand.
func (s *seen) censored(least float64) {
	if s.forecast >= least {
		s.add("throttled now")
		return
	}
	s.forecast = least
	s.add("throttled now: taken as 1.5 × its limit, %s", number(least))
}

// destination shows what a replication destination needs once it is the source, and plans for it if asked to.
func (s *seen) destination(v Volume, o Options) {
	if !v.ReplicationDestination || !sane(v.SourceNeedMiBps) {
		return
	}
	s.failover = float64(v.SourceNeedMiBps)
	if o.FailoverReady && s.failover > s.need {
		s.need = s.failover
		s.add("replication destination: its source's need of %s", number(s.failover))
		return
	}
	s.add("replication destination: %s after a failover", number(s.failover))
}

func (s *seen) add(format string, args ...any) { s.why = append(s.why, fmt.Sprintf(format, args...)) }
