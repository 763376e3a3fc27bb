package queue

import (
	"fmt"
	"math"
)

// The three queues on a class's way.
const (
	atSession = iota
	atClient
	atVolume
	queues
)

// class is one class while it is solved.
type class struct {
	of      *Class
	client  int // index into solver.clients
	volume  int // into solver.volumes
	factor  float64
	inside  float64 // M: min(jobs, slots)
	slots   float64 // C, infinite without
	think   float64
	delay   float64         // network, and the sessions' part that is no queue
	busiest float64         // weight of the busiest session
	demand  [queues]float64 // seconds
	own     [queues]float64 // operations of its own that it finds, beyond Schweitzer's (M−1)/M of them
	queue   [queues]float64 // operations of its own, mean
	step    [queues]float64 // the last change of queue
	trip    [queues]float64 // residence, seconds
	rate    float64         // op/s
}

// station is a queue that classes share: a client or a volume.
type station struct {
	queue float64 // operations of all classes
	busy  float64 // utilisation
}

// gate is a volume's or pool's pair of limits.
type gate struct {
	bytes, ops float64 // allowed per second, infinite without
	wait       float64 // seconds of each operation
	members    []int   // indices of classes, those without jobs left out
}

func (g *gate) open() bool { return math.IsInf(g.bytes, 1) && math.IsInf(g.ops, 1) }

type solver struct {
	network Network
	classes []class
	clients []station
	volumes []station
	limits  []gate    // of volumes
	pools   []gate    // of pools
	pool    []int     // of each volume, −1 without
	share   []float64 // of reads, of each volume
}

// build checks a network and finds who shares what.
func build(n Network) (*solver, error) {
	s := &solver{network: n, classes: make([]class, len(n.Classes)), volumes: make([]station, len(n.Volumes)),
		limits: make([]gate, len(n.Volumes)), pools: make([]gate, len(n.Pools)), pool: make([]int, len(n.Volumes)), share: make([]float64, len(n.Volumes))}
	pools, err := names("pool", n.Pools, func(p Pool) (string, Bucket, Bucket) { return p.Name, p.Bytes, p.Ops })
	if err != nil {
		return nil, err
	}
	volumes, err := names("volume", n.Volumes, func(v Volume) (string, Bucket, Bucket) { return v.Name, v.Bytes, v.Ops })
	if err != nil {
		return nil, err
	}
	for i, v := range n.Volumes {
		at, known := pools[v.Pool]
		if v.Pool == "" {
			at = -1
		} else if !known {
			return nil, fmt.Errorf("volume %q: there is no pool %q", v.Name, v.Pool)
		}
		s.pool[i] = at
	}
	clients := make(map[string]int)
	for i := range n.Classes {
		if err := s.add(i, clients, volumes); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Classes[i].place(i), err)
		}
	}
	s.clients = make([]station, len(clients))
	return s, nil
}

// names maps the names of volumes or pools to their indices.
func names[T any](what string, all []T, of func(T) (string, Bucket, Bucket)) (map[string]int, error) {
	at := make(map[string]int, len(all))
	for i, one := range all {
		name, bytes, ops := of(one)
		if _, twice := at[name]; twice || name == "" {
			return nil, fmt.Errorf("%s %d: its name %q is empty or there twice", what, i, name)
		}
		if err := bytes.check(); err != nil {
			return nil, fmt.Errorf("%s %q, bytes: %w", what, name, err)
		}
		if err := ops.check(); err != nil {
			return nil, fmt.Errorf("%s %q, ops: %w", what, name, err)
		}
		at[name] = i
	}
	return at, nil
}

func (s *solver) add(i int, clients, volumes map[string]int) error {
	c := &s.network.Classes[i]
	if err := c.check(); err != nil {
		return err
	}
	volume, known := volumes[c.Volume]
	if !known {
		return fmt.Errorf("there is no volume %q", c.Volume)
	}
	client, known := clients[c.Client]
	if !known {
		client = len(clients)
		clients[c.Client] = client
	}
	s.classes[i] = prepare(c, client, volume)
	if c.Jobs == 0 {
		return nil
	}
	s.limits[volume].members = append(s.limits[volume].members, i)
	if p := s.pool[volume]; p >= 0 {
		s.pools[p].members = append(s.pools[p].members, i)
	}
	return nil
}

// prepare turns a class's settings into demands: Seidmann's split of the sessions, the soft knee, the cost of channels.
func prepare(c *Class, client, volume int) class {
	k := class{of: c, client: client, volume: volume, factor: c.penalty(), inside: c.Jobs, slots: math.Inf(1), think: c.Think, busiest: c.busiest()}
	if c.Slots > 0 {
		k.slots = float64(c.Slots)
		k.inside = min(c.Jobs, k.slots)
	}
	session := k.factor * c.SessionTime * (1 + c.Knee*float64(c.Sessions-1))
	k.demand[atSession] = session * k.busiest
	k.demand[atClient] = k.factor * c.ClientTime
	k.delay = k.factor*c.RTT + session*(1-k.busiest)
	return k
}

// penalty is what several channels make of every time: 10/9 for one job and for a hot file, nothing from eight jobs on.
func (c *Class) penalty() float64 {
	if !c.Multichannel || c.Sessions == 1 {
		return 1
	}
	if c.HotFile {
		return 10. / 9
	}
	const free = 8
	return 1 + min(max((free-c.Jobs)/(free-1), 0), 1)/9
}

func (c *Class) busiest() float64 {
	if c.Skew == nil {
		return 1 / float64(c.Sessions)
	}
	most, sum := 0.0, 0.0
	for _, w := range c.Skew {
		most, sum = max(most, w), sum+w
	}
	return most / sum
}

// limit sets what the buckets allow in a step.
func (s *solver) limit(state State, seconds float64) {
	for i, v := range s.network.Volumes {
		t := state.tokens(state.Volumes, v.Name, v.Bytes, v.Ops)
		s.limits[i].bytes, s.limits[i].ops = v.Bytes.allowed(t.Bytes, seconds), v.Ops.allowed(t.Ops, seconds)
	}
	for i, p := range s.network.Pools {
		t := state.tokens(state.Pools, p.Name, p.Bytes, p.Ops)
		s.pools[i].bytes, s.pools[i].ops = p.Bytes.allowed(t.Bytes, seconds), p.Ops.allowed(t.Ops, seconds)
	}
}
