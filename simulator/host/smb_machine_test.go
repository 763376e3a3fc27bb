package host_test

import (
	"fmt"
	"net/netip"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/simulator/host"
)

// smbNames are names that servers, shares and files may have.
var (
	shareNames  = []string{"share1", "share two", "δοκιμή", "données d'été", "a  b", "back'up#1", "$hidden$", "x (1)", "C:D", "部門 共有"}
	fileNames   = []string{"db.mdf", "dir/other name.txt", "a/b/c", "ünï.log", "r.0"}
	operations  = []string{"Creates", "Closes", "Flushes", "Reads", "Writes", "Locks", "IOCTLs", "QueryDirectories", "ChangeNotifies", "QueryInfos", "SetInfos", "OplockBreaks"}
	smbDialects = []string{"2.1", "3.0", "3.0.2", "3.1.1"}
)

// smbMachine draws a host with SMB shares: some servers, shares with blanks and letters of all kinds, one or two
// interfaces, and one to eight channels, some of which are down.
func smbMachine(t *rapid.T) *host.Machine {
	m := &host.Machine{Name: "app1", Boot: noon.AddDate(0, 0, -3), Now: noon}
	for i := range rapid.IntRange(1, 2).Draw(t, "nics") {
		m.NICs = append(m.NICs, host.NIC{
			Name: fmt.Sprintf("eth%d", i), Address: netip.MustParsePrefix(fmt.Sprintf("192.0.2.%d/24", i+1)),
			SpeedMbit: rapid.SampledFrom([]int{1000, 10000, 40000}).Draw(t, "speed"), RSS: rapid.Bool().Draw(t, "client rss"),
			Queues: rapid.IntRange(1, 16).Draw(t, "queues"), Received: host.Traffic{Bytes: amount(t, "received")}, Sent: host.Traffic{Bytes: amount(t, "sent")},
		})
	}
	for range rapid.IntRange(1, 4).Draw(t, "cores") {
		m.Cores = append(m.Cores, host.Core{
			User: seconds(t, "user"), System: seconds(t, "system"), Idle: seconds(t, "idle"), SoftIRQ: seconds(t, "softirq"),
		})
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "servers") {
		m.SMB = append(m.SMB, smbServer(t, m, i))
	}
	return m
}

func smbServer(t *rapid.T, m *host.Machine, place int) host.SMBServer {
	server := host.SMBServer{
		Name: fmt.Sprintf("files%d.example.com", place), Address: netip.AddrFrom4([4]byte{192, 0, 2, byte(100 + place)}),
		Dialect: rapid.SampledFrom(smbDialects).Draw(t, "dialect"), Encrypted: rapid.Bool().Draw(t, "encrypted"),
		Multichannel: rapid.Bool().Draw(t, "multichannel"), Reconnects: rapid.IntRange(0, 9).Draw(t, "reconnects"),
	}
	if rapid.IntRange(0, 3).Draw(t, "family") == 0 {
		server.Address = netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", 0xa0+place))
	}
	channels := 1
	if server.Multichannel && server.Dialect != "2.1" {
		channels, server.MaxChannels = rapid.IntRange(1, 8).Draw(t, "channels"), rapid.IntRange(2, 8).Draw(t, "max channels")
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "interfaces") {
		if server.Dialect == "2.1" {
			break // does not know of several channels
		}
		address := server.Address
		if i > 0 {
			address = address.Next().Next().Next().Next()
		}
		server.ServerInterfaces = append(server.ServerInterfaces, host.SMBInterface{
			Address: address, SpeedMbit: rapid.SampledFrom([]int{0, 100, 10000}).Draw(t, "speed"), RSS: rapid.Bool().Draw(t, "rss"),
		})
	}
	for i := range channels {
		nic := m.NICs[i%len(m.NICs)]
		server.Channels = append(server.Channels, smbChannel(t, netip.AddrPortFrom(nic.Address.Addr(), uint16(40000+place*100+i)), netip.AddrPortFrom(server.Address, 445)))
	}
	for _, name := range someOf(t, "shares", shareNames, 1, 4) {
		server.Shares = append(server.Shares, smbShare(t, server.Name, name))
	}
	return server
}

func smbChannel(t *rapid.T, local, remote netip.AddrPort) host.SMBChannel {
	return host.SMBChannel{
		TCP:      host.TCP{Local: local, Remote: remote, Closed: rapid.IntRange(0, 4).Draw(t, "closed") == 0},
		Selected: rapid.IntRange(0, 4).Draw(t, "selected") > 0, InFlight: rapid.IntRange(0, 40).Draw(t, "in flight"),
		MaxInFlight: rapid.IntRange(0, 512).Draw(t, "max in flight"), Credits: rapid.IntRange(0, 8191).Draw(t, "credits"),
	}
}

func smbShare(t *rapid.T, server, name string) host.SMBShare {
	share := host.SMBShare{
		Name: name, Operations: map[string]host.SMBOperation{}, Read: amount(t, "read"), Written: amount(t, "written"),
		ReadSeconds: seconds(t, "read seconds"), WriteSeconds: seconds(t, "write seconds"), CreditStalls: amount(t, "stalls"),
		InFlight: float64(rapid.IntRange(0, 99).Draw(t, "share in flight")), RequestKiB: rapid.SampledFrom([]int{0, 64, 1024}).Draw(t, "request"),
	}
	if rapid.IntRange(0, 3).Draw(t, "mounted") > 0 {
		share.MountPoint = "/mnt/" + server + "/" + name
	}
	for _, operation := range someOf(t, "operations", operations, 0, len(operations)) {
		count := amount(t, operation)
		share.Operations[operation] = host.SMBOperation{
			Count: count, Failed: float64(rapid.Uint64Range(0, uint64(count)).Draw(t, "failed")), Seconds: seconds(t, "seconds"),
		}
	}
	for _, file := range someOf(t, "files", fileNames, 0, len(fileNames)) {
		share.OpenFiles = append(share.OpenFiles, host.OpenFile{Path: file, Handles: rapid.IntRange(1, 5).Draw(t, "handles")})
	}
	return share
}

// grow lets the counters of the SMB shares go on.
func growSMB(t *rapid.T, m *host.Machine) {
	for i := range m.SMB {
		for at := range m.SMB[i].Shares {
			share := &m.SMB[i].Shares[at]
			share.Read += amount(t, "read")
			share.Written += amount(t, "written")
			share.ReadSeconds += seconds(t, "read seconds")
			for _, name := range operations {
				o := share.Operations[name]
				share.Operations[name] = host.SMBOperation{Count: o.Count + amount(t, name), Failed: o.Failed, Seconds: o.Seconds + seconds(t, "seconds")}
			}
		}
	}
}
