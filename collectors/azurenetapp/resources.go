package azurenetapp

import (
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/netapp/armnetapp/v8"

	"github.com/nasight/nasight/collectors/internal/azureapi"
	"github.com/nasight/nasight/schema"
)

const mib = 1 << 20

// pool is a capacity pool as the inventory describes it. Numbers that it does not tell are nil. It is immutable.
type pool struct {
	id, name, group, location string // the name is ACCOUNT/POOL
	level, qos, state         string // in lower case
	custom, cool              bool   // throughput is bought apart from capacity; data may lie in the cool tier
	size                      *float64
	total, utilized           *float64 // bytes per second
	at                        time.Time
}

// volume is a volume as the inventory describes it. Numbers that it does not tell are nil. It is immutable.
type volume struct {
	id, name                 string
	level, state, zone, kind string
	protocols                []string // in lower case, sorted
	large                    bool
	endpoints                [][3]string // server, export, protocol
	assigned, limit          *float64    // bytes per second: as set by hand; as it holds
	quota, files             *float64    // bytes; most files
	at                       time.Time
}

// levels and qosTypes are what detectors know; others keep their names and are counted.
func levels() []string   { return []string{"standard", "premium", "ultra", "flexible", "standardzrs"} }
func qosTypes() []string { return []string{"auto", "manual"} }

// reader turns resources into what is kept of them, and counts what is odd.
type reader struct {
	now time.Time
	odd map[string]int
}

// number is a value times a scale; nil, and counted, where it cannot be true.
func number[T int32 | int64 | float32](r *reader, p *T, scale float64, unit schema.Unit) *float64 {
	if p == nil {
		return nil
	}
	value := float64(*p) * scale
	if !azureapi.Sane(value, unit) {
		r.odd[oddValue]++
		return nil
	}
	return &value
}

func (r *reader) word(text string, known []string, odd string) string {
	lower := strings.ToLower(text)
	if !slices.Contains(known, lower) {
		r.odd[odd]++
	}
	return lower
}

// pool reads one pool of a list; ok is false where it makes no sense.
func (r *reader) pool(item *armnetapp.CapacityPool) (p *pool, ok bool) {
	if item == nil || item.Properties == nil {
		return nil, false
	}
	id, properties := azureapi.Text(item.ID), item.Properties
	account, name := azureapi.PartOf(id, "netAppAccounts"), azureapi.PartOf(id, "capacityPools")
	p = &pool{
		id: id, name: account + "/" + name, group: azureapi.PartOf(id, "resourceGroups"), location: azureapi.RegionOf(azureapi.Text(item.Location)),
		level: r.word(azureapi.Text(properties.ServiceLevel), levels(), oddLevel), qos: "auto",
		state: stateOf(properties.ProvisioningState), cool: properties.CoolAccess != nil && *properties.CoolAccess,
		size: number(r, properties.Size, 1, schema.Bytes), at: r.now,
		total:    number(r, properties.TotalThroughputMibps, mib, schema.BytesPerSecond),
		utilized: number(r, properties.UtilizedThroughputMibps, mib, schema.BytesPerSecond),
	}
	if properties.QosType != nil { // the service's default is auto
		p.qos = r.word(string(*properties.QosType), qosTypes(), oddQoS)
	}
	p.custom = p.level == "flexible"
	return p, account != "" && name != "" && p.group != "" && p.location != ""
}

// available is what no volume of a pool with manual QoS has.
func (p *pool) available() *float64 {
	if p.qos != "manual" || p.total == nil || p.utilized == nil {
		return nil
	}
	free := max(0, *p.total-*p.utilized)
	return &free
}

// stateOf says ready where the service says that it succeeded in making the resource what it is.
func stateOf(provisioning *string) string {
	state := strings.ToLower(azureapi.Text(provisioning))
	if state == "succeeded" {
		return "ready"
	}
	return state
}

// volume reads one volume of a list; ok is false where it makes no sense.
func (r *reader) volume(item *armnetapp.Volume, p *pool) (v *volume, ok bool) {
	if item == nil || item.Properties == nil {
		return nil, false
	}
	id, properties := azureapi.Text(item.ID), item.Properties
	v = &volume{
		id: id, name: azureapi.PartOf(id, "volumes"), level: p.level, state: stateOf(properties.ProvisioningState), kind: kindOf(properties),
		zone: zoneOf(item), large: properties.IsLargeVolume != nil && *properties.IsLargeVolume, at: r.now,
		quota: number(r, properties.UsageThreshold, 1, schema.Bytes), files: number(r, properties.MaximumNumberOfFiles, 1, schema.None),
		limit: number(r, properties.ActualThroughputMibps, mib, schema.BytesPerSecond),
	}
	if properties.ServiceLevel != nil {
		v.level = r.word(string(*properties.ServiceLevel), levels(), oddLevel)
	}
	if properties.IsRestoring != nil && *properties.IsRestoring {
		v.state = "restoring"
	}
	if p.qos == "manual" {
		v.assigned = number(r, properties.ThroughputMibps, mib, schema.BytesPerSecond)
		if v.assigned != nil {
			v.limit = v.assigned // what actually holds is told of automatic QoS alone
		}
	}
	for _, protocol := range properties.ProtocolTypes {
		if word := protocolOf(azureapi.Text(protocol)); word != "" && !slices.Contains(v.protocols, word) {
			v.protocols = append(v.protocols, word)
		}
	}
	slices.Sort(v.protocols)
	v.endpoints = endpointsOf(properties, v.protocols)
	return v, v.name != ""
}

// kindOf says what a volume is beside a plain one.
func kindOf(p *armnetapp.VolumeProperties) string {
	switch strings.ToLower(azureapi.Text(p.VolumeType)) {
	case "dataprotection":
		return "replica"
	case "migration":
		return "migration"
	case "shorttermclone":
		return "clone"
	}
	return "volume"
}

func zoneOf(item *armnetapp.Volume) string {
	if zone := azureapi.Text(item.Properties.ProvisionedAvailabilityZone); zone != "" {
		return zone
	}
	if len(item.Zones) == 1 {
		return azureapi.Text(item.Zones[0])
	}
	return ""
}

// protocolOf is a protocol as all clouds name it here.
func protocolOf(name string) string {
	switch lower := strings.ToLower(name); lower {
	case "cifs":
		return "smb"
	case "nfsv4.1":
		return "nfsv4"
	default:
		return lower
	}
}

// endpointsOf are the ways to mount a volume: by each address, and SMB by the server's name as well.
func endpointsOf(p *armnetapp.VolumeProperties, protocols []string) (found [][3]string) {
	token := azureapi.Text(p.CreationToken)
	add := func(server, protocol string) {
		export := token
		if protocol != "smb" {
			export = "/" + token
		}
		if e := [3]string{server, export, protocol}; server != "" && !slices.Contains(found, e) {
			found = append(found, e)
		}
	}
	for _, target := range p.MountTargets {
		if target == nil || token == "" {
			continue
		}
		for _, protocol := range protocols {
			add(azureapi.Text(target.IPAddress), protocol)
			if protocol == "smb" {
				add(strings.ToLower(azureapi.Text(target.SmbServerFqdn)), protocol)
			}
		}
	}
	return found
}
