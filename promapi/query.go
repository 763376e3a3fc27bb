package promapi

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/annotations"
)

// queryData is the data of both kinds of query.
type queryData struct {
	ResultType parser.ValueType `json:"resultType"`
	Result     parser.Value     `json:"result"`
}

func (a *api) query(r *http.Request) (answer, error) {
	limit, err := limitOf(r.Form)
	if err != nil {
		return answer{}, err
	}
	at, err := timeOr(r.Form, "time", time.Now())
	if err != nil {
		return answer{}, err
	}
	if err := checkSize(r.Form.Get("query")); err != nil {
		return answer{}, err
	}
	prepared, err := a.history.InstantQuery(r.Context(), r.Form.Get("query"), at)
	if err != nil {
		return answer{}, badParameter("query", err)
	}
	return a.execute(r, prepared, limit)
}

func (a *api) queryRange(r *http.Request) (answer, error) {
	limit, err := limitOf(r.Form)
	if err != nil {
		return answer{}, err
	}
	span, err := stepRangeOf(r.Form)
	if err != nil {
		return answer{}, err
	}
	if err := checkSize(r.Form.Get("query")); err != nil {
		return answer{}, err
	}
	prepared, err := a.history.RangeQuery(r.Context(), r.Form.Get("query"), span.start, span.end, span.step)
	if err != nil {
		return answer{}, badParameter("query", err)
	}
	return a.execute(r, prepared, limit)
}

// execute runs a query. Its result lives until the answer is closed.
func (a *api) execute(r *http.Request, prepared promql.Query, limit int) (answer, error) {
	found := answer{close: prepared.Close}
	result := prepared.Exec(r.Context())
	found.notes = result.Warnings
	if result.Err != nil {
		return found, result.Err
	}
	value := listed(result.Value)
	if limit > 0 {
		value = truncate(value, limit, &found.notes)
	}
	if count := pointsOf(value); count > a.opts.MaxPoints {
		return found, fmt.Errorf("answer of %d points exceeds the limit of %d: ask for a longer step or fewer series", count, a.opts.MaxPoints)
	}
	found.data = queryData{ResultType: value.Type(), Result: value}
	return found, nil
}

// listed makes an empty result an empty list: clients do not expect a null.
func listed(value parser.Value) parser.Value {
	switch v := value.(type) {
	case promql.Vector:
		if v == nil {
			return promql.Vector{}
		}
	case promql.Matrix:
		if v == nil {
			return promql.Matrix{}
		}
	}
	return value
}

var errTruncated = errors.New("results truncated due to limit")

func truncate(value parser.Value, limit int, notes *annotations.Annotations) parser.Value {
	switch v := value.(type) {
	case promql.Vector:
		if len(v) > limit {
			notes.Add(errTruncated)
			return v[:limit]
		}
	case promql.Matrix:
		if len(v) > limit {
			notes.Add(errTruncated)
			return v[:limit]
		}
	}
	return value
}

func pointsOf(value parser.Value) int {
	switch v := value.(type) {
	case promql.Vector:
		return len(v)
	case promql.Matrix:
		return v.TotalSamples()
	default:
		return 1
	}
}
