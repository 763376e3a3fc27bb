package azureapi

import (
	"context"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
)

// MostSeries is how many series of a metric an answer may have. Without it the service keeps ten and does not say so.
const MostSeries = 100_000

// Question is one request for metrics of one resource.
type Question struct {
	Resource     string // its id
	Namespace    string // of its metrics
	Metrics      []string
	Aggregations []Aggregation
	Interval     string // as PT1M
	Window       Window
	Filter       string // empty for none
	Top          int32  // most series of a metric; for questions with a filter
}

// Ask asks one question. An error is the service's own.
func Ask(ctx context.Context, client *azquery.MetricsClient, q Question) ([]MetricAnswer, error) {
	names, span := strings.Join(q.Metrics, ","), azquery.NewTimeInterval(q.Window.Start.UTC(), q.Window.End.UTC())
	options := &azquery.MetricsClientQueryResourceOptions{
		MetricNames: &names, MetricNamespace: &q.Namespace, Interval: &q.Interval, Timespan: &span,
	}
	for _, a := range q.Aggregations {
		kind := azquery.AggregationType(a)
		options.Aggregation = append(options.Aggregation, &kind)
	}
	if q.Filter != "" { // top without a filter is refused
		options.Filter, options.Top = &q.Filter, &q.Top
	}
	answer, err := client.QueryResource(ctx, q.Resource, options)
	if err != nil {
		return nil, err
	}
	return FromQuery(answer.Response), nil
}
