package detectors

import (
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
)

// aMember is a series of a volume whose latency is twice the usual since half past eleven.
func aMember(name string) baseline.Member {
	signal := baseline.Latency()
	return baseline.Member{
		Place:   baseline.Place{Cloud: "gcp", Service: "gcnv", Project: "example", Location: "europe-west3", Pool: "pool", Volume: name},
		Signal:  &signal,
		History: 30 * 24 * time.Hour,
		Incident: baseline.Incident{
			Kind: baseline.Level, Start: noon.Add(-30 * time.Minute), Value: 4 * ms, Base: 2 * ms, Rarity: 4, Settled: true,
		},
	}
}

func anomalyOf(change func(*fleet.Anomaly)) fleet.Anomaly {
	anomaly := fleet.Anomaly{Merged: baseline.Merged{Start: noon.Add(-30 * time.Minute), Root: aMember("one")}}
	change(&anomaly)
	return anomaly
}

func throughputOf(name string, factor float64) baseline.Member {
	member := aMember(name)
	signal := baseline.Throughput()
	member.Signal, member.Incident.Base, member.Incident.Value = &signal, 100<<20, factor*(100<<20)
	return member
}

func TestAnomaly(t *testing.T) {
	rows := []struct {
		name       string
		change     func(*fleet.Anomaly)
		variant    string // empty: no finding
		severity   Severity
		confidence float64 // 0.35 + 0.12 × 4 = 0.83 where nothing else is said
		volume     string
		says       string
	}{
		{"latency at twice its usual", func(*fleet.Anomaly) {}, VariantLevel, Info, 0.85, "one",
			"The latency of volume one rose to 4 ms from its usual 2 ms, by a factor of 1.98, since 2026-11-30 11:30 UTC."},
		{"… for 15 minutes", func(a *fleet.Anomaly) { a.Root.Incident.Severe = true }, VariantLevel, Warning, 0.85, "one", "rose"},
		{"rare beyond doubt", func(a *fleet.Anomaly) { a.Root.Incident.Rarity = 9 }, VariantLevel, Info, 0.95, "one", "rose"},
		{"a young series", func(a *fleet.Anomaly) { a.Root.History = 7 * 24 * time.Hour }, VariantLevel, Info, 0.65, "one", "rose"},
		{"over", func(a *fleet.Anomaly) { a.Root.Incident.End = noon }, "", 0, 0, "", ""},
		{"not long enough for a name", func(a *fleet.Anomaly) { a.Root.Incident.Kind, a.Root.Incident.Settled = baseline.Spike, false }, "", 0, 0, "", ""},
		{"a spike that is back", func(a *fleet.Anomaly) { a.Root.Incident.Kind = baseline.Spike },
			VariantSpike, Info, 0.85, "one", "rose"},
		{"throughput at a tenth", func(a *fleet.Anomaly) { a.Root = throughputOf("one", 0.1) }, VariantLevel, Info, 0.85, "one",
			"The throughput of volume one fell to 10 MiB/s from its usual 100 MiB/s"},
		{"throughput at three times, however long", func(a *fleet.Anomaly) {
			a.Root = throughputOf("one", 3)
			a.Root.Incident.Severe = true
		}, VariantLevel, Info, 0.85, "one", "rose"},
		{"throughput, and latency with it", func(a *fleet.Anomaly) {
			a.Root = throughputOf("one", 0.1)
			latency := aMember("one")
			latency.Incident.Severe = true
			a.Others = []baseline.Member{latency}
		}, VariantLevel, Warning, 0.85, "one", "With it 1 other series on the same path."},
		{"two volumes of a pool are the pool's", func(a *fleet.Anomaly) { a.Others = []baseline.Member{aMember("two")} },
			VariantLevel, Info, 0.85, "", "With it 1 other series"},
		{"a flatline", func(a *fleet.Anomaly) {
			a.Root.Incident = baseline.Incident{Kind: baseline.Flatline, Start: noon.Add(-time.Hour), Value: 3 * ms, Settled: true}
		}, VariantFlatline, Info, 0.95, "one", "has been exactly 3 ms since 2026-11-30 11:00 UTC"},
		{"a silence", func(a *fleet.Anomaly) {
			a.Root.Incident = baseline.Incident{Kind: baseline.Stale, Start: noon.Add(-time.Hour), Settled: true}
		}, VariantStale, Warning, 0.95, "one", "There is no sample of latency of volume one since 2026-11-30 11:00 UTC."},
		{"in an expected window, with changes", func(a *fleet.Anomaly) {
			a.Expected, a.Changes = []string{"backup"}, []string{"limit of volume one from 500 to 250 MiB/s", "mount options at host-1"}
		}, VariantLevel, Info, 0.85, "one",
			"It began in the expected window backup. What changed at that time: limit of volume one from 500 to 250 MiB/s; mount options at host-1."},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			findings := judgeAnomalies(anomalyOf(row.change))
			if row.variant == "" {
				if len(findings) != 0 {
					t.Fatalf("%+v, want nothing", findings)
				}
				return
			}
			if len(findings) != 1 {
				t.Fatalf("%d findings, want one", len(findings))
			}
			f := findings[0]
			if f.Variant != row.variant || f.Severity != row.severity || f.Confidence != row.confidence || f.Resource.Volume != row.volume ||
				f.Resource.Pool != "pool" || !strings.Contains(f.Summary, row.says) || len(f.Remedy) == 0 {
				t.Errorf("%+v\nwant %s, %s, %v, volume %q, %q", f, row.variant, row.severity, row.confidence, row.volume, row.says)
			}
		})
	}
}

func judgeAnomalies(anomalies ...fleet.Anomaly) []Finding {
	p := newPass(&fleet.Fleet{At: noon, Anomalies: anomalies}, DefaultSettings())
	var findings []Finding
	for _, d := range AnomalyRule().judge(p) {
		findings = append(findings, p.finding(d))
	}
	return findings
}

func TestAnomalyScopes(t *testing.T) {
	regional := anomalyOf(func(a *fleet.Anomaly) {
		a.Scope = baseline.ScopeRegion
		for _, pool := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
			member := aMember("v")
			member.Place.Pool = pool
			a.Others = append(a.Others, member)
		}
	})
	f := judgeAnomalies(regional)[0]
	if want := (fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "example", Location: "europe-west3"}); f.Resource != want {
		t.Errorf("a regional incident is about %+v, want %+v", f.Resource, want)
	}
	if want := "In region europe-west3 11 series left their usual within 15 minutes."; !strings.Contains(f.Summary, want) {
		t.Errorf("%q, want %q", f.Summary, want)
	}
	last := f.Evidence[len(f.Evidence)-1]
	if last.Name != "more series" || last.Value != 2 {
		t.Errorf("%+v, want two more series than are shown", last)
	}

	provider := anomalyOf(func(a *fleet.Anomaly) {
		a.Scope, a.Root.Incident.Kind = baseline.ScopeProvider, baseline.Stale
		elsewhere := aMember("v")
		elsewhere.Place.Location, elsewhere.Incident.Kind = "us-east4", baseline.Stale
		a.Others = []baseline.Member{elsewhere}
	})
	f = judgeAnomalies(provider)[0]
	if f.Resource.Location != "" || f.Resource.Service != "gcnv" || !strings.Contains(f.Summary, "Nothing of gcnv is reported any more, 2 series, since 2026-11-30 11:30 UTC.") {
		t.Errorf("%+v: %q", f.Resource, f.Summary)
	}
}

// TestAnomalyIsNamed: the row has every variant of the closed list and no other.
func TestAnomalyIsNamed(t *testing.T) {
	var want []string
	for _, name := range Names() {
		if name.Detector == Anomaly {
			want = append(want, name.Variant)
		}
	}
	if got := AnomalyRule().Variants; strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAnomalyIsLast: whatever names a cause on the same path blocks the statistic, and is not blocked by it.
func TestAnomalyIsLast(t *testing.T) {
	anomaly := judgeAnomalies(anomalyOf(func(a *fleet.Anomaly) { a.Others = []baseline.Member{aMember("two")} }))[0]
	limit := Finding{ID: "limit", Detector: LimitReached, Variant: VariantThroughput, State: Firing, Resource: fleet.ResourceAt(aMember("two").Place), Since: anomaly.Since}
	elsewhere, before := limit, limit
	elsewhere.ID, elsewhere.Resource.Pool = "elsewhere", "another"
	before.ID, before.Since = "before", anomaly.Since.Add(-time.Hour)
	findings := []Finding{limit, elsewhere, before, anomaly}
	block(findings)
	if got := findings[3].BlockedBy; len(got) != 1 || got[0] != "limit" {
		t.Errorf("the anomaly is blocked by %v, want the limit of one of its volumes", got)
	}
	if len(findings[0].BlockedBy) > 0 {
		t.Errorf("the limit is blocked by %v", findings[0].BlockedBy)
	}
}

// Each series shows a number that it has: what is silent or stands still has no usual to be off from.
func TestAnomalyEvidenceByKind(t *testing.T) {
	mixed := anomalyOf(func(a *fleet.Anomaly) {
		a.Root.Incident.Kind, a.Root.Incident.Base = baseline.Stale, 0
		for _, kind := range []baseline.Kind{baseline.Level, baseline.Flatline, baseline.Stale} {
			member := aMember("v")
			member.Incident.Kind = kind
			if kind != baseline.Level {
				member.Incident.Base = 0
			}
			a.Others = append(a.Others, member)
		}
	})
	evidence := judgeAnomalies(mixed)[0].Evidence
	silent := noon.Sub(mixed.Root.Incident.Start).Seconds()
	for i, want := range []struct {
		name  string
		value float64
		unit  string
	}{
		{"without a sample", silent, "seconds"},
		{": factor", mixed.Others[0].Incident.Effect(mixed.Others[0].Signal.Offset), "factor"},
		{": value", mixed.Others[1].Incident.Value, mixed.Others[1].Signal.Unit},
		{": without a sample", noon.Sub(mixed.Others[2].Incident.Start).Seconds(), "seconds"},
	} {
		if got := evidence[i]; !strings.HasSuffix(got.Name, want.name) || float64(got.Value) != want.value || got.Unit != want.unit {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
