package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
)

// actions are what to do, most urgent first: what users suffer from, what moves for nothing, what would be faster, what saves money.
func (o *builder) actions() []Action {
	all, shorts := []Action{}, []Action(nil)
	planned := map[fleet.Resource]bool{}
	for _, made := range o.weekly.Plans {
		if action, ok := o.planned(made); ok {
			all = append(all, action)
			planned[action.Resource] = true
		}
		if action, ok := o.short(made); ok {
			shorts = append(shorts, action)
			planned[action.Resource] = true // no volume of it has anything to give
		}
	}
	for _, one := range o.held() {
		all = append(all, o.heldAction(one))
	}
	said := map[fleet.Resource]string{}
	for _, finding := range o.weekly.Findings {
		action, ok := o.action(finding, planned)
		if !ok || said[action.Resource] == action.What { // two variants of one cause have one remedy
			continue
		}
		said[action.Resource] = action.What
		all = append(all, action)
	}
	all = append(all, shorts...)
	order := []string{Repair, Free, Faster, Saving}
	slices.SortStableFunc(all, func(a, b Action) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), cmp.Compare(b.sure, a.sure), cmp.Compare(b.gain, a.gain), cmp.Compare(b.Money.Or(0), a.Money.Or(0)), cmp.Compare(b.idle, a.idle))
	})
	return all
}

// action is what a finding asks for, unless another one has to be solved first, it is a hint, or it is over.
func (o *builder) action(f Finding, planned map[fleet.Resource]bool) (Action, bool) {
	pool := f.Resource
	pool.Volume = ""
	unused := f.Detector == detectors.PoolThroughputUnused || f.Detector == detectors.BeyondEnvelope
	switch {
	case !f.AtEnd || f.Hint || len(f.BlockedBy) > 0 || len(f.Remedy) == 0:
		return Action{}, false
	case unused && caseOf(f) == "" && (planned[pool] || f.Resource.Service == "gcnv"):
		return Action{}, false // idle throughput of a pool is what its plan moves
	case f.Detector == detectors.LimitReached && f.Variant == detectors.VariantThroughput && f.Resource.Volume != "" && o.lifts(f.Resource):
		return Action{}, false // the plan gives it what it lacks, or asks for a larger pool
	case o.opposed(f):
		return Action{}, false // the pool is too small, by its plan
	case caseOf(f) != "" && !o.counts(f.ID):
		return Action{}, false
	}
	remedy := f.Remedy[0]
	action := Action{
		What: remedy.What, Resource: f.Resource, Why: f.Summary, Worth: worthOf(f.Gain), Money: fleet.Unknown, Hours: fleet.Unknown,
		Command: remedy.Command, ByHand: remedy.ByHand, Caveat: remedy.Caveat, Finding: f.ID, Kind: kindOf(f),
	}
	if f.First != nil {
		action.Hours = f.Hours
	}
	action.Lasted = o.lasted(f)
	if action.Kind == Repair && f.Confidence >= sure {
		action.sure = 1
	}
	if action.Kind == Saving {
		action.idle = float64(o.idleAt(f.Resource).Or(0))
	}
	if action.Kind == Faster && f.Gain != nil && f.Gain.Unit == "factor" {
		action.gain = f.Gain.Low + f.Gain.High
	}
	if f.WasteUSDPerMonth != nil {
		action.Money = fleet.Value(*f.WasteUSDPerMonth)
		action.Worth = fmt.Sprintf("saves %s USD a month", money(action.Money))
	}
	return action, true
}

// counts tells whether a finding's money is the larger of its pool's alternatives, or has no price.
func (o *builder) counts(id string) bool {
	for _, one := range o.weekly.Money {
		for _, row := range one.Rows {
			if row.Finding == id {
				return row.Counts || !row.Value.Known()
			}
		}
	}
	return true
}

func kindOf(f Finding) string {
	switch {
	case caseOf(f) != "" || f.Detector == detectors.BeyondEnvelope || f.Detector == detectors.PoolThroughputUnused:
		return Saving
	case f.Severity == detectors.Critical || f.Detector == detectors.LimitReached || f.Detector == detectors.HardLimit || f.Detector == detectors.ServerUnresponsive:
		return Repair
	}
	return Faster
}

// worthOf is a gain in words.
func worthOf(g *detectors.Gain) string {
	switch {
	case g == nil || g.High <= 0:
		return ""
	case g.Unit == "factor" && g.High < 1.05:
		return "hardly faster"
	}
	return g.Bracket()
}

// planned is the plan of a pool that has steps: what volumes lack is given to them, or what none needs becomes free.
func (o *builder) planned(made *plan.Plan) (Action, bool) {
	pool := o.poolOf(made)
	if made.Status != plan.Proposed || made.Effect == nil || len(made.Steps) == 0 || pool == nil {
		return Action{}, false
	}
	action := Action{
		Kind: Free, Resource: pool.Identity, Money: fleet.Unknown, Hours: fleet.Unknown, Command: commandsOf(made),
		What: fmt.Sprintf("Move throughput within pool %s: %s.", made.Pool, count(len(made.Steps), "step")),
	}
	if made.Effect.Taken > 0 && made.Effect.Given > 0 {
		action.Caveat = "Take the steps in their order: what is taken frees what is given."
	}
	lacked, freed := lackedOf(made), made.Assigned-made.AssignedAfter
	switch {
	case made.Effect.ShortNow > 0 && lacked.AtLeast(1):
		action.gain = float64(lacked)
		action.Why = fmt.Sprintf("%s of pool %s %s less than needed; %s. After it %s.", count(made.Effect.ShortNow, "volume"), made.Pool,
			verb(made.Effect.ShortNow, "has", "have"), from(made), shortAfter(made.Effect.ShortAfter))
		action.Worth = fmt.Sprintf("%.0f MiB/s that were lacking, for nothing", float64(lacked))
		if row, _ := o.avoided(made); row.Value.Known() {
			action.Worth += fmt.Sprintf(" (as capacity %s USD a month)", money(row.Value))
		}
	case made.Effect.ShortNow == 0 && freed.AtLeast(1):
		action.What = fmt.Sprintf("Free %.0f MiB/s of pool %s: %s.", float64(freed), made.Pool, count(len(made.Steps), "step"))
		action.Why = fmt.Sprintf("Volumes of pool %s hold %.0f MiB/s that none of them needs, and none lacks anything.", made.Pool, float64(freed))
		action.Worth = fmt.Sprintf("%.0f MiB/s free for other volumes, for nothing", float64(freed))
	default:
		action.Why = sentence(made.Brings)
	}
	return action, true
}

// from says where what is given comes from.
func from(made *plan.Plan) string {
	if free := made.Capacity - made.Assigned; free.AtLeast(float64(lackedOf(made))) {
		return fmt.Sprintf("%.0f MiB/s of the pool are assigned to no volume", float64(free))
	}
	return "others hold more than they use"
}

func shortAfter(volumes int) string {
	if volumes == 0 {
		return "none is short"
	}
	return count(volumes, "volume") + " still " + verb(volumes, "is", "are") + " short"
}

// commandsOf are the commands of a plan's steps, in their order.
func commandsOf(made *plan.Plan) string {
	var commands []string
	for _, step := range made.Steps {
		commands = append(commands, cmp.Or(step.Commands.Gcloud, step.Commands.Az))
	}
	return detectors.Join(commands...)
}

// worthOrTime is what an action brings, or for how long there was cause for it.
func (a Action) worthOrTime() string {
	if a.Worth == "" {
		return a.Lasted
	}
	return a.Worth
}

// uncommanded says where the command is of an action that is shown without it.
func (a Action) uncommanded() string {
	switch {
	case a.Command != "" && a.Kind == Free:
		return "Its commands are with the pool's plan, further below."
	case a.Command != "":
		return "Its commands are many: they are in the JSON form of this report."
	}
	return a.ByHand
}

// sure is the confidence from which a finding counts as one of which there is little doubt.
const sure = 0.7

// idleAt is what a pool or volume holds and does not use.
func (o *builder) idleAt(of fleet.Resource) fleet.Value {
	for _, row := range o.weekly.Efficiency {
		if row.Resource == of && (row.Level == "pool" || row.Level == "volume") {
			if whole := row.Paid - row.P99; whole.Above(float64(row.Idle)) {
				return whole
			}
			return row.Idle
		}
	}
	return fleet.Unknown
}
