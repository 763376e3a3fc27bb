package nfs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/internal/capturetest"
	"github.com/nasight/nasight/schema"
)

// publicFacts is what a published mountstats file holds and what the collector must make of it.
type publicFacts struct {
	mounts      int
	lines       map[string]int // xprt lines by protocol
	operations  int            // per-op lines
	withErrors  int            // of these, lines that have the column of errors
	connections map[string]float64
	sends       map[string]float64
	connects    map[string]float64 // these three by server address and version
	badXIDs     Number             // over all lines
	versions    []string           // one a mount, sorted
	security    string
	skipped     map[string]int
}

// The stated conclusions that are not held to here, and why:
//   - procfs-26231 is described as v3; its options say vers=4.0.
//   - node-exporter-dup-… is described as lacking the age lines; all three stanzas have one, and none has a fsc line,
//     which is only there with a local cache.
//   - pcp-v42-krb5p has a time below zero as well, in ACCESS, which is not mentioned.
//   - "Reconnect storm" is said of 193 connects in pcp-shared-xprt-…, which took 145 days, and of 105 to 306 in
//     pcp-el87-…, which took 13.5 days (and hold for /work, 106 to 111, too): 1 to 23 a day is what a client does that
//     closes a connection after five idle minutes. The 5808 to 18341 of procfs-rdma-…, one in 69 to 219 s, are one.
func publicTable() map[string]publicFacts {
	return map[string]publicFacts{
		"pcp-el8-rpc11-v3-v40-v41-v42.txt": {
			mounts: 4, lines: map[string]int{"tcp": 4}, operations: 205, withErrors: 205,
			connections: map[string]float64{"192.168.122.24 3": 1, "192.168.122.27 4.0": 1, "rhel7u6-node2 4.1": 1, "rhel8u0-node2-beta 4.2": 1},
			versions:    []string{"3", "4.0", "4.1", "4.2"}, security: "sys",
		},
		"pcp-el8-rpc10-v3-v40-v41-v42.txt": {
			mounts: 4, lines: map[string]int{"tcp": 4}, operations: 205, withErrors: 0,
			connections: map[string]float64{"192.168.122.24 3": 1, "192.168.122.27 4.0": 1, "rhel7u6-node2 4.1": 1, "rhel8u0-node2-beta 4.2": 1},
			versions:    []string{"3", "4.0", "4.1", "4.2"}, security: "sys",
		},
		"pcp-el87-rdma-nconnect8.txt": {
			mounts: 10, lines: map[string]int{"rdma": 80}, operations: 220, withErrors: 220, badXIDs: 6, security: "sys",
			connections: map[string]float64{
				"10.6.159.1 3": 8, "10.6.159.6 3": 8, "10.6.159.7 3": 8, "10.6.159.18 3": 8, "10.6.159.23 3": 8,
				"10.6.159.24 3": 8, "10.6.159.25 3": 8, "10.6.159.27 3": 8, "10.6.159.29 3": 8, "10.6.159.30 3": 8,
			},
			versions: slices.Repeat([]string{"3"}, 10),
		},
		"pcp-shared-xprt-v3-v4-v41.txt": {
			mounts: 4, lines: map[string]int{"tcp": 4}, operations: 144, security: "sys",
			connections: map[string]float64{"10.113.10.9 3": 1, "192.0.2.235 4.0": 1, "192.0.2.235 4.1": 1},
			sends:       map[string]float64{"10.113.10.9 3": 73641, "192.0.2.235 4.0": 69698, "192.0.2.235 4.1": 279772},
			connects:    map[string]float64{"10.113.10.9 3": 193, "192.0.2.235 4.0": 1, "192.0.2.235 4.1": 1},
			versions:    []string{"3", "3", "4.0", "4.1"},
		},
		"pcp-ten-mounts-one-xprt.txt": {
			mounts: 10, lines: map[string]int{"tcp": 10}, operations: 220, badXIDs: 30, security: "sys", // 3, shown ten times
			connections: map[string]float64{"192.168.1.100 3": 1},
			sends:       map[string]float64{"192.168.1.100 3": 13563},
			connects:    map[string]float64{"192.168.1.100 3": 207},
			versions:    slices.Repeat([]string{"3"}, 10),
		},
		"pcp-v42-krb5p.txt": {
			mounts: 1, lines: map[string]int{"tcp": 1}, operations: 60, security: "krb5p",
			connections: map[string]float64{"nfs.f24.local 4.2": 1},
			sends:       map[string]float64{"nfs.f24.local 4.2": 653672},
			connects:    map[string]float64{"nfs.f24.local 4.2": 1},
			versions:    []string{"4.2"}, skipped: map[string]int{skipMountstatsValue: 1},
		},
		"pcp-no-nfs-mounts.txt": {},
		"node-exporter-dup-udp-tcp-wrapped-counter.txt": {
			mounts: 3, lines: map[string]int{"tcp": 2, "udp": 1}, operations: 11, security: "sys",
			connections: map[string]float64{"192.168.1.1 3": 1, "192.168.1.1 4.0": 1},
			sends:       map[string]float64{"192.168.1.1 3": 6428, "192.168.1.1 4.0": 6428},
			connects:    map[string]float64{"192.168.1.1 4.0": 1}, // UDP has none
			versions:    []string{"3", "4.0", "4.0"}, skipped: map[string]int{skipMountstatsValue: 2},
		},
		"telegraf-mixed-whitespace.txt": {
			mounts: 4, lines: map[string]int{"tcp": 4}, operations: 159, withErrors: 68, badXIDs: 28, security: "sys",
			connections: map[string]float64{"192.0.2.4 3": 1, "192.0.2.22 4.0": 1, "192.0.2.54 3": 1, "nfsserver2 4.2": 1},
			versions:    []string{"3", "3", "4.0", "4.2"},
		},
		"procfs-26231.txt": {
			mounts: 1, lines: map[string]int{"tcp": 1}, operations: 4, security: "sys",
			connections: map[string]float64{"192.168.1.1 4.0": 1},
			versions:    []string{"4.0"}, skipped: map[string]int{skipMountstatsValue: 1},
		},
		"procfs-extended-ops-v41-write-queue.txt": {
			mounts: 1, lines: map[string]int{"tcp": 1}, operations: 63, withErrors: 63, security: "sys",
			connections: map[string]float64{"fs.example.com 4.1": 1},
			versions:    []string{"4.1"},
		},
		"procfs-rdma-nconnect16-2PB.txt": {
			mounts: 1, lines: map[string]int{"rdma": 16}, operations: 22, withErrors: 22, badXIDs: 694, security: "sys",
			connections: map[string]float64{"172.16.40.20 3": 16},
			sends:       map[string]float64{"172.16.40.20 3": 7729061226},
			versions:    []string{"3"},
		},
		"sysstat-proc-net-rpc-nfs.txt": {}, // /proc/net/rpc/nfs, no mountstats
	}
}

func TestPublicMountstats(t *testing.T) {
	table := publicTable()
	names := capturetest.PublicNames(t, "mountstats")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(table)), names); diff != "" {
		t.Errorf("files (-table +directory):\n%s", diff)
	}
	for name, want := range table {
		t.Run(name, func(t *testing.T) {
			text := string(capturetest.Public(t, "mountstats/"+name))
			skipped, skip := counts()
			checkStanzas(t, want, parseAll(text, skip))
			if diff := cmp.Diff(want.skipped, skipped); diff != "" && len(want.skipped)+len(skipped) > 0 {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			checkCollected(t, want, text)
		})
	}
}

// checkStanzas compares what the parser reads.
func checkStanzas(t *testing.T, want publicFacts, stanzas []Stanza) {
	t.Helper()
	got := publicFacts{mounts: len(stanzas), lines: map[string]int{}}
	for _, stanza := range stanzas {
		for _, transport := range stanza.Transports {
			got.lines[string(transport.Protocol)]++
			got.badXIDs += transport.Values[BadXIDs]
		}
		for _, operation := range stanza.Operations {
			got.operations++
			if operation.Values[Errors].Known() {
				got.withErrors++
			}
		}
	}
	if got.mounts != want.mounts || !maps.Equal(got.lines, want.lines) || got.badXIDs != want.badXIDs {
		t.Errorf("%d mounts, lines %v, %d bad ids; want %d, %v, %d", got.mounts, got.lines, got.badXIDs, want.mounts, want.lines, want.badXIDs)
	}
	if got.operations != want.operations || got.withErrors != want.withErrors {
		t.Errorf("%d operations, %d with errors; want %d, %d", got.operations, got.withErrors, want.operations, want.withErrors)
	}
}

// checkCollected compares what the collector makes of it; collect also holds every series to being there once.
func checkCollected(t *testing.T, want publicFacts, text string) {
	t.Helper()
	root := hostWith(map[string]string{"proc/self/mountstats": text})
	if want.mounts == 0 { // another file in place of mountstats is a fault, not a host without mounts
		err := New(root).Collect(t.Context(), &recorder{})
		hasDevices := strings.Contains(text, "device ")
		if err == nil || errors.Is(err, collectors.ErrNoData) != hasDevices || strings.Contains(err.Error(), "lists no file system") == hasDevices {
			t.Errorf("error %v of a file with devices: %t", err, hasDevices)
		}
		return
	}
	r := collect(t, root)
	if diff := cmp.Diff(want.connections, r.values(schema.NFSTransports, "server", "version")); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
	for family, values := range map[*schema.Family]map[string]float64{schema.NFSSends: want.sends, schema.NFSConnects: want.connects} {
		if diff := cmp.Diff(values, r.values(family, "server", "version")); values != nil && diff != "" {
			t.Errorf("%s (-want +got):\n%s", family.Name, diff)
		}
	}
	versions := slices.Sorted(maps.Values(r.infoLabels("version")))
	if !slices.Equal(versions, want.versions) {
		t.Errorf("versions %q, want %q", versions, want.versions)
	}
	for device, security := range r.infoLabels("security") {
		if security != want.security {
			t.Errorf("security of %s is %q, want %q", device, security, want.security)
		}
	}
	if errors := len(r.values(schema.NFSErrors)); (errors > 0) != (want.withErrors > 0) {
		t.Errorf("%d families of errors for %d lines with the column", errors, want.withErrors)
	}
}

// mean is an operation's sum of a time over its count, in milliseconds.
func mean(t *testing.T, stanza Stanza, operation string, field int) string {
	t.Helper()
	for _, o := range stanza.Operations {
		if string(o.Name) == operation {
			return fmt.Sprintf("%.1f", float64(o.Values[field])/float64(o.Values[Operations]))
		}
	}
	t.Fatalf("no operation %s", operation)
	return ""
}

func TestPublicMountstatsTimes(t *testing.T) {
	for _, test := range []struct{ file, operation, queue, rtt string }{
		{"procfs-extended-ops-v41-write-queue.txt", "WRITE", "1246.4", "31.5"},
		{"procfs-rdma-nconnect16-2PB.txt", "READ", "2.4", "11.8"},
	} {
		stanza, _ := one(t, string(capturetest.Public(t, "mountstats/"+test.file)))
		if queue, rtt := mean(t, stanza, test.operation, QueueMillis), mean(t, stanza, test.operation, RTTMillis); queue != test.queue || rtt != test.rtt {
			t.Errorf("%s: %s queued %s ms, took %s ms; want %s, %s", test.file, test.operation, queue, rtt, test.queue, test.rtt)
		}
	}
}

// Numbers that a careless reader loses: a queue's sum beyond 32 bits, bytes beyond 2^50, a range of connects.
func TestPublicRDMAExtremes(t *testing.T) {
	stanza, _ := one(t, string(capturetest.Public(t, "mountstats/procfs-rdma-nconnect16-2PB.txt")))
	fewest, most, backlog := Absent, Number(0), Number(0)
	for _, transport := range stanza.Transports {
		fewest, most = min(fewest, transport.Values[Connects]), max(most, transport.Values[Connects])
		backlog = max(backlog, transport.Values[BacklogSum])
	}
	if fewest != 5808 || most != 18341 || backlog != 3970332320 || stanza.Age != 1270876 {
		t.Errorf("connects %d to %d in %d s, backlog %d", fewest, most, stanza.Age, backlog)
	}
	if read := stanza.Operations[slices.IndexFunc(stanza.Operations, func(o Operation) bool { return string(o.Name) == "READ" })]; read.Values[BytesReceived] != 2013540728551504 {
		t.Errorf("READ brought %d bytes", read.Values[BytesReceived])
	}
}

// The counter below zero, printed as 2^64 - x, gives no time: the queue's is absent, the round trips' is there.
func TestPublicWrappedCounter(t *testing.T) {
	for _, file := range []string{"node-exporter-dup-udp-tcp-wrapped-counter.txt", "procfs-26231.txt"} {
		stanzas := parseAll(string(capturetest.Public(t, "mountstats/"+file)), noSkip)
		last := stanzas[len(stanzas)-1].Operations
		access := last[len(last)-1]
		if string(access.Name) != "ACCESS" || access.Values[QueueMillis].Known() || access.Values[RTTMillis] != 1667369447 {
			t.Errorf("%s: %s %v", file, access.Name, access.Values)
		}
	}
}

// Reconnects by export: the same one is mounted twice, from two addresses and at one mount point.
func TestPublicRDMAConnects(t *testing.T) {
	ranges := map[string][2]Number{}
	for _, stanza := range parseAll(string(capturetest.Public(t, "mountstats/pcp-el87-rdma-nconnect8.txt")), noSkip) {
		source := string(stanza.Source)
		found, ok := ranges[source]
		if !ok {
			found[0] = Absent
		}
		for _, transport := range stanza.Transports {
			found[0], found[1] = min(found[0], transport.Values[Connects]), max(found[1], transport.Values[Connects])
		}
		ranges[source] = found
	}
	want := map[string][2]Number{
		"example.com:/group": {105, 114}, "example.com:/home": {299, 306}, "example.com:/work": {106, 111},
		"example.com:/icds": {1, 11}, "example.com:/icds-prod": {1, 1}, "example.com:/icds-test": {0, 6},
		"example.com:/icds-pcp-data": {1, 1},
	}
	if diff := cmp.Diff(want, ranges); diff != "" {
		t.Errorf("connects (-want +got):\n%s", diff)
	}
}
