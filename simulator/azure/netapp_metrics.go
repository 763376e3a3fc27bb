package azure

import (
	"context"
	"time"

	"github.com/nasight/nasight/simulator/model"
)

// The metrics of Azure NetApp Files have no dimension and one aggregation; they are of five minutes.

func capacityPools() catalogue {
	return catalogue{"Microsoft.NetApp/netAppAccounts/capacityPools", netappNamespace, poolType, capacityPoolMetrics()}
}

func netappVolumes() catalogue {
	return catalogue{"Microsoft.NetApp/netAppAccounts/capacityPools/volumes", netappNamespace, volumeType, netappVolumeMetrics()}
}

func netappMetric(name, title, unit string, of func(m *model.Model, of netappTarget, at time.Time) (float64, bool)) *metric {
	return &metric{name: name, title: title, unit: unit, aggregations: "Average", joins: true, netapp: of}
}

func capacityPoolMetrics() []*metric {
	row := func(name, title, unit string, of func(*model.Model, netappTarget, time.Time) float64) *metric {
		return netappMetric(name, title, unit, func(m *model.Model, t netappTarget, at time.Time) (float64, bool) { return of(m, t, at), true })
	}
	space := func(of func(model.Space) int64) func(*model.Model, netappTarget, time.Time) float64 {
		return func(m *model.Model, t netappTarget, at time.Time) (sum float64) {
			for _, p := range m.NetAppVolumes() {
				if p.CapacityPool == t.pool {
					sum += float64(of(m.Space(p.Placement, at)))
				}
			}
			return sum
		}
	}
	fixed := func(of func(*model.CapacityPool) float64) func(*model.Model, netappTarget, time.Time) float64 {
		return func(_ *model.Model, t netappTarget, _ time.Time) float64 { return of(t.pool) }
	}
	return []*metric{
		row("VolumePoolAllocatedSize", "Pool Allocated Size", "Bytes", fixed(func(p *model.CapacityPool) float64 { return float64(p.SizeTiB) * tib })),
		row("VolumePoolAllocatedToVolumeThroughput", "Pool allocated throughput", "BytesPerSecond", fixed(func(p *model.CapacityPool) float64 { return p.Utilized() * mib })),
		row("VolumePoolAllocatedUsed", "Pool Allocated To Volume Size", "Bytes", fixed(func(p *model.CapacityPool) float64 { return float64(p.Allocated()) * gib })),
		row("VolumePoolProvisionedThroughput", "Provisioned throughput for the pool", "BytesPerSecond", fixed(func(p *model.CapacityPool) float64 { return p.Throughput() * mib })),
		row("VolumePoolTotalLogicalSize", "Pool Consumed Size", "Bytes", space(func(s model.Space) int64 { return s.Used })),
		row("VolumePoolTotalSnapshotSize", "Total Snapshot size for the pool", "Bytes", space(func(s model.Space) int64 { return s.Snapshot })),
	}
}

// traffic is a rate of a volume in a window, of some types of operations.
func traffic(of func(model.Traffic) float64, ops ...model.Op) func(*model.Model, netappTarget, time.Time) (float64, bool) {
	return func(m *model.Model, t netappTarget, at time.Time) (sum float64, ok bool) {
		for _, op := range ops {
			sum += of(m.Traffic(t.volume.Placement, op, at, at.Add(model.Grain)))
		}
		return sum / model.Grain.Seconds(), true
	}
}

// netappLatency has no value where there was no operation.
func netappLatency(op model.Op) func(*model.Model, netappTarget, time.Time) (float64, bool) {
	return func(m *model.Model, t netappTarget, at time.Time) (float64, bool) {
		did := m.Traffic(t.volume.Placement, op, at, at.Add(model.Grain))
		return did.LatencyMS, did.Operations > 0
	}
}

func netappSpace(of func(model.Space) float64) func(*model.Model, netappTarget, time.Time) (float64, bool) {
	return func(m *model.Model, t netappTarget, at time.Time) (float64, bool) {
		return of(m.Space(t.volume.Placement, at)), true
	}
}

func netappVolumeMetrics() []*metric {
	bytes, operations := func(t model.Traffic) float64 { return t.Bytes }, func(t model.Traffic) float64 { return t.Operations }
	held := func(m *model.Model, t netappTarget, at time.Time) (float64, bool) {
		if m.Held(t.volume.Placement, at) {
			return 1, true
		}
		return 0, true
	}
	return []*metric{
		netappMetric("AverageReadLatency", "Average read latency", "MilliSeconds", netappLatency(model.Read)),
		netappMetric("AverageWriteLatency", "Average write latency", "MilliSeconds", netappLatency(model.Write)),
		netappMetric("OtherIops", "Other iops", "CountPerSecond", traffic(operations, model.Metadata)),
		netappMetric("OtherThroughput", "Other throughput", "BytesPerSecond", traffic(bytes, model.Metadata)),
		netappMetric("ReadIops", "Read iops", "CountPerSecond", traffic(operations, model.Read)),
		netappMetric("ReadThroughput", "Read throughput", "BytesPerSecond", traffic(bytes, model.Read)),
		netappMetric("ThroughputLimitReached", "Throughput limit reached", "Count", held),
		netappMetric("TotalIops", "Total iops", "CountPerSecond", traffic(operations, model.Ops()...)),
		netappMetric("TotalThroughput", "Total throughput", "BytesPerSecond", traffic(bytes, model.Ops()...)),
		netappMetric("VolumeAllocatedSize", "Volume allocated size", "Bytes", netappSpace(func(s model.Space) float64 { return float64(s.Allocated) })),
		netappMetric("VolumeConsumedSizePercentage", "Percentage Volume Consumed Size", "Percent",
			netappSpace(func(s model.Space) float64 { return 100 * float64(s.Used) / float64(s.Allocated) })),
		netappMetric("VolumeInodesPercentage", "Volume inodes percentage", "Percent",
			netappSpace(func(s model.Space) float64 { return 100 * float64(s.Inodes) / float64(s.InodeLimit) })),
		netappMetric("VolumeLogicalSize", "Volume Consumed Size", "Bytes", netappSpace(func(s model.Space) float64 { return float64(s.Used) })),
		netappMetric("VolumeSnapshotSize", "Volume snapshot size", "Bytes", netappSpace(func(s model.Space) float64 { return float64(s.Snapshot) })),
		netappMetric("WriteIops", "Write iops", "CountPerSecond", traffic(operations, model.Write)),
		netappMetric("WriteThroughput", "Write throughput", "BytesPerSecond", traffic(bytes, model.Write)),
	}
}

func queryCapacityPool(c *call) (any, *failure)  { return c.queryNetApp(capacityPools()) }
func queryNetAppVolume(c *call) (any, *failure)  { return c.queryNetApp(netappVolumes()) }
func defineCapacityPool(c *call) (any, *failure) { return c.defineNetApp(capacityPools()) }
func defineNetAppVolume(c *call) (any, *failure) { return c.defineNetApp(netappVolumes()) }

func (c *call) queryNetApp(of catalogue) (any, *failure) {
	t, failure := c.netapp()
	if failure != nil {
		return nil, failure
	}
	q, failure := c.parseMetrics(of)
	if failure != nil {
		return nil, failure
	}
	read := c.readNetApp(c.request.Context(), t, q)
	answer := c.answers(q, read, metricsAnswer{Interval: q.interval, Namespace: of.namespace, Region: t.account.Location}, t.id())
	answer.Timespan = q.from.Format(time.RFC3339) + "/" + q.to.Format(time.RFC3339)
	return answer, nil
}

func (c *call) defineNetApp(of catalogue) (any, *failure) {
	t, failure := c.netapp()
	if failure != nil {
		return nil, failure
	}
	var all []definition
	for _, m := range of.metrics {
		all = append(all, definitionOf(t.id(), of.namespace, m))
	}
	return map[string]any{"value": all}, nil
}

// readNetApp gives the one series of each metric. A metric of which no point is there yet has none.
func (c *call) readNetApp(ctx context.Context, t netappTarget, q *query) map[*metric][]*series {
	found, seen := map[*metric][]*series{}, view{c.server.faults.Data(), c.now}
	oldest := c.now.Add(-retention)
	for at := q.first(); at.Before(q.to) && at.Before(c.now) && ctx.Err() == nil; at = at.Add(model.Grain) {
		if at.Before(oldest) {
			continue
		}
		of := c.drawn(t, at)
		part := at.Add(model.Grain + firstDelay + time.Duration(of.draw("part")*float64(firstSpread)))
		for _, m := range q.metrics {
			weight, visible := seen.weight(of, m, at, part, part.Add(time.Duration(of.draw("whole")*float64(wholeSpread))))
			value, ok := m.netapp(c.server.model, t, at)
			if !visible || !ok {
				continue
			}
			if found[m] == nil {
				found[m] = []*series{{buckets: make([]sample, q.points())}}
			}
			bucket := &found[m][0].buckets[int(at.Sub(q.first())/q.grain)]
			*bucket = bucket.merge(one(value * weight))
		}
	}
	return found
}

func (c *call) drawn(t netappTarget, at time.Time) target {
	name := ""
	if t.volume != nil {
		name = t.volume.NetAppVolume.Name
	}
	draw := func(purpose string) float64 { return c.server.model.Draw(purpose+"/"+t.name(), at.Unix()) }
	return target{t.subscription.ID, t.account.Location, name, draw}
}
