package schema

import "time"

// How often Azure NetApp Files renews its metrics, and after how long a point is settled. What is judged with Google's
// volumes is judged at the same delay as theirs, which is longer.
const (
	AzureNetAppGrain         = 5 * time.Minute
	AzureNetAppDelay         = 5 * time.Minute
	AzureNetAppCapacityGrain = time.Hour
	AzureNetAppCapacityDelay = 10 * time.Minute
)

const (
	netappPools   = "Microsoft.NetApp capacityPools"
	netappMonitor = "Azure Monitor capacityPools "
)

// What Azure NetApp Files alone tells. Its volumes and pools fill the families of volumes and pools otherwise: cloud azure,
// service azurenetapp, project the subscription, location the region, pool ACCOUNT/POOL.
var (
	VolumeLimitReached = &Family{
		Name: "nasight_volume_throughput_limit_reached", Type: Gauge, Labels: volumeLabels,
		Help:   "1 if the service held the volume at its throughput limit at any time in the grain, else 0. Azure NetApp Files.",
		Source: "Azure Monitor ThroughputLimitReached", Grain: GCNVGrain, Delay: GCNVDelay,
	}
	PoolResourceInfo = &Family{
		Name: "nasight_pool_resource_info", Type: Info, Labels: with(poolLabels, "resource_group"),
		Help: "Where a pool lies in the tree of its cloud's resources, as commands need it. Azure NetApp Files.", Source: netappPools, Grain: ConfigGrain,
	}
	PoolAssignedThroughput = &Family{
		Name: "nasight_pool_assigned_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: poolLabels,
		Help:   "Throughput that the volumes of the pool have together, mean of an hour. Azure NetApp Files.",
		Source: netappMonitor + "VolumePoolAllocatedToVolumeThroughput", Grain: AzureNetAppCapacityGrain, Delay: AzureNetAppCapacityDelay,
	}
	PoolUsed = &Family{
		Name: "nasight_pool_used_bytes", Type: Gauge, Unit: Bytes, Labels: poolLabels,
		Help:   "Space of data and snapshots of all volumes of the pool. Azure NetApp Files.",
		Source: netappMonitor + "VolumePoolTotalLogicalSize", Grain: AzureNetAppCapacityGrain, Delay: AzureNetAppCapacityDelay,
	}
	PoolSnapshots = &Family{
		Name: "nasight_pool_snapshot_bytes", Type: Gauge, Unit: Bytes, Labels: poolLabels,
		Help:   "Space of snapshots of all volumes of the pool. Azure NetApp Files.",
		Source: netappMonitor + "VolumePoolTotalSnapshotSize", Grain: AzureNetAppCapacityGrain, Delay: AzureNetAppCapacityDelay,
	}
)
