package nfs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/schema"
)

// shared writes mounts of one server that repeat transport lines.
type shared struct {
	options string
	lines   []string // xprt lines
}

func collectShared(t *testing.T, mounts ...shared) *recorder {
	t.Helper()
	var stats, info strings.Builder
	for i, mount := range mounts {
		fmt.Fprintf(&stats, "device h:/v%d mounted on /mnt/%d with fstype nfs statvers=1.1\n", i, i)
		for _, line := range mount.lines {
			stats.WriteString("\txprt:\t" + line + "\n")
		}
		fmt.Fprintf(&info, "90 24 0:%d / /mnt/%d rw - nfs h:/v%d rw,%s,addr=192.0.2.1\n", 50+i, i, i, mount.options)
	}
	return collect(t, hostOf(stats.String(), info.String()))
}

func TestTransportsAreCountedOnce(t *testing.T) {
	tests := map[string]struct {
		mounts            []shared
		transports, sends map[string]float64
	}{
		"v3 by source port, later values count": {
			[]shared{
				{"vers=3", []string{"tcp 700 1 2 0 0 100 90 0 0 0 2", "tcp 701 1 2 0 0 10 9 0 0 0 2"}},
				{"vers=3", []string{"tcp 700 1 2 0 0 103 91 0 0 0 2", "tcp 701 1 2 0 0 10 9 0 0 0 2"}},
			},
			map[string]float64{"3": 2}, map[string]float64{"3": 113}},
		"v4.1 by place": {
			[]shared{
				{"vers=4.1", []string{"tcp 0 0 2 0 0 100 90", "tcp 0 0 2 0 0 50 50"}},
				{"vers=4.1", []string{"tcp 0 0 2 0 0 100 90", "tcp 0 0 2 0 0 51 50"}},
				{"vers=4.2", []string{"tcp 0 0 2 0 0 7 7"}},
			},
			map[string]float64{"4.1": 2, "4.2": 1}, map[string]float64{"4.1": 151, "4.2": 7}},
		"nosharetransport has its own": {
			[]shared{
				{"vers=4.1", []string{"tcp 0 0 2 0 0 100 90"}},
				{"vers=4.1,nosharetransport", []string{"tcp 0 0 2 0 0 10 10"}},
				{"vers=4.1,nosharetransport", []string{"tcp 0 0 2 0 0 20 20"}},
			},
			map[string]float64{"4.1": 3}, map[string]float64{"4.1": 130}},
		"TLS has its own": {
			[]shared{
				{"vers=4.1", []string{"tcp 0 0 2 0 0 100 90"}},
				{"vers=4.1,xprtsec=tls", []string{"tcp 0 0 2 0 0 10 10"}},
			},
			map[string]float64{"4.1": 2}, map[string]float64{"4.1": 110}},
		"a protocol that nobody knows yet is counted, its numbers are not": {
			[]shared{{"vers=3", []string{"quic 5 5 5 5 5 5 5", "tcp 700 1 2 0 0 8 8"}}},
			map[string]float64{"3": 2}, map[string]float64{"3": 8}},
		"tcp and udp of the same port": {
			[]shared{{"vers=3", []string{"udp 700 1 30 30 0 0 0 16"}}, {"vers=3", []string{"tcp 700 1 2 0 0 8 8"}}},
			map[string]float64{"3": 2}, map[string]float64{"3": 38}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := collectShared(t, test.mounts...)
			if diff := cmp.Diff(test.transports, r.values(schema.NFSTransports, schema.Version)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.sends, r.values(schema.NFSSends, schema.Version)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTenMountsOneTransport: ten mounts of one server share a connection, whose sends count once.
func TestTenMountsOneTransport(t *testing.T) {
	mounts := make([]shared, 10)
	for i := range mounts {
		mounts[i] = shared{"vers=3,nolock", []string{"tcp 774 1 207 0 0 13563 13560 3 27879 5 3 0 38"}}
	}
	r := collectShared(t, mounts...)
	for family, want := range map[*schema.Family]float64{
		schema.NFSTransports: 1, schema.NFSSends: 13563, schema.NFSReceives: 13560, schema.NFSConnects: 207,
		schema.NFSBacklog: 5, schema.NFSMaxSlots: 3,
	} {
		if diff := cmp.Diff(map[string]float64{"192.0.2.1": want}, r.values(family, schema.Server)); diff != "" {
			t.Errorf("%s: %s", family.Name, diff)
		}
	}
}

// TestAbsentFieldsOfTransports: RDMA has no slots, UDP no connections; a family without a value is not there.
func TestAbsentFieldsOfTransports(t *testing.T) {
	rdma := collectShared(t, shared{"vers=3,proto=rdma", []string{"rdma 0 0 5 0 0 10 9 0 40 4 1 2 3 4 5 6 7 8 9 10 11"}})
	if got := rdma.values(schema.NFSMaxSlots); len(got) > 0 {
		t.Errorf("slots of RDMA: %v", got)
	}
	udp := collectShared(t, shared{"vers=3,proto=udp", []string{"udp 700 1 10 9 0 40 4 16 2 3"}})
	if got := udp.values(schema.NFSConnects); len(got) > 0 {
		t.Errorf("connections of UDP: %v", got)
	}
	if none := collectShared(t, shared{options: "vers=3"}); len(none.values(schema.NFSTransports)) > 0 {
		t.Error("a mount without a transport line has a number of transports")
	}
}
