package gcp

import (
	"cmp"
	"slices"
	"sync"
)

// The price of reading metrics since 2025-10-02: series returned, the first million of a month free. The emulator
// counts everything since its start as one month.
const (
	freeSeries    = 1_000_000
	usdPerMillion = 0.50
)

// Usage is what clients have called and what it costs.
type Usage struct {
	Calls          []Calls `json:"calls"`           // in the order of method and project
	SeriesReturned int64   `json:"series_returned"` // billed time series; one on two pages counts twice
	USD            float64 `json:"usd"`
}

// Calls counts the calls of one method for one project, answered or failed.
type Calls struct {
	Method  string `json:"method"`  // such as ListTimeSeries or volumes.list
	Project string `json:"project"` // id as the client wrote it; empty for the metadata server
	Count   int64  `json:"count"`
	Failed  int64  `json:"failed"` // answered with an error, or not at all
	Agent   string `json:"agent"`  // what the client of the last one said that it is
}

// Of counts the calls of one method over all projects.
func (u Usage) Of(method string) int64 {
	var total int64
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

// maxRows bounds what clients that make projects up can make the counter hold; what is beyond it counts as project "".
const maxRows = 10_000

type callKey struct{ method, project string }

// usage is the running count.
type usage struct {
	mu     sync.Mutex
	calls  map[callKey]*Calls
	series int64
}

func (u *usage) call(method, project, agent string, failed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := callKey{method, project}
	row, ok := u.calls[key]
	if !ok {
		if len(u.calls) >= maxRows {
			key.project = ""
		}
		if row, ok = u.calls[key]; !ok {
			row = &Calls{Method: key.method, Project: key.project}
			u.calls[key] = row
		}
	}
	row.Count++
	row.Agent = agent
	if failed {
		row.Failed++
	}
}

func (u *usage) returned(series int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.series += int64(series)
}

func (u *usage) snapshot() Usage {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := Usage{Calls: make([]Calls, 0, len(u.calls)), SeriesReturned: u.series}
	for _, row := range u.calls {
		out.Calls = append(out.Calls, *row)
	}
	slices.SortFunc(out.Calls, func(a, b Calls) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Project, b.Project))
	})
	out.USD = float64(max(0, u.series-freeSeries)) / 1e6 * usdPerMillion
	return out
}
