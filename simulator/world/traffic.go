package world

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/queue"
)

// traffic says what every mount gets in a window, where no limit of a cloud holds it back: it is the clients that drive
// the model.
type traffic struct {
	model *model.Model

	mu     sync.RWMutex
	scenes map[*model.Model]*scene // of each description of the fleet
}

// scene is the mounts of one description.
type scene struct {
	base   *model.Model // of all descriptions: it knows what adds up over time
	model  *model.Model
	groups []*group
	ofHost map[string][]*group
	lanes  map[string][]lane // by the path of a volume or share
	part   map[*group]*part
}

// at is the scene of a window.
func (t *traffic) at(window time.Time) *scene {
	then := t.model.At(window)
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.scenes[then]
}

// add makes the scene of a description, before anybody can ask for it.
func (t *traffic) add(m *model.Model) error {
	s, err := newScene(t.model, m)
	if err == nil {
		err = s.try()
	}
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scenes[m] = s
	return nil
}

// lane is one mount of a group.
type lane struct {
	group *group
	mount int
}

// part is groups that share a host or a volume, one with the other: they are solved together. Solutions are remembered by
// the numbers of threads, and by the window for as long as these move.
type part struct {
	groups []*group
	place  map[*group]int
	steady bool // the numbers of threads never change

	mu      sync.Mutex
	known   map[string]*solution
	windows map[int64]*solution // by the window's beginning; the only one at 0 where the part is steady
}

// solution is what the groups of a part get with so many threads.
type solution struct {
	threads [][]float64 // of each mount of each group
	classes []queue.Class
	flows   []queue.Flow
	err     error // that the network is impossible
}

// mostKnown bounds what a part remembers. Loads move in steps, so a day has far fewer; a month has fewer windows of Google's.
const mostKnown = 10_000

func newScene(base, m *model.Model) (*scene, error) {
	places, err := placesOf(m)
	if err != nil {
		return nil, err
	}
	t := &scene{
		base: base, model: m, groups: groups(m.Fleet(), places), ofHost: map[string][]*group{}, lanes: map[string][]lane{}, part: map[*group]*part{},
	}
	for _, g := range t.groups {
		t.ofHost[g.host.Name] = append(t.ofHost[g.host.Name], g)
		for i, path := range g.paths {
			if path != "" {
				t.lanes[path] = append(t.lanes[path], lane{g, i})
			}
		}
	}
	t.divide()
	return t, nil
}

// divide finds the parts.
func (t *scene) divide() {
	by := map[string]*part{}
	for _, g := range t.groups {
		one := &part{groups: []*group{g}}
		for _, key := range []string{"host " + g.host.Name, "volume " + g.volume} {
			if other := by[key]; other != nil && other != one {
				other.groups = append(other.groups, one.groups...)
				for shared, p := range by {
					if p == one {
						by[shared] = other
					}
				}
				one = other
			}
			by[key] = one
		}
		for _, member := range one.groups {
			t.part[member] = one
		}
	}
	for _, p := range t.part {
		p.settle()
	}
}

// settle prepares a part whose groups are known.
func (p *part) settle() {
	p.place, p.known, p.windows, p.steady = map[*group]int{}, map[string]*solution{}, map[int64]*solution{}, true
	for i, g := range p.groups {
		p.place[g] = i
		for _, mount := range g.mounts {
			p.steady = p.steady && mount.Load.Pattern == model.Constant
		}
	}
}

// threadSteps is how many steps a load of many threads takes from nothing to its most.
const threadSteps = 256

// threads is the jobs of each mount of a group in the window of a time. They are not the caller's to change.
func (t *scene) threads(g *group, window time.Time) []float64 {
	p := t.part[g]
	return t.solved(p, window).threads[p.place[g]]
}

func (t *scene) countThreads(g *group, window time.Time) []float64 {
	out := make([]float64, len(g.mounts))
	for i, mount := range g.mounts {
		most := mount.Load.Threads
		now := t.model.Threads(g.host, mount, window.Truncate(g.grain))
		if step := most / threadSteps; step > 0 && mount.Load.Pattern != model.Constant {
			now = math.Round(now/step) * step
		}
		out[i] = now
	}
	return out
}

// flow is what a group gets in the window of a time without any limit of the cloud, and its class.
func (t *scene) flow(g *group, window time.Time) (queue.Flow, queue.Class, error) {
	p := t.part[g]
	s, i := t.solved(p, window), p.place[g]
	if s.err != nil {
		return queue.Flow{}, queue.Class{}, fmt.Errorf("host %s, server %s: %w", g.host.Name, g.first().Server, s.err)
	}
	return s.flows[i], s.classes[i], nil
}

// solved is what a part gets in the window of a time.
func (t *scene) solved(p *part, window time.Time) *solution {
	index := int64(0)
	if !p.steady {
		index = window.Truncate(model.ShareGrain).Unix()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.windows[index]; s != nil {
		return s
	}
	next := &solution{}
	for _, g := range p.groups {
		threads := t.countThreads(g, window)
		next.threads = append(next.threads, threads)
		next.classes = append(next.classes, g.class(threads))
	}
	key := fmt.Sprint(next.threads)
	s := p.known[key]
	if s == nil {
		s = next
		var result queue.Result
		result, s.err = queue.Solve(p.network(s.classes))
		s.flows = result.Flows
		remember(p.known, key, s)
	}
	remember(p.windows, index, s)
	return s
}

func remember[K comparable](known map[K]*solution, key K, s *solution) {
	if len(known) >= mostKnown {
		clear(known)
	}
	known[key] = s
}

func (p *part) network(classes []queue.Class) queue.Network {
	n := queue.Network{Classes: classes}
	seen := map[string]bool{}
	for _, g := range p.groups {
		if !seen[g.volume] {
			seen[g.volume] = true
			n.Volumes = append(n.Volumes, queue.Volume{Name: g.volume, OpTime: g.opTime})
		}
	}
	return n
}

// try solves the networks once, so that what is impossible is said at the start.
func (t *scene) try() error {
	for _, g := range t.groups {
		full := make([]float64, len(g.mounts))
		for i, mount := range g.mounts {
			full[i] = mount.Load.Threads
		}
		if _, err := queue.Solve((&part{groups: []*group{g}}).network([]queue.Class{g.class(full)})); err != nil {
			return fmt.Errorf("host %s, server %s: %w", g.host.Name, g.first().Server, err)
		}
	}
	return nil
}
