package model

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"
)

// Grain is the width of the windows in which a volume's load is constant, and the sample period of the cloud's metrics.
const Grain = 5 * time.Minute

// Burst is how far a throttled volume may pass its limit for a while, as a share of the limit: storage QoS lets up to a
// tenth through. The model stays below that.
const Burst = 0.1

// Model answers what the fleet does at any time. It holds no state but the description: every answer is a pure function
// of the fleet, the seed, the epoch and the question.
type Model struct {
	fleet        *Fleet
	seed         uint64
	epoch        time.Time
	volumes      []*Placement
	byPool       map[*Pool][]*Placement
	byPath       map[string]*Placement
	shares       []*SharePlacement
	sharesByPath map[string]*SharePlacement
	netapp       []*NetAppPlacement
	credits      *creditBook
	clients      Clients // nil: the descriptions say what is asked for
	phases       atomic.Pointer[[]phase]
}

// Placement is a volume with what it belongs to.
type Placement struct {
	Project *Project
	Pool    *Pool
	Volume  *Volume
	Path    string // projects/ID/locations/L/volumes/V
	key     uint64
	poolKey uint64
}

// Location is where the volume is: a region or a zone.
func (p *Placement) Location() string {
	if p.Volume.Location != "" {
		return p.Volume.Location
	}
	return p.Pool.Location
}

// New makes the model of a fleet that Parse, ReadFile or Complete has accepted. The fleet must not change afterwards.
func New(fleet *Fleet, seed uint64, epoch time.Time) *Model {
	m := &Model{fleet: fleet, seed: seed, epoch: epoch, byPool: map[*Pool][]*Placement{}, byPath: map[string]*Placement{}}
	for _, project := range fleet.Projects {
		for _, pool := range project.Pools {
			poolPath := fmt.Sprintf("projects/%s/locations/%s/storagePools/%s", project.ID, pool.Location, pool.Name)
			for _, volume := range pool.Volumes {
				p := &Placement{Project: project, Pool: pool, Volume: volume}
				p.Path = fmt.Sprintf("projects/%s/locations/%s/volumes/%s", project.ID, p.Location(), volume.Name)
				p.key, p.poolKey = hash(seed, p.Path), hash(seed, poolPath)
				m.volumes = append(m.volumes, p)
				m.byPool[pool] = append(m.byPool[pool], p)
				m.byPath[p.Path] = p
			}
		}
	}
	m.placeShares()
	m.placeNetApp()
	return m
}

// Fleet is the description. Do not change it.
func (m *Model) Fleet() *Fleet { return m.fleet }

// Epoch is the moment at which the description's values hold.
func (m *Model) Epoch() time.Time { return m.epoch }

// Volumes are all volumes in the description's order.
func (m *Model) Volumes() []*Placement { return m.volumes }

// Find is the volume at projects/ID/locations/L/volumes/V, nil if there is none.
func (m *Model) Find(path string) *Placement { return m.byPath[path] }

// Traffic is what one type of operations did over an interval.
type Traffic struct {
	Bytes      float64
	Operations float64
	LatencyMS  float64 // mean over the operations, inside the service; 0 without operations
}

// Traffic is what a volume's operations of one type did in (from, to]. Intervals add up: the bytes of two that touch are
// the bytes of the two together. An interval that ends before it starts has none.
func (m *Model) Traffic(p *Placement, op Op, from, to time.Time) Traffic {
	var sum Traffic
	for from.Before(to) {
		window := from.Truncate(Grain) // windows start at multiples of the grain since the year 1, and so of the Unix epoch
		end := window.Add(Grain)
		if to.Before(end) {
			end = to
		}
		rate := m.rate(p, op, window)
		seconds := end.Sub(from).Seconds()
		sum.Bytes += rate.Bytes * seconds
		sum.Operations += rate.Operations * seconds
		sum.LatencyMS += rate.LatencyMS * rate.Operations * seconds
		from = end
	}
	if sum.Operations > 0 {
		sum.LatencyMS /= sum.Operations
	}
	return sum
}

// rate is what a volume does per second in the window that starts at the given time.
func (m *Model) rate(p *Placement, op Op, window time.Time) Traffic {
	if then := m.At(window); then != m {
		return then.rate(p, op, window)
	}
	p = m.byPath[p.Path] // as this description has it
	pressure := m.pressure(p, window)
	asked := m.asked(p, op, window)
	latency := p.Volume.Load.latency(op) * pressure.slowdown
	if m.driven(p.Path, window) {
		latency, _ = m.clients.LatencyMS(p.Path, op, window, pressure.granted)
	}
	return Traffic{
		Bytes:      asked.Bytes * pressure.granted,
		Operations: asked.Operations * pressure.granted,
		LatencyMS:  latency * (1 + p.Volume.Load.noise()*m.signed(p.key, "latency"+string(op), window)),
	}
}

// Held tells whether clients ask a volume for more than its limit at a time.
func (m *Model) Held(p *Placement, at time.Time) bool {
	if then := m.At(at); then != m {
		return then.Held(p, at)
	}
	p = m.byPath[p.Path] // as this description has it
	asked, _ := m.load(p, at.Truncate(Grain))
	return asked.Bytes > p.Limit()*mib
}

// pressure is how a limit acts on a volume in a window.
type pressure struct {
	granted  float64 // of what is asked for, 0 to 1
	slowdown float64 // latency over that of the idle volume
}

// The latency rises by three tenths up to the limit, and beyond it by three times what is asked for too much: requests
// queue at the limit. The cap is what clients with a bounded number of requests outstanding reach.
const (
	riseToLimit  = 0.3
	riseBeyond   = 3.0
	mostSlowdown = 20.0
	shownBurst   = 0.04 // stays below Burst, so that a throttled volume shows a plateau
)

func (m *Model) pressure(p *Placement, window time.Time) pressure {
	if then := m.At(window); then != m {
		return then.pressure(p, window)
	}
	p = m.byPath[p.Path] // as this description has it
	mean, clustered := m.load(p, window)
	byBytes, byOperations := mean.over(p)
	over := max(byBytes, byOperations)
	if over <= 1 {
		bytesAtOnce, operationsAtOnce := clustered.over(p)
		return pressure{granted: 1, slowdown: slowed(max(bytesAtOnce, operationsAtOnce))}
	}
	granted := 1 / over
	if byBytes > byOperations {
		key := p.key
		if p.Pool.Shared() {
			key = p.poolKey // the volumes share the burst, or else their sum would not be the pool's
		}
		granted = min(1, granted*(1+shownBurst*m.unit(key, "burst", window)))
		if byOperations > 0 {
			granted = min(granted, 1/byOperations) // the burst is of throughput alone
		}
	}
	return pressure{granted: granted, slowdown: slowed(over)}
}

// slowed is the latency over that of the idle volume, where so much of a limit is asked for.
func slowed(over float64) float64 {
	if over <= 1 {
		return 1 + riseToLimit*over*over
	}
	return min(mostSlowdown, 1+riseToLimit+riseBeyond*(over-1))
}

// ratio is how much of a limit is asked for. A limit of nothing is passed by any request.
func ratio(asked, limit float64) float64 {
	if limit <= 0 {
		return math.MaxFloat32 * min(1, asked)
	}
	return asked / limit
}

// load is what is asked of the limit that bounds the volume: over the window, and while it is asked for. What the limit does
// not let through at once waits, and gets through before the window ends if the limit is as large as the mean.
func (m *Model) load(p *Placement, window time.Time) (mean, clustered Asked) {
	sharers := []*Placement{p}
	if p.Pool.Shared() {
		sharers = m.byPool[p.Pool]
	}
	for _, sharer := range sharers {
		within := max(sharer.Volume.Load.Within, leastWithin)
		for _, op := range Ops() {
			asked := m.asked(sharer, op, window)
			mean.Bytes += asked.Bytes
			mean.Operations += asked.Operations
			clustered.Bytes += asked.Bytes / within
			clustered.Operations += asked.Operations / within
		}
	}
	return mean, clustered
}

// over is how much of the limits that bound the volume is asked for.
func (a Asked) over(p *Placement) (byBytes, byOperations float64) {
	byBytes = ratio(a.Bytes, p.Limit()*mib)
	if iops := p.Pool.IOPS(); iops > 0 {
		byOperations = ratio(a.Operations, iops)
	}
	return byBytes, byOperations
}
