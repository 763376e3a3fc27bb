package schema

const (
	mountstats = "/proc/self/mountstats"
	mountinfo  = "/proc/self/mountinfo"
	xprtInfo   = "/sys/kernel/sunrpc/xprt-switches/*/xprt-*/{xprt_info,xprt_state}"
)

// NFS mounts. The identity of a mount is its superblock: the device label is the major:minor number of mountinfo, and
// the server label is the address in use (addr= of the options).
var (
	NFSMountInfo = &Family{
		Name: "nasight_nfs_mount_info", Type: Info,
		Labels: with(mountLabels, "server_name", Version, "transport", "mountpoints", "security", "nconnect", "options"),
		Help:   "An NFS superblock; mountpoints lists its mount points, kernel-escaped and separated by blanks.",
		Source: mountinfo, Grain: HostGrain,
	}
	NFSMountAge = &Family{
		Name: "nasight_nfs_mount_age_seconds", Type: Gauge, Unit: Seconds, Labels: mountLabels,
		Help:   "Time since the mount was made, by the client's own clock.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSReadBytes = &Family{
		Name: "nasight_nfs_read_bytes_total", Type: Counter, Unit: Bytes, Labels: mountLabels,
		Help:   "Bytes read from the server, page cache hits left out.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSWriteBytes = &Family{
		Name: "nasight_nfs_write_bytes_total", Type: Counter, Unit: Bytes, Labels: mountLabels,
		Help:   "Bytes written to the server.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSOperations = &Family{
		Name: "nasight_nfs_operations_total", Type: Counter, Unit: Operations, Labels: classLabels,
		Help:   "Completed operations by class: read, write, commit, attr (GETATTR, ACCESS), dir (LOOKUP, READDIR, READDIRPLUS), other.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSRTT = &Family{
		Name: "nasight_nfs_rtt_seconds_total", Type: Counter, Unit: Seconds, Labels: classLabels,
		Help:   "Time that completed operations spent between sending and reply.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSExecute = &Family{
		Name: "nasight_nfs_execute_seconds_total", Type: Counter, Unit: Seconds, Labels: classLabels,
		Help:   "Time that completed operations took from request to completion, client queueing included.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSErrors = &Family{
		Name: "nasight_nfs_operation_errors_total", Type: Counter, Unit: Operations, Labels: classLabels,
		Help:   "Operations that completed with an error status, by class data (read, write, commit) and metadata; absent before RPC iostats version 1.1.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSRetransmissions = &Family{
		Name: "nasight_nfs_retransmissions_total", Type: Counter, Unit: Requests, Labels: mountLabels,
		Help:   "Transmissions beyond the first of each operation.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSTimeouts = &Family{
		Name: "nasight_nfs_major_timeouts_total", Type: Counter, Unit: Requests, Labels: mountLabels,
		Help:   "Operations that reached a major timeout.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSReadAhead = &Family{
		Name: "nasight_nfs_read_ahead_bytes", Type: Gauge, Unit: Bytes, Labels: mountLabels,
		Help:   "Read-ahead of the mount's backing device.",
		Source: "/sys/class/bdi/MAJOR:MINOR/read_ahead_kb", Grain: HostGrain,
	}
)

// NFS transports: the RPC connections to one server address that mounts of one NFS version share. mountstats repeats
// them under every mount; here each is counted once.
var (
	NFSTransports = &Family{
		Name: "nasight_nfs_transports", Type: Gauge, Labels: transportLabels,
		Help:   "RPC transports (TCP connections with nconnect) to the server address.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSSends = &Family{
		Name: "nasight_nfs_transport_sends_total", Type: Counter, Unit: Requests, Labels: transportLabels,
		Help:   "Requests sent over all transports.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSReceives = &Family{
		Name: "nasight_nfs_transport_receives_total", Type: Counter, Unit: Requests, Labels: transportLabels,
		Help:   "Replies received over all transports.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSBacklog = &Family{
		Name: "nasight_nfs_transport_backlog_requests_total", Type: Counter, Unit: Requests, Labels: transportLabels,
		Help:   "Backlog length summed once per request sent; its increase over that of sends is the mean backlog.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSConnects = &Family{
		Name: "nasight_nfs_transport_connects_total", Type: Counter, Labels: transportLabels,
		Help:   "Connection attempts of all transports.",
		Source: mountstats, Grain: HostGrain,
	}
	NFSMaxSlots = &Family{
		Name: "nasight_nfs_transport_max_slots", Type: Gauge, Unit: Slots, Labels: transportLabels,
		Help:   "Most slots ever in use on one transport (a high-water mark, not a limit).",
		Source: mountstats, Grain: HostGrain,
	}
)

// What the kernel's sunrpc directory says of the transports to one server address, all NFS versions together: the
// directory does not name the version before Linux 7.
var (
	NFSPending = &Family{
		Name: "nasight_nfs_endpoint_pending_requests", Type: Gauge, Unit: Requests, Labels: endpointLabels,
		Help:   "Requests sent and waiting for a reply now.",
		Source: xprtInfo, Grain: HostGrain,
	}
	NFSBacklogNow = &Family{
		Name: "nasight_nfs_endpoint_backlog_requests", Type: Gauge, Unit: Requests, Labels: endpointLabels,
		Help:   "Requests waiting for a free slot now.",
		Source: xprtInfo, Grain: HostGrain,
	}
	NFSSlotLimit = &Family{
		Name: "nasight_nfs_endpoint_slot_limit", Type: Gauge, Unit: Slots, Labels: endpointLabels,
		Help:   "Smallest slot limit of the transports (max_num_slots).",
		Source: xprtInfo, Grain: HostGrain,
	}
	NFSConnected = &Family{
		Name: "nasight_nfs_endpoint_connected_transports", Type: Gauge, Labels: endpointLabels,
		Help:   "Transports whose state is CONNECTED.",
		Source: xprtInfo, Grain: HostGrain,
	}
	NFSDisconnected = &Family{
		Name: "nasight_nfs_endpoint_disconnected_transports", Type: Gauge, Labels: endpointLabels,
		Help:   "Transports whose state lacks CONNECTED, those closed for good left out.",
		Source: xprtInfo, Grain: HostGrain,
	}
)

// The host's NFS settings.
var (
	NFSSlotTable = &Family{
		Name: "nasight_nfs_slot_table_entries", Type: Gauge, Unit: Slots, Labels: hostLabels,
		Help:   "Slots that a new transport may grow to (sunrpc.tcp_max_slot_table_entries).",
		Source: "/proc/sys/sunrpc/tcp_max_slot_table_entries", Grain: HostGrain,
	}
	NFSSessionSlots = &Family{
		Name: "nasight_nfs_session_slots", Type: Gauge, Unit: Slots, Labels: hostLabels,
		Help:   "NFSv4.1 session slots that the running client asks for (63 is reported as 64).",
		Source: "/sys/module/nfs/parameters/max_session_slots", Grain: HostGrain,
	}
	NFSSessionSlotsConfigured = &Family{
		Name: "nasight_nfs_session_slots_configured", Type: Gauge, Unit: Slots, Labels: hostLabels,
		Help:   "NFSv4.1 session slots in the module options, in force after the next load of the module.",
		Source: "/etc/modprobe.d/*.conf", Grain: HostGrain,
	}
)
