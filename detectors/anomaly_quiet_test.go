package detectors

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
)

// TestExplained: an anomaly is quiet, and evidence of the cause, exactly where a finding that fires names one on its path and
// began at about the same time.
func TestExplained(t *testing.T) {
	volume := fleet.ResourceAt(aMember("one").Place)
	client := volume
	client.Host, client.Server = "client.example.com", "192.0.2.10"
	sibling, pool, elsewhere := volume, volume, volume
	sibling.Volume, pool.Volume, elsewhere.Pool = "two", "", "another"
	since := noon.Add(-30 * time.Minute) // the anomaly's
	cause := func(detector, variant string, resource fleet.Resource, change func(*Finding)) Finding {
		f := Finding{ID: detector, Detector: detector, Variant: variant, State: Firing, Resource: resource, Since: since.Add(20 * time.Minute)}
		change(&f)
		return f
	}
	same := func(*Finding) {}
	rows := map[string]struct {
		cause Finding
		quiet bool
	}{
		"a limit of the volume":             {cause(LimitReached, VariantThroughput, volume, same), true},
		"a limit of the pool":               {cause(LimitReached, VariantThroughput, pool, same), true},
		"a limit of another volume":         {cause(LimitReached, VariantThroughput, sibling, same), false},
		"the same names in another pool":    {cause(LimitReached, VariantThroughput, elsewhere, same), false},
		"a client that mounts it":           {cause(SessionSaturated, VariantFlow, client, same), true},
		"a client that suffers":             {cause(ClientBound, VariantNetwork, fleet.Resource{Host: "h"}, func(f *Finding) { f.Affects = []fleet.Resource{client} }), true},
		"metadata":                          {cause(MetadataHeavy, VariantCeiling, volume, same), true},
		"money":                             {cause(PoolThroughputUnused, VariantAllocatedUnused, volume, same), false},
		"space":                             {cause(HardLimit, VariantCapacity, volume, same), false},
		"credits that are still to run out": {cause(LimitReached, VariantCredits, volume, same), false},
		"half an hour before":               {cause(LimitReached, VariantThroughput, volume, func(f *Finding) { f.Since = since.Add(-30 * time.Minute) }), true},
		"longer before":                     {cause(LimitReached, VariantThroughput, volume, func(f *Finding) { f.Since = since.Add(-31 * time.Minute) }), false},
		"longer after":                      {cause(LimitReached, VariantThroughput, volume, func(f *Finding) { f.Since = since.Add(31 * time.Minute) }), false},
		"kept":                              {cause(LimitReached, VariantThroughput, volume, func(f *Finding) { f.State = Keep }), true},
		"on its way":                        {cause(LimitReached, VariantThroughput, volume, func(f *Finding) { f.State = Pending }), false},
		"since longer after, at least": {cause(LimitReached, VariantThroughput, volume, func(f *Finding) {
			f.Since, f.SinceAtLeast = since.Add(5*time.Hour), true
		}), true},
		"since longer before, at least": {cause(LimitReached, VariantThroughput, volume, func(f *Finding) {
			f.Since, f.SinceAtLeast = since.Add(-31*time.Minute), true
		}), false},
		"of another volume since longer after, at least": {cause(LimitReached, VariantThroughput, sibling, func(f *Finding) {
			f.Since, f.SinceAtLeast = since.Add(5*time.Hour), true
		}), false},
		"so at the first look, to be confirmed": {cause(LimitReached, VariantThroughput, volume, func(f *Finding) {
			f.State, f.Since, f.SinceAtLeast = Pending, since.Add(5*time.Hour), true
		}), true},
		"a hint": {cause(LimitReached, VariantThroughput, volume, func(f *Finding) { f.Hint = true }), false},
	}
	for name, row := range rows {
		findings := []Finding{row.cause, judgeAnomalies(anomalyOf(func(*fleet.Anomaly) {}))[0]}
		findings[1].State = Firing
		block(findings)
		anomaly := findings[1]
		if quiet := anomaly.Quiet == QuietExplained; quiet != row.quiet || quiet != (len(anomaly.BlockedBy) == 1) || quiet != (len(findings[0].Evidence) == 1) {
			t.Errorf("%s: quiet %q, blocked by %v, evidence of the cause %v; want quiet: %v", name, anomaly.Quiet, anomaly.BlockedBy, findings[0].Evidence, row.quiet)
		}
	}
}

// TestStandingAtALimit: what is held at its limit may have begun to be so at any time, and stands still.
func TestStandingAtALimit(t *testing.T) {
	flat := judgeAnomalies(anomalyOf(func(a *fleet.Anomaly) {
		a.Root.Incident = baseline.Incident{Kind: baseline.Flatline, Start: noon.Add(-5 * time.Hour), Value: 1, Settled: true}
	}))[0]
	limit := Finding{ID: "limit", Detector: LimitReached, Variant: VariantThroughput, State: Firing, Resource: flat.Resource, Since: noon}
	findings := []Finding{limit, flat}
	if block(findings); findings[1].Quiet != QuietExplained {
		t.Errorf("%+v, want it explained", findings[1])
	}
}

// TestRegionIsNotExplained: one path does not explain what reaches over a region.
func TestRegionIsNotExplained(t *testing.T) {
	regional := judgeAnomalies(anomalyOf(func(a *fleet.Anomaly) {
		a.Scope = baseline.ScopeRegion
		other := aMember("v")
		other.Place.Pool = "another"
		a.Others = []baseline.Member{other}
	}))[0]
	limit := Finding{ID: "limit", Detector: LimitReached, Variant: VariantThroughput, State: Firing, Resource: fleet.ResourceAt(aMember("one").Place), Since: regional.Since}
	findings := []Finding{limit, regional}
	if block(findings); findings[1].Quiet != "" {
		t.Errorf("%+v, want it to notify", findings[1])
	}
}

// roundOf is one evaluation that finds a level of each of some volumes, since a while.
func roundOf(at time.Time, baselines int, volumes ...string) Round {
	view := &fleet.Fleet{At: at, Baselines: baselines}
	for _, name := range volumes {
		view.Anomalies = append(view.Anomalies, anomalyOf(func(a *fleet.Anomaly) {
			a.Root = aMember(name)
			a.Root.Place.Pool = "pool of " + name
			a.Start = at.Add(-20 * time.Minute)
		}))
	}
	return Judge(view, DefaultSettings())
}

// rationed are the volumes whose anomalies do not notify, and how many do.
func rationed(l *Lifecycle) (names []string, loud int) {
	for _, f := range l.Active() {
		switch {
		case f.Quiet == QuietRationed:
			names = append(names, f.Resource.Volume)
		case f.State == Firing:
			loud++
		}
	}
	return names, loud
}

// TestRation: five a day of a thousand series, three a day of one resource; the rest is listed and quiet, for as long as it
// lasts, also after a restart.
func TestRation(t *testing.T) {
	l := NewLifecycle(DefaultSettings())
	var volumes []string
	for i := range 8 {
		volumes = append(volumes, fmt.Sprintf("v%d", i))
	}
	l.Step(roundOf(noon, 1000, volumes...))
	silent, loud := rationed(l)
	if len(silent) != 3 || loud != 5 {
		t.Fatalf("%v quiet, %d notify; want 3 and 5", silent, loud)
	}
	saved, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	l = NewLifecycle(DefaultSettings())
	if err := json.Unmarshal(saved, l); err != nil {
		t.Fatal(err)
	}
	l.Step(roundOf(noon.Add(time.Minute), 1000, append(volumes, "later")...))
	if silent, loud := rationed(l); len(silent) != 4 || loud != 5 {
		t.Errorf("after a restart %v quiet, %d notify; want 4 and 5", silent, loud)
	}
	// A larger fleet may say more, and a day later there is room again; what was quiet stays so.
	l.Step(roundOf(noon.Add(2*time.Minute), 1500, append(volumes, "later", "larger")...))
	if _, loud := rationed(l); loud != 6 {
		t.Errorf("of 1,500 series %d notify, want 6", loud)
	}
	for at := noon.Add(3 * time.Minute); at.Before(noon.Add(24 * time.Hour)); at = at.Add(time.Minute) {
		l.Step(roundOf(at, 1000, volumes...))
	}
	l.Step(roundOf(noon.Add(24*time.Hour+time.Minute), 1000, append(volumes, "next day")...))
	if silent, loud := rationed(l); len(silent) != 3 || loud != 6 {
		t.Errorf("a day later %v quiet, %d notify; want the same 3, and one more", silent, loud)
	}
}

// TestRationOfOneResource: an anomaly that comes and goes notifies three times a day.
func TestRationOfOneResource(t *testing.T) {
	l, notified := NewLifecycle(DefaultSettings()), 0
	for i := range 6 {
		at := noon.Add(time.Duration(i) * 10 * time.Minute)
		l.Step(roundOf(at, 100_000, "one"))
		_, loud := rationed(l)
		notified += loud
		l.Step(roundOf(at.Add(time.Minute), 100_000))
		l.Step(roundOf(at.Add(2*time.Minute), 100_000))
	}
	if notified != 3 {
		t.Errorf("%d notifications, want 3", notified)
	}
}

// TestSinceOfAnAnomaly: it is that of the incident, not of the evaluation that saw it, and stays.
func TestSinceOfAnAnomaly(t *testing.T) {
	l := NewLifecycle(DefaultSettings())
	l.Step(roundOf(noon, 10, "one"))
	l.Step(roundOf(noon.Add(time.Minute), 10, "one"))
	if got := l.Active()[0]; !got.Since.Equal(noon.Add(-20*time.Minute)) || got.State != Firing {
		t.Errorf("%s since %s, want firing for 20 minutes at noon", got.State, got.Since)
	}
}
