// Package evaluate holds the detectors against what is known to be true: scenarios that the simulator plays, and recordings of
// real hosts with labels. It scores episodes and not single evaluations: what matters is whether a condition was named, how soon,
// and how often nothing was said for nothing.
package evaluate

//go:generate go run ./generate ../docs/evaluation.md ../testdata/scenarios ../testdata/captures

import (
	"time"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

// Truth is a condition that holds in a scenario. Times count from the scenario's start.
type Truth struct {
	detectors.Name
	Resource fleet.Resource // what is empty matches anything
	From, To time.Duration  // both included
	Cause    string         // a word for reports
	Limit    *time.Duration // when the limit is reached that the finding foresees; nil where none is foreseen
	Achieved *Achieved      // what the remedy brought; nil where it was not tried
}

// Achieved is what a remedy brought when it was applied in the simulator.
type Achieved struct {
	Factor         float64 // of the throughput before
	BytesPerSecond float64 // more than before
}

// in is what was achieved in the unit in which a finding predicts it.
func (a *Achieved) in(unit string) fleet.Value {
	value := fleet.Unknown
	switch {
	case a == nil:
	case unit == unitFactor && a.Factor > 0:
		value = fleet.Value(a.Factor)
	case unit == unitBytes && a.BytesPerSecond > 0:
		value = fleet.Value(a.BytesPerSecond)
	}
	return value
}

// The units of a detectors.Gain.
const (
	unitFactor = "factor"
	unitBytes  = "bytes per second"
)

// Episode is a finding from when it began to fire until it did so no more.
type Episode struct {
	detectors.Name
	Resource   fleet.Resource
	Moments    []time.Duration // the evaluations at which it fired, in order; at least one
	Open       bool            // it fired at the last evaluation
	Confidence float64         // when it began to fire
	Gain       *detectors.Gain // as first predicted while it fired; nil where it never was
}

// From is the first evaluation at which the finding fired.
func (e Episode) From() time.Duration { return e.Moments[0] }

// To is the last evaluation at which the finding fired.
func (e Episode) To() time.Duration { return e.Moments[len(e.Moments)-1] }

// held is the gain that an episode predicts beside what the truth's remedy brought; the latter is missing where the two cannot
// be held against each other.
func (e Episode) held(truth Truth) (detectors.Gain, fleet.Value) {
	if e.Gain == nil || !(e.Gain.Low+e.Gain.High > 0) {
		return detectors.Gain{}, fleet.Unknown
	}
	return *e.Gain, truth.Achieved.in(e.Gain.Unit)
}

// changes counts how often the finding appeared or went away.
func (e Episode) changes() int {
	if e.Open {
		return 1
	}
	return 2
}

// overlap is the first evaluation at which the episode fired while the truth held.
func (t Truth) overlap(e Episode) (time.Duration, bool) {
	for _, at := range e.Moments {
		if at >= t.From && at <= t.To {
			return at, true
		}
	}
	return 0, false
}

// fits tells whether a resource has everything that the truth says of its own.
func (t Truth) fits(r fleet.Resource) bool {
	has := parts(r)
	for i, want := range parts(t.Resource) {
		if want != "" && want != has[i] {
			return false
		}
	}
	return true
}

// agrees tells whether a resource may be on the truth's path: nothing that both name differs.
func (t Truth) agrees(r fleet.Resource) bool {
	has := parts(r)
	for i, want := range parts(t.Resource) {
		if want != "" && has[i] != "" && want != has[i] {
			return false
		}
	}
	return true
}

func parts(r fleet.Resource) []string {
	return []string{r.Cloud, r.Service, r.Project, r.Location, r.Pool, r.Volume, r.Host, r.Server, r.Export, r.Protocol}
}
