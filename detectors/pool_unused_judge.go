package detectors

import (
	"math"

	"github.com/nasight/nasight/fleet"
)

// PoolShare is how a manual-QoS pool's throughput is given out, in bytes per second.
type PoolShare struct {
	Available fleet.Value // that no volume has; over a day the least of it
	Assigned  fleet.Value // of all volumes together
	Total     fleet.Value // what the inventory says; used where the assigned sum is not known
}

// ShareVerdict is the judgement of a PoolShare.
type ShareVerdict struct {
	Total    fleet.Value
	Share    fleet.Value // available over total
	Mismatch bool        // the parts and the whole are more than 1 % apart
	Fires    bool
}

// JudgeShare tells whether a pool has throughput that no volume has (2a).
func JudgeShare(share PoolShare, limits PoolSettings) ShareVerdict {
	v := ShareVerdict{Total: share.Assigned + share.Available}
	if !v.Total.Known() {
		v.Total = share.Total
	}
	off := (v.Total - share.Total).Over(share.Total)
	v.Mismatch = off.Above(0.01) || off.Below(-0.01)
	v.Share = share.Available.Over(v.Total)
	v.Fires = v.Share.AtLeast(limits.UnallocatedShare) && share.Available.AtLeast(limits.UnallocatedBytes)
	return v
}

// VolumeDemand is what a volume has and what it was seen to use, in bytes per second.
type VolumeDemand struct {
	Has      fleet.Value // assigned, or by capacity
	P99      fleet.Value // of 7 days
	Before   fleet.Value // of the 7 days before; missing: no growth is added
	Max      fleet.Value // of as many of the last 35 days as history holds: a month's end may need what a week does not
	Coverage fleet.Value
	Full     bool        // the samples reach back over the 7 days
	Bound    fleet.Value // what lifting the clients' own bound would bring, as a factor; missing: none is seen
	AtLimit  bool        // held at its limit: what was seen is not what is wanted
}

// The states of a DemandVerdict.
const (
	DemandFires        = "fires"
	DemandBursty       = "bursty"            // its peaks need what it has
	DemandUsed         = "used"              // it needs most of what it has
	DemandInsufficient = "insufficient_data" // not known is not idle
)

// DemandVerdict is the judgement of a VolumeDemand.
type DemandVerdict struct {
	State    string
	Forecast fleet.Value
	Need     fleet.Value // headroom × forecast
	Slack    fleet.Value // what it has beyond its need
	Stable   bool        // about the same as the week before
}

// JudgeDemand tells whether a volume has throughput that it does not need (2b and 2c).
func JudgeDemand(d VolumeDemand, minimum float64, limits PoolSettings) DemandVerdict {
	v := DemandVerdict{State: DemandInsufficient, Forecast: fleet.Unknown, Need: fleet.Unknown, Slack: fleet.Unknown}
	if !d.Full || !d.Coverage.AtLeast(minimum) || !d.P99.Known() || !d.Max.Known() || !d.Has.Above(0) {
		return v
	}
	growth := math.Max(0, math.Min(float64(d.P99)-d.Before.Or(float64(d.P99)), limits.Growth*float64(d.P99)))
	v.Forecast = d.P99 + fleet.Value(growth)
	if d.Bound.Above(1) {
		v.Forecast *= min(d.Bound, fleet.Value(limits.Suppressed))
	}
	if d.AtLimit {
		v.Forecast = max(v.Forecast, fleet.Value(limits.Censored)*d.Has)
	}
	v.Need = fleet.Value(limits.Headroom) * v.Forecast
	v.Slack = d.Has - v.Need
	change := (d.P99 - d.Before).Over(d.P99)
	v.Stable = change.AtLeast(-limits.Stable) && !change.Above(limits.Stable)
	switch {
	case !v.Slack.Over(d.Has).AtLeast(limits.SlackShare) || !v.Slack.AtLeast(limits.SlackBytes):
		v.State = DemandUsed
	case d.Max.Above(limits.Bursty * float64(d.Has)):
		v.State = DemandBursty
	default:
		v.State = DemandFires
	}
	return v
}

// CapacityCase is a pool whose throughput comes with capacity.
type CapacityCase struct {
	GiB        fleet.Value // the pool's capacity
	VolumesGiB fleet.Value // of all volumes together
	Need       fleet.Value // bytes per second: headroom × the 99th percentile of the volumes' sum
	Rate       float64     // bytes per second that a GiB brings
	Price      fleet.Value // USD of a GiB-month; missing: money is not spoken of
}

// CapacityVerdict is the judgement of a CapacityCase.
type CapacityVerdict struct {
	Least    fleet.Value // GiB that data, throughput and the service ask for
	Stranded fleet.Value // GiB beyond that
	USD      fleet.Value // of a month; missing without a price
	Fires    bool
}

// JudgeCapacity tells whether a pool has capacity that neither its data nor its throughput needs (2d).
func JudgeCapacity(c CapacityCase, limits PoolSettings) CapacityVerdict {
	throughput := fleet.Value(math.Ceil(float64(c.Need)/c.Rate - 1e-9))
	v := CapacityVerdict{Least: max(fleet.Value(math.Ceil(float64(c.VolumesGiB))), throughput, fleet.Value(limits.MinimumGiB))}
	v.Stranded = max(0, c.GiB-v.Least)
	v.USD = v.Stranded * c.Price
	v.Fires = v.Stranded.Over(c.GiB).AtLeast(limits.StrandedShare) && v.Stranded.Above(0) && worth(v.USD, limits)
	return v
}

// worth: money that is known has to be enough of it. Without a price the throughput alone speaks.
func worth(usd fleet.Value, limits PoolSettings) bool {
	return !usd.Known() || usd.AtLeast(limits.MinimumUSD)
}

// LevelCase is an Extreme pool that could be a Premium one.
type LevelCase struct {
	GiB            fleet.Value
	Need           fleet.Value // bytes per second
	Rate           float64     // bytes per second that a GiB brings on the lower level
	Price, Cheaper fleet.Value // USD of a GiB-month now, and on the lower level
}

// JudgeLevel tells whether a lower service level would do, and what it saves in a month (2d).
func JudgeLevel(c LevelCase, limits PoolSettings) (usd fleet.Value, fires bool) {
	usd = c.GiB * (c.Price - c.Cheaper)
	return usd, c.GiB.Above(0) && c.Need.Known() && !c.Need.Above(float64(c.GiB)*c.Rate) && worth(usd, limits)
}

// FlexCase is a Flex pool whose throughput and operations are bought apart from capacity.
type FlexCase struct {
	Throughput, IOPS         fleet.Value // that the pool has, bytes per second and operations per second
	NeedThroughput, NeedIOPS fleet.Value // headroom × the 99th percentile of the volumes' sum
	PriceMiBps, PriceIOPS    fleet.Value // USD of a MiB/s-month and of an IOPS-month; missing: money is not spoken of
}

// FlexVerdict is the judgement of a FlexCase.
type FlexVerdict struct {
	MiBps, IOPS float64     // what would do, whole
	Idle        fleet.Value // bytes per second beyond that
	USD         fleet.Value // of a month; missing without a price
	Fires       bool
}

// JudgeFlex tells whether a Flex pool has bought more than it needs (2e). What the pool has for nothing is never saved.
func JudgeFlex(c FlexCase, limits PoolSettings) FlexVerdict {
	v := FlexVerdict{Idle: fleet.Unknown, USD: fleet.Unknown}
	if !c.Throughput.Above(0) || !c.NeedThroughput.Known() || !c.NeedIOPS.Known() {
		return v
	}
	v.MiBps = math.Max(limits.FlexFreeThroughput/mebibyte, mibs(c.NeedThroughput))
	v.IOPS = math.Max(limits.FlexIOPSPerMiBps*v.MiBps, math.Ceil(float64(c.NeedIOPS)-1e-9))
	v.Idle = c.Throughput - fleet.Value(v.MiBps*mebibyte)
	free := fleet.Value(limits.FlexFreeIOPS)
	throughput := v.Idle / mebibyte * c.PriceMiBps
	extra := (max(c.IOPS, free) - max(fleet.Value(v.IOPS), free)) * c.PriceIOPS
	v.USD = throughput.Plus(extra)
	if v.USD.Known() {
		v.Fires = v.USD.AtLeast(limits.MinimumUSD)
		return v
	}
	v.Fires = v.Idle.AtLeast(limits.UnallocatedBytes)
	return v
}
