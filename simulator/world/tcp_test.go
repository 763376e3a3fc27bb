package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/nasight/nasight/simulator/host"
	"github.com/nasight/nasight/simulator/world"
)

// session runs one NFS mount for ten minutes and gives its first session. The server is not in the fleet.
func session(t *testing.T, mount string) host.TCP {
	t.Helper()
	w := start(t, `hosts:
  - name: app-1
    address: 198.51.100.1
    mounts: [{protocol: nfs3, server: 192.0.2.10, export: /one, path: /mnt/one, `+mount+`}]
`, world.Options{})
	w.Advance(epoch.Add(10 * time.Minute))
	return w.Machines()[0].NFS[0].Transports[0].TCP
}

// TestWhereRequestsStand holds sessions against what recordings of real ones show.
func TestWhereRequestsStand(t *testing.T) {
	const window = 10 * time.Minute
	for _, row := range []struct {
		name, mount              string
		ratio, busy, disorder    float64 // round trip over its minimum, share of time, share of segments
		sendQueue, notSent, held float64 // bytes, bytes, share of the busy time
	}{
		// 16 × 64 KiB at 2.3 MiB/s: 435 ms, of which all but one request's service stands in the path.
		{"queued reads", "load: {threads: 16}, way: {rtt_ms: 1, flow_mibps: 2.3}", 433, 1, 0, 0, 0, 0},
		// 8 × 256 KiB of writes: all 2 MiB are on their way.
		{"queued writes", "load: {threads: 8, block_kib: 256, write_share: 1}, way: {rtt_ms: 1, flow_mibps: 2.3}", 868, 1, 0, 2 << 20, 0, 0},
		{"policed", "load: {threads: 16}, way: {rtt_ms: 1, flow_mibps: 1, policed: true}", 6, 16 * 0.006, 0.11, 0, 0, 0},
		// One request of 4 KiB at a time: unacknowledged for one of the 1.84 ms that an operation takes.
		{"one reader", "load: {threads: 1, block_kib: 4}, way: {rtt_ms: 1}", 1, 1 / 1.84, 0, 0, 0, 0},
		// A core takes 1 ms for each request: the queue stands in this host.
		{"core", "load: {threads: 16}, way: {rtt_ms: 1, session_us: 1000, on_core: true}", 1, 1, 0, 0, 0, 0},
		// 256 KiB in 4 ms are 64 MiB/s. Of 32 MiB the rest waits in the socket.
		{"window", "load: {threads: 32, block_kib: 1024, write_share: 1}, way: {rtt_ms: 4, window_kib: 256}", 1, 1, 0, 32 << 20, 32 << 20, 1},
	} {
		got := session(t, row.mount)
		busy := got.Busy.Seconds() / window.Seconds()
		for _, check := range []struct {
			what       string
			got, want  float64
			difference float64
		}{
			{"round trip", got.RTT.Seconds() / got.MinRTT.Seconds(), row.ratio, 0.02},
			{"busy", busy, row.busy, 0.05},
			{"out of order", got.OutOfOrder / got.Received.Packets, row.disorder, 0.01},
			{"send queue", float64(got.SendQueue), row.sendQueue, 0.05},
			{"not sent", float64(got.NotSent), row.notSent, 0.05},
			{"held by the window", got.ReceiveWindow.Seconds() / got.Busy.Seconds(), row.held, 0.01},
		} {
			if math.Abs(check.got-check.want) > check.difference*check.want {
				t.Errorf("%s: %s %g, want %g", row.name, check.what, check.got, check.want)
			}
		}
	}
}
