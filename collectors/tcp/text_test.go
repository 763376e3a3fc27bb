package tcp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// oddText has the forms in which versions of ss print, and words that look like numbers of the kernel and are none.
const oddText = `Netid State  Recv-Q Send-Q   Local Address:Port   Peer Address:Port Process
tcp   UNCONN 0      0                  *:68                  *:*     users:(("dhclient",1171,6))
tcp   LISTEN 0      128                *:2049                *:*     users:(("nfsd",11,3))
tcp   LISTEN 0      128              :::2049               :::*     users:(("nfsd",11,4))
udp   ESTAB  0      0          192.0.2.1:700         192.0.2.9:2049  ino:445 sk:5 <->
u_str ESTAB  0      0                  * 2049                 * 445
tcp   ESTAB  0      0          192.0.2.1:2049        192.0.2.9:44500 ino:2049 sk:445 <-> cwnd:10
tcp   ESTAB  0      0      192.0.2.1%eth0:701        192.0.2.9:2049
tcp   ESTAB  0      0    2001:db8::1:702        2001:db8::9:2049     cubic rtt:0.165/0.073 cwnd:10 bytes_acked:8
tcp   ESTAB  0      0   [2001:db8::1]:703     [2001:db8::9]:2049     timer:(keepalive,2min13sec,0) ino:1 sk:976e cgroup:/a bytes_acked:1 <-> skmem:(r0,rb131072,t0,tb87040,f0,w0,o0,bl0,d0) bytes_acked:9 retrans:0/9 segs_out:3032 segs_in:3285
tcp   ESTAB  0      0   [::ffff:192.0.2.1]:704  [::ffff:192.0.2.9]:2049 users:(("a bytes_acked:2",pid=1,fd=3),("b",pid=2,fd=3)) bytes_acked:10 minrtt:1.5
tcp   ESTAB  0      0   [fe80::1]%eth0:705       [fe80::9]:3260     bytes_received:11 notsent:7 rcv_ooopack:6
tcp   ESTAB  0      0   fe80::1%eth0:706        fe80::9%eth0:3260
	 cubic send 1.2Mbps pacing_rate 2.3Mbps/4Gbps delivery_rate 8.8Mbps busy:4408ms rwnd_limited:4ms(0.1%) sndbuf_limited:0ms(0.0%)
ESTAB 0 0 192.0.2.1:707 192.0.2.9:445
	 delivery_rate 898944000bps app_limited bbr:(bw:23.7Mbps,mrtt:25.7,cwnd_gain:2)
	 rtt:1.23457e+06/10
ESTAB 0 0 192.0.2.1:708 192.0.2.9:44500
	 rtt:3/1 cwnd:44
ESTAB 0 0 192.0.2.1:709 192.0.2.9:445 delivery_rate 250Kbps
FIN-WAIT-1 0 1 192.0.2.1:710 192.0.2.9:445 timer:(on,200ms,3)
	 rtt:5/1
`

// render writes sessions with the fields that they have, one a line.
func render(sessions []session) string {
	names := []struct {
		name  string
		field field
	}{
		{"rtt", fieldRTT}, {"min_rtt", fieldMinRTT}, {"cwnd", fieldCwnd}, {"retrans", fieldTotalRetrans},
		{"acked", fieldBytesAcked}, {"received", fieldBytesReceived}, {"segs_out", fieldSegsOut}, {"segs_in", fieldSegsIn},
		{"notsent", fieldNotSent}, {"delivery_rate", fieldDeliveryRate}, {"busy", fieldBusyTime},
		{"rwnd_limited", fieldRwndLimited}, {"sndbuf_limited", fieldSndbufLimited}, {"ooo", fieldOutOfOrder},
	}
	var out strings.Builder
	for _, s := range sessions {
		fmt.Fprintf(&out, "%s %s", s.local, s.remote)
		if s.cookie != 0 {
			fmt.Fprintf(&out, " cookie=%x", s.cookie)
		}
		for _, row := range names {
			if value, ok := s.info.value(row.field); ok {
				fmt.Fprintf(&out, " %s=%d", row.name, value)
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func storage(port uint16) bool {
	_, ok := DefaultPorts()[port]
	return ok
}

func TestTextGolden(t *testing.T) {
	sessions, odd, err := parseText([]byte(oddText), storage)
	if err != nil || odd != 0 {
		t.Errorf("odd %d, error %v", odd, err)
	}
	capturetest.Golden(t, "text.golden", render(sessions), *update)
}

func TestTextWithoutHeadingOrNetid(t *testing.T) {
	const line = "ESTAB 0 0 192.0.2.1:700 192.0.2.9:2049 cwnd:10\n"
	for name, text := range map[string]string{
		"bare":               line,
		"heading":            "State Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n" + line,
		"netid":              "tcp " + line,
		"two lines":          strings.Replace(line, " cwnd", "\n\t cwnd", 1),
		"pasted with indent": "    " + strings.ReplaceAll(line, " ", "   "),
		"carriage returns":   strings.ReplaceAll(line, "\n", "\r\n"),
	} {
		sessions, odd, err := parseText([]byte(text), storage)
		if got := render(sessions); got != "192.0.2.1:700 192.0.2.9:2049 cwnd=10\n" || odd != 0 || err != nil {
			t.Errorf("%s: odd %d, error %v, sessions:\n%s", name, odd, err, got)
		}
	}
}

// What makes no sense costs itself and is counted.
func TestTextOdd(t *testing.T) {
	const good = "ESTAB 0 0 192.0.2.1:700 192.0.2.9:2049"
	const want = "192.0.2.1:700 192.0.2.9:2049"
	for _, test := range []struct{ name, text, want string }{
		{"service name for a port", good + "\nESTAB 0 0 192.0.2.1:701 192.0.2.9:nfs\n", want + "\n"},
		{"no address", good + "\nESTAB 0 0 192.0.2.1:701 server:2049\n", want + "\n"},
		{"no local port", good + "\nESTAB 0 0 192.0.2.1 192.0.2.9:2049\n", want + "\n"},
		{"port beyond the last", good + "\nESTAB 0 0 192.0.2.1:701 192.0.2.9:67585\n", want + "\n"},
		{"overlong interface", good + "\nESTAB 0 0 [fe80::1]%an-interface-of-names:701 [fe80::9]:2049\n", want + "\n"},
		{"state of the future", good + "\nREFLECTED 0 0 192.0.2.1:700 192.0.2.9:2049 cwnd:3\n\t cwnd:4\n", want + "\n"},
		{"queue that is no number", good + "\nESTAB x 0 192.0.2.1:700 192.0.2.9:2049\n", want + "\n"},
		{"negative count", good + " bytes_acked:-1 cwnd:3\n", want + " cwnd=3\n"},
		{"count that is too large", good + " cwnd:4294967296 segs_in:3\n", want + " segs_in=3\n"},
		{"no second number", good + " retrans:9\n", want + "\n"},
		{"time that is none", good + " rtt:NaN/1 minrtt:0.5\n", want + " min_rtt=500\n"},
		{"negative time", good + " rtt:-1/1\n", want + "\n"},
		{"endless time", good + " minrtt:1e999\n", want + "\n"},
		{"span without unit", good + " busy:4408\n", want + "\n"},
		{"span that is too large", good + " busy:18446744073709551615ms\n", want + "\n"},
		{"rate without unit", good + " delivery_rate 5\n", want + "\n"},
		{"rate that is only a unit", good + " delivery_rate bps\n", want + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sessions, odd, err := parseText([]byte(test.text), storage)
			if got := render(sessions); got != test.want || odd == 0 || err != nil {
				t.Errorf("odd %d, error %v, sessions:\n%s", odd, err, got)
			}
		})
	}
}

func TestTextFirstValueCounts(t *testing.T) {
	text := "ESTAB 0 0 192.0.2.1:700 192.0.2.9:2049 cwnd:3 cwnd:4\n\t cwnd:5\n"
	sessions, odd, err := parseText([]byte(text), storage)
	if got := render(sessions); got != "192.0.2.1:700 192.0.2.9:2049 cwnd=3\n" || odd != 0 || err != nil {
		t.Errorf("odd %d, error %v, sessions:\n%s", odd, err, got)
	}
}

// A message of the shell in place of the text is no host without sessions.
func TestTextOfSomethingElse(t *testing.T) {
	for _, text := range []string{"", "\n", "sh: 1: ss: not found\n", "\t cubic cwnd:10\n"} {
		if sessions, _, err := parseText([]byte(text), anyPort); !errors.Is(err, errNoText) || len(sessions) > 0 {
			t.Errorf("%q: %d sessions, error %v", text, len(sessions), err)
		}
	}
	heading := "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n"
	if sessions, odd, err := parseText([]byte(heading), anyPort); len(sessions) > 0 || odd > 0 || err != nil {
		t.Errorf("heading alone: %d sessions, odd %d, error %v", len(sessions), odd, err)
	}
}

// A text cut anywhere yields the first sessions of the whole one, with some of their numbers and no other ones.
func TestTextTruncatedAnywhere(t *testing.T) {
	whole, _, err := parseText([]byte(oddText), storage)
	if err != nil {
		t.Fatal(err)
	}
	for size := range oddText {
		got, _, err := parseText([]byte(oddText[:size]), storage)
		if err != nil && !errors.Is(err, errNoText) {
			t.Fatalf("cut at %d: %v", size, err)
		}
		if len(got) > len(whole) {
			t.Fatalf("cut at %d: %d sessions", size, len(got))
		}
		for i, line := range strings.Split(strings.TrimSuffix(render(got), "\n"), "\n") {
			if len(got) > 0 && !isPart(line, strings.Split(render(whole), "\n")[i]) {
				t.Fatalf("cut at %d: session %q, want %q", size, line, strings.Split(render(whole), "\n")[i])
			}
		}
	}
}

// isPart tells whether every word of a line is in another one.
func isPart(line, whole string) bool {
	words := strings.Fields(whole)
	return !slices.ContainsFunc(strings.Fields(line), func(word string) bool { return !slices.Contains(words, word) })
}

func textRoot(text string) collectors.Root {
	return collectors.Root{Host: host, Netlink: fstest.MapFS{TextFile: {Data: []byte(text)}}}
}

// What ss did not print gets no series: not even a zero.
func TestCollectText(t *testing.T) {
	const text = "ESTAB 0 0 192.0.2.1:700 192.0.2.9:2049\n" +
		"ESTAB 0 0 192.0.2.1:701 192.0.2.8:2049 rtt:2.5/1 retrans:0/7 nonsense busy:x\n" +
		"ESTAB 0 0 192.0.2.1:22 192.0.2.7:50000 rtt:2.5/1\n"
	want := `nasight_endpoint_sessions{host="client",server="192.0.2.8",protocol="nfs"} 1
nasight_endpoint_sessions{host="client",server="192.0.2.9",protocol="nfs"} 1
nasight_session_retransmits_total{host="client",server="192.0.2.8",protocol="nfs",session="192.0.2.1:701"} 7
nasight_session_rtt_seconds{host="client",server="192.0.2.8",protocol="nfs",session="192.0.2.1:701"} 0.0025
nasight_sessions_excess{host="client"} 0
# skipped 1: odd_ss_text
`
	if got := collect(t, textRoot(text)).Text(); got != want {
		t.Errorf("samples:\n%swant:\n%s", got, want)
	}
}

func TestReplyIsBetterThanText(t *testing.T) {
	netlink := bundle(reply(established("700", "192.0.2.9:2049", 1)), nil)
	netlink[TextFile] = &fstest.MapFile{Data: []byte("ESTAB 0 0 192.0.2.1:700 192.0.2.8:2049\n")}
	sink := collect(t, collectors.Root{Host: host, Netlink: netlink})
	expect(t, sink, 1, schema.EndpointSessions, "192.0.2.9", "nfs")
	expect(t, sink, -1, schema.EndpointSessions, "192.0.2.8", "nfs")
}

func TestCollectUselessText(t *testing.T) {
	for text, want := range map[string]error{
		"sh: 1: ss: not found\n":                    errNoText,
		"ESTAB 0 0 192.0.2.1:22 192.0.2.7:50000\n":  collectors.ErrNoData,
		"LISTEN 0 0 192.0.2.1:2049 0.0.0.0:*\n\n\n": collectors.ErrNoData,
	} {
		c, err := New(textRoot(text), collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Collect(t.Context(), &capturetest.Sink{}); !errors.Is(err, want) {
			t.Errorf("%q: error %v, want %v", text, err, want)
		}
	}
}

// Without the socket's identity another one may have taken its ports: a counter that falls has not wrapped.
func TestTextCounterThatFalls(t *testing.T) {
	for extra, want := range map[string]float64{"": 900, "\x20sk:1 <->": 1<<32 + 100} {
		files := fstest.MapFS{}
		c, err := New(collectors.Root{Host: host, Netlink: files}, collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		var sink *capturetest.Sink
		for _, segments := range []string{"900", "100"} {
			text := "ESTAB 0 0 192.0.2.1:700 192.0.2.9:2049" + extra + " segs_out:" + segments + "\n"
			files[TextFile] = &fstest.MapFile{Data: []byte(text)}
			sink = run(t, c)
		}
		expect(t, sink, want, schema.EndpointSegmentsSent, "192.0.2.9", "nfs")
	}
}

// Whatever the text is, a session stands on a line of its own and has addresses.
func FuzzParseText(f *testing.F) {
	f.Add([]byte(oddText))
	f.Add([]byte(oddText[:700]))
	f.Add([]byte("ESTAB 0 0 [fe80::1%4]:1 [fe80::2]:2 rtt:1/2 delivery_rate\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sessions, odd, err := parseText(data, anyPort)
		lines := strings.Count(string(data), "\n") + 1
		if len(sessions) > lines || odd > len(data) {
			t.Errorf("%d sessions and odd %d in %d lines of %d bytes", len(sessions), odd, lines, len(data))
		}
		if err != nil && len(sessions) > 0 {
			t.Errorf("%d sessions and error %v", len(sessions), err)
		}
		for _, s := range sessions {
			if !s.local.IsValid() || !s.remote.IsValid() || s.remote.Addr().Is4In6() {
				t.Errorf("session %v", s)
			}
		}
		// What stands before a good line does not touch it.
		const good = "ESTAB 0 0 192.0.2.1:700 192.0.2.9:2049 cwnd:10\n"
		after, _, err := parseText(append(append(slices.Clone(data), '\n'), good...), anyPort)
		if err != nil || len(after) == 0 || render(after[len(after)-1:]) != "192.0.2.1:700 192.0.2.9:2049 cwnd=10\n" {
			t.Errorf("%d sessions, error %v, the last one not %q", len(after), err, good)
		}
	})
}
