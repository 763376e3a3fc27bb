package tcp

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
)

func same(address netip.Addr) netip.Addr { return address }

// documented replaces every address by one of its kind.
func documented(address netip.Addr) netip.Addr {
	if address.Is4() {
		return netip.MustParseAddr("198.51.100.7")
	}
	return netip.MustParseAddr("2001:db8::7")
}

// The collector finds the same in a reply that was rewritten without a change of addresses.
func TestRewriteKeepsWhatIsRead(t *testing.T) {
	for _, scenario := range capturetest.Scenarios(t) {
		files := capturetest.Files(t, scenario, "t1")
		for _, family := range []Family{IPv4, IPv6} {
			original := files["netlink/"+family.File()].Data
			want, _, err := parse(original, anyPort)
			if err != nil {
				t.Fatalf("%s: %v", scenario, err)
			}
			got, odd, err := parse(Rewrite(original, same), anyPort)
			if err != nil || odd > 0 {
				t.Errorf("%s %s: odd %d, error %v", scenario, family, odd, err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(session{}, info{}), cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", scenario, family, diff)
			}
		}
	}
}

func TestRewriteReplacesAddresses(t *testing.T) {
	mapped := socket{family: IPv6, state: stateEstablished, local: "[::ffff:192.0.2.1]:701", remote: "[::ffff:192.0.2.9]:2049", info: tcpInfo(232, nil)}
	plain6 := socket{family: IPv6, state: stateEstablished, local: "[fe80::1]:702", remote: "[fe80::2]:2049", number: 7, info: tcpInfo(232, nil)}
	rewritten := Rewrite(reply(established("700", "192.0.2.9:2049", 1), mapped, plain6), documented)
	sessions, odd, err := parse(rewritten, anyPort)
	if err != nil || odd > 0 {
		t.Fatalf("odd %d, error %v", odd, err)
	}
	var got []string
	for _, s := range sessions {
		got = append(got, s.local.String()+" "+s.remote.String())
	}
	want := []string{
		"198.51.100.7:700 198.51.100.7:2049",
		"198.51.100.7:701 198.51.100.7:2049",
		"[2001:db8::7]:702 [2001:db8::7]:2049",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
}

// What the kernel puts beside the address and tcp_info does not get into a recording: keys, names, stale memory.
func TestRewriteLeavesTheRestOut(t *testing.T) {
	secret := []byte("a-key-of-a-tcp-signature")
	diag := established("700", "192.0.2.9:2049", 1).data()
	copy(diag[offsetLocal+4:offsetRemote], secret) // twelve bytes that IPv4 does not use
	diag = appendAttribute(diag, 18, secret)       // INET_DIAG_MD5SIG
	var messages []byte
	messages = appendMessage(messages, kindDiag, 1, 2, diag)
	messages = appendMessage(messages, kindDiag, 1, 2, secret)                              // too short
	messages = appendMessage(messages, kindDiag, 1, 2, bytes.Repeat(secret, 4))             // no known family
	messages = appendMessage(messages, 99, 1, 2, secret)                                    // no known kind
	messages = appendMessage(messages, kindError, 1, 2, append(make([]byte, 4), secret...)) // repeats the request
	messages = append(appendDone(messages, 1, 2), secret...)
	rewritten := Rewrite(messages, same)
	if bytes.Contains(rewritten, secret[:12]) {
		t.Errorf("%q is in the rewritten reply", secret[:12])
	}
	sessions, odd, err := parse(rewritten, anyPort)
	if err != nil || odd > 0 || len(sessions) != 1 || len(sessions[0].info.data) != 232 {
		t.Errorf("%d sessions, odd %d, error %v", len(sessions), odd, err)
	}
}

// A replacement of the other kind clears the field, in either direction.
func TestRewriteWrongKind(t *testing.T) {
	other := func(address netip.Addr) netip.Addr {
		if address.Is4() {
			return netip.MustParseAddr("2001:db8::7")
		}
		return netip.Addr{}
	}
	plain6 := socket{family: IPv6, state: stateEstablished, local: "[2001:db8::1]:702", remote: "[2001:db8::2]:2049"}
	sessions, _, err := parse(Rewrite(reply(established("700", "192.0.2.9:2049", 1), plain6), other), anyPort)
	if err != nil || len(sessions) != 2 {
		t.Fatalf("%d sessions, error %v", len(sessions), err)
	}
	for _, s := range sessions {
		if !s.local.Addr().IsUnspecified() || !s.remote.Addr().IsUnspecified() {
			t.Errorf("session %v to %v, want addresses of zeros", s.local, s.remote)
		}
	}
}

func TestRewriteKeepsErrors(t *testing.T) {
	number := binary.NativeEndian.AppendUint32(nil, ^uint32(linuxEPERM-1))
	denied := appendMessage(nil, kindError, 1, 2, append(number, "and the request"...))
	_, _, want := parse(denied, anyPort)
	_, _, err := parse(Rewrite(denied, same), anyPort)
	if want == nil || err == nil || err.Error() != want.Error() || collectors.ReasonOf(err) != collectors.ReasonPermission {
		t.Errorf("error %v, want %v", err, want)
	}
}

// Whatever the bytes are, what is read from the rewritten reply is what is read from the original, and rewriting again
// changes nothing.
func FuzzRewrite(f *testing.F) {
	whole := reply(established("700", "192.0.2.9:2049", 1), socket{family: IPv6, state: 1, local: "[fe80::1]:1", remote: "[fe80::2]:2", number: 7})
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		rewritten := Rewrite(data, same)
		if !bytes.Equal(before, data) {
			t.Fatal("the original was changed")
		}
		if again := Rewrite(rewritten, same); !bytes.Equal(again, rewritten) {
			t.Errorf("rewriting twice differs: %x then %x", rewritten, again)
		}
		want, _, wantErr := parse(data, anyPort)
		got, odd, err := parse(rewritten, anyPort)
		if len(want) != len(got) || odd > 0 || (wantErr == nil) != (err == nil) {
			t.Fatalf("%d sessions, odd %d, error %v; want %d, error %v", len(got), odd, err, len(want), wantErr)
		}
		for i := range want {
			if want[i].local != got[i].local || want[i].remote != got[i].remote || !bytes.Equal(want[i].info.data, got[i].info.data) {
				t.Errorf("session %d is %v, want %v", i, got[i], want[i])
			}
		}
	})
}
