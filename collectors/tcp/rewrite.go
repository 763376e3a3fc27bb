package tcp

import (
	"encoding/binary"
	"net/netip"
)

// Rewrite returns a copy of a reply for a recording: with every session's addresses replaced, and with nothing but what
// the collector reads. Of a session's attributes only tcp_info is kept, as the kernel shows the keys of TCP signatures
// in another one to those who may see them. Of an error only its number is kept. Messages that are no session of a known
// family go, as their addresses cannot be told. A reply that breaks off does so at the same place.
func Rewrite(reply []byte, replace func(netip.Addr) netip.Addr) []byte {
	var out []byte
	for {
		next, rest, err := cutMessage(reply)
		if err != nil {
			return out
		}
		sequence, port := binary.NativeEndian.Uint32(reply[8:]), binary.NativeEndian.Uint32(reply[12:])
		reply = rest
		var data []byte
		switch next.kind {
		case kindDiag:
			if data = rewriteSession(next.data, replace); data == nil {
				continue
			}
		case kindDone, kindError:
			data = next.data[:min(4, len(next.data))]
		case kindOverrun:
		default:
			continue
		}
		out = appendMessage(out, next.kind, sequence, port, data)
		if next.kind == kindDone {
			return out
		}
	}
}

// rewriteSession returns nil for a message that makes no sense.
func rewriteSession(data []byte, replace func(netip.Addr) netip.Addr) []byte {
	if len(data) < diagSize || !known(Family(data[0])) {
		return nil
	}
	out := append([]byte{}, data[:diagSize]...)
	rewriteAddress(Family(data[0]), out[offsetLocal:][:16], replace)
	rewriteAddress(Family(data[0]), out[offsetRemote:][:16], replace)
	found, _ := findInfo(data[diagSize:])
	if found.data == nil {
		return out
	}
	out = binary.NativeEndian.AppendUint16(out, uint16(attributeHeader+len(found.data)))
	out = binary.NativeEndian.AppendUint16(out, attributeInfo)
	return append(out, found.data...)
}

// rewriteAddress replaces an address in its field. An IPv4 address takes four of the sixteen bytes, the others are
// cleared; one that an IPv6 socket uses stays mapped. The field is cleared if the replacement is of another kind.
func rewriteAddress(family Family, field []byte, replace func(netip.Addr) netip.Addr) {
	address := netip.AddrFrom16([16]byte(field))
	if family == IPv4 {
		address = netip.AddrFrom4([4]byte(field))
	}
	replaced := replace(address.Unmap())
	clear(field)
	switch {
	case !replaced.IsValid() || replaced.Is4() != address.Unmap().Is4():
	case family == IPv4:
		copy(field, replaced.AsSlice())
	default:
		raw := replaced.As16()
		copy(field, raw[:])
	}
}
