package nfs

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func published(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/mountstats", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// stanzaText is a stanza with the given lines below its device line.
func stanzaText(lines ...string) string {
	return "device 192.0.2.1:/srv/a mounted on /mnt/a with fstype nfs statvers=1.1\n\t" +
		strings.Join(lines, "\n\t") + "\n"
}

func one(t *testing.T, text string) (Stanza, map[string]int) {
	t.Helper()
	skipped, skip := counts()
	all := parseAll(text, skip)
	if len(all) != 1 {
		t.Fatalf("%d stanzas, not one", len(all))
	}
	return all[0], skipped
}

// known lists the transport's or operation's fields that are there, by index.
func known(values []Number) map[int]Number {
	out := make(map[int]Number)
	for field, value := range values {
		if value.Known() {
			out[field] = value
		}
	}
	return out
}

func TestTransportLines(t *testing.T) {
	tests := map[string]struct {
		line string
		want map[int]Number
	}{
		"tcp": {"xprt: tcp 831 1 2 3 4 3040 3039 7 3041 9 2 11 12", map[int]Number{
			SourcePort: 831, Binds: 1, Connects: 2, ConnectTime: 3, IdleTime: 4, Sends: 3040, Receives: 3039, BadXIDs: 7,
			InFlightSum: 3041, BacklogSum: 9, MaxSlots: 2, SendingSum: 11, PendingSum: 12}},
		"tcp of statvers 1.0 has no slots and queues": {"xprt:\ttcp 832 0 1 0 11 6428 6427 0 12154 8", map[int]Number{
			SourcePort: 832, Binds: 0, Connects: 1, ConnectTime: 0, IdleTime: 11, Sends: 6428, Receives: 6427, BadXIDs: 0,
			InFlightSum: 12154, BacklogSum: 8}},
		"tcp with a field that nobody knows yet": {"xprt: tcp 831 1 2 3 4 5 6 7 8 9 10 11 12 13", map[int]Number{
			SourcePort: 831, Binds: 1, Connects: 2, ConnectTime: 3, IdleTime: 4, Sends: 5, Receives: 6, BadXIDs: 7,
			InFlightSum: 8, BacklogSum: 9, MaxSlots: 10, SendingSum: 11, PendingSum: 12}},
		"udp has no connections": {"xprt: udp 832 1 6428 6427 0 12154 3 24 26 5726", map[int]Number{
			SourcePort: 832, Binds: 1, Sends: 6428, Receives: 6427, BadXIDs: 0, InFlightSum: 12154, BacklogSum: 3,
			MaxSlots: 24, SendingSum: 26, PendingSum: 5726}},
		"rdma has counters of its own behind the backlog": {
			"xprt: rdma 0 0 5808 62 0 494490723 494490687 36 10032963746 1282789 107150285 1226637531 2673889", map[int]Number{
				SourcePort: 0, Binds: 0, Connects: 5808, ConnectTime: 62, IdleTime: 0, Sends: 494490723,
				Receives: 494490687, BadXIDs: 36, InFlightSum: 10032963746, BacklogSum: 1282789}},
		"local has no port": {"xprt: local 1 2 3 4 5 6 7 8 9 10 11 12", map[int]Number{
			Binds: 1, Connects: 2, ConnectTime: 3, IdleTime: 4, Sends: 5, Receives: 6, BadXIDs: 7, InFlightSum: 8,
			BacklogSum: 9, MaxSlots: 10, SendingSum: 11, PendingSum: 12}},
		"a transport that nobody knows yet": {"xprt: quic 1 2 3", map[int]Number{}},
		"short":                             {"xprt: tcp 831 1", map[int]Number{SourcePort: 831, Binds: 1}},
		"a value that is no number": {"xprt: tcp 831 1 x -3 0 7", map[int]Number{
			SourcePort: 831, Binds: 1, IdleTime: 0, Sends: 7}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stanza, _ := one(t, stanzaText(test.line))
			if len(stanza.Transports) != 1 {
				t.Fatalf("%d transports", len(stanza.Transports))
			}
			if diff := cmp.Diff(test.want, known(stanza.Transports[0].Values[:])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOperationLines(t *testing.T) {
	tests := map[string]struct {
		line    string
		want    map[int]Number
		skipped int
	}{
		"statvers 1.1": {"READ: 1 2 3 4 5 6 7 8 9", map[int]Number{Operations: 1, Transmissions: 2, MajorTimeouts: 3,
			BytesSent: 4, BytesReceived: 5, QueueMillis: 6, RTTMillis: 7, ExecuteMillis: 8, Errors: 9}, 0},
		"statvers 1.0 has no errors": {"READ: 1 2 3 4 5 6 7 8", map[int]Number{Operations: 1, Transmissions: 2,
			MajorTimeouts: 3, BytesSent: 4, BytesReceived: 5, QueueMillis: 6, RTTMillis: 7, ExecuteMillis: 8}, 0},
		"a time below zero": {"READ: 1 2 3 4 5 18446743919241604546 7 8 9", map[int]Number{Operations: 1,
			Transmissions: 2, MajorTimeouts: 3, BytesSent: 4, BytesReceived: 5, RTTMillis: 7, ExecuteMillis: 8, Errors: 9}, 1},
		"2^63 and the value before it": {"READ: 9223372036854775808 9223372036854775807", map[int]Number{
			Transmissions: 1<<63 - 1}, 1},
		"more digits than any counter": {"READ: 100000000000000000000000000 2", map[int]Number{Transmissions: 2}, 1},
		"a further column": {"READ: 1 2 3 4 5 6 7 8 9 10", map[int]Number{Operations: 1, Transmissions: 2,
			MajorTimeouts: 3, BytesSent: 4, BytesReceived: 5, QueueMillis: 6, RTTMillis: 7, ExecuteMillis: 8, Errors: 9}, 0},
		"tabs and a carriage return": {"READ:\t1\t 2\r", map[int]Number{Operations: 1, Transmissions: 2}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stanza, skipped := one(t, stanzaText("per-op statistics", test.line))
			if len(stanza.Operations) != 1 || string(stanza.Operations[0].Name) != "READ" {
				t.Fatalf("operations %v", stanza.Operations)
			}
			if diff := cmp.Diff(test.want, known(stanza.Operations[0].Values[:])); diff != "" {
				t.Error(diff)
			}
			if skipped[skipMountstatsValue] != test.skipped {
				t.Errorf("skipped %v, want %d values", skipped, test.skipped)
			}
		})
	}
}

func TestOddLinesCostThemselves(t *testing.T) {
	tests := map[string]struct {
		lines  []string
		reason string
	}{
		"operation without a colon":  {[]string{"per-op statistics", "what is this", "READ: 1 2"}, skipMountstatsLine},
		"operation without a number": {[]string{"per-op statistics", "WRITE:", "READ: 1 2"}, skipMountstatsLine},
		"transport without a name":   {[]string{"xprt:", "per-op statistics", "READ: 1 2"}, skipMountstatsLine},
		"age that is no number":      {[]string{"age: old", "per-op statistics", "READ: 1 2"}, skipMountstatsValue},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stanza, skipped := one(t, stanzaText(test.lines...))
			if diff := cmp.Diff(map[string]int{test.reason: 1}, skipped); diff != "" {
				t.Error(diff)
			}
			if len(stanza.Operations) != 1 || stanza.Operations[0].Values[Transmissions] != 2 {
				t.Errorf("operations %v", stanza.Operations)
			}
		})
	}
}

func TestOnlyNFSMounts(t *testing.T) {
	text := "device nfsd mounted on /proc/fs/nfsd with fstype nfsd\n" +
		"\tage:\t5\n" +
		"device sunrpc mounted on /run/rpc_pipefs with fstype rpc_pipefs\n" +
		"device /etc/auto.nfs mounted on /net/auto with fstype autofs\n" +
		"no device mounted on /odd with fstype nfs\n" +
		"device broken line\n" +
		stanzaText("age:\t7") +
		"device tmpfs mounted on /run with fstype tmpfs\n\tage:\t9\n"
	stanza, skipped := one(t, text)
	if string(stanza.Source) != "192.0.2.1:/srv/a" || string(stanza.MountPoint) != "/mnt/a" || stanza.Age != 7 {
		t.Errorf("source %q, mount point %q, age %d", stanza.Source, stanza.MountPoint, stanza.Age)
	}
	if skipped[skipMountstatsLine] != 1 {
		t.Errorf("skipped %v", skipped)
	}
}

func TestPublishedFiles(t *testing.T) {
	tests := map[string]struct {
		mounts, transports, operations int
		skipped                        map[string]int
	}{
		"node-exporter-dup-udp-tcp-wrapped-counter": {3, 3, 11, map[string]int{skipMountstatsValue: 2}},
		"procfs-26231":                        {1, 1, 4, map[string]int{skipMountstatsValue: 1}},
		"procfs-extended-ops-v41-write-queue": {1, 1, 63, map[string]int{}},
		"procfs-rdma-nconnect16-2PB":          {1, 16, 22, map[string]int{}},
		"telegraf-mixed-whitespace":           {4, 4, 159, map[string]int{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			skipped, skip := counts()
			transports, operations := 0, 0
			all := parseAll(published(t, name), skip)
			for _, stanza := range all {
				transports += len(stanza.Transports)
				operations += len(stanza.Operations)
			}
			if len(all) != test.mounts || transports != test.transports || operations != test.operations {
				t.Errorf("%d mounts, %d transports, %d operations; want %d, %d, %d",
					len(all), transports, operations, test.mounts, test.transports, test.operations)
			}
			if diff := cmp.Diff(test.skipped, skipped); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNumbersOfPublishedFiles(t *testing.T) {
	rdma, _ := one(t, published(t, "procfs-rdma-nconnect16-2PB"))
	sends := Number(0)
	for _, transport := range rdma.Transports {
		sends += transport.Values[Sends]
	}
	if sends != 7729061226 {
		t.Errorf("sends %d", sends)
	}
	if string(rdma.Source) != "<nfsserver>:<nfsmount>" || string(rdma.MountPoint) != "<mountpoint>" {
		t.Errorf("source %q, mount point %q", rdma.Source, rdma.MountPoint)
	}
	queued, _ := one(t, published(t, "procfs-extended-ops-v41-write-queue"))
	for _, operation := range queued.Operations {
		if string(operation.Name) != "WRITE" {
			continue
		}
		mean := func(field int) string {
			return fmt.Sprintf("%.1f", float64(operation.Values[field])/float64(operation.Values[Operations]))
		}
		if mean(QueueMillis) != "1246.4" || mean(RTTMillis) != "31.5" || operation.Values[BytesSent] != 39161277084 {
			t.Errorf("queue %s ms, RTT %s ms, values %v", mean(QueueMillis), mean(RTTMillis), operation.Values)
		}
	}
}

// TestTruncatedAtEveryByte cuts a file of two mounts anywhere: mounts before the cut stay as they are, a line that is
// cut is dropped and counted, and values never come from half a word.
func TestTruncatedAtEveryByte(t *testing.T) {
	var out strings.Builder
	writeMount(&out, 1, 2)
	first := out.Len()
	writeMount(&out, 2, 2)
	whole := out.String()
	want := parseAll(whole, noSkip)
	for size := range len(whole) {
		skipped, skip := counts()
		got := parseAll(whole[:size], skip)
		if size > first && !reflect.DeepEqual(got[0], want[0]) {
			t.Fatalf("cut at %d: the first mount changed", size)
		}
		if cut := skipped[skipMountstatsCut] > 0; cut != endsInLine(whole[:size]) {
			t.Fatalf("cut at %d: skipped %v", size, skipped)
		}
		if len(got) == 0 {
			continue
		}
		if last, i := got[len(got)-1], len(got)-1; !isPrefix(last.Operations, want[i].Operations) ||
			!isPrefix(last.Transports, want[i].Transports) {
			t.Fatalf("cut at %d: the cut mount has other numbers", size)
		}
	}
}

func endsInLine(text string) bool {
	return strings.Trim(text[strings.LastIndexByte(text, '\n')+1:], "\t ") != ""
}

func isPrefix[T any](part, whole []T) bool {
	return len(part) <= len(whole) && (len(part) == 0 || reflect.DeepEqual(part, whole[:len(part)]))
}

func TestParserStopsWhenAsked(t *testing.T) {
	for range ParseMountstats([]byte(stanzaText("age: 1")+stanzaText("age: 2")), noSkip) {
		break
	}
	seen := 0
	for range ParseMountstats([]byte(stanzaText("age: 1")+stanzaText("age: 2")), noSkip) {
		seen++
	}
	if seen != 2 {
		t.Errorf("%d stanzas after an early stop", seen)
	}
}
