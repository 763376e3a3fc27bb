package nic

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const header = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`

func full(name string, received, receiveDrops, transmitted, transmitDrops float64) device {
	return device{
		name: name, received: counter{received, true}, receiveDrops: counter{receiveDrops, true},
		transmitted: counter{transmitted, true}, transmitDrops: counter{transmitDrops, true},
	}
}

func TestParseDevices(t *testing.T) {
	cases := []struct {
		name, text string
		want       []device
		odd        int
	}{
		{"empty", "", nil, 0},
		{
			"usual", header + "  eth0: 100 2 0 4 0 0 0 0 500 6 0 8 0 0 0 0\n    lo:1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0\n",
			[]device{full("eth0", 100, 4, 500, 8), full("lo", 1, 0, 1, 0)}, 0,
		},
		{
			"counter runs into the colon", header + "eth0:12345678901 2 0 4 0 0 0 0 500 6 0 8 0 0 0 0\n",
			[]device{full("eth0", 12345678901, 4, 500, 8)}, 0,
		},
		{
			"odd names", header + "eth0:1: 1 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0\nveth-é@\x01: 3 0 0 0 0 0 0 0 4 0 0 0 0 0 0 0\n",
			[]device{full("eth0:1", 1, 0, 2, 0), full("veth-é@\x01", 3, 0, 4, 0)}, 0,
		},
		{
			"fewer columns by the header",
			" face |bytes packets errs drop|bytes packets errs\neth0: 1 2 3 4 5 6 7\n",
			[]device{{
				name: "eth0", received: counter{1, true}, receiveDrops: counter{4, true}, transmitted: counter{5, true},
			}}, 0,
		},
		{
			"a line breaks off", header + "eth0: 1 2 3",
			[]device{{name: "eth0", received: counter{1, true}}}, 0,
		},
		{
			"numbers that cannot be", header + "eth0: -1 2 0 x 0 0 0 0 18446744073709551615 6 0 8 0 0 0 0\n",
			[]device{{name: "eth0", transmitDrops: counter{8, true}}}, 3,
		},
		{"no name, no colon, twice", header + ": 1 2\n1 2 3\n\neth0: 1\neth0: 2\n", []device{{name: "eth0", received: counter{1, true}}}, 3},
		{"unknown header", "a | b\neth0: 7\n", []device{{name: "eth0", received: counter{7, true}}}, 0},
		{"header without bytes", " face |packets errs|packets errs\neth0: 7\n", []device{{name: "eth0", received: counter{7, true}}}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, odd := parseDevices([]byte(c.text))
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(device{}, counter{})); diff != "" || odd != c.odd {
				t.Errorf("odd %d, want %d; devices differ (-want +got):\n%s", odd, c.odd, diff)
			}
		})
	}
}

func TestParseDevicesFindsWhatWasPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString(header)
		var want []device
		for i := range rapid.IntRange(0, 6).Draw(t, "devices") {
			values := rapid.SliceOfN(rapid.Uint64Max(1<<53), 16, 16).Draw(t, "values")
			name := rapid.StringMatching(`[a-zA-Z0-9._@-]{1,12}`).Draw(t, "name") + strconv.Itoa(i)
			fmt.Fprintf(&text, "%6s: %s\n", name, strings.Trim(fmt.Sprint(values), "[]"))
			want = append(want, full(name, float64(values[0]), float64(values[3]), float64(values[8]), float64(values[11])))
		}
		got, odd := parseDevices([]byte(text.String()))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(device{}, counter{})); diff != "" || odd != 0 {
			t.Errorf("odd %d; devices differ (-want +got):\n%s", odd, diff)
		}
	})
}

func FuzzParseDevices(f *testing.F) {
	f.Add([]byte(header + "eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"))
	f.Add([]byte("|bytes|\n:\n::1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		devices, _ := parseDevices(data)
		seen := map[string]bool{}
		for _, d := range devices {
			if d.name == "" || seen[d.name] {
				t.Errorf("device %q is empty or comes twice", d.name)
			}
			seen[d.name] = true
			for _, c := range []counter{d.received, d.receiveDrops, d.transmitted, d.transmitDrops} {
				if c.value < 0 || !c.known && c.value != 0 {
					t.Errorf("device %q has counter %v", d.name, c)
				}
			}
		}
	})
}
