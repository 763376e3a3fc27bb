package host_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors/iscsi"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/host"
)

// iscsiMachine draws a host with some targets of one to five sessions, not all of which are up or have a disk.
func iscsiMachine(t *rapid.T) *host.Machine {
	m := &host.Machine{Name: "app1", Boot: noon.AddDate(0, 0, -3), Now: noon}
	disks := 0
	for i := range rapid.IntRange(1, 3).Draw(t, "targets") {
		target := host.ISCSITarget{
			Name:       fmt.Sprintf("iqn.2026-01.com.example:lun%d", i),
			Portal:     netip.MustParseAddrPort(rapid.SampledFrom([]string{"192.0.2.120:3260", "[2001:db8::78]:3260"}).Draw(t, "portal")),
			MountPoint: rapid.SampledFrom([]string{"", fmt.Sprintf("/data %d", i), fmt.Sprintf("/srv/δ%d", i)}).Draw(t, "mount point"),
		}
		for range rapid.IntRange(1, 5).Draw(t, "sessions") {
			disks++
			session := host.ISCSISession{TCP: host.TCP{
				Local: netip.MustParseAddrPort("192.0.2.1:50000"), Remote: target.Portal, Closed: rapid.IntRange(0, 3).Draw(t, "closed") == 0,
			}}
			if rapid.IntRange(0, 5).Draw(t, "has disk") > 0 {
				session.Disk = diskName(disks * rapid.SampledFrom([]int{1, 40, 100}).Draw(t, "spread") * 3)
			}
			workOn(t, &session)
			target.Sessions = append(target.Sessions, session)
		}
		m.ISCSI = append(m.ISCSI, target)
	}
	used := map[string]bool{}
	for i := range m.ISCSI {
		for at := range m.ISCSI[i].Sessions {
			session := &m.ISCSI[i].Sessions[at]
			if used[session.Disk] {
				session.Disk = ""
			}
			used[session.Disk] = true
		}
	}
	return m
}

// diskName is the name of the n-th disk, from 0.
func diskName(n int) string {
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('a'+(n-1)%26)) + name
	}
	return "sd" + name
}

// workOn adds what disks count; times stay below where the kernel begins again.
func workOn(t *rapid.T, s *host.ISCSISession) {
	time := func(label string) float64 { return float64(rapid.Uint64Range(0, 1<<28).Draw(t, label)) / 1000 }
	s.InFlight, s.QueueDepth = rapid.IntRange(0, 64).Draw(t, "in flight"), 32
	s.Reads, s.Writes = s.Reads+amount(t, "reads"), s.Writes+amount(t, "writes")
	s.ReadBytes += 512 * float64(rapid.Uint64Range(0, 1<<40).Draw(t, "sectors read"))
	s.WriteBytes += 512 * float64(rapid.Uint64Range(0, 1<<40).Draw(t, "sectors written"))
	s.ReadSeconds, s.WriteSecs = s.ReadSeconds+time("read time"), s.WriteSecs+time("write time")
	s.BusySeconds, s.WeightedSeconds = s.BusySeconds+time("busy"), s.WeightedSeconds+time("weighted")
}

// TestISCSIIsReadBack: the collector gives the numbers of the state, all of them and no others, and again after more work.
func TestISCSIIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := iscsiMachine(t)
		var at moments
		c := iscsi.New(at.root(m.Root()))
		same(t, "first", wantISCSI(m), read(t, c, m.Now))
		for i := range m.ISCSI {
			for s := range m.ISCSI[i].Sessions {
				workOn(t, &m.ISCSI[i].Sessions[s])
			}
		}
		at.move(m.Root())
		same(t, "then", wantISCSI(m), read(t, c, m.Now))
	})
}

func wantISCSI(m *host.Machine) readings {
	want := readings{}
	for i := range m.ISCSI {
		target := &m.ISCSI[i]
		id := []string{target.Portal.Addr().String(), target.Name, "iscsi"}
		up, disks := 0, []string{}
		var sum host.ISCSISession
		for at := range target.Sessions {
			s := &target.Sessions[at]
			if !s.Closed {
				up++
			}
			if s.Disk == "" {
				continue
			}
			disks = append(disks, s.Disk)
			want.is(s.ReadBytes+s.WriteBytes, schema.ISCSISessionBytes, append(id[:3:3], fmt.Sprintf("session%d", i*32+at+1))...)
			sum.ReadBytes, sum.WriteBytes, sum.Reads, sum.Writes = sum.ReadBytes+s.ReadBytes, sum.WriteBytes+s.WriteBytes, sum.Reads+s.Reads, sum.Writes+s.Writes
			sum.ReadSeconds, sum.WriteSecs = sum.ReadSeconds+s.ReadSeconds, sum.WriteSecs+s.WriteSecs
			sum.WeightedSeconds, sum.InFlight = sum.WeightedSeconds+s.WeightedSeconds, sum.InFlight+s.InFlight
		}
		want.is(float64(up), schema.ISCSISessions, id...)
		want.is(float64(len(target.Sessions)-up), schema.ISCSISessionsDown, id...)
		joined, points := "", ""
		if len(disks) > 1 {
			joined = "mpath" + string(rune('a'+i))
		}
		if len(disks) > 0 {
			points = strings.ReplaceAll(target.MountPoint, " ", `\040`)
			wantDisks(want, &sum, id)
		}
		want.is(1, schema.ISCSIMountInfo, append(id[:3:3], target.Portal.Addr().String(), "", "tcp", points, strings.Join(disks, " "), joined)...)
	}
	return want
}

func wantDisks(want readings, sum *host.ISCSISession, id []string) {
	want.is(sum.ReadBytes, schema.ISCSIReadBytes, id...)
	want.is(sum.WriteBytes, schema.ISCSIWriteBytes, id...)
	want.is(sum.WeightedSeconds, schema.ISCSIOutstanding, id...)
	want.is(float64(sum.InFlight), schema.ISCSIPending, id...)
	for _, class := range []struct {
		name           string
		count, seconds float64
	}{{"read", sum.Reads, sum.ReadSeconds}, {"write", sum.Writes, sum.WriteSecs}, {"commit", 0, 0}, {"other", 0, 0}} {
		want.is(class.count, schema.ISCSIOperations, append(slices.Clone(id), class.name)...)
		want.is(class.seconds, schema.ISCSIRTT, append(slices.Clone(id), class.name)...)
	}
}
