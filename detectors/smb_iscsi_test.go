package detectors

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

// What the detectors of NFS say of SMB servers and iSCSI portals.

// aPortal is a client with one iSCSI target, whose sessions share the bytes so that the first carries busiest of them.
func aPortal(sessions int, busiest fleet.Value) (*fleet.Client, *fleet.Endpoint) {
	target := aMount()
	target.Protocol, target.Export, target.Version, target.Sessions = fleet.ISCSI, "iqn.2026-11.com.example:vol1", "", fleet.Value(sessions)
	target.Classes = map[string]fleet.Class{"read": {Rate: 120, RTT: 0.13, Execute: 0.13, Errors: fleet.Unknown}}
	to := aTransport()
	to.Protocol, to.Version, to.Count, to.Rate, to.RTT, to.Execute = fleet.ISCSI, "", fleet.Value(sessions), 120, 0.13, 0.13
	portal := anEndpoint(target)
	portal.Protocol, portal.Transports, portal.Sessions = fleet.ISCSI, []*fleet.Transport{to}, spread(sessions, busiest, 3*mebibyte)
	portal.Moving, portal.LowestRTT = 1, 1*ms
	for _, session := range portal.Sessions {
		session.RTT, session.OutOfOrder = 100*ms, 0
	}
	return aClient(portal), portal
}

func TestISCSISessions(t *testing.T) {
	for _, row := range []struct {
		name     string
		sessions int
		busiest  fleet.Value
		want     []string
		advice   string
	}{
		{"one session at its ceiling", 1, 1, []string{"session_saturated/flow"}, "nr_sessions -v 4"},
		{"four, one of which carries all (A10)", 4, 0.97, []string{"session_saturated/flow", "session_saturated/skew"}, "multipath -ll"},
		{"four alike", 4, 0.25, []string{}, ""},
	} {
		client, _ := aPortal(row.sessions, row.busiest)
		found := Evaluate(aView(client), DefaultSettings())
		if got := names(found); strings.Join(got, " ") != strings.Join(row.want, " ") {
			t.Errorf("%s: found %v, want %v", row.name, got, row.want)
			continue
		}
		for _, finding := range found {
			if !strings.Contains(finding.Remedy[0].Command, row.advice) || strings.Contains(finding.Remedy[0].Command, "nconnect") {
				t.Errorf("%s: %s advises %q, want %q", row.name, finding.Variant, finding.Remedy[0].Command, row.advice)
			}
		}
	}
}

func TestOneRequestAtATimeOverSMBAndISCSI(t *testing.T) {
	client, server := anSMBServer(1, 0.9)
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/single_thread")
	if !strings.Contains(finding.Remedy[0].Caveat, "max_channels") {
		t.Errorf("caveat %q", finding.Remedy[0].Caveat)
	}
	server.Mounts[0].Shared = true
	finding = only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/single_thread")
	if finding.Evidence[0].Query != "" {
		t.Errorf("query %q for a number that no query gives", finding.Evidence[0].Query)
	}
	client, portal := aPortal(1, 1)
	portal.Mounts[0].Classes["read"] = fleet.Class{Rate: 500, RTT: 2 * ms, Execute: 2 * ms, Errors: fleet.Unknown}
	portal.Transports[0].Rate, portal.Transports[0].RTT, portal.Transports[0].Execute = 500, 2*ms, 2*ms
	finding = only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/single_thread")
	if !strings.Contains(finding.Remedy[0].Caveat, "nr_sessions") {
		t.Errorf("caveat %q", finding.Remedy[0].Caveat)
	}
}

func TestDeadServersOfEachProtocol(t *testing.T) {
	smbClient, server := anSMBServer(4, 16)
	iscsiClient, portal := aPortal(2, 0.5)
	for _, row := range []struct {
		client   *fleet.Client
		endpoint *fleet.Endpoint
		command  string
	}{{smbClient, server, "nc -vz -w 5 192.0.2.10 445\ndmesg | grep -i cifs"}, {iscsiClient, portal, "nc -vz -w 5 192.0.2.10 3260\niscsiadm"}} {
		e := row.endpoint
		row.client.Endpoints[0].Mounts[0].Completions = 0
		if got := names(Evaluate(aView(row.client), DefaultSettings())); strings.Contains(strings.Join(got, " "), "unresponsive") {
			t.Errorf("%s: found %v while nothing waits", e.Protocol, got)
		}
		e.PendingFloor = 4
		finding := only(t, Evaluate(aView(row.client), DefaultSettings()), "server_unresponsive/stalled")
		if !strings.Contains(finding.Remedy[0].Command, row.command) {
			t.Errorf("%s: command %q", e.Protocol, finding.Remedy[0].Command)
		}
		rate := e.Transports[0].Rate
		e.PendingFloor, e.Pending, e.Disconnected, e.Connected, e.Transports[0].Rate = 0, 0, 2, 0, 0
		if got := names(Evaluate(aView(row.client), DefaultSettings())); strings.Contains(strings.Join(got, " "), "unresponsive") {
			t.Errorf("%s: found %v although nobody wants the connection that is down", e.Protocol, got)
		}
		e.Pending = 1
		only(t, Evaluate(aView(row.client), DefaultSettings()), "server_unresponsive/stalled")
		e.Pending, e.Transports[0].Rate = 0, rate
		only(t, Evaluate(aView(row.client), DefaultSettings()), "server_unresponsive/stalled")
		e.Mounts[0].Completions = 10
		if got := names(Evaluate(aView(row.client), DefaultSettings())); strings.Contains(strings.Join(got, " "), "unresponsive") {
			t.Errorf("%s: found %v although operations complete", e.Protocol, got)
		}
	}
	smbClient.SMB.Windows = true
	server.Mounts[0].Completions, server.PendingFloor = 0, 4
	finding := only(t, Evaluate(aView(smbClient), DefaultSettings()), "server_unresponsive/stalled")
	if !strings.HasPrefix(finding.Remedy[0].Command, "Test-NetConnection 192.0.2.10") {
		t.Errorf("Windows: command %q", finding.Remedy[0].Command)
	}
}

func TestSMBMetadata(t *testing.T) {
	class := func(rate fleet.Value) fleet.Class {
		return fleet.Class{Rate: rate, RTT: 2 * ms, Execute: 2 * ms, Errors: 0}
	}
	client, server := anSMBServer(1, 2)
	share := server.Mounts[0]
	share.Classes = map[string]fleet.Class{
		"read": class(20), "open": class(300), "close": class(300), "attr": class(100), "dir": class(50), "notify": {Rate: 5, RTT: 20, Execute: 20},
	}
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "metadata_heavy/share")
	if !strings.Contains(finding.Summary, "755 op/s of 775 op/s") {
		t.Errorf("summary %q", finding.Summary)
	}
	if finding.Remedy[0].Command != "mount -o remount,actimeo=30 /mnt/a" {
		t.Errorf("command %q", finding.Remedy[0].Command)
	}
	// A storm of change notifications is not opens and closes.
	share.Classes = map[string]fleet.Class{"read": class(20), "open": class(3), "notify": {Rate: 500, RTT: 20, Execute: 20}}
	if got := names(Evaluate(aView(client), DefaultSettings())); strings.Contains(strings.Join(got, " "), "metadata") {
		t.Errorf("found %v for change notifications", got)
	}
	// Windows tells data and metadata apart and no more.
	client.SMB.Windows, share.MountPoints = true, nil
	share.Classes = map[string]fleet.Class{"read": class(20), "metadata": {Rate: 400, RTT: fleet.Unknown, Execute: fleet.Unknown}}
	finding = only(t, Evaluate(aView(client), DefaultSettings()), "metadata_heavy/share")
	if finding.Remedy[0].Command != "" {
		t.Errorf("command %q for a Windows client", finding.Remedy[0].Command)
	}
}

// What waits for a broken SMB session shows nowhere, so the finding stays until a session is up again.
func TestBrokenSMBSessionStaysUnresponsive(t *testing.T) {
	client, server := anSMBServer(4, 16)
	server.Mounts[0].Completions, server.Disconnected, server.Connected = 0, 4, 0
	cycle := NewLifecycle(DefaultSettings())
	step := func(minute int) []string {
		view := aView(client)
		view.At = noon.Add(time.Duration(minute) * time.Minute)
		cycle.Step(Judge(view, DefaultSettings()))
		return names(cycle.Active())
	}
	if got := step(0); len(got) == 0 || got[len(got)-1] != "server_unresponsive/stalled" {
		t.Fatalf("found %v", got)
	}
	server.Transports[0].Rate, server.Mounts[0].Classes = 0, map[string]fleet.Class{"read": {}}
	for minute := range 10 {
		if got := step(1 + minute); len(got) == 0 || got[len(got)-1] != "server_unresponsive/stalled" {
			t.Fatalf("minute %d: found %v while the session is down", 1+minute, got)
		}
	}
	server.Disconnected, server.Connected = 0, 4
	step(11)
	for _, finding := range cycle.Active() {
		if finding.Detector == ServerUnresponsive && finding.State == Firing {
			t.Errorf("still firing with the session up: %+v", finding)
		}
	}
}

// A change notification waits by design: it neither hides how many requests are under way nor counts as one.
func TestChangeNotificationsHideNothing(t *testing.T) {
	client, server := anSMBServer(1, 0.9)
	server.Mounts[0].Classes["notify"] = fleet.Class{Rate: 0.1, RTT: fleet.Unknown, Execute: fleet.Unknown}
	only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/single_thread")
	if gaps := strings.Join(Gaps(server.Mounts[0], server), "\n"); strings.Contains(gaps, "CONFIG_CIFS_STATS2") {
		t.Errorf("gaps %q", gaps)
	}
}

// The wait in the client is not told by SMB and iSCSI: it is no evidence, and no zero.
func TestQueueShareIsNotInvented(t *testing.T) {
	client, server := anSMBServer(1, 0.9)
	if share := server.Mounts[0].QueueShare(); share.Known() || server.QueueShare().Known() || server.Transports[0].QueueShare().Known() {
		t.Errorf("queue share %v of SMB", share)
	}
	for _, e := range only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/single_thread").Evidence {
		if strings.Contains(e.Name, "queue share") {
			t.Errorf("evidence %+v", e)
		}
	}
}

// A Windows client times reads and writes alone: of what is under way they are a part.
func TestUntimedMetadataIsUnderWayToo(t *testing.T) {
	client, server := anSMBServer(1, 0.9) // 200 reads a second
	metadata := fleet.Class{Rate: 600, RTT: fleet.Unknown, Execute: fleet.Unknown, Errors: fleet.Unknown}
	server.Mounts[0].Classes[fleet.ClassMetadata] = metadata
	if found := names(Evaluate(aView(client), DefaultSettings())); slices.Contains(found, "client_bound/single_thread") {
		t.Errorf("found %v: 0.9 reads and three times as much metadata are under way", found)
	}
	metadata.Rate = 100
	server.Mounts[0].Classes[fleet.ClassMetadata] = metadata
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/single_thread")
	if kept := finding.Evidence[0]; kept.Name != "requests outstanding" || math.Abs(float64(kept.Value)-1.35) > 1e-9 || kept.Query != "" {
		t.Errorf("evidence %+v", kept)
	}
}

func TestCreditsUsedUp(t *testing.T) {
	client, server := anSMBServer(1, 32)
	server.Mounts[0].CreditStalls = 0
	for _, name := range names(Evaluate(aView(client), DefaultSettings())) {
		if name == "session_saturated/slots" {
			t.Errorf("found %s without a stall", name)
		}
	}
	server.Mounts[0].CreditStalls = 3
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/slots")
	if !strings.Contains(finding.Summary, "wait on this host for a credit of the server, 3 times a second") {
		t.Errorf("summary %q", finding.Summary)
	}
	server.BaseLatency = 32.0 / 200 // as long as now: the wait for a credit is in no time that the client tells
	if gain := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/slots").Gain; gain.High < 2 {
		t.Errorf("gain %+v: more channels bring more credits", gain)
	}
	server.Provider, server.Transports[0].Count = fleet.ProviderAzure, 4
	for _, name := range names(Evaluate(aView(client), DefaultSettings())) {
		if name == "session_saturated/slots" {
			t.Errorf("found %s with as many channels as the service gains from", name)
		}
	}
}

// Notes and gaps speak of the protocol at hand.
func TestSMBAndISCSINotes(t *testing.T) {
	client, server := anSMBServer(1, 2)
	share := server.Mounts[0]
	share.ChannelsAsked, server.SMB.ServerRSS, server.SMB.Dialect = 4, "false", "2.1"
	notes := strings.Join(Notes(share, server, client), "\n")
	for _, want := range []string{"asks for 4 channels and has 1", "dialect is SMB 2.1: cloud services offer several channels with 3.1.1"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes lack %q:\n%s", want, notes)
		}
	}
	for _, dialect := range []string{"2.1", "3.0", "3.0.2"} {
		server.SMB.Dialect, share.ChannelsAsked = dialect, fleet.Unknown
		if notes := strings.Join(Notes(share, server, client), "\n"); !strings.Contains(notes, "The dialect is SMB "+dialect) {
			t.Errorf("notes do not name the dialect %s as the cause:\n%s", dialect, notes)
		}
	}
	server.SMB.Dialect, share.ChannelsAsked = "3.1.1", 4
	if notes := strings.Join(Notes(share, server, client), "\n"); !strings.Contains(notes, "no RSS") || strings.Contains(notes, "dialect") {
		t.Errorf("notes of 3.1.1:\n%s", notes)
	}
	share.Completions = 200
	share.Classes = map[string]fleet.Class{"read": {Rate: 10, RTT: fleet.Unknown, Execute: fleet.Unknown}, "write": {Rate: 0}}
	if gaps := strings.Join(Gaps(share, server), "\n"); !strings.Contains(gaps, "CONFIG_CIFS_STATS2") || !strings.Contains(gaps, "no TCP session") {
		t.Errorf("gaps %q", gaps)
	}
	client.SMB.Windows = true
	if gaps := strings.Join(Gaps(share, server), "\n"); strings.Contains(gaps, "no TCP session") {
		t.Errorf("gaps of a Windows client %q", gaps)
	}
	if notes := strings.Join(Notes(share, server, client), "\n"); !strings.Contains(notes, "Windows tells nothing of single TCP sessions") {
		t.Errorf("notes of a Windows client:\n%s", notes)
	}
	client, portal := aPortal(4, 0.25)
	notes = strings.Join(Notes(portal.Mounts[0], portal, client), "\n")
	if !strings.Contains(notes, "4 sessions are logged in") || strings.Contains(notes, "nconnect") {
		t.Errorf("notes of a target:\n%s", notes)
	}
}
