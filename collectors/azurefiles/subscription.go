package azurefiles

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

	mu       sync.Mutex // guards what is below
	accounts map[string]*account
	features []feature
	listed   time.Time // when the accounts were last listed
	tried    time.Time // when the inventory was last asked for
	invErr   error     // how that went
	errs     map[tier]error
	odd      azureapi.Odd    // of the inventory and the tiers
	noBatch  map[string]bool // regions that refuse batches
}

// longestAwait is how long a tier waits for the first reading of the inventory. That of many accounts, which the pace of requests
// draws out, is not waited for to its end: what is known is read.
const longestAwait = 20 * time.Second

// account is one storage account and what is known of its metrics.
type account struct {
	details *details    // from the list of accounts
	files   *fileConfig // of its file service; nil before it was read once
	wanted  bool        // itself or one of its shares
	asked   time.Time   // when the file service was last asked for
	unknown bool        // metrics name a share that the inventory does not have
	groups  map[*group]*groupState
}

// groupState is what is known of one group of metrics of an account.
type groupState struct {
	cursor  time.Time // end of the last complete window
	partial bool      // a metric of the last answer was missing
	mode    mode      // how the service lets itself be asked
	refused map[string]refusal
	series  map[seriesKey]*azureapi.Track
	fresh   map[seriesKey][]azureapi.Point // not emitted yet
	late    lateness
	gap     azureapi.Gap // of the past
}

// refusal is a metric that the service refuses by itself.
type refusal struct {
	err   error
	until time.Time
}

func newSubscription(id string) *subscription {
	return &subscription{
		id: strings.ToLower(id), reading: azureapi.NewTurn(), accounts: map[string]*account{}, errs: map[tier]error{},
		odd: azureapi.Odd{}, noBatch: map[string]bool{},
	}
}

func newGroupState() *groupState {
	return &groupState{refused: map[string]refusal{}, series: map[seriesKey]*azureapi.Track{}, fresh: map[seriesKey][]azureapi.Point{}, late: lateness{}}
}

// state finds the state of a group; the caller holds the lock.
func (a *account) state(g *group) *groupState {
	if a.groups[g] == nil {
		a.groups[g] = newGroupState()
	}
	return a.groups[g]
}

// readable are the accounts whose metrics of a group are asked for: those with a wanted share, the ones first that have waited
// longest.
func (sub *subscription) readable(g *group) []*account {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	var found []*account
	for _, a := range sub.accounts {
		if a.wanted && a.files != nil && len(a.files.shares) > 0 && len(g.rowsOf(a.details.class)) > 0 {
			found = append(found, a)
		}
	}
	slices.SortFunc(found, func(x, y *account) int {
		if c := x.state(g).cursor.Compare(y.state(g).cursor); c != 0 {
			return c
		}
		return strings.Compare(x.details.name, y.details.name)
	})
	return found
}

// known says whether the accounts were ever listed.
func (sub *subscription) known() bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	return !sub.listed.IsZero()
}

// complete says whether every account that is listed was asked for its shares once.
func (sub *subscription) complete() bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	for _, a := range sub.accounts {
		if a.asked.IsZero() {
			return false
		}
	}
	return !sub.listed.IsZero()
}

// await waits while the first reading of the inventory is under way, for a while: an account whose shares are not known yet is
// asked for no metrics before the next turn.
func (sub *subscription) await(ctx context.Context) {
	if sub.complete() {
		return
	}
	limited, cancel := context.WithTimeout(ctx, longestAwait)
	defer cancel()
	if unlock, err := sub.lock(limited); err == nil {
		unlock()
	}
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

// sorted are the accounts by name; the caller holds the lock.
func (sub *subscription) sorted() []*account {
	found := make([]*account, 0, len(sub.accounts))
	for _, name := range slices.Sorted(maps.Keys(sub.accounts)) {
		found = append(found, sub.accounts[name])
	}
	return found
}
