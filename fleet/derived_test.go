package fleet

import (
	"math"
	"testing"
)

func near(a Value, b float64) bool { return math.Abs(float64(a)-b) <= 1e-9*math.Max(1, math.Abs(b)) }

// The check values are the published ones that detectors.md §0 lists for Little's law.
func TestLittlesLaw(t *testing.T) {
	for _, c := range []struct {
		name      string
		rate, rtt Value
		want      float64
	}{
		{"8 KiB at 0.5 ms, 110,000 IOPS", 110_000, 0.0005, 55},
		{"8 KiB at 2 ms, 400,000 IOPS", 400_000, 0.002, 800},
		{"256 KiB at 4 ms, 32,000 IOPS", 32_000, 0.004, 128},
	} {
		transport := &Transport{Rate: c.rate, RTT: c.rtt, Execute: c.rtt}
		if got := transport.OnWire(); !near(got, c.want) {
			t.Errorf("%s: %v requests on the wire, want %v", c.name, got, c.want)
		}
	}
}

func TestQueueShare(t *testing.T) {
	for _, c := range []struct {
		rtt, execute Value
		known        bool
		want         float64
	}{
		{0.004, 0.008, true, 0.5},
		{0.004, 0.004, true, 0},
		{0.0041, 0.004, true, 0}, // rounding of the kernel's milliseconds must not make it negative
		{Unknown, 0.004, false, 0},
		{0.004, Unknown, false, 0},
		{0, 0, false, 0},
	} {
		got := (&Transport{RTT: c.rtt, Execute: c.execute}).QueueShare()
		if got.Known() != c.known || c.known && !near(got, c.want) {
			t.Errorf("RTT %v of %v: queue share %v, want %v (known %v)", c.rtt, c.execute, got, c.want, c.known)
		}
	}
}

func TestEffectiveSessions(t *testing.T) {
	for _, c := range []struct {
		name  string
		rates []Value
		want  float64
	}{
		{"one of four carries all", []Value{100, 0, 0, 0}, 1},
		{"four carry the same", []Value{25, 25, 25, 25}, 4},
		{"an unknown one counts for nothing", []Value{50, 50, Unknown}, 2},
	} {
		endpoint := &Endpoint{}
		for _, rate := range c.rates {
			endpoint.Sessions = append(endpoint.Sessions, &Session{Rate: rate})
		}
		if got := endpoint.EffectiveSessions(); !near(got, c.want) {
			t.Errorf("%s: %v effective sessions, want %v", c.name, got, c.want)
		}
	}
	if (&Endpoint{}).EffectiveSessions().Known() || (&Endpoint{}).BusiestShare().Known() {
		t.Error("no sessions: nothing is known")
	}
}

func TestMountSumsItsClasses(t *testing.T) {
	mount := &Mount{Classes: map[string]Class{
		"read":  {Rate: 100, RTT: 0.01, Execute: 0.02, Errors: Unknown},
		"attr":  {Rate: 50, RTT: 0.002, Execute: 0.002},
		"write": {Rate: 0, RTT: Unknown, Execute: Unknown},
	}}
	if got := mount.Operations(); !near(got, 150) {
		t.Errorf("operations %v, want 150", got)
	}
	if got := mount.OnWire(); !near(got, 1.1) {
		t.Errorf("on the wire %v, want 1.1", got)
	}
	if got := mount.Outstanding(); !near(got, 2.1) {
		t.Errorf("outstanding %v, want 2.1", got)
	}
	if (&Mount{}).Outstanding().Known() {
		t.Error("a mount without classes has no known load")
	}
}

func TestNetworkUtilisationTakesTheBusierDirection(t *testing.T) {
	for _, c := range []struct {
		name  string
		nic   NIC
		known bool
		want  float64
	}{
		{"receive", NIC{Receive: 80, ReceiveCap: 100, Transmit: 10, TransmitCap: 100}, true, 0.8},
		{"transmit", NIC{Receive: 10, ReceiveCap: 100, Transmit: 90, TransmitCap: 100}, true, 0.9},
		{"one cap", NIC{Receive: 10, ReceiveCap: Unknown, Transmit: 50, TransmitCap: 100}, true, 0.5},
		{"no cap", NIC{Receive: 10, ReceiveCap: Unknown, Transmit: 50, TransmitCap: Unknown}, false, 0},
	} {
		got := c.nic.Utilisation()
		if got.Known() != c.known || c.known && !near(got, c.want) {
			t.Errorf("%s: %v, want %v (known %v)", c.name, got, c.want, c.known)
		}
	}
}
