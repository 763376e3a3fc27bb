package detectors

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nasight/nasight/fleet"
)

// drawTrouble draws pools and shares to which much happens at once: short of space, inodes, throughput and operations, and idle.
func drawTrouble(t *rapid.T) *fleet.Fleet {
	view := cloudView()
	for i := range rapid.IntRange(1, 3).Draw(t, "pools") {
		pool := drawPool(t)
		pool.Identity.Pool += fmt.Sprintf("-%d", i)
		for _, volume := range pool.Volumes {
			volume.Identity.Pool = pool.Identity.Pool
		}
		view.Pools = append(view.Pools, pool)
	}
	account := anAccount()
	account.Billing = rapid.SampledFrom([]string{fleet.BillingV1, fleet.BillingV2}).Draw(t, "billing")
	for i := range 3 {
		share := drawShare(t, fmt.Sprint("share-", i))
		share.Identity, share.Of = account.Identity, account
		share.Identity.Volume = fmt.Sprint("share-", i)
		account.Shares = append(account.Shares, share)
	}
	view.Accounts = []*fleet.Account{account}
	return view
}

func drawPool(t *rapid.T) *fleet.Pool {
	one := func(name string, values ...float64) fleet.Value {
		return fleet.Value(rapid.SampledFrom(values).Draw(t, name))
	}
	pool := aPool(rapid.SampledFrom([]string{"standard", "premium", "extreme", "flex"}).Draw(t, "level"), rapid.SampledFrom([]string{"auto", "manual"}).Draw(t, "qos"))
	if rapid.IntRange(0, 3).Draw(t, "netapp") == 0 {
		pool = anfPool(rapid.SampledFrom([]string{"premium", "ultra", "flexible"}).Draw(t, "azure level"), "manual")
	}
	pool.Custom = rapid.Bool().Draw(t, "custom")
	sum := fleet.Value(0)
	for i := range rapid.IntRange(1, 4).Draw(t, "volumes") {
		volume := quiet(fmt.Sprint("v", i))
		if rapid.Bool().Draw(t, "at its limit") {
			volume = full(volume)
		}
		volume.Capacity = one("size", 200, 1024, 4096) * gibibyte
		volume.Used = volume.Capacity * one("used", 0.3, 0.85, 0.97)
		volume.InodeLimit = volume.Capacity / (32 << 10)
		volume.InodeUsed = volume.InodeLimit * one("inodes", 0.1, 0.85, 0.97)
		volume.Assigned = one("assigned", 64, 512, 5000) * mebibyte
		volume.Days.P99 = one("p99", 1, 100, 480) * mebibyte
		volume.Days.Max, volume.Days.Before = volume.Days.P99*one("peak", 1, 1.3), volume.Days.P99
		volume.Days.Hours = []fleet.Hour{{At: noon, Throughput: volume.Days.P99, Operations: 5000, Block: 4096, ReadShare: 0.5}}
		sum += volume.Capacity
		addTo(pool, volume)
	}
	pool.Allocated, pool.Capacity = sum, sum*one("room", 1, 1.1, 4)
	pool.Available, pool.Total, pool.IOPS = one("available", 0, 100, 3000)*mebibyte, one("total", 512, 4000)*mebibyte, 16_000
	pool.Days.P99, pool.Days.Max, pool.Days.IOPSP99, pool.Days.IOPSMax = one("pool p99", 10, 400)*mebibyte, 480*mebibyte, 1000, 1200
	for i := range pool.Recent {
		pool.Recent[i].Operations = one("operations", 100, 15_900)
	}
	return pool
}

func drawShare(t *rapid.T, name string) *fleet.Share {
	share := aShare(name)
	share.IOPS, share.Throughput = 20_000, 1000*mebibyte
	share.Used = share.Quota * fleet.Value(rapid.SampledFrom([]float64{0.1, 0.5, 0.9}).Draw(t, "used"))
	share.Days.Growth = share.Quota / fleet.Value(rapid.SampledFrom([]float64{1e9, 8e5}).Draw(t, "days")) // in seconds
	for _, use := range []*fleet.ShareUse{&share.Days.Operations, &share.Days.Throughput} {
		idle := fleet.Value(rapid.SampledFrom([]float64{0.01, 0.9}).Draw(t, "use"))
		use.P99, use.Before, use.Max = idle*20_000, idle*20_000, idle*20_000
		if use == &share.Days.Throughput {
			use.P99, use.Before, use.Max = idle*1000*mebibyte, idle*1000*mebibyte, idle*1000*mebibyte
		}
	}
	busy(share, fleet.Value(rapid.SampledFrom([]float64{100, 19_900, 60_000}).Draw(t, "peak")), fleet.Value(rapid.SampledFrom([]float64{1, 999}).Draw(t, "bytes"))*mebibyte, fleet.Unknown)
	for i := range share.Load.Recent { // spent fast
		share.Load.Recent[i].Credits = fleet.Value(1e7 - 5e5*float64(i))
	}
	share.Load.Egress, share.Load.Ingress = 400*mebibyte, 400*mebibyte
	return share
}

// now is what a setting is at present.
func now(view *fleet.Fleet, of Setting) float64 {
	for _, pool := range view.Pools {
		if pool.Identity == of.Resource {
			return map[Property]float64{SetSize: float64(pool.Capacity) / gibibyte, SetThroughput: float64(pool.Total) / mebibyte, SetOperations: float64(pool.IOPS)}[of.Property]
		}
		for _, volume := range pool.Volumes {
			if volume.Identity == of.Resource {
				return map[Property]float64{SetSize: float64(volume.Capacity) / gibibyte, SetThroughput: float64(volumeLimit(volume)) / mebibyte}[of.Property]
			}
		}
	}
	for _, share := range view.Accounts[0].Shares {
		if share.Identity == of.Resource {
			return map[Property]float64{SetSize: float64(share.Quota) / gibibyte, SetThroughput: float64(share.Throughput) / mebibyte, SetOperations: float64(share.IOPS)}[of.Property]
		}
	}
	return math.NaN()
}

// TestOneNumberForEachSetting: whatever is found at once, no two findings set the same property of a resource to different numbers, or
// one up and another down. An alternative ("or make the pool larger") may go further than what has to be done, the same way.
func TestOneNumberForEachSetting(t *testing.T) {
	type key struct {
		resource fleet.Resource
		property Property
	}
	twice := map[Property]int{}
	rapid.Check(t, func(t *rapid.T) {
		view := drawTrouble(t)
		first, down := map[key]float64{}, map[key]bool{}
		findings := Evaluate(view, DefaultSettings())
		for _, finding := range findings {
			for i, remedy := range finding.Remedy {
				for _, set := range remedy.Sets {
					at := key{set.Resource, set.Property}
					if !strings.Contains(remedy.Command, set.Command) || !strings.Contains(remedy.Caveat, set.Said) || !strings.Contains(set.Command, fmt.Sprintf("%.0f", set.To)) && set.Resource.Service != "azurenetapp" {
						t.Fatalf("%s: %+v is not what its command does", finding.ID, set)
					}
					if was, told := down[at]; told && was != (set.To < now(view, set)) {
						t.Fatalf("%s sets %v the other way than another finding: %g, now %g", finding.ID, at, set.To, now(view, set))
					}
					down[at] = set.To < now(view, set)
					main := i == 0 || set.Property != SetSize
					if was, told := first[at]; told && main {
						twice[set.Property]++
						if was != set.To {
							t.Fatalf("%s sets %v to %g, another finding to %g", finding.ID, at, set.To, was)
						}
					}
					if main {
						first[at] = set.To
					}
				}
			}
		}
		for _, finding := range findings {
			for i, remedy := range finding.Remedy {
				for _, set := range remedy.Sets {
					if was, told := first[key{set.Resource, set.Property}]; told && i > 0 && (set.To > now(view, set)) && set.To < was {
						t.Fatalf("%s: the alternative of %g is less than the %g that are asked for", finding.ID, set.To, was)
					}
				}
			}
		}
	})
	for _, property := range []Property{SetSize, SetThroughput, SetOperations} {
		if twice[property] == 0 {
			t.Errorf("no two findings advise on the same %s: the test says little", property)
		}
	}
}

// Two volumes of a pool without room that are both too small: one command makes the pool large enough for both.
func TestOnePoolForTwoVolumes(t *testing.T) {
	volumes := []*fleet.Volume{quiet("full"), quiet("many-files")}
	for _, volume := range volumes {
		volume.Capacity, volume.Used, volume.InodeLimit, volume.InodeUsed = 4096*gibibyte, 1000*gibibyte, 127_506_841, 1e6
	}
	volumes[0].Used, volumes[1].InodeUsed = 3500*gibibyte, 109e6
	pool := aPool(levelStandard, "auto", volumes...)
	pool.Capacity, pool.Allocated = 17408*gibibyte, 17408*gibibyte
	findings := Evaluate(cloudView(pool), DefaultSettings())
	for name, other := range map[string]string{"hard_limit/capacity": "many-files", "hard_limit/inodes": "full"} {
		remedy := only(t, findings, name).Remedy[0]
		want := "The pool has not the room: it grows by 342 GiB first, once for this volume and " + other + " together, which costs money."
		if !strings.HasPrefix(remedy.Command, "gcloud netapp storage-pools update pool-a --project=files-example --location=europe-west3 --capacity=17750\n") || !strings.HasPrefix(remedy.Caveat, want) {
			t.Errorf("%s: %s: %s", name, remedy.Command, remedy.Caveat)
		}
	}
}

// A volume that lacks space and inodes is made as large as the larger of both asks for, by either finding.
func TestOneSizeForTwoReasons(t *testing.T) {
	volume := quiet("full")
	volume.Capacity, volume.Used, volume.InodeLimit, volume.InodeUsed = 4096*gibibyte, 3500*gibibyte, 127_506_841, 120e6
	pool := aPool(levelStandard, "auto", volume)
	pool.Allocated = volume.Capacity
	findings := Evaluate(cloudView(pool), DefaultSettings())
	for name, caveat := range map[string]string{"hard_limit/capacity": "The pool has the room. So large for its inodes as well.", "hard_limit/inodes": "The pool has the room. Small volumes"} {
		if remedy := only(t, findings, name).Remedy[0]; !strings.Contains(remedy.Command, "--capacity=4578") || !strings.HasPrefix(remedy.Caveat, caveat) {
			t.Errorf("%s: %+v", name, remedy)
		}
	}
}

// What no volume has is given out once: of two volumes at their limits each is given its part.
func TestOneFreeThroughputForTwoVolumes(t *testing.T) {
	pool := aPool(levelPremium, "manual", full(quiet("a")), full(quiet("b")))
	pool.Available = 200 * mebibyte
	for _, finding := range Evaluate(cloudView(pool), DefaultSettings()) {
		if finding.Detector == LimitReached && !strings.Contains(finding.Remedy[0].Command, "--throughput-mibps=612") {
			t.Errorf("%s: %s", finding.ID, finding.Remedy[0].Command)
		}
	}
}

// A command that lacks a resource group, an account or a workspace says so before it begins; where they are known it has them.
func TestUnknownGroupsAreSaid(t *testing.T) {
	trouble := func(group string) *fleet.Fleet {
		volume, share := full(quiet("v")), aShare("s")
		volume.Capacity, volume.Used = 1024*gibibyte, 1000*gibibyte
		share.Used, share.Snapshots = share.Quota, 200
		share.BusiestFile = []fleet.FileMinute{{Operations: 8000, Throughput: 1}, {Operations: 8000, Throughput: 1}, {Operations: 8000, Throughput: 1}, {Operations: 8000, Throughput: 1}, {Operations: 8000, Throughput: 1}}
		pool, account := anfPool("premium", "auto", volume), anAccount(share)
		pool.ResourceGroup, account.ResourceGroup = group, group
		view := azureView(account)
		view.Pools = []*fleet.Pool{pool}
		return view
	}
	for group, placeholders := range map[string]bool{"": true, "group": false} {
		found := 0
		for _, finding := range Evaluate(trouble(group), DefaultSettings()) {
			for _, remedy := range finding.Remedy {
				begin, _, _ := strings.Cut(remedy.Command, "\n")
				if has := strings.Contains(remedy.Command, "RESOURCE_GROUP"); has {
					found++
					if !strings.HasPrefix(begin, "# Not ready to run: ") || strings.Count(remedy.Command, begin) != 1 {
						t.Errorf("%s: %s", finding.ID, remedy.Command)
					}
				}
				if strings.Contains(remedy.Command, "WORKSPACE") && !strings.HasPrefix(begin, "# Not ready to run: ") {
					t.Errorf("%s: %s", finding.ID, remedy.Command)
				}
			}
		}
		if (found > 3) != placeholders {
			t.Errorf("group %q: %d commands with a word to replace", group, found)
		}
	}
}

// Multichannel is switched on for the account that the inventory has, or that the server's name tells.
func TestAccountThatAServerNames(t *testing.T) {
	account := anAccount()
	for name, row := range map[string]struct {
		server string
		view   *fleet.Fleet
		want   string
	}{
		"in the inventory, the share is not": {"exampleaccount.file.core.windows.net", azureView(account), "az storage account file-service-properties update --subscription subscription-1 -g files-rg -n exampleaccount --enable-smb-multichannel true"},
		"by name alone":                      {"other.file.core.windows.net", azureView(account), "# Not ready to run: put the account's resource group, which is not known here, in place of RESOURCE_GROUP. To find it:\n# az resource list --resource-type Microsoft.Storage/storageAccounts --name other "},
		"by an address":                      {"192.0.2.10", azureView(account), "# Not ready to run: neither the storage account nor its resource group is known here"},
	} {
		c := sessionCase{pass: &pass{view: row.view}, endpoint: &fleet.Endpoint{Server: row.server}}
		if got := c.switchOn(); !strings.HasPrefix(got, row.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
