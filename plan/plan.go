// Package plan proposes how to share a pool's throughput among its volumes, where the pool's QoS is manual. It moves
// what quiet volumes hold to those that need it, and proves that no other sharing would serve more.
//
// Each volume has a need d, from what it was seen to use, and bounds: l (a floor, the observed peak, or what it has
// now if protected) and h (the service's maximum). With u = max(l, min(h, d)) the plan is the one maximum of
// Σ d·ln a over l ≤ a ≤ u with Σ a at most the pool's throughput: every volume gets the same share λ of its need, as
// far as its bounds allow. Certificate holds what proves it, and Verify checks the proof from the plan's numbers alone.
//
// The package proposes; nothing here talks to a cloud. All figures are MiB/s.
package plan

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// Status says what became of a pool.
type Status string

// What can become of a pool.
const (
	Proposed   Status = "proposed"   // there are steps
	Unchanged  Status = "unchanged"  // the limits are right as they are, or no change is worth making
	Infeasible Status = "infeasible" // the lower bounds ask for more than the pool has
	Refused    Status = "refused"    // the pool cannot be planned; Reason says why
)

// State says how a volume took part.
type State string

// How a volume can take part.
const (
	Planned State = "planned"
	Kept    State = "kept"     // stays as it is, and what it holds is not shared: the data are thin or odd
	LeftOut State = "left_out" // its limit is not known; what it holds is not part of the figures
)

// Plan is the proposal for one pool. Its JSON is what `nasight plan --format json` prints per pool and what the API
// serves. Throughput is in MiB/s; a missing number is null.
type Plan struct {
	Project  string `json:"project"`
	Location string `json:"location"`
	Pool     string `json:"pool"`
	Status   Status `json:"status"`
	Reason   string `json:"reason"` // one line; empty if the status is proposed
	Brings   string `json:"brings"` // one line: what the steps bring; empty if there are none

	Capacity      fleet.Value `json:"capacity_mibps"`       // the pool's throughput, without what left-out volumes hold
	Assigned      fleet.Value `json:"assigned_mibps"`       // what the volumes hold now
	AssignedAfter fleet.Value `json:"assigned_after_mibps"` // what they hold after the last step
	Missing       fleet.Value `json:"missing_mibps"`        // infeasible: by how much the lower bounds pass the pool
	Days          fleet.Value `json:"days_of_data"`         // the shortest history of a planned volume
	PeakDays      fleet.Value `json:"days_of_peaks"`        // the fewest days that a planned volume's peak is of
	Coverage      fleet.Value `json:"coverage"`             // the thinnest coverage of a planned volume
	Options       Options     `json:"options"`              // what it was made with

	Volumes     []Allocation `json:"volumes"`     // in the order of the input
	Steps       []Step       `json:"steps"`       // in the order to take them
	Effect      *Effect      `json:"effect"`      // nil without a solution
	Certificate *Certificate `json:"certificate"` // nil without a solution
	Refusals    []string     `json:"refusals"`    // what the plan would not do, and why
	Notes       []string     `json:"notes"`       // doubts about the data
}

// Allocation is what the plan says of one volume.
type Allocation struct {
	Name     string `json:"volume"`
	Location string `json:"location"`
	State    State  `json:"state"`

	Current  fleet.Value `json:"now_mibps"`
	Forecast fleet.Value `json:"forecast_mibps"`
	Need     fleet.Value `json:"need_mibps"` // headroom × forecast
	Peak     fleet.Value `json:"observed_peak_mibps"`
	PeakDays fleet.Value `json:"observed_peak_days"`
	Failover fleet.Value `json:"failover_need_mibps"` // a replication destination's need after a failover

	Lower   fleet.Value `json:"lower_bound_mibps"`  // l
	LowerBy string      `json:"lower_bound_is"`     // floor, observed peak or protected
	Limit   fleet.Value `json:"upper_bound_mibps"`  // h
	Upper   fleet.Value `json:"bounded_need_mibps"` // u = max(l, min(h, need))
	Optimum fleet.Value `json:"optimum_mibps"`      // a, which the certificate is about
	Target  fleet.Value `json:"with_surplus_mibps"` // a and its part of the surplus, before rounding
	Propose fleet.Value `json:"proposed_mibps"`     // a whole number, or the limit as it is, also if there is no solution
	Change  fleet.Value `json:"change_mibps"`       // proposed - now
	Why     []string    `json:"why"`                // what led to the figure, most telling first
}

// Effect sums up what the steps bring. Served demand is the part of the needs that the limits cover.
type Effect struct {
	Demand      float64 `json:"demand_mibps"`
	ServedNow   float64 `json:"served_now_mibps"`
	ServedAfter float64 `json:"served_after_mibps"`
	PoolShort   float64 `json:"pool_short_mibps"`  // by how much the pool is too small for the needs and bounds
	ShortNow    int     `json:"volumes_short_now"` // volumes whose limit is below their need
	ShortAfter  int     `json:"volumes_short_after"`
	Taken       float64 `json:"taken_mibps"`
	Given       float64 `json:"given_mibps"`
	Unassigned  float64 `json:"unassigned_mibps"` // what no volume holds after the last step
}

// Build makes the plan for one pool. An error means that the options make no sense. A pool that cannot be planned is
// no error: the plan's status and reason say so, and odd values cost the volume that has them, which is kept as it is.
func Build(pool Pool, volumes []Volume, options Options) (*Plan, error) {
	if err := options.Validate(); err != nil {
		return nil, fmt.Errorf("plan pool %q of project %q: %w", pool.Name, pool.Project, err)
	}
	options = options.of(pool)
	b := &builder{pool: pool, options: options, plan: &Plan{
		Project: pool.Project, Location: pool.Location, Pool: pool.Name, Options: options,
		Capacity: fleet.Unknown, Assigned: fleet.Unknown, AssignedAfter: fleet.Unknown, Missing: fleet.Unknown,
		Days: fleet.Unknown, PeakDays: fleet.Unknown, Coverage: fleet.Unknown,
		Volumes: []Allocation{}, Steps: []Step{}, Refusals: []string{}, Notes: []string{},
	}}
	b.admit(pool, volumes)
	if b.plan.Status = b.check(pool); b.plan.Status == Refused {
		return b.plan, nil
	}
	b.bound()
	if b.plan.Status == Infeasible {
		return b.plan, nil
	}
	b.optimise()
	b.spread()
	b.round()
	b.choose()
	b.settle()
	b.order()
	b.explain()
	b.shortPeaks()
	return b.plan, nil
}
