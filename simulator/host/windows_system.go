package host

import (
	"fmt"
	"strconv"
)

// firstInterface is the number of the first interface; lower ones are of interfaces that lead nowhere.
const firstInterface = 5

// interfaceRow is an interface that the client may use.
type interfaceRow struct {
	FriendlyName            string
	InterfaceIndex          int
	RssCapable, RdmaCapable bool
	LinkSpeed               uint64 // bits per second
}

func (m *Machine) interfaceRows() []any {
	var rows []any
	for i := range m.NICs {
		rows = append(rows, interfaceRow{
			FriendlyName: m.NICs[i].Name, InterfaceIndex: firstInterface + i, RssCapable: m.NICs[i].RSS,
			LinkSpeed: natural(m.NICs[i].SpeedMbit) * bitsPerMegabit,
		})
	}
	return rows
}

// adapterName is what the driver calls the n-th adapter, from 0, with a sign between the name and the number.
func adapterName(n int, sign string) string {
	const name = "Example Virtual Network Adapter"
	if n == 0 {
		return name
	}
	return name + " " + sign + strconv.Itoa(n+1)
}

type adapterRow struct {
	Name, InterfaceDescription string
	Enabled                    bool
	NumberOfReceiveQueues      int
	MaxProcessors              int
}

func (m *Machine) adapterRows() []any {
	var rows []any
	for i := range m.NICs {
		rows = append(rows, adapterRow{
			Name: m.NICs[i].Name, InterfaceDescription: adapterName(i, "#"), Enabled: m.NICs[i].RSS,
			NumberOfReceiveQueues: max(m.NICs[i].Queues, 1), MaxProcessors: max(len(m.Cores), 1),
		})
	}
	return rows
}

// trafficRow is what an adapter has carried. The counters spell its name without the sign.
type trafficRow struct {
	Name                                                   string
	BytesReceivedPersec, BytesSentPersec, CurrentBandwidth uint64
	OutputQueueLength                                      uint64
	PacketsReceivedDiscarded, PacketsOutboundDiscarded     uint64
}

func (m *Machine) trafficRows() []any {
	var rows []any
	for i := range m.NICs {
		rows = append(rows, trafficRow{
			Name: adapterName(i, "_"), BytesReceivedPersec: whole(m.NICs[i].Received.Bytes), BytesSentPersec: whole(m.NICs[i].Sent.Bytes),
			CurrentBandwidth: natural(m.NICs[i].SpeedMbit) * bitsPerMegabit,
		})
	}
	return rows
}

// processorRow is the times of a core. PercentProcessorTime counts the idle time; privileged time holds that of deferred
// calls. The hypervisor's part does not show.
type processorRow struct {
	Name                                                        string
	PercentProcessorTime, PercentUserTime                       uint64
	PercentPrivilegedTime, PercentDPCTime, PercentInterruptTime uint64
}

func (m *Machine) processorRows() []any {
	var rows []any
	var mean processorRow
	for i, core := range m.Cores {
		row := core.row(fmt.Sprint(i))
		rows = append(rows, row)
		mean.PercentProcessorTime += row.PercentProcessorTime
		mean.PercentUserTime += row.PercentUserTime
		mean.PercentPrivilegedTime += row.PercentPrivilegedTime
		mean.PercentDPCTime += row.PercentDPCTime
	}
	if cores := natural(len(m.Cores)); cores > 0 {
		rows = append(rows, processorRow{
			Name: "_Total", PercentProcessorTime: mean.PercentProcessorTime / cores, PercentUserTime: mean.PercentUserTime / cores,
			PercentPrivilegedTime: mean.PercentPrivilegedTime / cores, PercentDPCTime: mean.PercentDPCTime / cores,
		})
	}
	return rows
}

func (c Core) row(name string) processorRow {
	return processorRow{
		Name: name, PercentProcessorTime: whole((c.Idle + c.IOWait) * ticks), PercentUserTime: whole(c.User * ticks),
		PercentPrivilegedTime: whole((c.System + c.SoftIRQ) * ticks), PercentDPCTime: whole(c.SoftIRQ * ticks),
	}
}
