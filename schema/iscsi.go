package schema

const (
	iscsiSession = "/sys/class/iscsi_session"
	diskstats    = "/proc/diskstats"
)

// iSCSI targets. A target takes the place of a mount: the server label is the portal's address, the export label the target's
// name (IQN), the device label stays empty. What its disks do is summed over the sessions to one portal.
var (
	ISCSIMountInfo = &Family{
		Name: "nasight_iscsi_mount_info", Type: Info,
		Labels: with(mountLabels, "server_name", Version, "transport", "mountpoints", "security", "disks", "multipath", "options"),
		Help: "An iSCSI target at one portal; disks lists the disks of its sessions and multipath the maps above them (dm names), separated by blanks; " +
			"mountpoints lists where these are mounted, kernel-escaped.",
		Source: iscsiSession + ", /sys/block/*/{dm,holders}, " + mountinfo, Grain: HostGrain,
	}
	ISCSISessions = &Family{
		Name: "nasight_iscsi_sessions", Type: Gauge, Labels: mountLabels,
		Help:   "Sessions to the target at the portal that are logged in.",
		Source: iscsiSession + "/*/state", Grain: HostGrain,
	}
	ISCSISessionsDown = &Family{
		Name: "nasight_iscsi_disconnected_sessions", Type: Gauge, Labels: mountLabels,
		Help:   "Sessions to the target at the portal that are not logged in.",
		Source: iscsiSession + "/*/state", Grain: HostGrain,
	}
	ISCSISessionBytes = &Family{
		Name: "nasight_iscsi_session_disk_bytes_total", Type: Counter, Unit: Bytes, Labels: with(mountLabels, Session),
		Help:   "Bytes read from and written to the disks of one session (sessionN).",
		Source: diskstats, Grain: HostGrain,
	}
	ISCSIReadBytes = &Family{
		Name: "nasight_iscsi_read_bytes_total", Type: Counter, Unit: Bytes, Labels: mountLabels,
		Help:   "Bytes read from the target's disks.",
		Source: diskstats, Grain: HostGrain,
	}
	ISCSIWriteBytes = &Family{
		Name: "nasight_iscsi_write_bytes_total", Type: Counter, Unit: Bytes, Labels: mountLabels,
		Help:   "Bytes written to the target's disks.",
		Source: diskstats, Grain: HostGrain,
	}
	ISCSIOperations = &Family{
		Name: "nasight_iscsi_operations_total", Type: Counter, Unit: Operations, Labels: classLabels,
		Help:   "Completed requests of the target's disks by class: read, write, commit (flush), other (discard).",
		Source: diskstats, Grain: HostGrain,
	}
	ISCSIRTT = &Family{
		Name: "nasight_iscsi_rtt_seconds_total", Type: Counter, Unit: Seconds, Labels: classLabels,
		Help:   "Time that completed requests took, from the block layer's queue to completion.",
		Source: diskstats, Grain: HostGrain,
	}
	ISCSIOutstanding = &Family{
		Name: "nasight_iscsi_outstanding_seconds_total", Type: Counter, Unit: Seconds, Labels: mountLabels,
		Help:   "Time that requests were under way, summed over requests (weighted I/O time); its rate is the mean number outstanding.",
		Source: diskstats, Grain: HostGrain,
	}
	ISCSIPending = &Family{
		Name: "nasight_iscsi_pending_requests", Type: Gauge, Unit: Requests, Labels: mountLabels,
		Help:   "Requests of the target's disks that are under way now.",
		Source: diskstats, Grain: HostGrain,
	}
)
