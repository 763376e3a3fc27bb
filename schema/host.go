package schema

const (
	netDev   = "/proc/net/dev"
	procStat = "/proc/stat"
)

// Network interfaces that lead to storage.
var (
	NICInfo = &Family{
		Name: "nasight_nic_info", Type: Info, Labels: with(interfaceLabels, "driver", "routes_storage"),
		Help:   "A network interface; routes_storage is true, false or unknown.",
		Source: "/sys/class/net, /proc/net/route", Grain: HostGrain,
	}
	NICReceived = &Family{
		Name: "nasight_nic_receive_bytes_total", Type: Counter, Unit: Bytes, Labels: interfaceLabels,
		Help: "Bytes received.", Source: netDev, Grain: HostGrain,
	}
	NICTransmitted = &Family{
		Name: "nasight_nic_transmit_bytes_total", Type: Counter, Unit: Bytes, Labels: interfaceLabels,
		Help: "Bytes transmitted.", Source: netDev, Grain: HostGrain,
	}
	NICReceiveDrops = &Family{
		Name: "nasight_nic_receive_drops_total", Type: Counter, Labels: interfaceLabels,
		Help: "Received packets dropped.", Source: netDev, Grain: HostGrain,
	}
	NICTransmitDrops = &Family{
		Name: "nasight_nic_transmit_drops_total", Type: Counter, Labels: interfaceLabels,
		Help: "Packets dropped on transmission.", Source: netDev, Grain: HostGrain,
	}
	NICSpeed = &Family{
		Name: "nasight_nic_speed_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: interfaceLabels,
		Help: "Link speed; absent where the driver does not tell.", Source: "/sys/class/net/*/speed", Grain: HostGrain,
	}
	NICCap = &Family{
		Name: "nasight_nic_cap_bytes_per_second", Type: Gauge, Unit: BytesPerSecond, Labels: with(interfaceLabels, Direction),
		Help:   "Network cap of the VM by direction (receive, transmit): configured, or the link speed of a gVNIC.",
		Source: "configuration, /sys/class/net/*/speed", Grain: HostGrain,
	}
	NICQueues = &Family{
		Name: "nasight_nic_queues", Type: Gauge, Labels: with(interfaceLabels, Direction),
		Help: "Hardware queues by direction (receive, transmit).", Source: "/sys/class/net/*/queues", Grain: HostGrain,
	}
)

// Processor time.
var (
	CPUSeconds = &Family{
		Name: "nasight_cpu_seconds_total", Type: Counter, Unit: Seconds, Labels: with(hostLabels, Mode),
		Help:   "Time of all cores by mode: busy (all but idle and iowait), softirq, steal, idle (idle and iowait).",
		Source: procStat, Grain: HostGrain,
	}
	CPUCoreSeconds = &Family{
		Name: "nasight_cpu_core_seconds_total", Type: Counter, Unit: Seconds, Labels: with(hostLabels, CPU, Mode),
		Help: "Time of one core by mode: busy, softirq.", Source: procStat, Grain: HostGrain,
	}
	CPUCores = &Family{
		Name: "nasight_cpu_cores", Type: Gauge, Labels: hostLabels,
		Help: "Cores that are online.", Source: procStat, Grain: HostGrain,
	}
)
