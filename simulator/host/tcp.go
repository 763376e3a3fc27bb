package host

import (
	"encoding/binary"
	"hash/fnv"
	"iter"
	"net/netip"
	"slices"
	"strconv"
)

// The parts of netlink and of socket diagnosis (linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h).
const (
	netlinkDone  = 3  // NLMSG_DONE
	netlinkDiag  = 20 // SOCK_DIAG_BY_FAMILY
	netlinkMulti = 2  // NLM_F_MULTI

	netlinkHeader = 16

	familyIPv4 = 2
	familyIPv6 = 10

	stateEstablished = 1
	timerOn          = 1 // a segment is sent again when it ends
)

// The attributes of a session, in the kernel's order.
const (
	attributeShutdown   = 8
	attributeTOS        = 5
	attributeTClass     = 6  // of IPv6
	attributeV6Only     = 11 // of IPv6
	attributeMark       = 15
	attributeClass      = 17
	attributeCgroup     = 21
	attributeOptions    = 22
	attributeMemory     = 1
	attributeSockMemory = 7
	attributeInfo       = 2
	attributeCongestion = 4
)

// connection is a TCP session, and which one between the same two ports it is.
type connection struct {
	*TCP
	number int
}

// connections are the sessions that are up.
func (m *Machine) connections() iter.Seq[connection] {
	return func(yield func(connection) bool) {
		more := true
		give := func(session *TCP, number int) {
			if more && !session.Closed {
				more = yield(connection{session, number})
			}
		}
		for i := range m.NFS {
			for j := range m.NFS[i].Transports {
				give(&m.NFS[i].Transports[j].TCP, m.NFS[i].Transports[j].Connects)
			}
		}
		for i := range m.SMB {
			for j := range m.SMB[i].Channels {
				give(&m.SMB[i].Channels[j].TCP, m.SMB[i].Reconnects)
			}
		}
		for i := range m.ISCSI {
			for j := range m.ISCSI[i].Sessions {
				give(&m.ISCSI[i].Sessions[j].TCP, 0)
			}
		}
	}
}

// tcpFiles adds the kernel's replies about the established sessions of both families.
func (m *Machine) tcpFiles(t *tree) {
	var replies [2][]byte
	for c := range m.connections() {
		family := 0
		if c.Remote.Addr().Is6() {
			family = 1
		}
		replies[family] = appendMessage(replies[family], netlinkDiag, m.session(c))
	}
	for family, name := range [...]string{"sock_diag_tcp4.bin", "sock_diag_tcp6.bin"} {
		t.file(netlinkDir+"/"+name, appendMessage(replies[family], netlinkDone, make([]byte, 4)))
	}
}

func appendMessage(out []byte, kind uint16, data []byte) []byte {
	const sequence, port = 1, 241 // as the asker chooses them
	out = binary.NativeEndian.AppendUint32(out, uint32(netlinkHeader+len(data)))
	out = binary.NativeEndian.AppendUint16(out, kind)
	out = binary.NativeEndian.AppendUint16(out, netlinkMulti)
	out = binary.NativeEndian.AppendUint32(out, sequence)
	out = binary.NativeEndian.AppendUint32(out, port)
	return pad(append(out, data...))
}

func pad(out []byte) []byte {
	for len(out)%4 != 0 {
		out = append(out, 0)
	}
	return out
}

func appendAttribute(out []byte, kind uint16, data []byte) []byte {
	const header = 4
	out = binary.NativeEndian.AppendUint16(out, uint16(header+len(data)))
	out = binary.NativeEndian.AppendUint16(out, kind)
	return pad(append(out, data...))
}

// words lays numbers of four bytes out one behind the other.
func words(values ...uint32) []byte {
	out := make([]byte, 0, 4*len(values))
	for _, value := range values {
		out = binary.NativeEndian.AppendUint32(out, value)
	}
	return out
}

const (
	receiveBuffer = 6 << 20 // bytes that a socket may grow to
	sendBuffer    = 4 << 20
)

// session is the message about one session: inet_diag_msg and attributes.
func (m *Machine) session(c connection) []byte {
	const buffers, blank = 0, 0 // memory in use and drops, which the machine does not have
	is6 := c.Remote.Addr().Is6()
	out := m.diagnosis(c, is6)
	out = appendAttribute(out, attributeShutdown, []byte{blank})
	out = appendAttribute(out, attributeTOS, []byte{blank})
	if is6 {
		out = appendAttribute(out, attributeTClass, []byte{blank})
		out = appendAttribute(out, attributeV6Only, []byte{blank})
	}
	out = appendAttribute(out, attributeMark, words(blank))
	out = appendAttribute(out, attributeClass, words(blank))
	out = appendAttribute(out, attributeCgroup, words(1, 0))
	out = appendAttribute(out, attributeOptions, []byte{0x52, 0})
	out = appendAttribute(out, attributeMemory, words(buffers, c.SendQueue, buffers, c.SendQueue))
	out = appendAttribute(out, attributeSockMemory,
		words(buffers, receiveBuffer, c.SendQueue, sendBuffer, buffers, c.SendQueue, blank, blank, blank))
	out = appendAttribute(out, attributeInfo, c.info())
	return appendAttribute(out, attributeCongestion, []byte("cubic\x00"))
}

// diagnosis is an inet_diag_msg.
func (m *Machine) diagnosis(c connection, is6 bool) []byte {
	const size = 72
	out := make([]byte, 0, size)
	family, timer, expires := byte(familyIPv4), byte(0), uint32(0)
	if is6 {
		family = familyIPv6
	}
	if c.SendQueue > c.NotSent {
		timer, expires = timerOn, c.timeout()/1000
	}
	out = append(out, family, stateEstablished, timer, 0)
	out = binary.BigEndian.AppendUint16(out, c.Local.Port())
	out = binary.BigEndian.AppendUint16(out, c.Remote.Port())
	for _, end := range []netip.Addr{c.Local.Addr(), c.Remote.Addr()} {
		var raw [16]byte
		copy(raw[:], end.AsSlice())
		out = append(out, raw[:]...)
	}
	out = append(out, words(m.zone(c.Remote.Addr()))...)
	cookie := c.cookie()
	out = binary.NativeEndian.AppendUint64(out, cookie)
	return append(out, words(expires, 0, c.SendQueue, 0, uint32(cookie))...)
}

// cookie identifies the socket. A session that is made again between the same ports is another socket.
func (c connection) cookie() uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(c.Local.String() + " " + c.Remote.String() + " " + strconv.Itoa(c.number))) // never fails
	return hash.Sum64()
}

// zone is the number of the interface that a link-local address belongs to, 0 for other addresses.
func (m *Machine) zone(address netip.Addr) uint32 {
	zone := address.Zone()
	if number, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(number)
	}
	if place := slices.IndexFunc(m.NICs, func(n NIC) bool { return n.Name == zone }); place >= 0 {
		return uint32(interfaceNumber(place))
	}
	return 0
}
