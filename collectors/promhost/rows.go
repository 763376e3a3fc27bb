package promhost

import (
	"fmt"
	"strings"
	"time"

	"github.com/nasight/nasight/schema"
)

// row is a series of an exporter and what it means. All rows are in our units already.
type row struct {
	series  string
	family  *schema.Family // nil for one that is read for another's sake
	class   string         // value of the class, mode or direction label, where the row decides it
	seconds bool           // counts time, which a fault of the kernel can let wrap
}

// group is what one question asks for.
type group struct {
	name string
	rows []row
	read func(b *board, series []found, skip skipFunc)
}

// question is a range selector of the group's series.
func (g *group) question(match string, window time.Duration) string {
	names := make([]string, len(g.rows))
	for i, r := range g.rows {
		names[i] = r.series
	}
	if match != "" {
		match = "," + match
	}
	return fmt.Sprintf(`{__name__=~"%s"%s}[%ds]`, strings.Join(names, "|"), match, int(window.Seconds()))
}

func groups() []group {
	return []group{
		{name: "nfs_mounts", rows: nfsMountRows(), read: readNFSMounts},
		{name: "nfs_operations", rows: nfsOperationRows(), read: readNFSOperations},
		{name: "nfs_transports", rows: nfsTransportRows(), read: readNFSTransports},
		{name: "smb", rows: smbRows(), read: readSMB},
		{name: "network", rows: networkRows(), read: readNetwork},
		{name: "processor", rows: processorRows(), read: readProcessor},
	}
}

const mountstats = "node_mountstats_nfs_"

func nfsMountRows() []row {
	return []row{
		{series: mountstats + "age_seconds_total", family: schema.NFSMountAge, seconds: true},
		{series: mountstats + "total_read_bytes_total", family: schema.NFSReadBytes},
		{series: mountstats + "total_write_bytes_total", family: schema.NFSWriteBytes},
		{series: mountstats + "mountpoint_info"},
	}
}

// The series of operations that are put together.
const (
	requestsSeries      = mountstats + "operations_requests_total"
	transmissionsSeries = mountstats + "operations_transmissions_total"
	timeoutsSeries      = mountstats + "operations_major_timeouts_total"
)

func nfsOperationRows() []row {
	return []row{
		{series: requestsSeries, family: schema.NFSOperations},
		{series: mountstats + "operations_response_time_seconds_total", family: schema.NFSRTT, seconds: true},
		{series: mountstats + "operations_request_time_seconds_total", family: schema.NFSExecute, seconds: true},
		// The queue time is the difference of the two above. It is the one that wraps, and is read to count that.
		{series: mountstats + "operations_queue_time_seconds_total", seconds: true},
		{series: transmissionsSeries},
		{series: timeoutsSeries},
	}
}

func nfsTransportRows() []row {
	return []row{
		{series: mountstats + "transport_sends_total", family: schema.NFSSends},
		{series: mountstats + "transport_receives_total", family: schema.NFSReceives},
		{series: mountstats + "transport_backlog_queue_total", family: schema.NFSBacklog},
		{series: mountstats + "transport_connect_total", family: schema.NFSConnects},
		{series: mountstats + "transport_maximum_rpc_slots", family: schema.NFSMaxSlots},
	}
}

const smbclient = "windows_smbclient_"

func smbRows() []row {
	return []row{
		{series: smbclient + "read_bytes_total", family: schema.SMBReadBytes},
		{series: smbclient + "write_bytes_total", family: schema.SMBWriteBytes},
		{series: smbclient + "read_requests_total", family: schema.SMBOperations, class: "read"},
		{series: smbclient + "write_requests_total", family: schema.SMBOperations, class: "write"},
		{series: smbclient + "metadata_requests_total", family: schema.SMBOperations, class: "metadata"},
		// Ticks of 100 ns times requests: the rate is the mean queue length.
		{series: smbclient + "read_queue_seconds_total", family: schema.SMBRTT, class: "read", seconds: true},
		{series: smbclient + "write_queue_seconds_total", family: schema.SMBRTT, class: "write", seconds: true},
		{series: smbclient + "stalls_total", family: schema.SMBCreditStalls},
		{series: smbclient + "requests_queued", family: schema.SMBQueued},
	}
}

func networkRows() []row {
	return []row{
		{series: "node_network_receive_bytes_total", family: schema.NICReceived},
		{series: "node_network_transmit_bytes_total", family: schema.NICTransmitted},
		{series: "node_network_receive_drop_total", family: schema.NICReceiveDrops},
		{series: "node_network_transmit_drop_total", family: schema.NICTransmitDrops},
		{series: "node_network_speed_bytes", family: schema.NICSpeed},
		{series: "windows_net_bytes_received_total", family: schema.NICReceived},
		{series: "windows_net_bytes_sent_total", family: schema.NICTransmitted},
		{series: "windows_net_packets_received_discarded_total", family: schema.NICReceiveDrops},
		{series: "windows_net_packets_outbound_discarded_total", family: schema.NICTransmitDrops},
		{series: "windows_net_current_bandwidth_bytes", family: schema.NICSpeed},
	}
}

func processorRows() []row {
	return []row{
		{series: "node_cpu_seconds_total", family: schema.CPUSeconds, seconds: true},
		{series: "windows_cpu_time_total", family: schema.CPUSeconds, seconds: true},
	}
}
