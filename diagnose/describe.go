package diagnose

import (
	"fmt"
	"strings"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// The states of a mount.
const (
	stateActive       = "active"
	stateIdle         = "idle"
	stateThin         = "insufficient_data"
	stateUnresponsive = "unresponsive"
)

func describe(mount *fleet.Mount, endpoint *fleet.Endpoint, client *fleet.Client, findings []detectors.Finding, settings detectors.Settings) Mount {
	path := onPath(mount, findings)
	described := Mount{
		MountPoints: mount.MountPoints, MoreMounts: mount.MoreMounts, Host: mount.Host, Server: mount.Server, ServerName: mount.ServerName, Export: mount.Export,
		Protocol: mount.Protocol, Version: mount.Version, Sessions: endpoint.Count(),
		State:      detectors.StateOf(mount, endpoint, client, settings),
		Operations: mount.Operations(), ReadRate: mount.ReadRate, WriteRate: mount.WriteRate,
		RTT:      mount.OnWire().Over(mount.Operations()),
		Ladder:   Ladder(mount, endpoint, client, findings),
		Findings: []string{}, Notes: detectors.Notes(mount, endpoint, client),
	}
	for _, finding := range path {
		described.Findings = append(described.Findings, finding.ID)
	}
	if described.MountPoints == nil {
		described.MountPoints = []string{}
	}
	if described.Notes == nil {
		described.Notes = []string{}
	}
	described.Verdict = verdict(described, path)
	return described
}

// verdict says in one sentence how the mount is and why.
func verdict(m Mount, path []detectors.Finding) string {
	switch {
	case m.State == stateThin:
		return "Too few readings to judge: rates need at least two moments, a verdict a full window."
	case m.State == stateIdle && len(path) == 0:
		return fmt.Sprintf("Idle: %s, nothing waits.", rate(m.Operations))
	case len(path) == 0:
		return "Healthy: " + slack(m)
	}
	names := make([]string, len(path))
	for i, finding := range path {
		names[i] = finding.Detector + "/" + finding.Variant
	}
	for _, step := range m.Ladder {
		if step.Binding {
			return fmt.Sprintf("Bound at the step %q: %s.", step.Step, strings.Join(names, ", "))
		}
	}
	return "Findings: " + strings.Join(names, ", ") + "."
}

// slack says how much room the fullest step leaves.
func slack(m Mount) string {
	fullest := Step{Utilisation: fleet.Unknown}
	for _, step := range m.Ladder {
		if step.Utilisation.Known() && !fullest.Utilisation.Above(float64(step.Utilisation)) {
			fullest = step
		}
	}
	reasons := []string{fmt.Sprintf("%s answered in %s on average", rate(m.Operations), duration(m.RTT))}
	if m.Operations == 0 {
		reasons = []string{"no operations"}
	}
	if fullest.Utilisation.Known() {
		reasons = append(reasons, fmt.Sprintf("the fullest step (%s) is used to %s", fullest.Step, percent(fullest.Utilisation)))
	}
	return strings.Join(reasons, "; ") + ", and no rule found a limit."
}
