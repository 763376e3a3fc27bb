package fleet_test

import (
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/schema"
)

// shareOf are the identity labels of a share of one server.
func shareOf(share, device string) []string {
	return []string{"client", "192.0.2.20", share, "smb", device}
}

var smbServer = []string{"client", "192.0.2.20", "smb"}

func more(labels []string, others ...string) []string {
	return append(append([]string{}, labels...), others...)
}

func (r *recorder) smbShare(share, device string, reads, bytes float64) {
	labels := shareOf(share, device)
	r.add(schema.SMBMountInfo, 1, more(labels, "files.example.com", "3.1.1", "tcp", "/mnt/"+share, "ntlmssp", "4", "rw")...)
	r.add(schema.SMBChannelsAsked, 4, labels...)
	r.add(schema.SMBFilesInUse, 2, labels...)
	r.add(schema.SMBOperations, reads, more(labels, "read")...)
	r.add(schema.SMBOperations, 0, more(labels, "write")...)
	r.add(schema.SMBReadBytes, bytes, labels...)
	r.add(schema.SMBWriteBytes, 0, labels...)
}

// TestBuildOfAnSMBServer: two shares of one server, whose commands a Linux client counts by server: 400 reads a second of 10 ms
// each, of which the first share has three quarters, and a change notification that waits all the time.
func TestBuildOfAnSMBServer(t *testing.T) {
	r := newRecorder(t)
	for _, seconds := range []float64{0, 10, 20} {
		r.at(time.Duration(seconds * float64(time.Second)))
		r.smbShare("projects", "0:50", 300*seconds, 300*65536*seconds)
		r.smbShare("home", "0:51", 100*seconds, 100*65536*seconds)
		r.add(schema.SMBOperations, 0.1*seconds, more(shareOf("home", "0:51"), "notify")...)
		r.add(schema.SMBEndpointInfo, 1, more(smbServer, "files.example.com", "3.1.1", "true", "unknown", "false", "")...)
		r.add(schema.SMBChannels, 3, smbServer...)
		r.add(schema.SMBChannelsUp, 3, smbServer...)
		r.add(schema.SMBChannelsDown, 1, smbServer...)
		r.add(schema.SMBPending, 2, smbServer...)
		r.add(schema.SMBCredits, 500, smbServer...)
		r.add(schema.SMBEndpointOperations, 400*seconds, more(smbServer, "read")...)
		r.add(schema.SMBEndpointOperations, 0, more(smbServer, "write")...)
		r.add(schema.SMBEndpointOperations, 0.1*seconds, more(smbServer, "notify")...)
		r.add(schema.SMBEndpointRTT, 4*seconds, more(smbServer, "read")...)
		r.add(schema.SMBEndpointRTT, 0, more(smbServer, "write")...)
		r.add(schema.SMBEndpointRTT, 5*seconds, more(smbServer, "notify")...)
	}
	client := r.build(fleet.Moments(r.times)).Clients[0]
	server := client.Endpoints[0]
	within(t, "coverage", client.Coverage, 1)
	within(t, "channels", server.Count(), 3)
	within(t, "requests under way", server.OnWire(), 4)
	within(t, "operation RTT", server.RTT(), 4/400.1)
	within(t, "replies of the last interval", server.Receives, 400)
	within(t, "fewest pending", server.PendingFloor, 2)
	within(t, "channels down", server.Disconnected, 1)
	within(t, "credits", server.SMB.Credits, 500)
	if smb := server.SMB; smb.Dialect != "3.1.1" || smb.Multichannel != "true" || smb.ServerRSS != "false" {
		t.Errorf("server %+v", smb)
	}
	home, projects := client.Mounts[0], client.Mounts[1]
	within(t, "requests of the larger share", projects.Outstanding(), 3)
	within(t, "requests of the smaller share", home.Outstanding(), 1)
	within(t, "channels asked for", projects.ChannelsAsked, 4)
	within(t, "files in use", projects.FilesInUse, 2)
	unknown(t, "queue share", projects.QueueShare())
	if !projects.Shared || server.TransportOf(projects) == nil {
		t.Errorf("mount %+v", projects)
	}
}

// Without the tables of commands nobody knows how long a request takes: a sum of what is known would be no requests at all.
func TestSMBWithoutTimes(t *testing.T) {
	r := newRecorder(t)
	for _, seconds := range []float64{0, 10, 20} {
		r.at(time.Duration(seconds * float64(time.Second)))
		r.smbShare("projects", "0:50", 300*seconds, 300*65536*seconds)
	}
	mount := r.build(fleet.Moments(r.times)).Clients[0].Mounts[0]
	within(t, "operations", mount.Operations(), 300)
	unknown(t, "outstanding", mount.Outstanding())
}

// A Windows client counts time and what waits by share.
func TestBuildOfAWindowsClient(t *testing.T) {
	r := newRecorder(t)
	labels := shareOf("data", "")
	for _, seconds := range []float64{0, 10, 20} {
		r.at(time.Duration(seconds * float64(time.Second)))
		r.add(schema.SMBMountInfo, 1, more(labels, "files.example.com", "3.1.1", "tcp", "Z:", "", "", "")...)
		if seconds == 0 {
			r.add(schema.SMBClientInfo, 1, "client", "unknown", "", "", "unknown", "unknown")
		} else {
			r.add(schema.SMBClientInfo, 1, "client", "true", "4", "32", "true", "true")
		}
		r.add(schema.SMBOperations, 1000, more(labels, "read")...)
		r.add(schema.SMBOperations, 50*seconds, more(labels, "metadata")...)
		r.add(schema.SMBRTT, 12, more(labels, "read")...)
		r.add(schema.SMBQueued, 16, labels...)
		r.add(schema.SMBCreditStalls, 2*seconds, labels...)
	}
	client := r.build(fleet.Moments(r.times)).Clients[0]
	mount, server := client.Mounts[0], client.Endpoints[0]
	if !client.Windows() || client.SMB.Multichannel != "true" {
		t.Errorf("client %+v", client.SMB)
	}
	within(t, "connections for an interface", client.SMB.PerInterface, 4)
	within(t, "credit stalls", mount.CreditStalls, 2)
	within(t, "operations", mount.Operations(), 50)
	within(t, "fewest requests that waited in the last interval", server.PendingFloor, 16)
	within(t, "reads and writes under way", mount.Outstanding(), 0)
}

// A target's sessions are those of its portal, and its disks' times are those of its requests.
func TestBuildOfAPortal(t *testing.T) {
	r := newRecorder(t)
	labels := []string{"client", "192.0.2.30", "iqn.2026-11.com.example:vol1", "iscsi", ""}
	for _, seconds := range []float64{0, 10, 20} {
		r.at(time.Duration(seconds * float64(time.Second)))
		r.add(schema.ISCSIMountInfo, 1, more(labels, "192.0.2.30", "", "tcp", "/mnt/disk", "", "sdb sdc", "", "")...)
		r.add(schema.ISCSISessions, 4, labels...)
		r.add(schema.ISCSISessionsDown, 1, labels...)
		r.add(schema.ISCSIPending, 7, labels...)
		r.add(schema.ISCSIOperations, 200*seconds, more(labels, "read")...)
		r.add(schema.ISCSIRTT, 16*seconds, more(labels, "read")...)
	}
	client := r.build(fleet.Moments(r.times)).Clients[0]
	mount, portal := client.Mounts[0], client.Endpoints[0]
	within(t, "sessions", portal.Count(), 4)
	within(t, "sessions that are down", portal.Disconnected, 1)
	within(t, "requests under way", mount.Outstanding(), 16)
	within(t, "time of a request", portal.RTT(), 0.080)
	within(t, "fewest pending", portal.PendingFloor, 7)
	unknown(t, "queue share", mount.QueueShare())
}
