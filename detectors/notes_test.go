package detectors

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

// A mount without anything to say about it has no note, and each circumstance has its own.
func TestNotes(t *testing.T) {
	type parts struct {
		client    *fleet.Client
		endpoint  *fleet.Endpoint
		transport *fleet.Transport
		mount     *fleet.Mount
	}
	reading := func(p parts, size fleet.Value) {
		p.mount.ReadRate, p.mount.ReadSize = 100*size, size
		p.mount.Classes["read"] = fleet.Class{Rate: 100, RTT: 1 * ms, Execute: 1 * ms, Errors: fleet.Unknown}
	}
	for _, row := range []struct {
		name   string
		change func(parts)
		want   []string // a part of each note
	}{
		{"nothing", func(parts) {}, nil},
		{"7d: slot table 128", func(p parts) { p.client.Settings.SlotTable = 128 }, nil},
		{"7d: slot table 129", func(p parts) { p.client.Settings.SlotTable = 129 }, []string{"The slot table is set to 129"}},
		{"7d: the kernel's default", func(p parts) { p.client.Settings.SlotTable = 65_536 }, []string{"The slot table is set to 65536"}},
		{"7d: session slots 179 read as such for 180", func(p parts) {
			p.mount.Version, p.transport.Version, p.client.Settings.SessionSlots = "4.1", "4.1", 179
		}, nil},
		{"7d: session slots 178", func(p parts) {
			p.mount.Version, p.transport.Version, p.client.Settings.SessionSlots = "4.1", "4.1", 178
		}, []string{"max_session_slots is 178; 180 is recommended"}},
		{"7d: session slots mean nothing to NFSv3", func(p parts) { p.client.Settings.SessionSlots = 64 }, nil},
		{"7d: modprobe and running value differ", func(p parts) {
			p.mount.Version, p.transport.Version = "4.1", "4.1"
			p.client.Settings.SessionSlots, p.client.Settings.SessionSlotsConfigured = 64, 180
		}, []string{"max_session_slots is 64", "set to 180 in /etc/modprobe.d but runs with 64"}},
		{"7d: modprobe 180 runs as 179", func(p parts) {
			p.mount.Version, p.transport.Version = "4.1", "4.1"
			p.client.Settings.SessionSlots, p.client.Settings.SessionSlotsConfigured = 179, 180
		}, nil},
		{"7d: nconnect 4 on Azure", func(p parts) { p.endpoint.Provider, p.mount.NConnect, p.transport.Count = fleet.ProviderAzure, 4, 4 }, nil},
		{"7d: nconnect 8 on Azure", func(p parts) { p.endpoint.Provider, p.mount.NConnect, p.transport.Count = fleet.ProviderAzure, 8, 8 },
			[]string{"nconnect=8 on Azure Files"}},
		{"7d: nconnect differs", func(p parts) {
			other := aMount()
			other.NConnect, p.mount.NConnect, p.transport.Count = 8, 4, 4
			p.endpoint.Mounts = append(p.endpoint.Mounts, other)
		}, []string{"different nconnect values", "shares its connections with 1 other mount"}},
		{"7d: nconnect of another version is another matter", func(p parts) {
			other := aMount()
			other.NConnect, other.Version = 8, "4.1" // with connections of its own
			p.endpoint.Mounts = append(p.endpoint.Mounts, other)
		}, nil},
		{"a mount that keeps to itself", func(p parts) {
			other := aMount()
			other.Options = "rw,nosharetransport"
			p.endpoint.Mounts = append(p.endpoint.Mounts, other)
		}, nil},
		{"nconnect asked for, not had", func(p parts) { p.mount.NConnect = 4 }, []string{"nconnect=4 was asked for, but 1 connection is in use"}},
		{"7d: read-ahead with sequential reads", func(p parts) {
			reading(p, 1<<20)
			p.mount.ReadAhead = 128 << 10
		}, []string{"read-ahead is 128 KiB"}},
		{"7d: larger read-ahead", func(p parts) {
			reading(p, 1<<20)
			p.mount.ReadAhead = 132 << 10
		}, nil},
		{"7d: read-ahead with small reads", func(p parts) {
			reading(p, 1<<20)
			p.mount.ReadAhead, p.mount.ReadRate = 128<<10, 100*4096
		}, nil},
		{"7d: small rsize that reads fill", func(p parts) { reading(p, 32<<10) }, []string{"rsize is 32 KiB"}},
		{"7d: small rsize with smaller reads", func(p parts) {
			reading(p, 32<<10)
			p.mount.ReadRate = 100 * 4096
		}, nil},
		{"7d: rsize 65,536", func(p parts) { reading(p, 64<<10) }, nil},
		{"sessions in use", func(p parts) { p.endpoint.Sessions, p.transport.Count = spread(4, 0.25, 8*mebibyte), 4 },
			[]string{"spread over 4 sessions, 4 of them effectively"}},
		{"another network namespace", func(p parts) { p.endpoint.Sessions, p.endpoint.Connected = nil, 1 }, []string{"another network namespace"}},
		{"krb5p", func(p parts) { p.mount.Security = "krb5p" }, []string{"krb5p encrypts"}},
		{"krb5 with nconnect", func(p parts) { p.mount.Security, p.mount.NConnect, p.transport.Count = "krb5", 4, 4 },
			[]string{"Kerberos together with nconnect"}},
		{"noac", func(p parts) { p.mount.Options = "rw,noac" }, []string{"noac turns attribute caching off"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			client, endpoint, transport := slowFlow()
			row.change(parts{client, endpoint, transport, endpoint.Mounts[0]})
			got := Notes(endpoint.Mounts[0], endpoint, client)
			if len(got) != len(row.want) {
				t.Fatalf("notes %q, want %q", got, row.want)
			}
			for i, want := range row.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("note %q, want %q in it", got[i], want)
				}
				if !strings.HasSuffix(got[i], ".") || strings.Contains(got[i], "NaN") {
					t.Errorf("note %q is no plain sentence", got[i])
				}
			}
		})
	}
}

func TestStateOf(t *testing.T) {
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	load := func(rate, execute, bytes fleet.Value) func(C, E, T) {
		return func(_ C, e E, _ T) {
			e.Mounts[0].ReadRate = bytes
			e.Mounts[0].Classes["read"] = fleet.Class{Rate: rate, RTT: execute, Execute: execute, Errors: fleet.Unknown}
		}
	}
	for _, row := range []struct {
		name   string
		change func(C, E, T)
		want   string
	}{
		{"A7: below all three floors", load(49, 20*ms, 4.9*mebibyte), StateIdle},
		{"A7: 50 op/s", load(50, 1*ms, 0), StateActive},
		{"A7: 5 MiB/s", load(5, 1*ms, 5*mebibyte), StateActive},
		{"A7: one request outstanding", load(2, 0.5, 0), StateActive},
		{"no operation at all", load(0, fleet.Unknown, 0), StateIdle},
		{"nothing known", func(C, E, T) {}, StateThin},
		{"too few samples", func(c C, e E, tr T) {
			load(500, 1*ms, 0)(c, e, tr)
			c.Coverage = 0.79
		}, StateThin},
		{"one read of the mount", func(c C, e E, tr T) {
			load(500, 1*ms, 0)(c, e, tr)
			e.Mounts[0].Samples = 1
		}, StateThin},
		{"a hung mount looks idle and is not", func(c C, e E, tr T) {
			load(0, fleet.Unknown, 0)(c, e, tr)
			e.PendingFloor, e.Receives, e.Mounts[0].Completions = 2, 0, 0
		}, StateUnresponsive},
	} {
		for profile, settings := range profiles() {
			endpoint := anEndpoint(aMount())
			client := aClient(endpoint)
			row.change(client, endpoint, nil)
			if got := StateOf(endpoint.Mounts[0], endpoint, client, settings); got != row.want {
				t.Errorf("%s, %s: %s, want %s", profile, row.name, got, row.want)
			}
		}
	}
}

func TestSettings(t *testing.T) {
	if err := DefaultSettings().Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for want, change := range map[string]func(*Settings){
		"for and keep are numbers of evaluations, at least 0: got -1 and 0": func(s *Settings) { s.For = -1 },
		"for and keep are at most 10080 evaluations: got 0 and 20000":       func(s *Settings) { s.Keep = 20_000 },
		"gap has to be longer than zero: got 0s":                            func(s *Settings) { s.Gap = 0 },
		"session.slots_full has to lie between 0 and 1: got 90":             func(s *Settings) { s.Session.SlotsFull = 90 },
		"session.resolve_slots has to lie between 0 and 0.9: got 0.95":      func(s *Settings) { s.Session.ResolveSlots = 0.95 },
		"session.rtt_ratio has to lie between 1 and 1e+06: got 0":           func(s *Settings) { s.Session.RTTRatio = 0 },
		"client.slot_budget has to lie between 1 and 1e+12: got 0":          func(s *Settings) { s.Client.SlotBudget = 0 },
		"activity.bytes has to lie between 0 and 1e+12: got NaN":            func(s *Settings) { s.Activity.Bytes = float64(fleet.Unknown) },
	} {
		settings := DefaultSettings()
		change(&settings)
		got := ""
		if err := settings.Validate(); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff("detectors: "+want, got); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
	if got := len(DefaultSettings().ranges()); got != thresholds(DefaultSettings()) {
		t.Errorf("%d thresholds are checked, there are %d", got, thresholds(DefaultSettings()))
	}
}
