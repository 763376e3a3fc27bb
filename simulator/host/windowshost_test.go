package host_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/collectors/windows"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/host"
)

// windowsMachine draws a Windows host. Some shares have a drive.
func windowsMachine(t *rapid.T) *host.Machine {
	m := smbMachine(t)
	m.Windows = true
	for i := range m.SMB {
		for at := range m.SMB[i].Shares {
			if m.SMB[i].Shares[at].MountPoint != "" {
				m.SMB[i].Shares[at].MountPoint = fmt.Sprintf("%c:", 'D'+10*i+at)
			}
		}
	}
	return m
}

// TestWindowsIsReadBack: the collector of a Windows host gives the numbers of the state, all of them and no others.
func TestWindowsIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := windowsMachine(t)
		same(t, "Windows", wantWindows(m), read(t, windows.New(m.Root()), m.Now))
	})
}

// TestWindowsOverTime: between two moments every counter rises by what was done.
func TestWindowsOverTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := windowsMachine(t)
		var at moments
		c := windows.New(at.root(m.Root()))
		same(t, "first", wantWindows(m), read(t, c, m.Now))
		growSMB(t, m)
		at.move(m.Root())
		same(t, "then", wantWindows(m), read(t, c, m.Now))
	})
}

// TestWindowsDirectory: a directory of hosts, each as Write leaves it, is read as the recordings that hosts make of themselves.
func TestWindowsDirectory(t *testing.T) {
	dir, want := t.TempDir(), 0
	for _, name := range []string{"app1", "app2"} {
		m := windowsClient()
		m.Name = name
		for range 2 { // again over what is there
			if err := m.Write(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		want += len(read(t, windows.New(m.Root()), m.Now)) + 1 // and the age of the recording
	}
	c, err := windows.Directory(windows.DirectoryConfig{Path: dir, Interval: time.Hour}).New(collectors.Root{}, collectors.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	result := collectors.Once(t.Context(), c, time.Now())
	hosts := map[string]int{}
	for _, sample := range result.Samples {
		hosts[sample.Labels[0]]++
	}
	if result.Err != nil || len(result.Skipped) > 0 || len(result.Samples) != want || hosts["app1"] != want/2 || hosts["app2"] != want/2 {
		t.Errorf("error %v, skipped %v, %d samples of %v, want %d", result.Err, result.Skipped, len(result.Samples), hosts, want)
	}
}

// TestWindowsShape: the files and their properties are those that deploy/windows/capture.ps1 asks for.
func TestWindowsShape(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("..", "..", "deploy", "windows", "capture.ps1"))
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]string{"SmbClientShares": regexp.MustCompile(`shareProperties = @\(([^)]*)\)`).FindStringSubmatch(string(script))[1]}
	question := regexp.MustCompile(`@\{ Name = '(\w+)'\s+Ask = .*\s+Properties = @\(([^)]*)\)`)
	for _, found := range question.FindAllStringSubmatch(string(script), -1) {
		asked[found[1]] = found[2]
	}
	// The script asks for transports of newer systems as well, and older ones do not have them.
	newer := []string{"TcpConnectionCount", "RdmaConnectionCount", "QuicConnectionCount"}
	root := windowsClient().Root().Windows
	if entries, err := fs.ReadDir(root, "."); err != nil || len(entries) != len(asked) {
		t.Errorf("%d files, want %d, error %v", len(entries), len(asked), err)
	}
	for name, properties := range asked {
		data, err := fs.ReadFile(root, name+".json")
		var rows []map[string]any
		if err == nil {
			err = json.Unmarshal(data, &rows)
		}
		if err != nil || len(rows) == 0 {
			t.Errorf("%s: %d rows, error %v", name, len(rows), err)
			continue
		}
		want := regexp.MustCompile(`\w+`).FindAllString(properties, -1)
		want = slices.DeleteFunc(want, func(property string) bool { return slices.Contains(newer, property) })
		slices.Sort(want)
		for _, row := range rows {
			if got := slices.Sorted(maps.Keys(row)); !slices.Equal(got, want) {
				t.Errorf("%s has %v, want %v", name, got, want)
			}
		}
	}
}

func wantWindows(m *host.Machine) readings {
	want := readings{}
	asked, perInterface := false, 0
	leads, pairs := map[string]bool{}, false
	for i := range m.SMB {
		server := &m.SMB[i]
		asked, perInterface = asked || server.Multichannel, max(perInterface, server.MaxChannels)
		for _, c := range server.Channels {
			if server.Multichannel && c.Selected {
				leads[nicOf(m, c).Name], pairs = true, true
			}
		}
		wantWindowsServer(want, m, server)
	}
	if perInterface == 0 {
		perInterface = 4 // the default
	}
	want.is(1, schema.SMBClientInfo, strconv.FormatBool(asked), strconv.Itoa(perInterface), "32", "true", "true")
	for i, nic := range m.NICs {
		description, routes := "Example Virtual Network Adapter", "unknown"
		if i > 0 {
			description += " #" + strconv.Itoa(i+1)
		}
		if pairs {
			routes = strconv.FormatBool(leads[nic.Name])
		}
		want.is(1, schema.NICInfo, nic.Name, description, routes)
		want.is(float64(nic.SpeedMbit)*1e6/8, schema.NICSpeed, nic.Name)
		want.is(nic.Received.Bytes, schema.NICReceived, nic.Name)
		want.is(nic.Sent.Bytes, schema.NICTransmitted, nic.Name)
		if nic.RSS {
			want.is(float64(nic.Queues), schema.NICQueues, nic.Name, "receive")
		}
	}
	var sum host.Core
	for i, core := range m.Cores {
		want.is(core.User+core.System+core.SoftIRQ, schema.CPUCoreSeconds, strconv.Itoa(i), "busy")
		want.is(core.SoftIRQ, schema.CPUCoreSeconds, strconv.Itoa(i), "softirq")
		sum.User, sum.SoftIRQ, sum.Idle = sum.User+core.User+core.System+core.SoftIRQ, sum.SoftIRQ+core.SoftIRQ, sum.Idle+core.Idle
	}
	want.is(sum.User, schema.CPUSeconds, "busy")
	want.is(sum.SoftIRQ, schema.CPUSeconds, "softirq")
	want.is(sum.Idle, schema.CPUSeconds, "idle")
	want.is(float64(len(m.Cores)), schema.CPUCores)
	return want
}

func nicOf(m *host.Machine, c host.SMBChannel) host.NIC {
	return m.NICs[slices.IndexFunc(m.NICs, func(n host.NIC) bool { return n.Address.Addr() == c.Local.Addr() })]
}

// wantWindowsServer: channels are known by pairs of interfaces, which the client lists only if it may use several.
func wantWindowsServer(want readings, m *host.Machine, s *host.SMBServer) {
	multichannel, transport, client, server, channels := "unknown", "", false, "unknown", 1
	for _, nic := range m.NICs {
		client = client || nic.RSS
	}
	offered := slices.ContainsFunc(s.ServerInterfaces, func(i host.SMBInterface) bool { return i.Address == s.Address && i.RSS })
	for _, c := range s.Channels {
		if !s.Multichannel || !c.Selected {
			continue
		}
		if transport == "" {
			multichannel, transport, client, channels = "true", "tcp", false, 0
		}
		client, server = client || nicOf(m, c).RSS, strconv.FormatBool(offered)
		if !c.Closed {
			channels++
		}
	}
	want.is(1, schema.SMBEndpointInfo, s.Name, "smb", s.Name, s.Dialect, multichannel, strconv.FormatBool(client), server, strconv.FormatBool(s.Encrypted))
	want.is(float64(channels), schema.SMBChannels, s.Name, "smb")
	want.is(float64(channels), schema.SMBChannelsUp, s.Name, "smb")
	for i := range s.Shares {
		share := &s.Shares[i]
		id := []string{s.Name, share.Name, "smb"}
		points := `\134\134` + s.Name + `\134` + strings.ReplaceAll(share.Name, " ", `\040`)
		if share.MountPoint != "" {
			points = share.MountPoint + " " + points
		}
		want.is(1, schema.SMBMountInfo, append(id[:3:3], s.Name, s.Dialect, transport, points, "")...)
		handles := 0
		for _, file := range share.OpenFiles {
			handles += file.Handles
		}
		want.is(float64(handles), schema.SMBOpenFiles, id...)
		wantWindowsShare(want, share, id)
	}
}

// wantWindowsShare is what both the client itself and its exporter tell of a share.
func wantWindowsShare(want readings, share *host.SMBShare, id []string) {
	metadata := 0.0
	for name, done := range share.Operations {
		if name != "Reads" && name != "Writes" {
			metadata += done.Count
		}
	}
	want.is(share.Read, schema.SMBReadBytes, id...)
	want.is(share.Written, schema.SMBWriteBytes, id...)
	want.is(share.Operations["Reads"].Count, schema.SMBOperations, append(id[:3:3], "read")...)
	want.is(share.Operations["Writes"].Count, schema.SMBOperations, append(id[:3:3], "write")...)
	want.is(metadata, schema.SMBOperations, append(id[:3:3], "metadata")...)
	want.is(share.ReadSeconds, schema.SMBRTT, append(id[:3:3], "read")...)
	want.is(share.WriteSeconds, schema.SMBRTT, append(id[:3:3], "write")...)
	want.is(share.CreditStalls, schema.SMBCreditStalls, id...)
	want.is(share.InFlight, schema.SMBQueued, id...)
}
