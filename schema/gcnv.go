package schema

import "time"

// How often Google Cloud NetApp Volumes renews its metrics. The delay is after how long a point is
// in history: the service's own delay, which metric descriptors tell, and the wait for the next reading.
const (
	GCNVGrain = 5 * time.Minute
	GCNVDelay = 15 * time.Minute
)

// The labels cloud and service of these families are gcp and gcnv, or azure and azurenetapp; location is a region or a zone,
// as the resource has it.
// The pool is empty where the inventory does not know the volume.
const (
	gcnvThroughput = "monitoring volume/throughput; Azure Monitor {Read,Write,Other,Total}Throughput"
	gcnvOperations = "monitoring volume/operation_count; Azure Monitor {Read,Write,Other,Total}Iops"
	gcnvLatency    = "monitoring volume/average_latency; Azure Monitor Average{Read,Write}Latency"
	gcnvPools      = "netapp.googleapis.com storagePools; Microsoft.NetApp capacityPools"
	gcnvVolumes    = "netapp.googleapis.com volumes; Microsoft.NetApp volumes"
	gcnvReplicas   = "netapp.googleapis.com replications"
)

// Performance of cloud volumes as the service sees it: what waits in a client is not in it. All are means over one
// grain, stamped with the end of that grain.
var (
	VolumeThroughput = &Family{
		Name: "nasight_volume_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: with(volumeLabels, Kind),
		Help: "Bytes moved by type: read, write, metadata.", Source: gcnvThroughput, Grain: GCNVGrain, Delay: GCNVDelay,
	}
	VolumeOperations = &Family{
		Name: "nasight_volume_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: with(volumeLabels, Kind),
		Help: "Operations by type: read, write, metadata.", Source: gcnvOperations, Grain: GCNVGrain, Delay: GCNVDelay,
	}
	VolumeLatency = &Family{
		Name: "nasight_volume_latency_seconds", Type: Gauge, Unit: Seconds, Labels: with(volumeLabels, Kind),
		Help:   "Mean time that an operation takes inside the storage system, by type: read, write, metadata.",
		Source: gcnvLatency, Grain: GCNVGrain, Delay: GCNVDelay,
	}
	VolumeTotalThroughput = &Family{
		Name: "nasight_volume_total_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help: "Bytes moved, all types together.", Source: gcnvThroughput, Grain: GCNVGrain, Delay: GCNVDelay,
	}
	VolumeTotalOperations = &Family{
		Name: "nasight_volume_total_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: volumeLabels,
		Help: "Operations, all types together.", Source: gcnvOperations, Grain: GCNVGrain, Delay: GCNVDelay,
	}
	VolumeMeanLatency = &Family{
		Name: "nasight_volume_mean_latency_seconds", Type: Gauge, Unit: Seconds, Labels: volumeLabels,
		Help:   "Mean latency over all types, weighted by operations; absent where the operations of a type are not known. Of Azure NetApp Files reads and writes alone.",
		Source: gcnvLatency, Grain: GCNVGrain, Delay: GCNVDelay,
	}
	VolumeThroughputLimit = &Family{
		Name: "nasight_volume_throughput_limit_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help:   "Throughput granted to the volume; on Flex that of the whole pool, repeated on each of its volumes. Of Azure NetApp Files what the inventory said when the point was read.",
		Source: "monitoring volume/throughput_limit; Microsoft.NetApp volumes", Grain: GCNVGrain, Delay: GCNVDelay,
	}
)

// Space of cloud volumes.
var (
	VolumeCapacity = &Family{
		Name: "nasight_volume_capacity_bytes", Type: Gauge, Unit: Bytes, Labels: volumeLabels,
		Help: "Provisioned size.", Source: "monitoring volume/allocated_bytes; Azure Monitor VolumeAllocatedSize", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeUsed = &Family{
		Name: "nasight_volume_used_bytes", Type: Gauge, Unit: Bytes, Labels: volumeLabels,
		Help: "Space of data and snapshots.", Source: "monitoring volume/bytes_used; Azure Monitor VolumeLogicalSize", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeSnapshots = &Family{
		Name: "nasight_volume_snapshot_bytes", Type: Gauge, Unit: Bytes, Labels: volumeLabels,
		Help: "Space of snapshots.", Source: "monitoring volume/snapshot_bytes; Azure Monitor VolumeSnapshotSize", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeInodeLimit = &Family{
		Name: "nasight_volume_inode_limit", Type: Gauge, Labels: volumeLabels,
		Help: "Most inodes.", Source: "monitoring volume/inode_limit; Microsoft.NetApp volumes", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeInodeUsed = &Family{
		Name: "nasight_volume_inode_used", Type: Gauge, Labels: volumeLabels,
		Help:   "Inodes in use; zeros, which the service sends by mistake, are left out.",
		Source: "monitoring volume/inode_used; Azure Monitor VolumeInodesPercentage", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeTiered = &Family{
		Name: "nasight_volume_tiered_bytes", Type: Gauge, Unit: Bytes, Labels: with(volumeLabels, Tier),
		Help:   "Used space by auto-tiering tier: hot, cold.",
		Source: "monitoring volume/auto_tiering/tiered_bytes", Grain: ConfigGrain, Delay: GCNVDelay,
	}
)

// Auto-tiering and backups of cloud volumes.
var (
	VolumeColdRead = &Family{
		Name: "nasight_volume_cold_tier_read_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help: "Bytes read from the cold tier.", Source: "monitoring volume/auto_tiering/cold_tier_read_byte_count", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeColdWrite = &Family{
		Name: "nasight_volume_cold_tier_write_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help: "Bytes written to the cold tier.", Source: "monitoring volume/auto_tiering/cold_tier_write_byte_count", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeBackupUsed = &Family{
		Name: "nasight_volume_backup_used_bytes", Type: Gauge, Unit: Bytes, Labels: volumeLabels,
		Help: "Space of backups.", Source: "monitoring volume/backup_used", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeBackupHealthy = &Family{
		Name: "nasight_volume_backup_healthy", Type: Gauge, Labels: volumeLabels,
		Help: "1 if the service calls the backup healthy, else 0.", Source: "monitoring volume/backup_healthy", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeBackupTransferring = &Family{
		Name: "nasight_volume_backup_transferring", Type: Gauge, Labels: volumeLabels,
		Help: "1 while a backup is being transferred, else 0.", Source: "monitoring volume/backup_transferring", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeBackupTransfer = &Family{
		Name: "nasight_volume_backup_last_transfer_bytes", Type: Gauge, Unit: Bytes, Labels: volumeLabels,
		Help: "Bytes of the last backup transfer.", Source: "monitoring volume/backup_last_transfer_size", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	VolumeBackupDuration = &Family{
		Name: "nasight_volume_backup_last_transfer_duration_seconds", Type: Gauge, Unit: Seconds, Labels: volumeLabels,
		Help: "Duration of the last backup transfer.", Source: "monitoring volume/backup_last_transfer_duration", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	PoolTiered = &Family{
		Name: "nasight_pool_tiered_bytes", Type: Gauge, Unit: Bytes, Labels: with(poolLabels, Tier),
		Help:   "Used space of the pool by auto-tiering tier: hot, cold.",
		Source: "monitoring storage_pool/auto_tiering/tiered_bytes", Grain: ConfigGrain, Delay: GCNVDelay,
	}
	PoolReplication = &Family{
		Name: "nasight_pool_replication_status", Type: Gauge, Labels: poolLabels,
		Help:   "Replication of a regional Flex pool: 0 out of sync, 1 in sync, 2 catching up.",
		Source: "monitoring storage_pool/replication_status", Grain: ConfigGrain, Delay: GCNVDelay,
	}
)

// Configuration of cloud volumes, from the service's own API.
var (
	VolumeInfo = &Family{
		Name: "nasight_volume_info", Type: Info,
		Labels: with(volumeLabels, "service_level", "qos_type", "protocols", "state", "large_capacity", "multiple_endpoints", "zone", "kind"),
		Help: "A volume; protocols are in lower case (nfsv3, nfsv4, smb, iscsi), sorted and separated by commas; " +
			"kind is volume, block, cache, clone, replica or migration.",
		Source: gcnvVolumes, Grain: ConfigGrain,
	}
	VolumeEndpointInfo = &Family{
		Name: "nasight_volume_endpoint_info", Type: Info, Labels: with(volumeLabels, Server, Export, Protocol),
		Help: "An address under which a volume is mounted: protocol is nfsv3, nfsv4, smb or iscsi, server an address or a name, " +
			"export the path or share as a client names it.",
		Source: gcnvVolumes, Grain: ConfigGrain,
	}
	VolumeAssignedThroughput = &Family{
		Name: "nasight_volume_assigned_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help:   "Throughput that the API says is assigned to the volume (throughputMibps).",
		Source: gcnvVolumes, Grain: ConfigGrain,
	}
)

// Storage pools, from the service's own API.
var (
	PoolInfo = &Family{
		Name: "nasight_pool_info", Type: Info,
		Labels: with(poolLabels, "service_level", "qos_type", "type", "mode", "scale_type", "custom_performance", "auto_tiering", "state", "zone"),
		Help: "A storage pool, in lower case as the API names things: service_level standard, premium, extreme or flex, of Azure NetApp Files standard, premium, ultra or flexible; qos_type auto or manual; " +
			"type file or unified; mode default or ontap. Volumes of ONTAP-mode pools have no metrics: not known is not idle.",
		Source: gcnvPools, Grain: ConfigGrain,
	}
	PoolCapacity = &Family{
		Name: "nasight_pool_capacity_bytes", Type: Gauge, Unit: Bytes, Labels: poolLabels,
		Help: "Provisioned size.", Source: gcnvPools, Grain: ConfigGrain,
	}
	PoolAllocated = &Family{
		Name: "nasight_pool_allocated_bytes", Type: Gauge, Unit: Bytes, Labels: poolLabels,
		Help: "Size given to volumes.", Source: gcnvPools, Grain: ConfigGrain,
	}
	PoolVolumes = &Family{
		Name: "nasight_pool_volumes", Type: Gauge, Labels: poolLabels,
		Help: "Volumes in the pool.", Source: gcnvPools, Grain: ConfigGrain,
	}
	PoolTotalThroughput = &Family{
		Name: "nasight_pool_total_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: poolLabels,
		Help: "Throughput of the pool (totalThroughputMibps).", Source: gcnvPools, Grain: ConfigGrain,
	}
	PoolAvailableThroughput = &Family{
		Name: "nasight_pool_available_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: poolLabels,
		Help: "Throughput of a manual-QoS pool that no volume has (availableThroughputMibps; of Azure NetApp Files what is not utilized).", Source: gcnvPools, Grain: ConfigGrain,
	}
	PoolTotalIOPS = &Family{
		Name: "nasight_pool_total_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: poolLabels,
		Help: "Operations per second that the pool may do (totalIops).", Source: gcnvPools, Grain: ConfigGrain,
	}
	PoolHotTier = &Family{
		Name: "nasight_pool_hot_tier_bytes", Type: Gauge, Unit: Bytes, Labels: poolLabels,
		Help:   "Size of the hot tier, to which throughput is bound with auto-tiering (hotTierSizeGib).",
		Source: gcnvPools, Grain: ConfigGrain,
	}
	PoolHotTierUsed = &Family{
		Name: "nasight_pool_hot_tier_used_bytes", Type: Gauge, Unit: Bytes, Labels: poolLabels,
		Help: "Used space of the hot tier (hotTierSizeUsedGib).", Source: gcnvPools, Grain: ConfigGrain,
	}
)

// Replications. The volume label is the volume that the replication belongs to.
var (
	ReplicationInfo = &Family{
		Name: "nasight_replication_info", Type: Info,
		Labels: with(replicationLabels, "role", "state", "mirror_state", "schedule", "source_volume", "destination_volume"),
		Help:   "A replication; source_volume and destination_volume are full resource names.",
		Source: gcnvReplicas, Grain: ConfigGrain,
	}
	ReplicationHealthy = &Family{
		Name: "nasight_replication_healthy", Type: Gauge, Labels: replicationLabels,
		Help: "1 if the service calls the replication healthy, else 0.", Source: gcnvReplicas, Grain: ConfigGrain,
	}
	ReplicationLag = &Family{
		Name: "nasight_replication_lag_seconds", Type: Gauge, Unit: Seconds, Labels: replicationLabels,
		Help: "Age of the destination's data.", Source: gcnvReplicas, Grain: ConfigGrain,
	}
	ReplicationLastTransfer = &Family{
		Name: "nasight_replication_last_transfer_bytes", Type: Gauge, Unit: Bytes, Labels: replicationLabels,
		Help: "Bytes of the last transfer.", Source: gcnvReplicas, Grain: ConfigGrain,
	}
	ReplicationLastTransferDuration = &Family{
		Name: "nasight_replication_last_transfer_duration_seconds", Type: Gauge, Unit: Seconds, Labels: replicationLabels,
		Help: "Duration of the last transfer.", Source: gcnvReplicas, Grain: ConfigGrain,
	}
)

// How fresh and how complete what the cloud told is, and what it cost. The metric label is the cloud's own name of a
// metric, without the prefix that all of the service share.
var (
	CloudSampleAge = &Family{
		Name: "nasight_cloud_sample_age_seconds", Type: Gauge, Unit: Seconds, Labels: with(locationLabels, Metric),
		Help:   "Age of the newest point of a metric of a location, at the time of the run; it grows while nothing arrives.",
		Source: self, Grain: GCNVGrain,
	}
	CloudVolumeAge = &Family{
		Name: "nasight_volume_sample_age_seconds", Type: Gauge, Unit: Seconds, Labels: volumeLabels,
		Help:   "Age of the newest point of a volume's performance metrics, at the time of the run; it grows while nothing arrives.",
		Source: self, Grain: GCNVGrain,
	}
	CloudUnreachable = &Family{
		Name: "nasight_cloud_unreachable_info", Type: Info, Labels: with(locationLabels, API, Reason),
		Help: "A project, or a location of it, that could not be read or only in part, by api (inventory, performance, capacity, projects; logs, whose project is the workspace) with the " +
			"reason: permission, authentication, not_found, not_registered, rate_limited, unavailable, timeout, budget, invalid, incomplete, other.",
		Source: self, Grain: GCNVGrain,
	}
	CloudRequests = &Family{
		Name: "nasight_cloud_api_requests_total", Type: Counter, Labels: with(projectLabels, API, Code),
		Help: "Requests to a cloud's API by its answer, retries included.", Source: self, Grain: GCNVGrain,
	}
	CloudSeriesReturned = &Family{
		Name: "nasight_cloud_api_series_returned_total", Type: Counter, Labels: projectLabels,
		Help: "Time series that the monitoring API returned, which is what it bills; every page of an answer counts its own.", Source: self, Grain: GCNVGrain,
	}
	CloudCost = &Family{
		Name: "nasight_cloud_api_cost_usd_total", Type: Counter, Unit: USD, Labels: projectLabels,
		Help:   "Price of the requests so far, free allowances left out of account.",
		Source: self, Grain: GCNVGrain,
	}
	CloudMonthCost = &Family{
		Name: "nasight_cloud_api_month_cost_usd", Type: Gauge, Unit: USD, Labels: projectLabels,
		Help: "Price of the requests of this month so far, free allowances left out of account.", Source: self, Grain: GCNVGrain,
	}
	CloudProjectedCost = &Family{
		Name: "nasight_cloud_api_projected_month_cost_usd", Type: Gauge, Unit: USD, Labels: projectLabels,
		Help: "Price of the requests of this month if reading goes on as it does now, free allowances left out of account.", Source: self, Grain: GCNVGrain,
	}
	CloudBudgetState = &Family{
		Name: "nasight_cloud_api_budget_state", Type: Gauge, Labels: cloudLabels,
		Help: "State of the budget: 0 within it, 1 the projection is above the soft limit and tiers are slowed, 2 the hard limit stops the costly tier.", Source: self, Grain: GCNVGrain,
	}
	CloudBudgetLimit = &Family{
		Name: "nasight_cloud_api_budget_limit_usd", Type: Gauge, Unit: USD, Labels: with(cloudLabels, Limit),
		Help: "The limits of a month by limit: soft, hard.", Source: self, Grain: GCNVGrain,
	}
	CloudPriceInfo = &Family{
		Name: "nasight_cloud_api_price_info", Type: Info, Labels: with(cloudLabels, "item", "usd_per_million", "date", "source"),
		Help: "The price that costs are computed with.", Source: self, Grain: ConfigGrain,
	}
	CloudBackfill = &Family{
		Name: "nasight_cloud_backfill_ratio", Type: Gauge, Labels: projectLabels,
		Help: "Share of the back-fill that is stored, 0 to 1.", Source: self, Grain: GCNVGrain,
	}
)
