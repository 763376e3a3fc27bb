package diagnose

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// Report is the result of a diagnosis; its JSON is what check --format json prints.
type Report struct {
	Host       string              `json:"host"`
	Kernel     string              `json:"kernel,omitempty"`
	Window     Window              `json:"window"`
	Mounts     []Mount             `json:"mounts"`
	Findings   []detectors.Finding `json:"findings"`
	Collectors []CollectorState    `json:"collectors"`
	Notes      []string            `json:"notes,omitempty"` // about the record itself
}

// Window is the time that the report covers.
type Window struct {
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Seconds float64   `json:"seconds"`
	Moments int       `json:"moments"`
}

// CollectorState is what a collector's runs came to.
type CollectorState struct {
	Name    string         `json:"name"`
	Success bool           `json:"success"`
	Reason  string         `json:"reason"`            // why it failed or found nothing; empty when it delivered
	Skipped map[string]int `json:"skipped,omitempty"` // odd input by reason
}

// Mount is what the report says of one mount.
type Mount struct {
	MountPoints []string    `json:"mountpoints"`
	MoreMounts  int         `json:"more_mountpoints,omitempty"` // beyond those listed
	Host        string      `json:"host"`
	Server      string      `json:"server"`
	ServerName  string      `json:"server_name"`
	Export      string      `json:"export"`
	Protocol    string      `json:"protocol"`
	Version     string      `json:"version"`
	Sessions    fleet.Value `json:"sessions"`
	State       string      `json:"state"`
	Operations  fleet.Value `json:"operations_per_second"`
	ReadRate    fleet.Value `json:"read_bytes_per_second"`
	WriteRate   fleet.Value `json:"write_bytes_per_second"`
	RTT         fleet.Value `json:"rtt_seconds"`
	Ladder      []Step      `json:"ladder"`
	Verdict     string      `json:"verdict"`
	Findings    []string    `json:"findings"` // ids of the findings on the mount's path
	Notes       []string    `json:"notes"`
}

// Name is the mount as an operator writes it.
func (m Mount) Name() string { return nameOf(m.Protocol, m.ServerName, m.Export) }

// nameOf is a mount of a server as its protocol writes it.
func nameOf(protocol, server, export string) string {
	switch protocol {
	case fleet.SMB:
		return "//" + server + "/" + strings.TrimPrefix(export, "/")
	case fleet.ISCSI:
		return export + " at " + server
	}
	return server + ":" + export
}

// On is where the mount is mounted, for people.
func (m Mount) On() string {
	if len(m.MountPoints) == 0 {
		return "(no mount point visible)"
	}
	on := strings.Join(m.MountPoints, ", ")
	if m.MoreMounts > 0 {
		on += fmt.Sprintf(" and %d more", m.MoreMounts)
	}
	return on
}

// WriteJSON writes the report as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// Worst is the highest severity among the findings, 0 without any.
func (r *Report) Worst() detectors.Severity {
	worst := detectors.Severity(0)
	for _, finding := range r.Findings {
		worst = max(worst, finding.Severity)
	}
	return worst
}

// Blind tells why the report says nothing of the host: its mounts could not be read at all. Empty where they could.
func (r *Report) Blind() string {
	if len(r.Mounts) > 0 {
		return ""
	}
	failed := ""
	for _, state := range r.Collectors {
		switch {
		case slices.Contains(mountCollectors, state.Name) && !state.Success:
			return "the mounts could not be read: " + state.Reason
		case state.Success:
			return ""
		}
		failed = state.Reason
	}
	return "no collector could read its source; the last one said: " + failed
}
