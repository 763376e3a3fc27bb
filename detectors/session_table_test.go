package detectors

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

// The truth table of detectors.md §1, row by row: R0 0.5 ms unless said, slots 128. A row whose verdict an amendment
// changes says so.

type sessionRow struct {
	name     string
	provider fleet.Provider
	protocol string
	change   func(*fleet.Client, *fleet.Endpoint, *fleet.Transport)
	want     []string
	low      float64
	high     float64
	advice   string // part of the first remedy's text
}

func sessionRows() []sessionRow {
	type (
		client    = *fleet.Client
		endpoint  = *fleet.Endpoint
		transport = *fleet.Transport
	)
	full := func(c client, e endpoint, t transport) {
		t.Rate, t.RTT, t.Execute, t.Backlog = 30_000, 4.2*ms, 8*ms, 110
		e.VolumeUtilisation = 0.15
		network(c, 0.08)
	}
	edge := func(rate fleet.Value) func(client, endpoint, transport) {
		return func(_ client, e endpoint, t transport) {
			t.Rate, t.RTT, t.Execute, t.Backlog, e.VolumeUtilisation = rate, 4*ms, 5*ms, 1, 0.2
		}
	}
	return []sessionRow{
		{"row 1", fleet.ProviderGCNV, "nfs", full, []string{"session_saturated/slots"}, 5.00, 5.00, "nconnect=16"},
		{"row 2: bounded by the volume", fleet.ProviderGCNV, "nfs", func(c client, e endpoint, t transport) {
			full(c, e, t)
			e.VolumeUtilisation = 0.40
		}, []string{"session_saturated/slots"}, 2.50, 2.50, "nconnect=4"},
		{"row 3: u .900", fleet.ProviderGCNV, "nfs", edge(28_800), []string{"session_saturated/slots"}, 5.00, 5.00, "nconnect=16"},
		{"row 3 with the backlog not known", fleet.ProviderGCNV, "nfs", func(c client, e endpoint, t transport) {
			edge(28_800)(c, e, t)
			t.Backlog = fleet.Unknown
		}, []string{"session_saturated/slots"}, 5.00, 5.00, "nconnect=16"},
		// The table says no: u is .896. By A3 a mean backlog of 1 is the sign by itself, and the row has one.
		{"row 4 by A3", fleet.ProviderGCNV, "nfs", edge(28_672), []string{"session_saturated/slots"}, 5.00, 5.00, "nconnect=16"},
		{"row 4 with the backlog not known: u .896", fleet.ProviderGCNV, "nfs", func(c client, e endpoint, t transport) {
			edge(28_672)(c, e, t)
			t.Backlog = fleet.Unknown
		}, []string{}, 0, 0, ""},
		{"row 5: the volume is at its limit", fleet.ProviderGCNV, "nfs", func(c client, e endpoint, t transport) {
			full(c, e, t)
			e.VolumeUtilisation = 0.97
		}, []string{}, 0, 0, ""},
		{"row 6: one request at a time", fleet.ProviderGCNV, "nfs", func(_ client, _ endpoint, t transport) {
			t.Rate, t.RTT, t.Execute, t.Backlog = 2_000, 0.5*ms, 0.5*ms, 0
		}, []string{}, 0, 0, ""},
		{"row 7: at the most sessions", fleet.ProviderAzure, "nfs", func(_ client, _ endpoint, t transport) {
			t.Count, t.Rate, t.RTT, t.Execute, t.Backlog = 4, 60_000, 8.2*ms, 12*ms, 60
		}, []string{}, 0, 0, ""},
		{"row 8", fleet.ProviderAzure, "nfs", func(_ client, e endpoint, t transport) {
			t.Rate, t.RTT, t.Execute, t.Backlog, e.BaseLatency = 15_000, 8.3*ms, 12*ms, 60, 1.5*ms
		}, []string{"session_saturated/slots"}, 3.00, 4.00, "nconnect=4"},
		{"row 9", fleet.ProviderGCNV, "nfs", func(c client, _ endpoint, t transport) {
			t.Version, c.Settings.SessionSlots = "4.1", 64
			t.Rate, t.RTT, t.Execute, t.Backlog = 31_500, 2*ms, 6*ms, 120
		}, []string{"session_saturated/session_slots"}, 1.00, 2.81, "from 64 to 180"},
		{"row 10", fleet.ProviderGCNV, "nfs", func(c client, e endpoint, t transport) {
			t.Rate, t.RTT, t.Execute = 4_400, 9*ms, 9.2*ms
			e.BaseLatency, e.VolumeUtilisation = 1*ms, 0.30
			e.Sessions, e.Ceiling, e.Plateau = spread(1, 1, 1_100*mebibyte), 1_200*mebibyte, 1.05
			network(c, 0.27)
		}, []string{"session_saturated/flow"}, 3.33, 3.33, "nconnect=8"},
		{"row 11: n_eff 1.3", fleet.ProviderGCNV, "nfs", func(_ client, e endpoint, t transport) {
			t.Count, t.Rate, t.RTT, t.Execute = 8, 10_000, 4*ms, 4.1*ms
			busiest := fleet.Value(0.8758) // with seven others alike: 1 / Σ share² = 1.300
			e.Sessions, e.Ceiling, e.Plateau = spread(8, busiest, 1_150*mebibyte/busiest), 1_200*mebibyte, 1.05
		}, []string{"session_saturated/skew"}, 1, 6.154, "one session carries all"},
		{"row 12", fleet.ProviderGCNV, "smb", func(c client, e endpoint, t transport) {
			t.Version, t.Rate, t.RTT, t.Execute = "", 33_000, 1.2*ms, 1.3*ms
			e.Sessions, c.CPU.BusiestSoftirq = spread(1, 1, 250*mebibyte), 0.93
		}, []string{"session_saturated/cpu"}, 2.00, 2.00, "four SMB channels"},
		// By A2 the row also needs bytes that wait to be sent; the load is what the guard asks for.
		{"row 13", fleet.ProviderGCNV, "nfs", func(_ client, e endpoint, t transport) {
			senderRow(e, t)
		}, []string{"session_saturated/sender"}, 3.33, 3.33, "nconnect=8"},
		{"row 13 without bytes that wait (A2)", fleet.ProviderGCNV, "nfs", func(_ client, e endpoint, t transport) {
			senderRow(e, t)
			e.Sessions[0].NotSent = 2_688
		}, []string{}, 0, 0, ""},
	}
}

func senderRow(e *fleet.Endpoint, t *fleet.Transport) {
	t.Rate, t.RTT, t.Execute = 2_000, 8*ms, 8.1*ms
	e.Mounts[0].ReadRate, e.Mounts[0].WriteRate = 10*mebibyte, 90*mebibyte
	e.Busy, e.Limited, e.VolumeUtilisation = 0.92, 0.45, 0.30
	e.Sessions = spread(1, 1, 100*mebibyte)
	e.Sessions[0].NotSent = 810_640
}

// network gives a client's NIC a utilisation.
func network(c *fleet.Client, use fleet.Value) {
	c.NIC.Receive, c.NIC.ReceiveCap = use*2_000*mebibyte, 2_000*mebibyte
	c.NIC.Transmit, c.NIC.TransmitCap = 0, 2_000*mebibyte
}

func (r sessionRow) view() *fleet.Fleet {
	transport := aTransport()
	transport.Count, transport.Slots = 1, 128
	endpoint := anEndpoint(aMount())
	endpoint.Provider, endpoint.Protocol, endpoint.BaseLatency = r.provider, r.protocol, 0.5*ms
	endpoint.Transports = []*fleet.Transport{transport}
	client := aClient(endpoint)
	r.change(client, endpoint, transport)
	return aView(client)
}

func TestSessionTable(t *testing.T) {
	for profile, settings := range profiles() {
		for _, row := range sessionRows() {
			t.Run(profile+"/"+row.name, func(t *testing.T) {
				found := Evaluate(row.view(), settings)
				if diff := cmp.Diff(row.want, names(found)); diff != "" {
					t.Fatalf("findings (-want +got):\n%s", diff)
				}
				if len(row.want) == 0 {
					return
				}
				gain, remedy := found[0].Gain, found[0].Remedy
				if !near(gain.Low, row.low) || !near(gain.High, row.high) {
					t.Errorf("gain %.3f to %.3f, want %.2f to %.2f", gain.Low, gain.High, row.low, row.high)
				}
				if text := remedy[0].What + remedy[0].Command; !strings.Contains(text, row.advice) {
					t.Errorf("remedy %q does not name %q", text, row.advice)
				}
			})
		}
	}
}

// near allows for the table's two decimals.
func near(got, want float64) bool { return math.Abs(got-want) < 0.006 }

// Row 7's other half: what nasight says instead of firing.
func TestFullSlotsAtTheMostSessionsBecomeANote(t *testing.T) {
	for _, row := range sessionRows() {
		view := row.view()
		client := view.Clients[0]
		notes := strings.Join(Notes(client.Mounts[0], client.Endpoints[0], client), "\n")
		if got, want := strings.Contains(notes, "add clients"), strings.HasPrefix(row.name, "row 7"); got != want {
			t.Errorf("%s: advice to add clients %v, want %v:\n%s", row.name, got, want, notes)
		}
	}
}
