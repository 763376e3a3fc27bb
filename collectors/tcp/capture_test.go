package tcp

import (
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// ssSession is one session as the ss tool printed it, about a second after the netlink reply was recorded.
type ssSession struct {
	local, remote string
	text          string
}

var (
	ssPair   = regexp.MustCompile(`^ESTAB\s+\d+\s+\d+\s+(\S+)\s+(\S+)`)
	ssNumber = regexp.MustCompile(`[0-9.]+`)
)

// parseSS reads the output of ss -tin: a line with the addresses and an indented one with tcp_info.
func parseSS(text string) []ssSession {
	lines := strings.Split(text, "\n")
	var sessions []ssSession
	for i, line := range lines {
		if pair := ssPair.FindStringSubmatch(line); pair != nil && i+1 < len(lines) {
			sessions = append(sessions, ssSession{local: pair[1], remote: pair[2], text: " " + lines[i+1] + " "})
		}
	}
	return sessions
}

// number finds the number after a name such as rtt: or delivery_rate, or 0, for which ss prints nothing.
func (s ssSession) number(t *testing.T, name string) float64 {
	t.Helper()
	_, after, ok := strings.Cut(s.text, " "+name)
	if !ok {
		return 0
	}
	value, err := strconv.ParseFloat(ssNumber.FindString(after), 64)
	if err != nil {
		t.Fatalf("number of %s in %q: %v", name, s.text, err)
	}
	return value
}

// expected compares tcp_info with what ss shows of it: rounded as ss rounds, in its units.
func (s ssSession) expected(t *testing.T) map[field]string {
	t.Helper()
	_, retransmits, _ := strings.Cut(s.text, "retrans:")
	_, retransmits, _ = strings.Cut(retransmits, "/")
	if retransmits = ssNumber.FindString(retransmits); retransmits == "" {
		retransmits = "0"
	}
	whole := func(name string) string { return fmt.Sprintf("%.0f", s.number(t, name)) }
	return map[field]string{
		fieldRTT:           fmt.Sprintf("%.0f", s.number(t, "rtt:")*1000),
		fieldMinRTT:        fmt.Sprintf("%.0f", s.number(t, "minrtt:")*1000),
		fieldCwnd:          whole("cwnd:"),
		fieldTotalRetrans:  retransmits,
		fieldBytesAcked:    whole("bytes_acked:"),
		fieldBytesReceived: whole("bytes_received:"),
		fieldSegsOut:       whole("segs_out:"),
		fieldSegsIn:        whole("segs_in:"),
		fieldNotSent:       whole("notsent:"),
		fieldDeliveryRate:  fmt.Sprintf("%.0f", s.number(t, "delivery_rate ")/8),
		fieldBusyTime:      whole("busy:"),
		fieldRwndLimited:   whole("rwnd_limited:"),
		fieldSndbufLimited: whole("sndbuf_limited:"),
		fieldOutOfOrder:    whole("rcv_ooopack:"),
	}
}

// shown renders a value of tcp_info as ss would: times beside the round trips in milliseconds.
func shown(f field, value uint64) string {
	switch f {
	case fieldBusyTime, fieldRwndLimited, fieldSndbufLimited:
		value /= 1000
	}
	return strconv.FormatUint(value, 10)
}

// Every capture's sessions agree with what ss said at the same moment. Sessions that moved on between the two are
// only held to having counted up.
func TestCapturesAgreeWithSS(t *testing.T) {
	exact := map[string]int{}
	for _, scenario := range capturetest.Scenarios(t) {
		kernel, _, _ := strings.Cut(scenario, "/")
		files := capturetest.Files(t, scenario, "t1")
		found := map[string]session{}
		for _, family := range []Family{IPv4, IPv6} {
			sessions, odd, err := parse(files["netlink/"+family.File()].Data, anyPort)
			if err != nil || odd > 0 {
				t.Fatalf("%s: %s: odd %d, error %v", scenario, family, odd, err)
			}
			for _, s := range sessions {
				found[s.local.String()+" "+s.remote.String()] = s
			}
		}
		for _, s := range parseSS(string(files["cmd/ss_tin.txt"].Data)) {
			if known, ok := found[s.local+" "+s.remote]; ok && agrees(t, scenario, s, known) {
				exact[kernel]++
			}
		}
	}
	for _, kernel := range []string{"6.1", "6.12", "7.3"} {
		if exact[kernel] < 10 {
			t.Errorf("kernel %s: %d sessions compared number by number, want 10 or more", kernel, exact[kernel])
		}
	}
	t.Logf("sessions compared number by number: %v", exact)
}

// agrees compares one session and says whether it stood still, so that every number was compared.
func agrees(t *testing.T, scenario string, s ssSession, known session) bool {
	t.Helper()
	want := s.expected(t)
	still := true
	for _, f := range []field{fieldSegsIn, fieldSegsOut, fieldBytesReceived, fieldBytesAcked, fieldBusyTime} {
		value, ok := known.info.value(f)
		earlier, _ := strconv.ParseUint(shown(f, value), 10, 64)
		later, err := strconv.ParseUint(want[f], 10, 64)
		if !ok || err != nil || earlier > later {
			t.Errorf("%s %s: field at %d = %d, %v; later %s", scenario, s.local, f.offset, earlier, ok, want[f])
		}
		still = still && earlier == later
	}
	if !still {
		return false
	}
	for f, text := range want {
		if value, ok := known.info.value(f); !ok || shown(f, value) != text {
			t.Errorf("%s %s: field at %d = %s, %v; ss says %s", scenario, s.local, f.offset, shown(f, value), ok, text)
		}
	}
	return true
}

func TestCaptureGolden(t *testing.T) {
	for _, scenario := range []string{
		"6.1/nfs-odd-paths-ipv6-v42-autofs-bind", "6.12/smb-two-shares-two-servers", "7.3/iscsi-4sessions-read16",
		"6.12/nfs-v3-policed-seqread16-nconnect-absent",
	} {
		t.Run(scenario, func(t *testing.T) {
			sink := collect(t, capturetest.Moment(t, scenario, "t1"))
			capturetest.Golden(t, scenario+".txt", sink.Text(), *update)
		})
	}
}

// Every capture can be collected, and no session gets more than eight series.
func TestCapturesCollect(t *testing.T) {
	for _, scenario := range capturetest.Scenarios(t) {
		sink := collect(t, capturetest.Moment(t, scenario, "t2"))
		if len(sink.Skips) > 0 {
			t.Errorf("%s: skipped %v", scenario, sink.Skips)
		}
		if sink.Series(schema.EndpointSessions) == 0 {
			t.Errorf("%s: no endpoint", scenario)
		}
		perSession := map[string]int{}
		for series := range sink.All() {
			if _, label, ok := strings.Cut(series, `session="`); ok {
				perSession[label]++
			}
		}
		for label, count := range perSession {
			if count > 8 {
				t.Errorf("%s: session %s has %d series", scenario, label, count)
			}
		}
	}
}
