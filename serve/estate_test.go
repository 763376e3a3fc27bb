package serve

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nasight/nasight/config"
	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

const mib = 1 << 20

// noon is when the tests of the cloud's side begin: on the grid of its samples.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// estate is a history of a cloud's side, written as the collectors write it.
type estate struct {
	t      *testing.T
	memory *history.Memory
	batch  []schema.Sample
}

func newEstate(t *testing.T) *estate {
	t.Helper()
	memory := history.NewMemory(history.MemoryOptions{})
	t.Cleanup(func() { _ = memory.Close() })
	return &estate{t: t, memory: memory}
}

func (e *estate) add(at time.Time, family *schema.Family, value float64, labels ...string) {
	e.batch = append(e.batch, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
}

func (e *estate) store() {
	e.t.Helper()
	if err := e.memory.Append(e.t.Context(), e.batch); err != nil {
		e.t.Fatal(err)
	}
	e.batch = nil
}

func poolLabels(project string) []string {
	return []string{"gcp", "gcnv", project, "europe-west3", "pool-a"}
}

// list writes what a reading of the inventory finds: a project's pool with so much throughput that no volume has, and its
// volumes.
func (e *estate) list(at time.Time, project string, available float64, volumes ...string) {
	pool := poolLabels(project)
	e.add(at, schema.PoolInfo, 1, append(slices.Clone(pool), "premium", "manual", "file", "default", "default", "false", "false", "ready", "")...)
	e.add(at, schema.PoolCapacity, 40_960*(1<<30), pool...)
	e.add(at, schema.PoolTotalThroughput, 2_560*mib, pool...)
	e.add(at, schema.PoolAvailableThroughput, available*mib, pool...)
	for _, name := range volumes {
		volume := append(slices.Clone(pool), name)
		e.add(at, schema.VolumeInfo, 1, append(slices.Clone(volume), "premium", "manual", "nfsv3", "ready", "false", "false", "", "volume")...)
		e.add(at, schema.VolumeAssignedThroughput, 100*mib, volume...)
	}
}

// measure writes samples of a volume every five minutes: how much of its limit it moves, and how full it is on the hour.
func (e *estate) measure(from, to time.Time, project, name string, use, full func(time.Time) float64) {
	volume := append(poolLabels(project), name)
	for at := from; !at.After(to); at = at.Add(schema.GCNVGrain) {
		e.add(at, schema.VolumeTotalThroughput, use(at)*100*mib, volume...)
		e.add(at, schema.VolumeThroughputLimit, 100*mib, volume...)
		e.add(at, schema.VolumeMeanLatency, 0.001, volume...)
		if at.Truncate(time.Hour).Equal(at) {
			e.add(at, schema.VolumeCapacity, 1<<40, volume...)
			e.add(at, schema.VolumeUsed, full(at)*(1<<40), volume...)
		}
	}
}

func always(value float64) func(time.Time) float64 { return func(time.Time) float64 { return value } }

// between is high from one moment to before another and low otherwise.
func between(from, to time.Time, low, high float64) func(time.Time) float64 {
	return func(at time.Time) float64 {
		if !at.Before(from) && at.Before(to) {
			return high
		}
		return low
	}
}

// ran notes a reading of the inventory, and the projects for which it failed.
func (e *estate) ran(at time.Time, failed ...string) {
	success := 1.0
	for _, project := range failed {
		success = 0
		e.add(at, schema.CloudUnreachable, 1, "gcp", "gcnv", project, "", "inventory", "permission")
	}
	e.add(at, schema.CollectorSuccess, success, "here", "gcnv_inventory")
}

// cloudConfig reads three projects and hosts of no kind, and judges so often.
func cloudConfig(t *testing.T, interval time.Duration) config.Config {
	t.Helper()
	cfg := evaluatorConfig(t)
	cfg.Hosts = nil
	cfg.GCNV.Projects = []string{"one", "two", "three"}
	cfg.Detection.Interval, cfg.Detection.Window, cfg.Detection.For = config.Duration(interval), config.Duration(time.Minute), 0
	return cfg
}

// stateOf finds the state and the beginning of a finding; empty where there is none.
func stateOf(findings []detectors.Finding, variant, project, volume string) (detectors.State, time.Time) {
	for _, f := range findings {
		if f.Variant == variant && f.Resource.Project == project && f.Resource.Volume == volume {
			return f.State, f.Since
		}
	}
	return "", time.Time{}
}

// fillable is a history that takes the past, or fails.
type fillable struct{ err error }

// Backfill implements collectors.Backfiller.
func (f *fillable) Backfill(context.Context, []schema.Sample) error { return f.err }
