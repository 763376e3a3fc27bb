// Package report makes the weekly efficiency report: of one closed week, what was granted, what was used, what is idle and worth
// how much, and what to do first. Build reads a history and gives a Weekly, which is what every format prints; each figure in it
// is computed by one function. Nothing here talks to a cloud, and nothing is changed.
package report

import (
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
)

// Format names the shape of Weekly's JSON. It changes when a field changes its meaning or goes.
const Format = "nasight.report.weekly/1"

// Weekly is the report of one week. Throughput is in bytes per second, a share is from 0 to 1, money in USD a month. What is not
// known is null, never zero. Its JSON is described by docs/report.schema.json.
type Weekly struct {
	Format    string    `json:"format"`    // names this shape: nasight.report.weekly/1. See docs/report.md for what may change in it
	Week      Week      `json:"week"`      // such as 2026-W48
	From      time.Time `json:"from"`      // Monday 00:00 UTC
	To        time.Time `json:"to"`        // the Monday after it
	Before    Week      `json:"before"`    // the week that figures are held against
	Judged    time.Time `json:"judged"`    // the moment as of which findings and plans were judged
	Inventory time.Time `json:"inventory"` // the moment of the inventory that is used
	History   string    `json:"history"`   // where the samples are from
	Simulated string    `json:"simulated"` // what says that the data are invented; empty where they are measured
	Pool      string    `json:"pool"`      // filters that were asked for; empty for none
	Project   string    `json:"project"`   // see pool

	Summary        []string     `json:"summary"`        // five sentences
	Actions        []Action     `json:"actions"`        // what to do, most urgent first
	Missing        []Missing    `json:"missing"`        // what the report cannot tell, and what to do about it
	Efficiency     []Row        `json:"efficiency"`     // granted, used and idle, the widest level first
	Lines          []Line       `json:"lines"`          // for the charts
	Money          []Case       `json:"money"`          // by its kind; never added up across kinds
	Findings       []Finding    `json:"findings"`       // of the week, the most severe first
	Sections       []Section    `json:"sections"`       // what is said of one topic each
	Limited        []Limited    `json:"limited"`        // what was held at its limit, or used up its burst credits, for longest first
	Plans          []*plan.Plan `json:"plans"`          // of each pool with manual QoS
	Resolved       []Resolved   `json:"resolved"`       // what ended within the week
	Quality        Quality      `json:"quality"`        // how far the figures can be trusted
	Reconciliation []Reconciled `json:"reconciliation"` // each total beside the sum of its parts
	Cost           []Cost       `json:"api_cost"`       // what reading the clouds took
	Notes          []string     `json:"notes"`          // how the figures are made
}

// Action is one thing to do.
type Action struct {
	Kind     string         `json:"kind"` // repair, free, faster or saving
	What     string         `json:"what"`
	Resource fleet.Resource `json:"resource"`
	Why      string         `json:"why"`
	Worth    string         `json:"worth"`         // what it brings, in words; empty where that is not known
	Money    fleet.Value    `json:"usd_per_month"` // that it saves; null where it saves none or no price is known
	Hours    fleet.Value    `json:"hours"`         // of the week that its cause was recorded
	Lasted   string         `json:"lasted"`        // for how long there was cause for it, in words; empty where that is not known
	Command  string         `json:"command"`       // empty where there is none
	ByHand   string         `json:"by_hand"`       // why there is no command; empty where there is one
	Caveat   string         `json:"caveat"`
	Finding  string         `json:"finding"` // its id; empty for a plan, and for what the week's samples alone show

	worst string  // it in a sentence, where there is no finding whose summary is one
	gain  float64 // by which those that make work faster are ordered
	idle  float64 // by which those that save are ordered where no price is given
	sure  float64 // 1 for a repair of which there is little doubt: others come after them
}

// The kinds of actions, in the order in which they are taken.
const (
	Repair = "repair" // users wait, or a limit is near
	Free   = "free"   // throughput moves between volumes of a pool for nothing
	Faster = "faster" // work would be faster
	Saving = "saving" // money is saved
)

// Missing is something that the report cannot tell.
type Missing struct {
	What string `json:"what"`
	How  string `json:"how"` // to add it
}

// Row is what the week tells of one resource or group.
type Row struct {
	Level        string         `json:"level"` // cloud, project, service_level, pool or volume
	Resource     fleet.Resource `json:"resource"`
	ServiceLevel string         `json:"service_level"`
	QoS          string         `json:"qos"`     // of a pool or volume
	State        string         `json:"state"`   // gone: not in the inventory at the week's end; idle: of a volume that hardly did anything, neither bytes nor operations; empty: neither
	Measure      string         `json:"measure"` // mean: means of five minutes; peak: the busiest second of each five minutes
	Volumes      int            `json:"volumes"` // that it is made of

	Granted           fleet.Value `json:"granted"`            // mean of what it might have moved
	Paid              fleet.Value `json:"paid_for"`           // what its pools have for what is paid, given to volumes or not; null where that is not known
	Unassigned        fleet.Value `json:"unassigned"`         // of a pool's grant, what no volume holds
	P50               fleet.Value `json:"p50"`                // of its samples; of a group those of the sum
	P95               fleet.Value `json:"p95"`                // likewise
	P99               fleet.Value `json:"p99"`                // likewise
	Max               fleet.Value `json:"max"`                // likewise, the highest
	Mean              fleet.Value `json:"mean"`               // likewise, the mean
	Idle              fleet.Value `json:"idle"`               // granted less p99; less where a larger part of the operations that may be done is used
	Use               fleet.Value `json:"use"`                // p99 over granted
	Reachable         fleet.Value `json:"reachable"`          // what its limit, protocol and block size let a volume move; of a group the sum of its volumes that have one, of a Flex pool no more than its own limit
	Reach             fleet.Value `json:"reach"`              // p99 over reachable; of a group the sum of the p99 of those volumes over it
	Reached           int         `json:"reach_volumes"`      // how many volumes reach is of
	AtLimit           fleet.Value `json:"at_limit"`           // share of the samples at the throughput limit; operations are not in it
	Operations        fleet.Value `json:"operations_p99"`     // of its samples of operations per second; of a group those of the sum
	OperationsGranted fleet.Value `json:"operations_granted"` // that it may do in a second; null where none of its parts has such a limit, or not all of them
	Coverage          fleet.Value `json:"coverage"`           // samples received over those that a week has
	Days              fleet.Value `json:"days"`               // coverage in days
	Moved             fleet.Value `json:"moved_bytes"`        // sum of its samples times their length; null of busiest seconds, which do not tell it
	Grantable         fleet.Value `json:"grantable_bytes"`    // the same of its limit
	Before            fleet.Value `json:"p99_before"`         // p99 of the week that it is held against
	Earlier           fleet.Value `json:"p99_earlier"`        // median of the p99 of the four weeks before
	EarlierSeen       int         `json:"earlier_weeks"`      // of those four, how many are known

	block fleet.Value // bytes of an operation, in the most favourable busy sample
}

// Line is the course of a service over the week, hour by hour: the highest sample of each hour, null where there is none.
type Line struct {
	Resource fleet.Resource `json:"resource"`
	Measure  string         `json:"measure"`
	Used     []fleet.Value  `json:"used"`    // bytes per second
	Granted  []fleet.Value  `json:"granted"` // bytes per second
}

// Case is one way in which unused throughput is worth money. Cases are never added up: they are of different kinds.
type Case struct {
	Case    string      `json:"case"` // bought, capacity, manual or azure
	Title   string      `json:"title"`
	Meaning string      `json:"meaning"`
	Total   fleet.Value `json:"usd_per_month"` // the sum of the rows that count, each in whole dollars; null where no row has a price
	Rows    []Money     `json:"rows"`          // the largest first
}

// Money is one figure of money.
type Money struct {
	Resource fleet.Resource `json:"resource"`
	What     string         `json:"what"`
	Value    fleet.Value    `json:"usd_per_month"` // whole dollars; null where no price is given
	Counts   bool           `json:"counts"`        // false for an alternative to another row, or without a price
	Note     string         `json:"note"`
	Prices   []Price        `json:"prices"` // rows that the value was computed by
	Finding  string         `json:"finding"`
}

// Price is a row of the operator's prices.
type Price struct {
	Cloud   string  `json:"cloud"`
	Service string  `json:"service"`
	Level   string  `json:"level"`
	Item    string  `json:"item"`
	Region  string  `json:"region"`
	USD     float64 `json:"usd"` // for one unit
	Unit    string  `json:"unit"`
	Date    string  `json:"date"`
	Source  string  `json:"source"`
}

// Finding is a finding of the week, and for how long it fired.
type Finding struct {
	detectors.Finding

	First   *time.Time  `json:"first"`    // when it was recorded first in the week; null where only the week's end was judged
	Last    *time.Time  `json:"last"`     // when it was recorded last
	Hours   fleet.Value `json:"hours"`    // of the week that it was recorded as firing; null where none of it was recorded
	AtLeast bool        `json:"at_least"` // it fired when the recording began, so that it may be older
	AtEnd   bool        `json:"at_end"`
	New     bool        `json:"new"`    // it did not fire in the week that this one is held against, of which others are recorded
	Detail  string      `json:"detail"` // where evidence and commands are missing: why
}

// Section is what is said of one topic.
type Section struct {
	Name     string   `json:"name"` // sessions, multichannel, metadata, limits
	Title    string   `json:"title"`
	Text     string   `json:"text"`
	Findings []string `json:"findings"` // ids
}

// Limited is a volume or share that reached its limit in the week, or used most of its burst credits.
type Limited struct {
	Resource fleet.Resource `json:"resource"`
	AtLimit  fleet.Value    `json:"at_limit"`       // share of the samples at the throughput limit
	Credits  fleet.Value    `json:"credits_lowest"` // least burst credits that were left, over a full bucket
}

// Resolved is a finding that ended within the week.
type Resolved struct {
	ID        string         `json:"id"`
	Detector  string         `json:"detector"`
	Variant   string         `json:"variant"`
	Resource  fleet.Resource `json:"resource"`
	Ended     time.Time      `json:"ended"`
	Hours     float64        `json:"hours"`     // of the week that it was recorded as firing
	Predicted fleet.Value    `json:"predicted"` // middle of the gain, as a factor of the throughput while it fired
	Achieved  fleet.Value    `json:"achieved"`  // throughput of as long a time after it over that while it fired
	Why       string         `json:"why"`       // nothing is compared; empty where it is
}

// Quality says how far the figures can be trusted.
type Quality struct {
	Days       fleet.Value `json:"days"`       // of the seven that there are samples of
	Gaps       []Gap       `json:"gaps"`       // in what clouds measured
	Unrecorded []Gap       `json:"unrecorded"` // when nothing was judged minute by minute, so that findings of then are not known
	Thin       []Thin      `json:"thin"`       // volumes with too few samples to judge
	Stale      []Stale     `json:"stale"`      // sources that failed
	Withheld   []Withheld  `json:"withheld"`   // what was not said, and why
}

// Gap is a time of which a service told nothing of any volume.
type Gap struct {
	Cloud   string    `json:"cloud"`
	Service string    `json:"service"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
}

// Thin is a volume with too few samples.
type Thin struct {
	Resource fleet.Resource `json:"resource"`
	Coverage fleet.Value    `json:"coverage"` // share of the samples of a week
}

// Stale is a source that failed for a part of the week.
type Stale struct {
	Source  string      `json:"source"`
	Host    string      `json:"host"`
	Success fleet.Value `json:"success"` // share of its runs
}

// Withheld is what was not said.
type Withheld struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Reconciled holds a total against the sum of its parts.
type Reconciled struct {
	What  string      `json:"what"`
	Unit  string      `json:"unit"`
	Total fleet.Value `json:"total"` // in the unit
	Parts fleet.Value `json:"parts"` // in the unit: the sum of the parts
	Holds bool        `json:"holds"`
}

// Cost is what reading a cloud took in the week.
type Cost struct {
	Cloud    string      `json:"cloud"`
	Project  string      `json:"project"`
	Requests fleet.Value `json:"requests"`            // calls
	Series   fleet.Value `json:"series"`              // time series that answers had
	USD      fleet.Value `json:"usd"`                 // by list prices
	Month    fleet.Value `json:"usd_projected_month"` // for what was left of the calendar month when the week ended
}
