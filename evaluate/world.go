package evaluate

import (
	"context"
	"time"

	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/model"
)

// World is a simulated fleet with a clock of its own. It is used by one goroutine.
type World interface {
	// Now is the moment that the world stands at.
	Now() time.Time
	// Advance takes the world to a moment. One that has passed changes nothing.
	Advance(to time.Time)
	// Collect reads every source that is due at a moment through its collector: hosts with each tick, clouds with their
	// grains, as late as they deliver. The world has been advanced to that moment.
	Collect(ctx context.Context, at time.Time) ([]schema.Sample, error)
}

// Changer is a world whose fleet may become another one of the same hosts and volumes, which go on counting, from the moment on
// at which the world stands. Scenarios with changes need it.
type Changer interface {
	Change(to *model.Fleet) error
}

// Rememberer is a world whose clouds know their past. Scenarios with a past need it.
type Rememberer interface {
	// Past is what the clouds tell of the time from one moment to another, which is the start of the scenario.
	Past(ctx context.Context, from, to time.Time) ([]schema.Sample, error)
}

// Meter is a world that knows what its mounts have moved. Trying a remedy needs it.
type Meter interface {
	// Moved is how many bytes a mount has read and written since the start; false where there is no such mount.
	Moved(host, path string) (float64, bool)
}

// Setting is what a world is made of.
type Setting struct {
	Start time.Time
	Seed  uint64
	Noise float64       // deviation of what hosts count, as a share
	Past  time.Duration // how far back the clouds are asked
	Fleet *model.Fleet
}

// Opening makes a world, which stands at its start. Where the world is an io.Closer it is closed in the end. The error says
// what of the fleet is impossible.
type Opening func(ctx context.Context, setting Setting) (World, error)
