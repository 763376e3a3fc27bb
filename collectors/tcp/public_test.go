package tcp

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors/internal/capturetest"
)

// publicText is what a published text of ss holds.
type publicText struct {
	storage     string // sessions to storage ports
	established int    // sessions to any port
	odd         int    // of any port
}

// What is stated of them holds but for two things: the lines of pcp-…-fedora are up to 737 characters long, and the only
// "445" in it is in rcv_ssthresh:445708, while "2049" is nowhere. Its addresses 123.456.78.90 are none: the eleven
// sessions to it count as odd where their port is asked for.
func publicTexts() map[string]publicText {
	return map[string]publicText{
		"insights-ss-tupna-rhel7.txt":  {"192.168.0.106:739 192.168.0.105:2049\n", 2, 0},
		"pcp-ss-noemitauOH-fedora.txt": {"", 30, 11},
		"pcp-ss-noemitauOH-ubuntu.txt": {"", 3, 0},
	}
}

func TestPublicTexts(t *testing.T) {
	table := publicTexts()
	for _, name := range capturetest.PublicNames(t, "ss_tcpinfo") {
		want, ok := table[name]
		if !ok {
			t.Errorf("%s is not in the table", name)
			continue
		}
		text := capturetest.Public(t, "ss_tcpinfo/"+name)
		sessions, _, err := parseText(text, storage)
		if got := render(sessions); got != want.storage || err != nil {
			t.Errorf("%s: error %v, sessions to storage:\n%s", name, err, got)
		}
		sessions, odd, err := parseText(text, anyPort)
		if len(sessions) != want.established || odd != want.odd || err != nil {
			t.Errorf("%s: %d sessions, odd %d, error %v; want %d, %d", name, len(sessions), odd, err, want.established, want.odd)
		}
	}
}

// retrans:0/9 stands for nine in all; the session is to an address that is none, so another one takes its place.
func TestPublicTextTotals(t *testing.T) {
	text := bytes.ReplaceAll(capturetest.Public(t, "ss_tcpinfo/pcp-ss-noemitauOH-fedora.txt"), []byte("123.456.78.90"), []byte("192.0.2.90"))
	sessions, odd, err := parseText(text, anyPort)
	if len(sessions) != 41 || odd != 0 || err != nil {
		t.Fatalf("%d sessions, odd %d, error %v", len(sessions), odd, err)
	}
	at := slices.IndexFunc(sessions, func(s session) bool { return s.local.Port() == 54700 })
	const want = "10.0.0.10:54700 192.0.2.90:123 cookie=970e rtt=30688 min_rtt=17995 cwnd=2 retrans=9 acked=465886 " +
		"received=25077121 segs_out=14029 segs_in=23398 delivery_rate=268770 busy=204817000\n"
	if got := render(sessions[at : at+1]); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

// The name of an interface behind an address is no part of it, and no number is made up for a socket without any.
func TestPublicTextZones(t *testing.T) {
	text := capturetest.Public(t, "ss_tcpinfo/pcp-ss-noemitauOH-ubuntu.txt")
	zoned := strings.ReplaceAll(string(text), "192.168.122.245:22 ", "192.168.122.245%enp1s0:22 ")
	want, _, err := parseText(text, anyPort)
	if err != nil {
		t.Fatal(err)
	}
	got, odd, err := parseText([]byte(zoned), anyPort)
	if render(got) != render(want) || odd != 0 || err != nil || zoned == string(text) {
		t.Errorf("odd %d, error %v, sessions:\n%swant:\n%s", odd, err, render(got), render(want))
	}
}
