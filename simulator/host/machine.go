// Package host writes what a client host says of itself: the files of /proc and /sys, the kernel's replies about TCP
// sessions, the answers of a Windows host, and the series of node_exporter and windows_exporter. All of it comes from one
// Machine, which holds counters as they would stand in the kernel. The collectors read it back as they read a real host.
package host

import (
	"net/netip"
	"time"
)

// Machine is one client host at one moment. Counters count since the boot, in the units that their names say.
type Machine struct {
	Name    string
	Kernel  string    // such as 6.12.0-1-amd64; empty on Windows
	Windows bool      // an SMB client that answers in JSON; it has neither NFS nor iSCSI
	Boot    time.Time // when the counters were zero
	Now     time.Time // the moment that the counters stand for

	SlotTable    int // sunrpc's tcp_max_slot_table_entries; 0 for the kernel's default of 65,536
	SessionSlots int // nfs's max_session_slots; 0 for the kernel's default of 64

	Cores []Core
	NICs  []NIC
	NFS   []NFSServer
	SMB   []SMBServer
	ISCSI []ISCSITarget
}

// Core is what one processor core has done, in seconds.
type Core struct {
	User, System, Idle, IOWait, SoftIRQ, Steal float64
}

// NIC is one network interface.
type NIC struct {
	Name      string       // such as eth0
	Address   netip.Prefix // its address and network
	SpeedMbit int          // 0 where the driver does not say
	RSS       bool         // receive queues on several cores
	Queues    int          // receive queues; at least 1
	Driver    string       // such as gve, whose speed is the network cap of the VM; empty for virtio_net
	Received  Traffic
	Sent      Traffic
}

// Traffic is what went one way.
type Traffic struct {
	Bytes, Packets float64
}

// TCP is one TCP session of the host to a storage port.
type TCP struct {
	Local, Remote netip.AddrPort
	Sent          Traffic // payload and segments
	Received      Traffic
	Retransmits   float64       // segments
	RTT, MinRTT   time.Duration // smoothed, and the lowest ever
	NotSent       uint32        // bytes that wait in the socket
	SendQueue     uint32        // bytes that wait for an acknowledgement, those not sent included
	Busy          time.Duration // with data to send
	ReceiveWindow time.Duration // of Busy: limited by the peer's window
	SendBuffer    time.Duration // of Busy: limited by the own buffer
	Closed        bool          // the connection is down: no socket is listed

	Window       int     // congestion window in segments; 0 for the one that TCP begins with
	DeliveryRate float64 // bytes per second as last measured; 0 for never
	OutOfOrder   float64 // segments received out of order
}

// NFSServer is one NFS client of the kernel: the transports to one server address, and the mounts that share them.
type NFSServer struct {
	Address    netip.Addr
	Name       string // as mounted; empty for the address
	Version    string // 3, 4.0, 4.1 or 4.2
	NConnect   int    // as asked for at the mount; 0 for none
	Slots      int    // slots that a server of 4.1 and later has granted; 0 for 3
	Transports []NFSTransport
	Mounts     []NFSMount
}

// NFSTransport is one transport of the client: a TCP session with its queue of requests.
type NFSTransport struct {
	TCP
	Connects         int
	Sends, Receives  float64 // requests and replies
	BadXIDs          float64
	InFlightSum      float64 // sent requests times the requests without a reply at that time (bklog_u, sending_u and pending_u count so)
	SendingSum       float64
	BacklogSum       float64
	MaxSlots         int     // most slots that were ever in use
	Pending, Sending int     // requests in the queues now
	Backlog          int     // requests that wait for a slot now
	Idle             float64 // seconds since it was last used
}

// NFSMount is one mount.
type NFSMount struct {
	Export, MountPoint  string
	ReadSize, WriteSize int // bytes; rsize and wsize
	ReadAheadKiB        int // of the backing device
	AttributeCache      bool
	Age                 time.Duration
	Operations          map[string]NFSOperation // by name in capitals, such as READ
}

// NFSOperation is what one type of operations has done.
type NFSOperation struct {
	Count, Transmissions, Timeouts, Errors float64
	SentBytes, ReceivedBytes               float64 // with the headers of the requests
	Queue, RTT, Execute                    float64 // seconds, summed over the operations
}

// SMBServer is one SMB session: its channels to one server, and the shares that use them.
type SMBServer struct {
	Name             string // such as example.file.core.windows.net
	Address          netip.Addr
	Dialect          string // such as 3.1.1
	Multichannel     bool   // asked for by the client
	MaxChannels      int    // the client's setting: of the mounts, on Windows of every interface with RSS; 0 for the default
	Encrypted        bool
	Channels         []SMBChannel
	ServerInterfaces []SMBInterface
	Reconnects       int
	Shares           []SMBShare
}

// SMBChannel is one connection of a session.
type SMBChannel struct {
	TCP
	Selected    bool // Windows: used, and not only offered
	RSS         bool // both ends' interfaces spread over cores
	SpeedMbit   int
	InFlight    int
	MaxInFlight int // most requests that were ever in flight; 0 for InFlight
	Credits     int
}

// SMBInterface is a network interface that the server offers.
type SMBInterface struct {
	Address   netip.Addr
	SpeedMbit int
	RSS       bool
}

// SMBShare is one share in use.
type SMBShare struct {
	Name, MountPoint string                  // a drive or nothing on Windows
	Operations       map[string]SMBOperation // by name as in cifs's Stats, such as Reads, Writes, Creates, QueryInfos; others do not show
	Read, Written    float64                 // bytes
	ReadSeconds      float64                 // summed over the requests
	WriteSeconds     float64
	InFlight         float64 // mean number of requests
	CreditStalls     float64 // times that a request waited for a credit
	OpenFiles        []OpenFile
	RequestKiB       int // wsize and rsize; 0 for 4 MiB
}

// SMBOperation is what one type of requests has done. The seconds are summed over the requests; those of Reads and Writes
// are the share's ReadSeconds and WriteSeconds instead.
type SMBOperation struct{ Count, Failed, Seconds float64 }

// OpenFile is one open file of a share.
type OpenFile struct {
	Path    string
	Handles int
}

// ISCSITarget is one target with its sessions. All of them lead to the same disk; a device mapper joins them.
type ISCSITarget struct {
	Name       string // such as iqn.2026-01.com.example:lun1
	Portal     netip.AddrPort
	MountPoint string // of the file system on the disk; empty for none
	Sessions   []ISCSISession
}

// ISCSISession is one session of a target and the path (disk) that it carries.
type ISCSISession struct {
	TCP
	Disk                   string  // such as sdb
	QueueDepth             int     // commands that the disk takes at a time
	InFlight               int     // commands without a reply
	Reads, Writes          float64 // commands
	ReadBytes, WriteBytes  float64
	ReadSeconds, WriteSecs float64 // summed over the commands
	BusySeconds            float64 // with at least one command
	WeightedSeconds        float64 // summed over commands in flight
}
