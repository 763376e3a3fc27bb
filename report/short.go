package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
	"github.com/nasight/nasight/schema"
)

// present is what is known of the moment in which the report is made: its commands are run then, and not when the week ended.
type present struct {
	limits  map[fleet.Resource]float64 // bytes per second
	limited map[fleet.Resource]bool    // pools with a volume at its throughput limit
}

// readPresent reads the limits of now and what is at them.
func (o *builder) readPresent(ctx context.Context) error {
	o.present = present{map[fleet.Resource]float64{}, map[fleet.Resource]bool{}}
	limits, err := o.reader.Instant(ctx, fmt.Sprintf("last_over_time(%s[30m])", schema.VolumeThroughputLimit.Name), o.Now)
	if err != nil {
		return fmt.Errorf("read the limits of now: %w", err)
	}
	for _, point := range limits {
		o.present.limits[resourceOf(point.Labels)] = point.Value
	}
	firing, err := o.reader.Instant(ctx, fmt.Sprintf("last_over_time(%s{detector=%q,variant=%q}[%s])", schema.FindingActive.Name, detectors.LimitReached,
		detectors.VariantThroughput, millis(stillFiring)), o.Now)
	if err != nil {
		return fmt.Errorf("read what is at its limit now: %w", err)
	}
	for _, point := range firing {
		pool := resourceOf(point.Labels)
		pool.Volume = ""
		o.present.limited[pool] = true
	}
	return nil
}

// outdated says why a plan of the week's end is not to be carried out now, or "".
func (o *builder) outdated(made *plan.Plan) string {
	pool := o.poolOf(made)
	if pool == nil {
		return ""
	}
	for _, step := range made.Steps {
		volume := pool.Identity
		volume.Volume = step.Volume
		if now, known := o.present.limits[volume]; known && math.Abs(now/(1<<20)-step.From) >= 1 {
			return fmt.Sprintf("the limit of volume %s has been changed since the week ended: nasight plan tells what is right now", step.Volume)
		}
	}
	if o.present.limited[pool.Identity] && made.Effect != nil && made.Effect.ShortNow == 0 {
		return "a volume of the pool has come to its limit since the week ended: nasight plan tells what is right now"
	}
	return ""
}

// poolOf is the pool that a plan is of; nil where it is not in the view.
func (o *builder) poolOf(made *plan.Plan) *fleet.Pool {
	for _, pool := range o.view.Pools {
		if pool.Identity.Project == made.Project && pool.Identity.Location == made.Location && pool.Identity.Pool == made.Pool {
			return pool
		}
	}
	return nil
}

// short is what a pool with manual QoS asks for that is too small for its volumes' needs: no sharing helps it.
func (o *builder) short(made *plan.Plan) (Action, bool) {
	pool := o.poolOf(made)
	if pool == nil || made.Effect == nil || made.Effect.PoolShort < 1 {
		return Action{}, false
	}
	lacks := math.Ceil(made.Effect.PoolShort)
	action := Action{
		Kind: Repair, Resource: pool.Identity, sure: 1, Money: fleet.Unknown, Hours: fleet.Unknown,
		What: fmt.Sprintf("Give pool %s %.0f MiB/s more.", made.Pool, lacks),
		Why: fmt.Sprintf("The pool is short by %.0f MiB/s: its volumes need %.0f and it has %.0f. Sharing it out anew serves no more in all: what one volume is given another lacks.",
			lacks, made.Effect.Demand, float64(made.Capacity)),
		Lasted: lacking(made), ByHand: "There is no command for it: how a pool of this kind gets more is not known to nasight.",
	}
	size := shortSize(made, pool)
	if size == 0 {
		return action, true
	}
	size = math.Max(size, o.sizes[pool.Identity]) // its volumes may need still more
	more := size - math.Ceil(float64(pool.Capacity)/(1<<30))
	action.What = fmt.Sprintf("Make pool %s %.0f GiB larger: that brings %.0f MiB/s.", made.Pool, more, math.Floor(more*kibibytes()[pool.ServiceLevel]/1024))
	action.ByHand = ""
	action.Command = detectors.ResizePool(pool, size)
	action.Caveat = "Then give the volumes their part: nasight plan says how."
	if price, _ := o.terms.Settings.Capacity(pool.Identity, pool.ServiceLevel); price.Known() {
		action.Caveat = fmt.Sprintf("Costs about %s USD a month. ", money(price*fleet.Value(more))) + action.Caveat
	}
	return action, true
}

// shortSize is the size in GiB with which a pool is large enough for its volumes' needs; 0 where it is, or where its throughput does not
// come with its size.
func shortSize(made *plan.Plan, pool *fleet.Pool) float64 {
	rate, known := kibibytes()[pool.ServiceLevel]
	if !known || !pool.Capacity.Known() || pool.Identity.Service != "gcnv" || made.Effect == nil || made.Effect.PoolShort < 1 {
		return 0
	}
	return math.Ceil(float64(pool.Capacity)/(1<<30)) + math.Ceil(math.Ceil(made.Effect.PoolShort)*1024/rate)
}

// lacking says how many volumes have less than they need.
func lacking(made *plan.Plan) string {
	return fmt.Sprintf("%s %s less than needed", count(made.Effect.ShortNow, "volume"), verb(made.Effect.ShortNow, "has", "have"))
}

// kibibytes are the KiB/s that a GiB brings, by service level.
func kibibytes() map[string]float64 {
	return map[string]float64{"standard": 16, "premium": 64, "extreme": 128, "ultra": 128}
}

// held are volumes that the week's samples show at their limit, and of which no finding speaks: rules of the minute are judged while
// nasight runs, and samples of the past tell as much.
func (o *builder) held() []Limited {
	var all []Limited
	for _, one := range o.weekly.Limited {
		told := slices.ContainsFunc(o.weekly.Findings, func(f Finding) bool {
			return f.Detector == detectors.LimitReached && f.Resource.Pool == one.Resource.Pool && f.Resource.Volume == one.Resource.Volume && f.Resource.Project == one.Resource.Project
		})
		if !told && one.AtLimit.AtLeast(heldAtLimit) && !o.lifts(one.Resource) {
			all = append(all, one)
		}
	}
	return all
}

// heldAtLimit is the share of the samples from which a volume's limit is said to hold it.
const heldAtLimit = 0.05

// heldAction is what such a volume asks for.
func (o *builder) heldAction(one Limited) Action {
	limit := ""
	for _, row := range o.weekly.rowsOf("volume") {
		if row.Resource == one.Resource && row.Granted.Known() {
			limit = ", " + rate(row.Granted)
		}
	}
	part := "in " + percent(one.AtLimit) + " of the week's samples"
	action := Action{
		Kind: Repair, Resource: one.Resource, sure: 1, Money: fleet.Unknown, Hours: fleet.Unknown,
		What:   "Raise its throughput limit, or let it be asked for less.",
		Why:    fmt.Sprintf("%s was at its throughput limit%s.", named(one.Resource), limit),
		Lasted: part,
		Caveat: "By the samples of the week alone: nasight did not judge it minute by minute.",
		ByHand: "There is no command for it: the inventory that is known does not have it, or not its limit.",
		worst:  fmt.Sprintf("%s was at its throughput limit%s, %s.", named(one.Resource), limit, part),
	}
	if remedies := detectors.MoreThroughput(o.view, o.terms.Settings, one.Resource); len(remedies) > 0 {
		best := remedies[0]
		action.What, action.Command, action.ByHand = best.What, best.Command, best.ByHand
		action.Caveat = strings.TrimSpace(best.Caveat + " " + action.Caveat)
	}
	return action
}

// named is what a volume or share is called in a sentence.
func named(of fleet.Resource) string {
	switch {
	case of.Service == serviceShares:
		return fmt.Sprintf("Share %s of account %s", of.Volume, of.Pool)
	case of.Volume == "":
		return "Pool " + of.Pool
	}
	return fmt.Sprintf("Volume %s of pool %s", of.Volume, of.Pool)
}
