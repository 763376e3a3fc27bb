package nfs

// Stanza is what mountstats says of one NFS mount point. Its byte slices point into the parsed file and its slices are
// used again for the next stanza: copy what has to last.
type Stanza struct {
	Source     []byte // device, such as server:/export, octal escapes as the kernel wrote them
	MountPoint []byte // octal escapes as the kernel wrote them
	Type       []byte // nfs or nfs4
	Options    []byte // the opts line, may hold blanks after commas
	Age        Number // seconds since the mount was made
	Bytes      [byteFields]Number
	Events     []Number // as many as the line has
	Transports []Transport
	Operations []Operation
}

// The fields of the bytes line, in bytes. Server bytes are those of requests that went to the server, direct I/O
// included, page cache hits left out.
const (
	NormalReadBytes = iota
	NormalWriteBytes
	DirectReadBytes
	DirectWriteBytes
	ServerReadBytes
	ServerWriteBytes
	ReadPages
	WritePages

	byteFields
)

// Transport is one xprt line: a connection to the server. Fields that its protocol does not have are Absent.
type Transport struct {
	Protocol []byte // tcp, udp, rdma, local, or what later kernels name
	Values   [transportFields]Number
}

// The fields of a transport. The queue sums grow by the queue's current length at every request sent.
const (
	SourcePort  = iota // 0 while down, and always with NFSv4.1 on new kernels and with RDMA
	Binds              // times that the server's port was looked up
	Connects           // connection attempts
	ConnectTime        // seconds
	IdleTime           // seconds
	Sends
	Receives
	BadXIDs
	InFlightSum
	BacklogSum
	MaxSlots // most slots ever in use
	SendingSum
	PendingSum

	transportFields
)

// Operation is one per-op line. Names differ between NFS versions.
type Operation struct {
	Name   []byte // READ, GETATTR, ...
	Values [operationFields]Number
}

// The fields of an operation; times are sums over the completed operations.
const (
	Operations = iota // completed
	Transmissions
	MajorTimeouts
	BytesSent
	BytesReceived
	QueueMillis   // waiting in the client before being sent
	RTTMillis     // from sending to reply
	ExecuteMillis // from request to completion
	Errors        // Absent before RPC iostats version 1.1

	operationFields
)

// The order of the fields in the xprt lines. UDP has no connections, a local socket has no port, RDMA continues with
// counters of its own instead of the slots and queues.
var (
	streamLayout = [...]uint8{
		SourcePort, Binds, Connects, ConnectTime, IdleTime, Sends, Receives, BadXIDs, InFlightSum, BacklogSum,
		MaxSlots, SendingSum, PendingSum,
	}
	datagramLayout = [...]uint8{
		SourcePort, Binds, Sends, Receives, BadXIDs, InFlightSum, BacklogSum, MaxSlots, SendingSum, PendingSum,
	}
)

// transportLayout gives the order of a protocol's fields; a protocol that is not known has none that can be trusted.
func transportLayout(protocol []byte) []uint8 {
	switch string(protocol) {
	case "tcp", "tcp6":
		return streamLayout[:]
	case "udp", "udp6":
		return datagramLayout[:]
	case "rdma", "rdma6":
		return streamLayout[:BacklogSum+1]
	case "local":
		return streamLayout[Binds:]
	}
	return nil
}

func (s *Stanza) reset() {
	*s = Stanza{
		Age: Absent, Events: s.Events[:0], Transports: s.Transports[:0], Operations: s.Operations[:0],
	}
	for i := range s.Bytes {
		s.Bytes[i] = Absent
	}
}
