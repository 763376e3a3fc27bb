package smb

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline is what matters of a parsed server, in words.
type outline struct {
	Host, Dialect  string
	Credits, OnAir Number
	Status         Number
	Sessions       []sessionOutline
}

type sessionOutline struct {
	Address  string
	Status   Number
	Mark     Mark
	Channels int
	Trees    []string
	Ifaces   int
	Requests int
}

func outlines(d *Debug) []outline {
	var all []outline
	for _, s := range d.Servers {
		o := outline{string(s.Hostname), dialectName(s.Primary.Dialect), s.Primary.Credits, s.Primary.OnWire, s.Primary.Status, nil}
		for _, session := range s.Sessions {
			so := sessionOutline{
				string(session.Address), session.Status, session.Primary, 1 + len(session.Extra), nil,
				len(session.Interfaces), len(session.Requests),
			}
			for _, tree := range session.Trees {
				so.Trees = append(so.Trees, string(tree.Name))
			}
			o.Sessions = append(o.Sessions, so)
		}
		all = append(all, o)
	}
	return all
}

func TestDebugDataOfManyKernels(t *testing.T) {
	weird := `\\files.example.com\data (old) #1 [x] é`
	for name, want := range map[string][]outline{
		"debug-3.17": {
			{Credits: Absent, OnAir: 2, Status: 1, Sessions: []sessionOutline{
				{Address: "files.example.com", Status: Absent, Channels: 1, Trees: []string{`\\files.example.com\one`}, Requests: 2},
			}},
			{Credits: Absent, OnAir: 0, Status: 3, Sessions: []sessionOutline{
				{Address: "192.0.2.9", Status: 1, Channels: 1, Trees: []string{`\\192.0.2.9\two`}},
			}},
		},
		"debug-4.15": {{Credits: 12, OnAir: 0, Status: 1, Sessions: []sessionOutline{
			{Address: "files.example.com", Status: 1, Channels: 1, Trees: []string{`\\files.example.com\one`}},
		}}},
		"debug-5.4": {
			{Dialect: "3.1.1", Credits: 300, OnAir: Absent, Status: Absent},
			{Dialect: "3.1.1", Credits: 8100, OnAir: 3, Status: 1, Sessions: []sessionOutline{{
				Address: "files.example.com", Status: 1, Channels: 2, Ifaces: 2, Requests: 2,
				Trees: []string{`\\files.example.com\IPC$`, `\\files.example.com\one`},
			}}},
		},
		"debug-multiuser": {{
			Host: "files.example.com", Dialect: "3.0.2", Credits: 500, OnAir: 2, Status: 1, Sessions: []sessionOutline{
				{Address: "192.0.2.7", Status: 1, Channels: 1, Trees: []string{weird}, Requests: 2},
				{Address: "192.0.2.7", Status: 3, Mark: MarkReconnecting, Channels: 3, Trees: []string{`\\files.example.com\IPC$`, weird}, Requests: 3},
			},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			skipped, skip := counts()
			if diff := cmp.Diff(want, outlines(ParseDebugData([]byte(own(t, name)), skip))); diff != "" || len(skipped) > 0 {
				t.Errorf("skipped %v\n%s", skipped, diff)
			}
		})
	}
}

func TestDebugDataDetails(t *testing.T) {
	old := ParseDebugData([]byte(own(t, "debug-5.4")), noSkip).Servers[1]
	session := old.Sessions[0]
	want := []Interface{
		{Speed: 10e9, Address: []byte("192.0.2.7"), RSS: true, RDMA: true, Connected: true},
		{Speed: 1e9, Address: []byte("2001:0db8:0000:0000:0000:0000:0000:0007")},
	}
	if diff := cmp.Diff(want, session.Interfaces); diff != "" {
		t.Error(diff)
	}
	if !session.Encrypted || session.ID != 0xf00000000000abcd || !session.HasID || !session.whole || !session.Trees[1].Encrypted {
		t.Errorf("session %+v", session)
	}
	if got := session.Extra[0]; got != (Channel{ID: Absent, Credits: 300, Dialect: 0x311, Status: 1, OnWire: 4}) {
		t.Errorf("channel %+v", got)
	}
	users := ParseDebugData([]byte(own(t, "debug-multiuser")), noSkip).Servers[0]
	if got := users.Sessions[1]; got.User != 0 || string(got.Security) != "Kerberos" || got.Extra[0].ID != 8 ||
		got.Extra[1].MarkedAs != MarkReconnecting || !got.Trees[1].Disconnected || got.Trees[0].Disconnected || !got.Trees[0].IsIPC {
		t.Errorf("session %+v", got)
	}
	dfs := ParseDebugData([]byte(own(t, "debug-dfs")), noSkip)
	if got := dfs.Servers[0]; string(got.LeafPath) != `\\corp.example.com\dfs\team one` || got.Capabilities != 0x30006f || got.RDMA {
		t.Errorf("server %+v", got)
	}
	if got := dfs.Servers[1]; !got.RDMA || !got.Sessions[0].Encrypted || got.LeafPath != nil {
		t.Errorf("server %+v", got)
	}
}

// TestLayoutDoesNotMatter: wherever a text was wrapped, indented or its tabs were lost, it says the same.
func TestLayoutDoesNotMatter(t *testing.T) {
	for _, name := range []string{"debug-3.17", "debug-4.15", "debug-5.4", "debug-multiuser", "debug-dfs"} {
		text := own(t, name)
		want := outlines(ParseDebugData([]byte(text), noSkip))
		for kind, changed := range map[string]string{
			"no tabs":        strings.ReplaceAll(text, "\t", " "),
			"not indented":   strings.ReplaceAll(text, "\n\t", "\n"),
			"DOS line ends":  strings.ReplaceAll(text, "\n", "\r\n"),
			"no end":         strings.TrimRight(text, "\n"),
			"no empty lines": strings.ReplaceAll(strings.ReplaceAll(text, "\n\n", "\n"), "\n\n", "\n"),
			"wrapped": strings.NewReplacer("TCP status:", "TCP\nstatus:", "Req On Wire: ", "Req On\nWire:\n", " Mounts:", "\nMounts:",
				"Number of credits: ", "Number of credits:\n", "Session Status: ", "Session\nStatus:\n").Replace(text),
		} {
			if name == "debug-3.17" && kind == "no end" {
				continue // its last word is a key of nothing
			}
			if diff := cmp.Diff(want, outlines(ParseDebugData([]byte(changed), noSkip))); diff != "" {
				t.Errorf("%s, %s: %s", name, kind, diff)
			}
		}
	}
}

func TestOddValuesCostThemselves(t *testing.T) {
	text := own(t, "debug-multiuser")
	for name, c := range map[string]struct{ old, changed, reason string }{
		"negative credits": {"credits: 500,1,1", "credits: -1,1,1", skipDebugValue},
		"no dialect":       {"Dialect 0x302 signed", "Dialect new signed", skipDebugValue},
		"huge requests":    {"Req On Wire: 2 Net", "Req On Wire: 99999999999999999999 Net", skipDebugValue},
		"no session":       {"SessionId: 0x70", "SessionId: none", skipDebugValue},
		"no share":         {`#1 [x] é Mounts: 1 DevInfo: 0x20 Attributes: 0x1006f` + "\n\tPathComponentMax: 255 Status: 1", "Mount 1" + strings.Repeat(" x", 600), skipDebugShare},
	} {
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s: no %q", name, c.old)
		}
		skipped, skip := counts()
		d := ParseDebugData([]byte(strings.Replace(text, c.old, c.changed, 1)), skip)
		if diff := cmp.Diff(map[string]int{c.reason: 1}, skipped); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(d.Servers) != 1 || len(d.Servers[0].Sessions) != 2 || len(d.Servers[0].Sessions[1].Extra) != 2 {
			t.Errorf("%s: %+v", name, outlines(d))
		}
	}
}

func TestSpeeds(t *testing.T) {
	for text, want := range map[string]Number{
		"10Gbps": 10e9, "2.5Gbps": Absent, "100Mbps": 100e6, "7": 7, "7 bps": 7, "Unknown": Absent, "Gbps": Absent,
		"99999999999999999Tbps": Absent, "1Tbps": 1e12, "64Kbps": 64e3, "7Xbps": Absent,
	} {
		d := ParseDebugData([]byte("Servers:\n1) ConnectionId: 0x1\nSessions:\n1) Address: a\nServer interfaces: 1\n1) Speed: "+text+"\nCapabilities: rss\n"), noSkip)
		if got := d.Servers[0].Sessions[0].Interfaces[0]; got.Speed != want || !got.RSS {
			t.Errorf("%s is %d, not %d", text, got.Speed, want)
		}
	}
}

// TestNothingMountedInDebugData: neither the heading alone nor an odd text makes a server.
func TestNothingMountedInDebugData(t *testing.T) {
	for _, text := range []string{
		"", "Servers:", "Servers: \n\t[NONE]\n", "Channel: 1\nMIDs:\n--\nDISCONNECTED\nSpeed: 1\n\\\\a\\b Mounts: 1\nTCP status: 1\nShares:\nServer interfaces: 2\n",
		"Witness registrations:\n1) ConnectionId: 0x1\nNumber of credits: 4\n",
	} {
		if d := ParseDebugData([]byte(text), noSkip); len(d.Servers) > 0 {
			t.Errorf("%q: %+v", text, outlines(d))
		}
	}
}

// TestCutDebugData: whatever byte a file ends at, the servers before the last one are those of the whole file, and the
// last one has no number that differs.
func TestCutDebugData(t *testing.T) {
	for _, name := range []string{"debug-3.17", "debug-5.4", "debug-multiuser", "debug-dfs"} {
		text := []byte(own(t, name))
		whole := ParseDebugData(text, noSkip)
		for end := range text {
			got := ParseDebugData(text[:end], noSkip)
			if len(got.Servers) > len(whole.Servers) {
				t.Fatalf("%s cut at %d: %d servers", name, end, len(got.Servers))
			}
			for i := range got.Servers {
				checkPartOf(t, &whole.Servers[i], &got.Servers[i], i < len(got.Servers)-1)
			}
			if t.Failed() {
				t.Fatalf("%s cut at %d, after %q", name, end, text[max(0, end-40):end])
			}
		}
	}
}

func checkPartOf(t *testing.T, whole, got *Server, hasAll bool) {
	t.Helper()
	checkChannel(t, whole.Primary, got.Primary)
	if hasAll && len(whole.Sessions) != len(got.Sessions) || len(got.Sessions) > len(whole.Sessions) {
		t.Errorf("%d sessions of %d", len(got.Sessions), len(whole.Sessions))
		return
	}
	for i := range got.Sessions {
		all, session := &whole.Sessions[i], &got.Sessions[i]
		if session.reached > inChannels && len(session.Extra) != len(all.Extra) {
			t.Errorf("%d channels of %d", len(session.Extra), len(all.Extra))
		}
		for at := range session.Extra {
			checkChannel(t, all.Extra[at], session.Extra[at])
		}
		if session.whole && !slices.Equal(session.Requests, all.Requests) {
			t.Errorf("requests %v", session.Requests)
		}
		for at := range session.Trees {
			if string(session.Trees[at].Name) != string(all.Trees[at].Name) {
				t.Errorf("share %q", session.Trees[at].Name)
			}
		}
	}
}

func checkChannel(t *testing.T, whole, got Channel) {
	t.Helper()
	for _, pair := range [][2]Number{
		{whole.ID, got.ID}, {whole.Credits, got.Credits}, {whole.Dialect, got.Dialect}, {whole.Status, got.Status}, {whole.OnWire, got.OnWire},
	} {
		if pair[1] != Absent && pair[0] != pair[1] {
			t.Errorf("channel %+v of %+v", got, whole)
		}
	}
}
