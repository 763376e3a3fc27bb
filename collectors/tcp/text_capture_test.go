package tcp

import (
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// exactness is how far the text's number may be from the kernel's, in the kernel's unit: ss prints six digits of a
// round-trip time and whole milliseconds of a span.
func exactness(f field, value uint64) uint64 {
	switch f {
	case fieldRTT, fieldMinRTT:
		return value / 1_000_000
	case fieldBusyTime, fieldRwndLimited, fieldSndbufLimited:
		return 999
	}
	return 0
}

var textFields = [...]field{
	fieldRTT, fieldMinRTT, fieldCwnd, fieldTotalRetrans, fieldBytesAcked, fieldBytesReceived, fieldSegsOut, fieldSegsIn,
	fieldNotSent, fieldDeliveryRate, fieldBusyTime, fieldRwndLimited, fieldSndbufLimited, fieldOutOfOrder,
}

// Both forms of ss's text give the sessions of every capture that the kernel's reply gives. ss ran a moment later: a
// session that moved on is only held to having counted up.
func TestCaptureTextsGiveTheSessionsOfTheReplies(t *testing.T) {
	for _, name := range []string{"cmd/ss_tin.txt", "cmd/ss_tinmO.txt"} {
		exact := map[string]int{}
		for _, scenario := range capturetest.Scenarios(t) {
			files := capturetest.Files(t, scenario, "t1")
			replies := map[string]session{}
			for _, family := range []Family{IPv4, IPv6} {
				sessions, _, err := parse(files["netlink/"+family.File()].Data, anyPort)
				if err != nil {
					t.Fatalf("%s: %v", scenario, err)
				}
				for _, s := range sessions {
					replies[s.local.String()+" "+s.remote.String()] = s
				}
			}
			texts, odd, err := parseText(files[name].Data, anyPort)
			if err != nil || odd > 0 || len(texts) != len(replies) {
				t.Errorf("%s %s: %d sessions, the reply has %d; odd %d, error %v", scenario, name, len(texts), len(replies), odd, err)
			}
			for _, s := range texts {
				known, ok := replies[s.local.String()+" "+s.remote.String()]
				if !ok {
					t.Errorf("%s %s: the reply has no session from %s to %s", scenario, name, s.local, s.remote)
				} else if sameNumbers(t, scenario, s, known) {
					kernel, _, _ := strings.Cut(scenario, "/")
					exact[kernel]++
				}
			}
		}
		for _, kernel := range []string{"6.1", "6.12", "7.3"} {
			if exact[kernel] < 10 {
				t.Errorf("%s, kernel %s: %d sessions stood still, want 10 or more", name, kernel, exact[kernel])
			}
		}
		t.Logf("%s: sessions compared number by number: %v", name, exact)
	}
}

// sameNumbers compares a session of the text with that of the reply and says whether it stood still. What the text
// lacks is 0 or unknown to the kernel.
func sameNumbers(t *testing.T, scenario string, text, reply session) (still bool) {
	t.Helper()
	still = true
	for _, f := range []field{fieldSegsIn, fieldSegsOut, fieldBytesReceived, fieldBytesAcked, fieldBusyTime} {
		earlier, _ := reply.info.value(f)
		later, _ := text.info.value(f)
		if later+exactness(f, later) < earlier {
			t.Errorf("%s %s: field at %d fell from %d to %d", scenario, text.local, f.offset, earlier, later)
		}
		still = still && later <= earlier
	}
	if !still {
		return false
	}
	for _, f := range textFields {
		want, ok := reply.info.value(f)
		got, shown := text.info.value(f)
		switch {
		case !ok:
			t.Errorf("%s %s: the reply has no field at %d", scenario, text.local, f.offset)
		case !shown && want > 0 && (f != fieldMinRTT || want != unknownRTT):
			t.Errorf("%s %s: the text has no field at %d, the reply %d", scenario, text.local, f.offset, want)
		case shown && max(got, want)-min(got, want) > exactness(f, want):
			t.Errorf("%s %s: field at %d is %d in the text, %d in the reply", scenario, text.local, f.offset, got, want)
		}
	}
	return true
}

// A collector that has the text alone finds the same endpoints with as many sessions.
func TestCaptureTextsCollect(t *testing.T) {
	for _, scenario := range capturetest.Scenarios(t) {
		files := capturetest.Files(t, scenario, "t2")
		want := collect(t, collectors.Root{Host: host, Netlink: capturetest.Subtree(files, "netlink")})
		got := collect(t, textRoot(string(files["cmd/ss_tinmO.txt"].Data)))
		if len(got.Skips) > 0 {
			t.Errorf("%s: skipped %v", scenario, got.Skips)
		}
		for series, sessions := range want.All() {
			if strings.HasPrefix(series, schema.EndpointSessions.Name+"{") && got.All()[series] != sessions {
				t.Errorf("%s: %s is %v, want %v", scenario, series, got.All()[series], sessions)
			}
		}
		if got, want := got.Series(schema.EndpointSessions), want.Series(schema.EndpointSessions); got != want {
			t.Errorf("%s: %d endpoints, want %d", scenario, got, want)
		}
	}
}
