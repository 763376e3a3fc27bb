package history

import (
	"fmt"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

// The engine evaluates a subquery at each of its steps, whether there are samples or not: twenty letters can ask for a
// hundred million evaluations of each series, and neither the samples in memory nor the length of the query shows it.
const (
	// maxSubqueryPoints bounds the steps of one subquery: as many as a range query may have.
	maxSubqueryPoints = 11_000
	// maxEvaluations bounds the steps of subqueries within subqueries, and those over the span of a range query.
	maxEvaluations = 10 * maxSubqueryPoints
)

// bounded refuses a query from outside that its subqueries make too costly.
func bounded(query promql.Query, err error) (promql.Query, error) {
	if err != nil {
		return nil, err
	}
	statement, ok := query.Statement().(*parser.EvalStmt)
	if !ok {
		return query, nil
	}
	if err := checkSubqueries(statement.Expr, statement.End.Sub(statement.Start), 1); err != nil {
		query.Close()
		return nil, err
	}
	return query, nil
}

// checkSubqueries looks at a node and those below it. The span is what the node is evaluated over, from its first step to
// its last; nested is the product of the steps of the subqueries around it.
func checkSubqueries(node parser.Node, span time.Duration, nested int64) error {
	if subquery, ok := node.(*parser.SubqueryExpr); ok {
		step := subquery.Step
		if step <= 0 {
			step = subqueryStep
		}
		points := max(1, int64(subquery.Range/step))
		if points > maxSubqueryPoints {
			return fmt.Errorf("subquery [%s:%s] has %d steps for each series, the most is %d: make its range shorter or its step longer",
				subquery.Range, step, points, maxSubqueryPoints)
		}
		span += subquery.Range
		nested *= points
		if whole := int64(span / step); span < 0 || whole > maxEvaluations || nested > maxEvaluations {
			return fmt.Errorf("subquery [%s:%s] is evaluated more than %d times for each series: ask for less time, or make its step longer",
				subquery.Range, step, maxEvaluations)
		}
	}
	for child := range parser.ChildrenIter(node) {
		if err := checkSubqueries(child, span, nested); err != nil {
			return err
		}
	}
	return nil
}
