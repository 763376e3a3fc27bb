package model

import "math"

// What the service grants, from the documentation of Google Cloud NetApp Volumes as read in 2026. All of it is throughput
// in MiB/s, but for the rates, which are KiB/s for each GiB.
const (
	rateStandard = 16
	ratePremium  = 64
	rateExtreme  = 128

	volumeMaximum      = 4_608  // one volume, however large
	largeVolumeMaximum = 30_720 // one large-capacity volume over its six addresses
	iopsPerMiBps       = 16     // of custom performance whose IOPS are not given
)

// The service has one inode for 32 KiB of what the file system leaves of the capacity, and a floor outside of Flex.
const (
	bytesPerInode = 32 << 10
	usable        = 0.95
	fewestInodes  = 21_251_126
	gib           = 1 << 30
	mib           = 1 << 20
)

// Rate is what each GiB of capacity grants in KiB/s; 0 where throughput is bought apart from capacity.
func (p *Pool) Rate() float64 {
	switch {
	case p.CustomPerformance:
		return 0
	case p.ServiceLevel == Premium:
		return ratePremium
	case p.ServiceLevel == Extreme:
		return rateExtreme
	}
	return rateStandard
}

// Throughput is what the pool may move in MiB/s: bought, or granted by capacity.
func (p *Pool) Throughput() float64 {
	if p.CustomPerformance {
		return float64(p.TotalThroughputMiBps)
	}
	return float64(p.CapacityGiB) * p.Rate() / 1024
}

// IOPS is how many operations per second the pool may do: bought, or 16 for each MiB/s; 0 where nothing but throughput
// bounds it.
func (p *Pool) IOPS() float64 {
	switch {
	case !p.CustomPerformance:
		return 0
	case p.TotalIOPS > 0:
		return float64(p.TotalIOPS)
	}
	return iopsPerMiBps * p.Throughput()
}

// Shared tells whether the volumes share the pool's limits instead of having one each.
func (p *Pool) Shared() bool { return p.ServiceLevel == Flex }

// Available is what a MANUAL pool says of its throughput that no volume has, in MiB/s.
func (p *Pool) Available() float64 {
	if p.AvailableThroughputMiBps != nil {
		return *p.AvailableThroughputMiBps
	}
	left := p.Throughput()
	for _, volume := range p.Volumes {
		left -= volume.ThroughputMiBps
	}
	return max(0, left)
}

// Allocated is the capacity of the pool's volumes in GiB.
func (p *Pool) Allocated() int64 {
	var sum int64
	for _, volume := range p.Volumes {
		sum += volume.CapacityGiB
	}
	return sum
}

// Limit is the volume's throughput limit in MiB/s, as the service reports it: the pool's where volumes share it.
func (p *Placement) Limit() float64 {
	switch {
	case p.Pool.Shared():
		return p.Pool.Throughput()
	case p.Pool.QoS == Manual:
		return p.Volume.ThroughputMiBps
	}
	most := float64(volumeMaximum)
	if p.Volume.LargeCapacity {
		most = largeVolumeMaximum
	}
	return min(float64(p.Volume.CapacityGiB)*p.Pool.Rate()/1024, most)
}

// InodeLimit is how many inodes the volume may have.
func (p *Placement) InodeLimit() int64 {
	inodes := int64(math.Floor(float64(p.Volume.CapacityGiB) * gib * usable / bytesPerInode))
	if p.Pool.Shared() {
		return inodes
	}
	return max(inodes, fewestInodes)
}
