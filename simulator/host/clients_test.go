package host_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/nasight/nasight/simulator/host"
)

// windowsClient is a Windows host with two interfaces and eight channels.
func windowsClient() *host.Machine {
	m := linuxClient()
	m.Windows, m.Kernel, m.ISCSI = true, "", nil
	for i := range m.SMB {
		for at := range m.SMB[i].Shares {
			m.SMB[i].Shares[at].MountPoint = string(rune('X'+at)) + ":"
		}
	}
	return m
}

// linuxClient is a host with two SMB servers of four shares, and a disk over four paths.
func linuxClient() *host.Machine {
	m := &host.Machine{Name: "app1", Kernel: "6.12.0-1-amd64", Boot: noon.Add(-36 * time.Hour), Now: noon}
	for i := range 2 {
		m.NICs = append(m.NICs, host.NIC{
			Name: fmt.Sprintf("eth%d", i), Address: netip.MustParsePrefix(fmt.Sprintf("192.0.2.%d/24", i+1)), SpeedMbit: 10000, RSS: true, Queues: 8,
			Received: host.Traffic{Bytes: 8e9, Packets: 6e6}, Sent: host.Traffic{Bytes: 2e9, Packets: 3e6},
		})
	}
	for range 4 {
		m.Cores = append(m.Cores, host.Core{User: 1000, System: 400, Idle: 100000, SoftIRQ: 90})
	}
	for i, name := range []string{"example.file.core.windows.net", "files.example.com"} {
		server := host.SMBServer{
			Name: name, Address: netip.AddrFrom4([4]byte{192, 0, 2, byte(100 + i)}), Dialect: "3.1.1", Multichannel: true, MaxChannels: 4,
			ServerInterfaces: []host.SMBInterface{{Address: netip.AddrFrom4([4]byte{192, 0, 2, byte(100 + i)}), SpeedMbit: 10000, RSS: true}},
		}
		for at := range 8 {
			local := netip.AddrPortFrom(m.NICs[at%2].Address.Addr(), uint16(40000+100*i+at))
			server.Channels = append(server.Channels, host.SMBChannel{
				TCP: host.TCP{Local: local, Remote: netip.AddrPortFrom(server.Address, 445)}, Selected: true, RSS: true, SpeedMbit: 10000, InFlight: 2, Credits: 4096,
			})
		}
		for _, share := range []string{"share1", "share two"} {
			server.Shares = append(server.Shares, host.SMBShare{
				Name: share, MountPoint: "/mnt/" + name + "/" + share, Read: 3e9, Written: 1e9, ReadSeconds: 70, WriteSeconds: 30,
				Operations: map[string]host.SMBOperation{"Reads": {Count: 45000}, "Writes": {Count: 15000, Failed: 2}, "Creates": {Count: 900, Seconds: 2}},
				OpenFiles:  []host.OpenFile{{Path: "r.0", Handles: 2}},
			})
		}
		m.SMB = append(m.SMB, server)
	}
	target := host.ISCSITarget{Name: "iqn.2026-01.com.example:lun1", Portal: netip.MustParseAddrPort("192.0.2.120:3260"), MountPoint: "/data"}
	for i, disk := range []string{"sdb", "sdc", "sdd", "sde"} {
		target.Sessions = append(target.Sessions, host.ISCSISession{
			TCP:  host.TCP{Local: netip.MustParseAddrPort(fmt.Sprintf("192.0.2.1:%d", 50000+i)), Remote: target.Portal},
			Disk: disk, QueueDepth: 32, InFlight: 4, Reads: 9000, Writes: 1000, ReadBytes: 9000 << 16, WriteBytes: 1000 << 16, ReadSeconds: 40, WriteSecs: 8,
			BusySeconds: 30, WeightedSeconds: 48,
		})
	}
	m.ISCSI = []host.ISCSITarget{target}
	return m
}
