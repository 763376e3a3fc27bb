package faults

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// maxActive bounds what a client of the control endpoint can pile up.
const maxActive = 1_000

// Active is a fault that was injected and not yet removed.
type Active struct {
	ID    int       `json:"id"`
	Since time.Time `json:"since"` // the service's time at the injection
	Hits  int       `json:"hits"`  // calls that it hit; faults of data are not counted
	Fault Fault     `json:"fault"`
	seen  int       // calls that matched
}

// Set is the faults in force. Its methods may be called from several goroutines.
type Set struct {
	now    func() time.Time
	mu     sync.Mutex
	last   int
	active map[int]*Active
}

// NewSet is a set without faults; now is the service's time.
func NewSet(now func() time.Time) *Set {
	return &Set{now: now, active: map[int]*Active{}}
}

// Inject puts a fault in force and returns what Remove takes. An error says what in the fault makes no sense.
func (s *Set) Inject(fault Fault) (int, error) {
	if err := fault.check(); err != nil {
		return 0, fmt.Errorf("inject fault %q: %w", fault.Kind, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.active) >= maxActive {
		return 0, fmt.Errorf("inject fault %q: %d faults are in force already; remove some", fault.Kind, maxActive)
	}
	s.last++
	s.active[s.last] = &Active{ID: s.last, Since: s.now(), Fault: fault}
	return s.last, nil
}

// Remove ends a fault and tells whether it was in force.
func (s *Set) Remove(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.active[id]
	delete(s.active, id)
	return ok
}

// Clear ends every fault.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.active)
}

// List is the faults in force in the order of their injection.
func (s *Set) List() []Active {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Active, 0, len(s.active))
	for _, active := range s.sorted() {
		list = append(list, *active)
	}
	return list
}

func (s *Set) sorted() []*Active {
	return slices.SortedFunc(maps.Values(s.active), func(a, b *Active) int { return cmp.Compare(a.ID, b.ID) })
}

// Call is the faults that hit one call, which thereby counts as a hit. One that has hit often enough is removed.
func (s *Set) Call(method, project string) []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	var hits []Fault
	for _, active := range s.sorted() {
		fault := active.Fault
		if fault.ofData() || !matches(fault.Method, method) || !matches(fault.Project, project) {
			continue
		}
		if active.seen++; active.seen <= fault.Skip {
			continue
		}
		active.Hits++
		hits = append(hits, fault)
		if active.Hits == fault.Times {
			delete(s.active, active.ID)
		}
	}
	return hits
}

// Data is the faults in force that hit the points of some series or volumes.
func (s *Set) Data() []Active {
	return slices.DeleteFunc(s.List(), func(active Active) bool { return !active.Fault.ofData() || active.Fault.Kind == ClockSkew })
}

// Skew is how far the service's clock is off: the sum of the skews in force.
func (s *Set) Skew() time.Duration {
	var skew time.Duration
	for _, active := range s.List() {
		if active.Fault.Kind == ClockSkew {
			skew += active.Fault.Delay
		}
	}
	return skew
}

// Hits tells whether a fault of data is about a volume, and about a metric of it. An empty metric stands for the volume
// itself.
func (f Fault) Hits(project, location, volume, metric string) bool {
	return matches(f.Project, project) && matches(f.Location, location) && matches(f.Volume, volume) &&
		(metric == "" || matches(f.Metric, metric))
}

func matches(selector, value string) bool { return selector == "" || selector == value }
