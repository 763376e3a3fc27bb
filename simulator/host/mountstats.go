package host

import (
	"strconv"
	"strings"
)

// events are the counts of the events line, none of which the machine has.
var events = "\tevents:\t" + strings.Repeat("0 ", 27) + "\n"

// stats are the lines of mountstats behind the mount's first.
func (s *NFSServer) stats(mount *NFSMount) []byte {
	out := make([]byte, 0, 8<<10)
	out = append(out, "\topts:\t"...)
	out = append(out, s.options(mount, true)...)
	out = append(out, "\n\tage:\t"...)
	out = strconv.AppendUint(out, whole(mount.Age.Truncate(1e9).Seconds()), 10)
	out = append(out, '\n')
	out = s.appendAbilities(out, mount)
	out = append(out, noSecurity...)
	out = append(out, events...)
	out = s.appendBytes(out, mount)
	program := "3"
	if s.isV4() {
		program = "4"
	}
	out = append(out, "\tRPC iostats version: 1.1  p/v: 100003/"+program+" (nfs)\n"...)
	for i := range s.Transports {
		out = s.appendTransport(out, &s.Transports[i])
	}
	return s.appendOperations(out, mount)
}

// appendAbilities adds what the server has told of itself, as one of Linux does.
func (s *NFSServer) appendAbilities(out []byte, mount *NFSMount) []byte {
	size := strconv.Itoa(mount.ReadSize)
	if !s.isV4() {
		return append(out, "\tcaps:\tcaps=0xf,wtmult=4096,dtsize="+size+",bsize=0,namlen=255\n"...)
	}
	sessions := ""
	if s.hasSession() {
		out = append(out, "\timpl_id:\tname='',domain='',date='0,0'\n"...)
		sessions = ",sessions,pnfs=not configured"
	}
	out = append(out, "\tcaps:\tcaps=0xc003c83f,wtmult=512,dtsize="+size+",bsize=0,namlen=255\n"...)
	return append(out, "\tnfsv4:\tbm0=0xfdffbfff,bm1=0x40fdbe3e,bm2=0x803,acl=0x3"+sessions+",lease_time=90,lease_expired=0\n"...)
}

// headers are the bytes of an operation beside its data, with AUTH_UNIX, as Linux measures them.
type headers struct{ readReply, writeRequest float64 }

func (s *NFSServer) headers() headers {
	if s.isV4() {
		return headers{readReply: 104, writeRequest: 208}
	}
	return headers{readReply: 128, writeRequest: 120}
}

// moved are the bytes of data that a mount has read from and written to the server.
func (s *NFSServer) moved(mount *NFSMount) (read, written uint64) {
	size := s.headers()
	reads, writes := mount.Operations["READ"], mount.Operations["WRITE"]
	return whole(reads.ReceivedBytes - reads.Count*size.readReply), whole(writes.SentBytes - writes.Count*size.writeRequest)
}

// appendBytes adds the bytes line: read and written by programs, both again without the page cache, read from and
// written to the server, and pages of both. All that the server saw was asked for by programs.
func (s *NFSServer) appendBytes(out []byte, mount *NFSMount) []byte {
	const page = 4096
	read, written := s.moved(mount)
	out = append(out, "\tbytes:\t"...)
	out = strconv.AppendUint(out, read, 10)
	out = appendCounts(out, written, 0, 0, read, written, read/page, written/page)
	return append(out, " \n"...)
}

// appendTransport adds an xprt line. Versions with a session do not keep the source port.
func (s *NFSServer) appendTransport(out []byte, x *NFSTransport) []byte {
	var port, binds uint64
	if !s.isV4() {
		binds = 1 // rpcbind was asked for the port
	}
	if !s.hasSession() && !x.Closed {
		port = uint64(x.Local.Port())
	}
	sends, inFlight := whole(x.Sends), whole(x.InFlightSum)
	out = append(out, "\txprt:\ttcp"...)
	// A request that is being sent is in flight and does not wait for a reply yet.
	pending := inFlight - min(sends, inFlight)
	out = appendCounts(out, port, binds, uint64(max(x.Connects, 0)), 0, whole(x.Idle), sends, whole(x.Receives), whole(x.BadXIDs),
		inFlight, whole(x.BacklogSum), uint64(max(x.MaxSlots, 0)), whole(x.SendingSum), pending)
	return append(out, '\n')
}
