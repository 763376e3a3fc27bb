package azurenetapp

import (
	"time"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

// tier is how often a metric is read.
type tier string

const (
	performance tier = "performance"
	capacity    tier = "capacity"
)

// row is one metric, or one number that follows from metrics: which family it fills and how.
type row struct {
	metric string // empty for what follows from others
	family *schema.Family
	scale  float64 // of a number to base units
	labels []string
}

// group is the metrics that one request asks for: of one kind of resource and one grain.
type group struct {
	name      string
	tier      tier
	namespace string
	ofPools   bool // else of volumes
	pace      azureapi.Pace
	delay     time.Duration
	rows      []*row
	derive    func(*found, *volume) // adds what follows; nil for nothing
}

// has says whether a group is of such a resource.
func (g *group) has(t *target) bool { return g.ofPools == (t.volume == nil) }

const (
	milliseconds = 1e-3
	fiveMinutes  = "PT5M"
	oneHour      = "PT1H"
)

func (g *group) interval() string {
	if g.pace.Grain == time.Hour {
		return oneHour
	}
	return fiveMinutes
}

// metrics are the names of some rows' metrics.
func metricsOf(rows []*row) []string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.metric
	}
	return names
}

// The rows that others follow from, or that follow from others.
var (
	totalRow       = &row{metric: "TotalThroughput", family: schema.VolumeTotalThroughput, scale: 1}
	readIopsRow    = &row{metric: "ReadIops", family: schema.VolumeOperations, scale: 1, labels: []string{"read"}}
	writeIopsRow   = &row{metric: "WriteIops", family: schema.VolumeOperations, scale: 1, labels: []string{"write"}}
	readTimeRow    = &row{metric: "AverageReadLatency", family: schema.VolumeLatency, scale: milliseconds, labels: []string{"read"}}
	writeTimeRow   = &row{metric: "AverageWriteLatency", family: schema.VolumeLatency, scale: milliseconds, labels: []string{"write"}}
	inodesRow      = &row{metric: "VolumeInodesPercentage", scale: 1e-2}
	limitRow       = &row{family: schema.VolumeThroughputLimit}
	meanLatencyRow = &row{family: schema.VolumeMeanLatency}
	inodeLimitRow  = &row{family: schema.VolumeInodeLimit}
	inodeUsedRow   = &row{family: schema.VolumeInodeUsed}
)

// groups are all metrics that are read.
func groups() []*group {
	const volumes, pools = "Microsoft.NetApp/netAppAccounts/capacityPools/volumes", "Microsoft.NetApp/netAppAccounts/capacityPools"
	minutes := azureapi.Pace{Grain: schema.AzureNetAppGrain, Overlap: 15 * time.Minute, First: time.Hour}
	hours := azureapi.Pace{Grain: schema.AzureNetAppCapacityGrain, Overlap: 3 * time.Hour, First: 24 * time.Hour}
	one := func(metric string, family *schema.Family, labels ...string) *row {
		return &row{metric: metric, family: family, scale: 1, labels: labels}
	}
	return []*group{
		{name: "load", tier: performance, namespace: volumes, pace: minutes, delay: schema.AzureNetAppDelay, derive: deriveLoad, rows: []*row{
			totalRow,
			one("ReadThroughput", schema.VolumeThroughput, "read"), one("WriteThroughput", schema.VolumeThroughput, "write"),
			one("OtherThroughput", schema.VolumeThroughput, "metadata"),
			one("TotalIops", schema.VolumeTotalOperations), readIopsRow, writeIopsRow, one("OtherIops", schema.VolumeOperations, "metadata"),
			readTimeRow, writeTimeRow, one("ThroughputLimitReached", schema.VolumeLimitReached),
		}},
		{name: "space", tier: capacity, namespace: volumes, pace: hours, delay: schema.AzureNetAppCapacityDelay, derive: deriveInodes, rows: []*row{
			one("VolumeAllocatedSize", schema.VolumeCapacity), one("VolumeLogicalSize", schema.VolumeUsed),
			one("VolumeSnapshotSize", schema.VolumeSnapshots), inodesRow,
		}},
		{name: "pools", tier: capacity, namespace: pools, ofPools: true, pace: hours, delay: schema.AzureNetAppCapacityDelay, rows: []*row{
			one("VolumePoolAllocatedToVolumeThroughput", schema.PoolAssignedThroughput), one("VolumePoolTotalLogicalSize", schema.PoolUsed),
			one("VolumePoolTotalSnapshotSize", schema.PoolSnapshots),
		}},
	}
}
