package model

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
)

var netappNamePattern = regexp.MustCompile(`^[a-zA-Z0-9][-a-zA-Z0-9_]{0,63}$`)

// checkNetAppComplete refuses empty entries, and counts the volumes.
func (s *Subscription) checkNetAppComplete(c *checker, key string) (volumes int) {
	for i, account := range s.NetAppAccounts {
		at := fmt.Sprintf("%s.netapp_accounts[%d]", key, i)
		if account == nil {
			c.failf(at, "is empty")
			continue
		}
		for j, pool := range account.Pools {
			poolKey := fmt.Sprintf("%s.pools[%d]", at, j)
			if pool == nil {
				c.failf(poolKey, "is empty")
				continue
			}
			if at := slices.Index(pool.Volumes, nil); at >= 0 {
				c.failf(fmt.Sprintf("%s.volumes[%d]", poolKey, at), "is empty")
			}
			volumes += len(pool.Volumes)
		}
	}
	return volumes
}

func (a *NetAppAccount) check(c *checker, key string, once func(key, path string)) {
	c.pattern(key+".name", a.Name, netappNamePattern, "name: letters, digits, - and _, at most 64")
	c.pattern(key+".resource_group", a.ResourceGroup, resourceGroupPattern, "name of a resource group")
	c.pattern(key+".location", a.Location, regionPattern, "region, such as westeurope")
	for i, pool := range a.Pools {
		at := fmt.Sprintf("%s.pools[%d]", key, i)
		once(at+".name", "capacity pool "+a.Name+"/"+pool.Name)
		pool.check(c, at)
		for j, volume := range pool.Volumes {
			volumeKey := fmt.Sprintf("%s.volumes[%d]", at, j)
			once(volumeKey+".name", "volume "+a.Name+"/"+pool.Name+"/"+volume.Name)
			volume.check(c, volumeKey, pool)
		}
	}
}

func (p *CapacityPool) check(c *checker, key string) {
	setDefault(&p.QoS, NetAppAuto)
	if p.ServiceLevel == NetAppFlexible {
		p.QoS = NetAppManual
	}
	c.pattern(key+".name", p.Name, netappNamePattern, "name: letters, digits, - and _, at most 64")
	c.oneOf(key+".service_level", p.ServiceLevel, NetAppStandard, NetAppPremium, NetAppUltra, NetAppFlexible)
	c.oneOf(key+".qos", p.QoS, NetAppAuto, NetAppManual)
	c.within(key+".size_tib", float64(p.SizeTiB), 1, maxGiB/gibPerTiB)
	if p.ServiceLevel == NetAppFlexible {
		c.within(key+".custom_throughput_mibps", float64(p.CustomMiBps), netappIncluded, maxMiBps)
	} else if p.CustomMiBps != 0 {
		c.failf(key+".custom_throughput_mibps", "is for Flexible pools")
	}
	if p.Allocated() > p.SizeTiB*gibPerTiB {
		c.failf(key+".size_tib", "the volumes hold %d GiB, more than the pool's %d", p.Allocated(), p.SizeTiB*gibPerTiB)
	}
	if p.QoS == NetAppManual && p.Utilized() > p.Throughput() {
		c.failf(key+".volumes", "have %g MiB/s together, more than the pool's %g", p.Utilized(), p.Throughput())
	}
}

func (v *NetAppVolume) check(c *checker, key string, pool *CapacityPool) {
	setDefault(&v.Token, v.Name)
	c.pattern(key+".name", v.Name, netappNamePattern, "name: letters, digits, - and _, at most 64")
	c.pattern(key+".creation_token", v.Token, netappNamePattern, "creation token: letters, digits, - and _, at most 64")
	c.within(key+".quota_gib", float64(v.QuotaGiB), 50, maxGiB)
	c.within(key+".throughput_mibps", v.ThroughputMiBps, 0, maxMiBps)
	if (v.ThroughputMiBps > 0) != (pool.QoS == NetAppManual) {
		c.failf(key+".throughput_mibps", "volumes of Manual pools need it, and no others have it")
	}
	c.within(key+".used_gib", v.UsedGiB, 0, float64(v.QuotaGiB))
	c.within(key+".snapshot_gib", v.SnapshotGiB, 0, v.UsedGiB)
	c.within(key+".growth_gib_per_day", v.GrowthGiBPerDay, -maxGiB, maxGiB)
	c.within(key+".inodes_used", float64(v.InodesUsed), 0, 1e12)
	c.oneOf(key+".zone", v.Zone, "", "1", "2", "3")
	if len(v.Protocols) == 0 {
		c.failf(key+".protocols", "is empty: name NFSv3, NFSv4.1 or CIFS")
	}
	for i, protocol := range v.Protocols {
		c.oneOf(fmt.Sprintf("%s.protocols[%d]", key, i), protocol, "NFSv3", "NFSv4.1", "CIFS")
	}
	for i, address := range v.Addresses {
		if _, err := netip.ParseAddr(address); err != nil {
			c.failf(fmt.Sprintf("%s.addresses[%d]", key, i), "%q is no IP address", address)
		}
	}
	v.Load.check(c, key+".load")
}

// plantableNetApp is the capacity pools and volumes that a truth can be about; the pool is named ACCOUNT/POOL.
func (s *Subscription) plantableNetApp(known map[Planted]bool) {
	for _, account := range s.NetAppAccounts {
		for _, pool := range account.Pools {
			at := Planted{Project: s.ID, Location: account.Location, Pool: account.Name + "/" + pool.Name}
			known[at] = true
			for _, volume := range pool.Volumes {
				at.Volume = volume.Name
				known[at] = true
			}
		}
	}
}
