package detectors

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

// What each variant says to whoever is on call: its sentence, how sure it is, and the first command.

// fromRow gives a view out of the truth table of §1.
func fromRow(name string) func() *fleet.Fleet {
	return func() *fleet.Fleet {
		for _, row := range sessionRows() {
			if row.name == name {
				return row.view()
			}
		}
		return aView()
	}
}

func TestVariantsInWords(t *testing.T) {
	client := func(base func() (*fleet.Client, *fleet.Endpoint, *fleet.Transport), change func(*fleet.Client, *fleet.Endpoint, *fleet.Transport)) func() *fleet.Fleet {
		return func() *fleet.Fleet {
			client, endpoint, transport := base()
			change(client, endpoint, transport)
			return aView(client)
		}
	}
	for _, row := range []struct {
		name       string
		view       func() *fleet.Fleet
		summary    string
		confidence float64
		command    string // how the first remedy's command begins
	}{
		{
			"session_saturated/session_slots", fromRow("row 9"),
			"Requests to 192.0.2.10 wait for a slot of the NFSv4.1 session: 67 % of the 6 ms an operation takes is queueing on this host, with 189 outstanding and 63 on the wire.",
			0.9, "echo 'options nfs max_session_slots=180' >> /etc/modprobe.d/nfsclient.conf\nreboot\ncat /sys/module/nfs/parameters/max_session_slots",
		},
		{
			"session_saturated/flow", fromRow("row 10"),
			"All traffic to 192.0.2.10 rides on one TCP session that is at its ceiling of 1100 MiB/s: it stays at 92 % of the most that one session ever carried, 1200 MiB/s, with 40 requests outstanding.",
			0.85, "umount /mnt/a\nmount -t nfs -o nfsvers=3,tcp,nconnect=8,",
		},
		{
			"session_saturated/skew", fromRow("row 11: n_eff 1.3"),
			"8 TCP sessions to 192.0.2.10 are open, but one carries 88 % of the bytes and is at its ceiling: 1150 MiB/s of 1200 MiB/s.",
			0.85, "ss -tin dst 192.0.2.10\nethtool -x INTERFACE",
		},
		{
			"session_saturated/cpu", fromRow("row 12"),
			"The one TCP session to 192.0.2.10 is handled by one core, which spends 93 % of its time on network interrupts, at 33000 op/s.",
			0.85, "umount /mnt/a\nmount -t cifs -o vers=3.1.1,multichannel,max_channels=4,credentials=FILE //files.example.com/vol1 /mnt/a",
		},
		{
			"session_saturated/sender", fromRow("row 13"),
			"Writes to 192.0.2.10 wait in this host: its sessions have unacknowledged data 92 % of the time, a window or the send buffer holds them 45 % of that, and 792 KiB wait to be sent.",
			1, "umount /mnt/a\nmount -t nfs -o nfsvers=3,tcp,nconnect=8,",
		},
		{
			"server_latency/server", client(slowFlow, func(_ *fleet.Client, e *fleet.Endpoint, tr *fleet.Transport) {
				e.Sessions[0].RTT, tr.Rate = 4*ms, 300
				outstandingOn(tr, 15)
			}),
			"Requests to 192.0.2.10 wait in the server: an operation takes 50 ms while a round trip takes 4 ms, with 15 requests under way.",
			0.85, "",
		},
		{
			"client_bound/network", client(healthy, func(c *fleet.Client, _ *fleet.Endpoint, _ *fleet.Transport) {
				c.Cloud, c.NIC.Interface, c.NIC.Transmit, c.NIC.TransmitCap = "gce", "eth0", 450*mebibyte, 500*mebibyte
				c.NIC.Receive = 10 * mebibyte
			}),
			"client.example.com sends 450 MiB/s on eth0, 90 % of its network cap of 500 MiB/s.", 1, "",
		},
		{
			"client_bound/cpu", client(healthy, func(c *fleet.Client, _ *fleet.Endpoint, _ *fleet.Transport) { c.CPU.Steal = 0.12 }),
			"client.example.com is short of processor time: the hypervisor withholds 12 % of the time.", 1, "",
		},
		{
			"client_bound/slot_budget", func() *fleet.Fleet { return budgetView(5, fleet.ProviderGCNV) },
			"5 clients may have 10240 of the 10000 requests under way that the service allows all clients of a project together: 80 connections with up to 128 each.",
			0.6, "echo 'sunrpc.tcp_max_slot_table_entries = 100' >> /etc/sysctl.d/90-nfs.conf\nsysctl --system",
		},
		{
			"client_bound/single_thread", client(reader, func(*fleet.Client, *fleet.Endpoint, *fleet.Transport) {}),
			"The application on /mnt/a keeps only 0.9 requests outstanding: 500 op/s at 1.8 ms each, so latency alone sets the pace.",
			1, "",
		},
		{
			"server_unresponsive/stalled", client(dead, func(_ *fleet.Client, e *fleet.Endpoint, _ *fleet.Transport) { e.PendingFloor = 1 }),
			"192.0.2.10 does not answer: at least 1 request waits for a reply all the time, and no operation completed in the last interval.",
			1, "ss -tn dst 192.0.2.10\nnc -vz -w 5 192.0.2.10 2049",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			finding := only(t, Evaluate(row.view(), DefaultSettings()), row.name)
			if diff := cmp.Diff(row.summary, finding.Summary); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
			if finding.Confidence != row.confidence {
				t.Errorf("confidence %v, want %v", finding.Confidence, row.confidence)
			}
			if command := finding.Remedy[0].Command; !strings.HasPrefix(command, row.command) || row.command == "" && command != "" {
				t.Errorf("command %q, want it to begin with %q", command, row.command)
			}
		})
	}
}

func TestGCEClientsAreToldOfTier1(t *testing.T) {
	for cloud, want := range map[string]bool{"gce": true, "": false, "azure": false} {
		client, _, _ := healthy()
		client.Cloud, client.NIC.Transmit, client.NIC.TransmitCap = cloud, 450*mebibyte, 500*mebibyte
		finding := only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/network")
		got := strings.Contains(finding.Remedy[len(finding.Remedy)-1].Command, "total-egress-bandwidth-tier=TIER_1")
		if got != want {
			t.Errorf("cloud %q: Tier_1 advised %v, want %v", cloud, got, want)
		}
	}
}

// Advice on the slot table stays within the budget of all clients of the project.
func TestRaisedTableStaysWithinTheBudget(t *testing.T) {
	for clients, want := range map[int]string{1: "to 128 slots", 10: "to 55 slots"} {
		view := budgetView(clients, fleet.ProviderGCNV)
		for _, client := range view.Clients {
			client.Endpoints[0].Transports[0].Slots = 16
		}
		first := view.Clients[0].Endpoints[0].Transports[0]
		first.Count, first.Backlog = 1, 10
		finding := only(t, Evaluate(view, DefaultSettings()), "session_saturated/slots")
		if !strings.Contains(finding.Remedy[0].What, want) {
			t.Errorf("%d clients: %q, want %q in it", clients, finding.Remedy[0].What, want)
		}
	}
}

func TestMoreISCSISessions(t *testing.T) {
	client, endpoint, _ := slowFlow()
	endpoint.Protocol, endpoint.Provider, endpoint.Mounts = "iscsi", fleet.ProviderGCNV, nil
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/flow")
	if want := "node.session.nr_sessions -v 16"; !strings.Contains(finding.Remedy[0].Command, want) {
		t.Errorf("command %q, want %q in it", finding.Remedy[0].Command, want)
	}
	if finding.Gain.Low != 1 {
		t.Errorf("gain %+v: nothing is published for iSCSI, so nothing may be promised", finding.Gain)
	}
}

func TestCovers(t *testing.T) {
	host := fleet.Resource{Host: "client.example.com"}
	endpoint := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10", Protocol: "nfs"}
	mount := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10", Export: "/vol1", Protocol: "nfs"}
	other := fleet.Resource{Host: "other.example.com", Server: "192.0.2.10", Protocol: "nfs"}
	for _, row := range []struct {
		name         string
		outer, inner fleet.Resource
		want         bool
	}{
		{"itself", endpoint, endpoint, true},
		{"a host its endpoint", host, endpoint, true},
		{"a host a mount", host, mount, true},
		{"an endpoint its mount", endpoint, mount, true},
		{"a mount its endpoint", mount, endpoint, false},
		{"another host's endpoint", host, other, false},
		{"nothing covers nothing", fleet.Resource{}, host, false},
	} {
		if got := covers(row.outer, row.inner); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

// With for: 1, as a short-lived serve has it, the first evaluation fires.
func TestFirstEvaluationFiresWhenAskedTo(t *testing.T) {
	settings := DefaultSettings()
	settings.For = 1
	client, _, _ := slowFlow()
	lifecycle := NewLifecycle(settings)
	lifecycle.Step(Judge(aView(client), settings))
	if got := only(t, lifecycle.Active(), "session_saturated/flow").State; got != Firing {
		t.Errorf("state %s, want firing", got)
	}
}

// A cause that has not fired yet holds back nobody's notification.
func TestPendingCausesDoNotBlock(t *testing.T) {
	settings := DefaultSettings()
	lifecycle := NewLifecycle(settings)
	for minute := range 12 {
		client, _, _ := slowFlow()
		client.CPU.Busy = 0.95
		view := aView(client)
		view.At = noon.Add(minutesFrom(minute))
		lifecycle.Step(Judge(view, settings))
		flow, cpu := only(t, lifecycle.Active(), "session_saturated/flow"), only(t, lifecycle.Active(), "client_bound/cpu")
		if blocked := len(flow.BlockedBy) > 0; blocked != (cpu.State == Firing) {
			t.Errorf("minute %d: the session's finding is %s, blocked %v, while the processor's is %s", minute, flow.State, blocked, cpu.State)
		}
	}
}

// Thin data of one host says nothing of another.
func TestUnjudgedHostsAreToldApart(t *testing.T) {
	settings := DefaultSettings()
	settings.For, settings.Keep = 1, 1
	lifecycle := NewLifecycle(settings)
	for minute, coverage := range []fleet.Value{1, 0.5} {
		thin, _, _ := slowFlow()
		well, endpoint, transport := slowFlow()
		well.Host, endpoint.Host = "other.example.com", "other.example.com"
		thin.Coverage = coverage
		if minute == 1 {
			outstandingOn(transport, 0.1)
		}
		view := aView(thin, well)
		view.At = noon.Add(minutesFrom(minute))
		lifecycle.Step(Judge(view, settings))
	}
	want := map[string]State{"client.example.com": Firing, "other.example.com": Resolved}
	got := map[string]State{}
	for _, finding := range lifecycle.Active() {
		got[finding.Resource.Host] = finding.State
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states by host (-want +got):\n%s", diff)
	}
}
