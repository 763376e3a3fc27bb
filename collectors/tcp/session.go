package tcp

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"
)

// The parts of an inet_diag_msg and its attributes (linux/inet_diag.h).
const (
	diagSize        = 72
	offsetState     = 1
	offsetPorts     = 4 // local, remote; big endian
	offsetLocal     = 8
	offsetRemote    = 24
	offsetInterface = 40
	offsetCookie    = 44

	stateEstablished = 1

	messageSize = 336 // of a usual session with 232 bytes of tcp_info, to size the result

	attributeHeader = 4
	attributeMask   = 1<<14 - 1 // without the flags for nested and byte order
	attributeInfo   = 2         // INET_DIAG_INFO
)

// session is an established TCP session.
type session struct {
	local, remote netip.AddrPort
	cookie        uint64 // the kernel's identity of the socket; 0 where it is not known
	info          info   // knows nothing where the kernel sent none
	protocol      string // what the remote port stands for; parse leaves it empty
}

// parse reads a whole reply and keeps the established sessions whose remote port is wanted. It returns the sessions
// found before an error, and the number of messages that made no sense.
func parse(reply []byte, wanted func(port uint16) bool) (sessions []session, odd int, err error) {
	sessions = make([]session, 0, len(reply)/messageSize)
	for {
		var next message
		if next, reply, err = cutMessage(reply); err != nil {
			return sessions, odd, err
		}
		switch next.kind {
		case kindDone:
			return sessions, odd, status(next.data)
		case kindError:
			if err := status(next.data); err != nil {
				return sessions, odd, err
			}
		case kindOverrun:
			return sessions, odd, fmt.Errorf("%w: kernel lost messages", errIncomplete)
		case kindDiag:
			found, matches, sound := parseSession(next.data, wanted)
			if matches {
				sessions = append(sessions, found)
			}
			if !sound {
				odd++
			}
		default:
			odd++
		}
	}
}

// parseSession reads an inet_diag_msg with its attributes. matches says that it is an established session to a wanted
// port; sound is false where a part of the message made no sense.
func parseSession(data []byte, wanted func(port uint16) bool) (found session, matches, sound bool) {
	if len(data) < diagSize || !known(Family(data[0])) {
		return session{}, false, false
	}
	remotePort := binary.BigEndian.Uint16(data[offsetPorts+2:])
	if data[offsetState] != stateEstablished || !wanted(remotePort) {
		return session{}, false, true
	}
	found = session{
		local:  netip.AddrPortFrom(address(data, offsetLocal), binary.BigEndian.Uint16(data[offsetPorts:])),
		remote: netip.AddrPortFrom(address(data, offsetRemote), remotePort),
		cookie: binary.NativeEndian.Uint64(data[offsetCookie:]),
	}
	found.info, sound = findInfo(data[diagSize:])
	return found, true, sound
}

// address reads one end's address. An IPv4 address that an IPv6 socket uses is shown as IPv4. Only a link-local
// address needs its interface to be told from others; it is shown by number, as addr= of an NFS mount shows it.
func address(data []byte, offset int) netip.Addr {
	if Family(data[0]) == IPv4 {
		return netip.AddrFrom4([4]byte(data[offset:]))
	}
	ip := netip.AddrFrom16([16]byte(data[offset:])).Unmap()
	number := binary.NativeEndian.Uint32(data[offsetInterface:])
	if ip.Is6() && ip.IsLinkLocalUnicast() && number != 0 {
		return ip.WithZone(strconv.FormatUint(uint64(number), 10))
	}
	return ip
}

// findInfo looks for tcp_info among the attributes. sound is false where an attribute's length cannot be right.
func findInfo(attributes []byte) (found info, sound bool) {
	for len(attributes) >= attributeHeader {
		size := int(binary.NativeEndian.Uint16(attributes))
		if size < attributeHeader || size > len(attributes) {
			return info{}, false
		}
		if binary.NativeEndian.Uint16(attributes[2:])&attributeMask == attributeInfo {
			return info{data: attributes[attributeHeader:size]}, true
		}
		attributes = attributes[min(align(size), len(attributes)):]
	}
	return info{}, true
}
