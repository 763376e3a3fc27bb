package simulator_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nasight/nasight/envelope"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/model"
)

const mib = 1 << 20

// The example's truth is all that the rules say about the model: what is planted is found, and nothing else. The rules are
// written down here once more, as plainly as they can be, so that neither side is checked by itself.
func TestTruthIsExact(t *testing.T) {
	epoch := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for seed, after := range map[uint64]time.Duration{1: 0, 2: 50 * time.Minute, 77: 30 * time.Hour} {
		o := newOracle(t, seed, epoch, epoch.Add(after))
		var got []model.Planted
		for _, project := range o.model.Fleet().Projects {
			for _, pool := range project.Pools {
				got = append(got, o.pool(project, pool)...)
			}
		}
		for _, placement := range o.model.Volumes() {
			got = append(got, o.volume(placement)...)
		}
		want := o.model.Fleet().Truth.Findings
		byName := cmpopts.SortSlices(func(a, b model.Planted) bool {
			return a.Detector+a.Variant+a.Pool+a.Volume < b.Detector+b.Variant+b.Pool+b.Volume
		})
		if diff := cmp.Diff(want, got, byName); diff != "" {
			t.Errorf("seed %d, %s after the epoch: planted (-) and found (+) differ:\n%s", seed, after, diff)
		}
	}
}

// oracle judges the model over the seven days before a moment.
type oracle struct {
	t     *testing.T
	model *model.Model
	table *envelope.Table
	at    time.Time
}

func newOracle(t *testing.T, seed uint64, epoch, at time.Time) *oracle {
	t.Helper()
	fleet, err := simulator.Example()
	if err != nil {
		t.Fatal(err)
	}
	table, err := envelope.Load()
	if err != nil {
		t.Fatal(err)
	}
	return &oracle{t: t, model: model.New(fleet, seed, epoch), table: table, at: at.Truncate(model.Grain)}
}

// week gives MiB/s and operations per second of some volumes together, oldest first, ending `ago` before the moment.
func (o *oracle) week(volumes []*model.Placement, ago time.Duration) (throughput, iops []float64) {
	end := o.at.Add(-ago)
	for at := end.Add(-7 * 24 * time.Hour); at.Before(end); at = at.Add(model.Grain) {
		var bytes, operations float64
		for _, volume := range volumes {
			for _, op := range model.Ops() {
				traffic := o.model.Traffic(volume, op, at, at.Add(model.Grain))
				bytes += traffic.Bytes
				operations += traffic.Operations
			}
		}
		throughput = append(throughput, bytes/mib/model.Grain.Seconds())
		iops = append(iops, operations/model.Grain.Seconds())
	}
	return throughput, iops
}

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(q*float64(len(sorted)-1))]
}

func (o *oracle) forecast(volumes []*model.Placement) float64 {
	now, _ := o.week(volumes, 0)
	before, _ := o.week(volumes, 7*24*time.Hour)
	p99 := quantile(now, 0.99)
	return p99 + min(max(0, p99-quantile(before, 0.99)), 0.5*p99)
}

func (o *oracle) volumesOf(pool *model.Pool) []*model.Placement {
	var of []*model.Placement
	for _, placement := range o.model.Volumes() {
		if placement.Pool == pool {
			of = append(of, placement)
		}
	}
	return of
}

func (o *oracle) pool(project *model.Project, pool *model.Pool) (found []model.Planted) {
	fire := func(fires bool, detector, variant string) {
		if fires {
			found = append(found, model.Planted{Detector: detector, Variant: variant, Project: project.ID, Location: pool.Location, Pool: pool.Name})
		}
	}
	volumes := o.volumesOf(pool)
	if len(volumes) == 0 {
		return nil
	}
	throughput, iops := o.week(volumes, 0)
	need, needIOPS := 1.2*quantile(throughput, 0.99), 1.2*quantile(iops, 0.99)
	total := pool.Throughput()
	const unused = "pool_throughput_unused"
	fire(pool.QoS == model.Manual && pool.Available()/total >= 0.1 && pool.Available() >= 64, unused, "unallocated")
	if pool.ServiceLevel != model.Flex {
		capacity := float64(pool.CapacityGiB)
		least := max(float64(pool.Allocated()), math.Ceil(need*1024/pool.Rate()), 2048)
		fire((capacity-least)/capacity >= 0.1 && (capacity-least)*0.3 >= 50, unused, "stranded_capacity")
		fire(pool.ServiceLevel == model.Extreme && need <= capacity*64/1024, unused, "level_change")
		return found
	}
	last := iops[len(iops)-4:]
	if pool.CustomPerformance {
		enough := max(64, math.Ceil(need))
		saving := (total-enough)*1.60 + (max(pool.IOPS(), 1024)-max(16*enough, math.Ceil(needIOPS), 1024))*0.0168
		fire(saving >= 50, unused, "flex_custom")
		fire(atLeast(last, 0.95*pool.IOPS()) >= 3, "limit_reached", "iops")
	}
	fire(atLeast(throughput[len(throughput)-4:], 0.9*total) >= 3, "limit_reached", "throughput")
	return found
}

func atLeast(values []float64, threshold float64) int {
	n := 0
	for _, value := range values {
		if value >= threshold {
			n++
		}
	}
	return n
}

func (o *oracle) volume(p *model.Placement) (found []model.Planted) {
	fire := func(fires bool, detector, variant string) {
		if fires {
			found = append(found, model.Planted{
				Detector: detector, Variant: variant, Project: p.Project.ID, Location: p.Location(), Pool: p.Pool.Name, Volume: p.Volume.Name,
			})
		}
	}
	space := o.model.Space(p, o.at)
	fire(float64(space.Used)/float64(space.Allocated) >= 0.8, "hard_limit", "capacity")
	fire(float64(space.Inodes)/float64(space.InodeLimit) >= 0.8, "hard_limit", "inodes")
	if p.Pool.Shared() {
		return found
	}
	limit := p.Limit()
	alone := []*model.Placement{p}
	throughput, _ := o.week(alone, 0)
	slack := limit - 1.2*o.forecast(alone)
	variant := "auto_qos"
	if p.Pool.QoS == model.Manual {
		variant = "allocated_unused"
	}
	fire(slack/limit >= 0.5 && slack >= 32 && slices.Max(throughput) <= 0.8*limit, "pool_throughput_unused", variant)
	fire(o.throttled(p, throughput), "limit_reached", "throughput")
	most := 4608.0
	if p.Volume.LargeCapacity {
		most = 30720
	}
	fire(limit > most, "beyond_envelope", "volume_maximum")
	fire(!p.Volume.LargeCapacity && limit > 1.25*o.ceiling(p), "beyond_envelope", "envelope")
	return found
}

// throttled is the rule on utilisation alone, and the one on utilisation with latency.
func (o *oracle) throttled(p *model.Placement, throughput []float64) bool {
	limit, last := p.Limit(), throughput[len(throughput)-4:]
	var latencies []float64
	for at := o.at.Add(-7 * 24 * time.Hour); at.Before(o.at); at = at.Add(model.Grain) {
		latencies = append(latencies, o.model.Traffic(p, model.Read, at, at.Add(model.Grain)).LatencyMS)
	}
	slow := 0
	for i := len(latencies) - 4; i < len(latencies); i++ {
		if throughput[i] >= 0.9*limit && latencies[i] >= 1.5*quantile(latencies, 0.5) {
			slow++
		}
	}
	return slow >= 3 || atLeast(last, 0.98*limit) >= 3
}

func (o *oracle) ceiling(p *model.Placement) float64 {
	o.t.Helper()
	protocol := envelope.NFSv3
	if p.Volume.Protocols[0] == "SMB" {
		protocol = "smb"
	}
	ceiling, err := o.table.Ceiling(envelope.Query{
		Protocol: protocol, Level: "extreme", BlockBytes: p.Volume.Load.BlockKiB * 1024, ReadShare: p.Volume.Load.ReadShare(),
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return ceiling.BytesPerSecond / mib
}
