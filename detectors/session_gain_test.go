package detectors

import (
	"testing"

	"github.com/nasight/nasight/fleet"
)

// gainRow is a flow of NFS at its ceiling: 64 requests of 18 ms, of which 17 ms stand in the path, 100 MiB/s.
func gainRow(change func(*fleet.Client, *fleet.Endpoint, *fleet.Mount)) (*fleet.Client, *fleet.Endpoint) {
	client, endpoint, transport := slowFlow()
	endpoint.Provider = fleet.ProviderGCNV
	transport.RTT, transport.Execute = 18*ms, 18*ms
	transport.Rate = 64 / transport.Execute
	endpoint.LowestRTT, endpoint.Sessions = 0.4*ms, spread(1, 1, 100*mebibyte)
	endpoint.Sessions[0].RTT, endpoint.Sessions[0].OutOfOrder = 17.4*ms, 0
	change(client, endpoint, endpoint.Mounts[0])
	return client, endpoint
}

// on joins a mount that carries 100 MiB/s with a volume, of which all clients together use a share.
func on(m *fleet.Mount, limit, clients fleet.Value) {
	m.ReadRate, m.WriteRate = 100*mebibyte, 0
	m.Volume = &fleet.Volume{Identity: fleet.Resource{Volume: "one"}, Limit: limit * mebibyte, ClientUse: clients, Of: &fleet.Pool{}}
}

// TestGainByWhatIsMeasured: without a learnt latency the queue in the path tells what an operation would take without it, and the
// clients' own bytes what room the volume has.
func TestGainByWhatIsMeasured(t *testing.T) {
	for _, row := range []struct {
		name      string
		change    func(*fleet.Client, *fleet.Endpoint, *fleet.Mount)
		low, high float64
	}{
		{"the published gain", func(*fleet.Client, *fleet.Endpoint, *fleet.Mount) {}, 5, 5},
		{"all of the volume's use is its own: 100 of 400", func(_ *fleet.Client, e *fleet.Endpoint, m *fleet.Mount) {
			on(m, 400, 0.25)
			e.VolumeUtilisation = 0.25
		}, 0.8 * 4, 1.08 * 4},
		// 100 of 400 are left to 100 of its own; what competes with the other 200 may get up to all.
		{"others use half of the volume", func(_ *fleet.Client, e *fleet.Endpoint, m *fleet.Mount) {
			on(m, 400, 0.75)
			e.VolumeUtilisation = 0.75
		}, 0.8 * 2, 1.08 * 4},
		{"the network is half full", func(c *fleet.Client, _ *fleet.Endpoint, _ *fleet.Mount) { network(c, 0.5) }, 0.94 * 2, 1.03 * 2},
		// Of 18 ms 11 are not in the path: they may be a queue in the server.
		{"half of the time in the server", func(_ *fleet.Client, e *fleet.Endpoint, _ *fleet.Mount) { e.Sessions[0].RTT = 10.4 * ms }, 1, 5},
		// Only the learnt latency is left to tell: 18 ms over 6 ms.
		{"the time in the client is not known", func(_ *fleet.Client, e *fleet.Endpoint, _ *fleet.Mount) {
			e.Transports[0].Execute = fleet.Unknown
		}, 5, 5},
		{"a learnt latency", func(_ *fleet.Client, e *fleet.Endpoint, _ *fleet.Mount) { e.BaseLatency = 6 * ms }, 0.9 * 3, 3},
	} {
		client, _ := gainRow(row.change)
		gain := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/flow").Gain
		if !near(gain.Low, row.low) || !near(gain.High, row.high) {
			t.Errorf("%s: %.3f to %.3f, want %.3f to %.3f", row.name, gain.Low, gain.High, row.low, row.high)
		}
	}
}

// TestGainOfSlots: no more than wait for a slot, and at the low end by the part of an operation's time that is surely no queue.
func TestGainOfSlots(t *testing.T) {
	for _, row := range []struct {
		name      string
		base      fleet.Value
		execute   fleet.Value
		low, high float64
	}{
		{"as long as without load: 40 of 10 ms", 10 * ms, 40 * ms, 0.9 * 4, 1.05 * 4},
		{"half of it without load", 5 * ms, 40 * ms, 0.9 * 2, 1.05 * 4},
		{"more wait than there would be slots for", 10 * ms, 200 * ms, 0.9 * 8, 8},
	} {
		client, endpoint, transport := busySlots()
		endpoint.BaseLatency = row.base
		transport.RTT, transport.Execute = 10*ms, row.execute
		gain := only(t, Evaluate(aView(client), DefaultSettings()), "session_saturated/slots").Gain
		if !near(gain.Low, row.low) || !near(gain.High, row.high) {
			t.Errorf("%s: %.3f to %.3f, want %.3f to %.3f", row.name, gain.Low, gain.High, row.low, row.high)
		}
	}
}
