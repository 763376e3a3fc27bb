// Package fleet builds the typed view that detectors judge: clients, their mounts and the endpoints that these talk to.
// Every number is a row of the feature table, asked of history as PromQL, so that a finding can be checked by hand.
package fleet

import (
	"time"

	"github.com/nasight/nasight/baseline"
)

// Fleet is the view at one moment.
type Fleet struct {
	At      time.Time
	Window  time.Duration // what rates and means cover
	Clients []*Client
	Query   Query `json:"-"` // how each number was asked for

	Pools        []*Pool
	Accounts     []*Account
	Replications []*Replication
	Unjoined     []Unjoined // mounts and volumes without counterpart, with the reason
	Anomalies    []Anomaly  `json:",omitempty"`
	BaselinesAt  time.Time  // up to when the baselines are that the anomalies come from; zero: nobody knows of any
	Baselines    int        `json:"-"` // how many there are
	// BaselinesBy is how many series stand where, at the moment at which the anomalies were looked up; nil where there are no baselines.
	BaselinesBy map[baseline.State]int `json:",omitempty"`
	DaysAt      time.Time              // when the looks over days were taken that the view carries; zero: none were
}

// Query gives the PromQL of a feature for one resource, ready to be run by hand at the view's moment.
type Query func(feature string, resource Resource) string

// Provider is the storage service behind an endpoint; it decides how many sessions help.
type Provider string

// The providers. An endpoint whose provider is not known gets careful advice.
const (
	ProviderUnknown     Provider = ""
	ProviderGCNV        Provider = "gcnv"
	ProviderAzure       Provider = "azurefiles"
	ProviderAzureNetApp Provider = "azurenetapp"
)

// Resource names what a finding is about. Fields that do not apply are empty.
type Resource struct {
	Cloud    string `json:"cloud,omitempty"`
	Service  string `json:"service,omitempty"`
	Project  string `json:"project,omitempty"`
	Location string `json:"location,omitempty"`
	Pool     string `json:"pool,omitempty"`
	Volume   string `json:"volume,omitempty"`
	Host     string `json:"host,omitempty"`
	Server   string `json:"server,omitempty"`
	Export   string `json:"export,omitempty"`
	Protocol string `json:"protocol,omitempty"`
}

// Client is one host.
type Client struct {
	Host      string
	Cloud     string // gce or azure where its machine or the configuration says so, else empty
	Instance  Instance
	Coverage  Value // samples received over expected, 0 to 1
	CPU       CPU
	NIC       NIC
	Settings  Settings
	SMB       SMBClient
	Mounts    []*Mount
	Endpoints []*Endpoint
}

// CPU is how busy the client's cores are, as shares of one core (Busiest…) or of all cores.
type CPU struct {
	Cores          Value
	BusiestSoftirq Value
	BusiestBusy    Value
	Busy           Value
	Steal          Value
}

// NIC is the interface that leads to storage, in bytes per second.
type NIC struct {
	Interface   string
	Driver      string
	Speed       Value
	ReceiveCap  Value
	TransmitCap Value
	Receive     Value
	Transmit    Value
	Drops       Value // packets per second, both directions
}

// Settings are the client's NFS settings.
type Settings struct {
	SlotTable              Value // sunrpc.tcp_max_slot_table_entries
	SessionSlots           Value // running max_session_slots
	SessionSlotsConfigured Value // in the module options
}

// SMBClient are the settings of a Windows client; all empty or missing elsewhere.
type SMBClient struct {
	Windows      bool
	Multichannel string // true, false or unknown
	PerInterface Value  // connections for each interface with RSS
	PerServer    Value  // connections to one server
}

// Mount is one superblock of NFS, one share of SMB or one iSCSI target at one portal.
type Mount struct {
	Host, Server, ServerName, Export, Protocol, Device string

	Version     string // NFS version: 3, 4.0, 4.1, 4.2
	Transport   string // tcp, tcp6, rdma, udp
	Security    string
	Options     string // as the kernel prints them
	MountPoints []string
	MoreMounts  int   // mount points beyond those listed
	NConnect    Value // as mounted; the sessions in use may differ
	ReadSize    Value // bytes
	WriteSize   Value // bytes
	ReadAhead   Value // bytes
	Age         Value // seconds

	Classes      map[string]Class // by operation class: read, write, commit, attr, dir, other
	ReadRate     Value            // bytes per second from the server
	WriteRate    Value            // bytes per second to the server
	Retransmits  Value            // per second
	Timeouts     Value            // major timeouts per second over the last interval
	Completions  Value            // operations per second over the last interval
	ClockAdvance Value            // seconds by which the mount's age grew over the last interval
	Samples      Value            // reads of the mount in the window

	OpenFiles     Value // SMB: handles that this client has open on the share
	FilesInUse    Value // SMB: distinct files among them
	ChannelsAsked Value // SMB: channels that the mount asks for
	CreditStalls  Value // SMB: requests per second that waited for a credit
	Sessions      Value // iSCSI: sessions to the target at the portal
	Shared        bool  // the classes' times are those of all shares of the server: the client counts them by server

	Volume *Volume `json:"-"` // what the cloud calls it; nil where nothing was joined
	Share  *Share  `json:"-"` // the same of Azure Files
}

// Class is the load of one class of operations.
type Class struct {
	Rate    Value // operations per second
	RTT     Value // seconds between sending and reply, per operation
	Execute Value // seconds from request to completion, per operation
	Errors  Value // per second
}

// Endpoint is what one client sees of one server address: every mount of it shares the sessions.
type Endpoint struct {
	Host, Server, Protocol string

	Client     *Client `json:"-"`
	Provider   Provider
	Mounts     []*Mount
	Transports []*Transport
	Sessions   []*Session

	SessionCount Value // established TCP sessions (socket diagnosis)
	LowestRTT    Value // seconds; lowest minimum RTT ever seen
	Busy         Value // share of time with unacknowledged data, mean of the sessions
	Limited      Value // part of the busy time that a window or the send buffer limited
	Retransmits  Value // segments sent again over segments sent
	Moving       Value // bytes of the last interval over those of the time before it, per second; 1 is steady
	Ceiling      Value // bytes per second; learnt ceiling of one session
	Plateau      Value // p95 over p50 of the busiest session's rate in the window
	BaseLatency  Value // seconds; operation RTT of the unloaded service (5th percentile of 7 days)
	Baseline     Value // seconds; usual operation RTT (of the hour by its baseline, else the 7-day median)

	Pending      Value // requests waiting for a reply now
	PendingFloor Value // fewest requests that waited for a reply at any time in the last interval
	Connected    Value // transports up
	Disconnected Value // transports down
	Connecting   Value // connection attempts per second over the last interval
	Receives     Value // replies per second over the last interval

	SMB SMBServer // what the client knows of an SMB server

	VolumeUtilisation Value // throughput over limit of the busiest volume behind it, by the service or by the clients, whichever tells more; missing until the cloud is joined
	Throttled         bool  // the service throttles now
}

// SMBServer is the SMB side of an endpoint.
type SMBServer struct {
	Dialect      string
	Multichannel string // whether the server offers it: true, false or unknown
	ClientRSS    string // whether an interface of the client can spread channels over queues, likewise
	ServerRSS    string // the same of the server
	Channels     Value  // connected channels of one session
	Credits      Value  // free credits of the channel that has fewest
	Concurrency  Value  // requests under way: 90th percentile over half an hour, minute by minute
}

// Transport is the RPC side of an endpoint for one NFS version, the channels of an SMB server or the sessions of a portal.
type Transport struct {
	Protocol string
	Version  string // of NFS
	Count    Value  // RPC transports, one TCP connection each
	Rate     Value  // operations per second of all its mounts
	RTT      Value  // seconds per operation
	Execute  Value  // seconds per operation
	Backlog  Value  // mean backlog length that a request met
	Slots    Value  // slot limit of one transport
	MaxSlots Value  // most slots ever in use on one transport
	Writes   Value  // share of bytes that are writes
}

// Session is one TCP session.
type Session struct {
	Local       string
	Rate        Value // bytes per second, both directions
	RTT         Value // seconds, smoothed; median of the window
	MinRTT      Value // seconds
	OutOfOrder  Value // share of the segments received
	Retransmits Value // segments per second
	NotSent     Value // bytes; mean of the window
}
