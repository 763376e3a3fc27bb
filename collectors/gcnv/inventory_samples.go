package gcnv

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/netapp/v1"

	"github.com/nasight/nasight/collectors"
	"github.com/nasight/nasight/schema"
)

const (
	gib = 1 << 30
	mib = 1 << 20
)

// emitInventory puts the configuration of a project into the sink, each thing at the time when it was read.
func emitInventory(sink collectors.TimedSink, project string, inv *inventory) {
	for _, p := range inv.pools {
		if p.wanted {
			p.emit(sink, []string{Cloud, Service, project, p.key.location, p.key.name})
		}
	}
	for _, v := range inv.volumes {
		if v.wanted {
			v.emit(sink, inv, []string{Cloud, Service, project, v.key.location, v.pool, v.key.name})
		}
	}
	for _, r := range inv.replications {
		r.emit(sink, []string{Cloud, Service, project, r.volume.key.location, r.volume.pool, r.volume.key.name, r.name})
	}
}

// values puts the numbers of one resource into the sink.
type values struct {
	sink   collectors.TimedSink
	fields object
	at     time.Time
	labels []string
}

// add puts a value there if the API told the field, times the size of its unit.
func (v values) add(family *schema.Family, field string, value, unit float64) {
	switch {
	case !v.fields.has(field):
	case value < 0 || value*unit > largest(family.Unit) || math.IsNaN(value):
		v.sink.Skip(oddValue, 1)
	default:
		v.sink.AddAt(family, value*unit, v.at, v.labels...)
	}
}

func (p *pool) emit(sink collectors.TimedSink, labels []string) {
	mode := word(p.Mode)
	if mode == "" {
		mode = "default"
	}
	sink.AddAt(schema.PoolInfo, 1, p.at, append(labels[:5:5],
		word(p.ServiceLevel), word(p.QosType), word(p.Type), mode, strings.TrimPrefix(word(p.ScaleType), "scale_type_"),
		strconv.FormatBool(p.CustomPerformanceEnabled), strconv.FormatBool(p.AllowAutoTiering), word(p.State), p.Zone)...)
	v := values{sink, p.fields, p.at, labels}
	v.add(schema.PoolCapacity, "capacityGib", float64(p.CapacityGib), gib)
	v.add(schema.PoolAllocated, "volumeCapacityGib", float64(p.VolumeCapacityGib), gib)
	v.add(schema.PoolVolumes, "volumeCount", float64(p.VolumeCount), 1)
	v.add(schema.PoolTotalThroughput, "totalThroughputMibps", float64(p.TotalThroughputMibps), mib)
	v.add(schema.PoolAvailableThroughput, availableField, p.AvailableThroughputMibps, mib)
	v.add(schema.PoolTotalIOPS, "totalIops", float64(p.TotalIops), 1)
	v.add(schema.PoolHotTier, "hotTierSizeGib", float64(p.HotTierSizeGib), gib)
	v.add(schema.PoolHotTierUsed, "hotTierSizeUsedGib", float64(p.HotTierSizeUsedGib), gib)
}

func (v *volume) emit(sink collectors.TimedSink, inv *inventory, labels []string) {
	qos := ""
	if p := inv.poolOf(v); p != nil {
		qos = word(p.QosType)
	}
	protocols := make([]string, 0, len(v.Protocols))
	for _, protocol := range v.Protocols {
		protocols = append(protocols, word(protocol))
	}
	slices.Sort(protocols)
	sink.AddAt(schema.VolumeInfo, 1, v.at, append(labels[:6:6],
		word(v.ServiceLevel), qos, strings.Join(slices.Compact(protocols), ","), word(v.State),
		strconv.FormatBool(v.LargeCapacity), strconv.FormatBool(v.MultipleEndpoints), v.Zone, v.kind())...)
	values{sink, v.fields, v.at, labels}.add(schema.VolumeAssignedThroughput, "throughputMibps", v.ThroughputMibps, mib)
	seen := map[[3]string]bool{}
	for _, option := range v.MountOptions {
		for _, e := range v.endpoints(option) {
			if !seen[e] {
				seen[e] = true
				sink.AddAt(schema.VolumeEndpointInfo, 1, v.at, append(labels[:6:6], e[0], e[1], e[2])...)
			}
		}
	}
}

// kind says what a volume is beside a plain one.
func (v *volume) kind() string {
	switch {
	case len(v.BlockDevices) > 0:
		return "block"
	case v.CacheParameters != nil:
		return "cache"
	case v.CloneDetails != nil:
		return "clone"
	case v.HybridReplicationParameters != nil:
		return "migration"
	case v.HasReplication:
		return "replica"
	}
	return "volume"
}

// endpoints are server, export and protocol of a mount option: one for each address.
func (v *volume) endpoints(option *netapp.MountOption) [][3]string {
	if option == nil {
		return nil
	}
	server, export := splitExport(option.ExportFull)
	if export == "" {
		_, export = splitExport(option.Export)
	}
	if export == "" {
		export = option.Export
	}
	protocol := word(option.Protocol)
	if protocol == "" && len(v.Protocols) == 1 {
		protocol = word(v.Protocols[0])
	}
	var found [][3]string
	for address := range strings.SplitSeq(option.IpAddress, ",") {
		if address = strings.TrimSpace(address); address != "" {
			found = append(found, [3]string{address, export, protocol})
		}
	}
	if found == nil && server != "" {
		found = append(found, [3]string{server, export, protocol})
	}
	return found
}

// splitExport takes apart what a client mounts: SERVER:/PATH of NFS, with an IPv6 address in brackets, or \\SERVER\SHARE
// of SMB.
func splitExport(full string) (server, export string) {
	slashes := strings.ReplaceAll(full, `\`, "/")
	if rest, ok := strings.CutPrefix(slashes, "//"); ok {
		server, export, _ = strings.Cut(rest, "/")
		return server, strings.Trim(export, "/")
	}
	if i := strings.Index(full, ":/"); i > 0 {
		return strings.Trim(full[:i], "[]"), full[i+1:]
	}
	return "", ""
}

func (r *replication) emit(sink collectors.TimedSink, labels []string) {
	sink.AddAt(schema.ReplicationInfo, 1, r.at, append(labels[:7:7],
		word(r.Role), word(r.State), word(r.MirrorState), word(r.ReplicationSchedule), r.SourceVolume, r.DestinationVolume)...)
	if r.fields.has("healthy") {
		healthy := 0.0
		if r.Healthy {
			healthy = 1
		}
		sink.AddAt(schema.ReplicationHealthy, healthy, r.at, labels...)
	}
	stats := r.TransferStats
	if stats == nil {
		return
	}
	for _, d := range []struct {
		family *schema.Family
		text   string
	}{{schema.ReplicationLag, stats.LagDuration}, {schema.ReplicationLastTransferDuration, stats.LastTransferDuration}} {
		if length, err := time.ParseDuration(d.text); err == nil && length >= 0 {
			sink.AddAt(d.family, length.Seconds(), r.at, labels...)
		} else if d.text != "" {
			sink.Skip(oddValue, 1)
		}
	}
	if stats.LastTransferBytes > 0 || stats.LastTransferEndTime != "" {
		sink.AddAt(schema.ReplicationLastTransfer, float64(stats.LastTransferBytes), r.at, labels...)
	}
}
