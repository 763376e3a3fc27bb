package azurefiles

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/monitor/query/azmetrics"

	"github.com/nasight/nasight/collectors/internal/azureapi"
)

// mostBatch is how many resources one request of the batch API takes.
const mostBatch = 50

// batchKey is what the resources of one request have in common.
type batchKey struct {
	region     string
	split      bool
	start, end time.Time
	metrics    string
}

// batchMember is one account of a batch.
type batchMember struct {
	account *account
	job     job
}

// readBatches reads a group of all accounts that can be asked together. What is left over, or missing from the answers,
// is read one by one afterwards: it is due still.
func (s *Source) readBatches(ctx context.Context, session *session, sub *subscription, g *group, now time.Time) error {
	var errs []error
	for key, members := range s.batches(sub, g, now) {
		for chunk := range slices.Chunk(members, mostBatch) {
			if ctx.Err() != nil || sub.refusesBatch(key.region) {
				break
			}
			err := s.readBatch(ctx, session, sub, g, key.region, chunk)
			if batchRefused(err) {
				s.opts.Logger.Info("the batch API refuses a region's file services: they are asked one by one",
					"subscription", sub.id, "region", key.region, "err", err)
				sub.refuseBatch(key.region)
				break
			}
			errs = append(errs, err)
		}
	}
	return azureapi.Join(errs...)
}

// batches are the accounts that can be asked together. Those that were found to need another form are not among them.
func (s *Source) batches(sub *subscription, g *group, now time.Time) map[batchKey][]batchMember {
	all := map[batchKey][]batchMember{}
	for _, a := range sub.readable(g) {
		j, ok := s.job(sub, a, g, now)
		if !ok || j.mode != whole {
			continue
		}
		key := batchKey{j.details.location, j.details.class.split(), j.window.Start, j.window.End, strings.Join(metricNames(j.rows), ",")}
		all[key] = append(all[key], batchMember{a, j})
	}
	return all
}

// batchRefused says whether the API will not take such requests at all.
func batchRefused(err error) bool {
	switch azureapi.StatusOf(err) {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

func (s *Source) readBatch(ctx context.Context, session *session, sub *subscription, g *group, region string, members []batchMember) error {
	client, err := session.Batch(region)
	if err != nil {
		return err
	}
	first := members[0].job
	filter := g.filter(first.details.class, nil)
	options := batchOptions(g, first, filter, s.top)
	ids, byID := make([]string, len(members)), map[string]batchMember{}
	for i, m := range members {
		ids[i] = m.job.details.service()
		byID[strings.ToLower(strings.Trim(ids[i], "/"))] = m
	}
	answer, err := client.QueryResources(ctx, sub.id, metricNamespace, metricNames(first.rows), azmetrics.ResourceIDList{ResourceIDs: ids}, options)
	if err != nil {
		return fmt.Errorf("metrics (%s) of %d accounts in %s: %w", g.name, len(members), region, err)
	}
	var errs []error
	for _, data := range answer.Values {
		m, ok := byID[strings.ToLower(strings.Trim(azureapi.Text(data.ResourceID), "/"))]
		if !ok {
			sub.note(string(g.tier), map[string]int{oddItem: 1})
			continue
		}
		c := &conversion{
			group: g, rows: m.job.rows, split: m.job.details.class.split(), window: m.job.window, words: s.words, top: int(s.top),
		}
		if filter == "" {
			c.top = azureapi.MostSeries
		}
		errs = append(errs, s.apply(sub, m.account, g, m.job, c.convert(azureapi.FromBatch(data)), whole))
	}
	return azureapi.Join(errs...)
}

func batchOptions(g *group, j job, filter string, top int32) *azmetrics.QueryResourcesOptions {
	kinds := make([]string, 0, len(j.rows))
	for _, a := range aggregations(j.rows) {
		kinds = append(kinds, strings.ToLower(string(a)))
	}
	joined, interval := strings.Join(kinds, ","), g.interval()
	start, end := j.window.Start.UTC().Format(time.RFC3339), j.window.End.UTC().Format(time.RFC3339)
	options := &azmetrics.QueryResourcesOptions{Aggregation: &joined, Interval: &interval, StartTime: &start, EndTime: &end}
	if filter != "" {
		options.Filter, options.Top = &filter, &top
	}
	return options
}

func (sub *subscription) refusesBatch(region string) bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	return sub.noBatch[region]
}

func (sub *subscription) refuseBatch(region string) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	sub.noBatch[region] = true
}
