package schema

import "time"

// FiguresGrain is how often an evaluation writes what follows from looks over days back to history.
const FiguresGrain = 5 * time.Minute

// What an evaluation works out and no source tells, for dashboards and for queries by hand.
var (
	MountStepUtilisation = &Family{
		Name: "nasight_mount_step_utilisation_ratio", Type: Gauge, Labels: with(IdentityLabels, Step),
		Help: "Load over capacity of a step of the ladder of an active mount: slots, credits, sessions, channels, cpu, network, volume, pool; absent where either is not known. " +
			"The labels of the cloud are empty where no volume was joined.",
		Source: self, Grain: time1m,
	}
	PoolGrantedThroughput = &Family{
		Name: "nasight_pool_granted_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: poolLabels,
		Help: "Throughput that the pool has: as the API tells it, else what its capacity and service level bring.", Source: self, Grain: FiguresGrain,
	}
	VolumeWeekP99 = &Family{
		Name: "nasight_volume_week_p99_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help:   "99th percentile of the last 7 days of the throughput, from samples of 5 minutes; of a share of Azure Files of the busiest second of each.",
		Source: self, Grain: FiguresGrain,
	}
	VolumePeak = &Family{
		Name: "nasight_volume_peak_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help: "Highest of these samples, of as many of the last 35 days as history holds.", Source: self, Grain: FiguresGrain,
	}
	VolumeEnvelope = &Family{
		Name: "nasight_volume_envelope_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help:   "Most that the volume can reach with the block size and the share of reads of its most favourable hour of 7 days, whatever it is granted. Google Cloud NetApp Volumes.",
		Source: self, Grain: FiguresGrain,
	}
	ShareMetadataCeiling = &Family{
		Name: "nasight_share_metadata_ceiling_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: volumeLabels,
		Help: "Most metadata operations that a share of Azure Files can do, as published: higher for NFS and with metadata caching.", Source: self, Grain: FiguresGrain,
	}
	VolumePlanned = &Family{
		Name: "nasight_volume_planned_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help: "Throughput that nasight plan would give the volume; absent where its pool's QoS is not manual or cannot be planned.", Source: self, Grain: FiguresGrain,
	}
)
