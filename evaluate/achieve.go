package evaluate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nasight/nasight/simulator/model"
)

// achieve plays a truth's time twice, without and with its remedy, and holds against each other what the mounts moved. It
// is nil where no remedy is to be tried, or nothing moved without it.
func achieve(ctx context.Context, s *Scenario, promise Promise, open Opening) (*Achieved, error) {
	if promise.Remedied == nil {
		return nil, nil
	}
	without, err := moved(ctx, s, promise, s.Fleet, s.Changes, open)
	if err != nil {
		return nil, err
	}
	with, err := moved(ctx, s, promise, promise.Remedied.Fleet, promise.Remedied.Changes, open)
	if err != nil || !(without > 0) {
		return nil, err
	}
	span := (promise.To - promise.From).Seconds()
	return &Achieved{Factor: with / without, BytesPerSecond: (with - without) / span}, nil
}

// moved is how many bytes the promise's mounts move while its truth holds, in a world with these fleets.
func moved(ctx context.Context, s *Scenario, promise Promise, first *model.Fleet, changes []Change, open Opening) (_ float64, err error) {
	world, err := s.open(ctx, first, open)
	if err != nil {
		return 0, err
	}
	defer closing(world, &err)
	meter, ok := world.(Meter)
	if !ok {
		return 0, errors.New("this world does not tell what its mounts move")
	}
	before := 0.0
	for since := time.Duration(0); ; since += tick {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if changes, err = change(world, changes, since); err != nil {
			return 0, err
		}
		world.Advance(s.Start.Add(since))
		if since == promise.From || since == promise.To {
			sum, err := sumOf(meter, promise.Remedied.Mounts)
			if err != nil || since == promise.To {
				return sum - before, err
			}
			before = sum
		}
	}
}

func sumOf(meter Meter, mounts []MountName) (float64, error) {
	sum := 0.0
	for _, mount := range mounts {
		bytes, ok := meter.Moved(mount.Host, mount.Path)
		if !ok {
			return 0, fmt.Errorf("there is no mount %s of %s", mount.Path, mount.Host)
		}
		sum += bytes
	}
	return sum, nil
}
