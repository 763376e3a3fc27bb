package azure

import (
	"net/http"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/netapp/armnetapp/v8"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

const (
	mib             = 1 << 20
	gib             = 1 << 30
	tib             = 1 << 40
	accountType     = "netAppAccounts"
	poolType        = "netAppAccounts/capacityPools"
	volumeType      = "netAppAccounts/capacityPools/volumes"
	netappSucceeded = "Succeeded"
)

// netappTarget is a capacity pool, or one of its volumes, and what it belongs to.
type netappTarget struct {
	subscription *model.Subscription
	account      *model.NetAppAccount
	pool         *model.CapacityPool    // nil for the account
	volume       *model.NetAppPlacement // nil for the pool
}

// id is the resource id.
func (t netappTarget) id() string {
	id := "/subscriptions/" + t.subscription.ID + "/resourceGroups/" + t.account.ResourceGroup + "/providers/" + netappNamespace + "/netAppAccounts/" + t.account.Name
	if t.pool != nil {
		id += "/capacityPools/" + t.pool.Name
	}
	if t.volume != nil {
		id += "/volumes/" + t.volume.NetAppVolume.Name
	}
	return id
}

// name is how Resource Manager names it: ACCOUNT, ACCOUNT/POOL or ACCOUNT/POOL/VOLUME.
func (t netappTarget) name() string {
	name := t.account.Name
	if t.pool != nil {
		name += "/" + t.pool.Name
	}
	if t.volume != nil {
		name += "/" + t.volume.NetAppVolume.Name
	}
	return name
}

// netapp is the account, pool or volume that the call's path names.
func (c *call) netapp() (netappTarget, *failure) {
	missing := func(kind, name string) *failure {
		return failed(http.StatusNotFound, "ResourceNotFound", "The Resource '%s/%s/%s' under resource group '%s' was not found.", netappNamespace, kind, name, c.path["group"])
	}
	t := netappTarget{subscription: c.subscription}
	at := slices.IndexFunc(c.subscription.NetAppAccounts, func(a *model.NetAppAccount) bool {
		return strings.EqualFold(a.Name, c.path["account"]) && strings.EqualFold(a.ResourceGroup, c.path["group"])
	})
	if at < 0 {
		return t, missing(accountType, c.path["account"])
	}
	t.account = c.subscription.NetAppAccounts[at]
	if c.path["pool"] == "" {
		return t, nil
	}
	at = slices.IndexFunc(t.account.Pools, func(p *model.CapacityPool) bool { return strings.EqualFold(p.Name, c.path["pool"]) })
	if at < 0 {
		return t, missing(poolType, c.path["account"]+"/"+c.path["pool"])
	}
	t.pool = t.account.Pools[at]
	if c.path["volume"] == "" {
		return t, nil
	}
	for _, p := range c.netappVolumes(t.pool) {
		if strings.EqualFold(p.NetAppVolume.Name, c.path["volume"]) {
			t.volume = p
			return t, nil
		}
	}
	return t, missing(volumeType, c.path["account"]+"/"+c.path["pool"]+"/"+c.path["volume"])
}

// netappVolumes are the volumes of a pool that are there: not those that a fault made vanish.
func (c *call) netappVolumes(pool *model.CapacityPool) (all []*model.NetAppPlacement) {
	for _, p := range c.server.model.NetAppVolumes() {
		gone := slices.ContainsFunc(c.server.faults.Data(), func(active faults.Active) bool {
			return active.Fault.Kind == faults.Vanished && active.Fault.Hits(p.Subscription.ID, p.Account.Location, p.NetAppVolume.Name, "")
		})
		if p.CapacityPool == pool && !gone {
			all = append(all, p)
		}
	}
	return all
}

func (t netappTarget) accountAnswer() *armnetapp.Account {
	return &armnetapp.Account{
		ID: to.Ptr(t.id()), Name: to.Ptr(t.name()), Type: to.Ptr(netappNamespace + "/" + accountType), Location: &t.account.Location,
		Properties: &armnetapp.AccountProperties{ProvisioningState: to.Ptr(netappSucceeded)},
	}
}

func (t netappTarget) poolAnswer() *armnetapp.CapacityPool {
	pool := t.pool
	properties := &armnetapp.PoolProperties{
		ServiceLevel: to.Ptr(armnetapp.ServiceLevel(pool.ServiceLevel)), QosType: to.Ptr(armnetapp.QosType(pool.QoS)), CoolAccess: &pool.CoolAccess,
		Size: to.Ptr(pool.SizeTiB * tib), TotalThroughputMibps: to.Ptr(float32(pool.Throughput())),
		UtilizedThroughputMibps: to.Ptr(float32(pool.Utilized())), ProvisioningState: to.Ptr(netappSucceeded),
	}
	if pool.ServiceLevel == model.NetAppFlexible {
		properties.CustomThroughputMibps = to.Ptr(int32(pool.CustomMiBps)) //nolint:gosec // checked
	}
	return &armnetapp.CapacityPool{
		ID: to.Ptr(t.id()), Name: to.Ptr(t.name()), Type: to.Ptr(netappNamespace + "/" + poolType), Location: &t.account.Location, Properties: properties,
	}
}

func (t netappTarget) volumeAnswer() *armnetapp.Volume {
	v := t.volume.NetAppVolume
	limit := float32(t.volume.Limit())
	properties := &armnetapp.VolumeProperties{
		CreationToken: &v.Token, UsageThreshold: to.Ptr(v.QuotaGiB * gib), ServiceLevel: to.Ptr(armnetapp.ServiceLevel(t.pool.ServiceLevel)),
		ProtocolTypes: to.SliceOfPtrs(v.Protocols...), IsLargeVolume: &v.Large, ActualThroughputMibps: &limit, CoolAccess: &t.pool.CoolAccess,
		MaximumNumberOfFiles: to.Ptr(t.volume.InodeLimit()), ProvisioningState: to.Ptr(netappSucceeded),
		SubnetID: to.Ptr("/subscriptions/" + t.subscription.ID + "/resourceGroups/" + t.account.ResourceGroup + "/providers/Microsoft.Network/virtualNetworks/example/subnets/netapp"),
	}
	if t.pool.QoS == model.NetAppManual {
		properties.ThroughputMibps = &limit
	}
	for _, address := range v.Addresses {
		target := &armnetapp.MountTargetProperties{FileSystemID: to.Ptr(t.id()), IPAddress: &address}
		if v.SMBServer != "" {
			target.SmbServerFqdn = &v.SMBServer
		}
		properties.MountTargets = append(properties.MountTargets, target)
	}
	answer := &armnetapp.Volume{
		ID: to.Ptr(t.id()), Name: to.Ptr(t.name()), Type: to.Ptr(netappNamespace + "/" + volumeType), Location: &t.account.Location, Properties: properties,
	}
	if v.Zone != "" {
		answer.Zones, properties.ProvisionedAvailabilityZone = to.SliceOfPtrs(v.Zone), &v.Zone
	}
	return answer
}

func listNetAppAccounts(c *call) (any, *failure) {
	var all []*armnetapp.Account
	for _, a := range c.subscription.NetAppAccounts {
		if group := c.path["group"]; group == "" || strings.EqualFold(group, a.ResourceGroup) {
			all = append(all, netappTarget{subscription: c.subscription, account: a}.accountAnswer())
		}
	}
	return paged(c, all)
}

func listCapacityPools(c *call) (any, *failure) {
	t, failure := c.netapp()
	if failure != nil {
		return nil, failure
	}
	var all []*armnetapp.CapacityPool
	for _, t.pool = range t.account.Pools {
		all = append(all, t.poolAnswer())
	}
	return paged(c, all)
}

func listNetAppVolumes(c *call) (any, *failure) {
	t, failure := c.netapp()
	if failure != nil {
		return nil, failure
	}
	var all []*armnetapp.Volume
	for _, t.volume = range c.netappVolumes(t.pool) {
		all = append(all, t.volumeAnswer())
	}
	return paged(c, all)
}

// theNamed answers for the account, pool or volume that a path names.
func theNamed(answer func(netappTarget) any) func(*call) (any, *failure) {
	return func(c *call) (any, *failure) {
		t, failure := c.netapp()
		if failure != nil {
			return nil, failure
		}
		return answer(t), nil
	}
}

func getNetAppAccount(c *call) (any, *failure) {
	return theNamed(func(t netappTarget) any { return t.accountAnswer() })(c)
}

func getCapacityPool(c *call) (any, *failure) {
	return theNamed(func(t netappTarget) any { return t.poolAnswer() })(c)
}

func getNetAppVolume(c *call) (any, *failure) {
	return theNamed(func(t netappTarget) any { return t.volumeAnswer() })(c)
}
