// Package budget stands in front of every request to a cloud's API: it counts requests and what they are billed by, says
// what a month costs so far and at its end, and tells when to read less often or not at all.
package budget

import (
	"sync"
	"time"

	"github.com/nasight/nasight/collectors"
)

// Price is what a cloud asks for reading its metrics.
type Price struct {
	Item          string  // what is billed, such as "time series returned"
	USDPerMillion float64 // of units
	FreePerMonth  float64 // units that each month has for nothing, all projects together
	Date          string  // when the price was read, as 2026-11-30
	Source        string  // where it was read
}

// Options are what a Budget is made of. The zero value of a limit is none.
type Options struct {
	Cloud, Service string // values of those labels; they also tell budgets apart in the memory
	Price          Price
	SoftUSD        float64           // above it, the projection of a month slows the reading down
	HardUSD        float64           // at it, what was spent in a month stops the costly reading
	Memory         collectors.Memory // keeps the month over restarts; nil to keep it in the process only
	Clock          func() time.Time  // nil for time.Now
}

// State is how a month's spending stands to its limits.
type State int

// The states, in rising order.
const (
	Within State = iota
	Soft         // the month will end above the soft limit unless less is read
	Hard         // the hard limit is reached
)

// longestStretch bounds how much less often the soft limit makes things read: five minutes become an hour.
const longestStretch = 12

// Budget is safe for concurrent use. Months are those of UTC.
type Budget struct {
	opts Options

	mu       sync.Mutex
	accounts map[string]*account
}

// account is one project.
type account struct {
	month    int                // year times hundred and month, to which units belong
	units    float64            // billed units of that month
	total    float64            // billed units since the start of the process
	requests map[request]int    // since the start of the process
	planned  map[string]float64 // units per second of each tier at its own pace
}

type request struct{ api, code string }

// New makes a budget. It takes up the month of a project where the memory has it.
func New(opts Options) *Budget {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	return &Budget{opts: opts, accounts: map[string]*account{}}
}

// account finds a project's account; the caller holds the lock. At the turn of a month it begins at zero.
func (b *Budget) account(project string) *account {
	month := monthOf(b.opts.Clock())
	a, ok := b.accounts[project]
	if !ok {
		a = &account{month: month, requests: map[request]int{}, planned: map[string]float64{}}
		if b.recall("month/"+project) == float64(month) {
			a.units = b.recall("units/" + project)
		}
		b.accounts[project] = a
	}
	if a.month != month {
		a.month, a.units = month, 0
	}
	return a
}

// Request counts one request to an API by its answer.
func (b *Budget) Request(project, api, code string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.account(project).requests[request{api, code}]++
}

// Charge adds billed units to the project's month. It returns their price in USD, the free units of a month not taken off.
func (b *Budget) Charge(project string, units int) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.account(project)
	a.units += float64(units)
	a.total += float64(units)
	b.store("month/"+project, float64(a.month))
	b.store("units/"+project, a.units)
	return b.price(float64(units))
}

// Plan says how many units per second a tier of a project costs at its own pace: the base of the projection.
func (b *Budget) Plan(project, tier string, unitsPerSecond float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.account(project).planned[tier] = unitsPerSecond
}

func (b *Budget) key(name string) string {
	return "budget/" + b.opts.Cloud + "/" + b.opts.Service + "/" + name
}

func (b *Budget) recall(name string) float64 {
	if b.opts.Memory == nil {
		return 0
	}
	value, _ := b.opts.Memory.Load(b.key(name))
	return max(value, 0)
}

func (b *Budget) store(name string, value float64) {
	if b.opts.Memory != nil {
		b.opts.Memory.Store(b.key(name), value)
	}
}

func monthOf(t time.Time) int {
	year, month, _ := t.UTC().Date()
	return year*100 + int(month)
}
