package queue

import "fmt"

// Pace is the think time in seconds with which a class, alone on a volume and in its pool, asks for a rate in op/s: what
// a workload that is known by its rate needs instead of one. Other classes then slow it down as they would a real one. The
// error says that the class cannot reach the rate, and what binds it.
func Pace(c Class, v Volume, pools []Pool, rate float64) (think float64, err error) {
	if err := within("rate", rate, leastRate, mostRate); err != nil {
		return 0, fmt.Errorf("pace of %s on %s: %w", c.Client, c.Volume, err)
	}
	at := func(think float64) (Flow, error) {
		c.Think = think
		r, err := Solve(Network{Classes: []Class{c}, Volumes: []Volume{v}, Pools: pools})
		if err != nil {
			return Flow{}, fmt.Errorf("pace of %s on %s: %w", c.Client, c.Volume, err)
		}
		return r.Flows[0], nil
	}
	f, err := at(0)
	if err != nil {
		return 0, err
	}
	if f.Rate < rate {
		return 0, fmt.Errorf("pace of %s on %s: %g op/s are out of reach: with %g jobs it gets %.6g, bound by %s", c.Client, c.Volume, rate, c.Jobs, f.Rate, f.Bound)
	}
	low, high := 0.0, min(c.Jobs/rate, mostSeconds) // at high there is no time left for the operation itself
	for range 60 {
		think = (low + high) / 2
		if f, err = at(think); err != nil {
			return 0, err
		}
		if f.Rate > rate {
			low = think
		} else {
			high = think
		}
	}
	return think, nil
}
