package azurefiles

import (
	"context"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// metricNamespace is that of the metrics of file services.
const metricNamespace = "Microsoft.Storage/storageAccounts/fileServices"

// mode is how the service lets itself be asked for a group: it may refuse what another account's takes.
type mode int

const (
	whole  mode = iota // all metrics at once, all shares by a wildcard
	listed             // all metrics, the shares by their names: only one dimension may be a wildcard
	single             // each metric by itself: one of them is not to be had
)

// listedShares is how many shares one request names, so that its address stays short.
const listedShares = 40

// request is one question about one account.
type request struct {
	rows   []*row
	filter string
}

// requests are the questions that a mode takes for a group. shares are the names of those that are wanted.
func requests(g *group, c class, m mode, rows []*row, shares []string) []request {
	switch m {
	case listed:
		var all []request
		for first := 0; first < len(shares); first += listedShares {
			all = append(all, request{rows, g.filter(c, shares[first:min(first+listedShares, len(shares))])})
		}
		return all
	case single:
		all := make([]request, len(rows))
		for i, r := range rows {
			all[i] = request{[]*row{r}, g.filter(c, nil)}
		}
		return all
	}
	return []request{{rows, g.filter(c, nil)}}
}

// next is the mode to try after the service has refused one; ok is false where none is left.
func (m mode) next(g *group, c class, rows []*row) (next mode, ok bool) {
	if m == whole && g.by != "" && c.split() {
		return listed, true
	}
	return single, m != single && len(rows) > 1
}

// query asks one question by the API of single resources.
type query struct {
	client   *azquery.MetricsClient
	resource string
	group    *group
	window   azureapi.Window
	top      int32
}

func (q query) ask(ctx context.Context, one request) ([]azureapi.MetricAnswer, error) {
	answers, err := azureapi.Ask(ctx, q.client, azureapi.Question{
		Resource: q.resource, Namespace: metricNamespace, Metrics: metricNames(one.rows), Aggregations: aggregations(one.rows),
		Interval: q.group.interval(), Window: q.window, Filter: one.filter, Top: q.top,
	})
	if err != nil {
		return nil, fmt.Errorf("metrics (%s) of %s: %w", q.group.name, azureapi.PartOf(q.resource, "storageAccounts"), err)
	}
	return answers, nil
}
