package host

import (
	"strconv"
	"strings"
)

const debugHead = "Display Internal CIFS Data Structures for Debugging\n" +
	"---------------------------------------------------\n" +
	"CIFS Version 2.51\n" +
	"Features: DFS,FSCACHE,STATS2,DEBUG,ALLOW_INSECURE_LEGACY,CIFS_POSIX,UPCALL(SPNEGO),XATTR,ACL\n" +
	"CIFSMaxBufSize: 16384\nActive VFS Requests: "

// appendDebugData writes DebugData as Linux 6.12 does: servers newest first, each with its session, the channels of that
// beyond the first, shares, interfaces of the server, and requests without an answer.
func appendDebugData(out []byte, connections []smbConnection) []byte {
	inFlight := 0
	for _, c := range connections {
		inFlight += c.InFlight
	}
	out = appendCount(append(out, debugHead...), "", natural(inFlight))
	out = append(out, "\n\nServers: "...)
	item := uint64(0)
	for i := 0; i < len(connections); {
		size := min(len(connections[i].server.Channels), mostChannels)
		channels := connections[i : i+size] // the primary channel is the oldest and so the last
		item++
		out = appendCount(append(out, '\n'), "", item)
		out = appendServer(out, channels)
		i += size
	}
	return append(out, '\n')
}

func appendServer(out []byte, channels []smbConnection) []byte {
	last := len(channels) - 1
	primary := &channels[last]
	s := primary.server
	out = appendHex(out, ") ConnectionId: ", uint64(primary.id))
	out = append(append(out, " Hostname: "...), s.host()...)
	out = append(append(out, " \nClientGUID: "...), clientGUID(s)...)
	out = append(out, '\n')
	out = primary.appendState(out, "")
	out = appendHex(out, "\nServer capabilities: ", s.capabilities())
	out = primary.appendStatus(out, "", natural(len(channels)))
	out = append(out, " Net namespace: 4026531840 \nIn Send: 0 In MaxReq Wait: 0\nCompression: no built-in support\n\n"...)
	out = append(append(out, "\tSessions: \n\t1) Address: "...), s.Address.String()...)
	out = appendCount(out, " Uses: ", natural(len(s.Shares)))
	out = appendHex(out, " Capability: ", s.capabilities())
	out = appendCount(out, "\tSession Status: ", s.status())
	out = appendHex(out, " \n\tSecurity type: RawNTLMSSP  SessionId: ", s.sessionID())
	if s.Encrypted {
		out = append(out, " encrypted"...)
	}
	out = append(out, "\n\tUser: 0 Cred User: 0"...)
	if primary.Closed {
		out = append(out, "\tPrimary channel: DISCONNECTED "...)
	}
	if last > 0 {
		out = appendCount(out, "\n\n\tExtra Channels: ", natural(last))
		out = append(out, ' ')
	}
	for i := last - 1; i >= 0; i-- {
		out = channels[i].appendExtra(out)
	}
	out = s.appendTrees(append(out, "\n\n\tShares: "...))
	out = s.appendInterfaces(out)
	out = append(out, "\n\n\tMIDs: "...)
	for i := last; i >= 0; i-- {
		out = channels[i].appendRequests(out)
	}
	return append(out, "\n--\n"...)
}

// clientGUID is the client's name for itself, made up for each server.
func clientGUID(s *SMBServer) string {
	text := strings.ToUpper(strconv.FormatUint(1<<60|handle("guid", s.host())<<16, 16))
	return text[:8] + "-" + text[8:12] + "-C54E-AC8B-" + text[4:]
}

// The states of connections, sessions and shares.
const (
	statusGood      = 1
	statusReconnect = 3
)

func (s *SMBServer) status() uint64 {
	if s.isDown() {
		return statusReconnect
	}
	return statusGood
}

// The capabilities that servers have, and the one that says that both ends know several channels.
const (
	usualCapabilities      = 0x300047
	capabilityMultichannel = 0x8
)

func (s *SMBServer) capabilities() uint64 {
	if s.Multichannel && s.isOffered() {
		return usualCapabilities | capabilityMultichannel
	}
	return usualCapabilities
}

// dialects are the numbers of the dialects that the client speaks.
var dialects = map[string]uint64{"2.0": 0x202, "2.0.2": 0x202, "2.1": 0x210, "3.0": 0x300, "3.0.2": 0x302, "3.1.1": 0x311}

func (c *smbConnection) appendState(out []byte, indent string) []byte {
	out = appendCount(append(out, indent...), "Number of credits: ", natural(c.Credits))
	return appendHex(out, ",1,1 Dialect ", dialects[c.server.Dialect])
}

func (c *smbConnection) appendStatus(out []byte, indent string, users uint64) []byte {
	status := uint64(statusGood)
	if c.Closed {
		status = statusReconnect
	}
	out = append(append(out, '\n'), indent...)
	out = appendCount(out, "TCP status: ", status)
	out = append(append(out, " Instance: 1\n"...), indent...)
	out = appendCount(out, "Local Users To Server: ", users)
	return appendCount(out, " SecMode: 0x1 Req On Wire: ", natural(c.InFlight))
}

func (c *smbConnection) appendExtra(out []byte) []byte {
	out = appendCount(out, "\n\n\t\tChannel: ", natural(c.place+1))
	out = appendHex(out, " ConnectionId: ", uint64(c.id))
	out = c.appendState(append(out, '\n'), "\t\t")
	out = c.appendStatus(out, "\t\t", 1)
	out = append(out, "\n\t\tIn Send: 0 In MaxReq Wait: 0 Net namespace: 4026531840 "...)
	if c.Closed {
		out = append(out, "\tDISCONNECTED "...)
	}
	return out
}

// appendTrees writes the shares, newest first, behind the one of the server's services.
func (s *SMBServer) appendTrees(out []byte) []byte {
	tail := "\n"
	if s.isDown() {
		tail = "\tDISCONNECTED \n"
	}
	encrypted := ""
	if s.Encrypted {
		encrypted = " encrypted"
	}
	out = append(append(out, "\n\t0) IPC: "...), s.path("IPC$")...)
	out = appendCount(out, " Mounts: 1 DevInfo: 0x0 Attributes: 0x0\n\tPathComponentMax: 0 Status: ", s.status())
	out = append(append(out, " type: 0 Serial Number: 0x0"...), encrypted...)
	out = appendHex(out, "\n\tShare Capabilities: None\tShare Flags: 0x0\n\ttid: ", s.treeID("IPC$"))
	out = append(append(out, "\tMaximal Access: 0x1f00a9"...), tail...)
	for i := len(s.Shares) - 1; i >= 0; i-- {
		name := s.Shares[i].Name
		out = appendCount(out, "\n\t", natural(len(s.Shares)-i))
		out = append(append(out, ") "...), s.path(name)...)
		out = appendCount(out, " Mounts: 1 DevInfo: 0x20 Attributes: 0x1006f\n\tPathComponentMax: 255 Status: ", s.status())
		out = appendHex(out, " type: DISK Serial Number: ", handle("volume", name))
		out = append(out, encrypted...)
		out = appendHex(out, "\n\tShare Capabilities: None Aligned, Partition Aligned,\tShare Flags: 0x0\n\ttid: ", s.treeID(name))
		out = append(append(out, "\tOptimal sector size: 0x200\tMaximal Access: 0x1f01ff"...), tail...)
	}
	return out
}

// appendInterfaces writes the interfaces that the server offers, with how many channels lead to each.
func (s *SMBServer) appendInterfaces(out []byte) []byte {
	if len(s.ServerInterfaces) == 0 {
		return out
	}
	out = appendCount(out, "\n\n\tServer interfaces: ", natural(len(s.ServerInterfaces)))
	out = append(out, "\tLast updated: 19 seconds ago"...)
	for i, offered := range s.ServerInterfaces {
		channels := uint64(0)
		for _, c := range s.Channels {
			if c.Remote.Addr() == offered.Address {
				channels++
			}
		}
		out = appendCount(out, "\n\t", natural(i+1))
		out = append(out, offered.lines()...)
		out = appendCount(out, "\n\t\tWeight (cur,total): (1,1)\n\t\tAllocated channels: ", channels)
		if channels > 0 {
			out = append(out, "\n\t\t[CONNECTED]"...)
		}
		out = append(out, '\n')
	}
	return out
}

func (i SMBInterface) lines() string {
	speed, capabilities, family := "Unknown", "None", "IPv4: "
	switch {
	case i.SpeedMbit > 0 && i.SpeedMbit%1000 == 0:
		speed = strconv.Itoa(i.SpeedMbit/1000) + "Gbps"
	case i.SpeedMbit > 0:
		speed = strconv.Itoa(i.SpeedMbit) + "Mbps"
	}
	if i.RSS {
		capabilities = "rss "
	}
	if i.Address.Is6() {
		family = "IPv6: "
	}
	return ")\tSpeed: " + speed + "\n\t\tCapabilities: " + capabilities + "\n\t\t" + family + i.Address.StringExpanded()
}

// appendRequests lists the requests in flight of a channel: reads, or writes where the session has only those.
func (c *smbConnection) appendRequests(out []byte) []byte {
	if c.InFlight <= 0 {
		return out
	}
	const read, write = 8, 9
	command, pid, first := uint64(read), uint64(2020), uint64(500)
	if counts, _ := c.server.commands(); counts[read] == 0 && counts[write] > 0 {
		command = write
	}
	out = appendHex(out, "\n\tServer ConnectionId: ", uint64(c.id))
	for nth := range uint64(c.InFlight) {
		out = appendCount(out, "\n\t\tState: 2 com: ", command)
		out = appendCount(out, " pid: ", pid+nth)
		out = append(out, " cbdata: 00000000ceb7afa9"...)
		out = appendCount(out, " mid ", first+nth)
	}
	return out
}
