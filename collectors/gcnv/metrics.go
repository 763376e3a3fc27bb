package gcnv

import (
	"slices"
	"time"

	"github.com/nasight/nasight/schema"
)

// metricPrefix is what the names of all metrics of the service begin with.
const metricPrefix = "netapp.googleapis.com/"

// tier is how often a metric is read.
type tier string

const (
	performance tier = "performance"
	capacity    tier = "capacity"
)

// row is one metric of the monitoring API: which family it fills and how. What the metric descriptor says of kind, unit,
// period and delay goes before what stands here.
type row struct {
	metric   string // without the prefix
	resource string // monitored resource: Volume or StoragePool
	family   *schema.Family
	total    *schema.Family // sum over the types, or nil
	tier     tier
	unit     string // UCUM, for a descriptor that tells none
	rate     bool   // the family is a rate: a DELTA or CUMULATIVE metric is one after division by its time
	typed    bool   // the family's last label is a label of the metric
	noZero   bool   // zeros are the service's mistake
	reduced  bool   // the service adds the types up
}

const (
	volumeResource = "Volume"
	poolResource   = "StoragePool"
)

const (
	throughputMetric = "volume/throughput"
	operationsMetric = "volume/operation_count"
	latencyMetric    = "volume/average_latency"
	limitMetric      = "volume/throughput_limit"
)

// rows are all metrics that are read.
func rows() []*row {
	return []*row{
		{metric: throughputMetric, resource: volumeResource, family: schema.VolumeThroughput, total: schema.VolumeTotalThroughput, tier: performance, unit: "By", rate: true, typed: true},
		{metric: operationsMetric, resource: volumeResource, family: schema.VolumeOperations, total: schema.VolumeTotalOperations, tier: performance, unit: "1", rate: true, typed: true},
		{metric: latencyMetric, resource: volumeResource, family: schema.VolumeLatency, total: schema.VolumeMeanLatency, tier: performance, unit: "ms", typed: true},
		{metric: limitMetric, resource: volumeResource, family: schema.VolumeThroughputLimit, tier: performance, unit: "KiBy/s"},
		{metric: "volume/allocated_bytes", resource: volumeResource, family: schema.VolumeCapacity, tier: capacity, unit: "By"},
		{metric: "volume/bytes_used", resource: volumeResource, family: schema.VolumeUsed, tier: capacity, unit: "By"},
		{metric: "volume/snapshot_bytes", resource: volumeResource, family: schema.VolumeSnapshots, tier: capacity, unit: "By"},
		{metric: "volume/inode_limit", resource: volumeResource, family: schema.VolumeInodeLimit, tier: capacity, unit: "1"},
		{metric: "volume/inode_used", resource: volumeResource, family: schema.VolumeInodeUsed, tier: capacity, unit: "1", noZero: true},
		{metric: "volume/auto_tiering/tiered_bytes", resource: volumeResource, family: schema.VolumeTiered, tier: capacity, unit: "By", typed: true},
		{metric: "volume/auto_tiering/cold_tier_read_byte_count", resource: volumeResource, family: schema.VolumeColdRead, tier: capacity, unit: "By", rate: true},
		{metric: "volume/auto_tiering/cold_tier_write_byte_count", resource: volumeResource, family: schema.VolumeColdWrite, tier: capacity, unit: "By", rate: true},
		{metric: "volume/backup_used", resource: volumeResource, family: schema.VolumeBackupUsed, tier: capacity, unit: "By"},
		{metric: "volume/backup_healthy", resource: volumeResource, family: schema.VolumeBackupHealthy, tier: capacity, unit: "1"},
		{metric: "volume/backup_transferring", resource: volumeResource, family: schema.VolumeBackupTransferring, tier: capacity, unit: "1"},
		{metric: "volume/backup_last_transfer_size", resource: volumeResource, family: schema.VolumeBackupTransfer, tier: capacity, unit: "By"},
		{metric: "volume/backup_last_transfer_duration", resource: volumeResource, family: schema.VolumeBackupDuration, tier: capacity, unit: "s"},
		{metric: "storage_pool/auto_tiering/tiered_bytes", resource: poolResource, family: schema.PoolTiered, tier: capacity, unit: "By", typed: true},
		{metric: "storage_pool/replication_status", resource: poolResource, family: schema.PoolReplication, tier: capacity, unit: "1"},
	}
}

func rowOf(metric string) *row {
	for _, r := range rows() {
		if r.metric == metric {
			return r
		}
	}
	return nil
}

// thin says how far apart the points of a row are kept: all of the performance tier, the last one of each hour of the
// capacity tier.
func (r *row) thin() time.Duration {
	if r.tier == capacity {
		return schema.ConfigGrain
	}
	return 0
}

// chosen are the rows that a configuration reads.
func chosen(tiers Tiers) []*row {
	var kept []*row
	for _, r := range rows() {
		if slices.Contains(tiers.Off, r.metric) {
			continue
		}
		if tiers.TotalsOnly && r.total != nil {
			if !r.rate {
				continue // a mean needs the weights of its types
			}
			r.family, r.total, r.typed, r.reduced = r.total, nil, false, true
		}
		kept = append(kept, r)
	}
	return kept
}
