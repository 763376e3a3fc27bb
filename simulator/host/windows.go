package host

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/netip"
	"slices"
)

// windowsFiles adds what a Windows host answers, a file for each question, as deploy/windows/capture.ps1 records it.
func (m *Machine) windowsFiles(t *tree) {
	for name, rows := range map[string][]any{
		"NetworkInterface":          m.trafficRows(),
		"Processor":                 m.processorRows(),
		"SmbMultichannelConnection": m.pairRows(),
		"SmbConnection":             m.connectionRows(),
		"SmbClientConfiguration":    {m.configuration()},
		"SmbClientNetworkInterface": m.interfaceRows(),
		"SmbMapping":                m.mappingRows(),
		"NetAdapterRss":             m.adapterRows(),
		"SmbClientShares":           m.shareRows(),
	} {
		t.file(windowsDir+"/"+name+".json", answer(rows))
	}
}

// answer is an array of objects, one a line, also where there are none.
func answer(rows []any) []byte {
	lines := make([][]byte, len(rows))
	for i, row := range rows {
		lines[i], _ = json.Marshal(row) // structs of texts, whole numbers and truths always have a form
	}
	return slices.Concat([]byte("["), bytes.Join(lines, []byte(",\n")), []byte("]"))
}

// pairRow is a pair of interfaces, as Get-SmbMultichannelConnection lists them.
type pairRow struct {
	ServerName                  string
	Selected                    bool
	ClientIPAddress             string `json:"ClientIpAddress"`
	ServerIPAddress             string `json:"ServerIpAddress"`
	ClientInterfaceIndex        int
	ServerInterfaceIndex        int
	ClientInterfaceFriendlyName string
	ClientRSSCapable            bool
	ServerRSSCapable            bool
	ClientRdmaCapable           bool
	ServerRdmaCapable           bool
	ClientLinkSpeed             uint64
	ServerLinkSpeed             uint64
	MaxChannels                 int
	CurrentChannels             int
	Failed                      bool
	FailureCount                int
}

// pairRows lists the pairs of the servers for which several channels were asked. The client does not list the one
// connection of the others.
func (m *Machine) pairRows() []any {
	var rows []any
	for i := range m.SMB {
		server := &m.SMB[i]
		if !server.Multichannel {
			continue
		}
		type pair struct {
			local, remote netip.Addr
			selected      bool
		}
		known := map[pair]*pairRow{}
		for at := range server.Channels {
			channel := &server.Channels[at]
			key := pair{channel.Local.Addr(), channel.Remote.Addr(), channel.Selected}
			if known[key] == nil {
				known[key] = m.pairRow(server, channel)
				rows = append(rows, known[key])
			}
			if !channel.Closed {
				known[key].CurrentChannels++
			}
		}
	}
	return rows
}

const bitsPerMegabit = 1_000_000

func (m *Machine) pairRow(server *SMBServer, channel *SMBChannel) *pairRow {
	row := &pairRow{
		ServerName: server.host(), Selected: channel.Selected, ClientIPAddress: channel.Local.Addr().String(),
		ServerIPAddress: channel.Remote.Addr().String(), ServerInterfaceIndex: 1, ClientInterfaceIndex: firstInterface,
		ClientRSSCapable: channel.RSS, ServerRSSCapable: channel.RSS,
		ClientLinkSpeed: natural(channel.SpeedMbit) * bitsPerMegabit, ServerLinkSpeed: natural(channel.SpeedMbit) * bitsPerMegabit,
		MaxChannels: 1,
	}
	for i := range m.NICs {
		if m.NICs[i].Address.Addr() == channel.Local.Addr() {
			row.ClientInterfaceIndex, row.ClientInterfaceFriendlyName = firstInterface+i, m.NICs[i].Name
			row.ClientRSSCapable, row.ClientLinkSpeed = m.NICs[i].RSS, natural(m.NICs[i].SpeedMbit)*bitsPerMegabit
		}
	}
	for i, offered := range server.ServerInterfaces {
		if offered.Address == channel.Remote.Addr() {
			row.ServerInterfaceIndex, row.ServerRSSCapable = i+1, offered.RSS
			row.ServerLinkSpeed = natural(offered.SpeedMbit) * bitsPerMegabit
		}
	}
	if row.ClientRSSCapable && row.ServerRSSCapable {
		row.MaxChannels = m.perInterface()
	}
	return row
}

// connectionRow is a share that is in use.
type connectionRow struct {
	ServerName, ShareName, Dialect string
	NumOpens                       int
	Encrypted, Signed              bool
	ContinuouslyAvailable          bool
}

func (m *Machine) connectionRows() []any {
	var rows []any
	for i := range m.SMB {
		server := &m.SMB[i]
		for at := range server.Shares {
			share := &server.Shares[at]
			rows = append(rows, connectionRow{
				ServerName: server.host(), ShareName: share.Name, Dialect: server.Dialect, NumOpens: share.handles(), Encrypted: server.Encrypted,
			})
		}
	}
	return rows
}

// configuration is the client's settings.
type configuration struct {
	EnableMultiChannel                    bool
	ConnectionCountPerRssNetworkInterface int
	MaximumConnectionCountPerServer       int
	EnableBandwidthThrottling             bool
	EnableLargeMtu                        bool
	MaxCmds                               int
	SessionTimeout                        int
	DirectoryCacheLifetime                int
	FileInfoCacheLifetime                 int
	FileNotFoundCacheLifetime             int
	WindowSizeThreshold                   int
}

// The defaults of the client's settings.
const (
	channelsPerInterface = 4
	channelsPerServer    = 32
)

func (m *Machine) configuration() configuration {
	return configuration{
		EnableMultiChannel:                    len(m.SMB) == 0 || slices.ContainsFunc(m.SMB, func(s SMBServer) bool { return s.Multichannel }),
		ConnectionCountPerRssNetworkInterface: m.perInterface(), MaximumConnectionCountPerServer: channelsPerServer,
		EnableBandwidthThrottling: true, EnableLargeMtu: true, MaxCmds: 50, SessionTimeout: 60, DirectoryCacheLifetime: 10,
		FileInfoCacheLifetime: 10, FileNotFoundCacheLifetime: 5, WindowSizeThreshold: 1,
	}
}

// perInterface is how many channels the client makes from one interface. It is one setting for all servers.
func (m *Machine) perInterface() int {
	most := 0
	for i := range m.SMB {
		most = max(most, m.SMB[i].MaxChannels)
	}
	return cmp.Or(most, channelsPerInterface)
}

type mappingRow struct{ LocalPath, RemotePath string }

func (m *Machine) mappingRows() []any {
	var rows []any
	for i := range m.SMB {
		for _, share := range m.SMB[i].Shares {
			if share.MountPoint != "" {
				rows = append(rows, mappingRow{share.MountPoint, m.SMB[i].path(share.Name)})
			}
		}
	}
	return rows
}

// shareRow is the running counters of a share, under the names of their class.
type shareRow struct {
	Name                   string
	ReadBytesPersec        uint64
	WriteBytesPersec       uint64
	ReadRequestsPersec     uint64
	WriteRequestsPersec    uint64
	MetadataRequestsPersec uint64
	DataBytesPersec        uint64
	DataRequestsPersec     uint64
	AvgReadQueueLength     uint64 // ticks times requests
	AvgWriteQueueLength    uint64
	AvgDataQueueLength     uint64
	CreditStallsPersec     uint64
	CurrentDataQueueLength uint64
	TimestampPerfTime      uint64 `json:"Timestamp_PerfTime"`
	FrequencyPerfTime      uint64 `json:"Frequency_PerfTime"`
	TimestampSys100NS      uint64 `json:"Timestamp_Sys100NS"`
}

// ticks are the parts of a second in which Windows counts.
const ticks = 10_000_000

// shareRows ends with the instance _Total, which every host has beside its shares.
func (m *Machine) shareRows() []any {
	var rows []any
	total := shareRow{Name: "_Total"}
	for i := range m.SMB {
		for at := range m.SMB[i].Shares {
			row := m.shareRow(&m.SMB[i], &m.SMB[i].Shares[at])
			total.add(&row)
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return append(rows, total)
}

// add counts a row in the total.
func (r *shareRow) add(row *shareRow) {
	r.ReadBytesPersec += row.ReadBytesPersec
	r.WriteBytesPersec += row.WriteBytesPersec
	r.ReadRequestsPersec += row.ReadRequestsPersec
	r.WriteRequestsPersec += row.WriteRequestsPersec
	r.MetadataRequestsPersec += row.MetadataRequestsPersec
	r.DataBytesPersec += row.DataBytesPersec
	r.DataRequestsPersec += row.DataRequestsPersec
	r.AvgReadQueueLength += row.AvgReadQueueLength
	r.AvgWriteQueueLength += row.AvgWriteQueueLength
	r.AvgDataQueueLength += row.AvgDataQueueLength
	r.CreditStallsPersec += row.CreditStallsPersec
	r.CurrentDataQueueLength += row.CurrentDataQueueLength
	r.TimestampPerfTime, r.FrequencyPerfTime, r.TimestampSys100NS = row.TimestampPerfTime, row.FrequencyPerfTime, row.TimestampSys100NS
}

func (m *Machine) shareRow(server *SMBServer, share *SMBShare) shareRow {
	row := shareRow{
		Name:            server.path(share.Name)[1:], // with one backslash before the server
		ReadBytesPersec: whole(share.Read), WriteBytesPersec: whole(share.Written),
		ReadRequestsPersec: whole(share.Operations[reads].Count), WriteRequestsPersec: whole(share.Operations[writes].Count),
		MetadataRequestsPersec: share.metadata(),
		AvgReadQueueLength:     whole(share.ReadSeconds * ticks), AvgWriteQueueLength: whole(share.WriteSeconds * ticks),
		CreditStallsPersec: whole(share.CreditStalls), CurrentDataQueueLength: whole(share.InFlight),
		FrequencyPerfTime: ticks, TimestampPerfTime: whole(m.Now.Sub(m.Boot).Seconds() * ticks), TimestampSys100NS: m.fileTime(),
	}
	row.DataBytesPersec = row.ReadBytesPersec + row.WriteBytesPersec
	row.DataRequestsPersec = row.ReadRequestsPersec + row.WriteRequestsPersec
	row.AvgDataQueueLength = row.AvgReadQueueLength + row.AvgWriteQueueLength
	return row
}

// The names of the operations that move data.
const reads, writes = "Reads", "Writes"

// metadata counts the requests that move no data.
func (s *SMBShare) metadata() uint64 {
	sum := uint64(0)
	for _, row := range smbRows {
		if row.name != reads && row.name != writes {
			sum += whole(s.Operations[row.name].Count)
		}
	}
	return sum
}

// fileTime is the moment in the units that Windows counts from 1601.
func (m *Machine) fileTime() uint64 {
	const secondsTo1970 = 11_644_473_600
	return uint64(m.Now.Unix()+secondsTo1970)*ticks + natural(m.Now.Nanosecond()/100)
}
