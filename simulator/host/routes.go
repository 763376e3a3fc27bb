package host

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// The flags of a route (linux/route.h, linux/ipv6_route.h).
const (
	routeUp      = 1 << 0
	routeGateway = 1 << 1
	routeLocal   = 1 << 31 // an IPv6 address of the host itself
)

// routeWidth is the length of every line of proc/net/route without its end.
const routeWidth = 127

// gateway is the router of an interface's network: the first address, or the second where the first is the host's.
func gateway(own netip.Prefix) netip.Addr {
	first := own.Masked().Addr().Next()
	if first == own.Addr() {
		return first.Next()
	}
	return first
}

// routes4 is proc/net/route: the way out over the first interface that has an IPv4 address, and every interface's own
// network.
func (m *Machine) routes4() []byte {
	out := fmt.Appendf(nil, "%-*s\n", routeWidth,
		"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT")
	row := func(name string, network netip.Prefix, via netip.Addr, flags uint32) {
		line := fmt.Sprintf("%s\t%08X\t%08X\t%04X\t0\t0\t0\t%08X\t0\t0\t0", name, number(network.Addr()), number(via), flags, mask(network.Bits()))
		out = fmt.Appendf(out, "%-*s\n", routeWidth, line)
	}
	nowhere := netip.IPv4Unspecified()
	for i, nic := range m.interfaces(netip.Addr.Is4) {
		if i == 0 {
			row(nic.Name, netip.PrefixFrom(nowhere, 0), gateway(nic.Address), routeUp|routeGateway)
		}
		row(nic.Name, nic.Address.Masked(), nowhere, routeUp)
	}
	return out
}

// number is an IPv4 address as the kernel prints it here: the number that its bytes are in the machine's order.
func number(address netip.Addr) uint32 {
	raw := address.As4()
	return binary.NativeEndian.Uint32(raw[:])
}

func mask(bits int) uint32 {
	var raw [4]byte
	binary.BigEndian.PutUint32(raw[:], uint32(uint64(1)<<32-uint64(1)<<(32-bits)))
	return binary.NativeEndian.Uint32(raw[:])
}

// routes6 is proc/net/ipv6_route: every interface's network, its link's own and its own address, the loopback's, and the
// way out over the first interface that has an IPv6 address.
func (m *Machine) routes6() []byte {
	const near, far = 0x100, 0x400 // metrics
	nowhere := netip.IPv6Unspecified()
	var out []byte
	row := func(name string, network netip.Prefix, via netip.Addr, metric, flags uint32) {
		to, hop := network.Addr().As16(), via.As16()
		out = fmt.Appendf(out, "%x %02x %032x 00 %x %08x 00000001 00000000 %08x %8s\n",
			to, network.Bits(), 0, hop, metric, flags, name)
	}
	for i, nic := range m.interfaces(netip.Addr.Is6) {
		row(nic.Name, nic.Address.Masked(), nowhere, near, routeUp)
		row(nic.Name, netip.PrefixFrom(netip.MustParseAddr("fe80::"), 64), nowhere, near, routeUp)
		row(nic.Name, netip.PrefixFrom(nic.Address.Addr(), 128), nowhere, 0, routeUp|routeLocal)
		if i == 0 {
			row(nic.Name, netip.PrefixFrom(nowhere, 0), gateway(nic.Address), far, routeUp|routeGateway)
		}
	}
	row(loopback, netip.PrefixFrom(netip.IPv6Loopback(), 128), nowhere, 0, routeUp|routeLocal)
	return out
}

// interfaces are those with an address of a family.
func (m *Machine) interfaces(family func(netip.Addr) bool) []NIC {
	var found []NIC
	for _, nic := range m.NICs {
		if family(nic.Address.Addr()) {
			found = append(found, nic)
		}
	}
	return found
}
