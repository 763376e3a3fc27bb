package detectors

import (
	"fmt"

	"github.com/nasight/nasight/fleet"
)

// PathZones is where the two ends of a path are by the names that the cloud gives.
type PathZones struct {
	Client, Volume fleet.Place
	Distance       fleet.Distance
	Witness        bool // some client in the volume's zone has told its round trip to the same server
}

// zonesOf compares the places of a client and of the volume that it reaches through an endpoint.
func (n nearby) zonesOf(client *fleet.Client, endpoint *fleet.Endpoint, volume *fleet.Volume) PathZones {
	zones := PathZones{Client: client.Place()}
	if volume == nil {
		return zones // a share's account names a region alone, and no host says where in it it is
	}
	zones.Volume = volume.Place()
	zones.Distance = zones.Client.To(zones.Volume)
	if seen := n[[2]string{endpoint.Server, endpoint.Protocol}]; seen != nil && zones.Volume.Zone != "" {
		zones.Witness = seen.zones[zones.Volume.Zone]
	}
	return zones
}

// Located is the verdict with what the zones' names add (7c). In one zone distance is not the cause, whatever the round
// trips look like. Different zones are the likely cause without any second client, unless the round trips exclude it:
// a client inside the volume's zone is no nearer, or the whole round trip is shorter than what a zone has to cost.
func (v PathVerdict) Located(t PathTimes, zones PathZones, limits PlacementSettings) PathVerdict {
	switch {
	case v.Cause == "":
	case zones.Distance == fleet.SameZone:
		v.Cause, v.Factor = PathUnclear, fleet.Unknown
	case zones.Distance.Apart() && !zones.Witness && !t.Lowest.Below(limits.ZoneGap):
		v.Cause = PathZone
	}
	return v
}

// nearer tells whether the round trips show a nearer client.
func (v PathVerdict) nearer() bool { return v.Cause == PathZone && v.Factor.Known() }

// placementSignals weigh the verdict. Where the zones' names alone tell, the other clients say nothing of the distance:
// they may all be in the wrong zone.
func placementSignals(way route, v PathVerdict) []signal {
	others := signal{weightOtherClient, way.times.Best.Known(), true}
	if v.Cause == PathZone && !v.nearer() {
		others = unseen(weightOtherClient)
	}
	label := unseen(weightZone)
	if way.zones.Distance != fleet.DistanceUnknown {
		label = signal{weightZone, true, way.zones.Distance.Apart() == (v.Cause == PathZone)}
	}
	return []signal{seen(weightBothTimes), others, label}
}

// words say where the two ends are and what that means for the verdict.
func (z PathZones) words(v PathVerdict) string {
	what := "zones"
	if z.Distance == fleet.OtherRegion {
		what = "regions"
	}
	switch {
	case z.Distance == fleet.SameZone:
		return fmt.Sprintf(" Host and volume are both in %s: the distance is not the cause.", z.Client)
	case z.Distance.Apart() && v.Cause == PathZone:
		return fmt.Sprintf(" The host is in %s, the volume in %s: the way between the %s is the likely cause.", z.Client, z.Volume, what)
	case z.Distance.Apart():
		return fmt.Sprintf(" The host is in %s, the volume in %s, but its round trips are no longer for that.", z.Client, z.Volume)
	}
	return ""
}

// fact shows the places as evidence; left out where one is not known.
func (z PathZones) fact() fact {
	value := fleet.Unknown
	if z.Distance != fleet.DistanceUnknown {
		value = 1
	}
	return fact{fmt.Sprintf("host in %s, volume in %s", z.Client, z.Volume), value, unitBoolean, "", fleet.FeatureGCEInstance}
}

// remedy is the move to where the volume is.
func (z PathZones) remedy(instance fleet.Instance) []Remedy {
	const caveat = "A VM keeps its zone: this is a new one. Zonal disks do not come along."
	if z.Volume.Zone == "" {
		return []Remedy{{
			What:    fmt.Sprintf("Run the work on a VM in the volume's region, %s.", z.Volume),
			Command: "gcloud compute zones list --filter=" + quote("region:"+z.Volume.Region),
			Caveat:  "Measure every zone of the region and take the lowest latency. " + caveat,
		}}
	}
	command := "gcloud compute instances create INSTANCE --zone=" + quote(z.Volume.Zone)
	if instance.MachineType != "" {
		command += " --machine-type=" + quote(instance.MachineType)
	}
	return []Remedy{{What: fmt.Sprintf("Run the work on a VM in the volume's zone, %s.", z.Volume), Command: command, Caveat: caveat}}
}
