package report

import (
	"testing"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/plan"
)

func finding(detector, variant, service string, severity detectors.Severity) Finding {
	return Finding{AtEnd: true, Finding: detectors.Finding{
		ID: detector + "/" + variant, Detector: detector, Variant: variant, Severity: severity, Resource: fleet.Resource{Service: service, Pool: "p"},
		Remedy: []detectors.Remedy{{What: "Do " + variant + "."}},
	}}
}

func TestKindsAndCases(t *testing.T) {
	unused := detectors.PoolThroughputUnused
	for _, row := range []struct {
		finding       Finding
		kind, caseIts string
	}{
		{finding(unused, detectors.VariantFlexCustom, "gcnv", detectors.Info), Saving, caseBought},
		{finding(unused, detectors.VariantFlexCustom, "azurenetapp", detectors.Info), Saving, caseBought},
		{finding(unused, detectors.VariantStranded, "gcnv", detectors.Warning), Saving, caseCapacity},
		{finding(unused, detectors.VariantLevelChange, "azurenetapp", detectors.Info), Saving, caseCapacity},
		{finding(unused, detectors.VariantAllocatedUnused, "azurefiles", detectors.Info), Saving, caseAzure},
		{finding(unused, detectors.VariantAutoQoS, "azurefiles", detectors.Info), Saving, caseAzure},
		{finding(unused, detectors.VariantAllocatedUnused, "gcnv", detectors.Info), Saving, ""},
		{finding(unused, detectors.VariantUnallocated, "gcnv", detectors.Warning), Saving, ""},
		{finding(detectors.BeyondEnvelope, detectors.VariantEnvelope, "gcnv", detectors.Info), Saving, ""},
		{finding(detectors.LimitReached, detectors.VariantIOPS, "gcnv", detectors.Warning), Repair, ""},
		{finding(detectors.HardLimit, detectors.VariantInodes, "gcnv", detectors.Warning), Repair, ""},
		{finding(detectors.ServerUnresponsive, detectors.VariantStalled, "", detectors.Warning), Repair, ""},
		{finding(detectors.SessionSaturated, detectors.VariantFlow, "", detectors.Critical), Repair, ""},
		{finding(detectors.SessionSaturated, detectors.VariantFlow, "", detectors.Info), Faster, ""},
		{finding(detectors.SMBMultichannel, detectors.VariantMissing, "", detectors.Warning), Faster, ""},
	} {
		if kind, its := kindOf(row.finding), caseOf(row.finding); kind != row.kind || its != row.caseIts {
			t.Errorf("%s of %s: %s and %q, want %s and %q", row.finding.ID, row.finding.Resource.Service, kind, its, row.kind, row.caseIts)
		}
	}
}

// Two actions on one pool are alternatives: the larger counts, and the total is that of what counts.
func TestSettle(t *testing.T) {
	a, b := fleet.Resource{Pool: "a"}, fleet.Resource{Pool: "b"}
	c := Case{Rows: []Money{{Resource: a, Value: 100}, {Resource: b, Value: fleet.Unknown}, {Resource: a, Value: 300}, {Resource: b, Value: 50}}}
	c.settle()
	if c.Total != 350 {
		t.Errorf("total %v, want 350", c.Total)
	}
	for i, want := range []bool{true, false, true, false} {
		if c.Rows[i].Counts != want || (c.Rows[i].Note == "") != want {
			t.Errorf("row %d: %+v", i, c.Rows[i])
		}
	}
	none := Case{Rows: []Money{{Resource: a, Value: fleet.Unknown}}}
	if none.settle(); none.Total.Known() {
		t.Errorf("the total of what has no price is %v", none.Total)
	}
}

func TestActionsLeaveOut(t *testing.T) {
	good := finding(detectors.SessionSaturated, detectors.VariantFlow, "", detectors.Info)
	for name, change := range map[string]func(*Finding){
		"over":      func(f *Finding) { f.AtEnd = false },
		"a hint":    func(f *Finding) { f.Hint = true },
		"blocked":   func(f *Finding) { f.BlockedBy = []string{"other"} },
		"no remedy": func(f *Finding) { f.Remedy = nil },
		"what is free": func(f *Finding) {
			*f = finding(detectors.PoolThroughputUnused, detectors.VariantUnallocated, "gcnv", detectors.Info)
		},
	} {
		f := good
		change(&f)
		o := &builder{weekly: &Weekly{Findings: []Finding{f}}}
		if actions := o.actions(); len(actions) != 0 {
			t.Errorf("%s: %+v", name, actions)
		}
	}
	o := &builder{weekly: &Weekly{Findings: []Finding{good, good}}}
	if actions := o.actions(); len(actions) != 1 {
		t.Errorf("one remedy is told %d times", len(actions))
	}
}

// What hurts comes first, then what costs nothing, then what is faster by most, then what saves most.
func TestActionsInOrder(t *testing.T) {
	usd := func(f Finding, value float64) Finding {
		f.WasteUSDPerMonth = &value
		f.Resource.Pool = f.Variant
		return f
	}
	gain := func(f Finding, high float64, host string) Finding {
		f.Gain, f.Resource.Host = &detectors.Gain{Low: 1, High: high, Unit: "factor"}, host
		return f
	}
	session := finding(detectors.SessionSaturated, detectors.VariantFlow, "", detectors.Info)
	o := &builder{weekly: &Weekly{Findings: []Finding{
		usd(finding(detectors.PoolThroughputUnused, detectors.VariantStranded, "gcnv", detectors.Info), 100),
		usd(finding(detectors.PoolThroughputUnused, detectors.VariantFlexCustom, "gcnv", detectors.Info), 900),
		gain(session, 1.5, "a"), gain(session, 3, "b"),
		finding(detectors.LimitReached, detectors.VariantIOPS, "gcnv", detectors.Warning),
	}}}
	var got []string
	for _, action := range o.actions() {
		got = append(got, action.Kind+" "+label(action.Resource))
	}
	want := []string{"repair p", "faster b", "faster a", "saving flex_custom", "saving stranded_capacity"}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}

// What is lacked is what the plan gives up to the need, and no more.
func TestLacked(t *testing.T) {
	made := &plan.Plan{Volumes: []plan.Allocation{
		{Current: 100, Need: 130, Propose: 150}, {Current: 100, Need: 130, Propose: 120}, {Current: 100, Need: 50, Propose: 60}, {Current: fleet.Unknown, Need: 10, Propose: 20},
	}}
	if got := lackedOf(made); got != 50 {
		t.Errorf("%v MiB/s, want 30 and 20", got)
	}
	// Both are short of 100 before and after: what one is given the other lacks.
	short := &plan.Plan{Volumes: []plan.Allocation{{Current: 128, Need: 230, Propose: 163}, {Current: 256, Need: 264, Propose: 221}}}
	if got := lackedOf(short); got != 0 {
		t.Errorf("%v MiB/s in a pool that is short as a whole, want 0", got)
	}
	if got := lackedOf(&plan.Plan{}); got.Known() {
		t.Errorf("of no volume %v", got)
	}
}
