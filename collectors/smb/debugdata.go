package smb

// Debug is what a DebugData file says. Its byte slices point into the file.
type Debug struct {
	Servers []Server // newest first, as the kernel lists them
	// ListsInterfaces tells that the kernel shows the interfaces of servers that have told them: the lack of any then
	// means that the server offers no multichannel.
	ListsInterfaces bool
	Cut             bool // the file ends within a word
}

// Server is a connection that the client made for a mount, with what runs over it. Old kernels list connections without
// a session too: the further channels of sessions.
type Server struct {
	Hostname     []byte  // name or address that the mount used
	LeafPath     []byte  // \\domain\root\link of a DFS link that led to this server
	Capabilities Number  // bits that client and server agreed on
	Primary      Channel // the connection itself, first channel of its sessions
	RDMA         bool
	Sessions     []Session

	item Number // number in the list of old kernels
}

// Channel is a connection. Numbers that the kernel does not print are Absent.
type Channel struct {
	ID       Number // ConnectionId: grows with every connection; Absent before Linux 5.12
	Credits  Number // free ones for usual requests
	Dialect  Number
	Status   Number // 0 new, 1 good, 2 exiting, 3 needs to reconnect; others while it is being made
	OnWire   Number // requests in flight
	MarkedAs Mark
}

// Mark is what the kernel writes beside a channel that does not carry its session.
type Mark uint8

// The marks of channels.
const (
	MarkNone Mark = iota
	MarkDisconnected
	MarkReconnecting
)

// Session is a user's session.
type Session struct {
	Address      []byte // of the server; its name in kernels before 5.12
	Status       Number // 1 good
	Capabilities Number
	ID           uint64
	HasID        bool
	User         Number // user whose credentials it has
	Security     []byte
	Encrypted    bool
	Primary      Mark      // of the server's connection, for this session
	Extra        []Channel // the channels beyond the first
	Trees        []Tree
	Interfaces   []Interface // of the server

	HasInterfaces bool // the section is there
	Requests      []Request

	reached section // furthest part of the session that the file has
	whole   bool    // another part followed the requests
}

// Tree is a connected share.
type Tree struct {
	Name         []byte // \\server\share
	ID           Number
	IsIPC        bool
	Encrypted    bool
	Disconnected bool
}

// Interface is a network interface of the server.
type Interface struct {
	Speed     Number // bits per second; Absent if the server does not say
	Address   []byte
	RSS, RDMA bool
	Connected bool // a channel uses it
}

// Request is a request that waits for its answer.
type Request struct {
	Connection Number // ConnectionId; Absent where the kernel does not say, which is the primary channel
	Command    Number
}

// commandNotify is the command that waits for a change by design.
const commandNotify = 15

// section is a part of DebugData; within a session they come in this order, except that old kernels list interfaces last.
type section uint8

const (
	inHeader section = iota
	inServer
	inSession
	inChannels
	inTrees
	inInterfaces
	inRequests
)

func newChannel() Channel {
	return Channel{ID: Absent, Credits: Absent, Dialect: Absent, Status: Absent, OnWire: Absent}
}

// Up tells whether the channel is connected. A connection that is being closed for good is neither up nor down.
func (c *Channel) Up() bool {
	return c.MarkedAs == MarkNone && (c.Status == statusGood || !c.Status.Known())
}

// Down tells whether the channel is disconnected or reconnecting.
func (c *Channel) Down() bool { return !c.Up() && c.Status != statusExiting }

const (
	statusGood    = 1
	statusExiting = 2
)
