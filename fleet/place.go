package fleet

import (
	"strings"

	"github.com/nasight/nasight/schema"
)

// FeatureGCEInstance is where and on what a host on Google Compute Engine runs.
const FeatureGCEInstance = "gce_instance"

// Instance is what a virtual machine knows of itself; empty where it does not tell.
type Instance struct {
	Zone        string
	MachineType string
	NICType     string
}

// The clouds: the label cloud of the inventory's resources, and Client.Cloud.
const (
	cloudGoogle = "gcp"
	clientGCE   = "gce"
)

// instanceFeatures are read hourly: the newest value may be older than the view's window.
func instanceFeatures() []Feature {
	return []Feature{{Name: FeatureGCEInstance, Expr: settled(schema.GCEInstanceInfo, byHost), By: byHost}}
}

// buildInstances says on which machine each client runs. That proves its cloud, whatever the configuration says of all.
func (b *builder) buildInstances() {
	host := func(labels map[string]string) string { return labels["host"] }
	for name, labels := range resources(b.answers[FeatureGCEInstance], schema.GCEInstanceInfo, host) {
		client := b.client(name)
		client.Cloud = clientGCE
		client.Instance = Instance{Zone: labels["zone"], MachineType: labels["machine_type"], NICType: labels["nic_type"]}
	}
}

// Place is a zone of Google Cloud, or a region whose zone is not known. The zero value is no known place.
type Place struct{ Region, Zone string }

// PlaceOf reads a zone (us-central1-a, us-south1-ai1b) or a region (us-central1) by its name: a region's name has a dash
// and ends in a digit. Anything else is no known place.
func PlaceOf(name string) Place {
	if region, part, ok := cutLast(name); ok && part != "" && isRegion(region) {
		return Place{Region: region, Zone: name}
	}
	if isRegion(name) {
		return Place{Region: name}
	}
	return Place{}
}

func cutLast(name string) (before, after string, found bool) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

func isRegion(name string) bool {
	area, part, ok := cutLast(name)
	return ok && area != "" && part != "" && part[0] >= 'a' && part[0] <= 'z' && part[len(part)-1] >= '0' && part[len(part)-1] <= '9'
}

// String is the zone, else the region.
func (p Place) String() string {
	if p.Zone != "" {
		return p.Zone
	}
	return p.Region
}

// Place is where the client runs, as far as its machine tells.
func (c *Client) Place() Place { return PlaceOf(c.Instance.Zone) }

// Place is where the volume is served from: its zone, its pool's, else its location, which may be a region alone. The
// inventory gives a volume that is kept in two zones the active one.
func (v *Volume) Place() Place {
	if v.Identity.Cloud != cloudGoogle {
		return Place{}
	}
	zones := []string{v.Zone}
	if v.Of != nil {
		zones = append(zones, v.Of.Zone)
	}
	for _, zone := range zones {
		if place := PlaceOf(zone); place.Zone != "" {
			return place
		}
	}
	return PlaceOf(v.Identity.Location)
}

// Distance is how two places lie to each other.
type Distance uint8

// The distances. Two places of one region are not told apart as long as the zone of one is not known.
const (
	DistanceUnknown Distance = iota
	SameZone
	OtherZone
	OtherRegion
)

// To compares two places.
func (p Place) To(other Place) Distance {
	switch {
	case p.Region == "" || other.Region == "":
		return DistanceUnknown
	case p.Region != other.Region:
		return OtherRegion
	case p.Zone == "" || other.Zone == "":
		return DistanceUnknown
	case p.Zone != other.Zone:
		return OtherZone
	}
	return SameZone
}

// Apart tells whether what goes between the two crosses zones.
func (d Distance) Apart() bool { return d == OtherZone || d == OtherRegion }
