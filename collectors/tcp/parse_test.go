package tcp

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"net/netip"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseAddresses(t *testing.T) {
	cases := []struct {
		name          string
		socket        socket
		remote, local string
	}{
		{"IPv4", socket{family: IPv4, local: "192.0.2.1:700", remote: "192.0.2.9:2049"}, "192.0.2.9:2049", "192.0.2.1:700"},
		{
			"IPv6", socket{family: IPv6, local: "[2001:db8::1]:700", remote: "[2001:db8::9]:2049", number: 3},
			"[2001:db8::9]:2049", "[2001:db8::1]:700",
		},
		{
			"IPv4 on an IPv6 socket",
			socket{family: IPv6, local: "[::ffff:192.0.2.1]:700", remote: "[::ffff:192.0.2.9]:2049"},
			"192.0.2.9:2049", "192.0.2.1:700",
		},
		{
			"link-local", socket{family: IPv6, local: "[fe80::1]:700", remote: "[fe80::9]:2049", number: 4},
			"[fe80::9%4]:2049", "[fe80::1%4]:700",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.socket.state = stateEstablished
			sessions, odd, err := parse(reply(c.socket), anyPort)
			if err != nil || odd != 0 || len(sessions) != 1 {
				t.Fatalf("sessions %v, odd %d, error %v", sessions, odd, err)
			}
			if got := sessions[0].remote.String(); got != c.remote {
				t.Errorf("remote %s, want %s", got, c.remote)
			}
			if got := sessions[0].local.String(); got != c.local {
				t.Errorf("local %s, want %s", got, c.local)
			}
		})
	}
}

func TestParseTakesEstablishedSessionsToWantedPortsOnly(t *testing.T) {
	sockets := []socket{established("700", "192.0.2.9:2049", 1), established("2049", "192.0.2.8:701", 2)}
	for state := uint8(2); state < 13; state++ {
		other := established("800", "192.0.2.9:2049", uint64(state))
		other.state = state
		sockets = append(sockets, other)
	}
	sessions, odd, err := parse(reply(sockets...), func(port uint16) bool { return port == 2049 })
	if err != nil || odd != 0 {
		t.Fatalf("odd %d, error %v", odd, err)
	}
	if len(sessions) != 1 || sessions[0].local.Port() != 700 || sessions[0].cookie != 1 {
		t.Errorf("sessions %v, want the one from port 700", sessions)
	}
}

func TestInfoHasTheFieldsOfItsLength(t *testing.T) {
	values := map[field]uint64{fieldRTT: 1, fieldBytesAcked: 1 << 40, fieldMinRTT: 3, fieldSndbufLimited: 4, fieldOutOfOrder: 5}
	cases := []struct {
		size int
		have []field
		lack []field
	}{
		{0, nil, []field{fieldRTT}},
		{104, []field{fieldRTT, fieldCwnd, fieldTotalRetrans}, []field{fieldBytesAcked, fieldOutOfOrder}},
		{127, []field{fieldTotalRetrans}, []field{fieldBytesAcked}},
		{128, []field{fieldBytesAcked}, []field{fieldBytesReceived}},
		{192, []field{fieldSndbufLimited}, []field{fieldOutOfOrder}},
		{232, []field{fieldOutOfOrder}, nil},
		{280, []field{fieldOutOfOrder}, nil},
	}
	for _, c := range cases {
		found := info{data: tcpInfo(c.size, values)}
		for _, f := range c.have {
			if got, ok := found.value(f); !ok || got != values[f] {
				t.Errorf("%d bytes: field at %d = %d, %v; want %d", c.size, f.offset, got, ok, values[f])
			}
		}
		for _, f := range c.lack {
			if got, ok := found.value(f); ok {
				t.Errorf("%d bytes: field at %d = %d, want none", c.size, f.offset, got)
			}
		}
	}
}

func TestMinRTTUnknown(t *testing.T) {
	for _, value := range []uint64{0, unknownRTT} {
		if rtt, ok := (info{data: tcpInfo(232, map[field]uint64{fieldMinRTT: value})}).minRTT(); ok {
			t.Errorf("min_rtt %d read as %d, want unknown", value, rtt)
		}
	}
}

func TestParseErrors(t *testing.T) {
	session := appendMessage(nil, kindDiag, 1, 2, established("700", "192.0.2.9:2049", 1).data())
	code := func(kind uint16, number int32) []byte {
		data := binary.NativeEndian.AppendUint32(nil, uint32(-number))
		return appendMessage(slices.Clone(session), kind, 1, 2, data)
	}
	cases := []struct {
		name  string
		reply []byte
		want  error
	}{
		{"empty", nil, errIncomplete},
		{"no end", session, errIncomplete},
		{"overrun", appendMessage(slices.Clone(session), kindOverrun, 1, 2, nil), errIncomplete},
		{"permission", code(kindError, linuxEPERM), fs.ErrPermission},
		{"access", code(kindError, linuxEACCES), fs.ErrPermission},
		{"no module", code(kindError, linuxENOENT), fs.ErrNotExist},
		{"end with error", code(kindDone, linuxENOENT), fs.ErrNotExist},
		{"length below the header", append(slices.Clone(session), make([]byte, headerSize)...), errIncomplete},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sessions, _, err := parse(c.reply, anyPort)
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if len(c.reply) > 0 && len(sessions) != 1 {
				t.Errorf("%d sessions before the error, want 1", len(sessions))
			}
		})
	}
}

func TestParseUnknownError(t *testing.T) {
	data := binary.NativeEndian.AppendUint32(nil, ^uint32(21)) // -22, EINVAL
	if _, _, err := parse(appendMessage(nil, kindError, 1, 2, data), anyPort); err == nil ||
		err.Error() != "kernel answered with error 22" {
		t.Errorf("error %v, want number 22", err)
	}
}

func TestParseCountsOddMessages(t *testing.T) {
	whole := established("700", "192.0.2.9:2049", 1)
	broken := whole.data()
	binary.NativeEndian.PutUint16(broken[diagSize:], 3) // attribute shorter than its header
	other := whole.data()
	other[0] = 1 // AF_UNIX
	var messages []byte
	messages = appendMessage(messages, kindDiag, 1, 2, whole.data())
	messages = appendMessage(messages, kindDiag, 1, 2, whole.data()[:diagSize-1])
	messages = appendMessage(messages, kindDiag, 1, 2, broken)
	messages = appendMessage(messages, kindDiag, 1, 2, other)
	messages = appendMessage(messages, 99, 1, 2, nil)
	messages = appendMessage(messages, kindError, 1, 2, make([]byte, 4)) // an acknowledgement, nothing odd
	sessions, odd, err := parse(appendDone(messages, 1, 2), anyPort)
	if err != nil || odd != 4 {
		t.Errorf("odd %d, error %v; want 4 odd messages", odd, err)
	}
	if len(sessions) != 2 || sessions[0].info.data == nil || sessions[1].info.data != nil {
		t.Errorf("sessions %v, want one whole and one without tcp_info", sessions)
	}
}

// A reply cut anywhere yields the sessions before the cut, unchanged, and an error.
func TestParseTruncatedAnywhere(t *testing.T) {
	whole := reply(
		established("700", "192.0.2.9:2049", 1),
		established("701", "192.0.2.9:2049", 2),
		established("702", "192.0.2.8:445", 3),
	)
	want, _, err := parse(whole, anyPort)
	if err != nil {
		t.Fatal(err)
	}
	for size := range whole {
		got, _, err := parse(whole[:size], anyPort)
		switch {
		case !errors.Is(err, errIncomplete):
			t.Fatalf("cut at %d of %d: error %v", size, len(whole), err)
		case len(got) > len(want):
			t.Fatalf("cut at %d: %d sessions", size, len(got))
		}
		for i := range got {
			if got[i].remote != want[i].remote || got[i].cookie != want[i].cookie ||
				!slices.Equal(got[i].info.data, want[i].info.data) {
				t.Fatalf("cut at %d: session %d = %v, want %v", size, i, got[i], want[i])
			}
		}
	}
}

func TestParseFindsWhatWasBuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, 20).Draw(t, "count")
		var sockets []socket
		var want []string
		for i := range count {
			port := rapid.Uint16().Draw(t, "port")
			s := established(strconv.Itoa(i+1), netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 9}), port).String(), uint64(i))
			s.state = rapid.Uint8Range(1, 12).Draw(t, "state")
			s.info = tcpInfo(rapid.IntRange(1, 280).Draw(t, "size"), nil)
			sockets = append(sockets, s)
			if s.state == stateEstablished && port%2 == 0 {
				want = append(want, s.remote+" "+strconv.Itoa(len(s.info)))
			}
		}
		sessions, odd, err := parse(reply(sockets...), func(port uint16) bool { return port%2 == 0 })
		if err != nil || odd != 0 {
			t.Fatalf("odd %d, error %v", odd, err)
		}
		var got []string
		for _, s := range sessions {
			got = append(got, s.remote.String()+" "+strconv.Itoa(len(s.info.data)))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sessions differ (-want +got):\n%s", diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(reply(established("700", "192.0.2.9:2049", 1)))
	f.Add(reply(socket{family: IPv6, state: 1, local: "[fe80::1]:1", remote: "[fe80::2]:2", number: 7}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		sessions, odd, err := parse(data, anyPort)
		if len(sessions)*diagSize > len(data) || odd > len(data)/headerSize {
			t.Errorf("%d sessions and %d odd messages in %d bytes", len(sessions), odd, len(data))
		}
		for _, s := range sessions {
			if !s.local.Addr().IsValid() || !s.remote.Addr().IsValid() || s.remote.Addr().Is4In6() {
				t.Errorf("session %v", s)
			}
		}
		if err == nil && len(data) < headerSize {
			t.Errorf("no error for %d bytes", len(data))
		}
	})
}
