package model

import (
	"fmt"
	"net/netip"
	"strings"
	"time"
)

func (p *Project) check(c *checker, key string, once func(key, path string)) {
	c.name(key+".id", p.ID)
	c.within(key+".number", float64(p.Number), 1, 1<<53)
	once(key+".id", "projects/"+p.ID)
	once(key+".number", fmt.Sprintf("projects/%d", p.Number))
	for i, pool := range p.Pools {
		at := fmt.Sprintf("%s.pools[%d]", key, i)
		pool.check(c, at)
		once(at+".name", fmt.Sprintf("projects/%s/locations/%s/storagePools/%s", p.ID, pool.Location, pool.Name))
		for j, volume := range pool.Volumes {
			volumeKey := fmt.Sprintf("%s.volumes[%d]", at, j)
			volume.check(c, volumeKey, pool)
			once(volumeKey+".name", fmt.Sprintf("projects/%s/locations/%s/volumes/%s",
				p.ID, (&Placement{Pool: pool, Volume: volume}).Location(), volume.Name))
		}
	}
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (p *Pool) check(c *checker, key string) {
	setDefault(&p.QoS, Auto)
	setDefault(&p.Type, File)
	setDefault(&p.Mode, Default)
	c.name(key+".name", p.Name)
	c.location(key+".location", p.Location)
	c.oneOf(key+".service_level", p.ServiceLevel, Standard, Premium, Extreme, Flex)
	c.oneOf(key+".qos", p.QoS, Auto, Manual)
	c.oneOf(key+".type", p.Type, File, Unified)
	c.oneOf(key+".mode", p.Mode, Default, ONTAP)
	c.within(key+".capacity_gib", float64(p.CapacityGiB), 1, maxGiB)
	c.within(key+".total_throughput_mibps", float64(p.TotalThroughputMiBps), 0, maxMiBps)
	c.within(key+".total_iops", float64(p.TotalIOPS), 0, iopsPerMiBps*maxMiBps)
	if p.AvailableThroughputMiBps != nil {
		c.within(key+".available_throughput_mibps", *p.AvailableThroughputMiBps, 0, maxMiBps)
	}
	switch {
	case p.ServiceLevel != Flex && (p.CustomPerformance || p.Type == Unified):
		c.failf(key+".service_level", "%s has neither custom performance nor the type UNIFIED: FLEX has", p.ServiceLevel)
	case p.CustomPerformance != (p.TotalThroughputMiBps > 0):
		c.failf(key+".total_throughput_mibps", "custom performance needs it, and nothing else has it")
	case !p.CustomPerformance && p.TotalIOPS > 0:
		c.failf(key+".total_iops", "needs custom performance")
	case p.QoS == Manual && p.ServiceLevel == Flex:
		c.failf(key+".qos", "the volumes of a FLEX pool share its throughput here; MANUAL is for the other levels")
	case p.QoS != Manual && p.AvailableThroughputMiBps != nil:
		c.failf(key+".available_throughput_mibps", "is said by MANUAL pools only")
	case p.Allocated() > p.CapacityGiB:
		c.failf(key+".capacity_gib", "the volumes hold %d GiB, more than the pool's %d", p.Allocated(), p.CapacityGiB)
	}
}

func (v *Volume) check(c *checker, key string, pool *Pool) {
	c.span(key+".since", v.Since, -maxSpan)
	c.name(key+".name", v.Name)
	if v.Location != "" {
		c.location(key+".location", v.Location)
		if !strings.HasPrefix(v.Location, pool.Location) {
			c.failf(key+".location", "%s is not within the pool's %s", v.Location, pool.Location)
		}
	}
	c.within(key+".capacity_gib", float64(v.CapacityGiB), 1, maxGiB)
	c.within(key+".throughput_mibps", v.ThroughputMiBps, 0, maxMiBps)
	if (v.ThroughputMiBps > 0) != (pool.QoS == Manual) {
		c.failf(key+".throughput_mibps", "volumes of MANUAL pools need it, and no others have it")
	}
	c.within(key+".used_gib", v.UsedGiB, 0, float64(v.CapacityGiB))
	c.within(key+".snapshot_gib", v.SnapshotGiB, 0, v.UsedGiB)
	c.within(key+".growth_gib_per_day", v.GrowthGiBPerDay, -maxGiB, maxGiB)
	c.within(key+".inodes_used", float64(v.InodesUsed), 0, float64((&Placement{Pool: pool, Volume: v}).InodeLimit()))
	c.within(key+".inodes_per_day", float64(v.InodesPerDay), -1e12, 1e12)
	if len(v.Protocols) == 0 {
		c.failf(key+".protocols", "is empty: name NFSV3, NFSV4, SMB or ISCSI")
	}
	for i, protocol := range v.Protocols {
		c.oneOf(fmt.Sprintf("%s.protocols[%d]", key, i), protocol, "NFSV3", "NFSV4", "SMB", "ISCSI")
	}
	for i, mount := range v.Mount {
		at := fmt.Sprintf("%s.mount[%d]", key, i)
		c.oneOf(at+".protocol", mount.Protocol, v.Protocols...)
		if _, err := netip.ParseAddr(mount.IPAddress); err != nil {
			c.failf(at+".address", "%q is no IP address", mount.IPAddress)
		}
	}
	v.Replication.check(c, key+".replication")
	v.Load.check(c, key+".load")
}

func (r *Replication) check(c *checker, key string) {
	if r == nil {
		return
	}
	setDefault(&r.Schedule, "HOURLY")
	c.name(key+".name", r.Name)
	c.oneOf(key+".schedule", r.Schedule, "EVERY_10_MINUTES", "HOURLY", "DAILY")
	c.within(key+".transfer_gib", r.TransferGiB, 0, maxGiB)
}

// leastWithin is three seconds of a window.
const leastWithin = 0.01

func (l *Workload) check(c *checker, key string) {
	setDefault(&l.Pattern, Constant)
	setDefault(&l.BlockKiB, 64)
	setDefault(&l.MetadataBytes, 256)
	setDefault(&l.Within, 1)
	setDefault(&l.LatencyMS, 1)
	setDefault(&l.Factor, 8)
	setDefault(&l.Every, Span(48*time.Hour))
	setDefault(&l.Length, Span(15*time.Minute))
	setDefault(&l.Noise, 0.02)
	c.oneOf(key+".pattern", string(l.Pattern), string(Constant), string(Daily), string(Bursty), string(Growing), string(Step))
	c.within(key+".read_mibps", l.ReadMiBps, 0, maxMiBps)
	c.within(key+".write_mibps", l.WriteMiBps, 0, maxMiBps)
	c.within(key+".metadata_mibps", l.MetadataMiBps, 0, maxMiBps)
	c.within(key+".block_kib", l.BlockKiB, 0.5, 16<<10)
	c.within(key+".metadata_bytes", l.MetadataBytes, 1, 1<<20)
	c.within(key+".within", l.Within, leastWithin, 1)
	c.within(key+".latency_ms", l.LatencyMS, 0.01, 10_000)
	c.within(key+".factor", l.Factor, 0, 1_000)
	c.span(key+".every", l.Every, 2*Grain)
	c.span(key+".length", l.Length, Grain)
	if l.Length > l.Every {
		c.failf(key+".length", "%s is longer than every (%s)", l.Length, l.Every)
	}
	if c.span(key+".begins", l.Begins, 0); l.Begins > 0 && l.Begins > l.Every-l.Length {
		c.failf(key+".begins", "a burst of %s from %s on is longer than its span (%s)", l.Length, l.Begins, l.Every)
	}
	c.within(key+".per_week", l.PerWeek, -10, 10)
	c.span(key+".at", l.At, -maxSpan)
	if c.span(key+".until", l.Until, -maxSpan); l.Until != 0 && l.Until <= l.At {
		c.failf(key+".until", "%s is not after at (%s)", l.Until, l.At)
	}
	if l.Noise != -1 {
		c.within(key+".noise", l.Noise, 0, 0.2)
	}
}
