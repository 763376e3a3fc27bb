package fleet

import (
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/schema"
)

var (
	byPool   = []string{"cloud", "service", "project", "location", "pool"}
	byVolume = append(append([]string(nil), byPool...), "volume")
	byName   = []string{"cloud", "service", "project", "location", "volume"} // a volume whatever its pool
)

const (
	recentSamples = 12 // an hour: what a plateau is judged on
	shortWindow   = 4  // samples of what counts as now
	day           = 24 * time.Hour
	week          = 7 * day
)

// cloudFeatures are the rows about the cloud's side. What a source delivers late is asked at the source's watermark: the
// view's moment less the delay.
func cloudFeatures() []Feature {
	var rows []Feature
	for _, group := range [][]Feature{poolFeatures(), volumeFeatures(), volumeSampleFeatures(), volumeDayFeatures(), replicationFeatures()} {
		for _, row := range group {
			row.Cloud = true
			rows = append(rows, row)
		}
	}
	return rows
}

// lately is a function of a family's values over so many grains that end at the source's watermark.
func lately(function string, family *schema.Family, grains int) string {
	return fmt.Sprintf("%s(%s{$sel}[%s]%s)", function, family.Name, samplesOf(time.Duration(grains)*family.Grain), offset(family.Delay))
}

// samplesOf is the range of a span's samples. It is a millisecond short: a Prometheus before 3.0 counts the sample at its beginning
// as well, so that five minutes would have six.
func samplesOf(span time.Duration) string { return millis(span - time.Millisecond) }

func offset(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return " offset " + millis(d)
}

// known is a family's last value within four grains.
func known(family *schema.Family) string { return lately("last_over_time", family, shortWindow) }

// settled is an info family's newest series of each resource. After a change the old labels stay in the window beside the new
// ones: the shortest look that finds the resource decides. The longest is for places of which the last hour tells nothing, as
// when the inventory cannot be read: where others were listed since, what was not is gone.
func settled(family *schema.Family, by []string) string {
	look := func(window time.Duration) string {
		return fmt.Sprintf("last_over_time(%s{$sel}[%s])", family.Name, millis(window))
	}
	listed := strings.Join([]string{look(6 * time.Minute), look(35 * time.Minute), look(65 * time.Minute)}, " or on ("+strings.Join(by, ", ")+") ")
	return listed + " or on (cloud, service, project, location) " + look(4*family.Grain)
}

func poolFeatures() []Feature {
	available := schema.PoolAvailableThroughput
	dayAgo := fmt.Sprintf("last_over_time(%s{$sel}[%s] offset 22h)", available.Name, millis(shortWindow*available.Grain))
	return []Feature{
		{Name: FeaturePoolInfo, Expr: settled(schema.PoolInfo, byPool), By: byPool, Config: true},
		{Name: FeaturePoolCapacity, Unit: "bytes", Expr: known(schema.PoolCapacity), By: byPool, Config: true},
		{Name: FeaturePoolAllocated, Unit: "bytes", Expr: known(schema.PoolAllocated), By: byPool, Config: true},
		{Name: FeaturePoolHotTier, Unit: "bytes", Expr: known(schema.PoolHotTier), By: byPool, Config: true},
		{Name: FeaturePoolTotal, Unit: bytesRate, Expr: known(schema.PoolTotalThroughput), By: byPool, Config: true},
		{Name: FeaturePoolAvailable, Unit: bytesRate, Expr: known(available), By: byPool, Config: true},
		{Name: FeaturePoolAvailableLow, Unit: bytesRate, Expr: lately("min_over_time", available, int(day/available.Grain)), By: byPool, Config: true},
		{Name: FeaturePoolAvailableThen, Unit: bytesRate, Expr: dayAgo, By: byPool, Config: true},
		{Name: FeaturePoolIOPS, Unit: operationsRate, Expr: known(schema.PoolTotalIOPS), By: byPool, Config: true},
		{Name: FeaturePoolResource, Expr: settled(schema.PoolResourceInfo, byPool), By: byPool, Config: true},
	}
}

func volumeFeatures() []Feature {
	return []Feature{
		{Name: FeatureVolumeInfo, Expr: settled(schema.VolumeInfo, byName), By: byVolume, Config: true},
		{Name: FeatureVolumeEndpoint, Expr: known(schema.VolumeEndpointInfo), By: byVolume, Config: true},
		{Name: FeatureVolumeAssigned, Unit: bytesRate, Expr: known(schema.VolumeAssignedThroughput), By: byVolume, Config: true, Sum: true},
		{Name: FeatureVolumeCapacity, Unit: "bytes", Expr: known(schema.VolumeCapacity), By: byVolume, Sum: true},
		{Name: FeatureVolumeUsed, Unit: "bytes", Expr: known(schema.VolumeUsed), By: byVolume, Sum: true},
		{Name: FeatureVolumeInodeLimit, Unit: "inodes", Expr: known(schema.VolumeInodeLimit), By: byVolume, Sum: true},
		{Name: FeatureVolumeInodeUsed, Unit: "inodes", Expr: known(schema.VolumeInodeUsed), By: byVolume, Sum: true},
	}
}

// volumeSampleFeatures are asked sample by sample: a rule counts how many of the last ones are near a limit.
func volumeSampleFeatures() []Feature {
	row := func(name, unit string, family *schema.Family, sum bool) Feature {
		return Feature{
			Name: name, Unit: unit, Expr: lately("last_over_time", family, 1), By: byVolume, Sum: sum,
			Steps: recentSamples, Step: family.Grain,
		}
	}
	return []Feature{
		row(FeatureVolumeThroughput, bytesRate, schema.VolumeTotalThroughput, true),
		row(FeatureVolumeLimit, bytesRate, schema.VolumeThroughputLimit, false),
		row(FeatureVolumeHeld, "", schema.VolumeLimitReached, false),
		row(FeatureVolumeOperations, operationsRate, schema.VolumeTotalOperations, true),
		row(FeatureVolumeLatency, "seconds", schema.VolumeMeanLatency, false),
		{Name: FeaturePoolThroughput, Unit: bytesRate, Expr: lately("last_over_time", schema.VolumeTotalThroughput, 1), By: byPool, Sum: true, Only: true},
		{Name: FeaturePoolOperations, Unit: operationsRate, Expr: lately("last_over_time", schema.VolumeTotalOperations, 1), By: byPool, Sum: true, Only: true},
	}
}

// volumeDayFeatures look over days. The view takes these numbers from one reading of the samples, in the same way as the
// expressions do: a quantile in the engine costs several times as much.
func volumeDayFeatures() []Feature {
	throughput, latency := schema.VolumeTotalThroughput, schema.VolumeMeanLatency
	quantile := func(q float64, back time.Duration) string {
		return fmt.Sprintf("quantile_over_time(%g, %s{$sel}[7d]%s)", q, throughput.Name, offset(throughput.Delay+back))
	}
	pool := func(family *schema.Family) string {
		return fmt.Sprintf("quantile_over_time(0.99, sum by (%s) (last_over_time(%s{$sel}[%s]))[7d:%s]%s)", strings.Join(byPool, ", "),
			family.Name, millis(family.Grain), millis(family.Grain), offset(family.Delay))
	}
	rows := []Feature{
		{Name: FeatureVolumeP99, Unit: bytesRate, Expr: quantile(0.99, 0), By: byVolume},
		{Name: FeatureVolumeP95, Unit: bytesRate, Expr: quantile(0.95, 0), By: byVolume},
		{Name: FeatureVolumeMax, Unit: bytesRate, Expr: lately("max_over_time", throughput, int(week/throughput.Grain)), By: byVolume},
		{Name: FeatureVolumePeak, Unit: bytesRate, Expr: peakExpr(peakWindow, byName), By: byName},
		{Name: FeatureVolumeBefore, Unit: bytesRate, Expr: quantile(0.99, week), By: byVolume},
		{Name: FeatureVolumeCoverage, Unit: "ratio", By: byVolume,
			Expr: lately("count_over_time", throughput, int(week/throughput.Grain)) + fmt.Sprintf(" / %d", int(week/throughput.Grain))},
		{Name: FeatureVolumeBaseline, Unit: "seconds", By: byVolume,
			Expr: fmt.Sprintf("quantile_over_time(0.5, avg_over_time(%s{$sel}[1h])[7d:1h]%s)", latency.Name, offset(latency.Delay))},
		{Name: FeatureVolumeHourBytes, Unit: bytesRate, Expr: hourMean(schema.VolumeThroughput), By: byVolume},
		{Name: FeatureVolumeHourOps, Unit: operationsRate, Expr: hourMean(schema.VolumeOperations), By: byVolume},
		{Name: FeaturePoolP99, Unit: bytesRate, Expr: pool(throughput), By: byPool},
		{Name: FeaturePoolIOPSP99, Unit: operationsRate, Expr: pool(schema.VolumeTotalOperations), By: byPool},
	}
	for i := range rows {
		rows[i].Slow, rows[i].Only = true, true
	}
	return rows
}

// hourMean is the mean of an hour, of what moves data.
func hourMean(family *schema.Family) string {
	return fmt.Sprintf("avg_over_time(%s{type=~\"read|write\",$sel}[%s]%s)", family.Name, samplesOf(time.Hour), offset(family.Delay))
}

func replicationFeatures() []Feature {
	return []Feature{
		{Name: FeatureReplicationInfo, Expr: settled(schema.ReplicationInfo, append(append([]string(nil), byName...), schema.Replication)), By: byVolume, Config: true},
		{Name: FeatureReplicationHealthy, Expr: known(schema.ReplicationHealthy), By: byVolume, Config: true},
		{Name: FeatureReplicationLag, Unit: "seconds", Expr: known(schema.ReplicationLag), By: byVolume, Config: true},
		{Name: FeatureReplicationBytes, Unit: "bytes", Expr: known(schema.ReplicationLastTransfer), By: byVolume, Config: true},
		{Name: FeatureReplicationDuration, Unit: "seconds", Expr: known(schema.ReplicationLastTransferDuration), By: byVolume, Config: true},
	}
}

const (
	bytesRate      = "bytes per second"
	operationsRate = "operations per second"
)
