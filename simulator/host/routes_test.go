package host

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors"
)

func TestRoutes(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("addresses are printed in the byte order of the machine")
	}
	want4 := []string{
		"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
		"eth0\t00000000\t020200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
		"eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
	}
	const zero = "00000000000000000000000000000000"
	row := func(to, bits, via, metric, flags, name string) string {
		return to + " " + bits + " " + zero + " 00 " + via + " " + metric + " 00000001 00000000 " + flags + "     " + name
	}
	const network, own, router, link = "20010db8000000000000000000000000", "20010db8000000000000000000000001", "20010db8000000000000000000000002", "fe800000000000000000000000000000"
	want6 := []string{
		row(network, "40", zero, "00000100", "00000001", "eth1"),
		row(link, "40", zero, "00000100", "00000001", "eth1"),
		row(own, "80", zero, "00000000", "80000001", "eth1"),
		row(zero, "00", router, "00000400", "00000003", "eth1"),
		row("00000000000000000000000000000001", "80", zero, "00000000", "80000001", "  lo"),
	}
	root := plain().Root()
	for name, want := range map[string][]string{"net/route": want4, "net/ipv6_route": want6} {
		data, err := collectors.Read(root.Procfs, name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		for i := range max(len(lines), len(want)) {
			if i >= len(lines) || i >= len(want) || strings.TrimRight(lines[i], " ") != want[i] {
				t.Fatalf("%s: line %d of\n%s\nis not %q", name, i, data, want[min(i, len(want)-1)])
			}
			if name == "net/route" && len(lines[i]) != routeWidth {
				t.Errorf("%s: line %d has %d characters", name, i, len(lines[i]))
			}
		}
	}
}
