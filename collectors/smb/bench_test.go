package smb

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors/internal/capturetest"
)

// The size of the host that the parsers are measured on.
const (
	benchSessions = 100
	benchChannels = 4
)

// benchHost writes out what a kernel of today prints.
func benchHost() files {
	servers := make([]connected, benchSessions)
	for i := range servers {
		ids := make([]int, benchChannels)
		reads := map[int]int{}
		for at := range ids {
			ids[at] = (benchSessions-i)*benchChannels + at
			reads[ids[at]] = 59248123 + at
		}
		servers[i] = connected{"192.0.2." + strconv.Itoa(i), ids, reads}
	}
	f := hostOf(servers...)
	f[debugFile] = strings.NewReplacer(
		" \nNumber of credits: 9,1,1 Dialect 0x311\nTCP status: 1\n",
		" \nClientGUID: 9A4FC811-37E6-C346-89C5-3223B2ECD9BE\nNumber of credits: 4195,1,1 Dialect 0x311\nServer capabilities: 0x30004f\n"+
			"TCP status: 1 Instance: 1\nLocal Users To Server: 4 SecMode: 0x1 Req On Wire: 1 Net namespace: 4026531840 \n"+
			"In Send: 0 In MaxReq Wait: 0\nCompression: no built-in support\n",
		"\t\tTCP status: 1\n", "\t\tTCP status: 1 Instance: 1\n\t\tLocal Users To Server: 1 SecMode: 0x1 Req On Wire: 2\n"+
			"\t\tIn Send: 0 In MaxReq Wait: 0 Net namespace: 4026531840 \n",
		"DevInfo: 0x20\n\ttid: 0x1\n\n\tMIDs: \n--\n",
		"DevInfo: 0x20 Attributes: 0x1006f\n\tPathComponentMax: 255 Status: 1 type: DISK Serial Number: 0x82a1a2b6\n"+
			"\tShare Capabilities: None Aligned, Partition Aligned,\tShare Flags: 0x0\n"+
			"\ttid: 0x18681a65\tOptimal sector size: 0x200\tMaximal Access: 0x1f01ff\n\n\n"+
			"\tServer interfaces: 1\tLast updated: 25 seconds ago\n\t1)\tSpeed: 10Gbps\n\t\tCapabilities: rss \n"+
			"\t\tIPv4: 192.0.2.1\n\t\tWeight (cur,total): (1,1)\n\t\tAllocated channels: 4\n\t\t[CONNECTED]\n\n\n\tMIDs: \n"+
			"\tServer ConnectionId: 0xd\n\t\tState: 2 com: 8 pid: 2027 cbdata: 00000000d4fe8257 mid 495\n--\n",
	).Replace(f[debugFile])
	return f
}

func TestParsersAllocateLittle(t *testing.T) {
	f := benchHost()
	debug, stats := []byte(f[debugFile]), []byte(f[statsFile])
	d, s := ParseDebugData(debug, noSkip), ParseStats(stats, noSkip)
	if len(d.Servers) != benchSessions || len(d.Servers[99].Sessions[0].Extra) != benchChannels-1 || len(s.Connections) != benchSessions*benchChannels || len(s.Shares) != benchSessions {
		t.Fatalf("%d servers, %d connections, %d shares", len(d.Servers), len(s.Connections), len(s.Shares))
	}
	// Sessions, channels and shares have slices of their own, which grow with their number.
	const mostDebug, mostStats = 9 * benchSessions, 20
	if got := testing.AllocsPerRun(5, func() { ParseDebugData(debug, noSkip) }); got > mostDebug {
		t.Errorf("DebugData: %v allocations, more than %d", got, mostDebug)
	}
	if got := testing.AllocsPerRun(5, func() { ParseStats(stats, noSkip) }); got > mostStats {
		t.Errorf("Stats: %v allocations, more than %d", got, mostStats)
	}
}

func BenchmarkParseDebugData(b *testing.B) {
	data := []byte(benchHost()[debugFile])
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		ParseDebugData(data, noSkip)
	}
}

func BenchmarkParseStats(b *testing.B) {
	data := []byte(benchHost()[statsFile])
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		ParseStats(data, noSkip)
	}
}

// BenchmarkCollect measures a whole run on such a host.
func BenchmarkCollect(b *testing.B) {
	c := New(hostWith(benchHost()))
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Collect(b.Context(), capturetest.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
}
