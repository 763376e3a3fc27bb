package azure

import (
	"cmp"
	"slices"
	"sync"
)

// Usage is what clients have called.
type Usage struct {
	Calls []Calls `json:"calls"` // in the order of method and subscription
}

// Calls counts the calls of one kind for one subscription, answered or failed.
type Calls struct {
	Method       string `json:"method"`       // such as metrics.query
	Subscription string `json:"subscription"` // id as the client wrote it; empty for calls without one
	Count        int64  `json:"count"`
	Failed       int64  `json:"failed"` // answered with an error, or not at all
	Agent        string `json:"agent"`  // what the client of the last one said that it is
}

// Of counts the calls of one kind over all subscriptions.
func (u Usage) Of(method string) (total int64) {
	for _, calls := range u.Calls {
		if calls.Method == method {
			total += calls.Count
		}
	}
	return total
}

// Agent is what the client of the last call of one kind said that it is.
func (u Usage) Agent(method string) (agent string) {
	for _, calls := range u.Calls {
		if calls.Method == method {
			agent = calls.Agent
		}
	}
	return agent
}

// maxRows bounds what clients that make subscriptions up can make the counter hold; what is beyond it counts as "".
const maxRows = 10_000

type callKey struct{ method, subscription string }

// usage is the running count.
type usage struct {
	mu    sync.Mutex
	calls map[callKey]*Calls
}

func (u *usage) call(method, subscription, agent string, failed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := callKey{method, subscription}
	if u.calls[key] == nil && len(u.calls) >= maxRows {
		key.subscription = ""
	}
	row := u.calls[key]
	if row == nil {
		row = &Calls{Method: key.method, Subscription: key.subscription}
		u.calls[key] = row
	}
	row.Count++
	row.Agent = agent
	if failed {
		row.Failed++
	}
}

func (u *usage) snapshot() Usage {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := Usage{Calls: make([]Calls, 0, len(u.calls))}
	for _, row := range u.calls {
		out.Calls = append(out.Calls, *row)
	}
	slices.SortFunc(out.Calls, func(a, b Calls) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Subscription, b.Subscription))
	})
	return out
}
