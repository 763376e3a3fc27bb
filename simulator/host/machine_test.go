package host

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"time"

	"pgregory.net/rapid"
)

// The networks of a test machine: one of IPv4, one of IPv6, and servers in both and beyond.
var (
	addresses4 = []string{"192.0.2.9", "192.0.2.10", "198.51.100.7"}
	addresses6 = []string{"2001:db8::9", "2001:db8:7::9"}
	networks   = []NIC{
		{Name: "eth0", Address: netip.MustParsePrefix("192.0.2.1/24")},
		{Name: "eth1", Address: netip.MustParsePrefix("2001:db8::1/64")},
		{Name: "eth2", Address: netip.MustParsePrefix("203.0.113.1/24")}, // leads nowhere
	}
)

// drawCount draws counts of every size, up to beyond what a float64 holds to the unit.
func drawCount(t *rapid.T, name string) float64 {
	return float64(uint64(1)<<rapid.IntRange(0, 61).Draw(t, name) + uint64(rapid.IntRange(-1, 1000).Draw(t, name)))
}

// drawTime draws seconds in whole milliseconds.
func drawTime(t *rapid.T, name string) float64 {
	return float64(rapid.Int64Range(0, 1<<45).Draw(t, name)) / 1000
}

func drawMachine(t *rapid.T) *Machine {
	boot := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := &Machine{
		Name: "client-1", Boot: boot, Now: boot.Add(time.Duration(rapid.Int64Range(0, 1e17).Draw(t, "uptime"))),
		SlotTable:    rapid.SampledFrom([]int{0, 2, 128}).Draw(t, "slot table"),
		SessionSlots: rapid.SampledFrom([]int{0, 8, 180}).Draw(t, "session slots"),
		NICs:         slices.Clone(networks),
	}
	for i := range m.NICs {
		m.NICs[i].Received, m.NICs[i].Sent = drawTraffic(t), drawTraffic(t)
		m.NICs[i].SpeedMbit = rapid.SampledFrom([]int{0, 1000, 100_000}).Draw(t, "speed")
		m.NICs[i].Queues = rapid.IntRange(0, 9).Draw(t, "queues")
		m.NICs[i].Driver = rapid.SampledFrom([]string{"", "gve", "hv_netvsc"}).Draw(t, "driver")
	}
	ticks := func(name string) float64 { return float64(rapid.Int64Range(0, 1<<40).Draw(t, name)) / hertz }
	for range rapid.IntRange(1, 4).Draw(t, "cores") {
		m.Cores = append(m.Cores, Core{
			User: ticks("user"), System: ticks("system"), Idle: ticks("idle"), IOWait: ticks("iowait"),
			SoftIRQ: ticks("softirq"), Steal: ticks("steal"),
		})
	}
	return drawServers(t, m)
}

func drawTraffic(t *rapid.T) Traffic { return Traffic{drawCount(t, "bytes"), drawCount(t, "packets")} }

// drawServers adds servers that differ in address or version, with paths that need escapes.
func drawServers(t *rapid.T, m *Machine) *Machine {
	ports := 700
	used := map[string]bool{}
	for i := range rapid.IntRange(1, 4).Draw(t, "servers") {
		text := rapid.SampledFrom(slices.Concat(addresses4, addresses6)).Draw(t, "address")
		version := rapid.SampledFrom([]string{"3", "4.0", "4.1", "4.2"}).Draw(t, "version")
		if used[text+version] {
			continue
		}
		used[text+version] = true
		server := NFSServer{
			Address: netip.MustParseAddr(text), Version: version, NConnect: rapid.SampledFrom([]int{0, 4}).Draw(t, "nconnect"),
			Name: rapid.SampledFrom([]string{"", fmt.Sprintf("files-%d.example.com", i)}).Draw(t, "name"),
		}
		for range max(server.NConnect, 1) {
			server.Transports = append(server.Transports, drawTransport(t, server.Address, ports))
			ports++
		}
		for j := range rapid.IntRange(1, 3).Draw(t, "mounts") {
			server.Mounts = append(server.Mounts, drawMount(t, &server, fmt.Sprintf("%d-%d", i, j)))
		}
		m.NFS = append(m.NFS, server)
	}
	return m
}

func drawTransport(t *rapid.T, server netip.Addr, port int) NFSTransport {
	local := networks[0].Address.Addr()
	if server.Is6() {
		local = networks[1].Address.Addr()
	}
	small := func(name string) int { return rapid.IntRange(0, 100).Draw(t, name) }
	return NFSTransport{
		TCP: drawTCP(t, netip.AddrPortFrom(local, uint16(port)), netip.AddrPortFrom(server, nfsPort)), Connects: small("connects"),
		Sends: drawCount(t, "sends"), Receives: drawCount(t, "receives"), BadXIDs: drawCount(t, "bad XIDs"),
		InFlightSum: drawCount(t, "in flight"), SendingSum: drawCount(t, "sending sum"), BacklogSum: drawCount(t, "backlog sum"),
		MaxSlots: small("max slots"), Pending: small("pending"), Sending: small("sending"), Backlog: small("backlog"),
		Idle: float64(small("idle")),
	}
}

func drawTCP(t *rapid.T, local, remote netip.AddrPort) TCP {
	micros := func(name string) time.Duration {
		return time.Duration(rapid.Int64Range(0, 1e9).Draw(t, name)) * time.Microsecond
	}
	return TCP{
		Local: local, Remote: remote, Sent: drawTraffic(t), Received: drawTraffic(t), Retransmits: drawCount(t, "retransmits"),
		RTT: micros("rtt"), MinRTT: micros("min rtt"), NotSent: rapid.Uint32().Draw(t, "not sent"),
		SendQueue: rapid.Uint32().Draw(t, "send queue"), Busy: micros("busy"), ReceiveWindow: micros("rwnd"), SendBuffer: micros("sndbuf"),
		Closed: rapid.IntRange(0, 4).Draw(t, "closed") == 0, Window: rapid.IntRange(0, 1000).Draw(t, "cwnd"),
		DeliveryRate: drawCount(t, "delivery rate"), OutOfOrder: drawCount(t, "out of order"),
	}
}

func drawMount(t *rapid.T, server *NFSServer, suffix string) NFSMount {
	blank := rapid.SampledFrom([]string{"", " with blank", "\ttab", `\back`, "\nline", "δοκιμή"}).Draw(t, "blank")
	mount := NFSMount{
		Export: "/vol" + blank + suffix, MountPoint: "/mnt/" + suffix + blank, ReadSize: 1 << 18, WriteSize: 1 << 17,
		ReadAheadKiB: rapid.SampledFrom([]int{0, 128, 15360}).Draw(t, "read-ahead"), AttributeCache: rapid.Bool().Draw(t, "cache"),
		Age: time.Duration(rapid.Int64Range(0, 1e17).Draw(t, "age")), Operations: map[string]NFSOperation{},
	}
	names := operations3()
	if server.isV4() {
		names = operations4()
	}
	for range rapid.IntRange(0, 12).Draw(t, "operations") {
		mount.Operations[rapid.SampledFrom(names).Draw(t, "operation")] = NFSOperation{
			Count: drawCount(t, "count"), Transmissions: drawCount(t, "transmissions"), Timeouts: drawCount(t, "timeouts"),
			Errors: drawCount(t, "errors"), SentBytes: drawCount(t, "sent"), ReceivedBytes: drawCount(t, "received"),
			Queue: drawTime(t, "queue"), RTT: drawTime(t, "rtt"), Execute: drawTime(t, "execute"),
		}
	}
	return mount
}

// plain is a machine with three mounts of two servers, over IPv4 and IPv6, that is the same each time.
func plain() *Machine {
	boot := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := &Machine{Name: "client-1", Boot: boot, Now: boot.Add(time.Hour), NICs: slices.Clone(networks[:2]), Cores: make([]Core, 4)}
	for i := range m.NICs {
		m.NICs[i].SpeedMbit, m.NICs[i].Queues = 10_000, 4
	}
	for i, row := range []struct {
		address, version string
		sessions, mounts int
	}{{"192.0.2.9", "3", 4, 2}, {"2001:db8::9", "4.1", 8, 1}} {
		server := NFSServer{Address: netip.MustParseAddr(row.address), Version: row.version, NConnect: row.sessions}
		for j := range row.sessions {
			server.Transports = append(server.Transports, NFSTransport{Connects: 1, MaxSlots: 4, TCP: TCP{
				Local:  netip.AddrPortFrom(networks[i].Address.Addr(), uint16(700+j)),
				Remote: netip.AddrPortFrom(server.Address, nfsPort), RTT: time.Millisecond, MinRTT: 400 * time.Microsecond,
			}})
		}
		for j := range row.mounts {
			server.Mounts = append(server.Mounts, NFSMount{
				Export: fmt.Sprintf("/vol%d", j), MountPoint: fmt.Sprintf("/mnt/%d %d", i, j), ReadSize: 1 << 18, WriteSize: 1 << 18,
				ReadAheadKiB: 15360, AttributeCache: true, Age: time.Minute,
			})
		}
		m.NFS = append(m.NFS, server)
	}
	m.run(100)
	return m
}

// run lets a machine work for some seconds: 10 reads of 64 KiB a second on every mount, over the first transport.
func (m *Machine) run(seconds float64) {
	m.Now = m.Now.Add(time.Duration(seconds * float64(time.Second)))
	for i := range m.Cores {
		m.Cores[i].User += seconds / 4
		m.Cores[i].SoftIRQ += seconds / 8
		m.Cores[i].Idle += seconds / 2
	}
	for i := range m.NICs {
		m.NICs[i].Received.Bytes += 1e6 * seconds
	}
	for i := range m.NFS {
		server := &m.NFS[i]
		for j := range server.Mounts {
			mount := &server.Mounts[j]
			if mount.Operations == nil {
				mount.Operations = map[string]NFSOperation{}
			}
			read := mount.Operations["READ"]
			read.Count += 10 * seconds
			read.Transmissions += 10 * seconds
			read.ReceivedBytes += 10 * seconds * (65536 + server.headers().readReply)
			read.RTT += 0.02 * seconds
			read.Execute += 0.03 * seconds
			mount.Operations["READ"] = read
			mount.Age += time.Duration(seconds * float64(time.Second))
		}
		first := &server.Transports[0]
		first.Sends += 10 * seconds
		first.Receives += 10 * seconds
		first.Sent.Packets = math.Mod(first.Sent.Packets+1e8*seconds, math.MaxUint32*8)
		first.Busy += time.Duration(seconds * 5e8)
	}
}
