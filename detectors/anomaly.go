package detectors

import (
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
)

const (
	anomalySure    = 0.95 // the most that a statistic is sure of
	anomalyBase    = 0.35
	anomalyPerRare = 0.12 // for each power of ten of rarity
	anomalyYoung   = 14 * 24 * time.Hour
	anomalyDoubt   = 0.8 // while the history is younger than that
	anomalyShown   = 8   // members in the evidence
)

// AnomalyRule is the row of detector 8. It judges what the view carries as anomalies; whoever builds the view runs the
// baselines.
func AnomalyRule() Rule {
	return Rule{
		Detector: Anomaly,
		Variants: []string{VariantLevel, VariantSpike, VariantFlatline, VariantStale},
		Question: "Did latency, throughput or operations leave their own pattern, or stop being reported?",
		Window:   30 * time.Minute,
		Timing:   Timing{Needed: 1, Of: 1, Keep: 1}, // the incident rule has waited already
		judge:    anomalies,
	}
}

// anomalies makes a finding of every incident whose kind is known.
func anomalies(p *pass) []draft {
	var drafts []draft
	for _, anomaly := range p.view.Anomalies {
		if settled(anomaly) {
			drafts = append(drafts, p.anomalyDraft(anomaly))
		}
	}
	return drafts
}

// settled: a departure is a spike if it is soon over and a level if it lasts for 15 minutes. Before one of both it has no name
// yet, and a finding never changes its name.
func settled(a fleet.Anomaly) bool { return a.Open() && a.Root.Incident.Settled }

func (p *pass) anomalyDraft(a fleet.Anomaly) draft {
	resource := a.Resource()
	return draft{
		name:      Name{Anomaly, anomalyVariant(a.Root.Incident.Kind)},
		severity:  anomalySeverity(a),
		resource:  resource,
		coverage:  anomalyConfidence(a.Root.Incident),
		certainty: anomalyCertainty(a),
		summary:   anomalySummary(a),
		evidence:  append(rerun(a.Query, p.evidence(resource, anomalyFacts(a.Root, p.view.At)...)), p.memberEvidence(a)...),
		remedy:    anomalyRemedy(a),
		affects:   anomalyAffects(a),
		since:     a.Start,
		band:      a.Band,
	}
}

func anomalyVariant(kind baseline.Kind) string {
	switch kind {
	case baseline.Level:
		return VariantLevel
	case baseline.Spike:
		return VariantSpike
	case baseline.Flatline:
		return VariantFlatline
	}
	return VariantStale
}

// anomalySeverity: what users feel, or what nobody can see any more, is a warning. More or less load alone is neither.
func anomalySeverity(a fleet.Anomaly) Severity {
	for _, member := range a.Members() {
		incident := member.Incident
		if incident.Kind == baseline.Stale || isLatency(member) && incident.Severe {
			return Warning
		}
	}
	return Info
}

func isLatency(m baseline.Member) bool { return m.Signal.Unit == "seconds" }

func anomalyConfidence(incident baseline.Incident) float64 {
	switch incident.Kind {
	case baseline.Flatline, baseline.Stale:
		return anomalySure // these are counted, not estimated
	}
	return min(anomalySure, anomalyBase+anomalyPerRare*incident.Rarity)
}

func anomalyCertainty(a fleet.Anomaly) float64 {
	if a.Root.History < anomalyYoung {
		return anomalyDoubt
	}
	return 1
}

// anomalyFacts are the root's numbers. What a flatline and a silence do not have is left out.
func anomalyFacts(m baseline.Member, now time.Time) []fact {
	incident, unit := m.Incident, m.Signal.Unit
	switch incident.Kind {
	case baseline.Stale:
		return []fact{{m.Signal.Name + " without a sample", silentFor(incident, now), "seconds", "", ""}}
	case baseline.Flatline:
		return []fact{{m.Signal.Name + " that does not change", fleet.Value(incident.Value), unit, "", ""}}
	}
	return []fact{
		{m.Signal.Name + " at its farthest", fleet.Value(incident.Value), unit, "", ""},
		{"usual " + m.Signal.Name, fleet.Value(incident.Base), unit, "", ""},
		{"factor between them", fleet.Value(incident.Effect(m.Signal.Offset)), unitFactor, atLeast(1 + baseline.LeastEffect), ""},
		{"rarity, in powers of ten", fleet.Value(incident.Rarity), "", atLeast(baseline.OpenRarity), ""},
	}
}

// rerun names the query of the first number, which is a sample.
func rerun(query string, evidence []Evidence) []Evidence {
	if len(evidence) > 0 {
		evidence[0].Query, evidence[0].Window = query, "5 minutes"
	}
	return evidence
}

// memberEvidence lists the other series, each with how far off it is; the first of many.
func (p *pass) memberEvidence(a fleet.Anomaly) []Evidence {
	var facts []fact
	for _, member := range a.Others[:min(len(a.Others), anomalyShown)] {
		facts = append(facts, memberFact(member, p.view.At))
	}
	if more := len(a.Others) - anomalyShown; more > 0 {
		facts = append(facts, fact{"more series", fleet.Value(more), "series", "", ""})
	}
	return p.evidence(a.Resource(), facts...)
}

// memberFact is what one of the others shows: how far off it is, and of what has no usual to be off from, what there is.
func memberFact(m baseline.Member, now time.Time) fact {
	name, incident := memberWords(m), m.Incident
	switch incident.Kind {
	case baseline.Stale:
		return fact{name + ": without a sample", silentFor(incident, now), "seconds", "", ""}
	case baseline.Flatline:
		return fact{name + ": value", fleet.Value(incident.Value), m.Signal.Unit, "", ""}
	}
	return fact{name + ": factor", fleet.Value(incident.Effect(m.Signal.Offset)), unitFactor, "", ""}
}

func silentFor(incident baseline.Incident, now time.Time) fleet.Value {
	return fleet.Value(now.Sub(incident.Start).Seconds())
}

// anomalyAffects are the places of the members, so that a finding about one of them is seen to lie on the same path.
func anomalyAffects(a fleet.Anomaly) []fleet.Resource {
	var affects []fleet.Resource
	for _, member := range a.Members() {
		affects = append(affects, fleet.ResourceAt(member.Place))
	}
	return affects
}
