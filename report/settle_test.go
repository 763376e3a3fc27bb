package report

import (
	"strings"
	"testing"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
)

const gib = 1 << 30

// onePool is a builder with one pool of 6144 GiB, its plan and its findings.
func onePool(made *plan.Plan, findings ...Finding) *builder {
	pool := &fleet.Pool{
		Identity: fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Pool: "pool"}, ServiceLevel: "premium", QoS: "manual", Capacity: 6144 * gib,
	}
	made.Project, made.Location, made.Pool = "p", "l", "pool"
	return &builder{view: &fleet.Fleet{Pools: []*fleet.Pool{pool}}, weekly: &Weekly{Plans: []*plan.Plan{made}, Findings: findings}}
}

// about is a finding whose remedies set something of the pool or of its volume v.
func about(detector, variant, volume string, remedies ...detectors.Remedy) Finding {
	of := fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "p", Location: "l", Pool: "pool"}
	for i := range remedies {
		for j := range remedies[i].Sets {
			set := &remedies[i].Sets[j]
			set.Resource = of
			if set.Property == detectors.SetThroughput {
				set.Resource.Volume = volume
			}
		}
	}
	of.Volume = volume
	return Finding{AtEnd: true, Finding: detectors.Finding{ID: detector + variant + volume, Detector: detector, Variant: variant, Resource: of, Severity: detectors.Warning, Confidence: 1, Remedy: remedies}}
}

func lowering(to string, mibps float64) detectors.Remedy {
	return detectors.Remedy{What: "Lower it to " + to + ".", Command: "set " + to, Sets: []detectors.Setting{{Property: detectors.SetThroughput, To: mibps, Command: "set " + to}}}
}

func stepped(volume string, from, to float64) plan.Step {
	return plan.Step{Volume: volume, Location: "l", From: from, To: to, Commands: plan.Commands{Gcloud: "plan's own"}}
}

// A volume's limit is the plan's, whatever findings by themselves would set it to, and once in each finding.
func TestLimitsAreThoseOfThePlan(t *testing.T) {
	share := detectors.Remedy{What: "Share.", Command: "nasight plan --pool pool"}
	for name, row := range map[string]struct {
		made *plan.Plan
		want []string // what is to be done, and the command
	}{
		"it is changed":       {&plan.Plan{Status: plan.Proposed, Steps: []plan.Step{stepped("v", 300, 198)}}, []string{"Share. nasight plan --pool pool", "Set the volume to 198 MiB/s, as the plan of pool pool does. plan's own"}},
		"another one is":      {&plan.Plan{Status: plan.Proposed, Steps: []plan.Step{stepped("w", 300, 198)}}, []string{"Share. nasight plan --pool pool", "Leave the volume's limit as it is, as the plan of pool pool does. "}},
		"nothing is":          {&plan.Plan{Status: plan.Unchanged, Reason: "every volume has what it needs"}, []string{"Leave the limits as they are: the plan of pool pool has no steps. "}},
		"there is none of it": {&plan.Plan{Status: plan.Refused}, []string{"Share. nasight plan --pool pool", "Lower it to 64. set 64"}},
	} {
		o := onePool(row.made, about(detectors.PoolThroughputUnused, detectors.VariantAllocatedUnused, "v", share, lowering("64", 64)))
		o.agree()
		var got []string
		for _, remedy := range o.weekly.Findings[0].Remedy {
			got = append(got, remedy.What+" "+remedy.Command)
		}
		if strings.Join(got, "|") != strings.Join(row.want, "|") {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func growing(what, to string, size float64, said string) detectors.Remedy {
	return detectors.Remedy{What: what, Command: "resize " + to + "\nthen", Caveat: said, Sets: []detectors.Setting{{Property: detectors.SetSize, To: size, Command: "resize " + to, Said: said}}}
}

// A pool that is short of throughput and whose volume is full is made large enough for both, by whichever of the two actions.
func TestOneSizeForAPool(t *testing.T) {
	for name, row := range map[string]struct {
		asked float64
		size  string
		says  string
	}{
		"throughput asks for more": {6500, "--capacity=7920", "1776 GiB larger: that brings 111 MiB/s"},
		"space asks for more":      {9000, "--capacity=9000", "2856 GiB larger: that brings 178 MiB/s"},
	} {
		made := &plan.Plan{Status: plan.Unchanged, Reason: "too small", Capacity: 384, Effect: &plan.Effect{PoolShort: 110.6, ShortNow: 2, Demand: 494.6}}
		o := onePool(made, about(detectors.HardLimit, detectors.VariantCapacity, "v", growing("Make the volume large.", "x", row.asked, "It grows.")))
		o.agree()
		o.weekly.Actions = o.actions()
		if len(o.weekly.Actions) != 2 {
			t.Fatalf("%s: %+v", name, o.weekly.Actions)
		}
		for _, action := range o.weekly.Actions {
			changed := row.asked != 9000 || action.Finding == ""
			if changed != strings.Contains(action.Command, row.size) {
				t.Errorf("%s: %s: %s %s", name, action.What, action.Command, action.Caveat)
			}
			if action.Finding == "" && !strings.Contains(action.What, row.says) {
				t.Errorf("%s: %s", name, action.What)
			}
		}
	}
}

// A pool that its plan finds large enough is not to be made larger by the way, and one that is too small is not to be made smaller.
func TestPoolsAreNotPulledBothWays(t *testing.T) {
	larger := about(detectors.LimitReached, detectors.VariantThroughput, "v", detectors.Remedy{What: "Share.", Command: "look"}, growing("Make the pool larger.", "y", 7373, ""))
	o := onePool(&plan.Plan{Status: plan.Unchanged, Effect: &plan.Effect{}}, larger)
	if o.agree(); len(o.weekly.Findings[0].Remedy) != 1 {
		t.Errorf("%+v", o.weekly.Findings[0].Remedy)
	}
	usd := 1000.0
	smaller := about(detectors.PoolThroughputUnused, detectors.VariantStranded, "", growing("Make the pool smaller.", "z", 2048, ""))
	smaller.WasteUSDPerMonth = &usd
	o = onePool(&plan.Plan{Status: plan.Unchanged, Effect: &plan.Effect{PoolShort: 50, ShortNow: 1}}, smaller)
	o.agree()
	o.weekly.Money = o.money()
	for _, action := range o.actions() {
		if action.Kind == Saving {
			t.Errorf("%+v", action)
		}
	}
	for _, one := range o.weekly.Money {
		if one.Total.Known() {
			t.Errorf("%s: %v", one.Case, one.Total)
		}
	}
}

// A plan that only frees throughput is told with its reason, after those that give volumes what they lack.
func TestWhatPlansBring(t *testing.T) {
	frees := &plan.Plan{
		Status: plan.Proposed, Steps: []plan.Step{stepped("v", 300, 198)}, Assigned: 500, AssignedAfter: 398, Capacity: 512, Effect: &plan.Effect{Taken: 102},
		Volumes: []plan.Allocation{{Name: "v", Current: 300, Need: 37, Propose: 198}},
	}
	o := onePool(frees)
	actions := o.actions()
	if len(actions) != 1 || actions[0].Kind != Free || actions[0].What != "Free 102 MiB/s of pool pool: 1 step." || actions[0].Worth != "102 MiB/s free for other volumes, for nothing" ||
		actions[0].Why != "Volumes of pool pool hold 102 MiB/s that none of them needs, and none lacks anything." || actions[0].Command != "plan's own" || actions[0].Caveat != "" {
		t.Fatalf("%+v", actions)
	}
	gives := *frees
	gives.Pool, gives.Assigned, gives.AssignedAfter = "other", 100, 100
	gives.Effect, gives.Volumes = &plan.Effect{ShortNow: 1, Given: 20}, []plan.Allocation{{Name: "v", Current: 20, Need: 40, Propose: 40}}
	other := *o.view.Pools[0]
	other.Identity.Pool = "other"
	o.view.Pools, o.weekly.Plans = append(o.view.Pools, &other), append(o.weekly.Plans, &gives)
	if actions = o.actions(); len(actions) != 2 || actions[0].Resource.Pool != "other" {
		t.Errorf("%+v", actions)
	}
}

func TestPriceText(t *testing.T) {
	price := Price{Item: "throughput", Level: "ssd", USD: 0.04, Unit: "MiB/s-month", Date: "2026-10-01"}
	if got := price.text(); got != "throughput ssd: 0.04 USD per MiB/s-month, 2026-10-01" {
		t.Error(got)
	}
	price.Level, price.Region, price.Source = "", "here", "a list"
	if got := price.text(); got != "throughput here: 0.04 USD per MiB/s-month, 2026-10-01, a list" {
		t.Error(got)
	}
}
