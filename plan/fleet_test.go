package plan

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/detectors"
	"github.com/nasight/nasight/fleet"
)

const mib = 1 << 20

// viewVolume is a volume of a view with a full week of history.
func viewVolume(pool *fleet.Pool, name string, assigned, p99 fleet.Value) *fleet.Volume {
	volume := &fleet.Volume{
		Identity: pool.Identity, Of: pool, Assigned: assigned * mib, Limit: 7 * mib,
		Days: fleet.VolumeDays{
			Coverage: 0.99, Full: true, P99: p99 * mib, P95: fleet.Unknown, Max: p99 * mib, Peak: 1.5 * p99 * mib, PeakDays: 35, Before: fleet.Unknown, Latency: fleet.Unknown,
		},
	}
	volume.Identity.Volume = name
	pool.Volumes = append(pool.Volumes, volume)
	return volume
}

func viewPool(name, qos string) *fleet.Pool {
	return &fleet.Pool{
		Identity: fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "files-example", Location: "europe-west3", Pool: name},
		QoS:      qos, Total: 512 * mib, Available: fleet.Unknown,
	}
}

func TestFromPool(t *testing.T) {
	manual, auto := viewPool("manual", "manual"), viewPool("auto", "auto")
	busy := viewVolume(manual, "busy", 128, 100)
	copied := viewVolume(manual, "copy", 64, 1)
	young := viewVolume(manual, "young", fleet.Unknown, 3)
	source := viewVolume(auto, "source", 200, 150)
	young.Days.Full, young.Days.Coverage = false, 0.5
	copied.Replications = []*fleet.Replication{{Role: "destination", Source: "projects/files-example/locations/europe-west3/volumes/source"}}
	source.Replications = []*fleet.Replication{{Role: "source", Source: "projects/files-example/locations/europe-west3/volumes/source"}}
	busy.Mounts = []*fleet.Mount{{Host: "client-1", Server: "192.0.2.10", Protocol: "nfs"}}
	endpoint := fleet.Resource{Host: "client-1", Server: "192.0.2.10", Protocol: "nfs"}
	gone := endpoint
	gone.Host = "client-2"
	findings := []detectors.Finding{
		{Detector: detectors.LimitReached, Resource: busy.Identity},
		{Detector: detectors.LimitReached, Resource: copied.Identity, State: detectors.Resolved},
		{Detector: detectors.SessionSaturated, Resource: endpoint, Gain: &detectors.Gain{Low: 1.4, High: 3, Unit: "factor"}},
		{Detector: detectors.SessionSaturated, Resource: gone, Gain: &detectors.Gain{Low: 1.9, High: 3, Unit: "factor"}},
		{Detector: detectors.SessionSaturated, Resource: endpoint, Gain: &detectors.Gain{Low: 1e6, High: 1e7, Unit: "bytes per second"}},
	}
	got := FromPool(&fleet.Fleet{Pools: []*fleet.Pool{auto, manual}}, manual, findings, Defaults())
	none := fleet.Unknown
	near := cmp.Comparer(func(a, b fleet.Value) bool { return a.Known() == b.Known() && math.Abs(a.Or(0)-b.Or(0)) < 1e-9 })
	want := Input{
		Pool: Pool{Project: "files-example", Location: "europe-west3", Name: "manual", QoSType: "manual", TotalMiBps: 512, AvailableMiBps: none},
		Volumes: []Volume{
			{Name: "busy", Location: "europe-west3", CurrentMiBps: 128, P99: 100, PreviousP99: none, Peak: 150, PeakDays: 35, Coverage: 0.99, Days: 7,
				Bound: 1.4, Throttled: true, SourceNeedMiBps: none},
			{Name: "copy", Location: "europe-west3", CurrentMiBps: 64, P99: 1, PreviousP99: none, Peak: 1.5, PeakDays: 35, Coverage: 0.99, Days: 7,
				Bound: none, ReplicationDestination: true, SourceNeedMiBps: 180},
			// What the service grants stands in for what the inventory does not tell.
			{Name: "young", Location: "europe-west3", CurrentMiBps: 7, P99: 3, PreviousP99: none, Peak: 4.5, PeakDays: 35, Coverage: 0.5, Days: 3.5,
				Bound: none, SourceNeedMiBps: none},
		},
	}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is missing in the view is missing in the plan's input, and never zero.
func TestFromPoolKeepsMissing(t *testing.T) {
	pool := viewPool("manual", "manual")
	pool.ServiceLevel, pool.Total = "flex", fleet.Unknown
	volume := viewVolume(pool, "new", fleet.Unknown, fleet.Unknown)
	volume.Days.Coverage, volume.Days.Full = fleet.Unknown, false
	volume.Replications = []*fleet.Replication{{Role: "destination", Source: "projects/1/locations/x/volumes/elsewhere"}, {Role: "destination", Source: "odd"}}
	input := FromPool(&fleet.Fleet{Pools: []*fleet.Pool{pool}}, pool, nil, Defaults())
	v := input.Volumes[0]
	for name, value := range map[string]fleet.Value{
		"total": input.Pool.TotalMiBps, "limit, which on Flex is the pool's": v.CurrentMiBps, "p99": v.P99, "peak": v.Peak, "coverage": v.Coverage,
		"days": v.Days, "source's need": v.SourceNeedMiBps,
	} {
		if value.Known() {
			t.Errorf("%s is %g, want it missing", name, float64(value))
		}
	}
	if plan, err := Build(input.Pool, input.Volumes, Defaults()); err != nil || plan.Status != Refused {
		t.Errorf("plan of nothing: %+v, %v", plan, err)
	}
}

// A pool whose figures the API leaves out, as it does of one that is all assigned, has what its capacity brings.
func TestTotalByCapacity(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*fleet.Pool)
		want   fleet.Value
	}{
		"premium":             {func(*fleet.Pool) {}, 384},
		"extreme":             {func(p *fleet.Pool) { p.ServiceLevel = "extreme" }, 768},
		"standard":            {func(p *fleet.Pool) { p.ServiceLevel = "standard" }, 96},
		"a total of zero":     {func(p *fleet.Pool) { p.Total = 0 }, 384},
		"told by the API":     {func(p *fleet.Pool) { p.Total = 100 * mib }, 100},
		"available is told":   {func(p *fleet.Pool) { p.Available = 0 }, fleet.Unknown},
		"flex":                {func(p *fleet.Pool) { p.ServiceLevel = "flex" }, fleet.Unknown},
		"custom":              {func(p *fleet.Pool) { p.Custom = true }, fleet.Unknown},
		"auto-tiering":        {func(p *fleet.Pool) { p.AutoTiering = true }, fleet.Unknown},
		"capacity is unknown": {func(p *fleet.Pool) { p.Capacity = fleet.Unknown }, fleet.Unknown},
	} {
		pool := viewPool("manual", "manual")
		pool.ServiceLevel, pool.Capacity, pool.Total = "premium", 6<<40, fleet.Unknown
		row.change(pool)
		got := FromPool(&fleet.Fleet{}, pool, nil, Defaults()).Pool.TotalMiBps
		if got.Known() != row.want.Known() || got.Known() && got != row.want {
			t.Errorf("%s: %g MiB/s, want %g", name, float64(got), float64(row.want))
		}
	}
}

// A source whose data are thin has no need that could be promised to its copy.
func TestThinSourceHasNoNeed(t *testing.T) {
	pool := viewPool("manual", "manual")
	viewVolume(pool, "source", 200, 150).Days.Coverage = 0.1
	viewVolume(pool, "copy", 64, 1).Replications = []*fleet.Replication{
		{Role: "destination", Source: "projects/files-example/locations/europe-west3/volumes/source"},
	}
	if got := FromPool(&fleet.Fleet{Pools: []*fleet.Pool{pool}}, pool, nil, Defaults()).Volumes[1]; got.SourceNeedMiBps.Known() || !got.ReplicationDestination {
		t.Errorf("%+v", got)
	}
}
