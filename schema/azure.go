package schema

import "time"

// How often Azure Files renews its metrics, and after how long a point is settled: the platform's own delay and the wait for the
// next reading.
const (
	AzureGrain         = time.Minute
	AzureDelay         = 3 * time.Minute
	AzureRollUpGrain   = 5 * time.Minute // of what looks over days read
	AzureCapacityGrain = time.Hour
	AzureCapacityDelay = 3 * time.Hour
)

const (
	azureAccounts = "Microsoft.Storage storageAccounts"
	azureShares   = "Microsoft.Storage fileServices/shares"
	azureMonitor  = "Azure Monitor "
)

// The labels of Azure Files: cloud azure, service azurefiles, project the subscription, location the region, pool the storage
// account and volume the share. What the service tells of an account as a whole has the empty volume.
var (
	AccountInfo = &Family{
		Name: "nasight_account_info", Type: Info,
		Labels: with(poolLabels, "resource_group", "kind", "sku", "media", "billing", "multichannel", "created", "endpoint"),
		Help: "A storage account with file shares: media ssd or hdd, billing v1, v2 or payg, multichannel true, false or null (never set), " +
			"created in RFC 3339, endpoint its host name for files.",
		Source: azureAccounts + ", fileServices/default", Grain: ConfigGrain,
	}
	ShareInfo = &Family{
		Name: "nasight_share_info", Type: Info, Labels: with(volumeLabels, "protocol", "tier", "state", "created"),
		Help:   "A file share: protocol smb or nfs, tier as the service names it, state available or deleted.",
		Source: azureShares, Grain: ConfigGrain,
	}
	ShareQuota = &Family{
		Name: "nasight_share_quota_bytes", Type: Gauge, Unit: Bytes, Labels: volumeLabels,
		Help: "Provisioned size of the share, or its quota where it is paid by use.", Source: azureShares, Grain: ConfigGrain,
	}
	ShareProvisionedOperations = &Family{
		Name: "nasight_share_provisioned_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: volumeLabels,
		Help: "Provisioned operations per second, bursts left out.", Source: azureShares + ", FileShareProvisionedIOPS", Grain: ConfigGrain,
	}
	ShareProvisionedThroughput = &Family{
		Name: "nasight_share_provisioned_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help: "Provisioned throughput, both ways together.", Source: azureShares + ", FileShareProvisionedBandwidthMiBps", Grain: ConfigGrain,
	}
	ShareBurstOperations = &Family{
		Name: "nasight_share_burst_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: volumeLabels,
		Help: "Operations per second while burst credits last.", Source: azureShares, Grain: ConfigGrain,
	}
	ShareBurstCreditsMost = &Family{
		Name: "nasight_share_burst_credits_limit", Type: Gauge, Unit: Operations, Labels: volumeLabels,
		Help: "Burst credits of a full bucket, in operations.", Source: azureShares, Grain: ConfigGrain,
	}
	SharePaidBurstLimit = &Family{
		Name: "nasight_share_paid_burst_limit", Type: Gauge, Labels: with(volumeLabels, Quantity),
		Help:   "Most that a share may do which pays for bursts, by quantity: operations_per_second, throughput_bytes_per_second.",
		Source: azureShares, Grain: ConfigGrain,
	}
	ShareDowngradeAllowed = &Family{
		Name: "nasight_share_downgrade_allowed_timestamp_seconds", Type: Gauge, Unit: Seconds, Labels: with(volumeLabels, Quantity),
		Help: "When a quantity (storage, operations, throughput) may be lowered again.", Source: azureShares, Grain: ConfigGrain,
	}
	AccountLimit = &Family{
		Name: "nasight_account_limit", Type: Gauge, Labels: with(poolLabels, Quantity),
		Help:   "Most that the shares of an account may have together, by quantity: storage_bytes, operations_per_second, throughput_bytes_per_second, shares.",
		Source: azureAccounts + " fileServices/usages", Grain: ConfigGrain,
	}
	SubscriptionFeatureInfo = &Family{
		Name: "nasight_subscription_feature_info", Type: Info, Labels: with(projectLabels, "feature", "state"),
		Help: "A feature of a subscription and whether it is registered.", Source: "Microsoft.Features", Grain: ConfigGrain,
	}
)

// Performance of Azure shares as the service sees it: means over one grain unless the name says peak.
var (
	ShareThroughput = &Family{
		Name: "nasight_share_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: with(volumeLabels, Direction),
		Help: "Bytes moved: egress is read from the share, ingress written to it.", Source: azureMonitor + "Egress, Ingress", Grain: AzureGrain, Delay: AzureDelay,
	}
	ShareOperations = &Family{
		Name: "nasight_share_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: with(volumeLabels, API),
		Help:   "Transactions by the service's name of the operation (Read, Write, Create, Close, …; other for names that are not known).",
		Source: azureMonitor + "Transactions by ApiName", Grain: AzureGrain, Delay: AzureDelay,
	}
	ShareResponses = &Family{
		Name: "nasight_share_responses_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: with(volumeLabels, Response),
		Help:   "Transactions by the service's response type, prefixes such as Kerberos cut off.",
		Source: azureMonitor + "Transactions by ResponseType", Grain: AzureGrain, Delay: AzureDelay,
	}
	ShareLatency = &Family{
		Name: "nasight_share_latency_seconds", Type: Gauge, Unit: Seconds, Labels: with(volumeLabels, API, Scope),
		Help:   "Mean time of successful operations: scope server is inside the service, end_to_end adds network and client.",
		Source: azureMonitor + "SuccessServerLatency, SuccessE2ELatency", Grain: AzureGrain, Delay: AzureDelay,
	}
	SharePeakOperations = &Family{
		Name: "nasight_share_peak_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: volumeLabels,
		Help: "Most operations in any second of the grain.", Source: azureMonitor + "FileShareMaxUsedIOPS", Grain: AzureGrain, Delay: AzureDelay,
	}
	SharePeakThroughput = &Family{
		Name: "nasight_share_peak_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help: "Most bytes in any second of the grain.", Source: azureMonitor + "FileShareMaxUsedBandwidthMiBps", Grain: AzureGrain, Delay: AzureDelay,
	}
	ShareBurstCredits = &Family{
		Name: "nasight_share_burst_credits", Type: Gauge, Unit: Operations, Labels: volumeLabels,
		Help: "Burst credits that are left, in operations.", Source: azureMonitor + "FileShareAvailableBurstCredits", Grain: AzureGrain, Delay: AzureDelay,
	}
	SharePeakOperationsRollUp = &Family{
		Name: "nasight_share_five_minute_peak_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: volumeLabels,
		Help: "Most operations in any second of five minutes, for looks over days.", Source: azureMonitor + "FileShareMaxUsedIOPS", Grain: AzureRollUpGrain, Delay: AzureDelay,
	}
	SharePeakThroughputRollUp = &Family{
		Name: "nasight_share_five_minute_peak_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help: "Most bytes in any second of five minutes, for looks over days.", Source: azureMonitor + "FileShareMaxUsedBandwidthMiBps", Grain: AzureRollUpGrain, Delay: AzureDelay,
	}
	ShareBurstCreditsRollUp = &Family{
		Name: "nasight_share_five_minute_burst_credits", Type: Gauge, Unit: Operations, Labels: volumeLabels,
		Help:   "Burst credits that were left on the mean of five minutes, for looks over days: Azure tells them of idle shares too.",
		Source: azureMonitor + "FileShareAvailableBurstCredits", Grain: AzureRollUpGrain, Delay: AzureDelay,
	}
	ShareAvailability = &Family{
		Name: "nasight_share_availability_ratio", Type: Gauge, Unit: None, Labels: volumeLabels,
		Help: "Share of the requests that the service counts as served.", Source: azureMonitor + "Availability", Grain: AzureGrain, Delay: AzureDelay,
	}
	ShareUsed = &Family{
		Name: "nasight_share_used_bytes", Type: Gauge, Unit: Bytes, Labels: volumeLabels,
		Help: "Space in use; computed a few times a day.", Source: azureMonitor + "FileCapacity", Grain: AzureCapacityGrain, Delay: AzureCapacityDelay,
	}
	ShareSnapshots = &Family{
		Name: "nasight_share_snapshots", Type: Gauge, Labels: volumeLabels,
		Help: "Snapshots of the share.", Source: azureMonitor + "FileShareSnapshotCount", Grain: AzureCapacityGrain, Delay: AzureCapacityDelay,
	}
	ShareFiles = &Family{
		Name: "nasight_share_files", Type: Gauge, Labels: volumeLabels,
		Help: "Files on the share; computed a few times a day.", Source: azureMonitor + "FileCount", Grain: AzureCapacityGrain, Delay: AzureCapacityDelay,
	}
)
