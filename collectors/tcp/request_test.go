package tcp

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// taken runs a filter over a remote port by the kernel's rules: an instruction leads on by its yes or its no bytes,
// and a session is taken if that ends exactly behind the last instruction.
func taken(t interface{ Fatalf(string, ...any) }, filter []byte, port uint16) bool {
	for len(filter) > 0 {
		code, yes, no := filter[0], int(filter[1]), int(binary.NativeEndian.Uint16(filter[2:]))
		holds := false
		switch code {
		case opJump:
		case opRemoteAtMin:
			holds = port >= binary.NativeEndian.Uint16(filter[6:])
		case opRemoteAtMost:
			holds = port <= binary.NativeEndian.Uint16(filter[6:])
		default:
			t.Fatalf("unknown instruction %d", code)
		}
		step := no
		if holds {
			step = yes
		}
		if step > len(filter) {
			return false
		}
		filter = filter[step:]
	}
	return true
}

func TestFilterTakesItsPortsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ports := rapid.SliceOfNDistinct(rapid.Uint16(), 1, maxFilterPorts, rapid.ID).Draw(t, "ports")
		filter := portFilter(ports)
		for _, port := range append(ports, rapid.Uint16().Draw(t, "other"), 0, 1<<16-1) {
			if got, want := taken(t, filter, port), slices.Contains(ports, port); got != want {
				t.Fatalf("port %d taken: %v, want %v; ports %v", port, got, want, ports)
			}
		}
	})
}

func TestNoFilterForNoPortsAndForTooMany(t *testing.T) {
	for _, count := range []int{0, maxFilterPorts + 1, 1 << 16} {
		if filter := portFilter(make([]uint16, count)); filter != nil {
			t.Errorf("%d ports: filter of %d bytes", count, len(filter))
		}
	}
}

func TestRequestLayout(t *testing.T) {
	bare := request(IPv6, nil)
	if len(bare) != requestSize || bare[0] != 10 || bare[1] != 6 || bare[2] != 2 ||
		binary.NativeEndian.Uint32(bare[4:]) != 2 {
		t.Errorf("request % x", bare)
	}
	filter := portFilter([]uint16{2049})
	filtered := request(IPv4, filter)
	if got := int(binary.NativeEndian.Uint16(filtered[requestSize:])); got != len(filter)+attributeHeader ||
		len(filtered) != requestSize+got {
		t.Errorf("attribute of %d bytes in a request of %d", got, len(filtered))
	}
}

func TestFamilyNames(t *testing.T) {
	for family, want := range map[Family]string{
		IPv4: "IPv4 sock_diag_tcp4.bin", IPv6: "IPv6 sock_diag_tcp6.bin", 1: "family 1 sock_diag_tcp4.bin",
	} {
		if got := family.String() + " " + family.File(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
