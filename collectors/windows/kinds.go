package windows

import (
	"path"
	"strings"

	"github.com/nasight/nasight/collectors/windows/psout"
)

// kind is what a record tells of. It is known by its properties, so that a file may have any name and hold several.
type kind int

const (
	channelKind kind = iota
	connectionKind
	configurationKind
	interfaceKind
	adapterKind
	counterKind // one record a share
	sampleKind  // one record a counter of a share
	mappingKind
	trafficKind
	processorKind
	kinds
)

// kindRow tells how a kind is known. Every one of all has to be there, one of any if it is not empty, and none of none.
type kindRow struct {
	kind           kind
	file           string // name under which it is recorded: an empty file of that name says that there are none
	all, any, none []string
}

// kindRows are in the order in which they are tried.
var kindRows = []kindRow{
	{channelKind, "SmbMultichannelConnection", []string{"ServerName"},
		[]string{"ClientIpAddress", "ServerIpAddress", "Client IP", "Server IP", "ClientInterfaceIndex", "CurrentChannels"}, nil},
	{connectionKind, "SmbConnection", []string{"ServerName", "ShareName"}, nil, nil},
	{configurationKind, "SmbClientConfiguration", nil,
		[]string{"ConnectionCountPerRssNetworkInterface", "MaximumConnectionCountPerServer", "EnableBandwidthThrottling"}, nil},
	// The server's interfaces have a scope.
	{interfaceKind, "SmbClientNetworkInterface", []string{"InterfaceIndex", "RssCapable"}, nil, []string{"ScopeName"}},
	{adapterKind, "NetAdapterRss", []string{"Name"}, []string{"NumberOfReceiveQueues", "MaxProcessors", "RssProcessorArrayGroupNumberNUMADistance"}, nil},
	{sampleKind, "SmbClientShareSamples", []string{"Path"}, []string{"RawValue", "CookedValue"}, nil},
	{counterKind, "SmbClientShares", []string{"Name"},
		[]string{"ReadBytesPersec", "WriteBytesPersec", "DataBytesPersec", "MetadataRequestsPersec", "CreditStallsPersec"}, nil},
	{mappingKind, "SmbMapping", []string{"RemotePath"}, nil, nil},
	{trafficKind, "NetworkInterface", []string{"Name"}, []string{"BytesReceivedPersec", "BytesSentPersec"}, nil},
	{processorKind, "Processor", []string{"Name", "PercentProcessorTime"}, nil, nil},
}

func (r kindRow) matches(record psout.Record) bool {
	has := func(properties []string) bool {
		for _, property := range properties {
			if record.Has(property) {
				return true
			}
		}
		return false
	}
	return record.Has(r.all...) && (len(r.any) == 0 || has(r.any)) && !has(r.none)
}

func kindOf(record psout.Record) (kind, bool) {
	for _, row := range kindRows {
		if row.matches(record) {
			return row.kind, true
		}
	}
	return 0, false
}

// IsAnswer tells whether a record is of a kind that is read.
func IsAnswer(record psout.Record) bool {
	_, ok := kindOf(record)
	return ok
}

// kindOfFile is the kind that a file is named after.
func kindOfFile(name string) (kind, bool) {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	for _, row := range kindRows {
		if strings.EqualFold(base, row.file) {
			return row.kind, true
		}
	}
	return 0, false
}
