package smb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func known(value float64) sum { return sum{Value: value, Known: true} }

func TestTwoFormatsInOneFile(t *testing.T) {
	skipped, skip := counts()
	s := ParseStats([]byte(own(t, "stats-mixed")), skip)
	if len(skipped) > 0 || s.SessionReconnects != 7 || s.ShareReconnects != 3 || len(s.Connections) > 0 {
		t.Errorf("skipped %v, %d and %d reconnects, %d connections", skipped, s.SessionReconnects, s.ShareReconnects, len(s.Connections))
	}
	want := []Share{
		{
			Name: []byte(`\\files.example.com\old one`), Requests: 40, ReadBytes: 900, WriteBytes: 300, OpenFiles: Absent,
			Operations: [classes]sum{
				classRead: known(9), classWrite: known(3), classCommit: known(1), classOpen: known(6 + 5), classClose: known(4),
				classDir: known(5 + 6), classOther: known(1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10),
			},
		},
		{
			Name: []byte(`\\files.example.com\new (one) #2 [x] é`), Disconnected: true, Requests: 33, ReadBytes: 17, WriteBytes: 14, OpenFiles: 2,
			Operations: [classes]sum{
				classRead: known(5), classWrite: known(13), classCommit: known(3), classOpen: known(1), classClose: known(200),
				classAttr: known(6 + 7), classDir: known(4), classNotify: known(5), classOther: known(1 + 2 + 8),
			},
			Errors: [classes]sum{
				classRead: known(1), classWrite: known(21), classCommit: known(4), classOpen: known(2), classClose: known(3),
				classAttr: known(9 + 10), classDir: known(7), classNotify: known(8), classOther: known(5 + 6 + 11),
			},
		},
	}
	if diff := cmp.Diff(want, s.Shares, cmp.AllowUnexported(sum{}), cmp.AllowUnexported(Share{})); diff != "" {
		t.Error(diff)
	}
}

// table is a table of commands, each with a count and a time of its number.
func table(hertz, maxInFlight int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\nMax requests in flight: %d\nTotal time spent processing by command. Time units are jiffies (%d per second)\n"+
		"  SMB3 CMD\tNumber\tTotal Time\tFastest\tSlowest\n  --------\t------\t----------\t-------\t-------\n", maxInFlight, hertz)
	for command := range commands {
		fmt.Fprintf(&out, "  %d\t\t%d\t%d\t\t%d\t%d\n", command, 10*command, 100*command, 1, 2)
	}
	return out.String()
}

func TestTablesOfConnections(t *testing.T) {
	text := "0 session 0 share reconnects\n" + table(250, 3) + "  4 slow responses from files.example.com for command 8\n" + table(250, 9) +
		"\n1) \\\\h\\a\nSMBs: 1\nReads: 2 total 0 failed\n2) \\\\h\\b\nSMBs: 5\n" + table(1000, 1) + "\n3) \\\\i\\a\nSMBs: 7\n"
	skipped, skip := counts()
	s := ParseStats([]byte(text), skip)
	if len(skipped) > 0 || len(s.Connections) != 3 || len(s.Shares) != 3 {
		t.Fatalf("skipped %v, %d connections, %d shares", skipped, len(s.Connections), len(s.Shares))
	}
	for i, want := range []Connection{{MaxInFlight: 3, Hertz: 250}, {MaxInFlight: 9, Hertz: 250, EndShare: 2}, {MaxInFlight: 1, Hertz: 1000, FirstShare: 2, EndShare: 3}} {
		got := s.Connections[i]
		if got.MaxInFlight != want.MaxInFlight || got.Hertz != want.Hertz || !got.HasCommands ||
			got.FirstShare != want.FirstShare || got.EndShare != want.EndShare || got.Commands[18] != (Command{180, 1800}) {
			t.Errorf("connection %d: %+v", i, got)
		}
	}
	l := s.Connections[0].load()
	want := [classes]sum{known(80), known(90), known(70), known(50), known(60), known(160 + 170), known(140), known(150), known(100 + 110 + 180)}
	if diff := cmp.Diff(want, l.operations, cmp.AllowUnexported(sum{})); diff != "" {
		t.Error(diff)
	}
	if l.ticks[classRead] != known(800) {
		t.Errorf("reads took %v", l.ticks[classRead])
	}
}

// Without a clock's rate a time is no time, and without a table there is no load.
func TestTablesThatLack(t *testing.T) {
	noHertz := strings.Replace(table(250, 3), "(250 per second)", "(fast)", 1)
	skipped, skip := counts()
	l := ParseStats([]byte(noHertz), skip).Connections[0].load()
	if skipped[skipStatsValue] != 1 || l.operations[classRead] != known(80) || l.ticks[classRead].Known {
		t.Errorf("skipped %v, load %+v", skipped, l)
	}
	if l := ParseStats([]byte("Max requests in flight: 4\n"), noSkip).Connections[0]; l.MaxInFlight != 4 || l.load() != (load{}) {
		t.Errorf("connection %+v", l)
	}
}

func TestOddStats(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		reason string
		check  func(*Stats) bool
	}{
		"negative": {"1) \\\\h\\a\nReads: -5 total 1 failed\nWrites: 2 total 0 failed\nOplockBreaks: 0 sent 0 failed\n", skipStatsValue, func(s *Stats) bool {
			return !s.Shares[0].Operations[classRead].Known && s.Shares[0].Operations[classWrite] == known(2)
		}},
		"word":               {"1) \\\\h\\a\nBytes read: many  Bytes written: 7\nOplockBreaks: 0 sent 0 failed\n", skipStatsValue, func(s *Stats) bool { return s.Shares[0].ReadBytes == Absent && s.Shares[0].WriteBytes == 7 }},
		"beyond 64 bits":     {"1) \\\\h\\a\nBytes read: 18446744073709551615  Bytes written: 7\n", skipStatsValue, func(s *Stats) bool { return s.Shares[0].ReadBytes == Absent && s.Shares[0].WriteBytes == 7 }},
		"no name":            {"1) here\nReads: 5 Bytes: 5\n", skipStatsLine, func(s *Stats) bool { return len(s.Shares) == 0 }},
		"command of a later": {strings.Replace(table(1, 1), "  18\t", "  19\t1\t1\t\t1\t1\n  18\t", 1), skipStatsLine, func(s *Stats) bool { return s.Connections[0].Commands[18].Count == 180 }},
		"row cut short":      {strings.Replace(table(1, 1), "  8\t\t80\t800\t\t1\t2\n", "  8\t\t80\n", 1), skipStatsValue, func(s *Stats) bool { return !s.Connections[0].Commands[8].Count.Known() }},
		"negative time":      {strings.Replace(table(1, 1), "  8\t\t80\t800", "  8\t\t80\t-800", 1), skipStatsValue, func(s *Stats) bool { return !s.Connections[0].Commands[8].Time.Known() }},
	} {
		skipped, skip := counts()
		s := ParseStats([]byte(c.text), skip)
		if skipped[c.reason] == 0 || len(skipped) > 1 || !c.check(s) {
			t.Errorf("%s: skipped %v, %+v", name, skipped, s)
		}
	}
}

// TestCutStats: whatever byte a file ends at, what it still says is what the whole file says.
func TestCutStats(t *testing.T) {
	text := []byte(own(t, "stats-mixed") + table(250, 3) + table(250, 9) + "\n3) \\\\h\\a\nReads: 2 total 0 failed\nOplockBreaks: 1 sent 1 failed\n")
	whole := ParseStats(text, noSkip)
	for end := range text {
		got := ParseStats(text[:end], noSkip)
		if len(got.Shares) > len(whole.Shares) || len(got.Connections) > len(whole.Connections) {
			t.Fatalf("cut at %d: %d shares, %d connections", end, len(got.Shares), len(got.Connections))
		}
		for i := range got.Shares {
			if problem := partOfShare(&whole.Shares[i], &got.Shares[i]); problem != "" {
				t.Fatalf("cut at %d, after %q: %s", end, text[max(0, end-40):end], problem)
			}
		}
		for i := range got.Connections {
			l, all := got.Connections[i].load(), whole.Connections[i].load()
			if l != (load{}) && l != all {
				t.Fatalf("cut at %d: connection %+v", end, got.Connections[i])
			}
		}
	}
}

func partOfShare(whole, got *Share) string {
	for _, pair := range [][2]Number{
		{whole.ReadBytes, got.ReadBytes}, {whole.WriteBytes, got.WriteBytes}, {whole.OpenFiles, got.OpenFiles}, {whole.Requests, got.Requests},
	} {
		if pair[1] != Absent && pair[1] != pair[0] {
			return fmt.Sprintf("%d, not %d", pair[1], pair[0])
		}
	}
	for kind := range classes {
		for _, pair := range [][2]sum{{whole.Operations[kind], got.Operations[kind]}, {whole.Errors[kind], got.Errors[kind]}} {
			if pair[1].Known && pair[1] != pair[0] {
				return fmt.Sprintf("class %s: %v, not %v", kind, pair[1], pair[0])
			}
		}
	}
	if string(whole.Name) != string(got.Name) {
		return fmt.Sprintf("name %q", got.Name)
	}
	return ""
}

func TestOpenFiles(t *testing.T) {
	key := TreeKey{Session: 0x70, Tree: 0x5}
	for name, c := range map[string]struct {
		text    string
		want    map[TreeKey][]string
		session bool
		skipped map[string]int
	}{
		"Linux 6": {
			"# Version:1\n# Format:\n# <tree id> <ses id> <persistent fid> <flags> <count> <pid> <uid> <filename>\n" +
				"0x5 0x70 0x1 0xc000 2 2020 0 my file\n0x5 0x70 0x2 0xc000 2 2020 0 my file\n0x5 0x70 0x3 0xc000 2 2020 0 é\n0x6 0x70 0x1 0x0 1 1 0 x\n\n",
			map[TreeKey][]string{key: {"my file", "é"}, {0x70, 0x6}: {"x"}}, true, nil,
		},
		"Linux 5": {
			"# <tree id> <persistent fid> <flags> <count> <pid> <uid> <filename>\n0x5 0x1 0xc000 2 2020 0 a b\n",
			map[TreeKey][]string{{0, 0x5}: {"a b"}}, false, nil,
		},
		"debug kernel": {
			"# <tree id> <ses id> <persistent fid> <flags> <count> <pid> <uid> <filename> <mid>\n0x5 0x70 0x1 0xc000 2 2020 0 a b 77\n0x5 0x70 0x1 0xc000 2 2020 0 a b 78\n",
			map[TreeKey][]string{key: {"a b"}}, true, nil,
		},
		"leases": {
			"# <tree id> <ses id> <persistent fid> <flags> <count> <pid> <uid> <filename> <lease> <lease-key>\n" +
				"0x5 0x70 0x1 0xc000 2 2020 0 a b RHW d73b-1\n0x5 0x70 0x2 0xc000 2 2020 0 a b RHW d73b-2\n0x5 0x70 0x3 0xc000 2 2020 0 c NONE 0000-0\n",
			map[TreeKey][]string{key: {"d73b-1", "d73b-2", "c"}}, true, nil,
		},
		"odd": {
			"0x5 0x70 0x1 0xc000 2 2020 0 a\n# <tree id> <ses id> <filename>\n0x5\nx 0x70 a\n0x5 y a\n0x5 0x70 a\n0x5 0x70 b",
			map[TreeKey][]string{key: {"a"}}, true, map[string]int{skipOpenFileLine: 4, skipOpenFilesCut: 1},
		},
		"nothing": {"", map[TreeKey][]string{}, false, nil},
	} {
		skipped, skip := counts()
		got := ParseOpenFiles([]byte(c.text), skip)
		if diff := cmp.Diff(c.want, got.Files); diff != "" || got.HasSession != c.session {
			t.Errorf("%s: session %t\n%s", name, got.HasSession, diff)
		}
		if diff := cmp.Diff(len(c.skipped), len(skipped)); diff != "" || skipped[skipOpenFileLine] != c.skipped[skipOpenFileLine] {
			t.Errorf("%s: skipped %v", name, skipped)
		}
	}
}
