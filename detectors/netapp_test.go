package detectors

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nasight/nasight/fleet"
)

// anfPool is a pool of Azure NetApp Files.
func anfPool(level, qos string, volumes ...*fleet.Volume) *fleet.Pool {
	pool := aPool(level, qos)
	pool.Identity = fleet.Resource{Cloud: "azure", Service: "azurenetapp", Project: "subscription-1", Location: "westeurope", Pool: "account/pool-a"}
	pool.ResourceGroup = "netapp"
	for _, volume := range volumes {
		addTo(pool, volume)
	}
	return pool
}

// heldCase is an hour of samples, the last four of which are as given: b held back, n not, ? untold.
func heldCase(utilisation, latency fleet.Value, last4 string) ([]fleet.Held, []LimitSample) {
	held, samples := make([]fleet.Held, 12), make([]LimitSample, 12)
	for i := range samples {
		held[i], samples[i] = fleet.HeldNot, LimitSample{utilisation, latency}
		if i >= 8 {
			held[i] = map[byte]fleet.Held{'b': fleet.HeldBack, 'n': fleet.HeldNot, '?': fleet.HeldUntold}[last4[i-8]]
		}
	}
	return held, samples
}

func TestHeldTable(t *testing.T) {
	for _, row := range []struct {
		name        string
		utilisation fleet.Value
		latency     fleet.Value
		last4       string
		severity    Severity
		waiting     bool
	}{
		{"held in all four", 1, 1.5 * ms, "bbbb", Warning, false},
		{"held in three", 1, 1.5 * ms, "nbbb", Warning, false},
		{"held in two", 1, 1.5 * ms, "nnbb", 0, false},
		{"held for moments, the mean is low", 0.4, 1.5 * ms, "bbbb", Warning, false},
		{"near its limit and never held", 0.99, 1.5 * ms, "nnnn", 0, false},
		{"slow and never held", 0.95, 9 * ms, "nnnn", 0, false},
		{"held and slow", 1, 3 * ms, "bbbb", Warning, true},
		{"held and five times as slow", 1, 7.5 * ms, "bbbb", Critical, true},
		{"one is late", 1, 1.5 * ms, "bbb?", Warning, false},
		{"two are late", 1, 1.5 * ms, "bb??", 0, false},
		{"nothing is told: inferred", 1, 1.5 * ms, "????", Warning, false},
		{"nothing is told, and nothing shows", 0.5, 1.5 * ms, "????", 0, false},
		{"no numbers beside it", fleet.Unknown, fleet.Unknown, "bbbb", Warning, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			held, samples := heldCase(row.utilisation, row.latency, row.last4)
			v := JudgeHeld(held, samples, 1.5*ms, DefaultSettings().Limit)
			if v.Severity != row.severity || v.Waiting != row.waiting || v.Told == (row.last4 == "????") {
				t.Errorf("%+v: want severity %v, waiting %v", v, row.severity, row.waiting)
			}
		})
	}
	if v := JudgeHeld(nil, nil, 1, DefaultSettings().Limit); v.Severity != 0 {
		t.Errorf("no samples give %+v", v)
	}
}

// heldVolume is a volume that its service says it holds back.
func heldVolume(name string) *fleet.Volume {
	volume := full(aVolume(name))
	for i := range volume.Recent {
		volume.Recent[i].Held = fleet.HeldBack
	}
	return volume
}

func TestHeldVolumeOfAzureNetApp(t *testing.T) {
	pool := anfPool(levelPremium, "manual", heldVolume("data"), quiet("other"))
	pool.Available, pool.Volumes[0].Assigned, pool.Volumes[1].Assigned = 200*mebibyte, 512*mebibyte, 512*mebibyte
	found := only(t, Evaluate(cloudView(pool), DefaultSettings()), "limit_reached/throughput")
	if found.Resource.Volume != "data" || found.Confidence < 0.95 || strings.Contains(found.Summary, "inferred") ||
		!strings.Contains(found.Summary, "says that it held it at its limit in 4 of the last 4") {
		t.Errorf("%v of %s: %s", found.Confidence, found.Resource.Volume, found.Summary)
	}
	const want = "az netappfiles volume update --subscription subscription-1 -g netapp --account-name account --pool-name pool-a --name data --throughput-mibps 712"
	if found.Remedy[0].Command != want {
		t.Errorf("the command is %s", found.Remedy[0].Command)
	}
	if plan := found.Remedy[1].Command; plan != "nasight plan --pool account/pool-a" {
		t.Errorf("the plan is %s", plan)
	}
	for _, remedy := range found.Remedy {
		if strings.Contains(remedy.Command, "gcloud") {
			t.Errorf("a command for another cloud: %s", remedy.Command)
		}
	}
}

// A volume near its limit that the service never held back is healthy, where Google's would not be.
func TestNearAndNotHeldIsHealthy(t *testing.T) {
	volume := full(aVolume("data"))
	for i := range volume.Recent {
		volume.Recent[i].Held = fleet.HeldNot
	}
	if found := Evaluate(cloudView(anfPool(levelPremium, "auto", volume)), DefaultSettings()); !without(found, "limit_reached/throughput") {
		t.Errorf("found %v", found)
	}
}

func TestCapacityInTebibytes(t *testing.T) {
	limits := DefaultSettings().Pool
	for _, row := range []struct {
		number             int
		level              string
		gib, volumes, need float64 // need in MiB/s
		price              fleet.Value
		least, stranded    float64
		fires              bool
	}{
		{1, levelPremium, 20_480, 8_192, 428, 0.30, 8_192, 12_288, true},
		{2, levelPremium, 9_216, 8_704, 300, 0.30, 9_216, 0, false},           // half a TiB is not sold
		{3, levelPremium, 10_240, 8_192, 600, 0.30, 10_240, 0, false},         // the throughput needs all of it
		{4, levelUltra, 10_240, 1_000, 100, 0.50, 1_024, 9_216, true},         // one TiB is the least
		{5, levelStandard, 2_048, 500, 10, fleet.Unknown, 1_024, 1_024, true}, // without a price
		{6, levelStandard, 2_048, 500, 10, 0.01, 1_024, 1_024, false},         // 10 USD are no matter
	} {
		t.Run(fmt.Sprint(row.number), func(t *testing.T) {
			v := JudgeCapacityTiB(CapacityCase{fleet.Value(row.gib), fleet.Value(row.volumes), fleet.Value(row.need) * mebibyte, rateOf(row.level), row.price}, limits)
			if v.Least != fleet.Value(row.least) || v.Stranded != fleet.Value(row.stranded) || v.Fires != row.fires {
				t.Errorf("%+v, want least %g, stranded %g, fires %v", v, row.least, row.stranded, row.fires)
			}
		})
	}
}

func TestFlexibleTable(t *testing.T) {
	limits := DefaultSettings().Pool
	for _, row := range []struct {
		name        string
		has, need   fleet.Value // MiB/s
		price       fleet.Value
		mibps, idle float64
		fires       bool
	}{
		{"idle", 1_024, 204.2, fleet.Unknown, 205, 819, true},
		{"fitting", 256, 243, fleet.Unknown, 243, 13, false},
		{"no more than what is included", 128, 5, fleet.Unknown, 128, 0, false},
		{"worth it", 1_024, 204, 0.3, 204, 820, true},
		{"not worth it", 1_024, 204, 0.01, 204, 820, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			v := JudgeFlexible(FlexibleCase{row.has * mebibyte, row.need * mebibyte, row.price}, limits)
			if v.MiBps != row.mibps || v.Idle != fleet.Value(row.idle)*mebibyte || v.Fires != row.fires {
				t.Errorf("%+v", v)
			}
		})
	}
	if v := JudgeFlexible(FlexibleCase{fleet.Unknown, 1, fleet.Unknown}, limits); v.Fires {
		t.Error("a pool of which nothing is known fires")
	}
}

func TestLowerLevels(t *testing.T) {
	for _, row := range []struct {
		pool *fleet.Pool
		want string
	}{
		{anfPool(levelUltra, "auto"), levelPremium}, {anfPool(levelPremium, "auto"), levelStandard}, {anfPool(levelStandard, "auto"), ""},
		{anfPool(levelFlexible, "manual"), ""}, {anfPool("hyper", "telepathic"), ""},
		{aPool(levelExtreme, "auto"), levelPremium}, {aPool(levelPremium, "auto"), ""}, {aPool(levelUltra, "auto"), ""},
	} {
		if got := lowerLevel(row.pool); got != row.want {
			t.Errorf("of %s %s it is %q, want %q", row.pool.Identity.Service, row.pool.ServiceLevel, got, row.want)
		}
	}
}

// unusedANF is an idle pool of 10 TiB with one volume of a week's history.
func unusedANF(level, qos string) *fleet.Pool {
	volume := idleVolume("home")
	volume.Capacity = 10 * tebibyte
	pool := anfPool(level, qos, volume)
	pool.Capacity, pool.Allocated, pool.Total = 10*tebibyte, 10*tebibyte, fleet.Value(10*1024*rateOf(level))
	pool.Days = fleet.PoolDays{P99: volume.Days.P99, IOPSP99: fleet.Unknown}
	return pool
}

func TestUnusedThroughputOfAzureNetApp(t *testing.T) {
	found := Evaluate(cloudView(unusedANF(levelUltra, "auto")), DefaultSettings())
	change := only(t, found, "pool_throughput_unused/level_change")
	for _, want := range []string{
		"az netappfiles pool create --subscription subscription-1 -g netapp --account-name account --name pool-a-premium --location westeurope --size 10 --service-level Premium --qos-type Auto",
		"az netappfiles volume pool-change --subscription subscription-1 -g netapp --account-name account --pool-name pool-a --name home --new-pool-resource-id " +
			"/subscriptions/subscription-1/resourceGroups/netapp/providers/Microsoft.NetApp/netAppAccounts/account/capacityPools/pool-a-premium",
	} {
		if !strings.Contains(change.Remedy[0].Command, want) {
			t.Errorf("no %s in\n%s", want, change.Remedy[0].Command)
		}
	}
	auto := only(t, found, "pool_throughput_unused/auto_qos")
	if !strings.HasPrefix(auto.Remedy[0].Command, "az netappfiles pool update --subscription subscription-1 -g netapp --account-name account --name pool-a --qos-type Manual\n") {
		t.Errorf("the command is %s", auto.Remedy[0].Command)
	}
	if !without(found, "beyond_envelope/envelope") {
		t.Error("it is judged by measurements of another service")
	}
}

// With the cool tier throughput follows other rules: money is not spoken of.
func TestCoolAccessIsNotJudgedByCapacity(t *testing.T) {
	pool := unusedANF(levelUltra, "auto")
	pool.AutoTiering = true
	if found := Evaluate(cloudView(pool), DefaultSettings()); !without(found, "pool_throughput_unused/level_change") || !without(found, "pool_throughput_unused/stranded_capacity") {
		t.Errorf("found %v", found)
	}
}

func TestUnknownLevelIsNotJudged(t *testing.T) {
	for _, finding := range Evaluate(cloudView(unusedANF("hyper", "telepathic")), DefaultSettings()) {
		if finding.Variant != VariantAutoQoS {
			t.Errorf("found %s: %s", finding.Name(), finding.Summary)
		}
	}
}

func TestFlexiblePoolOfAzureNetApp(t *testing.T) {
	pool := unusedANF(levelFlexible, "manual")
	pool.Custom, pool.Total, pool.Volumes[0].Assigned = true, 1_024*mebibyte, 900*mebibyte
	found := only(t, Evaluate(cloudView(pool), DefaultSettings()), "pool_throughput_unused/flex_custom")
	command := found.Remedy[0].Command
	for _, want := range []string{"nasight plan --pool account/pool-a\n", "az rest --method patch --url ", "capacityPools/pool-a?api-version=2025-09-01", `"customThroughputMibps": `} {
		if !strings.Contains(command, want) {
			t.Errorf("no %s in %s", want, command)
		}
	}
	if !strings.HasPrefix(found.Remedy[0].Caveat, "Its volumes hold ") {
		t.Errorf("the caveat is %s", found.Remedy[0].Caveat)
	}
}

// A smaller pool has to have what its volumes were given by hand.
func TestManualPoolKeepsWhatItGaveOut(t *testing.T) {
	for assigned, fires := range map[fleet.Value]bool{100: true, 600: false} {
		pool := unusedANF(levelPremium, "manual")
		pool.Volumes[0].Capacity, pool.Allocated = tebibyte, tebibyte
		pool.Volumes[0].Assigned = assigned * mebibyte
		if got := !without(Evaluate(cloudView(pool), DefaultSettings()), "pool_throughput_unused/stranded_capacity"); got != fires {
			t.Errorf("with %v MiB/s given out it fires: %v", assigned, got)
		}
	}
}

func TestSpaceOfAzureNetApp(t *testing.T) {
	volume := quiet("data")
	volume.Capacity, volume.Used = 4096*gibibyte, 3500*gibibyte
	found := only(t, Evaluate(cloudView(anfPool(levelStandard, "auto", volume)), DefaultSettings()), "hard_limit/capacity")
	if !strings.HasSuffix(found.Remedy[0].Command, "--pool-name pool-a --name data --usage-threshold 4375") {
		t.Errorf("the command is %s", found.Remedy[0].Command)
	}
}
