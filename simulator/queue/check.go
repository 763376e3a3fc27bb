package queue

import (
	"errors"
	"fmt"
	"math"
)

// What a network may be asked about. The ranges are far beyond any real one; they keep every product in float64.
const (
	mostJobs     = 1e6
	mostSeconds  = 1e5
	leastTrip    = 1e-9 // seconds of a job's way without waiting: below it a rate has no meaning
	mostBlock    = 1 << 30
	mostSlots    = 1 << 20
	mostSessions = 1 << 10
	mostKnee     = 10
	leastRate    = 1e-3
	mostRate     = 1e15
	leastStep    = 1e-3
)

// within refuses NaN too.
func within(what string, v, least, most float64) error {
	if v >= least && v <= most {
		return nil
	}
	return fmt.Errorf("%s %g is out of range: %g to %g", what, v, least, most)
}

func (c *Class) check() error {
	return errors.Join(
		within("jobs", c.Jobs, 0, mostJobs),
		within("think time", c.Think, 0, mostSeconds),
		within("block", c.Block, 0, mostBlock),
		within("slots", float64(c.Slots), 0, mostSlots),
		within("sessions", float64(c.Sessions), 1, mostSessions),
		within("knee", c.Knee, 0, mostKnee),
		within("session time", c.SessionTime, 0, mostSeconds),
		within("client time", c.ClientTime, 0, mostSeconds),
		within("round trip", c.RTT, 0, mostSeconds),
		c.checkSkew(),
	)
}

func (c *Class) checkSkew() error {
	if c.Skew == nil {
		return nil
	}
	if len(c.Skew) != c.Sessions {
		return fmt.Errorf("skew has %d weights for %d sessions", len(c.Skew), c.Sessions)
	}
	sum := 0.0
	for j, w := range c.Skew {
		if err := within(fmt.Sprintf("weight of session %d", j), w, 0, mostRate); err != nil {
			return err
		}
		sum += w
	}
	return within("sum of the sessions' weights", sum, leastRate, math.Inf(1))
}

// place names a class in an error.
func (c *Class) place(i int) string { return fmt.Sprintf("class %d (%s on %s)", i, c.Client, c.Volume) }

func opTimeError(volume string, c *Class, share, t float64) error {
	return fmt.Errorf("volume %q: %g s for an operation of %g bytes at a read share of %g: must be 0 to %g", volume, t, c.Block, share, mostSeconds)
}
