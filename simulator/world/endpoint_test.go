package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/nasight/nasight/simulator/model"
	"github.com/nasight/nasight/simulator/world"
)

// What endpoints are said to do is what the hosts' counters then show.
func TestEndpointsAgreeWithCounters(t *testing.T) {
	w := start(t, fleetOf("50", "4"), world.Options{})
	endpoints := w.Endpoints(epoch)
	if len(endpoints) != 2 || endpoints[0].Host != "app-1" || endpoints[0].Server != "192.0.2.10" || endpoints[0].Protocol != "nfs" {
		t.Fatalf("%+v", endpoints)
	}
	const step = 2 * time.Minute
	w.Advance(epoch.Add(step))
	for i, machine := range w.Machines() {
		e := endpoints[i]
		_, operations := moved(machine)
		if want := operations / step.Seconds(); math.Abs(e.Operations-want) > 1e-6*want {
			t.Errorf("%s: %g operations per second, counted %g", e.Host, e.Operations, want)
		}
		transports := machine.NFS[0].Transports
		if len(e.Sessions) != len(transports) {
			t.Fatalf("%s: %d sessions of %d", e.Host, len(e.Sessions), len(transports))
		}
		for j, rate := range e.Sessions {
			counted := (transports[j].Received.Bytes + transports[j].Sent.Bytes) / step.Seconds()
			if math.Abs(rate-counted) > 1e-6*counted {
				t.Errorf("%s: session %d has %g bytes per second, counted %g", e.Host, j, rate, counted)
			}
		}
		var rtt, count float64
		for _, op := range machine.NFS[0].Mounts[0].Operations {
			rtt, count = rtt+op.RTT, count+op.Count
		}
		if mean := rtt / count; math.Abs(e.RTT-mean) > 1e-6*mean || e.Execute < e.RTT {
			t.Errorf("%s: %g s of %g, counted %g", e.Host, e.RTT, e.Execute, mean)
		}
	}
}

// A description that held before needs no new model, and holds again.
func TestChangeBackAndForth(t *testing.T) {
	w := start(t, fleetOf("50", "1"), world.Options{})
	first := w.Model().Fleet()
	more, err := model.Parse("fleet.yml", []byte(fleetOf("50", "8")))
	if err != nil {
		t.Fatal(err)
	}
	sessions := func() int { return len(w.Endpoints(w.Now())[0].Sessions) }
	for i := range 6 {
		fleet, want := more, 8
		if i%2 == 1 {
			fleet, want = first, 1
		}
		w.Advance(w.Now().Add(5 * time.Minute))
		if err := w.Change(fleet); err != nil {
			t.Fatal(err)
		}
		if got := sessions(); got != want {
			t.Errorf("change %d: %d sessions, want %d", i, got, want)
		}
		if i > 1 && w.Model().At(w.Now()) != w.Model().At(w.Now().Add(-10*time.Minute)) {
			t.Errorf("change %d: the same description has another model", i)
		}
	}
	if got := len(w.Endpoints(epoch)[0].Sessions); got != 1 {
		t.Errorf("at the start there were %d sessions", got)
	}
}
