package host

import (
	"math"
	"strings"
	"testing"

	"github.com/nasight/nasight/schema"
)

// What a machine does between two moments is what two readings differ by.
func TestTwoMomentsGiveRates(t *testing.T) {
	const seconds = 15
	m := plain()
	root := m.Root()
	before := newReader(t, root).read(t)
	m.run(seconds)
	after := newReader(t, m.Root()).read(t)
	same(t, "the first moment later on", newReader(t, root).read(t), before)
	gained := series{}
	for name, value := range after {
		if family, _, _ := strings.Cut(name, "{"); strings.HasSuffix(family, "_total") {
			gained[family] += value - before[name]
		}
	}
	mounts, servers := 3.0, 2.0
	for family, want := range map[*schema.Family]float64{
		schema.NFSOperations: 10 * mounts, schema.NFSReadBytes: 655360 * mounts, schema.NFSRTT: 0.02 * mounts, schema.NFSExecute: 0.03 * mounts,
		schema.NFSSends: 10 * servers, schema.NFSReceives: 10 * servers, schema.NICReceived: 1e6 * servers, schema.EndpointBusy: 0.5 * servers,
		schema.CPUCoreSeconds: 4.0/4 + 4.0/8 + 4.0/8, schema.NFSErrors: 0, schema.NFSRetransmissions: 0, schema.NFSConnects: 0,
	} {
		if rate := gained[family.Name] / seconds; math.Abs(rate-want) > 0.01*want {
			t.Errorf("%s rises by %v a second, want %v", family.Name, rate, want)
		}
	}
}

// The kernel's counts of segments begin again after four bytes. The program sees through that as long as it is one
// session, and takes a session that is made again between the same ports for another one.
func TestSegmentsWrapAndSessionsComeBack(t *testing.T) {
	needLinks(t)
	dir := t.TempDir()
	m := plain()
	write(t, m, dir)
	root, closeRoot := open(t, dir)
	all := newReader(t, root)
	server := key(schema.EndpointSegmentsSent, []string{m.Name, "192.0.2.9", "nfs"})
	last := all.read(t)[server]
	step := func(what string, want float64) {
		t.Helper()
		write(t, m, dir)
		now := all.read(t)[server]
		if now-last != want {
			t.Errorf("%s: %v more segments, want %v", what, now-last, want)
		}
		last = now
	}
	m.run(40) // 4e9 of 2^32
	step("wrapped", 4e9)
	first := &m.NFS[0].Transports[0]
	first.Closed = true
	step("closed", 0)
	first.Closed, first.Connects, first.Sent.Packets = false, first.Connects+1, 5
	step("made again", 5)
	first.Sent.Packets = 6
	step("goes on", 1)
	first.Connects, first.Sent.Packets = first.Connects+1, 4
	step("made again between two readings", 4)
	if err := closeRoot(); err != nil {
		t.Error(err)
	}
}

// A mount keeps its device when others come and go.
func TestDevicesStay(t *testing.T) {
	m := plain()
	devices := func() map[string]bool {
		found := map[string]bool{}
		for name := range newReader(t, m.Root()).read(t) {
			if strings.HasPrefix(name, schema.NFSMountAge.Name) && strings.Contains(name, "/vol0") {
				found[name] = true
			}
		}
		return found
	}
	before := devices()
	m.NFS[0].Mounts = append([]NFSMount{{Export: "/other", MountPoint: "/mnt/other"}}, m.NFS[0].Mounts...)
	for name := range devices() {
		if !before[name] {
			t.Errorf("%s is new", name)
		}
	}
	if len(before) != 2 {
		t.Errorf("%d mounts of /vol0, want 2", len(before))
	}
}
