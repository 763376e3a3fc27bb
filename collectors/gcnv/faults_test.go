package gcnv

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator"
	"github.com/nasight/nasight/simulator/faults"
)

const (
	alphaData  = "alpha,europe-west3,pool1,data"
	dataSeries = "nasight_volume_total_throughput_bytes_per_second{gcp,gcnv,alpha,europe-west3,pool1,data}"
)

// expectWhole checks that history has every point of a series from the first to the last, and that there are many.
func (l *lab) expectWhole(series string, least int) {
	l.t.Helper()
	times := l.moments(series)
	if len(times) < least {
		l.t.Fatalf("%s has %d points, want %d or more", series, len(times), least)
	}
	for i := 1; i < len(times); i++ {
		if gap := times[i].Sub(times[i-1]); gap != 5*time.Minute {
			l.t.Errorf("%s lacks what is between %s and %s", series, times[i-1], times[i])
		}
	}
}

// Faults that a repetition cures cost nothing: not a run, not a point.
func TestPassingFaults(t *testing.T) {
	for name, fault := range map[string]faults.Fault{
		"429":             {Kind: faults.TooManyRequests, Times: 3},
		"429 with pause":  {Kind: faults.TooManyRequests, Times: 1, RetryAfter: time.Second, Method: "ListTimeSeries"},
		"503":             {Kind: faults.Unavailable, Times: 3},
		"503 of volumes":  {Kind: faults.Unavailable, Times: 2, Method: "volumes.list"},
		"cut":             {Kind: faults.Cut, Times: 2, Method: "ListTimeSeries"},
		"cut inventory":   {Kind: faults.Cut, Times: 2, Method: "volumes.list"},
		"half page":       {Kind: faults.HalfPage, Times: 2, Method: "volumes.list"},
		"half of series":  {Kind: faults.HalfPage, Times: 2, Method: "ListTimeSeries"},
		"empty page":      {Kind: faults.EmptyPage, Times: 2, Method: "ListTimeSeries"},
		"empty inventory": {Kind: faults.EmptyPage, Times: 2, Method: "volumes.list"},
		"unknown enum":    {Kind: faults.UnknownEnum},
		"unknown field":   {Kind: faults.UnknownField},
		"slow":            {Kind: faults.Latency, Delay: 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, fleetOf("alpha"), nil)
			l.inject(fault)
			l.good("gcnv_inventory")
			l.good("gcnv_performance")
			l.clock.add(5 * time.Minute)
			result := l.good("gcnv_performance")
			if got := of(result.Samples, schema.VolumeTotalThroughput); len(got) != 2 {
				t.Errorf("volumes are %v", got)
			}
			if skipped := result.Skipped; len(skipped) != 0 {
				t.Errorf("skipped %v", skipped)
			}
			l.expectWhole(dataSeries, 6)
		})
	}
}

// A storm of refusals loses nothing once it is over, and the age grows meanwhile.
func TestStormOf429(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.good("gcnv_performance")
	l.source.clients.gate.patience = 20 * time.Millisecond
	calm := l.inject(faults.Fault{Kind: faults.TooManyRequests, Method: "ListTimeSeries", RetryAfter: time.Minute})
	ages := []float64{}
	for range 20 { // an hour and 40 minutes
		l.clock.add(5 * time.Minute)
		result := l.run("gcnv_performance")
		if reasons := of(result.Samples, schema.CloudUnreachable); reasons["alpha,,performance,rate_limited"] != 1 {
			t.Fatalf("reasons are %v, error %v", reasons, result.Err)
		}
		ages = append(ages, of(result.Samples, schema.CloudVolumeAge)[alphaData])
	}
	for i := 1; i < len(ages); i++ {
		if grown := ages[i] - ages[i-1]; grown != 300 {
			t.Fatalf("ages are %v", ages)
		}
	}
	calm()
	l.clock.add(5 * time.Minute)
	l.good("gcnv_performance")
	l.clock.add(5 * time.Minute)
	result := l.good("gcnv_performance")
	l.expectWhole(dataSeries, 25)
	if age := of(result.Samples, schema.CloudVolumeAge)[alphaData]; age > 900 {
		t.Errorf("the age is %g after the storm", age)
	}
	if left := of(result.Samples, schema.CloudUnreachable); len(left) != 0 {
		t.Errorf("%v after the storm", left)
	}
}

// Credentials that were refused are replaced without a restart.
func TestNewCredentials(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), func(_ *Config, o *simulator.Options) { o.Access = map[string][]string{"new": nil} })
	l.token = "old"
	result := l.run("gcnv_performance")
	if reasons := of(result.Samples, schema.CloudUnreachable); reasons["alpha,,performance,authentication"] != 1 {
		t.Fatalf("reasons are %v, error %v", reasons, result.Err)
	}
	if collectors.ReasonOf(result.Err) != collectors.ReasonPermission {
		t.Errorf("the reason of %v is %s", result.Err, collectors.ReasonOf(result.Err))
	}
	if strings.Contains(result.Err.Error(), "old") {
		t.Errorf("the token is in the error: %v", result.Err)
	}
	l.token = "new"
	l.clock.add(5 * time.Minute)
	l.good("gcnv_inventory")
	if got := of(l.good("gcnv_performance").Samples, schema.VolumeTotalThroughput); len(got) != 2 {
		t.Errorf("volumes are %v", got)
	}
}

// One of three projects is forbidden: the others are complete, and why the third is missing can be seen.
func TestOneProjectOfThreeIsForbidden(t *testing.T) {
	l := newLab(t, fleetOf("alpha", "beta", "gamma"), nil)
	l.inject(faults.Fault{Kind: faults.Forbidden, Project: "gamma"})
	inventory, result := l.run("gcnv_inventory"), l.run("gcnv_performance")
	if !errors.Is(result.Err, fs.ErrPermission) || !strings.Contains(result.Err.Error(), "gamma") {
		t.Errorf("the error is %v", result.Err)
	}
	for family, want := range map[*schema.Family]int{schema.VolumeTotalThroughput: 4, schema.VolumeMeanLatency: 4, schema.VolumeThroughput: 12} {
		if got := of(result.Samples, family); len(got) != want {
			t.Errorf("%s has %v", family.Name, sortedKeys(got))
		}
	}
	if got := of(result.Samples, schema.CloudUnreachable); len(got) != 1 || got["gamma,,performance,permission"] != 1 {
		t.Errorf("unreachable are %v", got)
	}
	if got := of(inventory.Samples, schema.CloudUnreachable); len(got) != 1 || got["gamma,,inventory,permission"] != 1 {
		t.Errorf("unreachable are %v", got)
	}
	if got := of(inventory.Samples, schema.PoolInfo); len(got) != 2 {
		t.Errorf("pools are %v", sortedKeys(got))
	}
}

// Without the inventory's permission performance is shown all the same; the pool is not known then.
func TestInventoryIsForbidden(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	for _, method := range []string{"volumes.list", "storagePools.list"} {
		l.inject(faults.Fault{Kind: faults.Forbidden, Method: method})
	}
	got := of(l.good("gcnv_performance").Samples, schema.VolumeTotalThroughput)
	if _, ok := got["alpha,europe-west3,,data"]; !ok {
		t.Errorf("volumes are %v", sortedKeys(got))
	}
}

// What was not told is not added up: the totals wait for the missing types, the reason shows, and the next run has all.
func TestExecutionErrors(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.good("gcnv_performance")
	heal := l.inject(faults.Fault{Kind: faults.ExecutionErrors, Method: "ListTimeSeries"})
	l.clock.add(5 * time.Minute)
	result := l.run("gcnv_performance")
	if got := of(result.Samples, schema.CloudUnreachable); got["alpha,,performance,incomplete"] != 1 {
		t.Errorf("unreachable are %v, error %v", got, result.Err)
	}
	heal()
	l.clock.add(5 * time.Minute)
	l.good("gcnv_performance")
	l.expectWhole(dataSeries, 7)
	truth := l.server.Model().Find("projects/alpha/locations/europe-west3/volumes/data")
	for id, sample := range l.past {
		want, ok := expected(l.server.Model(), truth, sample, sample.Time.Add(-5*time.Minute))
		if ok && sample.Labels[5] == "data" && !near(sample.Value, want) {
			t.Errorf("%s is %g, want %g", id, sample.Value, want)
		}
	}
}

// A location that cannot be reached keeps what was known of it, and shows.
func TestUnreachableLocation(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.good("gcnv_inventory")
	l.inject(faults.Fault{Kind: faults.Unreachable, Location: "europe-west3"})
	l.clock.add(time.Hour)
	result := l.good("gcnv_inventory")
	if got := of(result.Samples, schema.CloudUnreachable); got["alpha,europe-west3,inventory,unavailable"] != 1 {
		t.Errorf("unreachable are %v", got)
	}
	if got := of(result.Samples, schema.VolumeInfo); len(got) != 2 {
		t.Errorf("volumes are %v", sortedKeys(got))
	}
}

// Text where a number belongs costs that number.
func TestWrongTypes(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.inject(faults.Fault{Kind: faults.WrongType})
	result := l.good("gcnv_inventory")
	if got := of(result.Samples, schema.PoolInfo); len(got) != 1 {
		t.Errorf("pools are %v", got)
	}
	if got := of(result.Samples, schema.PoolCapacity); len(got) != 0 {
		t.Errorf("capacities are %v", got)
	}
	if result.Skipped[oddField] == 0 {
		t.Errorf("skipped %v", result.Skipped)
	}
	if got := l.run("gcnv_performance"); len(of(got.Samples, schema.VolumeTotalThroughput)) == 0 && len(got.Skipped) == 0 {
		t.Error("points of another type are neither read nor counted")
	}
}

// Points that come late are read when they come; those that never do leave a gap, not a zero.
func TestLateAndMissingPoints(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.inject(faults.Fault{Kind: faults.Late, Volume: "data", Delay: 12 * time.Minute, Share: 0.3})
	l.inject(faults.Fault{Kind: faults.Missing, Volume: "logs", Share: 0.3})
	for range 30 {
		l.good("gcnv_performance")
		l.clock.add(5 * time.Minute)
	}
	series := "nasight_volume_throughput_bytes_per_second{gcp,gcnv,alpha,europe-west3,pool1,data,read}"
	if n := len(l.moments(series)); n < 30 {
		t.Errorf("%d points of a volume whose points come late", n)
	}
	n := len(l.moments(strings.ReplaceAll(series, "data", "logs")))
	if n < 10 || n > 30 {
		t.Errorf("%d points of a volume that lacks a third", n)
	}
	for id, sample := range l.past {
		if sample.Value == 0 && sample.Family == schema.VolumeThroughput {
			t.Errorf("%s is zero", id)
		}
	}
}

// The first value stays: what is revised after it has settled is not taken, so that history does not contradict itself.
func TestRevisedPoints(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	l.inject(faults.Fault{Kind: faults.Revised, Delay: 3 * time.Minute})
	for range 10 {
		l.good("gcnv_performance") // keep complains about a second value
		l.clock.add(5 * time.Minute)
	}
	l.expectWhole(dataSeries, 10)
}

// A volume that is gone is not shown any more; one that is new is found without waiting for the next inventory.
func TestVolumesComeAndGo(t *testing.T) {
	l := newLab(t, fleetOf("alpha"), nil)
	back := l.inject(faults.Fault{Kind: faults.Vanished, Volume: "logs"})
	l.good("gcnv_inventory")
	l.good("gcnv_performance")
	back()
	l.clock.add(15 * time.Minute)
	if got := of(l.good("gcnv_performance").Samples, schema.VolumeTotalThroughput); len(got) != 2 {
		t.Errorf("volumes are %v", sortedKeys(got))
	}
	l.inject(faults.Fault{Kind: faults.Vanished, Volume: "data"})
	l.clock.add(5 * time.Minute)
	l.good("gcnv_inventory")
	if got := of(l.good("gcnv_performance").Samples, schema.VolumeTotalThroughput); len(got) != 1 {
		t.Errorf("volumes are %v", sortedKeys(got))
	}
}

// A service whose clock is off gives points at its own time: nothing is taken from the future, and nothing breaks.
func TestClockSkew(t *testing.T) {
	for _, skew := range []time.Duration{20 * time.Minute, -20 * time.Minute} {
		l := newLab(t, fleetOf("alpha"), nil)
		l.inject(faults.Fault{Kind: faults.ClockSkew, Delay: skew})
		for range 5 {
			for _, sample := range l.good("gcnv_performance").Samples {
				if sample.Time.After(l.clock.Now()) {
					t.Fatalf("%s at %s, in the future", seriesOf(sample), sample.Time)
				}
			}
			l.clock.add(5 * time.Minute)
		}
	}
}

// The metrics scope of a project brings series of others: they are not taken for its own.
func TestMetricsScope(t *testing.T) {
	fleet := fleetOf("alpha", "beta")
	fleet.Projects[0].MetricsScope = []string{"beta"}
	l := newLab(t, fleet, nil)
	l.good("gcnv_performance") // after it the numbers of the projects are known
	l.clock.add(5 * time.Minute)
	result := l.good("gcnv_performance")
	if got := of(result.Samples, schema.VolumeTotalThroughput); len(got) != 4 {
		t.Errorf("volumes are %v", sortedKeys(got))
	}
	l.expectWhole(dataSeries, 6)
	if result.Skipped[oddProject] == 0 {
		t.Errorf("skipped %v", result.Skipped)
	}
}
