package host

// perSecond are the units of the kernel's clock, in which commands are timed.
const perSecond = 250

// commands is the number of SMB2 commands.
const commands = 19

// smbRow is one type of operations: a line of each share, and the command that the connections time.
type smbRow struct {
	name    string // as in SMBShare.Operations
	command int
	verb    string // how the line calls the count
}

// smbRows are in the order of a share's lines.
var smbRows = [...]smbRow{
	{"TreeConnects", 3, "total"}, {"TreeDisconnects", 4, "total"}, {"Creates", 5, "total"}, {"Closes", 6, "total"}, {"Flushes", 7, "total"},
	{reads, 8, "total"}, {writes, 9, "total"}, {"Locks", 10, "total"}, {"IOCTLs", 11, "total"}, {"QueryDirectories", 14, "total"},
	{"ChangeNotifies", 15, "total"}, {"QueryInfos", 16, "total"}, {"SetInfos", 17, "total"}, {"OplockBreaks", 18, "sent"},
}

// done is what a share's requests of a type have done, with at least the one connect that every share in use has had.
func (s *SMBShare) done(row *smbRow) SMBOperation {
	o := s.Operations[row.name]
	switch row.name {
	case "TreeConnects":
		o.Count = max(o.Count, 1)
	case reads:
		o.Seconds = s.ReadSeconds
	case writes:
		o.Seconds = s.WriteSeconds
	}
	return o
}

// appendSMBStats writes Stats: the host's counters, then for every connection its table of commands, and behind the
// primary channel's the shares of its session.
func (m *Machine) appendSMBStats(out []byte, connections []smbConnection) []byte {
	shares, sessions, reconnects, inFlight := 0, 0, 0, 0
	for i := range m.SMB {
		server := &m.SMB[i]
		shares += len(server.Shares) + 1 // and the one of the server's services
		sessions += server.Reconnects
		reconnects += server.Reconnects * len(server.Shares)
	}
	for _, c := range connections {
		inFlight += c.InFlight
	}
	out = appendCount(out, "Resources in use\nCIFS Session: ", natural(len(m.SMB)))
	out = appendCount(out, "\nShare (unique mount targets): ", natural(shares))
	out = append(out, "\nSMB Request/Response Buffer: 5 Pool size: 9\nSMB Small Req/Resp Buffer: 4 Pool size: 30\n"...)
	out = append(out, "Total Large 237 Small 50696 Allocations"...)
	out = appendCount(out, "\nOperations (MIDs): ", natural(inFlight))
	out = appendCount(out, "\n\n", natural(sessions))
	out = appendCount(out, " session ", natural(reconnects))
	out = append(out, " share reconnects\nTotal vfs operations: 24959 maximum at one time: 16\n"...)
	item := uint64(0)
	for i := range connections {
		out = connections[i].appendTable(out)
		if connections[i].place > 0 {
			continue
		}
		server := connections[i].server
		for at := len(server.Shares) - 1; at >= 0; at-- {
			item++
			out = appendCount(append(out, '\n'), "", item)
			out = m.appendShare(out, server, &server.Shares[at])
		}
	}
	return append(out, '\n')
}

const tableHead = "\nTotal time spent processing by command. Time units are jiffies (250 per second)\n" +
	"  SMB3 CMD\tNumber\tTotal Time\tFastest\tSlowest\n  --------\t------\t----------\t-------\t-------\n"

// appendTable writes what a connection has counted of each command. The client takes turns among a session's channels,
// so each has its share of the requests.
func (c *smbConnection) appendTable(out []byte) []byte {
	counts, ticks := c.server.commands()
	turns, place := uint64(min(len(c.server.Channels), mostChannels)), uint64(c.place)
	counts[0], counts[1] = turns, 2*turns // negotiate and session setup, of every channel
	for i := range counts {
		counts[i], ticks[i] = (counts[i]+turns-1-place)/turns, (ticks[i]+turns-1-place)/turns
	}
	out = appendCount(out, "\nMax requests in flight: ", natural(max(c.InFlight, c.MaxInFlight)))
	out = append(out, tableHead...)
	for command := range counts {
		out = appendCount(out, "  ", natural(command))
		out = appendCount(out, "\t\t", counts[command])
		out = appendCount(out, "\t", ticks[command])
		mean := uint64(0)
		if counts[command] > 0 {
			mean = ticks[command] / counts[command]
		}
		out = appendCount(out, "\t\t", mean)
		out = appendCount(out, "\t", 2*mean)
		out = append(out, '\n')
	}
	return out
}

// commands sums the requests of all shares by command, and their time in the clock's units.
func (s *SMBServer) commands() (counts, ticks [commands]uint64) {
	for i := range s.Shares {
		for row := range smbRows {
			command := smbRows[row].command
			done := s.Shares[i].done(&smbRows[row])
			counts[command] += whole(done.Count)
			ticks[command] += whole(done.Seconds * perSecond)
		}
	}
	return counts, ticks
}

func (m *Machine) appendShare(out []byte, server *SMBServer, share *SMBShare) []byte {
	out = append(append(out, ") "...), server.path(share.Name)...)
	if server.isDown() {
		out = append(out, "\tDISCONNECTED "...)
	}
	requests := uint64(0)
	for row := range smbRows {
		requests += whole(share.done(&smbRows[row]).Count)
	}
	out = appendCount(out, "\nSMBs: ", requests)
	out = append(out, " since "...)
	out = m.Boot.UTC().AppendFormat(out, "2006-01-02 15:04:05")
	out = appendCount(out, " UTC\nBytes read: ", whole(share.Read))
	out = appendCount(out, "  Bytes written: ", whole(share.Written))
	open := natural(share.handles())
	out = appendCount(out, "\nOpen files: ", open)
	out = appendCount(out, " total (local), ", open)
	out = append(out, " open on server"...)
	for row := range smbRows {
		done := share.done(&smbRows[row])
		out = append(append(append(out, '\n'), smbRows[row].name...), ": "...)
		out = appendCount(out, "", whole(done.Count))
		out = append(append(append(out, ' '), smbRows[row].verb...), ' ')
		out = appendCount(out, "", whole(done.Failed))
		out = append(out, " failed"...)
	}
	return out
}
