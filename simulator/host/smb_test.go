package host_test

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/collectors/smb"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/host"
)

// smbClasses are what operations count as. Others keep the session up and count as nothing.
var smbClasses = map[string]string{
	"Reads": "read", "Writes": "write", "Flushes": "commit", "Creates": "open", "Closes": "close", "QueryInfos": "attr", "SetInfos": "attr",
	"QueryDirectories": "dir", "ChangeNotifies": "notify", "Locks": "other", "IOCTLs": "other", "OplockBreaks": "other",
}

// TestSMBIsReadBack: the collector of a Linux host gives the numbers of the state, all of them and no others.
func TestSMBIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := smbMachine(t)
		same(t, "SMB", wantSMB(m), read(t, smb.New(m.Root()), m.Now))
	})
}

// TestSMBOverTime: between two moments every counter rises by what was done.
func TestSMBOverTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := smbMachine(t)
		var at moments
		c := smb.New(at.root(m.Root()))
		same(t, "first", wantSMB(m), read(t, c, m.Now))
		growSMB(t, m)
		at.move(m.Root())
		same(t, "then", wantSMB(m), read(t, c, m.Now))
	})
}

func wantSMB(m *host.Machine) readings {
	want := readings{}
	sessions, shares := 0, 0
	for i := range m.SMB {
		wantSMBServer(want, &m.SMB[i])
		sessions, shares = sessions+m.SMB[i].Reconnects, shares+m.SMB[i].Reconnects*len(m.SMB[i].Shares)
	}
	want.is(float64(sessions), schema.SMBSessionReconnects)
	want.is(float64(shares), schema.SMBShareReconnects)
	return want
}

func wantSMBServer(want readings, s *host.SMBServer) {
	server := s.Address.String()
	offered := "false"
	switch {
	case len(s.ServerInterfaces) > 0 || len(s.Channels) > 1:
		offered = "true"
	case s.Dialect == "2.1":
		offered = "unknown"
	}
	rss := "unknown"
	if len(s.ServerInterfaces) > 0 {
		rss = strconv.FormatBool(slices.ContainsFunc(s.ServerInterfaces, func(i host.SMBInterface) bool { return i.RSS }))
	}
	want.is(1, schema.SMBEndpointInfo, server, "smb", s.Name, s.Dialect, offered, "unknown", rss, strconv.FormatBool(s.Encrypted))
	up, pending, most, credits := 0, 0, 0, math.MaxInt
	for _, c := range s.Channels {
		pending, most = pending+c.InFlight, max(most, c.InFlight, c.MaxInFlight)
		if !c.Closed {
			up, credits = up+1, min(credits, c.Credits)
		}
	}
	if up > 0 {
		want.is(float64(credits), schema.SMBCredits, server, "smb")
	}
	want.is(1, schema.SMBSessions, server, "smb")
	want.is(float64(up), schema.SMBChannels, server, "smb")
	want.is(float64(up), schema.SMBChannelsUp, server, "smb")
	want.is(float64(len(s.Channels)-up), schema.SMBChannelsDown, server, "smb")
	want.is(float64(pending), schema.SMBPending, server, "smb")
	want.is(float64(most), schema.SMBMaxInFlight, server, "smb")
	counts, times := map[string]float64{}, map[string]float64{}
	for i := range s.Shares {
		share := &s.Shares[i]
		for name, done := range share.Operations {
			counts[smbClasses[name]] += done.Count
			if name != "Reads" && name != "Writes" {
				times[smbClasses[name]] += done.Seconds
			}
		}
		times["read"], times["write"] = times["read"]+share.ReadSeconds, times["write"]+share.WriteSeconds
		wantSMBShare(want, s, share)
	}
	for _, class := range smbClasses {
		want.is(counts[class], schema.SMBEndpointOperations, server, "smb", class)
		want.is(times[class], schema.SMBEndpointRTT, server, "smb", class)
	}
}

func wantSMBShare(want readings, s *host.SMBServer, share *host.SMBShare) {
	up := func(c host.SMBChannel) bool { return !c.Closed }
	if share.MountPoint == "" && !slices.ContainsFunc(s.Channels, up) {
		return // nobody sees it, and the client has yet to give it up
	}
	id := []string{s.Address.String(), share.Name, "smb"}
	asked := 1
	if s.Multichannel {
		asked = s.MaxChannels
		if asked == 0 {
			asked = 2 // the client's default
		}
	}
	label := ""
	if asked > 1 && share.MountPoint != "" {
		label = strconv.Itoa(asked)
	}
	want.is(1, schema.SMBMountInfo, append(id[:3:3], s.Name, s.Dialect, "tcp", strings.ReplaceAll(share.MountPoint, " ", `\040`), label)...)
	if share.MountPoint != "" {
		want.is(float64(asked), schema.SMBChannelsAsked, id...)
	}
	handles, names := 0, map[string]bool{}
	for _, file := range share.OpenFiles {
		handles, names[path.Base(file.Path)] = handles+file.Handles, true
	}
	want.is(float64(handles), schema.SMBOpenFiles, id...)
	want.is(float64(len(names)), schema.SMBFilesInUse, id...)
	want.is(share.Read, schema.SMBReadBytes, id...)
	want.is(share.Written, schema.SMBWriteBytes, id...)
	counts, failed := map[string]float64{}, map[string]float64{}
	for name, done := range share.Operations {
		class, kind := smbClasses[name], "metadata"
		if class == "read" || class == "write" || class == "commit" {
			kind = "data"
		}
		counts[class] += done.Count
		failed[kind] += done.Failed
	}
	for _, class := range smbClasses {
		want.is(counts[class], schema.SMBOperations, append(id[:3:3], class)...)
	}
	for _, kind := range []string{"data", "metadata"} {
		want.is(failed[kind], schema.SMBErrors, append(id[:3:3], kind)...)
	}
}
