package plan

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/fleet"
)

// TestNeed follows the published rows of the forecast, and each confounder alone.
func TestNeed(t *testing.T) {
	failover := Defaults()
	failover.FailoverReady = true
	for name, row := range map[string]struct {
		volume  Volume
		options *Options
		need    float64
		why     string
	}{
		"steady":                {Volume{P99: 100, PreviousP99: 100}, nil, 120, "p99 100"},
		"growing":               {Volume{P99: 300, PreviousP99: 200}, nil, 480, "growing by 100 a week"},
		"growth is capped":      {Volume{P99: 300, PreviousP99: 10}, nil, 540, "growing by 150 a week"},
		"falling":               {Volume{P99: 100, PreviousP99: 300}, nil, 120, "p99 100"},
		"no week before":        {Volume{P99: 100, PreviousP99: fleet.Unknown}, nil, 120, "p99 100"},
		"above its limit":       {Volume{P99: 150, PreviousP99: 150, CurrentMiBps: 100}, nil, 180, "p99 150"},
		"client-bound":          {Volume{P99: 100, PreviousP99: 100, Bound: 1.5}, nil, 180, "held back by its client: × 1.5"},
		"client-bound, capped":  {Volume{P99: 100, PreviousP99: 100, Bound: 5}, nil, 240, "held back by its client: × 2"},
		"bound is not a gain":   {Volume{P99: 100, PreviousP99: 100, Bound: 0.5}, nil, 120, "p99 100"},
		"bound is not known":    {Volume{P99: 100, PreviousP99: 100, Bound: fleet.Unknown}, nil, 120, "p99 100"},
		"bound is infinite":     {Volume{P99: 100, PreviousP99: 100, Bound: fleet.Value(math.Inf(1))}, nil, 120, "p99 100"},
		"throttled":             {Volume{P99: 100, PreviousP99: 100, CurrentMiBps: 100, Throttled: true}, nil, 180, "throttled now: taken as 1.5 × its limit, 150"},
		"throttled, needs more": {Volume{P99: 300, PreviousP99: 300, CurrentMiBps: 100, Throttled: true}, nil, 360, "throttled now"},
		"idle":                  {Volume{}, nil, 0, "p99 0"},
		"destination":           {Volume{P99: 100, PreviousP99: 100, ReplicationDestination: true, SourceNeedMiBps: 600}, nil, 120, "replication destination: 600 after a failover"},
		"destination, ready":    {Volume{P99: 100, PreviousP99: 100, ReplicationDestination: true, SourceNeedMiBps: 600}, &failover, 600, "replication destination: its source's need of 600"},
		"source is not known":   {Volume{P99: 100, PreviousP99: 100, ReplicationDestination: true, SourceNeedMiBps: fleet.Unknown}, &failover, 120, "p99 100"},
	} {
		t.Run(name, func(t *testing.T) {
			options := Defaults()
			if row.options != nil {
				options = *row.options
			}
			s := look(row.volume, options)
			if math.Abs(s.need-row.need) > 1e-9 || s.why[len(s.why)-1] != row.why {
				t.Errorf("need %g because of %q; want %g, %q", s.need, s.why, row.need, row.why)
			}
		})
	}
}

// TestThinOrOddDataKeepAVolume also checks that a kept volume's throughput is not shared and that the others are planned.
func TestThinOrOddDataKeepAVolume(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*Volume)
		state  State
		want   string
	}{
		"few days":       {func(v *Volume) { v.Days = 3.5 }, Kept, "insufficient data: 3.5 of 7 days, 3.5 more to wait"},
		"thin":           {func(v *Volume) { v.Coverage = 0.7999 }, Kept, "insufficient data: 79 % of the samples are there, 80 % are needed"},
		"days missing":   {func(v *Volume) { v.Days = fleet.Unknown }, Kept, "insufficient data: how much history there is is not known"},
		"share missing":  {func(v *Volume) { v.Coverage = fleet.Unknown }, Kept, "insufficient data: how much history there is is not known"},
		"p99 missing":    {func(v *Volume) { v.P99 = fleet.Unknown }, Kept, "insufficient data: its 99th percentile or its peak is missing"},
		"peak missing":   {func(v *Volume) { v.Peak = fleet.Unknown }, Kept, "insufficient data: its 99th percentile or its peak is missing"},
		"negative p99":   {func(v *Volume) { v.P99 = -3 }, Kept, "its 99th percentile is -3 MiB/s, which is no throughput"},
		"huge peak":      {func(v *Volume) { v.Peak = 1e300 }, Kept, "its observed peak is 1e+300 MiB/s, which is no throughput"},
		"infinite past":  {func(v *Volume) { v.PreviousP99 = fleet.Value(math.Inf(1)) }, Kept, "its 99th percentile of the week before is +Inf MiB/s, which is no throughput"},
		"negative floor": {func(v *Volume) { v.FloorMiBps = -1 }, Kept, "its floor is -1 MiB/s, which is no throughput"},
		"cap is NaN":     {func(v *Volume) { v.CapMiBps = math.NaN() }, Kept, "its cap is NaN MiB/s, which is no throughput"},
		"no name":        {func(v *Volume) { v.Name = "" }, Kept, "it has no name that a command could use"},
		"limit missing":  {func(v *Volume) { v.CurrentMiBps = fleet.Unknown }, LeftOut, "its limit is not known"},
		"negative limit": {func(v *Volume) { v.CurrentMiBps = -64 }, LeftOut, "its limit is -64 MiB/s, which is no throughput"},
	} {
		t.Run(name, func(t *testing.T) {
			volumes := []Volume{steady("busy", 100, 500), steady("odd", 400, 100)}
			row.change(&volumes[1])
			pool := manual(0)
			pool.AvailableMiBps = 300
			p, err := Build(pool, volumes, Defaults())
			if err != nil {
				t.Fatal(err)
			}
			mustVerify(t, p)
			odd := p.Volumes[1]
			if odd.State != row.state || !slices.Equal(odd.Why, []string{row.want}) {
				t.Errorf("%s because of %q, want %s, %q", odd.State, odd.Why, row.state, row.want)
			}
			if diff := cmp.Diff([]string{volumes[1].Name + ": not changed: " + row.want}, p.Refusals); diff != "" {
				t.Errorf("refusals (-want +got):\n%s", diff)
			}
			if busy := p.Volumes[0]; busy.Propose > 400 || busy.Propose < 340 {
				t.Errorf("the busy volume gets %g of the 400 that are its own or available", float64(busy.Propose))
			}
		})
	}
}

// TestPoolsThatCannotBePlanned gives the reason instead of a plan, and never an error.
func TestPoolsThatCannotBePlanned(t *testing.T) {
	one := []Volume{steady("a", 100, 50)}
	unknown := []Volume{steady("a", 100, 50), steady("b", float64(fleet.Unknown), 50)}
	thin := []Volume{steady("a", 100, 50)}
	thin[0].Days = 1
	auto, other, sizeless := manual(1000), manual(1000), manual(0)
	auto.QoSType, other.QoSType = "AUTO", ""
	auto.Name = "odd name"
	for name, row := range map[string]struct {
		pool    Pool
		volumes []Volume
		want    string
	}{
		"automatic":       {auto, one, "gcloud netapp storage-pools update 'odd name' --project=example --location=europe-west3 --qos-type=manual"},
		"no QoS type":     {other, one, `its QoS type is "", not MANUAL`},
		"no volume":       {manual(1000), nil, "it has no volume"},
		"no size":         {sizeless, one, "its throughput is not known"},
		"limit not known": {manual(1000), unknown, "its throughput is not known"},
		"thin data":       {manual(1000), thin, "no volume has data to plan on"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Build(row.pool, row.volumes, Defaults())
			if err != nil {
				t.Fatal(err)
			}
			if p.Status != Refused || !strings.Contains(p.Reason, row.want) || len(p.Steps) > 0 || p.Certificate != nil {
				t.Errorf("%s, %q, want refused with %q", p.Status, p.Reason, row.want)
			}
			if err := Verify(p.Certificate, p); err == nil {
				t.Error("a plan without a certificate verifies")
			}
		})
	}
}

// TestPoolSize checks which figure is taken, and that a doubt is noted.
func TestPoolSize(t *testing.T) {
	for name, row := range map[string]struct {
		total, available fleet.Value
		want             float64
		notes            int
	}{
		"both agree":         {1000, 900, 1000, 0},
		"within a hundredth": {1000, 905, 1000, 0},
		"total is smaller":   {900, 900, 900, 1},
		"total is larger":    {2000, 900, 1000, 1},
		"no total":           {fleet.Unknown, 900, 1000, 0},
		"total is zero":      {0, 900, 1000, 0},
		"no available":       {1000, fleet.Unknown, 1000, 0},
		"odd total":          {-1, 900, 1000, 1},
		"odd available":      {1000, fleet.Value(math.Inf(1)), 1000, 1},
		"overcommitted":      {90, fleet.Unknown, 90, 1},
	} {
		t.Run(name, func(t *testing.T) {
			pool := manual(float64(row.total))
			pool.AvailableMiBps = row.available
			p, err := Build(pool, []Volume{steady("a", 100, 50)}, Defaults())
			if err != nil {
				t.Fatal(err)
			}
			if float64(p.Capacity) != row.want || len(p.Notes) != row.notes {
				t.Errorf("%g MiB/s, notes %q; want %g and %d", float64(p.Capacity), p.Notes, row.want, row.notes)
			}
			mustVerify(t, p)
		})
	}
}

func TestVolumesListedTwiceAreUsedOnce(t *testing.T) {
	elsewhere := steady("a", 100, 50)
	elsewhere.Location = "europe-west4"
	p, err := Build(manual(1000), []Volume{steady("a", 100, 50), steady("a", 300, 50), elsewhere}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	mustVerify(t, p)
	if len(p.Volumes) != 2 || p.Assigned != 200 || len(p.Notes) != 1 {
		t.Errorf("%d volumes, %g MiB/s assigned, notes %q", len(p.Volumes), float64(p.Assigned), p.Notes)
	}
}

func TestOptionsAreValidated(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for want, change := range map[string]func(*Options){
		"headroom is 0.9":                    func(o *Options) { o.Headroom = 0.9 },
		"headroom is NaN":                    func(o *Options) { o.Headroom = math.NaN() },
		"reserve is -0.1":                    func(o *Options) { o.Reserve = -0.1 },
		"reserve is 1":                       func(o *Options) { o.Reserve = 1 },
		"floor in MiB/s is 0":                func(o *Options) { o.FloorMiBps = 0 },
		"floor is 5000 MiB/s":                func(o *Options) { o.FloorMiBps = 5000 },
		"volume maximum in MiB/s is 0":       func(o *Options) { o.MaxVolume = 0 },
		"large volume maximum in MiB/s is +": func(o *Options) { o.MaxLarge = math.Inf(1) },
		"smallest change in MiB/s is -8":     func(o *Options) { o.MinChangeMiBps = -8 },
		"smallest change as a share is 2":    func(o *Options) { o.MinChangeShare = 2 },
		"least coverage is 80":               func(o *Options) { o.MinCoverage = 80 },
		"least days of data is 0":            func(o *Options) { o.MinDays = 0 },
	} {
		options := Defaults()
		change(&options)
		p, err := Build(manual(1000), nil, options)
		if p != nil || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `pool "pool"`) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// A volume of which too little is known shows in the plan of its pool; one that is fit does not.
func TestInsufficient(t *testing.T) {
	for reason, want := range map[string]bool{
		unfit(Volume{Days: 1, Coverage: 1}, Defaults()):   true,
		unfit(Volume{Days: 7, Coverage: 0.1}, Defaults()): true,
		"its floor is -1 MiB/s, which is no throughput":   false,
		"p99 200": false,
	} {
		p := &Plan{Volumes: []Allocation{{}, {Why: []string{reason}}}}
		if got := p.Insufficient(); got != want {
			t.Errorf("%q: %t", reason, got)
		}
	}
}
