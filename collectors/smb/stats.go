package smb

// Stats is what a Stats file says. Its byte slices point into the file.
type Stats struct {
	SessionReconnects Number // of the client, over all servers
	ShareReconnects   Number
	// Connections are those that the file tells of, newest first: from Linux 4.20 on all of them, further channels of
	// sessions included; none in older kernels.
	Connections []Connection
	Shares      []Share
}

// Connection is what Stats counts for one connection to a server.
type Connection struct {
	MaxInFlight Number // most requests ever in flight
	Hertz       Number // units of the commands' times in a second
	HasCommands bool   // the kernel keeps command times
	Commands    [commands]Command
	FirstShare  int // the shares of the connection's sessions are those from FirstShare on
	EndShare    int // before this one
}

// Command is a row of the table of commands.
type Command struct {
	Count Number // completed
	Time  Number // that they took, in units of the kernel's clock
}

// Share is what Stats counts for one connected share. What its format does not have is Absent or unknown.
type Share struct {
	Name         []byte // \\server\share
	Disconnected bool
	Requests     Number
	ReadBytes    Number
	WriteBytes   Number
	OpenFiles    Number // handles that are open here
	Operations   [classes]sum
	Errors       [classes]sum

	server string // label of the server, once it is known
}

func newShare(name []byte) Share {
	return Share{Name: name, Requests: Absent, ReadBytes: Absent, WriteBytes: Absent, OpenFiles: Absent}
}

func newConnection(firstShare int) Connection {
	c := Connection{MaxInFlight: Absent, Hertz: Absent, FirstShare: firstShare, EndShare: firstShare}
	for i := range c.Commands {
		c.Commands[i] = Command{Absent, Absent}
	}
	return c
}
