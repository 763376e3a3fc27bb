package azurefiles

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/azquery"
	"github.com/Azure/azure-sdk-for-go/sdk/monitor/query/azmetrics"

	"github.com/nasight/nasight/collectors/connect"
	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/collectors/internal/azuretrial"
)

// groupTrial is what the metrics of a group gave for one account.
type groupTrial struct {
	sample *sample
	group  *group
	mode   mode // in which the service took the question
	words  map[string]bool
	failed map[string]error // by metric
	points int
}

// tryMetrics asks for each group as the collector does: of the first sample for all of them, of another one, which has
// another protocol, for the names of its operations alone.
func (t *trial) tryMetrics(ctx context.Context, asks *session, v *visit) outcome {
	if len(v.samples) == 0 {
		return outcome{Absent: nothingKnown}
	}
	first := v.samples[0]
	got := outcome{Part: first.part()}
	client, err := asks.Metrics()
	if err != nil {
		return outcome{Part: got.Part, Err: fmt.Errorf("metrics client: %w", err)}
	}
	failed := map[string]bool{}
	type split struct{ metric, by string } // one metric at two grains is one
	known, lost, points := map[split]bool{}, map[split]bool{}, 0
	for _, g := range t.groups {
		for i, s := range v.samples {
			if i > 0 && g.by != byAPI {
				continue
			}
			one, err := t.readGroupOnce(ctx, client, v, s, g)
			if err != nil {
				return outcome{Part: s.part(), Err: err}
			}
			v.read = append(v.read, one)
			if i == 0 {
				points += one.points
				for _, r := range g.rowsOf(s.details.class) {
					known[split{r.metric, g.by}] = true
				}
				for metric, err := range one.failed {
					lost[split{metric, g.by}] = true
					failed[metric+" ("+azureapi.ReasonOf(err)+")"] = true
				}
			}
		}
	}
	got.Found = fmt.Sprintf("%d of %d metrics can be read", len(known)-len(lost), len(known))
	if len(failed) > 0 {
		got.Odd = append(got.Odd, "the service leaves out "+connect.Few(slices.Sorted(maps.Keys(failed)), mostNamed))
	}
	if points == 0 {
		got.Odd = append(got.Odd, "no metric has a point: nobody uses the account, or its metrics are not there yet")
	}
	return got
}

// mostNamed bounds how many things one line names.
const mostNamed = 5

// readGroupOnce reads the last span of a group, in the first mode that the service takes.
func (t *trial) readGroupOnce(ctx context.Context, client *azquery.MetricsClient, v *visit, s *sample, g *group) (groupTrial, error) {
	w, _ := windowOf(g, time.Time{}, false, v.at, t.delay(g))
	q := query{client: client, resource: s.details.service(), group: g, window: w, top: t.top}
	rows := g.rowsOf(s.details.class)
	for m := whole; ; {
		one, err := t.readGroupIn(ctx, q, s, rows, m)
		if err == nil || !azureapi.TooMuch(err) {
			return one, err
		}
		next, ok := m.next(g, s.details.class, rows)
		if !ok {
			return one, err
		}
		m = next
	}
}

// readGroupIn reads it in one mode. Metric by metric, a refusal is one metric's.
func (t *trial) readGroupIn(ctx context.Context, q query, s *sample, rows []*row, m mode) (groupTrial, error) {
	one := groupTrial{sample: s, group: q.group, mode: m, words: map[string]bool{}, failed: map[string]error{}}
	for _, question := range requests(q.group, s.details.class, m, rows, s.shares) {
		answers, err := q.ask(ctx, question)
		if m == single && azureapi.TooMuch(err) && len(one.failed)+1 < len(rows) {
			one.failed[question.rows[0].metric] = err
			continue
		}
		if err != nil {
			return one, err
		}
		c := &conversion{group: q.group, rows: question.rows, split: s.details.class.split(), window: q.window, words: t.words, top: azureapi.MostSeries}
		f := c.convert(answers)
		maps.Copy(one.failed, f.failed)
		for _, points := range f.points {
			one.points += len(points)
		}
		one.hear(answers)
	}
	return one, nil
}

// hear keeps the service's own words for what the group is split by.
func (one *groupTrial) hear(answers []azureapi.MetricAnswer) {
	if one.group.by == "" {
		return
	}
	for _, answer := range answers {
		for _, series := range answer.Series {
			if word := series.Dimensions[strings.ToLower(one.group.by)]; word != "" {
				one.words[word] = true
			}
		}
	}
}

// batchTrial is what the batch API said of a file service.
type batchTrial struct {
	asked  *sample // nil where it was not asked
	region string
	err    error
}

// errNoData is an answer without the resource that was asked for.
var errNoData = errors.New("the answer does not have the account's file service")

// askBatch asks it once, whether the configuration uses it or not: no document says whether it takes file services.
func (t *trial) askBatch(ctx context.Context, asks *session, v *visit) {
	if v.batch.asked != nil || len(v.samples) == 0 {
		return
	}
	s := v.samples[0]
	v.batch = batchTrial{asked: s, region: s.details.location}
	client, err := asks.Batch(s.details.location)
	if err != nil {
		v.batch.err = fmt.Errorf("batch client: %w", err)
		return
	}
	g := t.groups[slices.IndexFunc(t.groups, func(g *group) bool { return g.tier == performance && g.by == "" })]
	rows := g.rowsOf(s.details.class)
	w, _ := windowOf(g, time.Time{}, false, v.at, t.delay(g))
	options := batchOptions(g, job{rows: rows, window: w}, g.filter(s.details.class, nil), t.top)
	list := azmetrics.ResourceIDList{ResourceIDs: []string{s.details.service()}}
	answer, err := client.QueryResources(ctx, v.sub.id, metricNamespace, metricNames(rows), list, options)
	if err == nil && !slices.ContainsFunc(answer.Values, func(data azmetrics.MetricData) bool { return len(data.Values) > 0 }) {
		err = errNoData
	}
	v.batch.err = err
}

// refusesFiles says whether the batch API has answered that it does not take such requests; a role that lacks is no such
// answer.
func (b batchTrial) refusesFiles() bool {
	return errors.Is(b.err, errNoData) || batchRefused(b.err) && azureapi.StatusOf(b.err) != http.StatusForbidden
}

// tryBatch is the check of a configuration that uses batches.
func (t *trial) tryBatch(ctx context.Context, asks *session, v *visit) outcome {
	t.askBatch(ctx, asks, v)
	switch {
	case v.batch.asked == nil:
		return outcome{Absent: nothingKnown}
	case v.batch.refusesFiles():
		return outcome{Part: v.batch.asked.part(), Err: &batchError{v.batch.err}}
	}
	return outcome{Part: v.batch.asked.part(), Found: "it takes file services of " + v.batch.region, Err: v.batch.err}
}

// batchError is a refusal that no role helps against.
type batchError struct{ error }

// causeBatch is a cause beside those of azuretrial.
const causeBatch = "batch_refused"

// Explain implements azuretrial.Explained.
func (e *batchError) Explain() (cause, says, do string) {
	return causeBatch, "the batch API does not take file services", "set azurefiles.batch to false; until then each region's accounts are asked one by one"
}

// Unwrap gives the answer.
func (e *batchError) Unwrap() error { return e.error }

// The logs that are asked for: one row of the last quarter of an hour.
const logQuery = logTable + " | where TimeGenerated > ago(15m) | take 1"

// tryLogs asks for a row of one account's logs, from whatever workspaces have them.
func tryLogs(ctx context.Context, asks *session, v *visit) outcome {
	if len(v.samples) == 0 {
		return outcome{Absent: nothingKnown}
	}
	s, question := v.samples[0], logQuery
	got := outcome{Part: s.part(), Found: "allowed"}
	client, err := asks.Logs()
	if err != nil {
		return outcome{Part: got.Part, Err: fmt.Errorf("logs client: %w", err)}
	}
	answer, err := client.QueryResource(ctx, strings.Trim(s.details.service(), "/"), azquery.Body{Query: &question}, nil)
	rows := 0
	for _, table := range answer.Tables {
		if table != nil {
			rows += len(table.Rows)
		}
	}
	switch {
	case noTable(err):
		got.Odd, got.Do = []string{"no workspace has " + logTable + " of it"}, diagnose(s.details)
	case err != nil:
		got.Err = err
	case answer.Error != nil:
		got.Odd = []string{"the answer is incomplete: " + connect.Said(answer.Error.Error())}
	case rows == 0:
		got.Odd, got.Do = []string{"no row in the last 15 minutes: nobody uses it, or no diagnostic setting sends its logs"}, diagnose(s.details)
	default:
		got.Found = "rows of " + logTable + " can be read"
	}
	return got
}

// noTable says whether a query was refused because there are no such logs.
func noTable(err error) bool {
	said := azuretrial.Message(err)
	return azureapi.StatusOf(err) == http.StatusBadRequest && strings.Contains(said, logTable) && strings.Contains(strings.ToLower(said), "failed to resolve")
}

// mostID bounds what a command holds of it.
const mostID = 1024

// plainID is a resource id that is safe in a command.
var plainID = regexp.MustCompile(`^[A-Za-z0-9/._()-]+$`)

// diagnose is the command that shows where the logs of an account go.
func diagnose(d *details) string {
	id := d.service()
	if !plainID.MatchString(id) || len(id) > mostID {
		id = "ID"
	}
	return fmt.Sprintf("az monitor diagnostic-settings list --resource %q", id)
}
