package model

import (
	"math"
	"strings"
)

// What Azure grants a share, from its documentation as read in 2026.
const (
	ssdMostIOPS, ssdMostMiBps = 102_400, 10_340
	hddMostIOPS, hddMostMiBps = 50_000, 5_120
	ssdBurstFloor             = 10_000
	hddBurstFloor             = 5_000
	burstScalar               = 3
	burstSeconds              = 3_600
	accountIOPS               = 20_000 // of all shares of an account that is paid by use

	metadataCeiling       = 12_000 // operations per second
	metadataCeilingCached = 35_000 // with metadata caching, or over NFS on SSD
)

// Provision is what a share was provisioned with. On a share that is paid by use all of it is zero.
type Provision struct {
	IOPS, BurstIOPS float64 // operations per second, without and with credits
	MiBps           float64 // both ways together
	Credits         float64 // of a full bucket, in operations
}

// SSD tells whether the shares are on SSD. FileStorage alone does not mean it.
func (a *Account) SSD() bool { return strings.HasPrefix(a.SKU, "Premium") }

// Billing is how the account's shares are paid for.
func (a *Account) Billing() Billing {
	family, _, _ := strings.Cut(a.SKU, "_")
	switch {
	case a.Kind != FileStorage:
		return PayAsYouGo
	case strings.HasSuffix(family, "V2"):
		return V2
	}
	return V1
}

// BurstFloor is the least burst limit of a share in operations per second.
func (a *Account) BurstFloor() int64 {
	if a.SSD() {
		return ssdBurstFloor
	}
	return hddBurstFloor
}

// MostIOPS and MostMiBps are the largest provision of one share, and of the account.
func (a *Account) MostIOPS() int64 {
	if a.SSD() {
		return ssdMostIOPS
	}
	return hddMostIOPS
}

// MostMiBps is the most throughput that one share, or all of an account, may be provisioned with.
func (a *Account) MostMiBps() int64 {
	if a.SSD() {
		return ssdMostMiBps
	}
	return hddMostMiBps
}

// Provision is what the share has: by its size on v1, as bought on v2.
func (p *SharePlacement) Provision() Provision { return p.provision }

// granted is what the share may use: as provisioned, or as much as there is where bursts are paid for.
func (p *SharePlacement) granted() Provision {
	if p.Share.PaidBursting {
		return Provision{IOPS: ssdMostIOPS, BurstIOPS: ssdMostIOPS, MiBps: ssdMostMiBps}
	}
	return p.provision
}

func provisionOf(a *Account, s *Share) Provision {
	size := float64(s.QuotaGiB)
	var out Provision
	switch a.Billing() {
	case V1:
		out.IOPS = min(3_000+size, ssdMostIOPS)
		out.MiBps = min(100+math.Ceil(0.04*size)+math.Ceil(0.06*size), ssdMostMiBps)
		out.BurstIOPS = min(max(burstScalar*size, ssdBurstFloor), ssdMostIOPS)
	case V2:
		out.IOPS, out.MiBps = float64(s.IOPS), float64(s.MiBps)
		out.BurstIOPS = min(max(burstScalar*out.IOPS, float64(a.BurstFloor())), float64(a.MostIOPS()))
	default:
		return out
	}
	out.BurstIOPS = max(out.BurstIOPS, out.IOPS)
	out.Credits = (out.BurstIOPS - out.IOPS) * burstSeconds
	return out
}

// MetadataCeiling is how many metadata operations per second the share can do, whatever it was provisioned with.
func (p *SharePlacement) MetadataCeiling() float64 {
	cached := p.Share.Protocol == NFS || p.Subscription.Features[MetadataCache] == Registered
	if p.Account.SSD() && cached {
		return metadataCeilingCached
	}
	return metadataCeiling
}
