package schema

import "time"

// AzureLogDelay is after what time the log of file operations is taken for whole: its rows take 3 to 10 minutes.
const AzureLogDelay = 10 * time.Minute

const azureLog = "Log Analytics StorageFileLogs"

// Client is the address of a host as a service logs it; Workspace is a workspace of Log Analytics.
const (
	ClientAddress = "client"
	Workspace     = "workspace"
)

var clientLabels = with(volumeLabels, ClientAddress)

// What the log of file operations tells of the clients of Azure shares: minutes of sampled spans, of the busiest clients of each
// share. Rates are means over a minute.
var (
	ShareClientInfo = &Family{
		Name: "nasight_share_client_info", Type: Info, Labels: with(clientLabels, Protocol, "channels"),
		Help: "A client in the log of a share: channels known, or unknown where the log has its address without a port. The address may be one inside " +
			"Azure that names no host.",
		Source: azureLog, Grain: AzureGrain, Delay: AzureLogDelay,
	}
	ShareClientOperations = &Family{
		Name: "nasight_share_client_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: with(clientLabels, Class),
		Help: "Operations of a client: class data (Read, Write) or other.", Source: azureLog, Grain: AzureGrain, Delay: AzureLogDelay,
	}
	ShareClientThroughput = &Family{
		Name: "nasight_share_client_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: with(clientLabels, Direction),
		Help: "Bytes of a client's reads (egress) and writes (ingress).", Source: azureLog, Grain: AzureGrain, Delay: AzureLogDelay,
	}
	ShareClientConcurrency = &Family{
		Name: "nasight_share_client_concurrency_requests", Type: Gauge, Unit: Requests, Labels: clientLabels,
		Help:   "Mean number of a client's reads and writes under way: the sum of their durations over the minute.",
		Source: azureLog, Grain: AzureGrain, Delay: AzureLogDelay,
	}
	ShareClientChannels = &Family{
		Name: "nasight_share_client_channels", Type: Gauge, Labels: clientLabels,
		Help:   "Distinct ports of a client's session that has most; absent where the log has no ports.",
		Source: azureLog, Grain: AzureGrain, Delay: AzureLogDelay,
	}
	ShareClientFiles = &Family{
		Name: "nasight_share_client_files", Type: Gauge, Labels: clientLabels,
		Help:   "Distinct files that a client reads or writes; absent where several sessions of it may be on one file.",
		Source: azureLog, Grain: AzureGrain, Delay: AzureLogDelay,
	}
	ShareFileOperations = &Family{
		Name: "nasight_share_busiest_file_operations_per_second", Type: Gauge, Unit: OperationsPerSecond, Labels: volumeLabels,
		Help: "Operations on the file of the share that has most.", Source: azureLog, Grain: AzureGrain, Delay: AzureLogDelay,
	}
	ShareFileThroughput = &Family{
		Name: "nasight_share_busiest_file_throughput_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: volumeLabels,
		Help: "Bytes of the file of the share that moves most.", Source: azureLog, Grain: AzureGrain, Delay: AzureLogDelay,
	}
	ShareLogOperations = &Family{
		Name: "nasight_share_log_operations", Type: Gauge, Unit: Operations, Labels: with(cloudLabels, Workspace),
		Help: "Operations of known shares in the newest sample of a workspace's log. 0: nobody did anything, the diagnostic setting is missing, or it " +
			"leads to another workspace.",
		Source: azureLog, Grain: AzureGrain, Delay: AzureLogDelay,
	}
)
