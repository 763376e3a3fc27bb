package azurenetapp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// subscription is what is known of one subscription.
type subscription struct {
	id      string
	reading azureapi.Turn // of the inventory

	mu     sync.Mutex // guards what is below
	pools  map[string]*target
	listed time.Time    // when the inventory was last read, whole or in part
	asked  time.Time    // when it was last asked for
	stale  bool         // a metric's resource is gone: it is read again soon
	odd    azureapi.Odd // of the inventory and the tiers
}

// target is a capacity pool or a volume: what is known of it, and of its metrics.
type target struct {
	name    string // ACCOUNT/POOL, or the volume's
	pool    *pool
	volume  *volume            // nil for a pool
	volumes map[string]*target // of a pool, by name
	gone    bool               // the metrics do not know it any more: it is not asked for until it is listed again
	groups  map[*group]*groupState
}

// groupState is what is known of one group of metrics of a target.
type groupState struct {
	cursor  time.Time    // end of the last complete window
	partial bool         // a metric of the last answer was missing
	read    time.Time    // when the last complete window was read
	gap     azureapi.Gap // of the past
	refused map[string]refusal
	series  map[*row]*azureapi.Track
	fresh   map[*row][]azureapi.Point // not emitted yet
}

// refusal is a metric that the service refuses by itself.
type refusal struct {
	err   error
	until time.Time
}

func newSubscription(id string) *subscription {
	return &subscription{id: id, reading: azureapi.NewTurn(), pools: map[string]*target{}, odd: azureapi.Odd{}}
}

func newTarget(name string) *target {
	return &target{name: name, volumes: map[string]*target{}, groups: map[*group]*groupState{}}
}

// state finds the state of a group; the caller holds the lock.
func (t *target) state(g *group) *groupState {
	if t.groups[g] == nil {
		t.groups[g] = &groupState{refused: map[string]refusal{}, series: map[*row]*azureapi.Track{}, fresh: map[*row][]azureapi.Point{}}
	}
	return t.groups[g]
}

// id is the resource that metrics are asked of.
func (t *target) id() string {
	if t.volume != nil {
		return t.volume.id
	}
	return t.pool.id
}

// targets are the pools or volumes whose metrics a group has, those first that have waited longest.
func (sub *subscription) targets(g *group) []*target {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	all := slices.DeleteFunc(sub.all(), func(t *target) bool { return t.gone || !g.has(t) })
	slices.SortStableFunc(all, func(x, y *target) int { return x.state(g).cursor.Compare(y.state(g).cursor) })
	return all
}

// all are the pools and their volumes; the caller holds the lock.
func (sub *subscription) all() []*target {
	var found []*target
	for _, p := range sub.sorted() {
		found = append(found, p)
		for _, name := range slices.Sorted(maps.Keys(p.volumes)) {
			found = append(found, p.volumes[name])
		}
	}
	return found
}

// labels name a target in its samples.
func (sub *subscription) labels(t *target) []string {
	labels := []string{Cloud, Service, sub.id, t.pool.location, t.pool.name}
	if t.volume != nil {
		labels = append(labels, t.volume.name)
	}
	return labels
}

// sorted are the pools by name; the caller holds the lock.
func (sub *subscription) sorted() []*target {
	found := make([]*target, 0, len(sub.pools))
	for _, name := range slices.Sorted(maps.Keys(sub.pools)) {
		found = append(found, sub.pools[name])
	}
	return found
}

// known says whether the inventory was ever read.
func (sub *subscription) known() bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	return !sub.listed.IsZero()
}

// note counts odd input of the inventory or of a tier until its next emission tells it.
func (sub *subscription) note(what string, odd map[string]int) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	sub.odd.Note(what, odd)
}

// lock makes the caller the only reader of the inventory.
func (sub *subscription) lock(ctx context.Context) (unlock func(), err error) {
	return sub.reading.Take(ctx)
}

// accountOf is the account of ACCOUNT/POOL.
func accountOf(pool string) string {
	account, _, _ := strings.Cut(pool, "/")
	return account
}
