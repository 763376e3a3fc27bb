package report

import (
	"fmt"
	"math"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// reach fills what a volume could move at most.
func (r *Row) reach(volume *fleet.Volume, o *builder) {
	r.reached(detectors.Reachable(volume, o.table, o.terms.Settings))
}

// reachShare is the same of a share.
func (r *Row) reachShare(share *fleet.Share) { r.reached(detectors.ReachableShare(share, r.block)) }

func (r *Row) reached(reachable fleet.Value) {
	r.Reachable = reachable
	if r.Reach = r.P99.Over(reachable); r.Reach.Known() {
		r.Reached = 1
	}
}

// blockOf is the mean block of the most favourable sample in which so many operations were done; missing where there is none.
func blockOf(used, operations course, busy float64) fleet.Value {
	largest := fleet.Unknown
	for i := range used {
		if i < len(operations) && operations[i] >= busy && !math.IsNaN(used[i]) && !largest.AtLeast(used[i]/operations[i]) {
			largest = fleet.Value(used[i] / operations[i])
		}
	}
	return largest
}

// reachedPart says of how many of its volumes the reach of a group is, where it is not of all.
func (r Row) reachedPart() string {
	if r.Level == "volume" || r.Reached == 0 || r.Reached == r.Volumes {
		return ""
	}
	return fmt.Sprintf("%d of %d", r.Reached, r.Volumes)
}

// achieved is what the members of a group reached together, and what they could have.
type achieved struct {
	p99, reachable fleet.Value
	members        int
}

func (a *achieved) add(other achieved) {
	if other.members == 0 {
		return
	}
	a.p99, a.reachable, a.members = a.p99.Plus(other.p99), a.reachable.Plus(other.reachable), a.members+other.members
}

// reachGroups gives groups what their volumes reached together over what these could: the sums of those that have both. Volumes of
// a Flex pool share its limit: together they reach no more than that.
func reachGroups(rows []Row) {
	pools := map[group]*achieved{}
	for _, row := range rows {
		if row.Level == "volume" && row.Reach.Known() {
			key := poolGroup(row)
			if pools[key] == nil {
				pools[key] = &achieved{p99: fleet.Unknown, reachable: fleet.Unknown}
			}
			pools[key].add(achieved{row.P99, row.Reachable, 1})
		}
	}
	groups := map[group]*achieved{}
	for i := range rows {
		of := pools[rows[i].group()]
		if rows[i].Level != "pool" || of == nil {
			continue
		}
		if rows[i].ServiceLevel == levelFlex && rows[i].Granted.Below(float64(of.reachable)) {
			of.reachable = rows[i].Granted
		}
		for _, key := range groupsOf(rows[i].group()) {
			if groups[key] == nil {
				groups[key] = &achieved{p99: fleet.Unknown, reachable: fleet.Unknown}
			}
			groups[key].add(*of)
		}
	}
	for i := range rows {
		if of := groups[rows[i].group()]; of != nil && rows[i].Level != "volume" {
			rows[i].Reachable, rows[i].Reach, rows[i].Reached = of.reachable, of.p99.Over(of.reachable), of.members
		}
	}
}
