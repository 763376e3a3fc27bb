package diagnose

import (
	"fmt"
	"slices"
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
	state, path := Standing(mount, endpoint, client, findings, settings)
	described := Mount{
		MountPoints: mount.MountPoints, MoreMounts: mount.MoreMounts, Host: mount.Host, Server: mount.Server, ServerName: mount.ServerName, Export: mount.Export,
		Protocol: mount.Protocol, Version: mount.Version, Sessions: SessionsOf(mount, endpoint),
		State:      state,
		Operations: detectors.Operations(mount), ReadRate: mount.ReadRate, WriteRate: mount.WriteRate,
		RTT:      mount.OnWire().Over(mount.Operations()),
		Ladder:   Ladder(mount, endpoint, client, path),
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
	gaps := detectors.Gaps(mount, endpoint)
	if mount.Samples.Below(2) {
		gaps = nil // of too few readings there is nothing more to say
	}
	described.Verdict = verdict(described, path, gaps)
	return described
}

// Standing is how a mount fares, and the findings on its path. A mount that does nothing has only its own; one without a
// finding whose evidence has gaps is not judged.
func Standing(mount *fleet.Mount, endpoint *fleet.Endpoint, client *fleet.Client, findings []detectors.Finding, settings detectors.Settings) (string, []detectors.Finding) {
	path := onPath(mount, findings)
	state := detectors.StateOf(mount, endpoint, client, settings)
	if state == detectors.StateIdle {
		path = own(mount, path)
	}
	if len(path) == 0 && state != detectors.StateUnresponsive && len(detectors.Gaps(mount, endpoint)) > 0 {
		state = detectors.StateThin
	}
	return state, path
}

// own keeps the findings about the mount itself: what binds a host or a server does not bind a mount that does nothing.
func own(mount *fleet.Mount, path []detectors.Finding) []detectors.Finding {
	return slices.DeleteFunc(path, func(f detectors.Finding) bool {
		return f.Resource.Export != mount.Export && f.Detector != detectors.ServerUnresponsive
	})
}

// SessionsOf is the number of connections that the mount uses: those of its NFS version.
func SessionsOf(mount *fleet.Mount, endpoint *fleet.Endpoint) fleet.Value {
	if mount.Protocol == fleet.ISCSI && mount.Sessions.Known() {
		return mount.Sessions // of the target: a portal may have several
	}
	if transport := endpoint.TransportOf(mount); transport != nil && transport.Count.Known() {
		return transport.Count
	}
	return endpoint.Count()
}

// verdict says in one sentence how the mount is and why.
func verdict(m Mount, path []detectors.Finding, gaps []string) string {
	switch {
	case m.State == stateThin && len(gaps) == 0:
		return "Too few readings to judge: rates need at least two moments, a verdict a full window."
	case m.State == stateThin:
		return "Not judged: " + strings.Join(gaps, "; ") + ". No rule found a limit in what was read."
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
