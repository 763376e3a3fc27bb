package winfs

// The properties that are asked for, as the classes name and type them. A pointer is nil where Windows gives none.

//nolint:staticcheck // the fields have the names of the properties
type multichannelConnection struct {
	ServerName, ClientIpAddress, ServerIpAddress, ClientInterfaceFriendlyName *string `json:",omitempty"`
	ClientInterfaceIndex, ServerInterfaceIndex, MaxChannels, CurrentChannels  *uint32 `json:",omitempty"`
	FailureCount, SmbInstance, RdmaConnectionCount, TcpConnectionCount        *uint32 `json:",omitempty"`
	QuicConnectionCount                                                       *uint32 `json:",omitempty"`
	ClientLinkSpeed, ServerLinkSpeed                                          *uint64 `json:",omitempty"`
	Selected, Failed, ClientRSSCapable, ServerRSSCapable                      *bool   `json:",omitempty"`
	ClientRdmaCapable, ServerRdmaCapable                                      *bool   `json:",omitempty"`
}

type connection struct {
	ServerName, ShareName, Dialect           *string `json:",omitempty"`
	NumOpens                                 *uint64 `json:",omitempty"`
	ContinuouslyAvailable, Encrypted, Signed *bool   `json:",omitempty"`
}

type clientConfiguration struct {
	ConnectionCountPerRssNetworkInterface, MaximumConnectionCountPerServer, SessionTimeout *uint32 `json:",omitempty"`
	MaxCmds, DirectoryCacheLifetime, FileInfoCacheLifetime, FileNotFoundCacheLifetime      *uint32 `json:",omitempty"`
	EnableMultiChannel, EnableBandwidthThrottling, EnableLargeMtu                          *bool   `json:",omitempty"`
}

type clientNetworkInterface struct {
	FriendlyName            *string `json:",omitempty"`
	InterfaceIndex          *uint32 `json:",omitempty"`
	LinkSpeed               *uint64 `json:",omitempty"`
	RssCapable, RdmaCapable *bool   `json:",omitempty"`
}

type mapping struct {
	LocalPath, RemotePath *string `json:",omitempty"`
}

type adapterRSS struct {
	Name, InterfaceDescription           *string `json:",omitempty"`
	Enabled                              *bool   `json:",omitempty"`
	NumberOfReceiveQueues, MaxProcessors *uint32 `json:",omitempty"`
}

type networkInterface struct {
	Name                                 *string `json:",omitempty"`
	BytesReceivedPersec, BytesSentPersec *uint64 `json:",omitempty"`
	CurrentBandwidth                     *uint64 `json:",omitempty"`
}

// processor has times in ticks of 100 ns. PercentProcessorTime counts the time that the processor was idle.
type processor struct {
	Name                                                                         *string `json:",omitempty"`
	PercentProcessorTime, PercentUserTime, PercentPrivilegedTime, PercentDPCTime *uint64 `json:",omitempty"`
}
