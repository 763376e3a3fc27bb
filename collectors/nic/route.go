package nic

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"
)

// The flags of a route (linux/route.h, linux/ipv6_route.h).
const (
	flagUp     = 1 << 0
	flagReject = 1 << 9
	flagLocal  = 1 << 31 // IPv6: an address of this host itself
)

// route is one row of the main routing table.
type route struct {
	prefix   netip.Prefix
	metric   uint64
	name     string // of the interface
	rejected bool   // packets are dropped (unreachable, blackhole)
	local    bool   // the address is this host's own
}

// lookup finds the row that packets to an address follow: the longest prefix, then the lowest metric.
func lookup(routes []route, address netip.Addr) (best route, ok bool) {
	address = address.WithZone("")
	for _, candidate := range routes {
		if !candidate.prefix.Contains(address) {
			continue
		}
		longer := candidate.prefix.Bits() - best.prefix.Bits()
		if !ok || longer > 0 || longer == 0 && candidate.metric < best.metric {
			best, ok = candidate, true
		}
	}
	return best, ok
}

// parseRoutes4 reads /proc/net/route: Iface Destination Gateway Flags RefCnt Use Metric Mask ... behind a header. Rows
// that make no sense are counted.
func parseRoutes4(data []byte) ([]route, int) {
	return parseRoutes(data, readRoute4)
}

// parseRoutes6 reads /proc/net/ipv6_route: destination, prefix length, source, prefix length, next hop, metric,
// references, use, flags, interface; numbers in hexadecimal, no header.
func parseRoutes6(data []byte) ([]route, int) {
	return parseRoutes(data, readRoute6)
}

// parseRoutes reads rows that are up.
func parseRoutes(data []byte, read func(fields []string) (found route, up, ok bool)) (routes []route, odd int) {
	for line := range bytes.Lines(data) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || fields[0] == "Iface" {
			continue
		}
		found, up, ok := read(fields)
		switch {
		case !ok:
			odd++
		case up:
			routes = append(routes, found)
		}
	}
	return routes, odd
}

func readRoute4(fields []string) (found route, up, ok bool) {
	if len(fields) < 8 {
		return route{}, false, false
	}
	destination, badDestination := address4(fields[1])
	mask, badMask := address4(fields[7])
	flags, badFlags := strconv.ParseUint(fields[3], 16, 32)
	metric, badMetric := strconv.ParseUint(fields[6], 10, 32)
	ones := bits.LeadingZeros32(^binary.BigEndian.Uint32(mask[:]))
	if badDestination != nil || badMask != nil || badFlags != nil || badMetric != nil {
		return route{}, false, false
	}
	return route{
		prefix: netip.PrefixFrom(netip.AddrFrom4(destination), ones), metric: metric, name: fields[0],
		rejected: flags&flagReject != 0,
	}, flags&flagUp != 0, true
}

// address4 reads an address that the kernel printed as a number in the host's byte order.
func address4(text string) (address [4]byte, err error) {
	number, err := strconv.ParseUint(text, 16, 32)
	binary.NativeEndian.PutUint32(address[:], uint32(number))
	return address, err
}

func readRoute6(fields []string) (found route, up, ok bool) {
	if len(fields) < 10 || len(fields[0]) != 32 {
		return route{}, false, false
	}
	destination, badDestination := hex.DecodeString(fields[0])
	length, badLength := strconv.ParseUint(fields[1], 16, 8)
	metric, badMetric := strconv.ParseUint(fields[5], 16, 32)
	flags, badFlags := strconv.ParseUint(fields[8], 16, 32)
	if badDestination != nil || badLength != nil || badMetric != nil || badFlags != nil || length > 128 {
		return route{}, false, false
	}
	return route{
		prefix: netip.PrefixFrom(netip.AddrFrom16([16]byte(destination)), int(length)), metric: metric, name: fields[9],
		rejected: flags&flagReject != 0, local: flags&flagLocal != 0,
	}, flags&flagUp != 0, true
}
