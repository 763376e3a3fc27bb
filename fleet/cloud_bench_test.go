package fleet_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nasight/nasight/history"
	"github.com/nasight/nasight/schema"
)

// manyVolumes fills a history with volumes, ten to a pool, each with so many samples of every family.
func manyVolumes(b *testing.B, volumes, samples int) (*history.Memory, time.Time) {
	b.Helper()
	memory := history.NewMemory(history.MemoryOptions{MaxSamples: 100_000_000})
	b.Cleanup(func() { _ = memory.Close() })
	for i := range volumes {
		p := place{"files-example", "europe-west3", fmt.Sprintf("pool-%d", i/10), fmt.Sprintf("volume-%d", i)}
		var batch []schema.Sample
		add := func(at time.Time, family *schema.Family, value float64, labels []string) {
			batch = append(batch, schema.Sample{Family: family, Labels: labels, Value: value, Time: at})
		}
		if i%10 == 0 {
			add(start, schema.PoolInfo, 1, p.poolLabels("premium", "auto", "file", "default", "default", "false", "false", "ready", ""))
			add(start, schema.PoolCapacity, 1e12, p.poolLabels())
		}
		add(start, schema.VolumeInfo, 1, p.labels("premium", "auto", "nfsv3", "ready", "false", "false", "", "volume"))
		add(start, schema.VolumeEndpointInfo, 1, p.labels(fmt.Sprintf("192.0.2.%d", i%250), "/"+p.volume, "nfsv3"))
		for j := range samples {
			at := start.Add(-schema.GCNVDelay - time.Duration(j)*schema.GCNVGrain)
			for _, family := range []*schema.Family{
				schema.VolumeTotalThroughput, schema.VolumeTotalOperations, schema.VolumeMeanLatency, schema.VolumeThroughputLimit,
			} {
				add(at, family, float64(j%97), p.labels())
			}
			for _, kind := range []string{"read", "write"} {
				add(at, schema.VolumeThroughput, float64(j%97), p.labels(kind))
				add(at, schema.VolumeOperations, float64(j%97), p.labels(kind))
			}
			if j%12 == 0 {
				for _, family := range []*schema.Family{schema.VolumeCapacity, schema.VolumeUsed, schema.VolumeInodeLimit, schema.VolumeInodeUsed} {
					add(at, family, 1e9, p.labels())
				}
			}
		}
		if err := memory.Append(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
	return memory, start
}
