package history

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
)

// QueryOptions bounds what one query may cost. The zero value of a field stands for its default.
type QueryOptions struct {
	Timeout    time.Duration // of nasight's own queries; default 2 minutes
	MaxSamples int           // of nasight's own queries: samples held in memory at once, default 50 million
	// The same for queries from outside, which come through a Querier: anybody may ask them, and they must not keep
	// nasight from its work. Defaults 30 seconds and 10 million, about 160 MB.
	OutsideTimeout    time.Duration
	OutsideMaxSamples int
	// Lookback is how old the newest sample of a bare selector may be, default 5 minutes. nasight's own features never
	// use bare selectors; charts over sources that renew every five minutes want 15 minutes.
	Lookback time.Duration
}

// subqueryStep is the step of a subquery that names none, as Prometheus has it by default.
const subqueryStep = time.Minute

// Querier makes the queries from outside, whose results keep the engine's own types: for the HTTP API, which answers as Prometheus does.
// The caller executes a query once and closes it when it has used up the result.
type Querier interface {
	// InstantQuery prepares the evaluation of an expression at one moment.
	InstantQuery(ctx context.Context, query string, at time.Time) (promql.Query, error)
	// RangeQuery prepares the evaluation from start to end, both included.
	RangeQuery(ctx context.Context, query string, start, end time.Time, step time.Duration) (promql.Query, error)
	// Queryable gives access to the names and values of labels and to series.
	Queryable() storage.Queryable
}

// engine evaluates PromQL over a store; it gives both histories their Reader and Querier methods.
type engine struct {
	own, outside *promql.Engine
	store        storage.Queryable
}

func newEngine(opts QueryOptions, store storage.Queryable) *engine {
	return &engine{
		store:   store,
		own:     newPromQL(opts, orDefault(opts.Timeout, 2*time.Minute), orDefault(opts.MaxSamples, 50_000_000)),
		outside: newPromQL(opts, orDefault(opts.OutsideTimeout, 30*time.Second), orDefault(opts.OutsideMaxSamples, 10_000_000)),
	}
}

func newPromQL(opts QueryOptions, timeout time.Duration, samples int) *promql.Engine {
	return promql.NewEngine(promql.EngineOpts{
		Timeout:                  timeout,
		MaxSamples:               samples,
		LookbackDelta:            orDefault(opts.Lookback, 5*time.Minute),
		NoStepSubqueryIntervalFn: func(int64) int64 { return subqueryStep.Milliseconds() },
		EnableAtModifier:         true,
		EnableNegativeOffset:     true,
		Parser:                   parser.NewParser(parser.Options{}),
	})
}

func orDefault[T int | int64 | uint64 | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// Queryable gives access to the names and values of labels and to series.
func (e *engine) Queryable() storage.Queryable { return e.store }

// InstantQuery prepares the evaluation of an expression at one moment.
func (e *engine) InstantQuery(ctx context.Context, query string, at time.Time) (promql.Query, error) {
	return bounded(e.outside.NewInstantQuery(ctx, e.store, nil, query, at))
}

// RangeQuery prepares the evaluation from start to end, both included.
func (e *engine) RangeQuery(ctx context.Context, query string, start, end time.Time, step time.Duration) (promql.Query, error) {
	if err := checkRange(start, end, step); err != nil {
		return nil, err
	}
	return bounded(e.outside.NewRangeQuery(ctx, e.store, nil, query, start, end, step))
}

func checkRange(start, end time.Time, step time.Duration) error {
	if step <= 0 || end.Before(start) {
		return fmt.Errorf("range from %s to %s by %s: want a positive step and an end that is not before the start",
			start.UTC().Format(time.RFC3339), end.UTC().Format(time.RFC3339), step)
	}
	return nil
}

// Instant evaluates an expression at one moment. A scalar is one point without labels.
func (e *engine) Instant(ctx context.Context, query string, at time.Time) ([]Point, error) {
	prepared, err := e.own.NewInstantQuery(ctx, e.store, nil, query, at)
	if err != nil {
		return nil, queryError(query, err)
	}
	defer prepared.Close()
	result := prepared.Exec(ctx)
	if result.Err != nil {
		return nil, queryError(query, result.Err)
	}
	switch v := result.Value.(type) {
	case promql.Vector:
		return points(v), nil
	case promql.Scalar:
		return points(promql.Vector{{T: v.T, F: v.V}}), nil
	default:
		return nil, queryError(query, fmt.Errorf("result is a %s, want a vector or a scalar", v.Type()))
	}
}

func points(vector promql.Vector) []Point {
	found := make([]Point, 0, len(vector))
	for _, sample := range vector {
		if sample.H != nil || math.IsNaN(sample.F) {
			continue
		}
		found = append(found, Point{Labels: sample.Metric.Map(), Value: sample.F, Time: time.UnixMilli(sample.T).UTC()})
	}
	return found
}

// Range evaluates an expression from start to end, both included, step by step. Steps without a value are left out.
func (e *engine) Range(ctx context.Context, query string, start, end time.Time, step time.Duration) ([]Series, error) {
	if err := checkRange(start, end, step); err != nil {
		return nil, queryError(query, err)
	}
	prepared, err := e.own.NewRangeQuery(ctx, e.store, nil, query, start, end, step)
	if err != nil {
		return nil, queryError(query, err)
	}
	defer prepared.Close()
	result := prepared.Exec(ctx)
	if result.Err != nil {
		return nil, queryError(query, result.Err)
	}
	matrix, err := result.Matrix()
	if err != nil {
		return nil, queryError(query, err)
	}
	found := make([]Series, 0, len(matrix))
	for _, line := range matrix {
		if series := seriesOf(line); len(series.Times) > 0 {
			found = append(found, series)
		}
	}
	return found, nil
}

func seriesOf(line promql.Series) Series {
	series := Series{
		Labels:   line.Metric.Map(),
		Identity: Identity{line.Metric},
		Times:    make([]time.Time, 0, len(line.Floats)),
		Values:   make([]float64, 0, len(line.Floats)),
	}
	for _, point := range line.Floats {
		if math.IsNaN(point.F) {
			continue
		}
		series.Times = append(series.Times, time.UnixMilli(point.T).UTC())
		series.Values = append(series.Values, point.F)
	}
	return series
}

// queryError names the query, of which a page of text at most.
func queryError(query string, err error) error {
	const most = 500
	if len(query) > most {
		return fmt.Errorf("evaluate %.*q (%d bytes): %w", most, query, len(query), err)
	}
	return fmt.Errorf("evaluate %q: %w", query, err)
}
