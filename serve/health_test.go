package serve

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/web"
)

func healthBatch(host, name string, at time.Time, success float64) collectors.Batch {
	labels := []string{host, name}
	return collectors.Batch{Host: host, Collector: name, Time: at, Failed: success == 0, Samples: []schema.Sample{
		{Family: schema.CollectorSuccess, Labels: labels, Value: success, Time: at},
		{Family: schema.CollectorDuration, Labels: labels, Value: 0.25, Time: at},
		{Family: schema.CollectorLastSuccess, Labels: labels, Value: float64(at.UnixMilli()) / 1e3, Time: at},
	}}
}

func TestHealthRows(t *testing.T) {
	at := time.UnixMilli(1_796_030_404_000)
	firsts := 0
	h := newHealth()
	h.first = func() { firsts++ }
	for _, batch := range []collectors.Batch{
		healthBatch("b", "nfs", at, 1), healthBatch("b", "nfs", at, 1), healthBatch("a", "tcp", at, 0), healthBatch("a", "off", at, 1),
		{Host: "a", Collector: "off"}, // withdrawn
	} {
		if err := h.Publish(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	statuses := []collectors.Status{
		{Host: "b", Collector: "nfs", Ran: true}, {Host: "a", Collector: "tcp", Ran: true, Err: errors.New("no\nstack")},
		{Host: "a", Collector: "cpu"}, {Host: "a", Collector: "nic", Ran: true, Err: collectors.ErrNoData},
	}
	agents := []web.Collector{{Host: "c", Name: "nfs", Outcome: "ok"}, {Host: "a", Name: "nfs", Outcome: "another's"}}
	want := []web.Collector{
		{Host: "a", Name: "cpu", Outcome: "first run pending"},
		{Host: "a", Name: "nic", Outcome: "nothing to collect on this host"},
		{Host: "a", Name: "tcp", Outcome: "no", Ran: true, Duration: 250 * time.Millisecond, LastSuccess: at},
		{Host: "b", Name: "nfs", Outcome: "ok", Ran: true, Success: true, Duration: 250 * time.Millisecond, LastSuccess: at},
		{Host: "c", Name: "nfs", Outcome: "ok"},
	}
	if diff := cmp.Diff(want, h.rows(statuses, agents)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if firsts != 3 {
		t.Errorf("%d first runs, want 3", firsts)
	}
}

func TestCollectorsInHistory(t *testing.T) {
	at := time.UnixMilli(1_796_030_404_000)
	memory := history.NewMemory(history.MemoryOptions{})
	defer func() { _ = memory.Close() }()
	for _, batch := range []collectors.Batch{healthBatch("c", "nfs", at, 1), healthBatch("c", "tcp", at, 0)} {
		if err := memory.Append(t.Context(), batch.Samples); err != nil {
			t.Fatal(err)
		}
	}
	rows := map[string]web.Collector{}
	for _, row := range collectorsIn(t.Context(), memory, at.Add(time.Second), time.Minute) {
		rows[row.Name] = row
	}
	if nfs := rows["nfs"]; !nfs.Success || nfs.Outcome != "ok" || !nfs.LastSuccess.Equal(at) || nfs.Duration != 250*time.Millisecond {
		t.Errorf("nfs is %+v", nfs)
	}
	if tcp := rows["tcp"]; tcp.Success || !tcp.Ran || len(rows) != 2 {
		t.Errorf("tcp is %+v of %d", tcp, len(rows))
	}
	if rows := collectorsIn(t.Context(), &countingStore{err: errors.New("down")}, at, time.Minute); len(rows) != 0 {
		t.Errorf("a history that fails knows of %v", rows)
	}
}

func TestCollectionInterval(t *testing.T) {
	cfg := testConfig(t)
	cfg.Collectors = nil
	if got := cfg.CollectionInterval(); got != schema.HostGrain {
		t.Errorf("by default %s, want %s", got, schema.HostGrain)
	}
	plain := testConfig(t)
	if got := plain.CollectionInterval(); got != time.Second {
		t.Errorf("with the nfs collector's own interval %s, want 1s", got)
	}
	cfg.Detection.CollectionInterval = 5e9
	if got := cfg.CollectionInterval(); got != 5*time.Second {
		t.Errorf("as configured %s, want 5s", got)
	}
}
