package azure

import (
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/storage/armstorage/v2"

	"github.com/nasight/nasight/simulator/model"
)

// tariff is what the service says of a kind of account: limits of a share, of the account, and the recommendation.
type tariff struct {
	leastGiB, mostGiB, accountGiB int32
	leastIOPS, leastMiBps         int32
	shares                        int32
	ioScalar, bandwidthScalar     float64
	baseIOPS, baseMiBps           int32
}

func tariffOf(a *model.Account) (tariff, bool) {
	const tib = 1024
	switch {
	case a.Billing() == model.PayAsYouGo:
		return tariff{}, false
	case a.Billing() == model.V1:
		return tariff{100, 100 * tib, 100 * tib, 3_000, 100, 1_024, 1, 0.1, 3_000, 100}, true
	case a.SSD():
		return tariff{32, 256 * tib, 256 * tib, 3_000, 100, 50, 1, 0.1, 3_000, 100}, true
	}
	return tariff{32, 256 * tib, 4096 * tib, 500, 60, 50, 0.2, 0.02, 1_000, 60}, true
}

func usageOf(c *call, a *model.Account) *armstorage.FileServiceUsage {
	usage := &armstorage.FileServiceUsage{
		ID: to.Ptr(serviceID(c.subscription, a) + "/usages/default"), Name: to.Ptr("default"),
		Type:       to.Ptr("Microsoft.Storage/storageAccounts/fileServices/usages"),
		Properties: &armstorage.FileServiceUsageProperties{StorageAccountUsage: usedOf(c, a)},
	}
	t, provisioned := tariffOf(a)
	if !provisioned {
		return usage // a share that is paid by use has no limits to provision within
	}
	iops, mibps := to.Ptr(int32(a.MostIOPS())), to.Ptr(int32(a.MostMiBps())) //nolint:gosec // constants of the tariff
	floor := int32(a.BurstFloor())                                           //nolint:gosec // the same
	usage.Properties.StorageAccountLimits = &armstorage.AccountLimits{
		MaxFileShares: &t.shares, MaxProvisionedIOPS: iops, MaxProvisionedBandwidthMiBPerSec: mibps, MaxProvisionedStorageGiB: &t.accountGiB,
	}
	usage.Properties.FileShareLimits = &armstorage.FileShareLimits{
		MinProvisionedStorageGiB: &t.leastGiB, MaxProvisionedStorageGiB: &t.mostGiB, MinProvisionedIOPS: &t.leastIOPS, MaxProvisionedIOPS: iops,
		MinProvisionedBandwidthMiBPerSec: &t.leastMiBps, MaxProvisionedBandwidthMiBPerSec: mibps,
	}
	usage.Properties.FileShareRecommendations = &armstorage.FileShareRecommendations{
		BaseIOPS: &t.baseIOPS, IoScalar: &t.ioScalar, BaseBandwidthMiBPerSec: &t.baseMiBps, BandwidthScalar: &t.bandwidthScalar,
	}
	usage.Properties.BurstingConstants = &armstorage.BurstingConstants{
		BurstFloorIOPS: &floor, BurstIOScalar: to.Ptr(3.0), BurstTimeframeSeconds: to.Ptr(int32(3_600)),
	}
	return usage
}

func usedOf(c *call, a *model.Account) *armstorage.AccountUsage {
	sums := map[bool]*armstorage.AccountUsageElements{}
	for _, deleted := range []bool{false, true} {
		sums[deleted] = &armstorage.AccountUsageElements{
			FileShareCount: to.Ptr(int32(0)), ProvisionedBandwidthMiBPerSec: to.Ptr(int32(0)), ProvisionedIOPS: to.Ptr(int32(0)), ProvisionedStorageGiB: to.Ptr(int32(0)),
		}
	}
	for _, p := range c.shares(a) {
		sum, provision := sums[p.Share.Deleted], p.Provision()
		*sum.FileShareCount++
		*sum.ProvisionedIOPS += int32(provision.IOPS)
		*sum.ProvisionedBandwidthMiBPerSec += int32(provision.MiBps)
		*sum.ProvisionedStorageGiB += int32(p.Share.QuotaGiB) //nolint:gosec // checked
	}
	return &armstorage.AccountUsage{LiveShares: sums[false], SoftDeletedShares: sums[true]}
}

func listUsages(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	return paged(c, []*armstorage.FileServiceUsage{usageOf(c, a)})
}

func getUsage(c *call) (any, *failure) {
	a, failure := c.account()
	if failure != nil {
		return nil, failure
	}
	return usageOf(c, a), nil
}
