package detectors

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/nasight/nasight/fleet"
)

// The commands that change a volume or a capacity pool of Azure NetApp Files.

// netapp tells whether a resource is one of Azure NetApp Files.
func netapp(r fleet.Resource) bool { return fleet.Provider(r.Service) == fleet.ProviderAzureNetApp }

const (
	gibPerTiB = 1024

	// netappIncluded is the throughput that a Flexible pool has without paying for it, in MiB/s.
	netappIncluded = 128
)

// azPool are the arguments that name a pool, whose identity is ACCOUNT/POOL.
func azPool(pool *fleet.Pool, flag string) string {
	account, name, _ := strings.Cut(pool.Identity.Pool, "/")
	return fmt.Sprintf("--subscription %s -g %s --account-name %s %s %s", quote(pool.Identity.Project), Group(pool.ResourceGroup), quote(account), flag, quote(name))
}

// ofPool is a command for a pool or its volumes, with what has to be said before it.
func ofPool(pool *fleet.Pool, command string) string {
	account, _, _ := strings.Cut(pool.Identity.Pool, "/")
	return WithGroup(pool.ResourceGroup, pool.Identity.Project, account, TypeNetApp, command)
}

func azUpdatePool(pool *fleet.Pool, flags string) string {
	return ofPool(pool, "az netappfiles pool update "+azPool(pool, "--name")+" "+flags)
}

func azUpdateVolume(volume *fleet.Volume, flags string) string {
	return ofPool(volume.Of, fmt.Sprintf("az netappfiles volume update %s --name %s %s", azPool(volume.Of, "--pool-name"), quote(volume.Identity.Volume), flags))
}

// azPoolID is a pool's resource id, another name of the same account put in where one is given.
func azPoolID(pool *fleet.Pool, other string) string {
	account, name, _ := strings.Cut(pool.Identity.Pool, "/")
	if other != "" {
		name = other
	}
	group := cmp.Or(pool.ResourceGroup, unknownGroup)
	return fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/Microsoft.NetApp/netAppAccounts/%s/capacityPools/%s",
		pool.Identity.Project, group, account, name)
}

// azPoolThroughput sets what a Flexible pool may move. The reference of the command line has the flag for new pools only,
// so it is the API's form.
func azPoolThroughput(pool *fleet.Pool, mibps string) string {
	url := "https://management.azure.com" + azPoolID(pool, "") + "?api-version=2025-09-01"
	return ofPool(pool, fmt.Sprintf(`az rest --method patch --url %s --body '{"properties": {"customThroughputMibps": %s}}'`, quote(url), mibps))
}

// azMove makes a pool of another level beside one and moves its volumes there, the first ones by name.
func azMove(pool *fleet.Pool, level string, gib float64) string {
	const most = 5
	_, name, _ := strings.Cut(pool.Identity.Pool, "/")
	target := name + "-" + level
	created := *pool
	account, _, _ := strings.Cut(pool.Identity.Pool, "/")
	created.Identity.Pool = account + "/" + target
	lines := []string{fmt.Sprintf("az netappfiles pool create %s --location %s --size %.0f --service-level %s --qos-type %s",
		azPool(&created, "--name"), quote(pool.Identity.Location), tebibytesOf(gib), titled(level), titled(pool.QoS))}
	for i, volume := range pool.Volumes {
		if i == most {
			lines = append(lines, "# and "+plural(fleet.Value(len(pool.Volumes)-most), "volume")+" more in the same way")
			break
		}
		lines = append(lines, fmt.Sprintf("az netappfiles volume pool-change %s --name %s --new-pool-resource-id %s",
			azPool(pool, "--pool-name"), quote(volume.Identity.Volume), quote(azPoolID(pool, target))))
	}
	return ofPool(pool, strings.Join(lines, "\n"))
}

// tebibytesOf rounds up to whole TiB, as pools are sold.
func tebibytesOf(gib float64) float64 { return math.Ceil(gib/gibPerTiB - 1e-9) }

func titled(word string) string {
	if word == "" {
		return word
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
