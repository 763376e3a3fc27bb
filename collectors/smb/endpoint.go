package smb

import (
	"cmp"
	"slices"
)

// endpoint is a server address with its connections.
type endpoint struct {
	server  string
	servers []*Server    // newest first
	tables  []connection // what Stats counts for its connections; nil where it is not known whose they are
}

// connection is a connection of Stats with its number, which is Absent in old kernels.
type connection struct {
	*Connection
	id Number
}

// capabilityMultichannel is the bit that says that both ends know several channels. A client that was not told to use
// them does not ask for it.
const capabilityMultichannel = 0x8

// state sums up the sessions to an address.
type state struct {
	sessions     int
	channels     int // connected ones of the session that has most
	up, down     int // channels of all sessions, shared connections once
	pending      sum
	credits      Number // of the connected channel with the fewest
	multichannel string // true, false or unknown, as the next two
	serverRSS    string
	encryption   string

	hasInterfaces, hasRSS  bool
	hasCipher, knowsCipher bool
	knowsLack              bool // of interfaces: the lack of a section means that the server offers no multichannel
}

const (
	yes     = "true"
	no      = "false"
	unknown = "unknown"
)

func (e *endpoint) state(listsInterfaces bool) state {
	s := state{credits: Absent, knowsLack: true}
	isOffered := false
	for _, server := range e.servers {
		s.addServer(server)
		for at := range server.Sessions {
			session := &server.Sessions[at]
			s.addSession(server, session)
			isOffered = isOffered || session.HasInterfaces || len(session.Extra) > 0 || offers(server, session)
			// Below 3.0 the two have not spoken of it.
			isOld := server.Primary.dialect() > 0 && server.Primary.dialect() < firstMultichannel
			s.knowsLack = s.knowsLack && !isOld && listsInterfaces && session.reached == inRequests
		}
	}
	s.multichannel = answer(isOffered, s.knowsLack)
	s.serverRSS = answer(s.hasRSS, s.hasInterfaces)
	s.encryption = answer(s.hasCipher, s.knowsCipher)
	return s
}

// firstMultichannel is the dialect 3.0. The capabilities of SMB 1 have the bit for something else.
const firstMultichannel = 0x300

func offers(server *Server, session *Session) bool {
	for _, capabilities := range [...]Number{server.Capabilities, session.Capabilities} {
		if capabilities.Known() && capabilities&capabilityMultichannel != 0 {
			return server.Primary.dialect() >= firstMultichannel
		}
	}
	return false
}

func answer(is, isKnown bool) string {
	switch {
	case is:
		return yes
	case isKnown:
		return no
	}
	return unknown
}

func (s *state) addServer(server *Server) {
	s.sessions += len(server.Sessions)
	primary := server.Primary
	for at := range server.Sessions {
		primary.MarkedAs = max(primary.MarkedAs, server.Sessions[at].Primary)
	}
	s.addChannel(&primary)
	s.pending.Join(server.pending(&primary, true))
	for at := range server.Sessions {
		for extra := range server.Sessions[at].Extra {
			channel := &server.Sessions[at].Extra[extra]
			s.addChannel(channel)
			s.pending.Join(server.pending(channel, false))
		}
	}
}

func (s *state) addChannel(c *Channel) {
	switch {
	case c.Up():
		s.up++
		if c.Credits.Known() {
			s.credits = min(s.credits, c.Credits)
		}
	case c.Down():
		s.down++
	}
}

func (s *state) addSession(server *Server, session *Session) {
	primary := server.Primary
	primary.MarkedAs = session.Primary
	connected := 0
	for _, c := range append([]Channel{primary}, session.Extra...) {
		if c.Up() {
			connected++
		}
	}
	s.channels = max(s.channels, connected)
	s.hasInterfaces = s.hasInterfaces || session.HasInterfaces
	s.hasRSS = s.hasRSS || slices.ContainsFunc(session.Interfaces, func(i Interface) bool { return i.RSS })
	s.knowsCipher = s.knowsCipher || session.HasID
	s.hasCipher = s.hasCipher || session.Encrypted || slices.ContainsFunc(session.Trees, func(t Tree) bool { return t.Encrypted })
}

// pending counts the requests of a channel. The list of requests tells which of them wait for a change by design; every
// session that shares a connection repeats it. Old kernels list those of the primary channel alone: of channels that are
// not in the list, the number in flight counts.
func (s *Server) pending(c *Channel, isPrimary bool) sum {
	isWhole := true
	for at := range s.Sessions {
		session := &s.Sessions[at]
		isWhole = isWhole && session.whole
		listed, waiting := 0, 0
		for _, request := range session.Requests {
			if c.ID.Known() && request.Connection == c.ID || isPrimary && !request.Connection.Known() {
				listed++
				if request.Command != commandNotify {
					waiting++
				}
			}
		}
		if listed > 0 && session.whole {
			return sum{Value: float64(waiting), Known: true}
		}
	}
	if c.OnWire.Known() {
		return sum{Value: float64(c.OnWire), Known: true}
	}
	return sum{Known: isWhole}
}

// dialect is the newest one that a server of the address speaks.
func (e *endpoint) dialect() string {
	if len(e.servers) == 0 {
		return ""
	}
	newest := slices.MaxFunc(e.servers, func(a, b *Server) int {
		return cmp.Compare(a.Primary.dialect(), b.Primary.dialect())
	})
	return dialectName(newest.Primary.Dialect)
}

func (c *Channel) dialect() Number {
	if !c.Dialect.Known() {
		return 0
	}
	return c.Dialect
}
