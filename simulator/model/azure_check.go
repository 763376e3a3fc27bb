package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxShares bounds the memory of the emulator; the service has 50 or 1,024 for each account.
const maxShares = 50_000

var (
	subscriptionPattern  = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	accountPattern       = regexp.MustCompile(`^[a-z0-9]{3,24}$`)
	resourceGroupPattern = regexp.MustCompile(`^[-\w.()]{0,89}[-\w()]$`)
	regionPattern        = regexp.MustCompile(`^[a-z]+[0-9]*$`)
	apiPattern           = regexp.MustCompile(`^[A-Z][A-Za-z]{0,63}$`)
	providerPattern      = regexp.MustCompile(`^[A-Z]\w{0,63}\.[A-Z]\w{0,63}$`)
	featurePattern       = regexp.MustCompile(`^\w{1,128}$`)
)

// skus are the kinds of accounts with file shares, by the SKU's name before the redundancy.
func skus() map[string]string {
	return map[string]string{"Premium": FileStorage, "PremiumV2": FileStorage, "StandardV2": FileStorage, "Standard": StorageV2}
}

func (c *checker) pattern(key, value string, pattern *regexp.Regexp, what string) {
	if !pattern.MatchString(value) {
		c.failf(key, "%q is no %s", value, what)
	}
}

// checkSharesComplete refuses empty entries and too many of them.
func (f *Fleet) checkSharesComplete(c *checker) {
	shares := 0
	for i, subscription := range f.Subscriptions {
		key := fmt.Sprintf("subscriptions[%d]", i)
		if subscription == nil {
			c.failf(key, "is empty")
			continue
		}
		for j, account := range subscription.Accounts {
			accountKey := fmt.Sprintf("%s.accounts[%d]", key, j)
			if account == nil {
				c.failf(accountKey, "is empty")
				continue
			}
			if at := slices.Index(account.Shares, nil); at >= 0 {
				c.failf(fmt.Sprintf("%s.shares[%d]", accountKey, at), "is empty")
			}
			shares += len(account.Shares)
		}
		shares += subscription.checkNetAppComplete(c, key)
	}
	if shares > maxShares || len(f.Subscriptions) > maxProjects {
		c.failf("subscriptions", "%d with %d shares and volumes: at most %d with %d are possible", len(f.Subscriptions), shares, maxProjects, maxShares)
	}
}

func (f *Fleet) checkSubscriptions(c *checker) {
	seen := map[string]bool{}
	once := func(key, path string) {
		if seen[path] {
			c.failf(key, "%s is there twice", path)
		}
		seen[path] = true
	}
	for i, s := range f.Subscriptions {
		key := fmt.Sprintf("subscriptions[%d]", i)
		c.pattern(key+".id", s.ID, subscriptionPattern, "GUID in lower case")
		once(key+".id", "subscription "+s.ID)
		for feature, state := range s.Features {
			c.pattern(key+".features", feature, featurePattern, "name of a feature")
			c.oneOf(key+".features."+feature, state, Registered, "NotRegistered", "Pending", "Registering", "Unregistered")
		}
		for j, provider := range s.Unregistered {
			c.pattern(fmt.Sprintf("%s.unregistered[%d]", key, j), provider, providerPattern, "name of a resource provider, such as Microsoft.Insights")
		}
		for j, account := range s.Accounts {
			at := fmt.Sprintf("%s.accounts[%d]", key, j)
			once(at+".name", "account "+account.Name) // their names are unique in the world
			account.check(c, at)
			for k, share := range account.Shares {
				once(fmt.Sprintf("%s.shares[%d].name", at, k), "share "+account.Name+"/"+share.Name)
			}
		}
		for j, account := range s.NetAppAccounts {
			at := fmt.Sprintf("%s.netapp_accounts[%d]", key, j)
			once(at+".name", "NetApp account "+s.ID+"/"+account.Name)
			account.check(c, at, once)
		}
	}
}

func (a *Account) check(c *checker, key string) {
	c.pattern(key+".name", a.Name, accountPattern, "name of an account: 3 to 24 lower-case letters and digits")
	c.pattern(key+".resource_group", a.ResourceGroup, resourceGroupPattern, "name of a resource group")
	c.pattern(key+".location", a.Location, regionPattern, "region, such as westeurope")
	family, redundancy, _ := strings.Cut(a.SKU, "_")
	kind, known := skus()[family]
	if !known || !slices.Contains([]string{"LRS", "ZRS", "GRS", "GZRS"}, redundancy) {
		c.failf(key+".sku", "%q is none such as PremiumV2_LRS, Premium_LRS, StandardV2_LRS or Standard_LRS", a.SKU)
	}
	c.oneOf(key+".kind", a.Kind, kind)
	if a.Created.IsZero() {
		c.failf(key+".created", "is missing: whether multichannel is on may depend on it")
	}
	for i, share := range a.Shares {
		share.check(c, fmt.Sprintf("%s.shares[%d]", key, i), a)
	}
}

func (s *Share) check(c *checker, key string, a *Account) {
	setDefault(&s.Protocol, SMB)
	setDefault(&s.NetworkMS, 0.3)
	tiers := []string{"Premium"}
	if a.Kind == StorageV2 {
		tiers = []string{"TransactionOptimized", "Hot", "Cool"}
	} else if !a.SSD() {
		tiers = []string{"TransactionOptimized"}
	}
	setDefault(&s.Tier, tiers[0])
	c.name(key+".name", s.Name)
	c.oneOf(key+".protocol", s.Protocol, SMB, NFS)
	c.oneOf(key+".tier", s.Tier, tiers...)
	c.within(key+".quota_gib", float64(s.QuotaGiB), 1, maxGiB)
	c.within(key+".used_gib", s.UsedGiB, 0, float64(s.QuotaGiB))
	c.within(key+".growth_gib_per_day", s.GrowthGiBPerDay, -maxGiB, maxGiB)
	c.within(key+".files", float64(s.Files), 0, 1e12)
	c.within(key+".snapshots", float64(s.Snapshots), 0, 200)
	c.within(key+".snapshot_gib", s.SnapshotGiB, 0, maxGiB)
	c.within(key+".network_ms", s.NetworkMS, 0, 10_000)
	c.within(key+".failed_creates", s.FailedCreates, 0, 1)
	c.span(key+".idle", s.Idle, 0)
	s.checkProvision(c, key, a)
	for api, rate := range s.Metadata {
		c.pattern(key+".metadata", api, apiPattern, "ApiName, such as Create")
		c.within(key+".metadata."+api, rate, 0, 1e6)
	}
	if s.Load.MetadataMiBps != 0 {
		c.failf(key+".load.metadata_mibps", "shares have metadata, in operations per second by ApiName, instead")
	}
	s.Load.check(c, key+".load")
	s.checkClients(c, key)
}

func (s *Share) checkProvision(c *checker, key string, a *Account) {
	if s.Protocol == NFS && !a.SSD() {
		c.failf(key+".protocol", "NFS needs SSD")
	}
	if s.PaidBursting && a.Billing() != V1 {
		c.failf(key+".paid_bursting", "is for SSD v1 only")
	}
	if a.Billing() == V2 {
		c.within(key+".iops", float64(s.IOPS), 500, float64(a.MostIOPS()))
		c.within(key+".mibps", float64(s.MiBps), 60, float64(a.MostMiBps()))
	} else if s.IOPS != 0 || s.MiBps != 0 {
		c.failf(key+".iops", "iops and mibps are bought on v2 only")
	}
}

// plantable is the accounts and shares that a truth can be about.
func (f *Fleet) plantable() map[Planted]bool {
	known := map[Planted]bool{}
	for _, s := range f.Subscriptions {
		s.plantableNetApp(known)
		for _, account := range s.Accounts {
			at := Planted{Project: s.ID, Location: account.Location, Pool: account.Name}
			known[at] = true
			for _, share := range account.Shares {
				at.Volume = share.Name
				known[at] = true
			}
		}
	}
	return known
}
