// Package baseline learns what a series of measurements usually is, by half hour of the day, and tells when it is not.
//
// The method is a robust seasonal baseline with rank calibration. The usual value is a slow level, or the profile of the half
// hours where that is nearer; a sample moves either by a bounded step. How rare a distance from it is follows from the ranks of
// the largest distances so far, so that no distribution is assumed: among usual samples one in 10^q is as rare as q. Every
// series is judged in two scales, since rises show in the linear one and drops in the logarithmic one.
//
// All of it is arithmetic on plain structs: times are given, there is no clock, and the same samples give the same incidents.
package baseline

import (
	"cmp"
	"time"
)

// Signal is what the series of one kind have in common.
type Signal struct {
	ID    string        // by which keys name it; empty for its name. Signals of one name may come from sources that differ
	Name  string        // as it is read in a finding: read latency, throughput
	Unit  string        // seconds, bytes per second, operations per second
	Grain time.Duration // from sample to sample; faster sources are averaged before
	Delay time.Duration // how late a sample comes at most

	// Offset is added before the logarithm is taken and is the least change that counts, both in the unit: below it nothing is
	// told from nothing.
	Offset float64
	Rises  bool // a rise is an anomaly
	Drops  bool // a drop is one

	// Zone is where the days are that the series follows; nil for UTC. In a zone with daylight saving what runs at two at night
	// does so on either side of the change.
	Zone *time.Location

	// Stands says that the series may keep one value for hours: capacity, limits, counts, configuration.
	Stands bool
	// GapIsZero says that the source sends nothing where there is nothing, so that a gap is zero and not silence.
	GapIsZero bool
	// Sporadic says that samples come only while there is something to measure, so that a gap is no silence.
	Sporadic bool
}

// key is what a Key calls the signal.
func (s *Signal) key() string { return cmp.Or(s.ID, s.Name) }

const (
	mebibyte = 1 << 20

	nominalGrain = 5 * time.Minute
	netAppDelay  = 5 * time.Minute // samples of volumes are stale after 20 minutes
)

// Latency is the signal of the time that operations of a volume, share or client take, in seconds.
func Latency() Signal {
	return Signal{
		Name: "latency", Unit: "seconds", Grain: nominalGrain, Delay: netAppDelay, Offset: 0.05e-3, Rises: true,
	}
}

// Throughput is the signal of what is read and written, in bytes per second.
func Throughput() Signal {
	return Signal{
		Name: "throughput", Unit: "bytes per second", Grain: nominalGrain, Delay: netAppDelay, Offset: 0.1 * mebibyte,
		Rises: true, Drops: true,
	}
}

// Operations is the signal of operations per second.
func Operations() Signal {
	return Signal{
		Name: "operations", Unit: "operations per second", Grain: nominalGrain, Delay: netAppDelay, Offset: 1,
		Rises: true, Drops: true,
	}
}

// local is a time as the clocks of the signal's zone show it, in seconds.
func (s *Signal) local(seconds int64) int64 {
	if s.Zone == nil {
		return seconds
	}
	_, offset := time.Unix(seconds, 0).In(s.Zone).Zone()
	return seconds + int64(offset)
}

// StaleAfter is how old the newest sample may become before the series counts as stale.
func (s *Signal) StaleAfter() time.Duration { return staleGrains*s.Grain + s.Delay }
