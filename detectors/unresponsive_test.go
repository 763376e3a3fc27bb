package detectors

import (
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
)

// A8: detector 10.

// dead is a server that has stopped answering: requests wait and nothing completes.
func dead() (*fleet.Client, *fleet.Endpoint, *fleet.Transport) {
	mount := aMount()
	mount.Completions, mount.Timeouts = 0, 0
	endpoint, transport := anEndpoint(mount), aTransport()
	endpoint.Transports = []*fleet.Transport{transport}
	endpoint.Pending, endpoint.PendingFloor, endpoint.Receives, endpoint.Connecting = 2, 2, 0, 0
	endpoint.Connected, endpoint.Disconnected = 1, 0
	return aClient(endpoint), endpoint, transport
}

func TestUnresponsiveBoundaries(t *testing.T) {
	type (
		C = *fleet.Client
		E = *fleet.Endpoint
		T = *fleet.Transport
	)
	stalled := []string{"server_unresponsive/stalled"}
	down := func(connecting fleet.Value) func(C, E, T) {
		return func(_ C, e E, _ T) {
			e.PendingFloor, e.Connected, e.Disconnected, e.Connecting = 0, 0, 1, connecting
		}
	}
	checkBoundaries(t, dead, []boundary{
		{"A8: requests wait, nothing completes", func(C, E, T) {}, stalled},
		{"A8: a reply came", func(_ C, e E, _ T) { e.Receives = 0.1 }, nothing},
		{"A8: an operation completed", func(_ C, e E, _ T) { e.Mounts[0].Completions = 0.1 }, nothing},
		{"A8: an operation of another mount of the server completed", func(c C, e E, _ T) {
			other := aMount()
			other.Completions = 1
			e.Mounts = append(e.Mounts, other)
		}, nothing},
		{"A8: requests did not wait all the time", func(_ C, e E, _ T) { e.PendingFloor = 0 }, nothing},
		{"A8: not known whether requests wait", func(_ C, e E, _ T) { e.PendingFloor = fleet.Unknown }, nothing},
		{"A8: replies not known, completions stand still", func(_ C, e E, _ T) { e.Receives = fleet.Unknown }, stalled},
		{"A8: neither known", func(_ C, e E, _ T) { e.Receives, e.Mounts[0].Completions = fleet.Unknown, fleet.Unknown }, nothing},
		{"A8: disconnected and trying", down(1), stalled},
		{"A8: disconnected for idleness", down(0), nothing},
		{"A8: disconnected, attempts not known", down(fleet.Unknown), nothing},
		{"A8: one transport of two is up", func(c C, e E, tr T) {
			down(1)(c, e, tr)
			e.Connected = 1
		}, nothing},
		{"A8: major timeouts rise", func(_ C, e E, _ T) { e.PendingFloor, e.Mounts[0].Timeouts = 0, 0.1 }, stalled},
		{"A8: major timeouts rise while operations complete", func(_ C, e E, _ T) {
			e.PendingFloor, e.Mounts[0].Timeouts, e.Mounts[0].Completions = 0, 0.1, 5
		}, nothing},
		{"the source stood still", func(_ C, e E, _ T) { e.Mounts[0].ClockAdvance = 0 }, nothing},
		{"the host's clock is not known", func(_ C, e E, _ T) { e.Mounts[0].ClockAdvance = fleet.Unknown }, nothing},
		{"too few samples", func(c C, _ E, _ T) { c.Coverage = 0.79 }, nothing},
		{"just enough samples", func(c C, _ E, _ T) { c.Coverage = 0.80 }, stalled},
	})
}

func TestUnresponsiveSeverity(t *testing.T) {
	settings := profiles()
	for _, row := range []struct {
		profile string
		window  time.Duration
		want    Severity
	}{
		{"snapshot", 60 * time.Second, Warning},
		{"snapshot", 60*time.Second + time.Millisecond, Critical},
		{"windowed", 2 * time.Minute, Warning}, // the life cycle knows how long
	} {
		client, _, _ := dead()
		view := aView(client)
		view.Window = row.window
		if got := only(t, Evaluate(view, settings[row.profile]), "server_unresponsive/stalled").Severity; got != row.want {
			t.Errorf("%s over %s: %s, want %s", row.profile, row.window, got, row.want)
		}
	}
	lifecycle := NewLifecycle(settings["windowed"])
	for minute, want := range []Severity{Warning, Critical, Critical} {
		client, _, _ := dead()
		view := aView(client)
		view.At = noon.Add(time.Duration(minute) * time.Minute)
		lifecycle.Step(Judge(view, settings["windowed"]))
		finding := only(t, lifecycle.Active(), "server_unresponsive/stalled")
		if finding.Severity != want || finding.State != Firing || !finding.Since.Equal(noon) {
			t.Errorf("minute %d: %s, %s since %s; want %s, firing since noon", minute, finding.Severity, finding.State, finding.Since, want)
		}
	}
}

func TestUnresponsiveSummary(t *testing.T) {
	for want, change := range map[string]func(*fleet.Endpoint){
		"192.0.2.10 does not answer: at least 2 requests wait for a reply all the time, and no operation completed in the last interval.": func(*fleet.Endpoint) {},
		"192.0.2.10 does not answer: all 4 connections are down and the client keeps trying to connect, and no operation completed in the last interval.": func(e *fleet.Endpoint) {
			e.Connected, e.Disconnected, e.Connecting = 0, 4, 1
		},
		"192.0.2.10 does not answer: requests time out, and no operation completed in the last interval.": func(e *fleet.Endpoint) {
			e.PendingFloor, e.Mounts[0].Timeouts = 0, 1
		},
	} {
		client, endpoint, _ := dead()
		change(endpoint)
		if got := only(t, Evaluate(aView(client), DefaultSettings()), "server_unresponsive/stalled").Summary; got != want {
			t.Errorf("summary %q, want %q", got, want)
		}
	}
}
