package tcp

import (
	"encoding/binary"
	"fmt"
)

// Family is an address family by its Linux number (AF_INET, AF_INET6).
type Family uint8

// The families that have TCP.
const (
	IPv4 Family = 2
	IPv6 Family = 10
)

// String names the family for messages.
func (f Family) String() string {
	switch f {
	case IPv4:
		return "IPv4"
	case IPv6:
		return "IPv6"
	}
	return fmt.Sprintf("family %d", uint8(f))
}

// File is the name under which a bundle's netlink directory holds the family's reply.
func (f Family) File() string {
	if f == IPv6 {
		return "sock_diag_tcp6.bin"
	}
	return "sock_diag_tcp4.bin"
}

func known(f Family) bool { return f == IPv4 || f == IPv6 }

// The request of linux/inet_diag.h: inet_diag_req_v2 and the attribute for a filter.
const (
	requestSize     = 56
	protocolTCP     = 6
	attributeFilter = 1 // INET_DIAG_REQ_BYTECODE
)

// request asks for the established sessions of a family with their tcp_info; an empty filter asks for all of them.
func request(family Family, filter []byte) []byte {
	data := make([]byte, requestSize, requestSize+attributeHeader+len(filter))
	data[0] = uint8(family)
	data[1] = protocolTCP
	data[2] = 1 << (attributeInfo - 1)
	binary.NativeEndian.PutUint32(data[4:], 1<<stateEstablished)
	if len(filter) == 0 {
		return data
	}
	data = binary.NativeEndian.AppendUint16(data, uint16(attributeHeader+len(filter)))
	data = binary.NativeEndian.AppendUint16(data, attributeFilter)
	return append(data, filter...)
}

// The instructions of the kernel's socket filter that are in use. All kernels since 2.6 know them.
const (
	opJump         = 1 // INET_DIAG_BC_JMP
	opRemoteAtMin  = 4 // INET_DIAG_BC_D_GE
	opRemoteAtMost = 5 // INET_DIAG_BC_D_LE

	opSize    = 4
	matchSize = 5 * opSize // two comparisons with an operand each, one jump
)

// maxFilterPorts bounds a filter; more ports are compared here instead.
const maxFilterPorts = 256

// portFilter builds the kernel's filter for sessions whose remote port is one of ports. An instruction names how many
// bytes to go on where it holds and where it does not; the session is taken if that leads exactly to the end, and
// dropped if it leads four bytes beyond. It returns nil for no ports and for too many.
func portFilter(ports []uint16) []byte {
	if len(ports) == 0 || len(ports) > maxFilterPorts {
		return nil
	}
	size := len(ports)*matchSize + opSize
	filter := make([]byte, 0, size)
	for _, port := range ports {
		filter = appendOp(filter, opRemoteAtMin, 2*opSize, matchSize)
		filter = appendOp(filter, 0, 0, port)
		filter = appendOp(filter, opRemoteAtMost, 2*opSize, matchSize-2*opSize)
		filter = appendOp(filter, 0, 0, port)
		filter = appendOp(filter, opJump, opSize, uint16(size-len(filter)))
	}
	return appendOp(filter, opJump, opSize, 2*opSize)
}

func appendOp(filter []byte, code, yes uint8, no uint16) []byte {
	return binary.NativeEndian.AppendUint16(append(filter, code, yes), no)
}
