package tcp

import (
	"context"
	"encoding/binary"
	"net/netip"
	"testing/fstest"
)

// socket describes a message of socket diagnosis that a test builds.
type socket struct {
	family        Family
	state         uint8
	local, remote string // address:port
	number        uint32 // interface
	cookie        uint64
	info          []byte // tcp_info, nil for none
}

// established is a session from 192.0.2.1 with a full tcp_info.
func established(localPort, remote string, cookie uint64) socket {
	return socket{
		family: IPv4, state: stateEstablished, local: "192.0.2.1:" + localPort, remote: remote,
		cookie: cookie, info: tcpInfo(232, nil),
	}
}

// tcpInfo makes a structure of a size with some fields set. Like the kernel's, its unset min_rtt is unknown.
func tcpInfo(size int, values map[field]uint64) []byte {
	data := make([]byte, max(size, 280))
	binary.NativeEndian.PutUint32(data[fieldMinRTT.offset:], unknownRTT)
	for at, value := range values {
		if at.size == 4 {
			binary.NativeEndian.PutUint32(data[at.offset:], uint32(value))
		} else {
			binary.NativeEndian.PutUint64(data[at.offset:], value)
		}
	}
	return data[:size]
}

// data lays the message out as the kernel does, with another attribute before tcp_info.
func (s socket) data() []byte {
	data := make([]byte, diagSize)
	data[0], data[offsetState] = uint8(s.family), s.state
	local, remote := netip.MustParseAddrPort(s.local), netip.MustParseAddrPort(s.remote)
	binary.BigEndian.PutUint16(data[offsetPorts:], local.Port())
	binary.BigEndian.PutUint16(data[offsetPorts+2:], remote.Port())
	if s.family == IPv4 {
		copy(data[offsetLocal:], local.Addr().AsSlice())
		copy(data[offsetRemote:], remote.Addr().AsSlice())
	} else {
		from, to := local.Addr().As16(), remote.Addr().As16()
		copy(data[offsetLocal:], from[:])
		copy(data[offsetRemote:], to[:])
	}
	binary.NativeEndian.PutUint32(data[offsetInterface:], s.number)
	binary.NativeEndian.PutUint64(data[offsetCookie:], s.cookie)
	data = appendAttribute(data, 8, []byte{0})
	if s.info != nil {
		data = appendAttribute(data, attributeInfo, s.info)
	}
	return data
}

func appendAttribute(data []byte, kind uint16, value []byte) []byte {
	data = binary.NativeEndian.AppendUint16(data, uint16(attributeHeader+len(value)))
	data = binary.NativeEndian.AppendUint16(data, kind)
	data = append(data, value...)
	return append(data, make([]byte, align(len(value))-len(value))...)
}

// reply concatenates the messages of sockets and ends them.
func reply(sockets ...socket) []byte {
	var messages []byte
	for _, s := range sockets {
		messages = appendMessage(messages, kindDiag, 1, 2, s.data())
	}
	return appendDone(messages, 1, 2)
}

// bundle holds replies as a recorded netlink directory does.
func bundle(tcp4, tcp6 []byte) fstest.MapFS {
	files := fstest.MapFS{IPv4.File(): &fstest.MapFile{Data: tcp4}}
	if tcp6 != nil {
		files[IPv6.File()] = &fstest.MapFile{Data: tcp6}
	}
	return files
}

// serve gives a fixed IPv4 reply and no IPv6 sessions.
func serve(tcp4 []byte) dumper {
	return func(_ context.Context, family Family, _ []uint16) ([]byte, error) {
		if family == IPv6 {
			return reply(), nil
		}
		return tcp4, nil
	}
}

func anyPort(uint16) bool { return true }
