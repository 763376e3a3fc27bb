package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/fleet"
	"github.com/nasight/nasight/judge"
	"github.com/nasight/nasight/schema"
)

// reads writes what a volume read, by kind, from which its block size is known.
func (s *store) reads(p pool, v volume, block float64) {
	for at := week.From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		s.add(schema.VolumeThroughput, at, v.use(at)*mebi, append(identity(p, v.name), "read")...)
		s.add(schema.VolumeOperations, at, v.use(at)*mebi/block, append(identity(p, v.name), "read")...)
	}
}

// A group reaches what those of its volumes reach together of which that is known, and says how many these are.
func TestReachOfGroups(t *testing.T) {
	s := newStore(t)
	p := pools()[0]
	s.fillGoogle([]pool{p})
	s.reads(p, p.volumes[0], 64<<10)
	s.write()
	w := s.mustBuild(nil)
	short, rich := row(t, w, "volume", "short"), row(t, w, "volume", "rich")
	if !near(short.Reachable, 128*mebi) || !near(short.Reach, float64(short.P99)/(128*mebi)) || rich.Reach.Known() {
		t.Fatalf("short reaches %v of %v, rich %v", short.Reach, short.Reachable, rich.Reach)
	}
	for _, level := range [][2]string{{"pool", "shared-out"}, {"service_level", "premium"}, {"project", "example"}, {"cloud", "gcnv"}} {
		if got := row(t, w, level[0], level[1]); got.Reach != short.Reach || got.Reachable != short.Reachable || got.Reached != 1 || got.Volumes != 2 {
			t.Errorf("%s: reach %v of %v by %d of %d volumes", level[0], got.Reach, got.Reachable, got.Reached, got.Volumes)
		}
	}
	for _, format := range []string{"html", "md"} {
		if text := written(t, w, format); !strings.Contains(text, "(1 of 2)") {
			t.Errorf("%s does not say of how many volumes the reach is", format)
		}
	}
}

// Volumes of a Flex pool share its limit: together they reach no more than that.
func TestReachOfFlexPools(t *testing.T) {
	s := newStore(t)
	p := pools()[2]
	s.fillGoogle([]pool{p})
	for _, v := range p.volumes {
		s.reads(p, v, 64<<10)
	}
	s.write()
	w := s.mustBuild(nil)
	sum := fleet.Unknown
	for _, v := range p.volumes {
		one := row(t, w, "volume", v.name)
		if !one.Reach.Known() {
			t.Fatalf("the reach of %q is not known", v.name)
		}
		sum = sum.Plus(one.P99)
	}
	got := row(t, w, "pool", p.name)
	if !near(got.Reachable, 1024*mebi) || !near(got.Reach, float64(sum)/(1024*mebi)) || got.Reached != 2 {
		t.Errorf("reach %v of %v by %d volumes", got.Reach, got.Reachable, got.Reached)
	}
}

// A share reaches what it provisions, or what its operations bring with its blocks.
func TestReachOfShares(t *testing.T) {
	s := newStore(t)
	s.fillAzure()
	small := []string{"azure", "azurefiles", "subscription", "westeurope", "exampleaccount", "small"}
	for at := week.From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		s.add(schema.SharePeakThroughputRollUp, at, 40*mebi, small...)
		s.add(schema.SharePeakOperationsRollUp, at, 10240, small...)
		s.add(schema.ShareBurstCreditsRollUp, at, 1e6, small...)
	}
	for at := week.To().Add(-4 * time.Hour); !at.After(week.To()); at = at.Add(time.Hour) {
		s.add(schema.ShareInfo, at, 1, append(small[:6:6], "smb", "premium", "available", "2025-06-01T08:00:00Z")...)
		s.add(schema.ShareProvisionedThroughput, at, 600*mebi, small...)
		s.add(schema.ShareProvisionedOperations, at, 6000, small...)
	}
	s.write()
	w := s.mustBuild(nil)
	busy, idle, blocks := row(t, w, "volume", "busy"), row(t, w, "volume", "idle"), row(t, w, "volume", "small")
	if !near(busy.Reachable, 600*mebi) || !near(idle.Reachable, 600*mebi) || idle.Reach != 0 {
		t.Errorf("busy can reach %v, idle %v", busy.Reachable, idle.Reachable)
	}
	if want := 18000 * 4096.0; !near(blocks.Reachable, want) { // bursts of 3 × 6000, blocks of 4 KiB
		t.Errorf("small blocks can reach %v, want %g", blocks.Reachable, want)
	}
	account := row(t, w, "pool", "exampleaccount")
	if want := float64(busy.P99+idle.P99+blocks.P99) / float64(busy.Reachable+idle.Reachable+blocks.Reachable); !near(account.Reach, want) || account.Reached != 3 {
		t.Errorf("the account reaches %v by %d, want %g", account.Reach, account.Reached, want)
	}
	// More than all of its operations are used: no throughput is left by 4 KiB blocks, however little of it is moved.
	if blocks.Idle != 0 || blocks.State != "" || !busy.Idle.Above(500*mebi) || idle.State != "idle" || !near(idle.Idle, 600*mebi) {
		t.Errorf("idle: small %v (%s), busy %v, idle %v (%s)", blocks.Idle, blocks.State, busy.Idle, idle.Idle, idle.State)
	}
}

// A volume with few bytes and many operations is not idle, and one with few of both is.
func TestIdleByOperations(t *testing.T) {
	s := newStore(t)
	p := pools()[0]
	p.volumes = []volume{{"chatty", 128, 2048, steady(1)}, {"quiet", 256, 4096, steady(1)}, {"untold", 64, 1024, steady(1)}}
	for at := week.From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
		for _, v := range p.volumes {
			s.add(schema.VolumeTotalThroughput, at, v.use(at)*mebi, identity(p, v.name)...)
			s.add(schema.VolumeThroughputLimit, at, v.limit*mebi, identity(p, v.name)...)
		}
		s.add(schema.VolumeTotalOperations, at, 900, identity(p, "chatty")...)
		s.add(schema.VolumeTotalOperations, at, 9, identity(p, "quiet")...)
	}
	s.inventory(p, week.To())
	s.write()
	w := s.mustBuild(nil)
	for name, want := range map[string]string{"chatty": "", "quiet": "idle", "untold": "idle"} {
		if got := row(t, w, "volume", name); got.State != want {
			t.Errorf("%s is %q, want %q; %v operations", name, got.State, want, got.Operations)
		}
	}
	if got := row(t, w, "volume", "chatty"); got.Operations != 900 || got.OperationsGranted.Known() {
		t.Errorf("chatty: %v of %v operations", got.Operations, got.OperationsGranted)
	}
	if got := row(t, w, "pool", "shared-out").Operations; got != 909 {
		t.Errorf("the pool did %v operations", got)
	}
}

// Operations of a Flex pool have a limit: where it is used up, no throughput is idle.
func TestIdleOfFlexPools(t *testing.T) {
	for operations, want := range map[float64]float64{16384: 0, 8192: 512} {
		s := newStore(t)
		p := pools()[2]
		p.volumes = p.volumes[:1]
		for at := week.From().Add(5 * time.Minute); !at.After(week.To()); at = at.Add(5 * time.Minute) {
			s.add(schema.VolumeTotalThroughput, at, 64*mebi, identity(p, html)...)
			s.add(schema.VolumeTotalOperations, at, operations, identity(p, html)...)
			s.add(schema.VolumeThroughputLimit, at, 1024*mebi, identity(p, html)...)
		}
		s.inventory(p, week.To())
		s.write()
		w := s.mustBuild(nil)
		if got := row(t, w, "pool", p.name); !near(got.Idle, want*mebi) || !near(got.OperationsGranted, 16384) {
			t.Errorf("%g operations of %v: idle %v, want %g MiB/s", operations, got.OperationsGranted, got.Idle, want)
		}
		if got := row(t, w, "service_level", "flex"); !near(got.Idle, want*mebi) {
			t.Errorf("the level: idle %v", got.Idle)
		}
	}
}

// The percentile that findings and metrics have is that of the report, of the same samples.
func TestFiguresAgree(t *testing.T) {
	s := newStore(t)
	s.fillGoogle(pools())
	s.fillAzure()
	s.write()
	w := s.mustBuild(nil)
	terms := judge.HostTerms(time.Minute)
	terms.Cloud = true
	at := week.To().Add(schema.VolumeTotalThroughput.Delay) // a look reads what has settled
	var err error
	if terms.Profile.Days, err = fleet.LearnDays(t.Context(), s, at, terms.Profile); err != nil {
		t.Fatal(err)
	}
	view, err := terms.View(t.Context(), s, at)
	if err != nil {
		t.Fatal(err)
	}
	p99 := map[string]float64{}
	for _, sample := range judge.Figures(view, nil, terms.Settings) {
		if sample.Family == schema.VolumeWeekP99 {
			p99[sample.Labels[5]] = sample.Value
		}
	}
	compared := 0
	for _, r := range w.Efficiency {
		if metric, known := p99[r.Resource.Volume]; known && r.Level == "volume" && r.Resource.Service == "gcnv" {
			compared++
			if float64(r.P99) != metric {
				t.Errorf("%s: the report's p99 is %v, the metric's %g", r.Resource.Volume, r.P99, metric)
			}
		}
	}
	if compared < 5 {
		t.Errorf("%d volumes were compared: %v", compared, p99)
	}
}
