package gcp

import (
	"time"

	metricpb "google.golang.org/genproto/googleapis/api/metric"

	"github.com/nasight/nasight/simulator/model"
)

const prefix = "netapp.googleapis.com/"

// Points reach the service this much after their window: at least soonest, and before ingestDelay.
const (
	soonest     = 4 * time.Minute
	ingestDelay = 8 * time.Minute
)

// The kinds and value types, by short names for the table.
const (
	gauge      = metricpb.MetricDescriptor_GAUGE
	delta      = metricpb.MetricDescriptor_DELTA
	cumulative = metricpb.MetricDescriptor_CUMULATIVE
	integer    = metricpb.MetricDescriptor_INT64
	double     = metricpb.MetricDescriptor_DOUBLE
	boolean    = metricpb.MetricDescriptor_BOOL
)

type (
	kind      = metricpb.MetricDescriptor_MetricKind
	valueType = metricpb.MetricDescriptor_ValueType
)

// metric is one row: the descriptor, and where its values come from. Rows without a source are described by the service
// but have no series in a fleet that tiers nothing and backs nothing up.
type metric struct {
	name     string // without the prefix; its first part names the resource
	kind     kind
	value    valueType
	unit     string // UCUM
	label    string // key of the only metric label, or empty
	help     string
	volume   func(m *model.Model, p *model.Placement, op model.Op, window time.Time) (float64, bool)
	pool     func(p *model.Pool) float64
	transfer func(t model.Transfer) float64
}

func (m *metric) kindType() string { return prefix + m.name }

// metricTable is what the service describes. Kinds, value types and units are those that NetApp's own dashboards imply:
// throughput and operation_count are DELTA, everything else is a GAUGE, but for one total.
func metricTable() []*metric {
	return append(volumeMetrics(), otherMetrics()...)
}

func volumeMetrics() []*metric {
	return []*metric{
		{name: "volume/throughput", kind: delta, value: integer, unit: "By", label: "type", help: "Bytes moved, by type of operation.", volume: bytesMoved},
		{name: "volume/operation_count", kind: delta, value: integer, unit: "1", label: "type", help: "Operations, by type.", volume: operations},
		{name: "volume/average_latency", kind: gauge, value: double, unit: "ms", label: "method", help: "Mean latency inside the service, by type of operation.", volume: latency},
		{name: "volume/throughput_limit", kind: gauge, value: integer, unit: "KiBy/s", help: "Throughput granted to the volume.", volume: limit},
		{name: "volume/allocated_bytes", kind: gauge, value: integer, unit: "By", help: "Provisioned size.", volume: space(func(s model.Space) int64 { return s.Allocated })},
		{name: "volume/bytes_used", kind: gauge, value: integer, unit: "By", help: "Space of data and snapshots.", volume: space(func(s model.Space) int64 { return s.Used })},
		{name: "volume/snapshot_bytes", kind: gauge, value: integer, unit: "By", help: "Space of snapshots.", volume: space(func(s model.Space) int64 { return s.Snapshot })},
		{name: "volume/inode_limit", kind: gauge, value: integer, unit: "1", help: "Inodes that the volume may have.", volume: space(func(s model.Space) int64 { return s.InodeLimit })},
		{name: "volume/inode_used", kind: gauge, value: integer, unit: "1", help: "Inodes in use.", volume: space(func(s model.Space) int64 { return s.Inodes })},
		{name: "volume/auto_tiering/tiered_bytes", kind: gauge, value: integer, unit: "By", label: "tier", help: "Used space, by tier."},
		{name: "volume/auto_tiering/cold_tier_read_byte_count", kind: delta, value: integer, unit: "By", help: "Bytes read from the cold tier."},
		{name: "volume/auto_tiering/cold_tier_write_byte_count", kind: delta, value: integer, unit: "By", help: "Bytes written to the cold tier."},
		{name: "volume/backup_used", kind: gauge, value: integer, unit: "By", help: "Bytes in backups."},
		{name: "volume/backup_healthy", kind: gauge, value: boolean, help: "Whether the last backup succeeded."},
	}
}

func otherMetrics() []*metric {
	seconds := func(d time.Duration) float64 { return d.Seconds() }
	return []*metric{
		{name: "storage_pool/capacity", kind: gauge, value: integer, unit: "By", help: "Size of the pool.", pool: func(p *model.Pool) float64 { return gib(p.CapacityGiB) }},
		{name: "storage_pool/allocated", kind: gauge, value: integer, unit: "By", help: "Capacity given to volumes.", pool: func(p *model.Pool) float64 { return gib(p.Allocated()) }},
		{name: "storage_pool/auto_tiering/tiered_bytes", kind: gauge, value: integer, unit: "By", label: "tier", help: "Used space, by tier."},
		{name: "replication/healthy", kind: gauge, value: boolean, help: "Whether the replication works.", transfer: func(t model.Transfer) float64 { return truth(t.Healthy) }},
		{name: "replication/transferring", kind: gauge, value: boolean, help: "Whether a transfer runs.", transfer: func(t model.Transfer) float64 { return truth(t.Transferring) }},
		{name: "replication/lag_time", kind: gauge, value: integer, unit: "s", help: "Age of what the destination holds.", transfer: func(t model.Transfer) float64 { return seconds(t.Lag) }},
		{name: "replication/last_transfer_duration", kind: gauge, value: integer, unit: "s", help: "Duration of the last transfer.", transfer: func(t model.Transfer) float64 { return seconds(t.LastDuration) }},
		{name: "replication/last_transfer_size", kind: gauge, value: integer, unit: "By", help: "Bytes of the last transfer.", transfer: func(t model.Transfer) float64 { return float64(t.LastBytes) }},
		{name: "replication/total_transfer_byte_count", kind: cumulative, value: integer, unit: "By", help: "Bytes transferred since the creation.", transfer: func(t model.Transfer) float64 { return float64(t.TotalBytes) }},
	}
}

func gib(n int64) float64 { return float64(n) * (1 << 30) }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func bytesMoved(m *model.Model, p *model.Placement, op model.Op, window time.Time) (float64, bool) {
	return m.Traffic(p, op, window, window.Add(model.Grain)).Bytes, true
}

func operations(m *model.Model, p *model.Placement, op model.Op, window time.Time) (float64, bool) {
	return m.Traffic(p, op, window, window.Add(model.Grain)).Operations, true
}

// latency has no point for a window without operations: there is no mean of nothing.
func latency(m *model.Model, p *model.Placement, op model.Op, window time.Time) (float64, bool) {
	traffic := m.Traffic(p, op, window, window.Add(model.Grain))
	return traffic.LatencyMS, traffic.Operations > 0
}

func limit(m *model.Model, p *model.Placement, _ model.Op, window time.Time) (float64, bool) {
	return m.At(window).Find(p.Path).Limit() * 1024, true
}

func space(field func(model.Space) int64) func(*model.Model, *model.Placement, model.Op, time.Time) (float64, bool) {
	return func(m *model.Model, p *model.Placement, _ model.Op, window time.Time) (float64, bool) {
		return float64(field(m.Space(p, window.Add(model.Grain)))), true
	}
}
