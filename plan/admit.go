package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// builder takes a plan through its stages, in the order in which Build calls them.
type builder struct {
	pool    Pool
	options Options
	plan    *Plan
	inputs  []Volume         // beside plan.Volumes
	planned []int            // indices of the volumes that take part
	free    float64          // what the planned volumes may share: the pool without what kept ones hold
	relaxed bool             // the pool cannot lift every volume to its peak: none is taken below it, at least
	left    map[int]omission // by volume: why a change that the best sharing has is not proposed
	idle    float64          // what could be taken from volumes that do not need it, small changes left out
}

// admit lists the volumes and sorts out those that cannot be planned.
func (b *builder) admit(pool Pool, volumes []Volume) {
	names := make(map[[2]string]bool, len(volumes))
	for _, v := range volumes {
		if v.Location == "" {
			v.Location = pool.Location
		}
		key := [2]string{v.Location, v.Name}
		if names[key] {
			b.note("volume %q of %q is listed twice: only the first is used", v.Name, v.Location)
			continue
		}
		names[key] = true
		b.inputs = append(b.inputs, v)
		b.plan.Volumes = append(b.plan.Volumes, b.enter(v))
	}
	for i := range b.plan.Volumes {
		if b.plan.Volumes[i].State == Planned {
			b.planned = append(b.planned, i)
		}
	}
}

// enter starts a volume's row: what is known of it, and whether it can be planned.
func (b *builder) enter(v Volume) Allocation {
	a := Allocation{
		Name: v.Name, Location: v.Location, Current: v.CurrentMiBps, Propose: v.CurrentMiBps, Peak: v.Peak, PeakDays: v.PeakDays,
		Forecast: fleet.Unknown, Need: fleet.Unknown, Failover: fleet.Unknown, Lower: fleet.Unknown, Limit: fleet.Unknown,
		Upper: fleet.Unknown, Optimum: fleet.Unknown, Target: fleet.Unknown,
	}
	var reason string
	if a.State, reason = b.place(v); a.State == LeftOut {
		a.Current, a.Propose, a.Change = fleet.Unknown, fleet.Unknown, fleet.Unknown
	}
	if a.State != Planned {
		a.Why = []string{reason}
		b.refuse(a, "not changed: %s", reason)
		return a
	}
	s := look(v, b.options)
	a.Forecast, a.Need, a.Why = fleet.Value(s.forecast), fleet.Value(s.need), s.why
	if s.failover > 0 {
		a.Failover = fleet.Value(s.failover)
	}
	b.plan.Days, b.plan.Coverage = least(b.plan.Days, v.Days), least(b.plan.Coverage, min(v.Coverage, 1))
	b.plan.PeakDays = least(b.plan.PeakDays, v.PeakDays)
	return a
}

// place says how a volume takes part and, if it is not planned, why.
func (b *builder) place(v Volume) (State, string) {
	switch {
	case odd(v.CurrentMiBps):
		return LeftOut, fmt.Sprintf("its limit is %g MiB/s, which is no throughput", float64(v.CurrentMiBps))
	case !v.CurrentMiBps.Known():
		return LeftOut, "its limit is not known"
	case v.Name == "":
		return Kept, "it has no name that a command could use"
	}
	if reason := unfit(v, b.options); reason != "" {
		return Kept, reason
	}
	return Planned, ""
}

func least(v, w fleet.Value) fleet.Value {
	if !v.Known() || w < v {
		return w
	}
	return v
}

func (b *builder) note(format string, args ...any) {
	b.plan.Notes = append(b.plan.Notes, fmt.Sprintf(format, args...))
}

func (b *builder) refuse(a Allocation, format string, args ...any) {
	b.plan.Refusals = append(b.plan.Refusals, fmt.Sprintf("%s: %s", a.Name, fmt.Sprintf(format, args...)))
}

// check settles how much there is to share and refuses a pool that cannot be planned.
func (b *builder) check(pool Pool) Status {
	reason := ""
	switch {
	case !strings.EqualFold(pool.QoSType, "manual") && strings.EqualFold(pool.QoSType, "auto"):
		reason = "its QoS is automatic: limits follow the volumes' sizes. Switching to manual goes one way: " + toManual(pool)
	case !strings.EqualFold(pool.QoSType, "manual"):
		reason = fmt.Sprintf("its QoS type is %q, not MANUAL: there are no limits to move", pool.QoSType)
	case len(b.plan.Volumes) == 0:
		reason = "it has no volume"
	case !b.size(pool):
		reason = "its throughput is not known: " +
			"the API gave neither a total nor, with every volume's limit, what is available"
	case len(b.planned) == 0:
		reason = "no volume has data to plan on"
	}
	b.plan.Reason = reason
	if reason != "" {
		return Refused
	}
	return Proposed
}

// size finds the pool's throughput: what volumes hold and what is available, checked against the total. Of two figures
// that differ the smaller is used, so that the plan fits either.
func (b *builder) size(pool Pool) bool {
	assigned, whole := 0.0, true
	for _, a := range b.plan.Volumes {
		assigned += a.Current.Or(0)
		whole = whole && a.State != LeftOut
	}
	b.plan.Assigned = fleet.Value(assigned)
	size := math.Inf(1)
	total, available := b.figure("total", pool.TotalMiBps), b.figure("available", pool.AvailableMiBps)
	if available.Known() {
		size = assigned + float64(available)
	}
	if total.Above(0) && whole { // volumes left out hold an unknown part of the total
		if limit := float64(total); available.Known() && math.Abs(size-limit) > 0.01*limit {
			b.note("the pool's total is %s MiB/s, its volumes and what is available make %s: the smaller is used",
				number(limit), number(size))
		}
		size = math.Min(size, float64(total))
	}
	if math.IsInf(size, 1) {
		return false
	}
	if assigned > size+slack {
		b.note("the volumes hold %s MiB/s, more than the pool's %s", number(assigned), number(size))
	}
	b.plan.Capacity, b.free = fleet.Value(size), size
	for _, a := range b.plan.Volumes {
		if a.State == Kept {
			b.free -= float64(a.Current)
		}
	}
	return true
}

// figure is a pool's figure, missing where it is no throughput.
func (b *builder) figure(name string, v fleet.Value) fleet.Value {
	if odd(v) {
		b.note("the pool's %s throughput is %g MiB/s, which is no throughput: not used", name, float64(v))
		return fleet.Unknown
	}
	return v
}

// slack is the rounding error that sums of limits may carry, in MiB/s.
const slack = 1e-6
