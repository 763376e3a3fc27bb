package detectors

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
)

// joined is a host with a saturated session to a server with one volume that is at its limit.
func joined() (*fleet.Fleet, *fleet.Client, *fleet.Volume) {
	client, endpoint, _ := slowFlow()
	volume := full(aVolume("busy"))
	pool := aPool(levelPremium, "auto", volume)
	mountOn(volume, endpoint.Mounts[0])
	view := cloudView(pool)
	view.Clients = []*fleet.Client{client}
	return view, client, volume
}

// The limit of a volume is the cause of what its hosts see, whether the join names the volume on their side or not.
func TestLimitBlocksWhatHostsSee(t *testing.T) {
	view, client, volume := joined()
	client.CPU.Busy = 0.95
	found := Evaluate(view, DefaultSettings())
	limit := only(t, found, "limit_reached/throughput")
	for _, name := range []string{"client_bound/cpu", "session_saturated/flow"} {
		if diff := cmp.Diff([]string{limit.ID}, only(t, found, name).BlockedBy); diff != "" {
			t.Errorf("%s blocked by (-want +got):\n%s", name, diff)
		}
	}
	// A second volume behind the same server: the endpoint is no single volume's any more.
	other := aMount()
	other.Export, other.Host = "/other", client.Host
	second := quiet("other")
	addTo(volume.Of, second)
	mountOn(second, other)
	endpoint := client.Endpoints[0]
	endpoint.Mounts = append(endpoint.Mounts, other)
	found = Evaluate(view, DefaultSettings())
	flow := only(t, found, "session_saturated/flow")
	if flow.Resource.Pool == "" || flow.Resource.Volume != "" || len(flow.BlockedBy) != 1 {
		t.Errorf("%+v blocked by %v: want the pool named, no volume, and blocked by the limit", flow.Resource, flow.BlockedBy)
	}
	// A host that does not mount the volume is not concerned.
	stranger, strange, _ := slowFlow()
	stranger.Host, strange.Host = "stranger.example.com", "stranger.example.com"
	view.Clients = append(view.Clients, stranger)
	for _, finding := range Evaluate(view, DefaultSettings()) {
		if finding.Resource.Host == stranger.Host && len(finding.BlockedBy) != 0 {
			t.Errorf("%s of a host that mounts another volume is blocked by %v", finding.Name(), finding.BlockedBy)
		}
	}
}

func TestCloudPrecedenceTable(t *testing.T) {
	volume := aPool(levelPremium, "auto", quiet("v")).Volumes[0]
	mount := aMount()
	mount.Host = "client.example.com"
	mountOn(volume, mount)
	limit := chain(Name{LimitReached, VariantThroughput}, volume.Identity)
	limit.Affects = mountsOf(volume)
	host := fleet.Resource{Host: "client.example.com"}
	endpoint := fleet.Resource{Host: "client.example.com", Server: "192.0.2.10", Protocol: "nfs"}
	for _, below := range []Finding{
		chain(Name{ServerUnresponsive, VariantStalled}, endpoint), chain(Name{ClientBound, VariantNetwork}, host),
		chain(Name{SessionSaturated, VariantSlots}, endpoint), chain(Name{ClientBound, VariantPlacement}, mount.Resource()),
		chain(Name{ServerLatency, VariantServer}, endpoint), chain(Name{Anomaly, "level"}, volume.Identity),
	} {
		pair := []Finding{limit, below}
		block(pair)
		if len(pair[0].BlockedBy) != 0 || len(pair[1].BlockedBy) != 1 {
			t.Errorf("%s: blocked by %v, the limit by %v; want the limit to win", below.Name(), pair[1].BlockedBy, pair[0].BlockedBy)
		}
	}
	for _, free := range []Finding{
		chain(Name{PoolThroughputUnused, VariantUnallocated}, volume.Of.Identity), chain(Name{BeyondEnvelope, VariantEnvelope}, volume.Identity),
		chain(Name{HardLimit, VariantCapacity}, volume.Identity), chain(Name{ClientBound, VariantSlotBudget}, fleet.Resource{Cloud: "gcp", Service: "gcnv", Project: "files-example"}),
	} {
		pair := []Finding{limit, free}
		block(pair)
		if len(pair[0].BlockedBy)+len(pair[1].BlockedBy) != 0 {
			t.Errorf("%s competes with the limit: %v, %v", free.Name(), pair[0].BlockedBy, pair[1].BlockedBy)
		}
	}
}

// The inventory may come late or go: what a host sees keeps its id.
func TestIDsDoNotDependOnTheJoin(t *testing.T) {
	view, client, _ := joined()
	with := only(t, Evaluate(view, DefaultSettings()), "session_saturated/flow")
	client.Endpoints[0].Mounts[0].Volume = nil
	view.Pools = nil
	without := only(t, Evaluate(view, DefaultSettings()), "session_saturated/flow")
	if with.ID != without.ID || with.Resource.Volume != "busy" || without.Resource.Volume != "" {
		t.Errorf("%s of %+v, %s of %+v: want one id", with.ID, with.Resource, without.ID, without.Resource)
	}
}

func TestSlotBudgetOfEachProject(t *testing.T) {
	view := budgetView(10, fleet.ProviderGCNV)
	first, second := aPool(levelPremium, "auto", quiet("a")), aPool(levelPremium, "auto")
	second.Identity.Project = "other-example"
	addTo(second, quiet("b"))
	for i, client := range view.Clients {
		pool := []*fleet.Pool{first, second}[i%2]
		mount := aMount()
		mount.Host = client.Host
		mountOn(pool.Volumes[0], mount)
		client.Endpoints[0].Mounts = []*fleet.Mount{mount}
	}
	budgets := func(want map[string]Severity) {
		t.Helper()
		got := map[string]Severity{}
		for _, finding := range Evaluate(view, DefaultSettings()) {
			if finding.Variant == VariantSlotBudget {
				got[finding.Resource.Project] = finding.Severity
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("budgets by project (-want +got):\n%s", diff)
		}
	}
	budgets(map[string]Severity{"files-example": Critical, "other-example": Critical})
	view.Clients = view.Clients[:9] // five and four
	budgets(map[string]Severity{"files-example": Critical, "other-example": Warning})
	for i := range 4 { // what no volume is known of counts on its own beside two projects …
		view.Clients[i].Endpoints[0].Mounts[0].Volume = nil
	}
	budgets(map[string]Severity{"": Warning})
	for _, client := range view.Clients { // … and with the only one
		if mount := client.Endpoints[0].Mounts[0]; mount.Volume != nil {
			mount.Volume = first.Volumes[0]
		}
	}
	budgets(map[string]Severity{"files-example": Critical})
}

// Rules of days are judged when they are due and left alone in between, however many minutes pass.
func TestDailyClock(t *testing.T) {
	view := cloudView(aPool(levelPremium, "manual", idleVolume("home")))
	settings := DefaultSettings()
	lifecycle := NewLifecycle(settings)
	step := func(at time.Duration, due ...Clock) []Finding {
		view.At = noon.Add(at)
		lifecycle.Step(Judge(view, settings, due...))
		return lifecycle.Active()
	}
	state := func(what string, found []Finding, want State) {
		t.Helper()
		if len(found) != 1 || found[0].State != want {
			t.Fatalf("%s: %v, want one finding that is %s", what, found, want)
		}
	}
	if found := step(0); len(found) != 0 {
		t.Fatalf("judged in a minute's round: %v", names(found))
	}
	state("first day", step(time.Minute, Minute, Daily), Pending)
	state("an hour of nothing", step(time.Hour), Pending)
	state("second day", step(24*time.Hour, Minute, Daily), Firing)
	for minute := range 60 {
		state("minutes in between", step(24*time.Hour+time.Duration(minute+1)*time.Minute), Firing)
	}
	data, err := json.Marshal(lifecycle)
	if err != nil {
		t.Fatal(err)
	}
	lifecycle = NewLifecycle(settings)
	if err := json.Unmarshal(data, lifecycle); err != nil {
		t.Fatal(err)
	}
	view.Pools[0].Volumes[0].Days.P99 = 900 * mebibyte
	state("third day, no longer idle", step(48*time.Hour, Daily), Keep)
	state("fourth day", step(72*time.Hour, Daily), Resolved)
}

// A day that could not be judged counts neither way, and days that lie far apart do not add up.
func TestDailyGaps(t *testing.T) {
	for name, row := range map[string]struct {
		between time.Duration
		want    State
	}{"a day was missed": {48 * time.Hour, Firing}, "a week was missed": {7 * 24 * time.Hour, Pending}} {
		view := cloudView(aPool(levelPremium, "manual", idleVolume("home")))
		lifecycle := NewLifecycle(DefaultSettings())
		lifecycle.Step(Judge(view, DefaultSettings(), Daily))
		view.At = noon.Add(row.between)
		lifecycle.Step(Judge(view, DefaultSettings(), Daily))
		if found := lifecycle.Active(); len(found) != 1 || found[0].State != row.want {
			t.Errorf("%s: %v, want %s", name, found, row.want)
		}
	}
	view := cloudView(aPool(levelPremium, "manual", idleVolume("home")))
	lifecycle := NewLifecycle(DefaultSettings())
	for day := range 6 {
		view.At = noon.Add(time.Duration(day) * 24 * time.Hour)
		if day == 2 {
			view.Pools[0].Volumes[0].Days.Coverage = 0.5
		}
		lifecycle.Step(Judge(view, DefaultSettings(), Daily))
	}
	if found := lifecycle.Active(); len(found) != 1 || found[0].State != Firing {
		t.Errorf("four days without samples: %v, want it to go on firing", found)
	}
}

// A volume without samples says nothing about what its hosts see.
func TestThinVolumeHoldsNoHost(t *testing.T) {
	view, client, volume := joined()
	volume.Recent, volume.Throughput = nil, fleet.Unknown
	settings := DefaultSettings()
	settings.For, settings.Keep = 1, 1
	lifecycle := NewLifecycle(settings)
	lifecycle.Step(Judge(view, settings))
	only(t, lifecycle.Active(), "session_saturated/flow")
	client.Endpoints[0].Sessions, client.Endpoints[0].Transports = nil, nil
	view.At = noon.Add(time.Minute)
	lifecycle.Step(Judge(view, settings))
	if found := only(t, lifecycle.Active(), "session_saturated/flow"); found.State != Resolved {
		t.Errorf("%s, want resolved", found.State)
	}
}

// cloudEverything draws a cloud's side with any number anywhere.
func cloudEverything(t *rapid.T) *fleet.Fleet {
	view := everything(t)
	view.Query = func(feature string, _ fleet.Resource) string { return feature }
	mount := view.Clients[0].Endpoints[0].Mounts[0]
	for i := range rapid.IntRange(0, 2).Draw(t, "pools") {
		pool := aPool(rapid.SampledFrom([]string{"standard", "premium", "extreme", "flex", ""}).Draw(t, "level"), rapid.SampledFrom([]string{"auto", "manual", ""}).Draw(t, "qos"))
		pool.Identity.Pool = fmt.Sprintf("pool-%d", i)
		draw(t, reflect.ValueOf(pool).Elem())
		pool.Custom, pool.AutoTiering = rapid.Bool().Draw(t, "custom"), rapid.Bool().Draw(t, "tiering")
		pool.Mode = rapid.SampledFrom([]string{"default", "ontap"}).Draw(t, "mode")
		for j := range rapid.IntRange(0, 2).Draw(t, "volumes") {
			volume := aVolume(fmt.Sprintf("v%d", j))
			draw(t, reflect.ValueOf(volume).Elem())
			volume.Days.Full = rapid.Bool().Draw(t, "full")
			volume.Recent = steady(rapid.IntRange(0, 12).Draw(t, "samples"), 0, 0, 0)
			for k := range volume.Recent {
				draw(t, reflect.ValueOf(&volume.Recent[k]).Elem())
			}
			hour := fleet.Hour{At: noon}
			draw(t, reflect.ValueOf(&hour).Elem())
			volume.Days.Hours = []fleet.Hour{hour}
			addTo(pool, volume)
			if rapid.Bool().Draw(t, "mounted") {
				mountOn(volume, mount)
			}
		}
		view.Pools = append(view.Pools, pool)
	}
	return view
}

func TestCloudFindingsKeepTheirForm(t *testing.T) {
	fired := map[string]int{}
	priced := DefaultSettings()
	priced.Prices = prices()
	rapid.Check(t, func(t *rapid.T) {
		view := cloudEverything(t)
		for _, settings := range []Settings{DefaultSettings(), priced} {
			found := Evaluate(view, settings)
			if diff := cmp.Diff(found, Evaluate(view, settings), sameNumbers()); diff != "" {
				t.Fatalf("evaluated twice (-first +second):\n%s", diff)
			}
			for _, finding := range found {
				fired[finding.Name().String()]++
				checkForm(t, finding, found)
			}
			NewLifecycle(settings).Step(Judge(view, settings, Minute, Daily))
		}
	})
	if fired["limit_reached/throughput"]+fired["hard_limit/capacity"]+fired["hard_limit/inodes"] == 0 {
		t.Error("the views drawn are too tame: not one volume is full or at its limit")
	}
}
