package promapi

import (
	"errors"
	"net/http"

	"github.com/prometheus/prometheus/promql/parser"
)

// What editors of queries ask beside the queries themselves.

func parseQuery(r *http.Request) (parser.Expr, error) {
	if err := checkSize(r.Form.Get("query")); err != nil {
		return nil, err
	}
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(r.Form.Get("query"))
	if err != nil {
		return nil, badParameter("query", err)
	}
	return expr, nil
}

// formatQuery writes a query as people read it best.
func formatQuery(r *http.Request) (answer, error) {
	expr, err := parseQuery(r)
	if err != nil {
		return answer{}, err
	}
	return answer{data: expr.Pretty(0)}, nil
}

// exemplars are none, for nobody hands any in: a client that asks beside each query is told so and not refused.
func exemplars(r *http.Request) (answer, error) {
	start, err := timeOr(r.Form, "start", earliest)
	if err != nil {
		return answer{}, err
	}
	end, err := timeOr(r.Form, "end", latest)
	if err != nil {
		return answer{}, err
	}
	if end.Before(start) {
		return answer{}, badParameter("end", errors.New("end timestamp must not be before start time"))
	}
	if _, err := parseQuery(r); err != nil {
		return answer{}, err
	}
	return answer{data: []any{}}, nil
}
