package detectors

import (
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/baseline"
	"github.com/nasight/nasight/fleet"
)

const changesShown = 5

// anomalySummary says what changed, by how much, since when, and what else did then.
func anomalySummary(a fleet.Anomaly) string {
	text := rootSummary(a.Root)
	switch a.Scope {
	case baseline.ScopeRegion:
		text = fmt.Sprintf("In region %s %d series left their usual within 15 minutes. The farthest: %s", a.Resource().Location, 1+len(a.Others), text)
	case baseline.ScopeProvider:
		text = fmt.Sprintf("Nothing of %s is reported any more, %d series, since %s.", a.Resource().Service, 1+len(a.Others), clockTime(a.Start))
	case baseline.ScopeChain:
		if len(a.Others) > 0 {
			text += fmt.Sprintf(" With it %d other series on the same path.", len(a.Others))
		}
	}
	if len(a.Expected) > 0 {
		text += " It began in the expected window " + strings.Join(a.Expected, ", ") + "."
	}
	if changes := a.Changes[:min(len(a.Changes), changesShown)]; len(changes) > 0 {
		text += " What changed at that time: " + strings.Join(changes, "; ") + "."
	}
	return text
}

func rootSummary(m baseline.Member) string {
	incident, subject := m.Incident, seriesWords(m)
	since := clockTime(incident.Start)
	switch incident.Kind {
	case baseline.Stale:
		return fmt.Sprintf("There is no sample of %s since %s.", subject, since)
	case baseline.Flatline:
		return fmt.Sprintf("The %s has been exactly %s since %s, though it changes otherwise, as when its source repeats an old value.",
			subject, inUnit(m.Signal, incident.Value), since)
	}
	verb := "fell"
	if incident.Value > incident.Base {
		verb = "rose"
	}
	return fmt.Sprintf("The %s %s to %s from its usual %s, by a factor of %s, since %s.", subject, verb,
		inUnit(m.Signal, incident.Value), inUnit(m.Signal, incident.Base), number(fleet.Value(incident.Effect(m.Signal.Offset))), since)
}

func memberWords(m baseline.Member) string {
	return seriesWords(m) + ", " + string(m.Incident.Kind) + " since " + clockTime(m.Incident.Start)
}

func seriesWords(m baseline.Member) string {
	words := m.Signal.Name
	switch p := m.Place; {
	case p.Volume != "":
		words += " of volume " + p.Volume
	case p.Pool != "":
		words += " of pool " + p.Pool
	}
	if m.Place.Host != "" {
		words += " at " + m.Place.Host
	}
	return words
}

func inUnit(signal *baseline.Signal, value float64) string {
	switch signal.Unit {
	case "seconds":
		return milliseconds(fleet.Value(value))
	case "bytes per second":
		return mebibytes(fleet.Value(value))
	}
	return operations(fleet.Value(value))
}

func clockTime(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

func anomalyRemedy(a fleet.Anomaly) []Remedy {
	switch a.Root.Incident.Kind {
	case baseline.Stale:
		return []Remedy{{
			ByHand: handLook,
			What:   "Look whether the source still reports: the collector's success and its errors, then the service's own status.",
			Caveat: "Until it does, no rule can judge this resource.",
		}}
	case baseline.Flatline:
		return []Remedy{{
			ByHand: handLook,
			What:   "Compare with another source, such as the clients' own counters: the service or an exporter may repeat its last value. A load that stands at a limit looks the same.",
			Caveat: "Rules that read this series judge an old value meanwhile.",
		}}
	}
	return []Remedy{{
		ByHand: handLook,
		What:   "Compare with what changed at that time: configuration, mounts, limits, the jobs that ran.",
		Caveat: "A statistic says that this is unusual, not that it is wrong. After 48 hours it is taken for the new usual.",
	}}
}
