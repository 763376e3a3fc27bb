package azurenetapp

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
	"github.com/nasight/nasight/simulator/azure"
	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b), 1e-9) }

// The inventory tells pools and volumes in the words of all clouds.
func TestInventory(t *testing.T) {
	l := newLab(t, nil, nil)
	samples := l.good("inventory").Samples
	pools := of(samples, schema.PoolInfo)
	for _, want := range []string{
		"examplenetapp/manual-free,premium,manual,,default,,false,false,ready,",
		"examplenetapp/ultra-idle,ultra,auto,,default,,false,false,ready,",
		"examplenetapp/flexible-idle,flexible,manual,,default,,true,false,ready,",
	} {
		if pools[want] != 1 {
			t.Errorf("no pool %s in %v", want, pools)
		}
	}
	volumes := of(samples, schema.VolumeInfo)
	for _, want := range []string{
		"examplenetapp/manual-free,database,premium,manual,nfsv3,ready,false,false,1,volume",
		"examplenetapp/ultra-idle,media,ultra,auto,nfsv3,smb,ready,false,false,,volume",
	} {
		if volumes[want] != 1 {
			t.Errorf("no volume %s in %v", want, volumes)
		}
	}
	endpoints := of(samples, schema.VolumeEndpointInfo)
	for _, want := range []string{
		"examplenetapp/manual-used,nightly,192.0.2.42,/nightly-jobs,nfsv3",
		"examplenetapp/ultra-idle,media,192.0.2.43,/media,nfsv3",
		"examplenetapp/ultra-idle,media,192.0.2.43,media,smb",
		"examplenetapp/ultra-idle,media,anf-4f1c.example.com,media,smb",
	} {
		if endpoints[want] != 1 {
			t.Errorf("no endpoint %s in %v", want, endpoints)
		}
	}
	for family, want := range map[*schema.Family]float64{
		schema.PoolCapacity: 10 << 40, schema.PoolAllocated: 10 << 40, schema.PoolTotalThroughput: 640 * mib,
		schema.PoolAvailableThroughput: 200 * mib, schema.PoolVolumes: 2,
	} {
		if got := of(samples, family)["examplenetapp/manual-free"]; got != want {
			t.Errorf("%s is %g, want %g", family.Name, got, want)
		}
	}
	if _, told := of(samples, schema.PoolAvailableThroughput)["examplenetapp/ultra-idle"]; told {
		t.Error("a pool with automatic QoS has throughput to give out")
	}
	assigned := of(samples, schema.VolumeAssignedThroughput)
	if _, told := assigned["examplenetapp/ultra-idle,media"]; told || assigned["examplenetapp/manual-free,database"] != 400*mib {
		t.Errorf("assigned are %v", assigned)
	}
	if of(samples, schema.PoolResourceInfo)["examplenetapp/manual-free,netapp"] != 1 {
		t.Error("the resource group is not told")
	}
}

// Every value is what the fleet did in the five minutes that the sample ends.
func TestPerformanceIsWhatTheFleetDid(t *testing.T) {
	l := newLab(t, nil, nil)
	result := l.good("performance")
	placements := map[string]*model.NetAppPlacement{}
	for _, p := range l.server.Model().NetAppVolumes() {
		placements[p.Account.Name+"/"+p.CapacityPool.Name+","+p.NetAppVolume.Name] = p
	}
	checked := map[*schema.Family]int{}
	for _, sample := range slices.Concat(result.Past, result.Samples) {
		if len(sample.Labels) < 6 || sample.Labels[1] != Service || sample.Family == schema.CloudVolumeAge {
			continue
		}
		p := placements[sample.Labels[4]+","+sample.Labels[5]]
		if p == nil {
			continue
		}
		want, ok := truth(l.server.Model(), p, sample)
		if !ok {
			continue
		}
		checked[sample.Family]++
		if !near(sample.Value, want) {
			t.Errorf("%s at %s is %g, want %g", seriesOf(sample), sample.Time.Format(time.TimeOnly), sample.Value, want)
		}
	}
	for _, family := range []*schema.Family{
		schema.VolumeThroughput, schema.VolumeOperations, schema.VolumeLatency, schema.VolumeTotalThroughput, schema.VolumeTotalOperations,
		schema.VolumeMeanLatency, schema.VolumeThroughputLimit, schema.VolumeLimitReached,
	} {
		if want := 12 * len(placements); checked[family] < want {
			t.Errorf("%s: %d values of %d at least", family.Name, checked[family], want)
		}
	}
}

// truth is what a sample has to say.
func truth(m *model.Model, p *model.NetAppPlacement, sample schema.Sample) (value float64, ok bool) {
	at, seconds := sample.Time.Add(-model.Grain), model.Grain.Seconds()
	did := map[model.Op]model.Traffic{}
	var bytes, operations float64
	for _, op := range model.Ops() {
		did[op] = m.Traffic(p.Placement, op, at, sample.Time)
		bytes, operations = bytes+did[op].Bytes, operations+did[op].Operations
	}
	switch sample.Family {
	case schema.VolumeThroughput:
		return did[model.Op(sample.Labels[6])].Bytes / seconds, true
	case schema.VolumeOperations:
		return did[model.Op(sample.Labels[6])].Operations / seconds, true
	case schema.VolumeLatency:
		return did[model.Op(sample.Labels[6])].LatencyMS / 1e3, true
	case schema.VolumeTotalThroughput:
		return bytes / seconds, true
	case schema.VolumeTotalOperations:
		return operations / seconds, true
	case schema.VolumeMeanLatency:
		read, write := did[model.Read], did[model.Write]
		return (read.LatencyMS*read.Operations + write.LatencyMS*write.Operations) / (read.Operations + write.Operations) / 1e3, true
	case schema.VolumeThroughputLimit:
		return p.Limit() * mib, true
	case schema.VolumeLimitReached:
		if m.Held(p.Placement, at) {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

func TestCapacity(t *testing.T) {
	l := newLab(t, nil, nil)
	l.clock.add(10 * time.Minute)
	result := l.good("capacity")
	for family, want := range map[*schema.Family]float64{
		schema.VolumeCapacity: 6 << 40, schema.VolumeUsed: 2500 << 30, schema.VolumeSnapshots: 100 << 30, schema.VolumeInodeUsed: 3_000_000,
	} {
		if got := of(result.Samples, family)["examplenetapp/manual-free,database"]; !near(got, want) {
			t.Errorf("%s is %g, want %g", family.Name, got, want)
		}
	}
	if got := of(result.Samples, schema.PoolUsed)["examplenetapp/manual-free"]; got != 3500<<30 {
		t.Errorf("used of the pool are %g", got)
	}
	if got := of(result.Samples, schema.PoolAssignedThroughput)["examplenetapp/manual-free"]; got != 440*mib {
		t.Errorf("the volumes of the pool have %g", got)
	}
	asked := l.server.Usage().Of("metrics.query")
	l.clock.add(20 * time.Minute)
	l.good("capacity")
	if again := l.server.Usage().Of("metrics.query"); again != asked {
		t.Errorf("%d requests within one hour", again-asked)
	}
}

// The space of a volume that is new is read at the next run, not an hour later.
func TestSpaceOfANewVolume(t *testing.T) {
	l := newLab(t, smallFleet(2), nil)
	remove := l.inject(faults.Fault{Kind: faults.Vanished, Volume: "volume00"})
	l.good("capacity")
	remove()
	l.clock.add(15 * time.Minute)
	l.good("inventory")
	if used := of(l.good("capacity").Samples, schema.VolumeUsed); used[firstVolume] != 100<<30 {
		t.Errorf("used are %v", used)
	}
}

// A volume costs one request in five minutes, and one that is excluded none.
func TestRequests(t *testing.T) {
	l := newLab(t, smallFleet(20), func(c *Config, _ *azure.Options) { c.Exclude = []string{".*/volume1[0-9]"} })
	l.good("performance")
	if n := l.server.Usage().Of("metrics.query"); n != 10 {
		t.Errorf("%d requests", n)
	}
	for range 3 {
		l.clock.add(5 * time.Minute)
		l.good("performance")
		l.good("inventory")
	}
	if n := l.server.Usage().Of("metrics.query"); n != 40 {
		t.Errorf("%d requests after three runs more", n)
	}
	if n := l.server.Usage().Of("volumes.list"); n != 2 {
		t.Errorf("the volumes were listed %d times in 15 minutes", n)
	}
	l.whole(firstTotal)
}

// whole checks that a series has every five minutes from its first ones to the last settled ones.
func (l *lab) whole(series string) {
	l.t.Helper()
	minutes := l.minutes(series)
	for i := 1; i < len(minutes); i++ {
		if minutes[i] != minutes[i-1]+5 {
			l.t.Errorf("%s has nothing from minute %d to %d", series, minutes[i-1], minutes[i])
		}
	}
	last := int(l.clock.Now().Add(-schema.AzureNetAppDelay).Truncate(5*time.Minute).Sub(noon) / time.Minute)
	if len(minutes) == 0 || minutes[len(minutes)-1] != last {
		l.t.Errorf("%s has %v, want up to %d", series, minutes, last)
	}
}

// What was read before a restart is not read as if for the first time.
func TestRestartGoesOn(t *testing.T) {
	l := newLab(t, smallFleet(1), nil)
	l.good("performance")
	l.restart()
	l.clock.add(40 * time.Minute)
	l.good("performance")
	l.whole(firstTotal)
}

func TestSelection(t *testing.T) {
	l := newLab(t, nil, func(c *Config, _ *azure.Options) {
		c.Include = []string{".*/examplenetapp/manual-.*"}
		c.Exclude = []string{".*/manual-used/nightly", ".*0002"}
	})
	volumes := of(l.good("inventory").Samples, schema.VolumeAssignedThroughput)
	want := []string{"examplenetapp/manual-free,database", "examplenetapp/manual-free,warehouse", "examplenetapp/manual-used,archive"}
	var got []string
	for name := range volumes {
		got = append(got, name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
	for _, one := range l.server.Usage().Calls {
		if strings.HasSuffix(one.Subscription, "2") {
			t.Errorf("an excluded subscription was asked: %+v", one)
		}
	}
}

// A sink without times is refused, not filled with wrong ones.
func TestEntriesNeedTimes(t *testing.T) {
	l := newLab(t, smallFleet(1), nil)
	for _, entry := range l.source.Entries() {
		c, err := entry.New(collectors.Root{}, collectors.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Collect(t.Context(), untimed{}); err == nil {
			t.Errorf("%s takes a sink without times", entry.Name)
		}
	}
}

type untimed struct{}

func (untimed) Add(*schema.Family, float64, ...string) {}
func (untimed) Skip(string, int)                       {}
