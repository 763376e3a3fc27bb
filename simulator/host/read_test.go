package host

import (
	"context"
	"errors"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/cpu"
	"github.com/nasight/nasight/collectors/nfs"
	"github.com/nasight/nasight/collectors/nic"
	"github.com/nasight/nasight/collectors/tcp"
	"github.com/nasight/nasight/schema"
)

// fataler is what tests, benchmarks and checks of properties have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// series are values by family and label values.
type series map[string]float64

func (s series) set(family *schema.Family, value float64, labels ...string) {
	s[key(family, labels)] = value
}

func key(family *schema.Family, labels []string) string {
	return family.Name + "{" + strings.Join(labels, "|") + "}"
}

// reader are the four collectors of a host.
type reader []collectors.Collector

func newReader(t fataler, root collectors.Root) reader {
	t.Helper()
	var all reader
	for _, entry := range []collectors.Entry{nfs.Entry(), tcp.Entry(), nic.Entry(), cpu.Entry()} {
		collector, err := entry.New(root, collectors.Settings{})
		if err != nil {
			t.Fatalf("%s: %v", entry.Name, err)
		}
		all = append(all, collector)
	}
	return all
}

// read runs every collector. None of them may find anything odd.
func (r reader) read(t fataler) series {
	t.Helper()
	found := series{}
	for _, collector := range r {
		result := collectors.Once(context.Background(), collector, time.Unix(1, 0))
		if result.Err != nil && !errors.Is(result.Err, collectors.ErrNoData) || len(result.Skipped) > 0 {
			t.Fatalf("%T: error %v, skipped %v", collector, result.Err, result.Skipped)
		}
		for _, sample := range result.Samples {
			found.set(sample.Family, sample.Value, sample.Labels...)
		}
	}
	return found
}

// same compares series; sums over many counters may differ in the last bits.
func same(t fataler, what string, got, want series) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value, ok := got[name]
		if !ok || math.Abs(value-want[name]) > 1e-9*math.Abs(want[name]) {
			t.Fatalf("%s: %s is %v (there: %v), want %v", what, name, value, ok, want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Fatalf("%s: %s is %v, want none", what, name, got[name])
		}
	}
}

// What the collectors read of any machine are its numbers, all of them and no others.
func TestReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		got := newReader(t, m.Root()).read(t)
		want := series{}
		m.expectMounts(t, got, want)
		m.expectTransports(want)
		m.expectSessions(want)
		m.expectNICs(want)
		m.expectCores(want)
		same(t, "machine", got, want)
	})
}

// expectMounts takes the device numbers and the options, which are the package's own choice, as found.
func (m *Machine) expectMounts(t fataler, got, want series) {
	points := map[string]bool{}
	for i := range m.NFS {
		server := &m.NFS[i]
		for j := range server.Mounts {
			mount := &server.Mounts[j]
			prefix := schema.NFSMountInfo.Name + "{" + strings.Join([]string{m.Name, server.Address.String(), mount.Export, "nfs", ""}, "|")
			info, device, facts := infoOf(got, prefix, escapes.Replace(mount.MountPoint))
			if info == "" || points[device] {
				t.Fatalf("mount %q: info %q, device %q (given twice: %v)", mount.MountPoint, info, device, points[device])
			}
			points[device] = true
			want[info] = 1
			name, nconnect := server.Name, ""
			if name == "" {
				name = server.Address.String()
			}
			if server.NConnect > 0 {
				nconnect = strconv.Itoa(server.NConnect)
			}
			expected := []string{name, server.Version, server.protocol(), escapes.Replace(mount.MountPoint), "sys", nconnect}
			if !slices.Equal(facts[:len(expected)], expected) || strings.Contains(facts[6], "acregmin=0") == mount.AttributeCache {
				t.Fatalf("mount %q: facts %q, want %q", mount.MountPoint, facts, expected)
			}
			mount.expect(want, []string{m.Name, server.Address.String(), mount.Export, "nfs", device}, server.headers())
		}
	}
}

// infoOf finds a mount's info series by its mount point, and what its labels say.
func infoOf(got series, prefix, point string) (name, device string, facts []string) {
	for name := range got {
		rest, ok := strings.CutPrefix(name, prefix)
		if labels := strings.Split(strings.TrimSuffix(rest, "}"), "|"); ok && labels[4] == point {
			return name, labels[0], labels[1:]
		}
	}
	return "", "", nil
}

func (m *NFSMount) expect(want series, labels []string, size headers) {
	want.set(schema.NFSMountAge, math.Floor(m.Age.Seconds()), labels...)
	want.set(schema.NFSReadAhead, float64(m.ReadAheadKiB)*1024, labels...)
	read, write := m.Operations["READ"], m.Operations["WRITE"]
	want.set(schema.NFSReadBytes, max(read.ReceivedBytes-read.Count*size.readReply, 0), labels...)
	want.set(schema.NFSWriteBytes, max(write.SentBytes-write.Count*size.writeRequest, 0), labels...)
	sums := map[string]NFSOperation{"read": {}, "write": {}, "commit": {}, "attr": {}, "dir": {}, "other": {}}
	errs := map[string]float64{}
	var again, timeouts float64
	for name, operation := range m.Operations {
		again += max(operation.Transmissions-operation.Count, 0)
		timeouts += operation.Timeouts
		class, counted := nfs.Class(name)
		if !counted {
			continue
		}
		sum := sums[class]
		sum.Count += operation.Count
		sum.RTT += operation.RTT
		sum.Execute += operation.Execute
		sums[class] = sum
		if class == "read" || class == "write" || class == "commit" {
			errs["data"] += operation.Errors
		} else {
			errs["metadata"] += operation.Errors
		}
	}
	for class, sum := range sums {
		want.set(schema.NFSOperations, sum.Count, append(slices.Clone(labels), class)...)
		want.set(schema.NFSRTT, sum.RTT, append(slices.Clone(labels), class)...)
		want.set(schema.NFSExecute, sum.Execute, append(slices.Clone(labels), class)...)
	}
	want.set(schema.NFSErrors, errs["data"], append(slices.Clone(labels), "data")...)
	want.set(schema.NFSErrors, errs["metadata"], append(slices.Clone(labels), "metadata")...)
	want.set(schema.NFSRetransmissions, again, labels...)
	want.set(schema.NFSTimeouts, timeouts, labels...)
}

// add adds to a series.
func (s series) add(family *schema.Family, value float64, labels ...string) {
	s[key(family, labels)] += value
}

func (m *Machine) expectTransports(want series) {
	for _, server := range m.NFS {
		group := []string{m.Name, server.Address.String(), "nfs", server.Version}
		address := group[:3]
		for _, x := range server.Transports {
			want.add(schema.NFSTransports, 1, group...)
			want.add(schema.NFSSends, x.Sends, group...)
			want.add(schema.NFSReceives, x.Receives, group...)
			want.add(schema.NFSBacklog, x.BacklogSum, group...)
			want.add(schema.NFSConnects, float64(x.Connects), group...)
			want.set(schema.NFSMaxSlots, max(want[key(schema.NFSMaxSlots, group)], float64(x.MaxSlots)), group...)
			up, down := 1.0, 0.0
			if x.Closed {
				up, down = 0, 1
			} else {
				want.add(schema.NFSPending, float64(x.Pending), address...)
				want.add(schema.NFSBacklogNow, float64(x.Backlog), address...)
				want.set(schema.NFSSlotLimit, float64(m.slots()), address...)
			}
			want.add(schema.NFSConnected, up, address...)
			want.add(schema.NFSDisconnected, down, address...)
		}
	}
	want.set(schema.NFSSlotTable, float64(m.slots()), m.Name)
	want.set(schema.NFSSessionSlots, 64, m.Name)
	if m.SessionSlots > 0 {
		want.set(schema.NFSSessionSlots, float64(m.SessionSlots), m.Name)
		want.set(schema.NFSSessionSlotsConfigured, float64(m.SessionSlots), m.Name)
	}
}

func (m *Machine) slots() int {
	if m.SlotTable == 0 {
		return 65536
	}
	return m.SlotTable
}

// expectSessions knows no protocol but NFS.
func (m *Machine) expectSessions(want series) {
	for _, server := range m.NFS {
		for _, x := range server.Transports {
			if !x.Closed {
				x.expect(want, m.Name, "nfs")
			}
		}
	}
	if want.has(schema.EndpointSessions) {
		want.set(schema.SessionsExcess, 0, m.Name)
	}
}

func (s series) has(family *schema.Family) bool {
	for name := range s {
		if strings.HasPrefix(name, family.Name+"{") {
			return true
		}
	}
	return false
}

// fourBytes is what is left of a count in four bytes.
func fourBytes(count float64) float64 { return math.Mod(count, 1<<32) }

func (x *TCP) expect(want series, host, protocol string) {
	address := []string{host, x.Remote.Addr().String(), protocol}
	session := append(slices.Clone(address), x.Local.String())
	want.set(schema.SessionReceived, x.Received.Bytes, session...)
	want.set(schema.SessionAcked, x.Sent.Bytes, session...)
	want.set(schema.SessionRetransmits, fourBytes(x.Retransmits), session...)
	want.set(schema.SessionOutOfOrder, fourBytes(x.OutOfOrder), session...)
	want.set(schema.SessionSegments, fourBytes(x.Received.Packets), session...)
	want.set(schema.SessionNotSent, float64(x.NotSent), session...)
	if x.RTT > 0 {
		want.set(schema.SessionRTT, x.RTT.Seconds(), session...)
	}
	smallest := func(family *schema.Family, value float64) {
		if before, ok := want[key(family, address)]; !ok || value < before {
			want.set(family, value, address...)
		}
	}
	if x.MinRTT > 0 {
		want.set(schema.SessionMinRTT, x.MinRTT.Seconds(), session...)
		smallest(schema.EndpointLowestRTT, x.MinRTT.Seconds())
	}
	window := float64(x.Window)
	if x.Window == 0 {
		window = 10
	}
	smallest(schema.EndpointCongestionWindow, window)
	if x.DeliveryRate > 0 {
		want.set(schema.EndpointDeliveryRate, max(x.DeliveryRate, want[key(schema.EndpointDeliveryRate, address)]), address...)
	}
	want.add(schema.EndpointSessions, 1, address...)
	want.add(schema.EndpointBusy, x.Busy.Seconds(), address...)
	want.add(schema.EndpointReceiverLimited, x.ReceiveWindow.Seconds(), address...)
	want.add(schema.EndpointSenderLimited, x.SendBuffer.Seconds(), address...)
	want.add(schema.EndpointSegmentsSent, fourBytes(x.Sent.Packets), address...)
}

// expectNICs has every interface that leads to some server: its network's, or the first of its family.
func (m *Machine) expectNICs(want series) {
	leads := map[string]bool{}
	for _, server := range m.NFS {
		if server.Address.Is6() {
			leads["eth1"] = true
		} else {
			leads["eth0"] = true
		}
	}
	for _, n := range m.NICs {
		if !leads[n.Name] {
			continue
		}
		driver := n.Driver
		if driver == "" {
			driver = "virtio_net"
		}
		want.set(schema.NICInfo, 1, m.Name, n.Name, driver, "true")
		want.set(schema.NICReceived, n.Received.Bytes, m.Name, n.Name)
		want.set(schema.NICTransmitted, n.Sent.Bytes, m.Name, n.Name)
		want.set(schema.NICReceiveDrops, 0, m.Name, n.Name)
		want.set(schema.NICTransmitDrops, 0, m.Name, n.Name)
		speed := float64(n.SpeedMbit) * 1e6 / 8
		if speed > 0 {
			want.set(schema.NICSpeed, speed, m.Name, n.Name)
		}
		for _, direction := range []string{"receive", "transmit"} {
			want.set(schema.NICQueues, float64(max(n.Queues, 1)), m.Name, n.Name, direction)
			if driver == "gve" && speed > 0 {
				want.set(schema.NICCap, speed, m.Name, n.Name, direction)
			}
		}
	}
}

func (m *Machine) expectCores(want series) {
	for i, core := range m.Cores {
		busy := core.User + core.System + core.SoftIRQ + core.Steal
		name := strconv.Itoa(i)
		want.set(schema.CPUCoreSeconds, busy, m.Name, name, "busy")
		want.set(schema.CPUCoreSeconds, core.SoftIRQ, m.Name, name, "softirq")
		want.add(schema.CPUSeconds, busy, m.Name, "busy")
		want.add(schema.CPUSeconds, core.SoftIRQ, m.Name, "softirq")
		want.add(schema.CPUSeconds, core.Idle+core.IOWait, m.Name, "idle")
		want.add(schema.CPUSeconds, core.Steal, m.Name, "steal")
	}
	want.set(schema.CPUCores, float64(len(m.Cores)), m.Name)
}

// Sessions of all protocols are in the kernel's replies.
func TestSessionsOfOtherProtocols(t *testing.T) {
	at := netip.MustParseAddrPort
	m := &Machine{Name: "client-1"}
	m.SMB = []SMBServer{{Channels: []SMBChannel{
		{TCP: TCP{Local: at("192.0.2.1:40000"), Remote: at("192.0.2.9:445"), Sent: Traffic{Bytes: 5}}},
		{TCP: TCP{Local: at("192.0.2.1:40001"), Remote: at("192.0.2.9:445"), Closed: true}},
	}}}
	m.ISCSI = []ISCSITarget{{Sessions: []ISCSISession{
		{TCP: TCP{Local: at("[2001:db8::1]:40000"), Remote: at("[2001:db8::9]:3260"), Received: Traffic{Bytes: 7}}},
		{TCP: TCP{Local: at("[fe80::1]:40001"), Remote: at("[fe80::9%eth0]:3260")}},
	}}}
	m.NICs = []NIC{{Name: "eth0"}}
	got := newReader(t, m.Root())[1:2].read(t)
	want := series{}
	m.SMB[0].Channels[0].expect(want, m.Name, "smb")
	m.ISCSI[0].Sessions[0].expect(want, m.Name, "iscsi")
	link := m.ISCSI[0].Sessions[1].TCP
	link.Local, link.Remote = at("[fe80::1%2]:40001"), at("[fe80::9%2]:3260") // by number, as the kernel tells it
	link.expect(want, m.Name, "iscsi")
	want.set(schema.SessionsExcess, 0, m.Name)
	same(t, "sessions", got, want)
}
