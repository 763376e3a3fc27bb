package queue

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nasight/nasight/envelope"
)

const (
	us  = 1e-6
	ms  = 1e-3
	kib = 1 << 10
	mib = 1 << 20
)

func table(t testing.TB) *envelope.Table {
	t.Helper()
	got, err := envelope.Load()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func curve(t testing.TB, protocol, level string) func(float64, float64) float64 {
	t.Helper()
	got, err := Curve(table(t), protocol, level)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func solve(t testing.TB, n Network) Result {
	t.Helper()
	got, err := Solve(n)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// alone solves one class on one volume.
func alone(t testing.TB, c Class, v Volume) Flow {
	t.Helper()
	c.Client, c.Volume, v.Name = "client-1", "volume-1", "volume-1"
	c.Sessions = max(c.Sessions, 1)
	return solve(t, Network{Classes: []Class{c}, Volumes: []Volume{v}}).Flows[0]
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.6g, want %g ± %g", what, got, want, tolerance)
	}
}

// gains are rates with 1, 2, 4, 8 and 16 sessions, in units of the first.
func gains(t testing.TB, c Class, v Volume) (g [5]float64) {
	t.Helper()
	for i := range g {
		c.Sessions = 1 << i
		g[i] = alone(t, c, v).Rate
	}
	for i := len(g) - 1; i >= 0; i-- {
		g[i] /= g[0]
	}
	return g
}

// TestSessionGains: how much faster more sessions make a client, for each published ratio. Only ratios are published, so the
// session's time is drawn and the others keep their proportion to it.
func TestSessionGains(t *testing.T) {
	for _, c := range []struct {
		name             string
		session, client  float64 // µs
		rtt              float64 // ms
		protocol         string
		block, readShare float64
		jobs             float64
		want             [5]float64 // NaN: not published
		tolerance        float64
	}{
		{"NFS, 8 KiB reads", 33, 6.6, .35, envelope.NFSv3, 8 * kib, 1, 128, [5]float64{1, 2, 4, 5, 5}, .005},
		{"NFS, 8 KiB reads, deep", 33, 6.6, .35, envelope.NFSv3, 8 * kib, 1, 384, [5]float64{1, 2, 4, 5, 5}, .005},
		{"NFS, a faster client", 33, 6.4, .35, envelope.NFSv3, 8 * kib, 1, 256, [5]float64{1, 2, 4, 5.16, 5.16}, .005},
		{"SMB, eight threads of depth 15", 30, 15, .35, envelope.SMB, 8 * kib, 1, 8 * 15, [5]float64{1, 1.98, 2, 2, 2}, .006},
		{"SMB, eight threads of depth 5", 30, 15, .35, envelope.SMB, 4 * kib, 1, 8 * 5, [5]float64{1, 1.88, 1.99, 2, 2}, .006},
		{"channels, reads, 64 jobs", 50, 18, .8, envelope.SMB, 4 * kib, 1, 64, [5]float64{1, math.NaN(), 2.76, math.NaN(), math.NaN()}, .006},
		{"channels, reads, 128 jobs", 50, 18, .8, envelope.SMB, 4 * kib, 1, 128, [5]float64{1, math.NaN(), 2.78, math.NaN(), math.NaN()}, .006},
		{"channels, writes, 64 jobs", 67, 18, .8, envelope.SMB, 4 * kib, 1, 64, [5]float64{1, math.NaN(), 3.60, math.NaN(), math.NaN()}, .01},
		{"channels, writes, 80 jobs", 67, 18, .8, envelope.SMB, 4 * kib, 1, 80, [5]float64{1, math.NaN(), 3.69, math.NaN(), math.NaN()}, .01},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		opTime := curve(t, c.protocol, envelope.Extreme)
		for range 20 {
			scale := (20 + 60*rng.Float64()) / c.session // session's time from 20 to 80 µs
			got := gains(t,
				Class{Jobs: c.jobs, Block: c.block, Write: c.readShare == 0, SessionTime: c.session * scale * us, ClientTime: c.client * scale * us, RTT: c.rtt * scale * ms},
				Volume{OpTime: func(block, share float64) float64 { return scale * opTime(block, share) }})
			for i, want := range c.want {
				if !math.IsNaN(want) {
					near(t, c.name, got[i], want, c.tolerance)
				}
			}
		}
	}
}

// TestSoftKnee: with σ the sessions themselves give n/(1+σ(n−1)), for each published pair.
func TestSoftKnee(t *testing.T) {
	for _, c := range []struct {
		sigma float64
		n     int
		want  float64
	}{
		{.1467, 16, 5}, {.1467, 8, 3.946}, {.3333, 4, 2}, {.2, 4, 2.5}, {.0476, 4, 3.5}, {.1111, 4, 3}, {0, 16, 16},
	} {
		rng := rand.New(rand.NewPCG(3, 4))
		for range 20 {
			class := Class{Jobs: 400, Knee: c.sigma, SessionTime: (20 + 60*rng.Float64()) * us, RTT: .35 * ms, Sessions: 1}
			one := alone(t, class, Volume{}).Rate
			class.Sessions = c.n
			near(t, "gain", alone(t, class, Volume{}).Rate/one, c.want, .005)
		}
	}
}

// TestMultichannelPenalty: one thread over several channels gets nine tenths, eight threads lose nothing.
func TestMultichannelPenalty(t *testing.T) {
	c := Class{Jobs: 1, Block: 4 * kib, SessionTime: 50 * us, ClientTime: 18 * us, RTT: .8 * ms}
	v := Volume{OpTime: curve(t, envelope.NFSv3, envelope.Extreme)}
	one := alone(t, c, v).Rate
	near(t, "one channel", one, 1149, .5)
	c.Sessions, c.Multichannel = 4, true
	four := alone(t, c, v).Rate
	near(t, "four channels", four, 1034, .5)
	near(t, "ratio", four/one, .9, 1e-9)
	for jobs, want := range map[float64]float64{1: 10. / 9, 4.5: 1 + 1./18, 8: 1, 100: 1, .5: 10. / 9} {
		c.Jobs = jobs
		near(t, "factor", c.penalty(), want, 1e-12)
	}
	c.HotFile, c.Jobs = true, 100
	near(t, "factor of a hot file", c.penalty(), 10./9, 0)
	c.Sessions = 1
	near(t, "factor of one channel", c.penalty(), 1, 0)
}

// TestSlots: what slots of NFSv3 and sessions of NFSv4.1 allow at two milliseconds.
func TestSlots(t *testing.T) {
	for _, c := range []struct {
		slots, sessions int
		want            float64
	}{
		{SlotsV41(64, 1), 1, 32_000}, {SlotsV41(180, 1), 1, 64_000}, {SlotsV41(180, 2), 2, 90_000}, {SlotsV41(500, 16), 16, 90_000},
		{SlotsV3(128, 1), 1, 64_000}, {SlotsV3(65536, 2), 2, 128_000}, {SlotsV3(16, 4), 4, 32_000},
	} {
		got := alone(t, Class{Jobs: 1000, Slots: c.slots, Sessions: c.sessions, RTT: 2 * ms}, Volume{})
		near(t, "op/s", got.Rate, c.want, 1e-6)
		near(t, "backlog", got.Backlog, 1000-float64(c.slots), 1e-6)
		near(t, "execute", got.Execute, 1000/c.want, 1e-9)
		if got.Bound != Slots {
			t.Errorf("%d slots: bound by %s", c.slots, got.Bound)
		}
	}
}

// TestVolumeCeilings: six clients drive a volume to each of the published cells, as one stream of a mix and as reads beside
// writes. It comes near from below: with jobs enough the other stations take nothing away.
func TestVolumeCeilings(t *testing.T) {
	cells := table(t).Cells()
	if len(cells) != 70 {
		t.Fatalf("%d cells", len(cells))
	}
	for _, cell := range cells {
		opTime := curve(t, cell.Protocol, cell.Level)
		iops := cell.ReadIOPS + cell.WriteIOPS
		near(t, "time per operation", opTime(cell.BlockBytes, cell.ReadShare)*iops, 1, 1e-9)

		n := Network{Volumes: []Volume{{Name: "v", OpTime: opTime}}}
		for i := range 6 {
			for _, write := range []bool{false, true} {
				// The network alone takes all jobs the same time, so jobs set the mix.
				share := cell.ReadShare
				if write {
					share = 1 - share
				}
				n.Classes = append(n.Classes, Class{Client: string(rune('a' + i)), Volume: "v", Write: write, Jobs: 4000 * share, Block: cell.BlockBytes, Sessions: 16,
					SessionTime: 1 * us, RTT: .3 * ms})
			}
		}
		got := solve(t, n).Volumes[0]
		near(t, cell.Source+" op/s", got.Ops/iops, 1, .001)
		near(t, cell.Source+" bytes", got.Bytes/(iops*cell.BlockBytes), 1, .001)
		near(t, cell.Source+" reads", got.ReadShare, cell.ReadShare, .001)
	}
}

// TestPoolCap: 576 requests at a pool that does 160,000 operations per second wait 3.6 ms.
func TestPoolCap(t *testing.T) {
	n := Network{Pools: []Pool{{Name: "p", Ops: QoS(160_000)}}}
	opTime := curve(t, envelope.NFSv3, envelope.Extreme)
	for i := range 6 {
		name := string(rune('a' + i))
		n.Volumes = append(n.Volumes, Volume{Name: name, Pool: "p", OpTime: opTime})
		n.Classes = append(n.Classes, Class{Client: name, Volume: name, Jobs: 96, Block: 4 * kib, Sessions: 16, SessionTime: 30 * us, RTT: .3 * ms})
	}
	got := solve(t, n)
	near(t, "op/s", got.Pools[0].Ops, 160_000, 1)
	for _, f := range got.Flows {
		near(t, "ms", f.RTT/ms, 3.60, 1e-6)
		if f.Bound != PoolLimit {
			t.Errorf("bound by %s", f.Bound)
		}
	}
}

// TestVolumeLimit: a limit is met and not passed, by one class and by classes of different blocks, which wait alike.
func TestVolumeLimit(t *testing.T) {
	v := Volume{Name: "v", OpTime: curve(t, envelope.NFSv3, envelope.Extreme), Bytes: QoS(512 * mib)}
	n := Network{Volumes: []Volume{v}, Classes: []Class{
		{Client: "a", Volume: "v", Jobs: 64, Block: 64 * kib, Sessions: 1, SessionTime: 30 * us, RTT: .3 * ms},
		{Client: "b", Volume: "v", Jobs: 32, Block: 8 * kib, Slots: 16, Sessions: 2, SessionTime: 30 * us, RTT: .3 * ms, Think: 1 * ms},
	}}
	got := solve(t, n)
	near(t, "MiB/s", got.Volumes[0].Bytes/mib, 512, 1e-6)
	near(t, "used", got.Volumes[0].Limited, 1, 1e-8)
	for i, f := range got.Flows {
		near(t, "wait", f.Throttle, got.Volumes[0].Wait, 1e-9)
		if f.Bound != Limit || f.Server < f.Throttle || f.Throttled() < .5 {
			t.Errorf("class %d: %+v", i, f)
		}
	}
	n.Volumes[0].Bytes = Bucket{}
	if free := solve(t, n); free.Volumes[0].Bytes < 512*mib || free.Flows[0].Throttle != 0 {
		t.Errorf("without a limit: %+v", free.Volumes[0])
	}
}
