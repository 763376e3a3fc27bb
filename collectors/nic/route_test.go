package nic

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

const header4 = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

// row4 prints a row of /proc/net/route as a kernel of this machine's byte order does.
func row4(name, prefix, flags string, metric int) string {
	parsed := netip.MustParsePrefix(prefix)
	mask := ^uint32(0) << (32 - parsed.Bits())
	if parsed.Bits() == 0 {
		mask = 0
	}
	number := func(address [4]byte) uint32 { return binary.NativeEndian.Uint32(address[:]) }
	var maskBytes [4]byte
	binary.BigEndian.PutUint32(maskBytes[:], mask)
	return fmt.Sprintf("%s\t%08X\t00000000\t%s\t0\t0\t%d\t%08X\t0\t0\t0\n",
		name, number(parsed.Addr().As4()), flags, metric, number(maskBytes))
}

func row6(name, prefix, flags string, metric int) string {
	parsed := netip.MustParsePrefix(prefix)
	address := parsed.Addr().As16()
	const none = "00000000000000000000000000000000"
	return fmt.Sprintf("%s %02x %s 00 %s %08x 00000001 00000000 %s %8s\n",
		hex.EncodeToString(address[:]), parsed.Bits(), none, none, metric, flags, name)
}

func TestLookup4(t *testing.T) {
	routes, odd := parseRoutes4([]byte(header4 +
		row4("eth0", "0.0.0.0/0", "0003", 100) +
		row4("eth1", "0.0.0.0/0", "0003", 50) +
		row4("eth2", "192.0.2.0/24", "0001", 0) +
		row4("eth3", "192.0.2.128/25", "0001", 900) +
		row4("eth4", "192.0.2.200/32", "0000", 0) + // not up
		row4("*", "198.51.100.0/24", "0201", 0)))
	if odd != 0 || len(routes) != 5 {
		t.Fatalf("%d routes, odd %d", len(routes), odd)
	}
	for address, want := range map[string]string{
		"203.0.113.1": "eth1", "192.0.2.1": "eth2", "192.0.2.130": "eth3", "192.0.2.200": "eth3",
		"198.51.100.7": "* rejected",
	} {
		best, ok := lookup(routes, netip.MustParseAddr(address))
		got := best.name
		if best.rejected {
			got += " rejected"
		}
		if !ok || got != want {
			t.Errorf("%s goes by %s, %v; want %s", address, got, ok, want)
		}
	}
	if best, ok := lookup(routes, netip.MustParseAddr("2001:db8::1")); ok {
		t.Errorf("IPv6 address goes by IPv4 route %v", best)
	}
}

func TestLookup6(t *testing.T) {
	routes, odd := parseRoutes6([]byte(
		row6("eth0", "::/0", "00000003", 1024) +
			row6("eth1", "2001:db8:1::/48", "00000001", 256) +
			row6("eth2", "2001:db8:1:2::/64", "00000001", 256) +
			row6("eth0", "2001:db8::5/128", "80200001", 0) +
			row6("lo", "::/0", "00200200", 1<<32-1)))
	if odd != 0 || len(routes) != 4 { // the last one, which rejects, is not up
		t.Fatalf("%d routes, odd %d", len(routes), odd)
	}
	for address, want := range map[string]route{
		"2001:db8::1":       {name: "eth0"},
		"2001:db8:1::1":     {name: "eth1"},
		"2001:db8:1:2::1":   {name: "eth2"},
		"2001:db8:1:2::1%3": {name: "eth2"},
		"2001:db8::5":       {name: "eth0", local: true},
	} {
		best, ok := lookup(routes, netip.MustParseAddr(address))
		if !ok || best.name != want.name || best.local != want.local {
			t.Errorf("%s goes by %+v, %v; want %+v", address, best, ok, want)
		}
	}
}

// This machine's own byte order is not needed to read a row that a kernel printed.
func TestRowAsPrintedByLittleEndianKernel(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the row was printed by a little-endian kernel")
	}
	routes, _ := parseRoutes4([]byte("eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"))
	if len(routes) != 1 || routes[0].prefix.String() != "192.0.2.0/24" {
		t.Errorf("routes %v", routes)
	}
}

func TestOddRoutesAreCounted(t *testing.T) {
	good4, good6 := row4("eth0", "192.0.2.0/24", "0001", 0), row6("eth0", "2001:db8::/32", "00000001", 0)
	for _, c := range []struct {
		text  string
		parse func([]byte) ([]route, int)
		odd   int
	}{
		{header4 + "eth0 1 2\n" + "eth0 XX 0 1 0 0 0 0\n\n" + "eth0 0 0 1 0 0 -5 0\n" + good4, parseRoutes4, 3},
		{"short\n" + good6[:40] + "\n" + "zz" + good6[2:] + good6, parseRoutes6, 3},
		{good6[:33] + "ff" + good6[35:] + good6, parseRoutes6, 1},
	} {
		routes, odd := c.parse([]byte(c.text))
		if len(routes) != 1 || odd != c.odd {
			t.Errorf("%q: %d routes, odd %d, want %d", c.text, len(routes), odd, c.odd)
		}
	}
}

// The route found is one that contains the address, and no longer prefix does.
func TestLookupTakesTheLongestPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) netip.Addr {
			return netip.AddrFrom4([4]byte{192, 0, rapid.Byte().Draw(t, name), rapid.Byte().Draw(t, name)})
		}
		var routes []route
		for range rapid.IntRange(0, 12).Draw(t, "routes") {
			prefix, err := draw("prefix").Prefix(rapid.IntRange(0, 32).Draw(t, "bits"))
			if err != nil {
				t.Fatal(err)
			}
			routes = append(routes, route{prefix: prefix, metric: rapid.Uint64Max(3).Draw(t, "metric")})
		}
		address := draw("address")
		best, ok := lookup(routes, address)
		for _, r := range routes {
			if r.prefix.Contains(address) && (!ok || r.prefix.Bits() > best.prefix.Bits() ||
				r.prefix.Bits() == best.prefix.Bits() && r.metric < best.metric) {
				t.Fatalf("%v beats %v for %s", r, best, address)
			}
		}
		if ok && !best.prefix.Contains(address) {
			t.Fatalf("%v does not contain %s", best, address)
		}
	})
}

func FuzzRoutes(f *testing.F) {
	f.Add([]byte(header4 + row4("eth0", "192.0.2.0/24", "0003", 7)))
	f.Add([]byte(row6("eth0", "2001:db8::/32", "00000001", 7)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, parse := range []func([]byte) ([]route, int){parseRoutes4, parseRoutes6} {
			routes, _ := parse(data)
			for _, r := range routes {
				if !r.prefix.IsValid() || r.name == "" {
					t.Errorf("route %+v", r)
				}
			}
			lookup(routes, netip.MustParseAddr("192.0.2.1"))
			lookup(routes, netip.MustParseAddr("2001:db8::1"))
		}
	})
}
