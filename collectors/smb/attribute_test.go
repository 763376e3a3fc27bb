package smb

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

// pairs writes values by name, in order.
func pairs(values map[string]float64) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, name+"="+strconv.FormatFloat(values[name], 'f', -1, 64))
	}
	return strings.Join(out, " ")
}

// connected is a host with servers of the given names, each with the numbers of its connections, the first one primary.
type connected struct {
	name  string
	ids   []int
	reads map[int]int // by connection
}

// hostOf writes DebugData and Stats of servers as the kernel does: DebugData by server, Stats by number, newest first.
func hostOf(servers ...connected) files {
	var debug strings.Builder
	debug.WriteString("CIFS Version 2.51\n\nServers: ")
	byID := map[int]string{}
	for i, s := range servers {
		n := strconv.Itoa
		debug.WriteString("\n" + n(i+1) + ") ConnectionId: 0x" + strconv.FormatInt(int64(s.ids[0]), 16) + " Hostname: " + s.name +
			" \nNumber of credits: 9,1,1 Dialect 0x311\nTCP status: 1\n\n\tSessions: \n\t1) Address: " + s.name + " Uses: 1\tSession Status: 1 \n\tSecurity type: RawNTLMSSP  SessionId: 0x1\n\tUser: 0 Cred User: 0\n")
		if len(s.ids) > 1 {
			debug.WriteString("\n\tExtra Channels: " + n(len(s.ids)-1) + " \n")
		}
		for at, id := range s.ids {
			text := "\nMax requests in flight: " + n(id) + strings.TrimPrefix(strings.Replace(table(250, 0), "  8\t\t80\t800\t", "  8\t\t"+n(s.reads[id])+"\t"+n(250*s.reads[id])+"\t", 1), "\nMax requests in flight: 0")
			if at > 0 {
				debug.WriteString("\n\t\tChannel: " + n(at+1) + " ConnectionId: 0x" + strconv.FormatInt(int64(id), 16) + "\n\t\tNumber of credits: 9 Dialect 0x311\n\t\tTCP status: 1\n")
			} else {
				text += "\n1) \\\\" + s.name + "\\data\nBytes read: 1  Bytes written: 0\nReads: 5 total 0 failed\nOplockBreaks: 0 sent 0 failed\n"
			}
			byID[id] = text
		}
		debug.WriteString("\n\tShares: \n\t0) IPC: none\n\n\t1) \\\\" + s.name + "\\data Mounts: 1 DevInfo: 0x20\n\ttid: 0x1\n\n\tMIDs: \n--\n")
	}
	stats := "0 session 0 share reconnects\n"
	ids := slices.Sorted(maps.Keys(byID))
	slices.Reverse(ids)
	for _, id := range ids {
		stats += byID[id]
	}
	return files{debugFile: debug.String() + "\n", statsFile: stats}
}

const a, b = "192.0.2.1", "192.0.2.2"

// TestChannelsMadeLater: a channel that was added after another server was mounted stands among that server's in Stats.
func TestChannelsMadeLater(t *testing.T) {
	f := hostOf(connected{b, []int{3}, map[int]int{3: 1000}}, connected{a, []int{1, 2, 4}, map[int]int{1: 1, 2: 2, 4: 4}})
	sink := collect(t, hostWith(f))
	if got := pairs(of(sink, schema.SMBMaxInFlight, schema.Server)); got != a+"=4 "+b+"=3" {
		t.Error(got)
	}
	for _, family := range []*schema.Family{schema.SMBEndpointOperations, schema.SMBEndpointRTT} {
		got := of(sink, family, schema.Server, schema.Class)
		if got[a+" read"] != 7 || got[b+" read"] != 1000 {
			t.Errorf("%s: %s", family.Name, pairs(got))
		}
	}
	if len(sink.Skips) > 0 {
		t.Errorf("skipped %v", sink.Skips)
	}
}

// TestFilesOfDifferentMoments: where the two files do not have the same connections, it is not known whose these are.
func TestFilesOfDifferentMoments(t *testing.T) {
	servers := []connected{{b, []int{3}, map[int]int{3: 10}}, {a, []int{1, 2}, map[int]int{1: 1, 2: 2}}}
	f := hostOf(servers...)
	before := f[statsFile]
	for name, stats := range map[string]string{
		"one less":         hostOf(servers[0], connected{a, []int{1}, nil})[statsFile],
		"one more":         hostOf(servers[0], connected{a, []int{1, 2, 4}, nil})[statsFile],
		"of other servers": hostOf(connected{a, []int{3}, nil}, connected{b, []int{1, 2}, nil})[statsFile],
	} {
		f[statsFile] = stats
		sink := collect(t, hostWith(f))
		if sink.Series(schema.SMBEndpointOperations)+sink.Series(schema.SMBMaxInFlight) > 0 || sink.Skips[skipStatsChanged] != 1 {
			t.Errorf("%s: %s, skipped %v", name, pairs(of(sink, schema.SMBMaxInFlight, schema.Server)), sink.Skips)
		}
		if sink.Series(schema.SMBReadBytes) != 2 || sink.Series(schema.SMBChannels) != 2 {
			t.Errorf("%s: the rest is lost", name)
		}
	}
	f[statsFile] = before
	if sink := collect(t, hostWith(f)); sink.Series(schema.SMBMaxInFlight) != 2 {
		t.Error("the same moment is not known")
	}
}

// TestOldConnections: kernels without numbers list a session's further channels before the first one, whose shares follow.
func TestOldConnections(t *testing.T) {
	f := hostOf(connected{b, []int{3}, map[int]int{3: 10}}, connected{a, []int{1, 2}, map[int]int{1: 1, 2: 2}})
	delete(f, debugFile)
	sink := collect(t, hostWith(f))
	if got := pairs(of(sink, schema.SMBMaxInFlight, schema.Server)); got != a+"=2 "+b+"=3" {
		t.Error(got)
	}
	got := of(sink, schema.SMBEndpointOperations, schema.Server, schema.Class)
	if got[a+" read"] != 3 || got[b+" read"] != 10 {
		t.Error(pairs(got))
	}
}

// TestChannelGone: what a channel did before it went stays in the sum, which would pass for a new start if it fell.
func TestChannelGone(t *testing.T) {
	c := New(collectors.Root{})
	for step, s := range []struct {
		server connected
		reads  float64
	}{
		{connected{a, []int{1, 2, 4}, map[int]int{1: 100, 2: 200, 4: 400}}, 700},
		{connected{a, []int{1, 2}, map[int]int{1: 110, 2: 220}}, 730},          // 4 is gone
		{connected{a, []int{1, 2, 5}, map[int]int{1: 110, 2: 220, 5: 7}}, 737}, // another one in its place
		{connected{a, []int{1, 2, 5}, map[int]int{1: 120, 2: 5, 5: 8}}, 753},   // 2 counts anew
		{connected{a, []int{1, 2, 5}, map[int]int{1: 1, 2: 2, 5: 3}}, 6},       // so do all: the kernel's counters were cleared
		{connected{a, []int{7}, map[int]int{7: 4}}, 4},                         // mounted anew
	} {
		sink := again(t, c, hostWith(hostOf(s.server)))
		if got := of(sink, schema.SMBEndpointOperations, schema.Class)["read"]; got != s.reads {
			t.Errorf("step %d: %v reads, not %v", step, got, s.reads)
		}
		if got := of(sink, schema.SMBChannels, schema.Server)[a]; got != float64(len(s.server.ids)) {
			t.Errorf("step %d: %v channels", step, got)
		}
	}
}

// TestUserGone: the same holds for the users' connections to a share, and a share's counters may fall when it is mounted anew.
func TestUserGone(t *testing.T) {
	const name = `\\files.example.com\data (old) #1 [x] é`
	share := func(bytes string) string {
		return "1) " + name + "\nBytes read: " + bytes + "  Bytes written: 0\n"
	}
	both := own(t, "debug-multiuser")
	one, _, _ := strings.Cut(both, "\n\t2) Address")
	one += "\n"
	c := New(collectors.Root{})
	for step, s := range []struct {
		debug, stats string
		want         float64
	}{
		{both, share("100") + share("50"), 150},
		{one, share("110"), 160},
		{both, share("110") + share("5"), 165},
		{one, share("3"), 3},
		{one, share("1"), 1},
	} {
		sink := again(t, c, hostWith(files{debugFile: s.debug, statsFile: s.stats}))
		if got := of(sink, schema.SMBReadBytes)[""]; got != s.want {
			t.Errorf("step %d: %v bytes, not %v", step, got, s.want)
		}
	}
}

// TestLedgerForgets: an account that is not asked for is kept for a while, as files of different moments are passing.
func TestLedgerForgets(t *testing.T) {
	var l ledger
	parts := func(values ...float64) map[part][]float64 {
		all := map[part][]float64{}
		for i, value := range values {
			all[part{connection: Number(i)}] = []float64{value}
		}
		return all
	}
	total := func(want float64, values ...float64) {
		t.Helper()
		if got := l.total("x", parts(values...), 1)[0]; got != want {
			t.Errorf("total %v, not %v", got, want)
		}
	}
	l.next()
	total(30, 10, 20)
	for range keepRuns {
		l.next()
	}
	total(31, 11)
	for range keepRuns + 1 {
		l.next()
	}
	total(12, 12)
	if len(l.accounts) != 1 {
		t.Errorf("%d accounts", len(l.accounts))
	}
}

// What was unmounted while its server was dead stays with the kernel for a while, and is nobody's share.
func TestAbandonedShareIsNone(t *testing.T) {
	f := hostOf(connected{a, []int{1}, map[int]int{1: 10}})
	if got := collect(t, hostWith(f)).Series(schema.SMBMountInfo); got != 1 {
		t.Fatalf("%d shares of another mount namespace, want 1", got)
	}
	f[debugFile] = strings.NewReplacer("TCP status: 1", "TCP status: 3", "Cred User: 0\n", "Cred User: 0\tPrimary channel: DISCONNECTED \n").Replace(f[debugFile])
	if got := collect(t, hostWith(f)).Series(schema.SMBMountInfo); got != 0 {
		t.Errorf("%d shares that are neither mounted nor served, want none", got)
	}
	f["self/mountinfo"] = "40 20 0:50 / /mnt/s rw - cifs //" + a + "/data rw,vers=3.1.1,addr=" + a + "\n"
	if got := collect(t, hostWith(f)).Series(schema.SMBMountInfo); got != 1 {
		t.Errorf("%d mounted shares of a dead server, want 1", got)
	}
}

// A session lives as long as one of its channels does: its share is in use although the first connection is lost.
func TestShareIsServedByAnyChannel(t *testing.T) {
	f := hostOf(connected{a, []int{1, 2}, map[int]int{1: 10, 2: 10}})
	f[debugFile] = strings.Replace(f[debugFile], "TCP status: 1", "TCP status: 3", 1)
	sink := collect(t, hostWith(f))
	if up := of(sink, schema.SMBChannelsUp, schema.Server)[a]; up != 1 {
		t.Fatalf("%v channels are up, want the extra one", up)
	}
	if got := sink.Series(schema.SMBMountInfo); got != 1 {
		t.Errorf("%d shares of another mount namespace over the channel that is up, want 1", got)
	}
	f[debugFile] = strings.Replace(f[debugFile], "TCP status: 1", "TCP status: 3", 1)
	if got := collect(t, hostWith(f)).Series(schema.SMBMountInfo); got != 0 {
		t.Errorf("%d shares with every channel down, want none", got)
	}
}
