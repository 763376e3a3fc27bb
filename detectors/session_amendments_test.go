package detectors

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

// The amendments A1 to A13 of detectors.md, at and beside each boundary.

// boundary is a case that differs in one thing from a view that fires.
type boundary struct {
	name   string
	change func(*fleet.Client, *fleet.Endpoint, *fleet.Transport)
	want   []string
}

func checkBoundaries(t *testing.T, base func() (*fleet.Client, *fleet.Endpoint, *fleet.Transport), rows []boundary) {
	t.Helper()
	for profile, settings := range profiles() {
		for _, row := range rows {
			t.Run(profile+"/"+row.name, func(t *testing.T) {
				client, endpoint, transport := base()
				row.change(client, endpoint, transport)
				if diff := cmp.Diff(row.want, names(Evaluate(aView(client), settings))); diff != "" {
					t.Errorf("findings (-want +got):\n%s", diff)
				}
			})
		}
	}
}

var (
	nothing      = []string{}
	flow         = []string{"session_saturated/flow"}
	slots        = []string{"session_saturated/slots"}
	sessionSlots = []string{"session_saturated/session_slots"}
	latency      = []string{"server_latency/server"}
)

// slowFlow is one session at a ceiling of 2.26 MiB/s with 16 requests outstanding, as the captures have it.
func slowFlow() (*fleet.Client, *fleet.Endpoint, *fleet.Transport) {
	transport := aTransport()
	transport.Count, transport.Slots, transport.Rate, transport.Backlog = 1, 128, 36, 0
	transport.RTT, transport.Execute = fleet.Value(16)/36, fleet.Value(16)/36
	endpoint := anEndpoint(aMount())
	endpoint.Transports = []*fleet.Transport{transport}
	endpoint.Sessions = spread(1, 1, 2.26*mebibyte)
	endpoint.Sessions[0].RTT, endpoint.Sessions[0].OutOfOrder = 257*ms, 0
	endpoint.LowestRTT, endpoint.Moving = 1.2*ms, 1
	return aClient(endpoint), endpoint, transport
}

// outstandingOn sets the requests on the wire at the load's rate.
func outstandingOn(t *fleet.Transport, requests fleet.Value) {
	t.RTT, t.Execute = requests/t.Rate, requests/t.Rate
}

func TestFlowBoundaries(t *testing.T) {
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	ratio := func(r fleet.Value) func(C, E, T) {
		return func(_ C, e E, _ T) { e.LowestRTT, e.Sessions[0].RTT = 1*ms, r*ms }
	}
	order := func(share fleet.Value) func(C, E, T) {
		return func(_ C, e E, _ T) { e.LowestRTT, e.Sessions[0].RTT, e.Sessions[0].OutOfOrder = 1*ms, 5*ms, share }
	}
	share := func(busiest fleet.Value) func(C, E, T) {
		return func(_ C, e E, tr T) {
			tr.Count = 2
			first := e.Sessions[0]
			e.Sessions = spread(2, busiest, 2.26*mebibyte)
			e.Sessions[0].RTT, e.Sessions[1].RTT = first.RTT, first.RTT
		}
	}
	moving := func(m fleet.Value) func(C, E, T) { return func(_ C, e E, _ T) { e.Moving = m } }
	requests := func(n fleet.Value) func(C, E, T) { return func(_ C, _ E, tr T) { outstandingOn(tr, n) } }
	checkBoundaries(t, slowFlow, []boundary{
		{"A1: as captured", func(C, E, T) {}, flow},
		{"A1: RTT ratio 25", ratio(25), flow},
		{"A1: RTT ratio 24.9 (by A13 the server then)", ratio(24.9), latency},
		{"A1: out of order 1 %", order(0.01), flow},
		{"A1: out of order 0.99 % (by A13 the server then)", order(0.0099), latency},
		{"A1: busiest share 80 %", share(0.80), flow},
		{"A1: busiest share 79 %", share(0.79), nothing},
		{"A1: outstanding 3", requests(3), flow},
		{"A1: outstanding 2.9", requests(2.9), nothing},
		{"A1: outstanding counts the busiest session's share only", func(c C, e E, tr T) {
			share(0.85)(c, e, tr)
			outstandingOn(tr, 3.4)
		}, nothing},
		{"A1: twice as fast in the last interval", moving(2), flow},
		{"A1: more than twice", moving(2.01), nothing},
		{"A1: half as fast in the last interval", moving(0.5), flow},
		{"A1: less than half", moving(0.49), nothing},
		{"A1: standing still", moving(0), nothing},
		{"A1: movement not known", moving(fleet.Unknown), nothing},
		{"A1: four sessions, each with the same ratio", func(_ C, e E, tr T) {
			tr.Count, e.Sessions = 4, spread(4, 0.25, 9*mebibyte)
			for _, session := range e.Sessions {
				session.RTT = 257 * ms
			}
		}, nothing},
		{"A1: round-trip time and order not known", func(_ C, e E, _ T) {
			e.Sessions[0].RTT, e.Sessions[0].OutOfOrder = fleet.Unknown, fleet.Unknown
		}, nothing},
		{"A1: the kernel's minimum where no lowest is kept", func(_ C, e E, _ T) {
			e.LowestRTT, e.Sessions[0].MinRTT = fleet.Unknown, 1.2*ms
		}, flow},
		{"A1: the lowest ever counts, not the kernel's minimum", func(_ C, e E, _ T) { e.Sessions[0].MinRTT = 200 * ms }, flow},
		{"A1: a learnt ceiling decides against it", func(_ C, e E, _ T) { e.Ceiling = 2.26 * mebibyte / 0.84 }, nothing},
		{"A1: a learnt ceiling decides for it", func(_ C, e E, _ T) { e.Ceiling = 2.26 * mebibyte / 0.85 }, flow},
		{"A1: the volume at 85 %", func(_ C, e E, _ T) { e.VolumeUtilisation = 0.85 }, nothing},
		{"A1: the volume at 84.9 %", func(_ C, e E, _ T) { e.VolumeUtilisation = 0.849 }, flow},
		{"A1: the service throttles", func(_ C, e E, _ T) { e.Throttled = true }, nothing},
		{"A7: 36 op/s and 2 MiB/s are no idle mount with 16 requests outstanding", func(C, E, T) {}, flow},
		{"A7: idle with less than one request outstanding", func(_ C, _ E, tr T) { outstandingOn(tr, 0.99) }, nothing},
		{"no session is visible", func(_ C, e E, _ T) { e.Sessions = nil }, nothing},
	})
}

// At the volume's or the network's limit detector 7a speaks, not detector 1.
func TestFlowAtTheNetworkCap(t *testing.T) {
	client, _, _ := slowFlow()
	network(client, 0.85)
	if diff := cmp.Diff([]string{"client_bound/network"}, names(Evaluate(aView(client), DefaultSettings()))); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestLearntPlateauBoundaries(t *testing.T) {
	base := func() (*fleet.Client, *fleet.Endpoint, *fleet.Transport) {
		client, endpoint, transport := slowFlow()
		transport.Rate = 4_000
		outstandingOn(transport, 4)
		endpoint.Sessions = spread(1, 1, 850*mebibyte)
		endpoint.Ceiling, endpoint.Plateau = 1_000*mebibyte, 1.10
		return client, endpoint, transport
	}
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	checkBoundaries(t, base, []boundary{
		{"P2: at every boundary", func(C, E, T) {}, flow},
		{"P2: 84.9 % of the ceiling", func(_ C, e E, _ T) { e.Sessions[0].Rate = 849 * mebibyte }, nothing},
		{"P2: plateau 1.11", func(_ C, e E, _ T) { e.Plateau = 1.11 }, nothing},
		{"P2: plateau not known", func(_ C, e E, _ T) { e.Plateau = fleet.Unknown }, nothing},
		{"P2: 3.9 requests outstanding", func(_ C, _ E, tr T) { outstandingOn(tr, 3.9) }, nothing},
		{"P2: X 49", func(_ C, _ E, tr T) {
			tr.Rate = 49
			outstandingOn(tr, 4)
		}, nothing},
		{"P2: n_eff 1.5", func(_ C, e E, _ T) {
			e.Sessions = spread(2, 0.788, 860*mebibyte/0.788) // 1 / (.788² + .212²) = 1.502
		}, nothing},
		{"P2: n_eff 1.499", func(_ C, e E, _ T) { e.Sessions = spread(2, 0.7888, 860*mebibyte/0.7888) }, flow},
		{"P5: n_eff over n of a half", func(_ C, e E, tr T) {
			tr.Count, e.Sessions = 2, []*fleet.Session{aSession(850 * mebibyte), aSession(0)}
		}, []string{"session_saturated/skew"}},
		{"P5: n_eff over n of more than a half is the flow", func(_ C, e E, tr T) {
			tr.Count, e.Sessions = 2, spread(2, 0.9, 850*mebibyte/0.9)
		}, flow},
	})
}

func busySlots() (*fleet.Client, *fleet.Endpoint, *fleet.Transport) {
	client, endpoint, transport := slowFlow()
	transport.Slots, transport.Rate, transport.RTT, transport.Execute, transport.Backlog = 16, 1_000, 14*ms, 60*ms, 42
	endpoint.Sessions[0].RTT = 10 * ms
	return client, endpoint, transport
}

func TestSlotBoundaries(t *testing.T) {
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	backlog := func(b fleet.Value) func(C, E, T) { return func(_ C, _ E, tr T) { tr.Backlog = b } }
	full := func(used, queue, backlog fleet.Value) func(C, E, T) {
		return func(_ C, _ E, tr T) {
			tr.RTT = used * 16 / tr.Rate
			tr.Execute, tr.Backlog = tr.RTT/(1-queue), backlog
		}
	}
	checkBoundaries(t, busySlots, []boundary{
		{"A3: backlog 42", func(C, E, T) {}, slots},
		{"A3: backlog 1", backlog(1), slots},
		{"A3: backlog 0.99", backlog(0.99), nothing},
		{"A3: backlog 0 in spite of full slots", full(0.95, 0.3, 0), nothing},
		{"P1: backlog not known, u .90, queue share .20", full(0.90, 0.2001, fleet.Unknown), slots},
		{"P1: backlog not known, u .89", full(0.89, 0.5, fleet.Unknown), nothing},
		{"P1: backlog not known, queue share .19", full(0.95, 0.19, fleet.Unknown), nothing},
		{"P1: slots not known either", func(_ C, _ E, tr T) { tr.Slots, tr.Backlog = fleet.Unknown, fleet.Unknown }, nothing},
		{"P1: slots from the client's setting", func(c C, e E, tr T) {
			full(0.95, 0.3, fleet.Unknown)(c, e, tr)
			tr.Slots, c.Settings.SlotTable = fleet.Unknown, 16
		}, slots},
		{"A7: X 50", func(_ C, _ E, tr T) { tr.Rate, tr.Execute = 50, 1 }, slots},
		{"A7: X 49", func(_ C, _ E, tr T) { tr.Rate, tr.Execute = 49, 1 }, nothing},
		{"guard: 1.9 requests outstanding", func(_ C, _ E, tr T) { tr.RTT, tr.Execute = 1*ms, 1.9*ms }, nothing},
		{"at the most sessions a small slot table can still grow", func(_ C, _ E, tr T) { tr.Count = 4 }, slots},
		{"at the most sessions and slots", func(_ C, _ E, tr T) { tr.Count, tr.Slots = 4, 65_536 }, nothing},
		{"v4.1: a backlog below the session's slots is the transport's table", func(c C, _ E, tr T) {
			tr.Version, c.Settings.SessionSlots = "4.1", 64
		}, slots},
		{"v4.0 has no sessions", func(_ C, _ E, tr T) { tr.Version, tr.Backlog = "4.0", 0 }, nothing},
	})
}

func TestSessionSlotBoundaries(t *testing.T) {
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	base := func() (*fleet.Client, *fleet.Endpoint, *fleet.Transport) {
		client, endpoint, transport := busySlots()
		client.Settings.SessionSlots = 64
		transport.Version, transport.Slots, transport.Backlog = "4.1", 65_536, 0
		return client, endpoint, transport
	}
	queue := func(share fleet.Value) func(C, E, T) {
		return func(_ C, _ E, tr T) { tr.Execute = tr.RTT / (1 - share) }
	}
	checkBoundaries(t, base, []boundary{
		{"A3: queue share .77", func(C, E, T) {}, sessionSlots},
		{"A3: queue share .40", queue(0.4001), sessionSlots},
		{"A3: queue share .39", queue(0.39), nothing},
		{"A3: NFSv3 has no session slots", func(_ C, _ E, tr T) { tr.Version = "3" }, nothing},
		{"A3: NFSv4.2 has", func(_ C, _ E, tr T) { tr.Version = "4.2" }, sessionSlots},
		{"A3: backlog not known", func(_ C, _ E, tr T) { tr.Backlog = fleet.Unknown }, nothing},
		{"A3: 3 requests outstanding", func(_ C, _ E, tr T) { tr.RTT, tr.Execute = 1*ms, 3*ms }, sessionSlots},
		{"A3: 2.9 requests outstanding", func(_ C, _ E, tr T) { tr.RTT, tr.Execute = 1*ms, 2.9*ms }, nothing},
		{"P1: u .90 of the session's 64, queue share .20", func(_ C, _ E, tr T) {
			tr.RTT = 57.6 * ms
			tr.Execute = 72.1 * ms
		}, sessionSlots},
		{"P1: u .89", func(_ C, _ E, tr T) { tr.RTT, tr.Execute = 57*ms, 80*ms }, nothing},
	})
}

// A3: reading the most slots in use before advising the module option.
func TestSessionSlotAdvice(t *testing.T) {
	for _, row := range []struct {
		name                   string
		count, asked, maxSlots fleet.Value
		want                   string
	}{
		{"the client's 8 hold", 1, 8, 10, "Raise max_session_slots from 8 to 180"},
		{"the client's 64 hold", 1, 64, 66, "Raise max_session_slots from 64 to 180"},
		{"the client's 64 hold over two connections", 2, 64, 33, "Raise max_session_slots from 64 to 180"},
		{"the server granted 30 of 64", 1, 64, 31, "at the server"},
		{"the server granted 30 of 64 over two connections", 2, 64, 17, "at the server"},
		{"the session grew beyond 8", 1, 8, 35, "at the server"},
		{"nothing known of the most in use", 1, 64, fleet.Unknown, "Raise max_session_slots from 64 to 180"},
		{"180 asked for already, read as 179", 1, 179, 181, "at the server"},
		{"the setting is not known", 1, fleet.Unknown, 31, "at the server"},
	} {
		t.Run(row.name, func(t *testing.T) {
			client, _, transport := busySlots()
			transport.Version, transport.Slots, transport.Backlog, transport.Count = "4.1", 65_536, 0, row.count
			client.Settings.SessionSlots, transport.MaxSlots = row.asked, row.maxSlots
			finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/session_slots")
			if got := finding.Remedy[0].What; !strings.Contains(got, row.want) {
				t.Errorf("advice %q, want %q in it", got, row.want)
			}
			last := finding.Remedy[len(finding.Remedy)-1].What
			if !strings.Contains(last, "more clients") {
				t.Errorf("last advice %q does not name more clients", last)
			}
			if clientLimits := strings.HasPrefix(row.want, "Raise"); (finding.Gain != nil) != clientLimits {
				t.Errorf("gain %v, want one only where the client's setting is the limit", finding.Gain)
			}
		})
	}
}

func TestServerLatencyBoundaries(t *testing.T) {
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	base := func() (*fleet.Client, *fleet.Endpoint, *fleet.Transport) {
		client, endpoint, transport := slowFlow()
		endpoint.Sessions[0].RTT, endpoint.LowestRTT = 4*ms, 1*ms
		transport.Rate, transport.RTT, transport.Execute = 300, 12*ms, 13*ms
		return client, endpoint, transport
	}
	checkBoundaries(t, base, []boundary{
		{"A13: ratio 3", func(C, E, T) {}, latency},
		{"A13: ratio 2.9", func(_ C, e E, _ T) { e.Sessions[0].RTT = 12 * ms / 2.9 }, nothing},
		{"A13: 3 requests on the session", func(_ C, _ E, tr T) { tr.Rate, tr.RTT = 250, 12.001*ms }, latency},
		{"A13: 2.9 requests on the session", func(_ C, _ E, tr T) { tr.Rate = 2.9 / (12 * ms) }, nothing},
		{"A13: the same requests over 16 sessions", func(_ C, _ E, tr T) { tr.Count = 16 }, nothing},
		{"A13: out of order 1 %", func(_ C, e E, _ T) { e.Sessions[0].OutOfOrder = 0.01 }, flow},
		{"A13: out of order not known", func(_ C, e E, _ T) { e.Sessions[0].OutOfOrder = fleet.Unknown }, nothing},
		{"A13: queue share .20", func(_ C, _ E, tr T) { tr.Execute = 15.01 * ms }, nothing},
		{"A13: A1 true", func(_ C, e E, _ T) { e.LowestRTT = 4 * ms / 25 }, flow},
	})
}

func TestServerLatencySeverity(t *testing.T) {
	for baseline, want := range map[fleet.Value]Severity{6 * ms: Warning, 6.1 * ms: Info, fleet.Unknown: Info} {
		client, endpoint, transport := slowFlow()
		endpoint.Sessions[0].RTT, endpoint.LowestRTT, endpoint.Baseline = 4*ms, 1*ms, baseline
		transport.Rate, transport.RTT, transport.Execute = 300, 12*ms, 13*ms
		found := only(t, Evaluate(aView(client), DefaultSettings()), "server_latency/server")
		if found.Severity != want {
			t.Errorf("baseline %v: %s, want %s", baseline, found.Severity, want)
		}
	}
}

func TestSessionSeverity(t *testing.T) {
	row := sessionRows()[0]
	for _, test := range []struct {
		baseline, vu fleet.Value
		want         Severity
	}{
		{4.2 * ms / 1.5, 0.15, Warning},
		{4.2 * ms / 1.49, 0.15, Info},
		{fleet.Unknown, 0.15, Info},
		{2 * ms, 0.80, Info}, // the volume leaves a gain of 1.25
	} {
		view := row.view()
		endpoint := view.Clients[0].Endpoints[0]
		endpoint.Baseline, endpoint.VolumeUtilisation = test.baseline, test.vu
		found := only(t, Evaluate(view, DefaultSettings()), "session_saturated/slots")
		if found.Severity != test.want {
			t.Errorf("baseline %v, volume %v: %s, want %s", test.baseline, test.vu, found.Severity, test.want)
		}
	}
}

// Without R0 a one-shot check takes the lowest round trip in its place, and gives only the upper end.
func TestGainWithoutUnloadedLatency(t *testing.T) {
	settings := DefaultSettings()
	settings.Snapshot = true
	client, endpoint, _ := slowFlow()
	endpoint.Provider = fleet.ProviderGCNV
	gain := only(t, Evaluate(aView(client), settings), "session_saturated/flow").Gain
	if gain.Low != 1 || math.Abs(gain.High-5) > 0.01 || !strings.Contains(gain.Model, "upper end only") {
		t.Errorf("gain %+v, want 1 to 5, the upper end only", gain)
	}
	endpoint.LowestRTT = 257 * ms / 26
	endpoint.Transports[0].RTT, endpoint.Transports[0].Execute = 30*ms, 30*ms
	endpoint.Transports[0].Rate = 200
	if high := only(t, Evaluate(aView(client), settings), "session_saturated/flow").Gain.High; math.Abs(high-30*26/257.0) > 0.01 {
		t.Errorf("gain up to %.3f, want the headroom of E over the lowest round trip, %.3f", high, 30*26/257.0)
	}
}

func TestUnknownProviderPromisesNothingAtTheLowEnd(t *testing.T) {
	client, endpoint, _ := slowFlow()
	endpoint.BaseLatency = 1.2 * ms
	found := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/flow")
	if found.Gain.Low != 1 || found.Gain.High != 4 {
		t.Errorf("gain %+v, want 1 to 4", found.Gain)
	}
	for _, word := range []string{"16", "Azure Files up to 4"} {
		if !strings.Contains(found.Remedy[0].Caveat, word) {
			t.Errorf("caveat %q does not name %q", found.Remedy[0].Caveat, word)
		}
	}
}

func TestProviderTable(t *testing.T) {
	// Each row gives back the ratio that it was calibrated on: σ from s at n, κ as the knee.
	for _, row := range []struct {
		provider  fleet.Provider
		protocol  string
		writes    fleet.Value
		most      int
		low, high float64
	}{
		{fleet.ProviderGCNV, "nfs", fleet.Unknown, 16, 5, 5},
		{fleet.ProviderGCNV, "smb", fleet.Unknown, 16, 2, 2.67},
		{fleet.ProviderGCNV, "iscsi", fleet.Unknown, 16, 5, 5},
		{fleet.ProviderAzure, "smb", 0.1, 4, 2.5, 3},
		{fleet.ProviderAzure, "smb", 0.9, 4, 3.5, 4},
		{fleet.ProviderAzure, "nfs", fleet.Unknown, 4, 3, 4},
		{fleet.ProviderUnknown, "nfs", fleet.Unknown, 4, 3, 4},
	} {
		t.Run(fmt.Sprintf("%s %s %v", row.provider, row.protocol, row.writes), func(t *testing.T) {
			k := curveOf(row.provider, row.protocol, row.writes)
			low, high := k.bracket(1, float64(k.most), room{math.Inf(1), math.Inf(1)})
			if k.most != row.most || !near(low, row.low) || !near(high, row.high) {
				t.Errorf("%d sessions bring %.3f to %.3f, want %d: %.2f to %.2f", k.most, low, high, row.most, row.low, row.high)
			}
		})
	}
}
