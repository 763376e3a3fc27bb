// Package detectors names what binds each workload. A detector is a pure function from the fleet's view to findings:
// no I/O and no clock of its own. One file holds one detector; list.go is the table of them.
package detectors

import (
	"fmt"
	"time"

	"github.com/nasight/nasight/fleet"
)

// Severity says what a finding means to the workload.
type Severity int

const (
	// Info is efficiency or cost without impact on users now.
	Info Severity = iota + 1
	// Warning is performance lost now, or a limit within a day.
	Warning
	// Critical is errors, heavy throttling, or a limit within 15 minutes.
	Critical
)

// String is the severity's name in JSON and text.
func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Critical:
		return "critical"
	}
	return "none"
}

// MarshalText writes the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the severity's name, as a saved life cycle holds it.
func (s *Severity) UnmarshalText(text []byte) error {
	for severity := Severity(0); severity <= Critical; severity++ {
		if severity.String() == string(text) {
			*s = severity
			return nil
		}
	}
	return fmt.Errorf("severity %q is none of info, warning, critical", text)
}

// State is where a finding stands in its life cycle.
type State string

// The states of the life cycle.
const (
	Pending  State = "pending"  // true, but not for long enough
	Firing   State = "firing"   // true for long enough
	Keep     State = "keep"     // no longer true, not yet resolved
	Resolved State = "resolved" // gone
)

// Finding is one condition of one resource, with what shows it, what it costs and what to do. Its JSON is the same in
// the API, check, detect and the report.
type Finding struct {
	ID           string         `json:"id"` // stable for (detector, variant, resource)
	Detector     string         `json:"detector"`
	Variant      string         `json:"variant"`
	Severity     Severity       `json:"severity"`
	Confidence   float64        `json:"confidence"` // 0 to 1 in steps of 0.05
	Hint         bool           `json:"hint"`       // too unsure to notify
	State        State          `json:"state"`
	Since        time.Time      `json:"since"`
	SinceAtLeast bool           `json:"since_at_least,omitempty"` // it was so already when it was first looked at: it began at since or before
	Resource     fleet.Resource `json:"resource"`
	Summary      string         `json:"summary"`
	Evidence     []Evidence     `json:"evidence"` // numbers, each with its threshold and the query that gives it
	Gain         *Gain          `json:"gain"`     // nil where the rule predicts none

	WasteUSDPerMonth *float64 `json:"waste_usd_per_month"` // nil without an operator's price
	Remedy           []Remedy `json:"remedy"`              // what to do, the best first
	BlockedBy        []string `json:"blocked_by"`          // ids of findings to solve first
	// Quiet says why nobody is notified of a finding that is listed all the same; empty where nothing speaks against it.
	Quiet string `json:"quiet,omitempty"`

	Band *fleet.Band `json:"band,omitempty"` // of an anomaly, the newest sample beside what is usual; nil where that is not known, and of all other findings

	Affects []fleet.Resource `json:"-"` // mounts that suffer from it, where the resource itself names none
	Prices  []PriceRow       `json:"-"` // what the waste was computed with; empty where there is none
}

// Name is what the finding is called.
func (f Finding) Name() Name { return Name{f.Detector, f.Variant} }

// Evidence is one number that a rule judged.
type Evidence struct {
	Name      string      `json:"name"`
	Value     fleet.Value `json:"value"`
	Unit      string      `json:"unit"`
	Threshold string      `json:"threshold"` // such as ">= 0.9", in the unit; empty for context
	Window    string      `json:"window"`
	Query     string      `json:"query"` // PromQL that gives the value again; empty where it is not a query
}

// Gain is what the remedy is expected to bring.
type Gain struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Unit  string  `json:"unit"`  // "factor" of today's throughput, or "bytes per second"
	Model string  `json:"model"` // the formula's name and what it rests on
}

// Remedy is one thing to do.
type Remedy struct {
	What    string `json:"what"`
	Command string `json:"command"` // empty where there is none
	ByHand  string `json:"by_hand"` // why there is no command; empty where there is one
	Caveat  string `json:"caveat"`

	Sets []Setting `json:"-"` // the numbers that the command gives resources
}
