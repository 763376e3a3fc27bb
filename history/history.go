// Package history stores samples at their true times and answers PromQL. Three implementations of one interface:
// Memory for one-shot work and tests, Embedded (the Prometheus TSDB) for serve, and package remote for a server that answers
// PromQL. Package historytest is their contract.
package history

import (
	"context"
	"time"

	"github.com/nasight/nasight/schema"
)

// Point is one result of an instant query.
type Point struct {
	Labels map[string]string // without __name__ unless the expression keeps it
	Value  float64           // never NaN: such results are dropped
	Time   time.Time
}

// Series is one result of a range query.
type Series struct {
	Labels   map[string]string
	Identity Identity // of the labels, for who meets the same series again and again
	Times    []time.Time
	Values   []float64
}

// Reader answers PromQL.
type Reader interface {
	// Instant evaluates an expression at one moment.
	Instant(ctx context.Context, query string, at time.Time) ([]Point, error)
	// Range evaluates an expression from start to end, both included, step by step.
	Range(ctx context.Context, query string, start, end time.Time, step time.Duration) ([]Series, error)
}

// Writer stores samples.
type Writer interface {
	// Append stores samples, durably once it returns nil. Samples that can never be stored (too old, a second value
	// for a stored moment) are counted, not errors; an error means that the whole batch may be sent again.
	Append(ctx context.Context, samples []schema.Sample) error
}

// History is a store of samples.
type History interface {
	Reader
	Writer
	Close() error
}
