package detectors

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

// The truth tables of detectors.md §7. 7c needs the service's own latencies and comes with the cloud's side.

const gigabit = 1e9 / 8

// healthy is a client with an endpoint in use that nothing binds.
func healthy() (*fleet.Client, *fleet.Endpoint, *fleet.Transport) {
	client, endpoint, transport := slowFlow()
	endpoint.Sessions, transport.Count, endpoint.LowestRTT = spread(4, 0.25, 400*mebibyte), 4, 1*ms
	for _, session := range endpoint.Sessions {
		session.RTT, session.OutOfOrder = 2*ms, 0
	}
	transport.Rate, transport.RTT, transport.Execute = 4_000, 2*ms, 2*ms
	return client, endpoint, transport
}

func TestNetworkTable(t *testing.T) {
	network := []string{"client_bound/network"}
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	receive := func(cloud string, rate, limit fleet.Value) func(C, E, T) {
		return func(c C, _ E, _ T) {
			c.Cloud, c.NIC.Receive, c.NIC.ReceiveCap = cloud, rate*gigabit, limit*gigabit
		}
	}
	transmit := func(cloud string, rate, limit fleet.Value) func(C, E, T) {
		return func(c C, _ E, _ T) {
			c.Cloud, c.NIC.Transmit, c.NIC.TransmitCap = cloud, rate*gigabit, limit*gigabit
		}
	}
	checkBoundaries(t, healthy, []boundary{
		{"7a row 1: 29 of 32 Gbit/s ingress on GCE", receive("gce", 29, 32), network},
		{"7a row 2: 27.2 of 32", receive("gce", 27.2, 32), network},
		{"7a row 2: 27.17 of 32", receive("gce", 27.17, 32), nothing},
		{"7a row 3: Azure reads 23 of 16", receive("azure", 23, 16), nothing},
		{"7a row 4: Azure writes 15.2 of 16", transmit("azure", 15.2, 16), network},
		{"Azure reads above the figure beside writes below it", func(c C, e E, tr T) {
			receive("azure", 23, 16)(c, e, tr)
			transmit("azure", 5, 16)(c, e, tr)
		}, nothing},
		{"reads of Azure Files by a client whose cloud nobody names", func(c C, e E, tr T) {
			receive("", 23, 16)(c, e, tr)
			e.Provider = fleet.ProviderAzure
		}, nothing},
		{"its writes", func(c C, e E, tr T) {
			transmit("", 15.2, 16)(c, e, tr)
			e.Provider = fleet.ProviderAzure
		}, network},
		{"reads of Azure Files on GCE", func(c C, e E, tr T) {
			receive("gce", 29, 32)(c, e, tr)
			e.Provider = fleet.ProviderAzure
		}, network},
		{"a cloud not known, by the link's speed", transmit("", 9, 10), network},
		{"cap not known", receive("gce", 29, fleet.Unknown), nothing},
		{"a host that waits for no storage", func(c C, e E, tr T) {
			receive("gce", 29, 32)(c, e, tr)
			tr.Rate, e.Sessions = 1, nil
			outstandingOn(tr, 0.1)
		}, nothing},
	})
}

// 7a row 5: five minutes are not ten of fifteen.
func TestNetworkTiming(t *testing.T) {
	client, _, _ := healthy()
	client.NIC.Receive, client.NIC.ReceiveCap = 30*gigabit, 32*gigabit
	lifecycle := NewLifecycle(DefaultSettings())
	states := foldMinutes(lifecycle, func(minute int) Round {
		view := aView(client)
		view.At = noon.Add(minutesFrom(minute))
		return Judge(view, DefaultSettings())
	}, 10)
	if states[4] != Pending || states[8] != Pending || states[9] != Firing {
		t.Errorf("states by minute %v, want pending up to the ninth and firing at the tenth", states)
	}
}

func TestNetworkSharedWithOthers(t *testing.T) {
	client, _, _ := healthy()
	client.NIC.Receive, client.NIC.ReceiveCap, client.NIC.Transmit = 29*gigabit, 32*gigabit, 0
	found := only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/network")
	if found.Confidence != 0.7 || !strings.Contains(found.Summary, "Only 12 % of the interface's traffic is storage traffic.") {
		t.Errorf("confidence %v, summary %q: want 0.7 and the storage's share of 12 %%", found.Confidence, found.Summary)
	}
}

func TestCPUBoundaries(t *testing.T) {
	cpu := []string{"client_bound/cpu"}
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	checkBoundaries(t, healthy, []boundary{
		{"7b: busy .90", func(c C, _ E, _ T) { c.CPU.Busy = 0.90 }, cpu},
		{"7b: busy .89", func(c C, _ E, _ T) { c.CPU.Busy = 0.89 }, nothing},
		{"7b: steal .10", func(c C, _ E, _ T) { c.CPU.Steal = 0.10 }, cpu},
		{"7b: steal .09", func(c C, _ E, _ T) { c.CPU.Steal = 0.09 }, nothing},
		{"7b: softirq .85 of the busiest core", func(c C, _ E, _ T) { c.CPU.BusiestSoftirq = 0.85 }, cpu},
		{"7b: softirq .84", func(c C, _ E, _ T) { c.CPU.BusiestSoftirq = 0.84 }, nothing},
		{"7b: softirq of one flow is detector 1's", func(c C, e E, tr T) {
			c.CPU.BusiestSoftirq, e.Sessions, tr.Count = 0.85, spread(1, 1, 400*mebibyte), 1
		}, []string{"session_saturated/cpu"}},
		{"7b: n_eff 1.5 is many flows", func(c C, e E, _ T) {
			c.CPU.BusiestSoftirq, e.Sessions = 0.85, spread(2, 0.788, 400*mebibyte) // 1 / (.788² + .212²) = 1.502
		}, cpu},
	})
}

func TestSlotTable(t *testing.T) {
	for _, row := range []struct {
		clients            int
		connections, slots fleet.Value
		total, share       float64
		severity           Severity
		suggested          int
	}{
		{4, 16, 128, 8_192, 0.8192, Warning, 125},
		{5, 16, 128, 10_240, 1.024, Critical, 100},
		{4, 16, 125, 8_000, 0.800, Warning, 125},
		{250, 1, 8, 2_000, 0.200, 0, 32},
		{10, 10, 100, 10_000, 1.000, Warning, 80},
		{1, 1, 65_536, 128, 0.0128, 0, 128},
	} {
		t.Run(fmt.Sprintf("7d: %d × %v, %v", row.clients, row.connections, row.slots), func(t *testing.T) {
			list := make([]Connections, row.clients)
			for i := range list {
				list[i] = Connections{row.connections, row.slots}
			}
			got := JudgeSlots(list, DefaultSettings().Client)
			want := SlotUse{Total: row.total, Share: row.share, Severity: row.severity, Suggested: row.suggested}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })); diff != "" {
				t.Errorf("slot use (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSlotsThatAreNotKnownAreLeftOut(t *testing.T) {
	got := JudgeSlots([]Connections{{16, 128}, {fleet.Unknown, 128}, {16, fleet.Unknown}}, DefaultSettings().Client)
	if got.Total != 2_048 || got.Unknown != 2 {
		t.Errorf("%+v, want a total of 2048 and two left out", got)
	}
}

// budgetView is a project of clients with 16 connections of 128 slots each.
func budgetView(clients int, provider fleet.Provider) *fleet.Fleet {
	view := aView()
	for i := range clients {
		client, endpoint, transport := healthy()
		client.Host, endpoint.Host = fmt.Sprintf("client%d.example.com", i), fmt.Sprintf("client%d.example.com", i)
		endpoint.Provider, transport.Count, transport.Slots = provider, 16, 128
		view.Clients = append(view.Clients, client)
	}
	return view
}

// With 128 slots and nconnect 16 the fifth client passes the budget.
func TestSlotBudget(t *testing.T) {
	anyProvider := DefaultSettings()
	anyProvider.Client.BudgetAnyProvider = true
	for _, row := range []struct {
		name     string
		view     *fleet.Fleet
		settings Settings
		want     Severity
	}{
		{"three clients", budgetView(3, fleet.ProviderGCNV), DefaultSettings(), 0},
		{"four clients", budgetView(4, fleet.ProviderGCNV), DefaultSettings(), Warning},
		{"five clients", budgetView(5, fleet.ProviderGCNV), DefaultSettings(), Critical},
		{"five clients of a service without budget", budgetView(5, fleet.ProviderAzure), anyProvider, 0},
		{"five clients of an unknown service", budgetView(5, fleet.ProviderUnknown), DefaultSettings(), 0},
		{"five clients of an unknown service, counted by setting", budgetView(5, fleet.ProviderUnknown), anyProvider, Critical},
	} {
		t.Run(row.name, func(t *testing.T) {
			found := Evaluate(row.view, row.settings)
			if row.want == 0 {
				if len(found) != 0 {
					t.Errorf("findings %v, want none", names(found))
				}
				return
			}
			finding := only(t, found, "client_bound/slot_budget")
			if finding.Severity != row.want || finding.Confidence != 0.6 || finding.Resource.Service != "gcnv" {
				t.Errorf("%s, confidence %v, %+v; want %s, 0.6 (the share of clients seen is not known), gcnv", finding.Severity, finding.Confidence, finding.Resource, row.want)
			}
		})
	}
}

// A proposal of detector 1 that would pass the budget says how to stay within it.
func TestMoreSessionsStayWithinTheBudget(t *testing.T) {
	for clients, want := range map[int]bool{1: false, 6: true} {
		view := budgetView(clients, fleet.ProviderGCNV)
		first := view.Clients[0].Endpoints[0]
		first.Transports[0].Count, first.Transports[0].Backlog = 1, 10
		finding := only(t, Evaluate(view, DefaultSettings()), "session_saturated/slots")
		if got := len(finding.Remedy) == 2 && strings.Contains(finding.Remedy[1].What, "Lower the slots"); got != want {
			t.Errorf("%d clients: advice to lower the slots %v, want %v: %+v", clients, got, want, finding.Remedy)
		}
	}
}

func reader() (*fleet.Client, *fleet.Endpoint, *fleet.Transport) {
	mount := aMount()
	mount.Classes["read"] = fleet.Class{Rate: 500, RTT: 1.75 * ms, Execute: 1.8 * ms, Errors: fleet.Unknown}
	endpoint := anEndpoint(mount)
	return aClient(endpoint), endpoint, nil
}

func TestSingleThreadBoundaries(t *testing.T) {
	single := []string{"client_bound/single_thread"}
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	class := func(rate, rtt, execute fleet.Value) func(C, E, T) {
		return func(_ C, e E, _ T) {
			e.Mounts[0].Classes["read"] = fleet.Class{Rate: rate, RTT: rtt, Execute: execute, Errors: fleet.Unknown}
		}
	}
	checkBoundaries(t, reader, []boundary{
		{"7e: as captured", func(C, E, T) {}, single},
		{"7e: L_app 2", class(1_000, 1.9*ms, 2.0001*ms), nothing},
		{"7e: L_app 1.99", class(1_000, 1.9*ms, 1.99*ms), single},
		{"7e: X 50", class(50, 20*ms, 21*ms), single},
		{"7e: X 49", class(49, 20*ms, 21*ms), nothing},
		{"7e: queue share .10", class(500, 0.899*ms, 1*ms), nothing},
		{"7e: queue share .09", class(500, 0.91*ms, 1*ms), single},
		{"7e: the volume at 50 %", func(_ C, e E, _ T) { e.VolumeUtilisation = 0.5 }, nothing},
		{"7e: the volume at 49 %", func(_ C, e E, _ T) { e.VolumeUtilisation = 0.49 }, single},
		{"7e: execution time not known", class(500, 1*ms, fleet.Unknown), nothing},
	})
}

func TestSingleThreadGain(t *testing.T) {
	client, endpoint, _ := reader()
	if gain := only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/single_thread").Gain; gain != nil {
		t.Errorf("gain %+v, want none: neither the volume nor the network is known", gain)
	}
	endpoint.VolumeUtilisation = 0.25
	network(client, 0.1)
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "client_bound/single_thread")
	if gain := finding.Gain; gain.Low != 1 || gain.High != 4 {
		t.Errorf("gain %+v, want 1 to 4, the volume's room", gain)
	}
	for _, remedy := range finding.Remedy {
		if strings.Contains(remedy.Command+remedy.What, "nconnect") {
			t.Errorf("remedy %q advises nconnect", remedy.What)
		}
	}
}
