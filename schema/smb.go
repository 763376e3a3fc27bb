package schema

const (
	cifsDebug = "/proc/fs/cifs/DebugData"
	cifsStats = "/proc/fs/cifs/Stats"
	// smbShares is where both kinds of client count what a share does.
	smbShares = "/proc/fs/cifs/Stats; on Windows the counters of SMB Client Shares"
	// smbCommands is there only in kernels that are built with CONFIG_CIFS_STATS2.
	smbCommands = "/proc/fs/cifs/Stats (command tables)"
	// smbChannels is where both kinds of client tell their channels.
	smbChannels = "/proc/fs/cifs/DebugData; on Windows MSFT_SmbMultichannelConnection"
)

// SMB shares. The identity of a mount is the share of a server: the kernel counts by share, so that the mounts of one
// share are one, with the device number of the oldest. The server label is the address in use, the export label the share's name;
// Windows has no device, and its server label is the name that the server was called by: sessions belong to names there.
var (
	SMBMountInfo = &Family{
		Name: "nasight_smb_mount_info", Type: Info,
		Labels: with(mountLabels, "server_name", Version, "transport", "mountpoints", "security", "max_channels", "options"),
		Help:   "A mounted SMB share; version is the dialect in use, mountpoints lists its mount points, kernel-escaped and separated by blanks.",
		Source: mountinfo + ", " + cifsDebug + "; on Windows MSFT_SmbConnection", Grain: HostGrain,
	}
	SMBReadBytes = &Family{
		Name: "nasight_smb_read_bytes_total", Type: Counter, Unit: Bytes, Labels: mountLabels,
		Help:   "Bytes read from the share.",
		Source: smbShares, Grain: HostGrain,
	}
	SMBWriteBytes = &Family{
		Name: "nasight_smb_write_bytes_total", Type: Counter, Unit: Bytes, Labels: mountLabels,
		Help:   "Bytes written to the share.",
		Source: smbShares, Grain: HostGrain,
	}
	SMBOperations = &Family{
		Name: "nasight_smb_operations_total", Type: Counter, Unit: Operations, Labels: classLabels,
		Help: "Operations on the share by class: read, write, commit (flush), open, close, attr (query and set info), dir (query directory), " +
			"notify (change notification), other; on Windows read, write and metadata. What keeps sessions and shares (echo, " +
			"negotiation, session setup, tree connect) is left out.",
		Source: smbShares, Grain: HostGrain,
	}
	SMBErrors = &Family{
		Name: "nasight_smb_operation_errors_total", Type: Counter, Unit: Operations, Labels: classLabels,
		Help:   "Operations on the share that failed, by class data (read, write, commit) and metadata; absent with SMB 1.",
		Source: cifsStats, Grain: HostGrain,
	}
	SMBRTT = &Family{
		Name: "nasight_smb_rtt_seconds_total", Type: Counter, Unit: Seconds, Labels: classLabels,
		Help:   "Time that requests on the share were under way, summed over requests; its rate is the mean number outstanding. Windows alone counts it by share.",
		Source: "SMB Client Shares (Avg. Read Queue Length, Avg. Write Queue Length)", Grain: HostGrain,
	}
	SMBCreditStalls = &Family{
		Name: "nasight_smb_credit_stalls_total", Type: Counter, Unit: Requests, Labels: mountLabels,
		Help:   "Requests that had to wait for a credit.",
		Source: "SMB Client Shares (Credit Stalls/sec)", Grain: HostGrain,
	}
	SMBQueued = &Family{
		Name: "nasight_smb_queued_requests", Type: Gauge, Unit: Requests, Labels: mountLabels,
		Help:   "Data requests of the share that are under way now.",
		Source: "SMB Client Shares (Current Data Queue Length)", Grain: HostGrain,
	}
	SMBOpenFiles = &Family{
		Name: "nasight_smb_open_files", Type: Gauge, Labels: mountLabels,
		Help:   "Open handles on the share, of this client.",
		Source: "/proc/fs/cifs/Stats (Open files); on Windows MSFT_SmbConnection (NumOpens)", Grain: HostGrain,
	}
	SMBFilesInUse = &Family{
		Name: "nasight_smb_files_in_use", Type: Gauge, Labels: mountLabels,
		Help:   "Distinct files that this client has open on the share. Where the kernel does not print leases (before Linux 7), files of one name count once.",
		Source: "/proc/fs/cifs/open_files", Grain: HostGrain,
	}
	SMBChannelsAsked = &Family{
		Name: "nasight_smb_asked_channels", Type: Gauge, Labels: mountLabels,
		Help:   "Channels that the mount asks for (max_channels with multichannel, else 1).",
		Source: mountinfo, Grain: HostGrain,
	}
)

// SMB servers: the sessions and channels to one server address, which its shares have in common.
var (
	SMBEndpointInfo = &Family{
		Name: "nasight_smb_endpoint_info", Type: Info,
		Labels: with(endpointLabels, "server_name", Version, "multichannel", "client_rss", "server_rss", "encryption"),
		Help: "A server address with SMB sessions; version is the dialect (2.1, 3.0, 3.0.2, 3.1.1), multichannel tells whether the server offers it, " +
			"the others whether an interface can spread channels over queues: true, false or unknown.",
		Source: smbChannels, Grain: HostGrain,
	}
	SMBSessions = &Family{
		Name: "nasight_smb_sessions", Type: Gauge, Labels: endpointLabels,
		Help:   "SMB sessions to the server address.",
		Source: smbChannels, Grain: HostGrain,
	}
	SMBChannels = &Family{
		Name: "nasight_smb_channels", Type: Gauge, Labels: endpointLabels,
		Help:   "Connected channels of the SMB session that has most; one without multichannel.",
		Source: smbChannels, Grain: HostGrain,
	}
	SMBChannelsDown = &Family{
		Name: "nasight_smb_disconnected_channels", Type: Gauge, Labels: endpointLabels,
		Help:   "Channels of all sessions that are disconnected or reconnecting; a connection that sessions share counts once.",
		Source: smbChannels, Grain: HostGrain,
	}
	SMBChannelsUp = &Family{
		Name: "nasight_smb_connected_channels", Type: Gauge, Labels: endpointLabels,
		Help:   "Channels of all sessions that are connected; a connection that sessions share counts once.",
		Source: smbChannels, Grain: HostGrain,
	}
	SMBPending = &Family{
		Name: "nasight_smb_endpoint_pending_requests", Type: Gauge, Unit: Requests, Labels: endpointLabels,
		Help:   "Requests on the wire now, over all channels, the wait for change notifications left out.",
		Source: cifsDebug + " (MIDs, Req On Wire)", Grain: HostGrain,
	}
	SMBCredits = &Family{
		Name: "nasight_smb_credits", Type: Gauge, Unit: Requests, Labels: endpointLabels,
		Help:   "Credits that the server has granted and that are free: those of the connected channel that has fewest.",
		Source: cifsDebug, Grain: HostGrain,
	}
	SMBMaxInFlight = &Family{
		Name: "nasight_smb_max_requests_in_flight", Type: Gauge, Unit: Requests, Labels: endpointLabels,
		Help:   "Most requests ever in flight on one channel (a high-water mark, not a limit).",
		Source: cifsStats, Grain: HostGrain,
	}
	SMBEndpointOperations = &Family{
		Name: "nasight_smb_endpoint_operations_total", Type: Counter, Unit: Operations, Labels: with(endpointLabels, Class),
		Help:   "Completed commands over all channels, by the classes of nasight_smb_operations_total.",
		Source: smbCommands, Grain: HostGrain,
	}
	SMBEndpointRTT = &Family{
		Name: "nasight_smb_endpoint_rtt_seconds_total", Type: Counter, Unit: Seconds, Labels: with(endpointLabels, Class),
		Help:   "Time that completed commands took, over all channels; its rate is the mean number outstanding.",
		Source: smbCommands, Grain: HostGrain,
	}
)

// The client's SMB side as a whole.
var (
	SMBClientInfo = &Family{
		Name: "nasight_smb_client_info", Type: Info,
		Labels: with(hostLabels, "multichannel", "connections_per_rss_interface", "max_connections_per_server", "bandwidth_throttling", "large_mtu"),
		Help:   "The settings of a Windows SMB client, unknown or empty where they are not told; every Windows host has it.",
		Source: "MSFT_SmbClientConfiguration", Grain: HostGrain,
	}
	SMBSessionReconnects = &Family{
		Name: "nasight_smb_session_reconnects_total", Type: Counter, Labels: hostLabels,
		Help:   "Sessions that were made anew after a connection was lost.",
		Source: cifsStats, Grain: HostGrain,
	}
	SMBShareReconnects = &Family{
		Name: "nasight_smb_share_reconnects_total", Type: Counter, Labels: hostLabels,
		Help:   "Shares that were connected anew after a connection was lost.",
		Source: cifsStats, Grain: HostGrain,
	}
)
