package gcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	netapp "google.golang.org/api/netapp/v1"
	"google.golang.org/grpc/codes"

	"github.com/nasight/nasight/simulator/faults"
	"github.com/nasight/nasight/simulator/model"
)

// located is one item of a list, with where it is.
type located[T any] struct {
	location string
	item     T
}

// list answers a list call: the items of the asked location that can be reached, one page of them.
func list[T any](r restCall, all []located[T]) (items []T, token string, unreachable []string, failure *failure) {
	asked := r.request.PathValue("location")
	var lost []string
	for _, fault := range r.faults {
		if fault.Kind == faults.Unreachable && (asked == "-" || asked == fault.Location) {
			lost = append(lost, fault.Location)
			unreachable = append(unreachable, fmt.Sprintf("projects/%s/locations/%s", r.named, fault.Location))
		}
	}
	all = slices.DeleteFunc(all, func(i located[T]) bool {
		return (asked != "-" && asked != i.location) || slices.Contains(lost, i.location)
	})
	from, to, token, failure := r.listPage(len(all))
	if failure != nil {
		return nil, "", nil, failure
	}
	for _, i := range all[from:to] {
		items = append(items, i.item)
	}
	return items, token, unreachable, nil
}

// get answers a get call: the item of a name.
func get[T any](r restCall, all []located[T], name func(T) string) (any, *failure) {
	asked, item := r.request.PathValue("location"), "/"+r.request.PathValue("item")
	for _, i := range all {
		if i.location == asked && strings.HasSuffix(name(i.item), item) {
			return i.item, nil
		}
	}
	return nil, failed(codes.NotFound, "Resource '%s' was not found", strings.TrimPrefix(r.request.URL.Path, "/v1/"))
}

func (c *Cloud) listLocations(r restCall) (any, *failure) {
	var all []string
	for _, pool := range r.project.Pools {
		all = append(all, pool.Location)
		for _, volume := range pool.Volumes {
			all = append(all, cmp.Or(volume.Location, pool.Location))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	from, to, token, failure := r.listPage(len(all))
	if failure != nil {
		return nil, failure
	}
	response := &netapp.ListLocationsResponse{NextPageToken: token}
	for _, id := range all[from:to] {
		name := fmt.Sprintf("projects/%s/locations/%s", r.named, id)
		response.Locations = append(response.Locations, &netapp.Location{LocationId: id, Name: name})
	}
	return response, nil
}

func (c *Cloud) listPools(r restCall) (any, *failure) {
	items, token, unreachable, failure := list(r, c.pools(r))
	return &netapp.ListStoragePoolsResponse{StoragePools: items, NextPageToken: token, Unreachable: unreachable}, failure
}

func (c *Cloud) listVolumes(r restCall) (any, *failure) {
	items, token, unreachable, failure := list(r, c.volumes(r))
	return &netapp.ListVolumesResponse{Volumes: items, NextPageToken: token, Unreachable: unreachable}, failure
}

func (c *Cloud) listReplications(r restCall) (any, *failure) {
	items, token, unreachable, failure := list(r, c.replications(r))
	return &netapp.ListReplicationsResponse{Replications: items, NextPageToken: token, Unreachable: unreachable}, failure
}

func (c *Cloud) getPool(r restCall) (any, *failure) {
	return get(r, c.pools(r), func(p *netapp.StoragePool) string { return p.Name })
}

func (c *Cloud) getVolume(r restCall) (any, *failure) {
	return get(r, c.volumes(r), func(v *netapp.Volume) string { return v.Name })
}

func (c *Cloud) getReplication(r restCall) (any, *failure) {
	return get(r, c.replications(r), func(v *netapp.Replication) string { return v.Name })
}

func (c *Cloud) pools(r restCall) []located[*netapp.StoragePool] {
	var all []located[*netapp.StoragePool]
	for _, pool := range r.project.Pools {
		all = append(all, located[*netapp.StoragePool]{pool.Location, c.pool(r, pool)})
	}
	return all
}

// pool fills in what the service fills in: what is zero or does not apply is absent from the JSON.
func (c *Cloud) pool(r restCall, p *model.Pool) *netapp.StoragePool {
	out := &netapp.StoragePool{
		Name:         fmt.Sprintf("projects/%s/locations/%s/storagePools/%s", r.named, p.Location, p.Name),
		ServiceLevel: p.ServiceLevel, CapacityGib: p.CapacityGiB, VolumeCapacityGib: p.Allocated(),
		VolumeCount: int64(len(p.Volumes)), State: "READY", QosType: p.QoS, Labels: p.Labels, EncryptionType: "SERVICE_MANAGED",
		Network:    fmt.Sprintf("projects/%s/global/networks/default", r.named),
		CreateTime: c.created(),
	}
	if p.QoS == model.Manual {
		out.AvailableThroughputMibps = p.Available()
	}
	if p.CustomPerformance {
		out.CustomPerformanceEnabled = true
		out.TotalThroughputMibps, out.TotalIops = p.TotalThroughputMiBps, int64(p.IOPS())
	}
	if p.ServiceLevel == model.Flex {
		out.Type, out.Mode = p.Type, p.Mode
		if zonal(p.Location) {
			out.Zone = p.Location
		}
	}
	return out
}

func zonal(location string) bool { return strings.Count(location, "-") == 2 }

// created is a time before all that the service still has points of.
func (c *Cloud) created() string {
	return c.model.Epoch().Add(-2 * retention).UTC().Format(time.RFC3339)
}

// served are the project's volumes that the API lists.
func (c *Cloud) served(r restCall) []*model.Placement {
	data := c.faults.Data()
	var all []*model.Placement
	for _, p := range c.present().Volumes() {
		vanished := slices.ContainsFunc(data, func(a faults.Active) bool {
			return a.Fault.Kind == faults.Vanished && a.Fault.Hits(p.Project.ID, p.Location(), p.Volume.Name, "")
		})
		if p.Project == r.project && p.Pool.Mode != model.ONTAP && !vanished {
			all = append(all, p)
		}
	}
	return all
}

func (c *Cloud) volumes(r restCall) []located[*netapp.Volume] {
	var all []located[*netapp.Volume]
	for _, p := range c.served(r) {
		all = append(all, located[*netapp.Volume]{p.Location(), c.volume(r, p)})
	}
	return all
}

func (c *Cloud) volume(r restCall, p *model.Placement) *netapp.Volume {
	v := p.Volume
	out := &netapp.Volume{
		Name:        fmt.Sprintf("projects/%s/locations/%s/volumes/%s", r.named, p.Location(), v.Name),
		StoragePool: p.Pool.Name, ServiceLevel: p.Pool.ServiceLevel, CapacityGib: v.CapacityGiB,
		UsedGib: c.model.Space(p, r.now.Truncate(time.Hour)).Used >> 30, // the service renews it now and then
		Network: fmt.Sprintf("projects/%s/global/networks/default", r.named), State: "READY", ShareName: v.Name,
		Protocols: v.Protocols, LargeCapacity: v.LargeCapacity, MultipleEndpoints: v.LargeCapacity && len(v.Mount) > 1,
		HasReplication: v.Replication != nil, Labels: v.Labels, CreateTime: c.created(),
	}
	if !p.Pool.Shared() {
		out.ThroughputMibps = p.Limit()
	}
	if zonal(p.Location()) {
		out.Zone = p.Location()
	}
	for _, m := range v.Mount {
		full := m.IPAddress + ":" + m.Export
		if m.Protocol == "SMB" {
			full = `\\` + m.IPAddress + `\` + strings.TrimPrefix(m.Export, "/")
		}
		out.MountOptions = append(out.MountOptions, &netapp.MountOption{
			Export: m.Export, ExportFull: full, IpAddress: m.IPAddress, Protocol: m.Protocol,
			Instructions: "Mount " + full + " with " + m.Protocol + ".",
		})
	}
	return out
}

func (c *Cloud) replications(r restCall) []located[*netapp.Replication] {
	of := r.request.PathValue("volume")
	var all []located[*netapp.Replication]
	for _, p := range c.served(r) {
		transfer, ok := c.model.Transfer(p, r.now)
		if !ok || (of != "-" && of != p.Volume.Name) {
			continue
		}
		all = append(all, located[*netapp.Replication]{p.Location(), replication(r, p, transfer)})
	}
	return all
}

func replication(r restCall, p *model.Placement, t model.Transfer) *netapp.Replication {
	source := fmt.Sprintf("projects/%s/locations/%s/volumes/%s", r.named, p.Location(), p.Volume.Name)
	state := "MIRRORED"
	switch {
	case t.Transferring:
		state = "TRANSFERRING"
	case !t.Healthy:
		state = "STOPPED"
	}
	return &netapp.Replication{
		Name: source + "/replications/" + p.Volume.Replication.Name, SourceVolume: source,
		DestinationVolume: p.Volume.Replication.Destination, Role: "SOURCE", State: "READY", Healthy: t.Healthy,
		MirrorState: state, ReplicationSchedule: p.Volume.Replication.Schedule,
		TransferStats: &netapp.TransferStats{
			LagDuration: seconds(t.Lag), LastTransferBytes: t.LastBytes, LastTransferDuration: seconds(t.LastDuration),
			LastTransferEndTime: t.LastEnd.UTC().Format(time.RFC3339), TransferBytes: t.TotalBytes,
			UpdateTime: r.now.UTC().Format(time.RFC3339),
		},
	}
}

// seconds is a duration as JSON of protocol buffers writes it.
func seconds(d time.Duration) string { return fmt.Sprintf("%ds", int64(d/time.Second)) }
