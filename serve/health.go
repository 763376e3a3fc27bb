package serve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nasight/nasight/collectors"
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

// rows lists the collectors that run, by host and name.
func (h *health) rows(statuses []collectors.Status) []web.Collector {
	h.mu.Lock()
	defer h.mu.Unlock()
	rows := make([]web.Collector, 0, len(statuses))
	for _, status := range statuses {
		row := h.seen[collectorKey{status.Host, status.Collector}]
		row.Host, row.Name, row.Outcome = status.Host, status.Collector, outcome(status)
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b web.Collector) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Name, b.Name))
	})
	return rows
}
