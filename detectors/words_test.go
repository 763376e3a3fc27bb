package detectors

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

// thresholds counts the settings that are numbers with a range.
func thresholds(settings Settings) int {
	count := 0
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Float64:
			count++
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(settings))
	return count
}

func TestNumbersInWords(t *testing.T) {
	for want, got := range map[string]string{
		"0": number(0), "1.2": number(1.2), "0.25": number(0.25), "12.3": number(12.34), "257": number(257.4), "10000": number(10_000),
		"10": number(9.999), "-3": number(-3), "an unknown number of": number(fleet.Unknown),
		"1.2 ms": milliseconds(1.2 * ms), "2.26 MiB/s": mebibytes(2.26 * mebibyte), "36 op/s": operations(36.4),
		"85 %": percent(0.85), "0.3 %": percent(0.003), "1 slot": plural(1, "slot"), "2 slots": plural(2, "slot"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"/mnt/a": "/mnt/a", "": "''", "/mnt/my data": "'/mnt/my data'", "/mnt/it's": `'/mnt/it'\''s'`,
		"/mnt/$(reboot)": "'/mnt/$(reboot)'", "/mnt/a;b": "'/mnt/a;b'", "[2001:db8::1]:/v": "'[2001:db8::1]:/v'", "/mnt/\n": `$'/mnt/\x0a'`, "/m\u202e'\\": `$'/m\xe2\x80\xae\'\\'`, "~": "'~'",
	} {
		if got := quote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestFlowInWords(t *testing.T) {
	client, endpoint, _ := slowFlow()
	second := aMount()
	second.Export, second.MountPoints, second.ServerName, second.Security = "/vol 2", []string{"/mnt/my data"}, "2001:db8::1", "krb5"
	second.ReadSize, second.WriteSize, second.Version, second.Transport = 1<<20, 1<<20, "4.1", "tcp6"
	endpoint.Mounts = append(endpoint.Mounts, second)
	endpoint.Provider = fleet.ProviderGCNV
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/flow")
	want := "All traffic to 192.0.2.10 rides on one TCP session that is at its ceiling of 2.26 MiB/s: " +
		"round trips take 214 times their minimum (257 ms against 1.2 ms), with 16 requests outstanding."
	if diff := cmp.Diff(want, finding.Summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	command := `umount /mnt/a '/mnt/my data'
mount -t nfs -o nfsvers=3,tcp,nconnect=16,rsize=65536,wsize=65536 files.example.com:/vol1 /mnt/a
mount -t nfs -o nfsvers=4.1,proto=tcp6,nconnect=16,rsize=1048576,wsize=1048576,sec=krb5 '[2001:db8::1]:/vol 2' '/mnt/my data'`
	if diff := cmp.Diff(command, finding.Remedy[0].Command); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	for _, words := range []string{"unmount every one", "interrupts", "Kerberos", "look alike from a client"} {
		if !strings.Contains(finding.Remedy[0].Caveat, words) {
			t.Errorf("caveat %q does not say %q", finding.Remedy[0].Caveat, words)
		}
	}
}

func TestPolicedFlowInWords(t *testing.T) {
	client, endpoint, _ := slowFlow()
	endpoint.Sessions[0].RTT, endpoint.Sessions[0].OutOfOrder = 9*ms, 0.1082
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/flow")
	if want := "11 % of its segments arrive out of order, so the path drops what is too much"; !strings.Contains(finding.Summary, want) {
		t.Errorf("summary %q, want %q in it", finding.Summary, want)
	}
}

func TestSlotsInWords(t *testing.T) {
	client, _, _ := busySlots()
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/slots")
	want := "Requests to 192.0.2.10 queue on this host: 14 of 16 slots are in use on 1 connection, and 77 % of the 60 ms an operation takes is spent " +
		"waiting for a slot. A request finds 42 others in the backlog."
	if diff := cmp.Diff(want, finding.Summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	command := `echo 'sunrpc.tcp_max_slot_table_entries = 128' >> /etc/sysctl.d/90-nfs.conf
sysctl --system
umount /mnt/a
mount -t nfs -o nfsvers=3,tcp,rsize=65536,wsize=65536 files.example.com:/vol1 /mnt/a`
	if diff := cmp.Diff(command, finding.Remedy[0].Command); diff != "" {
		t.Errorf("command (-want +got):\n%s", diff)
	}
	if want := 1.05 * 60 / 14.0; math.Abs(finding.Gain.High-want) > 0.01 { // less than 128/16: 60 requests are all that there are for the 14 under way
		t.Errorf("gain %+v, want up to %.2f", finding.Gain, want)
	}
}

// Mounts of two NFS versions have a connection each; that is no imbalance.
func TestTwoVersionsAreNoImbalance(t *testing.T) {
	client, endpoint, _ := slowFlow()
	other := aTransport()
	other.Version, other.Count, other.Rate, other.RTT, other.Execute = "4.1", 1, 0, fleet.Unknown, fleet.Unknown
	endpoint.Transports = append(endpoint.Transports, other)
	endpoint.Sessions = append(endpoint.Sessions, aSession(0))
	finding := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/flow")
	if !strings.Contains(finding.Remedy[0].What, "nconnect=4") {
		t.Errorf("advice %q, want more sessions", finding.Remedy[0].What)
	}
}

// A condition between its resolve and its fire threshold is held.
func TestHeld(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*fleet.Endpoint, *fleet.Transport)
		want   bool
	}{
		{"nothing known", func(*fleet.Endpoint, *fleet.Transport) {}, false},
		{"u .70", func(_ *fleet.Endpoint, tr *fleet.Transport) { tr.RTT = 0.7001 * 128 / tr.Rate }, true},
		{"u .69", func(_ *fleet.Endpoint, tr *fleet.Transport) { tr.RTT = 0.69 * 128 / tr.Rate }, false},
		{"c_max .70 K", func(e *fleet.Endpoint, _ *fleet.Transport) { e.Ceiling = e.Sessions[0].Rate / 0.7001 }, true},
		{"c_max .69 K", func(e *fleet.Endpoint, _ *fleet.Transport) { e.Ceiling = e.Sessions[0].Rate / 0.69 }, false},
	} {
		client, endpoint, transport := slowFlow()
		transport.Rate, transport.RTT, transport.Execute = 1_000, 1*ms, 1*ms
		row.change(endpoint, transport)
		endpoint.Receives = 10
		round := Judge(aView(client), DefaultSettings())
		if got := len(round.Held) > 0; got != row.want {
			t.Errorf("%s: held %v, want %v", row.name, round.Held, row.want)
		}
	}
}

// A server that was silent is not back just because nothing could be read of it.
func TestUnresponsiveIsHeldWithoutReadings(t *testing.T) {
	settings := DefaultSettings()
	lifecycle := NewLifecycle(settings)
	for minute, row := range []struct {
		change func(*fleet.Endpoint)
		want   State
	}{
		{func(*fleet.Endpoint) {}, Firing},
		{func(e *fleet.Endpoint) { e.Mounts[0].ClockAdvance = 0 }, Keep},
		{func(e *fleet.Endpoint) { e.Receives, e.Mounts[0].Completions = fleet.Unknown, fleet.Unknown }, Keep},
		{func(*fleet.Endpoint) {}, Firing},
		{func(e *fleet.Endpoint) { e.Receives = 1 }, Resolved},
	} {
		client, endpoint, _ := dead()
		row.change(endpoint)
		view := aView(client)
		view.At = noon.Add(minutesFrom(minute))
		lifecycle.Step(Judge(view, settings))
		if got := only(t, lifecycle.Active(), "server_unresponsive/stalled").State; got != row.want {
			t.Errorf("minute %d: %s, want %s", minute, got, row.want)
		}
	}
}

func TestJudgeTellsWhatItCouldNotJudge(t *testing.T) {
	client, _, _ := slowFlow()
	client.Coverage = 0.5
	round := Judge(aView(client), DefaultSettings())
	if diff := cmp.Diff([]fleet.Resource{{Host: "client.example.com"}}, round.Unjudged); diff != "" || len(round.Found) != 0 {
		t.Errorf("found %v, not judged (-want +got):\n%s", names(round.Found), diff)
	}
	if round := Judge(nil, DefaultSettings()); !round.At.IsZero() || round.Found != nil {
		t.Errorf("no view gives %+v", round)
	}
}

func TestSeverityText(t *testing.T) {
	for severity := Info; severity <= Critical; severity++ {
		text, err := severity.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Severity
		if err := back.UnmarshalText(text); err != nil || back != severity {
			t.Errorf("%s came back as %s (%v)", severity, back, err)
		}
	}
}

// The minute pass: 1,000 hosts with three mounts each.
func BenchmarkEvaluate(b *testing.B) {
	view := aView()
	for range 1_000 {
		client, _, _ := slowFlow()
		for range 2 {
			_, endpoint, _ := slowFlow()
			with(client, endpoint)
		}
		view.Clients = append(view.Clients, client)
	}
	settings := DefaultSettings()
	for b.Loop() {
		Judge(view, settings)
	}
}
