package smb

import (
	"strings"
	"testing"

	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// publicFacts is what a published file holds, by family, in the form of pairs.
type publicFacts struct {
	family *schema.Family
	by     []string
	want   string
}

// TestPublic holds the collector to what is said of published files of other kernels. They say nothing of mounts, so
// that the server's label is the name where no address is printed. Two statements are not held to as they stand:
//   - pcp-stats-3.17-… is said to have no bytes read; it has no such line, but it counts them behind the reads.
//   - the counts of all SMBs that are named are no series; they are checked with the parser.
func TestPublic(t *testing.T) {
	byShare := []string{schema.Export}
	for name, facts := range map[string][]publicFacts{
		"pcp-stats-3.17-smb1-three-shares.txt": {
			{schema.SMBReadBytes, byShare, "cifs-one=0 cifs-three=0 cifs-two=0"},
			{schema.SMBErrors, byShare, ""},
			{schema.SMBSessionReconnects, nil, "=0"},
		},
		"pcp-stats-4.15-smb2-sent-failed.txt": {
			{schema.SMBReadBytes, byShare, ""},
			{schema.SMBOperations, []string{schema.Server, schema.Export, schema.Class}, "fubar.example.com mysmbuser attr=99 " +
				"fubar.example.com mysmbuser close=19 fubar.example.com mysmbuser commit=21 fubar.example.com mysmbuser dir=42 " +
				"fubar.example.com mysmbuser notify=45 fubar.example.com mysmbuser open=16 fubar.example.com mysmbuser other=117 " +
				"fubar.example.com mysmbuser read=24 fubar.example.com mysmbuser write=27"},
			{schema.SMBErrors, []string{schema.Class}, "data=78 metadata=354"},
			{schema.SMBSessionReconnects, nil, "=2"}, {schema.SMBShareReconnects, nil, "=2"},
		},
		"pcp-stats-6.16-two-shares.txt": {
			{schema.SMBReadBytes, byShare, "cifsrhel=0 cifstest=0"},
			{schema.SMBMaxInFlight, []string{schema.Server}, "192.168.122.242=11 192.168.122.29=9"},
			{schema.SMBEndpointOperations, nil, ""},
		},
		"pcp-debugdata-4.15.txt": {
			{schema.SMBChannels, []string{schema.Server}, "10.10.176.135=1"}, {schema.SMBSessions, nil, "=1"}, {schema.SMBCredits, nil, "=5"},
			{schema.SMBEndpointInfo, []string{schema.Version, "multichannel"}, " unknown=1"},
		},
		"pcp-debugdata-6.16-two-servers.txt": {
			{schema.SMBChannels, []string{schema.Server}, "192.168.122.242=1 192.168.122.29=1"},
			{schema.SMBSessions, []string{schema.Server}, "192.168.122.242=1 192.168.122.29=1"},
			{schema.SMBCredits, []string{schema.Server}, "192.168.122.242=1460 192.168.122.29=983"},
			{schema.SMBEndpointInfo, []string{schema.Server, schema.Version, "multichannel", "server_rss"},
				"192.168.122.242 3.1.1 true false=1 192.168.122.29 3.1.1 true false=1"},
		},
		"sysstat-root1-smb1-trailing-blanks.txt": {
			{schema.SMBReadBytes, byShare, "SHARED=196"}, {schema.SMBSessionReconnects, nil, "=75"}, {schema.SMBShareReconnects, nil, "=1"},
		},
		"sysstat-root2-two-shares.txt":      {{schema.SMBReadBytes, byShare, "SHARED=916 share1=91"}, {schema.SMBWriteBytes, byShare, "SHARED=123 share1=103"}},
		"sysstat-root3-two-shares-next.txt": {{schema.SMBReadBytes, byShare, "SHARED=916 share1=901"}, {schema.SMBWriteBytes, byShare, "SHARED=123 share1=803"}},
		"sysstat-root4-mixed-smb1-smb2.txt": {
			{schema.SMBReadBytes, byShare, "SHARED=196 name1=17"}, {schema.SMBOpenFiles, byShare, "name1=2"}, {schema.SMBErrors, []string{schema.Export, schema.Class}, "name1 data=22 name1 metadata=2"},
		},
		"sysstat-root5-mixed-next.txt": {{schema.SMBReadBytes, byShare, "SHARED=296 name1=917"}, {schema.SMBWriteBytes, byShare, "SHARED=56 name1=514"}, {schema.SMBOpenFiles, byShare, "name1=3"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := string(capturetest.Public(t, "cifs/"+name))
			f := files{statsFile: text}
			if strings.Contains(name, "debugdata") {
				f = files{debugFile: text}
			}
			sink := collect(t, hostWith(f))
			if len(sink.Skips) > 0 {
				t.Errorf("skipped %v", sink.Skips)
			}
			for _, fact := range facts {
				if got := pairs(of(sink, fact.family, fact.by...)); got != fact.want {
					t.Errorf("%s is %q, not %q", fact.family.Name, got, fact.want)
				}
			}
		})
	}
}

// TestPublicPair: the two files of one host agree on whose connection is whose.
func TestPublicPair(t *testing.T) {
	sink := collect(t, hostWith(files{
		debugFile: string(capturetest.Public(t, "cifs/pcp-debugdata-6.16-two-servers.txt")),
		statsFile: string(capturetest.Public(t, "cifs/pcp-stats-6.16-two-shares.txt")),
	}))
	if got := pairs(of(sink, schema.SMBMaxInFlight, schema.Server)); got != "192.168.122.242=11 192.168.122.29=9" || len(sink.Skips) > 0 {
		t.Errorf("%s, skipped %v", got, sink.Skips)
	}
	for name, want := range map[string][]Number{"pcp-stats-3.17-smb1-three-shares.txt": {37, 37, 50}, "pcp-stats-6.16-two-shares.txt": {179, 125}} {
		for i, share := range ParseStats(capturetest.Public(t, "cifs/"+name), noSkip).Shares {
			if share.Requests != want[i] {
				t.Errorf("%s: %d requests, not %d", name, share.Requests, want[i])
			}
		}
	}
}

// TestPublicRest: every other published file is read without a failure, whatever it may be.
func TestPublicRest(t *testing.T) {
	for _, name := range capturetest.PublicNames(t, "cifs") {
		text := string(capturetest.Public(t, "cifs/"+name))
		for _, file := range []string{debugFile, statsFile, openFiles} {
			sink := &capturetest.Sink{}
			_ = New(hostWith(files{debugFile: "", file: text})).Collect(t.Context(), sink)
			sink.Check(t)
		}
	}
}
