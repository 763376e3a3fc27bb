package serve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/web"
)

type collectorKey struct{ host, name string }

// health remembers how the last run of every collector went: an output that reads the health samples of each batch.
type health struct {
	first func() // called after the first run of each collector; nil for nothing

	mu   sync.Mutex
	seen map[collectorKey]web.Collector
}

func newHealth() *health { return &health{seen: map[collectorKey]web.Collector{}} }

// Publish implements collectors.Output.
func (h *health) Publish(_ context.Context, batch collectors.Batch) error {
	row := web.Collector{Host: batch.Host, Name: batch.Collector, Ran: true, Success: !batch.Failed}
	for _, sample := range batch.Samples {
		switch sample.Family {
		case schema.CollectorDuration:
			row.Duration = time.Duration(sample.Value * float64(time.Second))
		case schema.CollectorLastSuccess:
			row.LastSuccess = time.UnixMilli(int64(sample.Value * 1e3))
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	key := collectorKey{batch.Host, batch.Collector}
	if len(batch.Samples) == 0 { // the collector was switched off
		delete(h.seen, key)
		return nil
	}
	if _, known := h.seen[key]; !known && h.first != nil {
		h.first()
	}
	h.seen[key] = row
	return nil
}

// rows lists the collectors that run here and those of agents that history knows of, by host and name.
func (h *health) rows(statuses []collectors.Status, agents []web.Collector) []web.Collector {
	h.mu.Lock()
	defer h.mu.Unlock()
	rows := make([]web.Collector, 0, len(statuses)+len(agents))
	own := map[string]bool{}
	for _, status := range statuses {
		row := h.seen[collectorKey{status.Host, status.Collector}]
		row.Host, row.Name, row.Outcome = status.Host, status.Collector, outcome(status)
		rows = append(rows, row)
		own[status.Host] = true
	}
	for _, row := range agents {
		if !own[row.Host] {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b web.Collector) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Name, b.Name))
	})
	return rows
}

// collectorsIn asks history how the collectors fared in a window; the detection is none. What it cannot tell is left out: the page
// lacks it then.
func collectorsIn(ctx context.Context, reader history.Reader, at time.Time, window time.Duration) []web.Collector {
	rows := map[collectorKey]*web.Collector{}
	each := func(family *schema.Family, apply func(*web.Collector, float64)) {
		query := fmt.Sprintf("last_over_time(%s{collector!=%q}[%dms])", family.Name, detectionName, window.Milliseconds())
		points, err := reader.Instant(ctx, query, at)
		if err != nil {
			return
		}
		for _, point := range points {
			key := collectorKey{point.Labels[schema.Host], point.Labels[schema.Collector]}
			if rows[key] == nil {
				rows[key] = &web.Collector{Host: key.host, Name: key.name, Outcome: "not known"}
			}
			apply(rows[key], point.Value)
		}
	}
	each(schema.CollectorSuccess, func(row *web.Collector, value float64) {
		row.Ran, row.Success, row.Outcome = true, value != 0, "ok"
		if !row.Success {
			row.Outcome = "see its log, and " + schema.CollectorErrors.Name
		}
	})
	each(schema.CollectorDuration, func(row *web.Collector, value float64) {
		row.Duration = time.Duration(value * float64(time.Second))
	})
	each(schema.CollectorLastSuccess, func(row *web.Collector, value float64) { row.LastSuccess = time.UnixMilli(int64(value * 1e3)) })
	list := make([]web.Collector, 0, len(rows))
	for _, row := range rows {
		list = append(list, *row)
	}
	return list
}
