package bundle

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// routeTable is how a file of /proc/net writes a route to a network.
type routeTable struct {
	is4       bool
	read      func(fields []string) (prefix netip.Prefix, metric uint64, ok bool)
	write     func(fields []string, to netip.Addr) string
	minFields int
}

// routes replaces a routing table by one row for every address that was masked so far: the row that the original
// address follows, with the replacement as its destination. The same interfaces then lead to the same servers.
func (m *mask) routes(data []byte, table routeTable) []byte {
	type row struct {
		prefix netip.Prefix
		metric uint64
		fields []string
	}
	var rows []row
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < table.minFields {
			continue
		}
		if prefix, metric, ok := table.read(fields); ok {
			rows = append(rows, row{prefix, metric, fields})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		if a.prefix.Bits() != b.prefix.Bits() {
			return b.prefix.Bits() - a.prefix.Bits()
		}
		return int(int64(a.metric) - int64(b.metric))
	})
	var out strings.Builder
	for _, original := range m.addresses {
		if original.Is4() != table.is4 {
			continue
		}
		at := slices.IndexFunc(rows, func(r row) bool { return r.prefix.Contains(original) })
		if at >= 0 {
			out.WriteString(table.write(rows[at].fields, m.address(original)) + "\n")
		}
	}
	return []byte(out.String())
}

// routes4 is /proc/net/route: Iface Destination Gateway Flags RefCnt Use Metric Mask ..., addresses as numbers in the
// byte order of the host.
func routes4() routeTable {
	return routeTable{
		is4: true, minFields: 8,
		read: func(fields []string) (netip.Prefix, uint64, bool) {
			destination, noDestination := strconv.ParseUint(fields[1], 16, 32)
			mask, noMask := strconv.ParseUint(fields[7], 16, 32)
			_, noFlags := strconv.ParseUint(fields[3], 16, 32)
			metric, noMetric := strconv.ParseUint(fields[6], 10, 32)
			var address, ones [4]byte
			binary.NativeEndian.PutUint32(address[:], uint32(destination))
			binary.NativeEndian.PutUint32(ones[:], uint32(mask))
			length := bits.LeadingZeros32(^binary.BigEndian.Uint32(ones[:]))
			return netip.PrefixFrom(netip.AddrFrom4(address), length), metric,
				noDestination == nil && noMask == nil && noFlags == nil && noMetric == nil
		},
		write: func(fields []string, to netip.Addr) string {
			raw := to.As4()
			return fmt.Sprintf("%s\t%08X\t00000000\t%s\t0\t0\t%s\tFFFFFFFF\t0\t0\t0", fields[0], binary.NativeEndian.Uint32(raw[:]), fields[3], fields[6])
		},
	}
}

// routes6 is /proc/net/ipv6_route: destination, prefix length, source, prefix length, next hop, metric, references,
// use, flags, interface; numbers in hexadecimal.
func routes6() routeTable {
	return routeTable{
		minFields: 10,
		read: func(fields []string) (netip.Prefix, uint64, bool) {
			raw, noAddress := hex.DecodeString(fields[0])
			length, noLength := strconv.ParseUint(fields[1], 16, 8)
			metric, noMetric := strconv.ParseUint(fields[5], 16, 32)
			_, noFlags := strconv.ParseUint(fields[8], 16, 32)
			address, ok := netip.AddrFromSlice(raw)
			return netip.PrefixFrom(address, int(length)), metric,
				ok && address.Is6() && noAddress == nil && noLength == nil && noMetric == nil && noFlags == nil
		},
		write: func(fields []string, to netip.Addr) string {
			raw := to.As16()
			none := strings.Repeat("0", 32)
			return fmt.Sprintf("%x 80 %s 00 %s %s 00000001 00000000 %s %s", raw, none, none, fields[5], fields[8], fields[9])
		},
	}
}
