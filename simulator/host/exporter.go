package host

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Exposition is the machine as its exporter shows it, in the text format of Prometheus: node_exporter with the collectors
// cpu, netdev, netclass and mountstats, or windows_exporter with cpu, net and smbclient. Families that are not read of
// either are left out. The samples bear no times: they are of the machine's moment.
func (m *Machine) Exposition() []byte {
	var e exposition
	if m.Windows {
		m.windowsSeries(&e)
		return e.out
	}
	m.nodeSeries(&e)
	m.mountSeries(&e)
	return e.out
}

// exposition is a text that families are added to.
type exposition struct{ out []byte }

// The types of families.
const (
	counter = "counter"
	gauge   = "gauge"
)

// family begins a family; its samples follow.
func (e *exposition) family(name, kind string) {
	e.out = append(e.out, "# TYPE "...)
	e.out = append(append(append(append(e.out, name...), ' '), kind...), '\n')
}

// labelEscapes are those of a label's value.
var labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// sample adds a sample; labels are names and values in turn.
func (e *exposition) sample(name string, value float64, labels ...string) {
	e.out = append(e.out, name...)
	separator := byte('{')
	for i := 0; i+1 < len(labels); i += 2 {
		e.out = append(append(e.out, separator), labels[i]...)
		e.out = append(e.out, '=', '"')
		e.out = append(e.out, labelEscapes.Replace(labels[i+1])...)
		e.out = append(e.out, '"')
		separator = ','
	}
	if separator == ',' {
		e.out = append(e.out, '}')
	}
	e.out = strconv.AppendFloat(append(e.out, ' '), value, 'g', -1, 64)
	e.out = append(e.out, '\n')
}

// row is a family with how its value is found in what it is about.
type row[T any] struct {
	name, kind string
	value      func(of T) float64
}

// count is a counter as the exporter reads it from the kernel.
func count(value float64) float64 { return float64(whole(value)) }

// modes are the times of a core by the mode that an exporter gives them.
type modes []struct {
	name    string
	seconds func(Core) float64
}

func nodeModes() modes {
	none := func(Core) float64 { return 0 }
	return modes{
		{"idle", func(c Core) float64 { return c.Idle }}, {"iowait", func(c Core) float64 { return c.IOWait }}, {"irq", none}, {"nice", none},
		{"softirq", func(c Core) float64 { return c.SoftIRQ }}, {"steal", func(c Core) float64 { return c.Steal }},
		{"system", func(c Core) float64 { return c.System }}, {"user", func(c Core) float64 { return c.User }},
	}
}

func (m *Machine) nodeSeries(e *exposition) {
	e.family("node_cpu_seconds_total", counter)
	all := nodeModes()
	for i, core := range m.Cores {
		for _, mode := range all {
			e.sample("node_cpu_seconds_total", mode.seconds(core), "cpu", strconv.Itoa(i), "mode", mode.name)
		}
	}
	for _, one := range []row[*NIC]{
		{"node_network_receive_bytes_total", counter, func(n *NIC) float64 { return count(n.Received.Bytes) }},
		{"node_network_receive_drop_total", counter, func(*NIC) float64 { return 0 }},
		{"node_network_receive_packets_total", counter, func(n *NIC) float64 { return count(n.Received.Packets) }},
		{"node_network_speed_bytes", gauge, (*NIC).bytesPerSecond},
		{"node_network_transmit_bytes_total", counter, func(n *NIC) float64 { return count(n.Sent.Bytes) }},
		{"node_network_transmit_drop_total", counter, func(*NIC) float64 { return 0 }},
		{"node_network_transmit_packets_total", counter, func(n *NIC) float64 { return count(n.Sent.Packets) }},
	} {
		e.family(one.name, one.kind)
		for i := range m.NICs {
			if nic := &m.NICs[i]; one.kind == counter || nic.SpeedMbit > 0 {
				e.sample(one.name, one.value(nic), "device", nic.Name)
			}
		}
	}
}

func (n *NIC) bytesPerSecond() float64 { return float64(n.SpeedMbit) * bitsPerMegabit / 8 }

// exported is a mount with the labels that the exporter tells it by.
type exported struct {
	*NFSMount
	server *NFSServer
	labels []string
}

// exports lists the mounts that the exporter tells of: of several with the same labels, the first.
func (m *Machine) exports() []exported {
	var all []exported
	seen := map[string]bool{}
	for i := range m.NFS {
		server := &m.NFS[i]
		for at := range server.Mounts {
			mount := &server.Mounts[at]
			labels := []string{
				"export", server.host() + ":" + mount.Export, "mountaddr", server.Address.String(), "protocol", server.protocol(),
			}
			if key := strings.Join(labels, "\xff"); !seen[key] && len(server.Transports) > 0 {
				seen[key] = true
				all = append(all, exported{mount, server, labels})
			}
		}
	}
	return all
}

const mountstats = "node_mountstats_nfs_"

func (m *Machine) mountSeries(e *exposition) {
	exports := m.exports()
	read := func(x exported) float64 { read, _ := x.server.moved(x.NFSMount); return float64(read) }
	written := func(x exported) float64 { _, written := x.server.moved(x.NFSMount); return float64(written) }
	for _, one := range []row[exported]{
		{"age_seconds_total", counter, func(x exported) float64 { return float64(int64(x.Age.Seconds())) }},
		{"read_bytes_total", counter, read},
		{"total_read_bytes_total", counter, read},
		{"total_write_bytes_total", counter, written},
		{"write_bytes_total", counter, written},
	} {
		e.family(mountstats+one.name, one.kind)
		for _, x := range exports {
			e.sample(mountstats+one.name, one.value(x), x.labels...)
		}
	}
	e.family(mountstats+"mountpoint_info", gauge)
	for _, x := range exports {
		e.sample(mountstats+"mountpoint_info", 1, append(x.labels[:6:6], "mountpoint", x.MountPoint)...)
	}
	operationSeries(e, exports)
	transportSeries(e, exports)
}

func operationSeries(e *exposition, exports []exported) {
	seconds := func(value float64) float64 { return float64(millis(value)) / 1000 }
	for _, one := range []row[NFSOperation]{
		{"major_timeouts_total", counter, func(o NFSOperation) float64 { return count(o.Timeouts) }},
		{"queue_time_seconds_total", counter, func(o NFSOperation) float64 { return seconds(o.Queue) }},
		{"received_bytes_total", counter, func(o NFSOperation) float64 { return count(o.ReceivedBytes) }},
		{"request_time_seconds_total", counter, func(o NFSOperation) float64 { return seconds(o.Execute) }},
		{"requests_total", counter, func(o NFSOperation) float64 { return count(o.Count) }},
		{"response_time_seconds_total", counter, func(o NFSOperation) float64 { return seconds(o.RTT) }},
		{"sent_bytes_total", counter, func(o NFSOperation) float64 { return count(o.SentBytes) }},
		{"transmissions_total", counter, func(o NFSOperation) float64 { return count(o.Transmissions) }},
	} {
		name := mountstats + "operations_" + one.name
		e.family(name, one.kind)
		for _, x := range exports {
			for _, operation := range slices.Sorted(maps.Keys(x.Operations)) {
				e.sample(name, one.value(x.Operations[operation]), append(x.labels[:6:6], "operation", operation)...)
			}
		}
	}
}

func transportSeries(e *exposition, exports []exported) {
	for _, one := range []row[*NFSTransport]{
		{"backlog_queue_total", counter, func(t *NFSTransport) float64 { return count(t.BacklogSum) }},
		{"bad_transaction_ids_total", counter, func(t *NFSTransport) float64 { return count(t.BadXIDs) }},
		{"connect_total", counter, func(t *NFSTransport) float64 { return float64(max(t.Connects, 0)) }},
		{"idle_time_seconds", gauge, func(t *NFSTransport) float64 { return count(t.Idle) }},
		{"maximum_rpc_slots", gauge, func(t *NFSTransport) float64 { return float64(max(t.MaxSlots, 0)) }},
		{"receives_total", counter, func(t *NFSTransport) float64 { return count(t.Receives) }},
		{"sending_queue_total", counter, func(t *NFSTransport) float64 { return count(t.SendingSum) }},
		{"sends_total", counter, func(t *NFSTransport) float64 { return count(t.Sends) }},
	} {
		name := mountstats + "transport_" + one.name
		e.family(name, one.kind)
		for _, x := range exports {
			for i := range x.server.Transports {
				e.sample(name, one.value(&x.server.Transports[i]), append(x.labels[:6:6], "transport", strconv.Itoa(i))...)
			}
		}
	}
}
