package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
)

// A report lists findings and plans together: of one setting it names one number. What a plan says of a volume's limit stands in
// place of what a finding would set it to, and a pool whose size is asked for by several is made large enough for all.

// planOf is the plan of the pool of a resource, where it was made: nil for one that was refused, and for another kind of pool.
func (o *builder) planOf(of fleet.Resource) *plan.Plan {
	for _, made := range o.weekly.Plans {
		if pool := o.poolOf(made); pool != nil && pool.Identity == poolOnly(of) && (made.Status == plan.Proposed || made.Status == plan.Unchanged) {
			return made
		}
	}
	return nil
}

// poolOnly is the pool of a resource.
func poolOnly(of fleet.Resource) fleet.Resource {
	return fleet.Resource{Cloud: of.Cloud, Service: of.Service, Project: of.Project, Location: of.Location, Pool: of.Pool}
}

// stepOf is the step of a plan that changes a volume.
func stepOf(made *plan.Plan, volume string) (plan.Step, bool) {
	i := slices.IndexFunc(made.Steps, func(s plan.Step) bool { return s.Volume == volume })
	if i < 0 {
		return plan.Step{}, false
	}
	return made.Steps[i], true
}

// lifts tells whether a plan gives the volume of a resource more, or says that its pool is too small: nothing else is to be done for it.
func (o *builder) lifts(of fleet.Resource) bool {
	made := o.planOf(of)
	if made == nil {
		return false
	}
	step, changed := stepOf(made, of.Volume)
	return changed && step.To > step.From || o.isShort(of)
}

// isShort tells whether the plan of a pool says that it is too small for its volumes.
func (o *builder) isShort(of fleet.Resource) bool {
	made := o.planOf(of)
	return made != nil && made.Effect != nil && made.Effect.PoolShort >= 1
}

// opposed tells whether a finding would take from a pool what its plan says that it lacks: the volumes' needs do not come at one time,
// but limits are given to each.
func (o *builder) opposed(f Finding) bool {
	return f.Detector == detectors.PoolThroughputUnused && (f.Variant == detectors.VariantStranded || f.Variant == detectors.VariantFlexCustom) && o.isShort(f.Resource)
}

// agree gives every remedy of the week's findings the number that the plan or all findings together have for what it sets.
func (o *builder) agree() {
	o.sizes = o.poolSizes()
	for i := range o.weekly.Findings {
		f := &o.weekly.Findings[i].Finding
		remedies := make([]detectors.Remedy, 0, len(f.Remedy))
		for _, remedy := range f.Remedy {
			if settled, ok := o.settled(f.Resource, remedy); ok && !slices.ContainsFunc(remedies, func(r detectors.Remedy) bool { return r.What == settled.What }) {
				remedies = append(remedies, settled)
			}
		}
		f.Remedy = remedies
	}
}

// settled is a remedy with the numbers that hold; false where it is not to be done.
func (o *builder) settled(of fleet.Resource, remedy detectors.Remedy) (detectors.Remedy, bool) {
	if made := o.planOf(of); made != nil && len(made.Steps) == 0 && detectors.IsPlan(remedy.Command) {
		return unmoved(made), true
	}
	for _, set := range remedy.Sets {
		made := o.planOf(set.Resource)
		switch size := o.sizes[set.Resource]; {
		case set.Property == detectors.SetThroughput && set.Resource.Volume != "" && made != nil:
			return byPlan(made, set.Resource.Volume), true
		case set.Property != detectors.SetSize || set.Resource.Volume != "":
		case size > 0 && size != set.To && o.grows(set):
			remedy = o.resized(remedy, set, size)
		case size == 0 && made != nil && o.grows(set):
			return remedy, false // the pool is not short: its plan says so
		}
	}
	return remedy, true
}

// byPlan is what a plan says of one volume.
func byPlan(made *plan.Plan, volume string) detectors.Remedy {
	step, changed := stepOf(made, volume)
	switch {
	case len(made.Steps) == 0:
		return unmoved(made)
	case !changed:
		return detectors.Remedy{What: "Leave the volume's limit as it is, as the plan of pool " + made.Pool + " does."}
	}
	remedy := detectors.Remedy{
		What:    fmt.Sprintf("Set the volume to %.0f MiB/s, as the plan of pool %s does.", step.To, made.Pool),
		Command: commandsOf(&plan.Plan{Steps: []plan.Step{step}}), Caveat: "Costs nothing and interrupts nothing.",
	}
	if others := len(made.Steps) - 1; others > 0 && made.Effect != nil && made.Effect.Taken > 0 {
		remedy.Caveat = fmt.Sprintf("Take it with the plan's %s, in their order: what is taken frees what is given.", count(others, "other step"))
	}
	return remedy
}

// unmoved is what a plan without steps says of each volume.
func unmoved(made *plan.Plan) detectors.Remedy {
	return detectors.Remedy{What: "Leave the limits as they are: the plan of pool " + made.Pool + " has no steps.", Caveat: sentence(made.Reason)}
}

// sentence makes one of a reason.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// grows tells whether a setting makes a pool larger.
func (o *builder) grows(set detectors.Setting) bool {
	for _, pool := range o.view.Pools {
		if pool.Identity == set.Resource {
			return pool.Capacity.Below(set.To * (1 << 30))
		}
	}
	return false
}

// poolSizes are the sizes in GiB of pools that have to grow: for the space of their volumes, as findings say, and for their throughput,
// as plans say. The larger one covers both, since throughput comes with size.
func (o *builder) poolSizes() map[fleet.Resource]float64 {
	sizes := map[fleet.Resource]float64{}
	for _, f := range o.weekly.Findings {
		if len(f.Remedy) == 0 || !f.AtEnd {
			continue
		}
		for _, set := range f.Remedy[0].Sets {
			if set.Property == detectors.SetSize && set.Resource.Volume == "" && o.grows(set) {
				sizes[set.Resource] = math.Max(sizes[set.Resource], set.To)
			}
		}
	}
	for _, made := range o.weekly.Plans {
		if pool := o.poolOf(made); pool != nil {
			if gib := shortSize(made, pool); gib > 0 {
				sizes[pool.Identity] = math.Max(sizes[pool.Identity], gib)
			}
		}
	}
	return sizes
}

// resized is a remedy with another size for its pool.
func (o *builder) resized(remedy detectors.Remedy, set detectors.Setting, gib float64) detectors.Remedy {
	for _, pool := range o.view.Pools {
		if pool.Identity != set.Resource {
			continue
		}
		remedy.Command = strings.Replace(remedy.Command, set.Command, detectors.ResizePool(pool, gib), 1)
		said := fmt.Sprintf("The pool grows by %.0f GiB, once for all that is advised of it", gib-math.Ceil(float64(pool.Capacity)/(1<<30)))
		if set.Said == "" {
			remedy.Caveat = strings.TrimSpace(said + ". " + remedy.Caveat)
		} else {
			remedy.Caveat = strings.Replace(remedy.Caveat, set.Said, said+", which costs money.", 1)
		}
	}
	return remedy
}

// planMoment says as of when the plans are.
func (w *Weekly) planMoment() string {
	return fmt.Sprintf("As of %s UTC, when the week ended. What is right at another moment, nasight plan tells.", stamp(w.Judged))
}
