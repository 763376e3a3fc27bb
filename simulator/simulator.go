// Package simulator is one local server that speaks the protocols of the clouds nasight reads, for tests, for the demo
// and for people: Cloud Monitoring over gRPC, the NetApp API, the metadata server of Compute Engine and a control
// endpoint over HTTP. Its data come from a described fleet with known truth (package model), not from noise.
package simulator

import (
	_ "embed"
	"fmt"
	"math"
	"time"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/gcp"
	"github.com/nasight/nasight/simulator/model"
)

//go:embed fleets/example.yml
var example []byte

// Example is a small fleet with each finding about Google's storage planted once, and a healthy twin for each. Every
// call makes a new one.
func Example() (*model.Fleet, error) { return model.Parse("example.yml", example) }

// Options says what is served and how. The zero value serves the example fleet on two free loopback ports.
type Options struct {
	Fleet *model.Fleet // nil for Example()
	Seed  uint64       // of the fleet's noise and of the delays of its points
	Model *model.Model // of a fleet in motion; it takes the place of Fleet, Seed and Epoch

	// Epoch is the moment at which the fleet's means, used space and inodes hold, and from which its steps, growth and
	// replication lag count. Zero is the clock's time at the start, cut to the hour. Points exist for any time before
	// and after it.
	Epoch time.Time

	// Clock is the time source; nil is time.Now. A test sets it to move time by hand.
	Clock func() time.Time
	// Speed is how fast the service's time runs against Clock, counted from the start; 0 is 1.
	Speed float64

	// Access maps each bearer token that is accepted to the ids of the projects that it may read; an empty list is all
	// projects. An unknown token gives 401, another project 403. A nil map accepts any token, and none.
	Access map[string][]string

	// Instance is the name of the fleet's instance that the metadata server stands for; empty is the first.
	Instance string

	GRPCAddress string // listen address of Cloud Monitoring; empty is a free loopback port
	HTTPAddress string // listen address of everything else; empty is a free loopback port
}

// maxSpeed lets a day pass in a second.
const maxSpeed = 86_400

// complete fills defaults in.
func (o *Options) complete() error {
	if o.Model != nil {
		o.Fleet = o.Model.Fleet()
	}
	if o.Fleet == nil {
		fleet, err := Example()
		if err != nil {
			return fmt.Errorf("read the example fleet: %w", err)
		}
		o.Fleet = fleet
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if !(o.Speed > 0 && o.Speed <= maxSpeed) { // NaN fails both
		return fmt.Errorf("speed %g is out of range: above 0, to %d", o.Speed, maxSpeed)
	}
	if o.Epoch.IsZero() {
		o.Epoch = o.Clock().Truncate(time.Hour)
	}
	if o.Model == nil {
		o.Model = model.New(o.Fleet, o.Seed, o.Epoch)
	}
	const loopback = "127.0.0.1:0"
	if o.GRPCAddress == "" {
		o.GRPCAddress = loopback
	}
	if o.HTTPAddress == "" {
		o.HTTPAddress = loopback
	}
	return nil
}

// instance is what the metadata server stands for; nil where the fleet has no instances.
func (o *Options) instance() (*model.Instance, error) {
	for _, instance := range o.Fleet.Instances {
		if o.Instance == "" || instance.Name == o.Instance {
			return instance, nil
		}
	}
	if o.Instance != "" {
		return nil, fmt.Errorf("the fleet has no instance %q", o.Instance)
	}
	return nil, nil
}

// sped is a clock that starts with another one and runs faster or slower.
func sped(clock func() time.Time, speed float64) func() time.Time {
	if speed == 1 {
		return clock
	}
	start := clock()
	return func() time.Time {
		passed := float64(clock().Sub(start)) * speed
		return start.Add(time.Duration(min(passed, math.MaxInt64/2)))
	}
}

// Inject makes something go wrong until the returned function is called, or Times calls were hit. An error says what in
// the fault makes no sense.
func (s *Server) Inject(fault faults.Fault) (remove func(), err error) {
	id, err := s.faults.Inject(fault)
	if err != nil {
		return nil, err
	}
	return func() { s.faults.Remove(id) }, nil
}

// Heal removes every fault.
func (s *Server) Heal() { s.faults.Clear() }

// Faults are the faults in force.
func (s *Server) Faults() []faults.Active { return s.faults.List() }

// Usage is what clients have called so far, and what it costs.
func (s *Server) Usage() gcp.Usage { return s.cloud.Usage() }

// Model answers what the fleet really did: the truth behind the served points.
func (s *Server) Model() *model.Model { return s.model }

// Now is the service's time, without any injected clock skew.
func (s *Server) Now() time.Time { return s.now() }
